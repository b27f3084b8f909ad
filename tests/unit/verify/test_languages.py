"""Comparison by language: every artefact of the corpus says its policy, and every change by hand comes out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import langc
from langc import targets
from langc.compiler.errors import LangcError, LimitError, UnsupportedError
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.target import Artifact, Fidelity
from langc.compiler.verify import languages
from langc.compiler.verify.artefact import Readable, open_artefact
from langc.compiler.verify.languages import BOUND, TEXTS, measure
from langc.compiler.verify.readers import scanner
from langc.compiler.verify.report import Language, TargetReport, Witness
from tests.golden.test_golden import CASES, TOY
from tests.unit.targets.policies import TOO_LARGE_FOR_REGEX, names, policies

pytestmark = pytest.mark.slow

EXACT = [f for f in (*TEXTS, *BOUND) if f != ("outlines", "regex") and f[0] not in ("logit-bias", "banned-strings")]


def made(policy: Policy, target: str, dialect: str | None) -> Artifact:
    """The artefact, inexact or not."""
    return compile_policy(policy, target, TOY, allow=("over", "under"), dialect=dialect)


def found(policy: Policy, text: str, target: str, path: Path, dialect: str | None = None) -> Language:
    """What a file of that text says."""
    path.write_text(text, encoding="utf-8", newline="")
    return measure(policy, open_artefact(path, target, dialect), TOY)


def test_every_built_in_format_has_a_reader() -> None:
    """No target of langc is left out."""
    formats = {(t, d) for t in targets.names() for d in targets.get(t).dialects or (None,)}

    assert formats <= set(TEXTS) | set(BOUND)


@pytest.mark.parametrize("form", EXACT, ids=lambda f: "-".join(filter(None, f)))
@pytest.mark.parametrize("name", [n for n in CASES if n != "set+soft"])
def test_what_is_emitted_is_exact(name: str, form: tuple[str, str | None]) -> None:
    """No text tells an artefact of the corpus from its policy, and no mask either."""
    policy = CASES[name]
    language = measure(policy, Readable.of(made(policy, *form)), TOY)

    assert (language.over, language.under, language.notes) == (None, None, ())
    assert language.states >= len(policy.dfa.live)


@pytest.mark.parametrize("name", names())
def test_policies_by_hand_are_exact(name: str) -> None:
    """The policies that printers may get wrong, in all text formats."""
    policy = policies()[name]
    refused = ("outlines", "banned-strings", *(["regex"] if name in TOO_LARGE_FOR_REGEX else []))
    forms = [f for f in TEXTS if f[0] not in refused]
    measured = [measure(policy, Readable.of(made(policy, *form))) for form in forms]

    assert len(forms) >= 2
    assert measured == [Language(len(policy.dfa.live))] * len(forms)


@pytest.mark.parametrize("name", [n for n in CASES if n != "set+soft"])
def test_the_expression_for_outlines_loses_the_empty_text(name: str) -> None:
    """As its header says, and nothing else: without the `$` and with the text it is the policy."""
    policy = CASES[name]
    artifact = made(policy, "outlines", "regex")
    language = measure(policy, Readable.of(artifact))

    assert (language.over, language.under) == (None, Witness(b"", "policy"))
    assert Readable.of(artifact).fidelity.under == ""


def test_a_soft_policy_has_an_exact_processor() -> None:
    """Tokens, ends and prices agree."""
    policy = CASES["set+soft"]
    language = measure(policy, Readable.of(made(policy, "processor", None)), TOY)

    assert (language.over, language.under) == (None, None)


HAN = langc.parse_policy(r'policy p { deny \p{Script=Han}; allow "漢江"; }')


@pytest.mark.parametrize(
    ("target", "dialect", "change", "over", "under"),
    [
        ("gbnf", None, lambda t: t.replace(r"\u2E7F", r"\u2E80"), "⺀", None),
        ("gbnf", None, lambda t: t.replace("漢江", "漢河"), "漢河", "漢江"),
        ("gbnf", None, lambda t: t.replace('"漢江"', '"漢江"*'), None, None),
        ("gbnf", None, lambda t: t.replace("root ::=", "# by hand\nroot  ::=\n  "), None, None),
        ("gbnf", None, lambda t: t.replace(' | ""', ""), None, ""),
        ("xgrammar", None, lambda t: t.replace("text root", "text text"), None, "a"),
        ("xgrammar", None, lambda t: t.replace("text ::= [", "text ::= [^"), "⺀", "a"),
        ("regex", "python", lambda t: t.replace("漢江", "漢江?"), "漢", None),
        ("regex", "rust", lambda t: t.replace("漢江", "漢|江"), "江", None),
        ("regex", "pcre2", lambda t: t[:-1] + "+", None, ""),
        ("regex", "ecmascript", lambda t: t[:-1] + "{0,3}", None, "aaaa"),
        ("outlines", "regex", lambda t: t.replace("+$", "*$"), None, None),
        ("outlines", "regex", lambda t: t.removesuffix("$"), None, ""),
    ],
)
def test_a_change_by_hand(
    target: str, dialect: str | None, change: Callable[[str], str], over: str | None, under: str | None, tmp_path: Path
) -> None:
    """The witness is a shortest text, and on the right side. Where nothing else decides, it is `a`."""
    text = made(HAN, target, dialect).text or ""
    changed = change(text)
    language = found(HAN, changed, target, tmp_path / "a", dialect)

    assert changed != text
    assert language.over == (None if over is None else Witness(over.encode(), "artefact"))
    assert language.under == (None if under is None else Witness(under.encode(), "policy"))


def test_a_grammar_written_by_hand(tmp_path: Path) -> None:
    """A negated class is right by language, with a note of what the engine makes of it."""
    policy = langc.parse_policy("policy p { deny [漢江]; }")
    right = found(policy, "root ::= [^漢江]*", "gbnf", tmp_path / "a")
    wrong = found(policy, "root ::= [^漢]*", "gbnf", tmp_path / "a")

    assert (right.over, right.under) == (None, None)
    assert "negated" in right.notes[0]
    assert (wrong.over, wrong.under) == (Witness("江".encode(), "artefact"), None)


def test_states_are_those_of_what_was_read(tmp_path: Path) -> None:
    """Canonical ones, the dead one left out: `aaa` and no more has four."""
    assert found(HAN, 'root ::= "a" "a"? | "aaa" | "" | "aa"', "gbnf", tmp_path / "a").states == 4


def test_an_error_is_drawn_where_it_is(tmp_path: Path) -> None:
    """File, line and column."""
    with pytest.raises(LangcError) as caught:
        found(HAN, 'root ::= "a"\nother ::= [z-a]\n', "gbnf", tmp_path / "my.gbnf")
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.primary is not None
    label = diagnostic.primary

    assert (diagnostic.code, label.source.name) == ("LC0530", str(tmp_path / "my.gbnf"))
    assert label.source.line_column(label.span.start) == (2, 11)


@pytest.mark.parametrize("text", ["(" * 100_000, "root ::= " + "(" * 149 + '"a"' + ")" * 149, "a" * 21_000])
def test_deep_and_long_files_end_in_an_answer(text: str, tmp_path: Path) -> None:
    """An error or a language, never a traceback."""
    for target, dialect in TEXTS:
        try:
            answer: object = found(HAN, text, target, tmp_path / "a", dialect)
        except LangcError as error:
            answer = error.diagnostics[0].code

        assert isinstance(answer, Language) or answer in ("LC0530", "LC0701")


def test_rules_inside_one_another_are_bounded(tmp_path: Path) -> None:
    """Ten thousand rules, each in the middle of another, are too deep."""
    text = "root ::= r0\n" + "".join(f'r{n} ::= r{n + 1} "b"\n' for n in range(10_000)) + 'r10000 ::= "a"\n'
    with pytest.raises(LangcError) as caught:
        found(HAN, text, "gbnf", tmp_path / "a")

    assert caught.value.diagnostics[0].code == "LC0530"


def test_the_text_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many bytes and parts as the limits are read; one more is an error."""
    text = 'root ::= "ab" | [c-e]?\n'
    for module, name, most in ((languages, "MAX_ARTIFACT_TEXT", len(text)), (scanner, "MAX_READ_STEPS", 4)):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, most)
            found(HAN, text, "gbnf", tmp_path / "a")
            patch.setattr(module, name, most - 1)
            with pytest.raises(LimitError, match=f"{most - 1}"):
                found(HAN, text, "gbnf", tmp_path / "a")


