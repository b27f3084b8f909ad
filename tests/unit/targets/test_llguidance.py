"""The target llguidance: one terminal, read back from its text."""

from __future__ import annotations

import re

import pytest

import langc
from langc.compiler import ready
from langc.compiler.automata import budget
from langc.compiler.errors import LimitError, PolicyError, UnsupportedError
from langc.compiler.ir.language import (
    ANY_TEXT,
    Language,
    class_,
    complement,
    concat,
    cover,
    intersection,
    literal,
    repetition,
)
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.unicode.intervals import IntervalSet
from langc.compiler.verify.readers.lark import read_lark
from langc.targets import _lark
from tests.unit.targets.policies import HANGUL, NO_CJK, names, policies


def grammar(policy: Policy, header: bool = True) -> str:
    """The whole artefact, or all but the header."""
    text = compile_policy(policy, "llguidance").text
    assert text is not None
    return text if header else text[text.index("start:") :]


def of(language: Language) -> str:
    """The terminals for a language of no policy in particular."""
    return grammar(Policy(PolicyIR("by-hand", None, (), language)), header=False)


@pytest.mark.parametrize("name", names())
def test_the_text_says_exactly_the_policy(name: str) -> None:
    """Read back from its text, header and all, the terminal has the very automaton of the policy."""
    policy = policies()[name]

    assert policy.dfa == read_lark(grammar(policy))


@pytest.mark.slow
@pytest.mark.parametrize("name", ready.names())
def test_ready_policies_are_exact(name: str) -> None:
    """Every ready policy has room, `no-invisible` with its overlapping emoji too."""
    policy = langc.load_policy(name)

    assert policy.dfa == read_lark(grammar(policy))


def test_policies_that_use_others_are_intersections() -> None:
    """Used policies stand side by side, each as it is, and their exempt regions are their own."""
    text = """
    policy no-han { deny script Han; allow "漢江"; }
    policy hangul { only [\\p{Hangul}漢江 ]; }
    policy both { use no-han; use hangul; }
    """
    policy = langc.parse_policy(text, name="both")

    assert policy.dfa == read_lark(grammar(policy))
    assert grammar(policy).count(" & ") == 1


def test_plain_policies_are_one_expression() -> None:
    """A set is a class in a loop, terms are alternatives beside it, bounds stay bounds."""
    expected = {
        "hangul": r"start: TEXT" + "\n" + r"TEXT: /[\x{AC00}-\x{D7A3}]*/" + "\n",
        "terms-alone": "start: TEXT\nTEXT: /(?:no(?:thing)?|yes)*/\n",
        "bounded": "start: TEXT\n" + r"TEXT: /<[\x{4E00}-\x{9FFF}]{2,12}>/" + "\n",
        "slash": "start: TEXT\n" + r"TEXT: /\/*/" + "\n",
    }

    assert expected == {name: grammar(policies()[name], header=False) for name in expected}


def test_large_complements_stay_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """`&` and `~` are written where the language has them, and no complement stands alone."""
    monkeypatch.setattr(_lark, "_SMALL", 0)
    ab, empty = class_(IntervalSet.of("ab")), literal("")

    assert of(concat(complement(literal("a")), ab)) == (
        "start: TEXT\n" + r"TEXT: (/[\x00-\x{D7FF}\x{E000}-\x{10FFFF}]*/ & ~/a/) /[ab]/" + "\n"
    )
    assert of(repetition(complement(empty), 2, 3)).splitlines()[1] == (
        r'TEXT: (/[\x00-\x{D7FF}\x{E000}-\x{10FFFF}]*/ & ~""){2,3}'
    )


def test_small_complements_are_written_out() -> None:
    """So the engine sees where nothing is left: `~(ANY /b/ ANY)` would leave it to search behind each b."""
    without_b = complement(concat(ANY_TEXT, literal("b"), ANY_TEXT))
    expected = r"TEXT: /a[\x00-\x{D7FF}\x{E000}-\x{10FFFF}]*/ & /[\x00-ac-\x{D7FF}\x{E000}-\x{10FFFF}]*/"

    assert of(intersection(concat(literal("a"), ANY_TEXT), without_b)) == f"start: TEXT\n{expected}\n"


def test_what_occurs_again_is_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long part is written once, a short one where it is needed."""
    monkeypatch.setattr(_lark, "_SMALL", 0)
    without = complement(concat(ANY_TEXT, literal("abc"), ANY_TEXT))
    lines = of(concat(without, literal("|"), without)).splitlines()

    assert lines[:2] == ["start: TEXT", "TEXT: PART_2 /\\|/ PART_2"]
    assert lines[2:] == [
        r"ANY_BYTES: ~/[^\x00-\x{10FFFF}]/",
        r"PART_2: /[\x00-\x{D7FF}\x{E000}-\x{10FFFF}]*/ & ~(ANY_BYTES /abc/ ANY_BYTES)",
    ]


@pytest.mark.parametrize("name", names())
def test_every_complement_stands_beside_something_well_formed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` takes malformed bytes too, so but for the name of these it only ever follows `&`; and then it is exact."""
    monkeypatch.setattr(_lark, "_SMALL", 0)
    bare = re.sub(r"/(?:\\.|[^/\\])+/", "X", grammar(policies()[name], header=False))

    assert bare.replace("ANY_BYTES: ~X", "").count("~") == bare.count("& ~")
    assert read_lark(grammar(policies()[name])) == policies()[name].dfa


