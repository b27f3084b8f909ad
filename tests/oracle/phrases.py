"""Phrases by definition: every substring of the text is folded and compared with the folded phrase.

Shares no code with the compiler. Unicode comes from `unicodedata2` and the regex package, case folding from
`str.casefold`, so it is right for the characters that this Python knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import regex
import unicodedata2

_IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")
_WHITE_SPACE = regex.compile(r"\p{White_Space}+")
_WORD = regex.compile(r"[\p{Alphabetic}\p{M}\p{N}_]")
_NO_SCRIPT = regex.compile(r"[\p{Script=Common}\p{Script=Inherited}\p{Script=Unknown}]")
CONFUSABLES = Path(__file__).with_name("confusables.txt")
"""An excerpt of the data file of UTS #39: what the option `confusables` of a `Wanted` names."""
_PAIR = regex.compile(r"([0-9A-F]+) ;\t([0-9A-F ]+) ;\tMA\t")
_FORMS = {"nfc": "NFD", "nfd": "NFD", "nfkc": "NFKD", "nfkd": "NFKD"}


@dataclass(frozen=True)
class Wanted:
    """A phrase or a permitted term with its options, as one would write them."""

    text: str
    case: bool = False
    width: bool = False
    invisible: bool = False
    space: str = ""
    """`run` (`ignore space`), `any` (`space any`) or nothing."""
    normalization: str = ""
    left: str = ""
    """`word`, `script` or nothing."""
    right: str = ""
    early: bool = False
    confusables: bool = False

    @property
    def options(self) -> str:
        """The options in the policy language, with their braces."""
        ignored = {"case": self.case, "width": self.width, "space": self.space == "run", "invisible": self.invisible}
        lines = [f"ignore {name}" for name, is_ignored in ignored.items() if is_ignored]
        lines += ["space any"] if self.space == "any" else []
        lines += [f"normalization {self.normalization}"] if self.normalization else []
        lines += [f"boundary {n} {v}" for n, v in (("left", self.left), ("right", self.right)) if v]
        lines += ["early"] if self.early else []
        lines += [f'confusables "{CONFUSABLES.name}"'] if self.confusables else []
        return "{ " + " ".join(f"{line};" for line in lines) + " }"


@cache
def folded(text: str, wanted: Wanted) -> str:
    """N(text): what is left of a text when everything that does not count is taken away."""
    whole = "".join(_fold_character(c, wanted) for c in text)
    if not wanted.space:
        return whole
    return str(_WHITE_SPACE.sub(" " if wanted.space == "run" else "", whole))


@cache
def _fold_character(character: str, wanted: Wanted) -> str:
    """The steps in their order, again and again until nothing changes."""
    before, after = "", character
    while before != after:
        before, after = after, "".join(_fold_once(c, wanted) for c in after)
    return after


def _fold_once(text: str, wanted: Wanted) -> str:
    if wanted.invisible:
        text = _IGNORABLE.sub("", text)
    if wanted.case:
        text = text.casefold()
    if wanted.width:
        text = "".join(map(_narrow, text))
    if wanted.normalization:
        text = "".join(unicodedata2.normalize(_FORMS[wanted.normalization], c) for c in text)
    if wanted.confusables:
        decomposed = (d for c in text for d in unicodedata2.normalize("NFD", c))
        text = "".join(_prototype(c, wanted) for c in decomposed)
    return text


@cache
def _prototypes() -> dict[str, str]:
    pairs = (_PAIR.match(line) for line in CONFUSABLES.read_text("utf-8-sig").splitlines())
    return {chr(int(p[1], 16)): "".join(chr(int(t, 16)) for t in p[2].split()) for p in pairs if p}


@cache
def _prototype(character: str, wanted: Wanted) -> str:
    """What a character looks like, unless everything else that is folded makes that the character again."""
    prototype = _prototypes().get(character, character)
    return character if folded(prototype, _unmapped(wanted)) == character else prototype


def _unmapped(wanted: Wanted) -> Wanted:
    """The same without prototypes, of which canonical decomposition is a part."""
    return replace(wanted, confusables=False, space="", normalization=wanted.normalization or "nfd")


def _narrow(character: str) -> str:
    """The NFKC form of a full-width or half-width character."""
    is_form = unicodedata2.decomposition(character).startswith(("<wide>", "<narrow>"))
    return unicodedata2.normalize("NFKC", character) if is_form else character


def occurrences(wanted: Wanted, text: str) -> Iterator[tuple[int, int]]:
    """The start and end of every occurrence. The start and the end of the text are boundaries."""
    target = folded(wanted.text, wanted)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            if folded(text[start:end], wanted) == target and _stands_free(wanted, text, start, end):
                yield start, end


def occurs(wanted: Wanted, text: str) -> bool:
    """Whether there is an occurrence."""
    return any(True for _ in occurrences(wanted, text))


def is_fixed(wanted: Wanted, text: str) -> bool:
    """Whether there is an occurrence that nothing written behind the text can undo."""
    found = occurrences(wanted, text)
    return any(end < len(text) or not can_be_barred(wanted) for _, end in found)


def can_be_barred(wanted: Wanted) -> bool:
    """Whether some character behind an occurrence makes it none."""
    return _decomposes(wanted) or (bool(wanted.right) and not wanted.early)


def _decomposes(wanted: Wanted) -> bool:
    return bool(wanted.normalization) or wanted.confusables


def _stands_free(wanted: Wanted, text: str, start: int, end: int) -> bool:
    if start and bars(wanted.left, wanted.text, text[start - 1]):
        return False
    if end == len(text):
        return True
    if not wanted.early and bars(wanted.right, wanted.text[::-1], text[end]):
        return False
    return not (_decomposes(wanted) and _composes(_last_letter(wanted), text[end]))


def _last_letter(wanted: Wanted) -> str:
    """The last character of the phrase, folded but for what it looks like."""
    letters = wanted if not wanted.confusables else replace(_unmapped(wanted), space=wanted.space)
    return folded(wanted.text, letters)[-1:]


@cache
def bars(side: str, phrase: str, neighbour: str) -> bool:
    """Whether a neighbour is no boundary. `phrase` is read from that side on."""
    if side == "word":
        return bool(_WORD.match(neighbour))
    letter = next((c for c in phrase if not _NO_SCRIPT.match(c)), None)
    if side != "script" or letter is None or not unicodedata2.category(neighbour).startswith("L"):
        return False
    return _script(letter) == _script(neighbour)


@cache
def _script(character: str) -> str:
    names = ("Latin", "Hangul", "Han", "Hiragana", "Katakana", "Cyrillic", "Greek", "Arabic", "Thai", "Devanagari")
    return next((n for n in names if regex.match(rf"\p{{Script={n}}}", character)), "another")


def kind(character: str) -> tuple[str, bool, str]:
    """What boundaries can tell of a character; outside the Basic Multilingual Plane not the script."""
    script = _script(character) if character <= "\uffff" else ""
    return unicodedata2.category(character), unicodedata2.combining(character) > 0, script


def _composes(last: str, following: str) -> bool:
    """A combining mark, or a jamo that goes into one syllable with `last`."""
    if unicodedata2.combining(following):
        return True
    is_jamo = last != "" and "\u1100" <= following <= "\u11ff"
    return is_jamo and any(len(unicodedata2.normalize("NFC", s + following)) == 1 for s in (last, "\u1100" + last))
