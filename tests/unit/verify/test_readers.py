"""The readers see every fault: seeded ones in real artefacts, and notations whose meaning engines disagree on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.equivalence import only_in
from langc.compiler.errors import LimitError
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.unicode.intervals import IntervalSet
from langc.compiler.verify.readers.bnf import GBNF, XGRAMMAR, Dialect, is_negated_anywhere, read_grammar, read_rules
from langc.compiler.verify.readers.fsm import read_fsm
from langc.compiler.verify.readers.lark import read_lark
from langc.compiler.verify.readers.nodes import Chars, ReadError
from langc.compiler.verify.readers.regex import DIALECTS, read_regex
from tests.unit.targets.policies import policies
from tests.unit.targets.test_outlines import BYTES

READERS: dict[str, Callable[[str], Dfa]] = {
    "gbnf": lambda text: read_grammar(text, GBNF),
    "xgrammar": lambda text: read_grammar(text, XGRAMMAR),
    "llguidance": read_lark,
    "regex": lambda text: read_regex(text, "python"),
    "outlines": read_fsm,
}


def artefact(policy: Policy, target: str) -> str:
    """The text of the target's default dialect."""
    text = compile_policy(policy, target, BYTES).text
    assert text is not None
    return text


def first_difference(policy: Policy, target: str, text: str) -> tuple[int, ...] | None:
    """A shortest sequence on which the artefact and the policy disagree: code points, or bytes for automata."""
    right, read = policy.byte_dfa if target == "outlines" else policy.dfa, READERS[target](text)
    found = [w for w in (only_in(right, read), only_in(read, right)) if w is not None]
    return min(found, key=len, default=None)


@pytest.mark.parametrize(
    ("target", "name", "right", "wrong", "witness"),
    [
        # One bound of a range moved by one.
        ("gbnf", "hangul", r"\uD7A3", r"\uD7A2", "힣"),
        ("gbnf", "no-cjk", r"\u2E7F", r"\u2E80", "\u2e80"),
        ("xgrammar", "hangul", r"\uAC00", r"\uAC01", "가"),
        ("xgrammar", "to-the-end", r"\U0010FFFF", r"\U0010FFFE", "\U0010ffff"),
        ("regex", "hangul", r"\uD7A3", r"\uD7A4", "\ud7a4"),
        ("regex", "astral", r"\U0001F5FF", r"\U0001F600", "\U0001f600"),
        ("llguidance", "hangul", r"\x{D7A3}", r"\x{D7A4}", "\ud7a4"),
        ("llguidance", "exempt-think", r"\x{2E7F}", r"\x{2E80}", "\u2e80"),
        ("outlines", "ascii", "[32,95]", "[32,96]", "\x7f"),
        # A state, an alternative or an end dropped.
        ("gbnf", "begin-as-text", ' | "漢)" root', "", "한국(漢)"),
        ("gbnf", "terms", ' | ""', "", ""),
        ("xgrammar", "terms", '"漢江" root', '"漢" root', "漢"),
        ("xgrammar", "overlapping", '] root | "漢" state_3', "] root", "江漢江"),
        ("regex", "terms-alone", "no(?:thing)?", "nothing", "no"),
        ("regex", "not-empty", "+", "*", ""),
        ("regex", "bounded", "{2,12}", "{2,13}", "<" + "一" * 13 + ">"),
        ("llguidance", "terms-alone", "no(?:thing)?", "nothing", "no"),
        ("llguidance", "not-empty", "+", "*", ""),
        ("llguidance", "bounded", "{2,12}", "{2,13}", "<" + "一" * 13 + ">"),
        ("llguidance", "between", "2,40", "3,40", "()"),
        ("llguidance", "between", " & ", " | ", "aa"),
        ("outlines", "even", '"final": [0]', '"final": [1]', ""),
        ("outlines", "even", "[[0,0]]", "[]", "aa"),
    ],
)
def test_a_seeded_fault_is_found(target: str, name: str, right: str, wrong: str, witness: str) -> None:
    """A change to the text of an artefact comes out as the shortest text that it gets wrong."""
    policy = policies()[name]
    text = artefact(policy, target)
    expected = tuple(witness.encode()) if target == "outlines" else tuple(map(ord, witness))

    assert text.count(right) == 1
    assert first_difference(policy, target, text) is None
    assert first_difference(policy, target, text.replace(right, wrong)) == expected


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "[^]",
        "[b-a]",
        r"[\uD000-\uE000]",
        r"[\U00110000]",
        r"[\q]",
        r'"\q"',
        r'"\uD800"',
        '"a',
        '"a\tb"',
        "(a",
        "other",
        'root "a"',
        "()",
        '("a" |',
        '("a" | root) "b"',
        '"a"{3,2}',
        "(" * 200 + '"a"' + ")" * 200,
        "",
    ],
)
@pytest.mark.parametrize("dialect", [GBNF, XGRAMMAR], ids=["gbnf", "xgrammar"])
def test_grammars_that_are_not_sure_are_refused(body: str, dialect: Dialect) -> None:
    """What an engine refuses, or takes in its own way, is no grammar to the readers."""
    with pytest.raises(ReadError):
        read_grammar(f"root ::= {body}\n", dialect)


