"""The ready policies defined a second time, as the referee of the files.

It shares nothing with the parser and the property tables: scripts are data of the regex package (its Emoji is what the
compiler's table was made from), repertoires are asked of Python's codecs, emoji sequences of the emoji package.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import emoji
import regex

from langc.compiler.ir.language import Cover
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

FOLDER = Path(__file__).resolve().parents[2] / "grammars"
EVERY = "".join(map(chr, SCALARS))

SHARED = r"\p{scx=Zyyy}\p{scx=Zinh}\p{Emoji}μΩ"
EAST = r"\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Hang}"
KANA = r"\p{sc=Hira}\p{sc=Kana}"
VIETNAMESE = (
    "A-Za-zÀÁÂÃÈÉÊÌÍÒÓÔÕÙÚÝàáâãèéêìíòóôõùúýĂăĐđĨĩŨũƠơƯưẠ-ỹ"
    r"\u0300\u0301\u0302\u0303\u0306\u0309\u031b\u0323"
)


def only(*scripts: str) -> str:
    """A denied character of an allow list: none of the scripts has it, and not all scripts have."""
    listed = "".join(rf"\p{{scx={s}}}" for s in scripts)
    return f"[^{listed}{SHARED}]"


DENIED = {
    "ar": rf"[{EAST}\p{{sc=Cyrl}}\p{{sc=Hebr}}\p{{sc=Deva}}\p{{sc=Thai}}]",
    "ar-strict": only("Arab", "Latn"),
    "el": only("Grek", "Latn"),
    "en": only("Latn"),
    "fa": rf"[{EAST}\p{{sc=Cyrl}}\p{{sc=Hebr}}\p{{sc=Deva}}\p{{sc=Thai}}\u200c]",
    "fa-strict": rf"\u200c|{only('Arab', 'Latn')}",
    "he": rf"[{EAST}\p{{sc=Cyrl}}\p{{sc=Arab}}\p{{sc=Deva}}\p{{sc=Thai}}]",
    "he-strict": only("Hebr", "Latn"),
    "hi": rf"[{EAST}\p{{sc=Cyrl}}\p{{sc=Arab}}\p{{sc=Hebr}}\p{{sc=Thai}}"
    r"\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Taml}\p{sc=Telu}\u200c\u200d]",
    "hi-strict": rf"[\u200c\u200d]|{only('Deva', 'Latn')}",
    "ja": r"[\p{sc=Hang}\p{sc=Bopo}]",
    "ja-strict": only("Hani", "Hira", "Kana", "Latn"),
    "ko": rf"[\p{{sc=Hani}}{KANA}]",
    "ko-strict": only("Hang", "Latn"),
    "latin": r"[^\p{scx=Latn}\p{sc=Zyyy}\p{sc=Zinh}μΩ]",
    "no-invisible": r"[\p{DI}\p{Bidi_C}\p{Cc}\ufff9-\ufffb--[\t\n\r]]",
    "ru": only("Cyrl", "Latn"),
    "th": rf"[{EAST}\p{{sc=Cyrl}}\p{{sc=Arab}}\p{{sc=Hebr}}\p{{sc=Deva}}\p{{sc=Laoo}}\p{{sc=Khmr}}\p{{sc=Mymr}}]",
    "th-strict": only("Thai", "Latn"),
    "uk": rf"[ЁЪЫЭёъыэ]|{only('Cyrl', 'Latn')}",
    "vi": rf"[{EAST}\p{{sc=Cyrl}}\p{{sc=Arab}}\p{{sc=Hebr}}\p{{sc=Deva}}\p{{sc=Thai}}\p{{sc=Laoo}}\p{{sc=Khmr}}]",
    "vi-strict": rf"[^{VIETNAMESE}[\p{{scx=Latn}}&&\p{{sc=Zyyy}}]{SHARED}]",
    "zh-Hans": rf"[\p{{sc=Hang}}{KANA}]",
    "zh-Hans-strict": only("Hani", "Bopo", "Latn"),
    "zh-Hant": rf"[\p{{sc=Hang}}{KANA}]",
    "zh-Hant-strict": only("Hani", "Bopo", "Latn"),
}
"""A character that each policy denies, as a regular expression; of Han characters see `HAN`."""


def has(encoding: str, character: str) -> bool:
    """Whether Python's codec encodes the character."""
    return bool(character.encode(encoding, "ignore"))


def japanese(character: str) -> bool:
    """JIS X 0213 or Windows has it."""
    return has("shift_jis_2004", character) or has("cp932", character)


def simplified(character: str) -> bool:
    """GB 2312 has it, or it is the zero of dates."""
    return has("gb2312", character) or character == "〇"


