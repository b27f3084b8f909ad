"""Policies made by hand for the text targets: small languages, each with something that a printer may get wrong."""

from __future__ import annotations

from functools import cache

from langc.compiler.ir.language import (
    ANY_TEXT,
    Language,
    Pattern,
    class_,
    concat,
    cover,
    intersection,
    literal,
    repetition,
)
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.policy import Policy
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.compiler.unicode.properties import script

HANGUL = IntervalSet(((0xAC00, 0xD7A3),))
ASCII = IntervalSet(((0x20, 0x7E),))
NO_CJK = SCALARS - (script("Han") | script("Hiragana") | script("Katakana"))
META = IntervalSet.of(r"""^$\.*+?()[]{}|/-"'&~#<>!:= """)

SINGLE = {
    "bracket": "]",
    "backslash": "\\",
    "caret": "^",
    "hyphen": "-",
    "quote": '"',
    "slash": "/",
    "newline": "\n",
    "nul": "\0",
    "del": "\x7f",
    "next-line": "\x85",
    "line-separator": "\u2028",
    "right-to-left": "\u202e",
    "before-surrogates": "\ud7ff",
    "behind-surrogates": "\ue000",
    "last": "\U0010ffff",
}
SETS = {
    "hangul": HANGUL,
    "ascii": ASCII,
    "everything": SCALARS,
    "no-cjk": NO_CJK,
    "signs": META,
    "signs-and-neighbours": IntervalSet.of("+,-./", "Z[\\]^_", "'\"#"),
    "all-but-signs": SCALARS - META,
    "astral": IntervalSet(((0x10000, 0x1F5FF), (0x1F64F, 0x1F64F), (0x20000, 0x20001))),
    "around-surrogates": IntervalSet(((0xD7A4, 0xD7FF), (0xE000, 0xE001))),
    "to-the-end": IntervalSet(((0xFFFE, 0x10FFFF),)),
    "ends-of-utf8-lengths": IntervalSet(((0x7F, 0x80), (0x7FF, 0x800), (0xFFFF, 0x10000))),
    "controls": IntervalSet(((0, 0x1F), (0x7F, 0x9F))),
    "escapes-before-digits": IntervalSet.of("\t9", "-012", "\\]^abc", "\x7f\x80"),
    "every-other": IntervalSet(tuple((n, n) for n in range(0x21, 0x7F, 2))),
}
TERMS: dict[str, tuple[IntervalSet, tuple[str, ...]]] = {
    "terms": (NO_CJK, ("大韓民國", "漢江")),
    "one-begins-another": (NO_CJK, ("大韓", "大韓民國", "大")),
    "overlapping": (HANGUL, ("漢江", "江漢", "江水")),
    "overlapping-itself": (HANGUL, ("大大", "ababa")),
    "two-ways-to-read": (HANGUL, ("한漢", "漢한")),
    "begin-as-text": (NO_CJK, ("한국(韓國)", "한국(漢)", "국(國)")),
    "glossary": (NO_CJK, tuple(f"{chr(0xAC00 + n)}{chr(0xB000 - n)}({chr(0x4E00 + n % 7)})" for n in range(40))),
    "signs-in-terms": (HANGUL, ('a"b\\c', "[x]^-y", "(?:z)*", "{0}|.+", "#$ /")),
    "invisible-in-terms": (ASCII, ("a\u200db", "\u202ec", "d\n\r\te", "\U0001f1f0\U0001f1f7")),
    "digits-in-terms": (HANGUL, ("\te9", "\0" + "0", "\x85f", "]d-0^a")),
    "terms-alone": (IntervalSet(), ("yes", "no", "nothing")),
    "terms-of-one-character": (HANGUL, ("漢", "江")),
    "astral-terms": (IntervalSet.of("a"), ("𠀀𠀁", "𠀀𠀂")),
}
PATTERNS: dict[str, tuple[IntervalSet, tuple[str, ...], tuple[Pattern, ...]]] = {
    "patterns": (ASCII, ("漢江",), ((HANGUL, IntervalSet.of("漢江")), (IntervalSet.of("漢"), HANGUL, ASCII))),
    "joiners": (ASCII, (), ((IntervalSet.of((0x1F468, 0x1F469)), IntervalSet.of(0x200D), IntervalSet.of("❤👧")),)),
}
EXEMPT = {"exempt-think": ("think",), "exempt-code": ("code",), "exempt-both": ("code", "think")}
TOO_LARGE_FOR_REGEX = frozenset({"exempt-code", "exempt-both"})


def _other() -> dict[str, Language]:
    """Languages that are no cover: without the empty text, without a character of their own, bounded."""
    a, b, han = (class_(s) for s in (IntervalSet.of("a"), IntervalSet.of("ab"), IntervalSet(((0x4E00, 0x9FFF),))))
    return {
        "not-empty": repetition(b, 1),
        "bounded": concat(literal("<"), repetition(han, 2, 12), literal(">")),
        "even": repetition(concat(b, b)),
        "two-letters-back": concat(repetition(b), a, b),
        "between": intersection(concat(literal("("), ANY_TEXT, literal(")")), repetition(class_(ASCII), 2, 40)),
    }


@cache
def policies() -> dict[str, Policy]:
    """All of them by name."""
    languages = {
        **{name: cover(IntervalSet.of(text)) for name, text in SINGLE.items()},
        **{name: cover(members) for name, members in SETS.items()},
        **{name: cover(base, terms) for name, (base, terms) in TERMS.items()},
        **{name: cover(base, terms, patterns) for name, (base, terms, patterns) in PATTERNS.items()},
        **_other(),
    }
    made = {name: Policy(PolicyIR(name, None, (), language)) for name, language in languages.items()}
    for name, exempt in EXEMPT.items():
        made[name] = Policy(PolicyIR(name, None, (), cover(NO_CJK), exempt=exempt))
    return made


def names() -> list[str]:
    """For `parametrize`."""
    found = sorted(policies())
    assert len(found) >= 40
    return found
