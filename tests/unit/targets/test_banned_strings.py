"""The target `banned-strings`: what it lists, what it admits to lose or leak, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import langc
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.equivalence import equivalent
from langc.compiler.errors import UnsupportedError
from langc.compiler.target import Artifact
from langc.compiler.verify.artefact import Readable
from langc.compiler.verify.languages import measure, read_text
from langc.targets.banned_strings import DIALECTS, language_of

LETTERS = "abAB kKſ\u212a한漢"


def made(rules: str, *, allow: str = "", **options: str) -> Artifact:
    """The list of a policy with these rules."""
    return langc.compile(langc.parse_policy(f"policy p {{ {rules} }}"), "banned-strings", allow=allow, **options)


def passes(text: str, strings: list[str], dialect: str) -> bool:
    """What a server does, in a line: the text in one case, and each string in it or not."""

    def fold(s: str) -> str:
        return s.lower() if dialect == "tabbyapi" else "".join(c.lower() if c.isascii() else c for c in s)

    return not any(fold(s) in fold(text) for s in strings)


@given(
    st.lists(st.text(LETTERS, min_size=1, max_size=3), min_size=1, max_size=4),
    st.text(LETTERS, max_size=8),
    st.sampled_from(sorted(DIALECTS)),
)
def test_the_language_is_what_a_server_does(strings: list[str], text: str, dialect: str) -> None:
    """Both the emitter's idea of a list and the reader's agree with a search in the folded text."""
    dfa = build_dfa(language_of(strings, DIALECTS[dialect]))
    read = read_text(Readable("banned-strings", dialect, {}, json.dumps(strings).encode(), "<list>"))

    assert dfa.accepts(map(ord, text)) == passes(text, strings, dialect)
    assert equivalent(dfa, read)


def test_an_exact_list() -> None:
    """Without case, and with letters that have no third form, both servers do what the policy says."""
    for dialect in DIALECTS:
        artifact = made('deny phrase "THE end", "bad" { ignore case; }', dialect=dialect)
        assert artifact.fidelity.is_exact
        assert artifact.data == ["THE end", "bad"]
        assert json.loads(artifact.text or "")["banned_strings"] == artifact.data


@pytest.mark.parametrize(
    ("rules", "dialect", "over", "under"),
    [
        ('deny phrase "bad";', "koboldcpp", None, "baD"),  # it compares in either case
        ('deny phrase "ask" { ignore case; }', "koboldcpp", "aſk", None),  # and in ASCII alone
        ('deny phrase "ak" { ignore case; }', "tabbyapi", None, None),  # the Kelvin sign is a capital k
        ('deny phrase "bad" { ignore case; boundary both word; }', "koboldcpp", None, "aBAD"),
        ('deny phrase "bad" { ignore case, width; }', "koboldcpp", "\uff42ad", None),
        ('deny phrase "bad" { ignore case; } deny [漢];', "koboldcpp", "漢", None),
        ('deny phrase "bad" { ignore case; } region c = between "(" ")" { any }', "koboldcpp", "(", "(bad)"),
    ],
)
def test_what_is_lost_and_leaked(rules: str, dialect: str, over: str | None, under: str | None) -> None:
    """Each flag has a witness as short as these, which the policy and the server judge in opposite ways."""
    policy = langc.parse_policy(f"policy p {{ {rules} }}")
    artifact = made(rules, allow="over,under", dialect=dialect)
    found = artifact.fidelity
    strings = json.loads(artifact.text or "")["banned_strings"]

    assert [None if w is None else len(w) for w in (found.over, found.under)] == [
        None if w is None else len(w) for w in (over, under)
    ]
    for witness, permitted in ((over, False), (under, True), (found.over, False), (found.under, True)):
        if witness is not None:
            assert policy.accepts(witness) is permitted
            assert passes(witness, strings, dialect) is not permitted
    language = measure(policy, Readable.of(artifact))
    assert (language.over is None, language.under is None) == (over is None, under is None)


def phrases(count: int, folder: Path) -> str:
    """The path of a policy with a file of so many phrases beside it."""
    (folder / "list.txt").write_text("".join(f"phrase{n:03}x\n" for n in range(count)), encoding="utf-8")
    (folder / "p.policy").write_text('policy p { deny phrases from "list.txt" { ignore case; } }', encoding="utf-8")
    return str(folder / "p.policy")


@pytest.mark.parametrize(("count", "cap", "fits"), [(48, "48", True), (49, "48", False), (49, "none", True)])
def test_more_strings_than_a_server_takes(tmp_path: Path, count: int, cap: str, fits: bool) -> None:
    """One too many is an error that names the limit; a server that takes more can be told of."""
    path = phrases(count, tmp_path)
    if fits:
        # `s` has a third form, which the server does not know
        assert len(langc.compile(path, "banned-strings", allow="over", cap=cap).data) == count  # type: ignore[arg-type]
        return
    with pytest.raises(UnsupportedError, match="49 strings would have to be banned, and koboldcpp takes 48"):
        langc.compile(path, "banned-strings", allow="over", cap=cap)


def test_five_hundred_phrases_for_a_server_that_takes_forty_eight(tmp_path: Path) -> None:
    """By a budget the first ones are listed: that leaks, must be allowed by name, and the rest is reported."""
    path = phrases(500, tmp_path)
    with pytest.raises(UnsupportedError, match="over"):
        langc.compile(path, "banned-strings", cap="48", budget="48")
    artifact = langc.compile(path, "banned-strings", allow="over", cap="48", budget="48")
    left_out = artifact.report["left_out"]

    assert artifact.report["strings"] == {"needed": 500, "given": 48}
    assert isinstance(left_out, list)
    assert len(left_out) == 452
    assert artifact.data == [f"phrase{n:03}x" for n in range(48)]
    assert langc.load_policy(path).first_violation(artifact.fidelity.over or "") is not None


@pytest.mark.parametrize(
    ("rules", "options", "code"),
    [
        ("deny [a];", {}, "LC0525"),
        ('deny [a]; region c = fence { deny phrase "b"; }', {}, "LC0525"),
        ('deny phrase "b"; discourage [a] by 2;', {}, "LC0505"),
        ('deny phrase "b";', {"budget": "0"}, "LC0521"),
        ('deny phrase "b";', {"cap": "many"}, "LC0521"),
        ('deny phrase "b";', {"dialect": "openai"}, "LC0503"),
    ],
)
def test_refusals(rules: str, options: dict[str, str], code: str) -> None:
    """What it cannot carry at all, and options that it cannot read."""
    with pytest.raises(UnsupportedError) as caught:
        made(rules, allow="over,under", **options)
    assert caught.value.diagnostics[0].code == code