def test_phrases_are_one_complement_beside_the_characters() -> None:
    """In one intersection with what is well-formed, so that the engine reads no other text beside it."""
    policy = langc.parse_policy(_many_phrases(60))
    body = grammar(policy, header=False).splitlines()

    assert re.fullmatch(r"TEXT: /\[.*\]\*/ & ~\(ANY_BYTES /.*/ ANY_BYTES\)", body[1])
    assert body[2:] == [r"ANY_BYTES: ~/[^\x00-\x{10FFFF}]/"]
    assert read_lark(grammar(policy)) == policy.dfa


def test_phrases_need_no_automaton(monkeypatch: pytest.MonkeyPatch) -> None:
    """The automaton of these is too large for its budget, and what is wrong with the policy is said all the same."""
    rule = "deny phrase " + ", ".join(f'"{a}{b} {b}{a}q"' for a in "abcdefghij" for b in "klmnopqrst")
    options = "{ ignore case, space, invisible; boundary both word; }"
    policy = langc.parse_policy(f"policy p {{ use ko; {rule} {options} }}")
    monkeypatch.setattr(budget, "MAX_DFA_STATES", 200)
    with pytest.raises(LimitError):
        compile_policy(policy, "gbnf")

    assert "ANY_BYTES" in grammar(policy)
    clash = f"policy a {{ only [가]; }} policy p {{ use a; only [나]; {rule} {options} }}"
    with pytest.raises(PolicyError, match="LC0401"):
        grammar(langc.parse_policy(clash, name="p"))


def test_inside_json_strings_any_text_stays_text() -> None:
    r"""Bytes could cut an escape in two: the text `\\n` of a backslash and an n holds no line end."""
    policy = langc.parse_policy(_many_phrases(60)).with_(json_strings=True)

    assert "ANY_BYTES" not in grammar(policy)
    assert read_lark(grammar(policy)) == policy.dfa


def _many_phrases(count: int) -> str:
    words = ", ".join(f'"{chr(0x61 + n % 26)}{chr(0xAC00 + 7 * n)} {n * n}"' for n in range(count))
    return f"policy p {{ deny script Han; deny phrase {words}; }}"


def test_the_text_is_plain() -> None:
    """Comments and lines of letters that cannot be mistaken: no control, no invisible character, no negated class."""
    found = [grammar(policies()[name]) for name in names()]

    assert len(found) > 40
    assert all(line.isprintable() for text in found for line in text.splitlines())
    assert not [text for text in found if "[^" in text or " //" in text[text.index("start:") :]]


def test_the_header_is_comments() -> None:
    """It comes first and says what the file is."""
    policy = policies()["hangul"]
    lines = grammar(policy).splitlines()

    assert lines[0].startswith("// langc: ")
    assert lines[1:6] == [
        "// policy: hangul",
        f"// policy-sha256: {policy.hash}",
        "// unicode: 18.0.0",
        "// target: llguidance",
        "// fidelity: exact",
    ]


def test_exempt_code_is_small() -> None:
    """It is written as it is defined; the right-linear grammar is several times as long."""
    policy = policies()["exempt-code"]

    assert len(grammar(policy)) < 10_000 < len(compile_policy(policy, "gbnf").text or "")


def test_a_soft_policy_is_refused() -> None:
    """A terminal knows no price, and the message names the targets that do."""
    with pytest.raises(UnsupportedError) as caught:
        grammar(policies()["hangul"].with_(bias=3.0))

    assert caught.value.diagnostics[0].code == "LC0505"


def test_used_policies_that_leave_nothing_are_refused() -> None:
    """The contradiction is named, as by every text target."""
    text = "policy a { only [a]; } policy b { only [b]; } policy both { use a; use b; }"
    with pytest.raises(PolicyError) as caught:
        grammar(langc.parse_policy(text, name="both"))

    assert caught.value.diagnostics[0].code == "LC0401"


def test_the_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many ranges and nodes as the limit are fine; one more is an error that names other targets."""
    policy = policies()["no-cjk"]
    count = len(NO_CJK.ranges) + 1  # the class, and the loop around it
    monkeypatch.setattr(_lark, "MAX_EXPRESSION_SIZE", count)
    grammar(policy)
    monkeypatch.setattr(_lark, "MAX_EXPRESSION_SIZE", count - 1)
    with pytest.raises(LimitError) as caught:
        grammar(policy)
    [diagnostic] = caught.value.diagnostics

    assert diagnostic.code == "LC0701"
    assert diagnostic.help is not None
    assert all(name in diagnostic.help for name in ("gbnf", "xgrammar", "processor"))


def test_what_is_written_once_is_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms that overlap can need a large expression, whose equal parts are written once: that has its own limit."""
    policy = Policy(PolicyIR("terms", None, (), cover(HANGUL, ("漢江",))))
    count = 1 + 1 + 2 + 2  # the loop, the alternation, the row with its two characters, the class, as a tree
    monkeypatch.setattr(_lark, "MAX_UNSHARED_SIZE", count)
    grammar(policy)
    monkeypatch.setattr(_lark, "MAX_UNSHARED_SIZE", count - 1)
    with pytest.raises(LimitError, match=str(count - 1)):
        grammar(policy)


def test_groups_inside_one_another_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no printer and no engine runs out of stack."""
    policy = Policy(PolicyIR("deep", None, (), repetition(concat(literal("a"), repetition(literal("b"), 2, 3)))))
    monkeypatch.setattr(_lark, "MAX_EXPRESSION_DEPTH", 4)  # loop, row, loop, class
    grammar(policy)
    monkeypatch.setattr(_lark, "MAX_EXPRESSION_DEPTH", 3)
    with pytest.raises(LimitError, match="3"):
        grammar(policy)