def traditional(character: str) -> bool:
    """Big5 with Windows' additions has it, or Hong Kong writes it so."""
    return has("cp950", character) or character in "〇着敍温衞"


HAN: dict[str, Callable[[str], bool]] = {
    "ja": japanese,
    "ja-strict": japanese,
    "zh-Hans": lambda c: simplified(c) or not (has("big5", c) or has("shift_jis_2004", c)),
    "zh-Hans-strict": simplified,
    "zh-Hant": lambda c: traditional(c) or not (has("gb2312", c) or has("shift_jis_2004", c)),
    "zh-Hant-strict": traditional,
}
"""Which Han characters stay, in policies that go by repertoire."""

ARABIC, MARKS = r"[\p{scx=Arab}&&[\p{L}\p{M}]]", r"\p{L}\p{M}"
DEVANAGARI = r"[\p{scx=Deva}&&[\p{L}\p{M}]]"
INDIC = (
    r"[[\p{Deva}\p{Beng}\p{Guru}\p{Gujr}\p{Orya}\p{Taml}\p{Telu}\p{Knda}\p{Mlym}\p{Sinh}\p{Khmr}\p{Mymr}\p{Tibt}]"
    rf"&&[{MARKS}]--\p{{DI}}]"
)
JOINERS = r"[\u200c\u200d]"
PICTURE = r"\p{Extended_Pictographic}"

PATTERNS: dict[str, list[tuple[str, ...]]] = {
    "fa": [
        (
            rf"[[{MARKS}\p{{Nd}}\p{{Pe}}\p{{Pf}}]--[{EAST}\p{{sc=Cyrl}}\p{{sc=Hebr}}\p{{sc=Deva}}\p{{sc=Thai}}]]",
            r"\u200c",
            ARABIC,
        )
    ],
    "fa-strict": [(rf"[[\p{{scx=Arab}}\p{{scx=Latn}}0-9]&&[{MARKS}\p{{Nd}}]]|[\p{{Pe}}\p{{Pf}}]", r"\u200c", ARABIC)],
    "hi": [
        (DEVANAGARI, JOINERS, DEVANAGARI),
        (r"\u094d", JOINERS),
        (rf"[{PICTURE}\p{{EMod}}\ufe0f]", r"\u200d", PICTURE),
    ],
    "no-invisible": [
        (r"\p{Emoji}", r"\ufe0e"),
        (INDIC, JOINERS, INDIC),
        (r"[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]", JOINERS),
        (rf"[[{MARKS}\p{{Nd}}\p{{Pe}}\p{{Pf}}]--\p{{DI}}]", r"\u200c", ARABIC),
        (r"[\p{Mong}&&\p{L}]", r"[\u180b-\u180f]"),
    ],
}
"""The sequences that are permitted whole, as an expression for each character."""
PATTERNS["hi-strict"] = PATTERNS["hi"]


@cache
def found(pattern: str) -> IntervalSet:
    """The scalar values that a pattern matches, each by itself."""
    return IntervalSet(tuple((m.start(), m.end() - 1) for m in _stretches(pattern)))


def _stretches(pattern: str) -> list[regex.Match[str]]:
    """The matches over all code points, surrogates among them so that the offset is the code point."""
    matches = regex.finditer(f"(?:{pattern})+", "".join(map(chr, range(0x110000))), regex.V1)
    return [m for m in matches if not 0xD800 <= m.start() <= m.end() - 1 <= 0xDFFF]


@cache
def rgi_emoji() -> tuple[str, ...]:
    """The emoji sequences of the emoji package, components included."""
    kept = (emoji.STATUS["fully_qualified"], emoji.STATUS["component"])
    return tuple(text for text, data in emoji.EMOJI_DATA.items() if data["status"] in kept)


@cache
def language(name: str) -> Cover:
    """What the policy means, made from the tables of this module."""
    base = (SCALARS - found(DENIED[name])) & SCALARS
    if name in HAN:
        han = found(r"\p{sc=Hani}")
        kept = IntervalSet.of(*(c for c in han if HAN[name](chr(c))))
        base = (base - han) | kept
    terms: tuple[str, ...] = ()
    if name == "no-invisible":
        base |= IntervalSet.of(*(t for t in rgi_emoji() if len(t) == 1))
        terms = (*(t for t in rgi_emoji() if len(t) > 1), "ه\u200d")
    patterns = tuple(tuple(found(p) & SCALARS for p in sequence) for sequence in PATTERNS.get(name, []))
    return Cover(base, tuple(sorted(terms)), patterns)