def test_a_foreign_target_has_no_reader() -> None:
    """A target of a plug-in is no crash."""
    with pytest.raises(UnsupportedError) as caught:
        measure(HAN, Readable("mine", None, {}, b"", "mine"))

    assert caught.value.diagnostics[0].code == "LC0533"


@pytest.mark.parametrize(("target", "dialect"), BOUND)
def test_bound_formats_need_a_vocabulary(target: str, dialect: str | None) -> None:
    """Without one there is nothing to compare ids with."""
    with pytest.raises(UnsupportedError) as caught:
        measure(HAN, Readable(target, dialect, {}, b"", "file"))

    assert caught.value.diagnostics[0].code == "LC0502"


@pytest.mark.parametrize(("target", "dialect"), [*TEXTS, *BOUND])
def test_bytes_that_are_no_text(target: str, dialect: str | None) -> None:
    """One error for all formats."""
    with pytest.raises(LangcError) as caught:
        measure(HAN, Readable(target, dialect, {}, b"\xff\xfe", "file"), TOY)

    assert caught.value.diagnostics[0].code == "LC0530"


def test_who_admits_the_loss_of_the_empty_text_admits_no_other(tmp_path: Path) -> None:
    """outlines' expression loses the empty text and says so; one that loses a letter as well is found by language."""
    policy = langc.parse_policy("policy p { only [a-c]; }")
    text = made(policy, "outlines", "regex").text
    assert text is not None
    lost = [found(policy, t, "outlines", tmp_path / "a", "regex").under for t in (text, text.replace("[a-c]", "[ab]"))]
    claim = Fidelity(under="")
    reports = [TargetReport("outlines", "regex", None, claim, Language(1, None, w)) for w in lost]

    assert [(w and w.text, r.verdict.value) for w, r in zip(lost, reports, strict=True)] == [
        (b"", "as claimed"),
        (b"c", "differs"),
    ]