@pytest.mark.parametrize(
    ("text", "dialect", "message"),
    [
        ("root ::= a\na ::= [a]\na ::= [b]\n", GBNF, "a second rule a"),
        ("root ::= a\na ::= [a]\na ::= [b]\n", XGRAMMAR, "a second rule a"),
        ("root ::= a_b\na_b ::= [a]\n", GBNF, "names have no _ in this format"),
        ("root ::= [a]\na_b ::= [a]\n", GBNF, "names have no _ in this format"),
        ("root ::= a-b\na-b ::= [a]\n", XGRAMMAR, "names have no - in this format"),
        ('root ::= "a"{,3}\n', GBNF, "expected {m}, {m,} or {m,n} behind an item"),
        ("root ::= *\n", GBNF, "expected a text, a class, a group or a name"),
    ],
)
def test_what_is_wrong_with_a_grammar(text: str, dialect: Dialect, message: str) -> None:
    """The error says what was found, and not only what was expected."""
    with pytest.raises(ReadError) as caught:
        read_grammar(text, dialect)
    assert caught.value.message == message


def test_the_two_grammar_formats_differ() -> None:
    r"""llama.cpp knows no underscores in names and no bound above 2,000; xgrammar's `\x` has no fixed length."""
    for text, refused in [
        (r'root ::= "\x09e"' + "\n", XGRAMMAR),
        ("root ::= a_b\na_b ::= [a]\n", GBNF),
        ('root ::= "a"{2001}\n', GBNF),
        ("root ::= a-b\na-b ::= [a]\n", XGRAMMAR),
    ]:
        with pytest.raises(ReadError):
            read_grammar(text, refused)
    counted = read_grammar('root ::= "a"{3}\n', GBNF)

    assert [counted.accepts(map(ord, "a" * n)) for n in range(5)] == [False, False, False, True, False]


def permitted(dfa: Dfa, texts: list[str]) -> list[str]:
    """The texts that an automaton accepts."""
    return [t for t in texts if dfa.accepts(map(ord, t))]


def test_llama_cpp_grammars_by_hand() -> None:
    """Line ends inside parentheses, behind `|` and `::=`; comments; rules in any order; empty alternatives; `.`."""
    text = """
    # the JSON of small people
    list ::= "[" ws (   # opening
        item
        ("," ws item)*
    )? "]"
    root  ::= list |
      "none" tail
    item ::=
      [a-z_-] {2} | .  # two letters, or anything
    ws ::= | " " | "\\n" [ \\t] { 0 , 3 }
    tail ::= ("!" tail)?"""
    accepted = ["[]", "[ab]", "[ -_,\n\t\t\tx]", "[],]]", "none", "none!!", "[\U0010ffff]", "[\0]"]
    refused = ["", "[abc]", "[,]x", "[a,]b", "[a,\n    b]", "none!?", "]"]

    assert permitted(read_grammar(text, GBNF), accepted + refused) == accepted
    assert permitted(read_grammar(text.replace("\n", "\r\n"), GBNF), accepted + refused) == accepted


def test_xgrammar_grammars_by_hand() -> None:
    """A rule goes on over lines, until a name with `::=` begins one."""
    text = """# a comment
root ::= "a"  # and
  | word   # or
  (
    "," word
  ) {1, 2}
word
  ::= [^\\-,]+
"""
    accepted = ["a", "b,c", "bb,가,d"]
    refused = ["", "b", "b-,c", "b,c,d,e", "b,"]

    assert permitted(read_grammar(text, XGRAMMAR), accepted + refused) == accepted


@pytest.mark.parametrize("dialect", [GBNF, XGRAMMAR], ids=["gbnf", "xgrammar"])
@pytest.mark.parametrize(
    ("body", "members"),
    [
        ("[^a]", IntervalSet.of("a").complement()),
        (r"[^\u0000-\uD7FF]", IntervalSet(((0xE000, 0x10FFFF),))),
        (r"[^\uD800-\uFFFF]", IntervalSet(((0, 0xD7FF), (0x10000, 0x10FFFF)))),
        ("[a-]", IntervalSet.of("a-")),
        ("[-a]", IntervalSet.of("a-")),
    ],
)
def test_classes_hold_scalar_values(body: str, members: IntervalSet, dialect: Dialect) -> None:
    """A negated class is every other scalar value; a hyphen at either end is one."""
    rules = read_rules(f"root ::= {body}\n", dialect)

    assert rules == {"root": Chars(members)}
    assert is_negated_anywhere(rules) == body.startswith("[^")


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ('root ::= "a"\nroot ::= "b"\n', 13),
        ('root ::= ("a" | other) "b"\n', 16),
        ('root ::= "a" root "b"\n', 13),
        (r'root ::= "a\q"' + "\n", 12),
        ('root ::= "a" [z-a]\n', 13),
        ('root ::= "a"{3,2}\n', 12),
        (r'root ::= "\uD800"' + "\n", 12),
        ('root ::= "a" )\n', 13),
        ('root ::= "a"\n# \0', 15),
        ('root ::= "a"\nother ::= third\n', 23),
    ],
)
def test_an_error_has_its_place(text: str, offset: int) -> None:
    """The offset is where a person would look."""
    with pytest.raises(ReadError) as caught:
        read_grammar(text, GBNF)

    assert caught.value.offset == offset


@pytest.mark.slow
def test_reading_costs_a_bounded_time() -> None:
    """Rules that double at every step, repetitions of repetitions, and long comments end in a limit, not in waiting."""
    doubling = "root ::= r0\n" + "".join(f"r{n} ::= r{n + 1} | r{n + 1}\n" for n in range(60)) + 'r60 ::= "a"\n'
    middle = doubling.replace("root ::= r0", 'root ::= r0 "b"')
    for text in (middle, 'root ::= ((("a"{2000}){2000}){2000}){2000} "b"\n'):
        with pytest.raises(LimitError):
            read_grammar(text, GBNF)
    with pytest.raises(ReadError):
        read_grammar("root ::= a " + "#" * 100_000, XGRAMMAR)

    assert read_grammar(doubling, GBNF) == read_grammar('root ::= "a"\n', GBNF)


def test_two_rules_of_one_name_are_refused() -> None:
    """llama.cpp would take the last one without a word."""
    with pytest.raises(ReadError):
        read_grammar('root ::= "a"\nroot ::= "b"\n', GBNF)


def test_a_grammar_by_hand() -> None:
    """Groups, options, repetition, references in the middle and at the end, comments and blank lines."""
    text = '# a comment\n\nroot ::= word (", " word)* "!"? | "-" root\nword ::= [a-c\\u005D]+ {0} | "\\uAC00\\t"\n'
    dfa = read_grammar(text.replace(" {0}", ""), XGRAMMAR)
    accepted = ["a", "abc]", "a, b", "가\t", "--a!", "a, 가\t, c!"]
    refused = ["", "a,b", "a!!", "-", "가", "a-b", "d"]

    assert [dfa.accepts(map(ord, t)) for t in accepted] == [True] * len(accepted)
    assert [dfa.accepts(map(ord, t)) for t in refused] == [False] * len(refused)


@pytest.mark.parametrize(
    "text",
    [
        *("[]", "[^]", "[z-a]", "[a", "[[]", "[a-]", "[-a]", r"[\uD000-\uE000]", "[a&&b]"),
        *("a**", "a+?", "(?<a>b)", "(?=a)", "(?i:a)", "(?:a", "a)", "]", "{", "(?:" * 200 + ")" * 200),
        *("^a", "a$", r"\d", r"\b", "\n", "\u202e"),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_expressions_that_are_not_sure_are_refused(text: str, dialect: str) -> None:
    """Signs that some engine reads as an operator, anchors, classes of its own, and what Unicode changes."""
    with pytest.raises(ReadError):
        read_regex(text, dialect)


@pytest.mark.parametrize(
    ("escape", "known"),
    [
        (r"\x41", {"python", "rust", "pcre2", "ecmascript"}),
        (r"\u0041", {"python", "rust", "ecmascript"}),
        (r"\U00000041", {"python", "rust"}),
        (r"\x{41}", {"rust", "pcre2"}),
        (r"\u{41}", {"rust", "ecmascript"}),
        (r"\/", {"ecmascript"}),
    ],
)
def test_each_dialect_has_its_own_escapes(escape: str, known: set[str]) -> None:
    """An escape is read in the dialects that have it and refused in the others."""
    letter = IntervalSet.of("/" if escape == r"\/" else "A")
    read = {d for d in DIALECTS if _reads(escape, d, letter)}

    assert read == known


def _reads(escape: str, dialect: str, letter: IntervalSet) -> bool:
    try:
        dfa = read_regex(escape, dialect)
    except ReadError:
        return False
    return dfa.accepts((letter.first(),))
