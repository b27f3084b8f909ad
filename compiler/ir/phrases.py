"""Phrases: what counts as an occurrence of one in a text.

A phrase occurs where some substring, beginning and ending between scalar values, has the phrase's own atoms
(`unicode/folding.py`), and its neighbours are no characters of `left_bars` and `right_bars`. The start and the end
of the text are always a boundary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache, cached_property

from langc.compiler.unicode import properties
from langc.compiler.unicode.folding import SPACE, Atoms, Decomposition, Folding, Space
from langc.compiler.unicode.intervals import EMPTY_SET, IntervalSet, union
from langc.compiler.unicode.ucd import UCD


class Side(Enum):
    """What may not stand directly beside an occurrence."""

    OPEN = "none"
    """Anything may."""
    WORD = "word"
    """No Alphabetic, Mark, Number or `_`."""
    SCRIPT = "script"
    """No letter of the script of the phrase's letter on that side."""


@dataclass(frozen=True)
class Phrase:
    """A phrase and what is looked through. `early` drops the right boundary."""

    text: str
    folding: Folding = field(default_factory=Folding)
    left: Side = Side.OPEN
    right: Side = Side.OPEN
    early: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """What phrases are sorted by, and the dump shows: the text, then everything else by name."""
        folding = self.folding
        flags = {"case": folding.case, "width": folding.width, "invisible": folding.invisible, "early": self.early}
        words = [name for name, is_set in flags.items() if is_set]
        words += [f"confusables={folding.confusables.digest}"] if folding.confusables else []
        kinds = (folding.space, folding.decomposition, self.left, self.right)
        return (self.text, *words, *(kind.value for kind in kinds))

    @cached_property
    def atoms(self) -> Atoms:
        """The atoms of the phrase; empty if everything in it is dropped."""
        return atoms_of(self.text, self.folding)

    @cached_property
    def left_bars(self) -> IntervalSet:
        """The characters that may not stand directly before an occurrence."""
        return _bars(self.left, self.text)

    @cached_property
    def right_bars(self) -> IntervalSet:
        """The characters that may not stand directly behind one; under decomposition also those that would compose."""
        beside = EMPTY_SET if self.early else _bars(self.right, self.text[::-1])
        if not self.folding.decomposes or not self.atoms:
            return beside
        letters = atoms_of(self.text, replace(self.folding, decomposition=self._form, confusables=None))
        return beside | (_composing(letters[-1]) if letters else EMPTY_SET)

    @property
    def _form(self) -> Decomposition:
        canonical = self.folding.decomposition is Decomposition.NONE
        return Decomposition.CANONICAL if canonical else self.folding.decomposition


def atoms_of(text: str, folding: Folding) -> Atoms:
    """The atoms of a text, runs of white space taken together where the folding says so."""
    atoms: list[int] = []
    for character in text:
        for atom in folding.atoms(ord(character)):
            if not (folding.space is Space.RUN and atom == SPACE and atoms[-1:] == [SPACE]):
                atoms.append(atom)
    return tuple(atoms)


def _bars(side: Side, text: Iterable[str]) -> IntervalSet:
    if side is Side.OPEN:
        return EMPTY_SET
    return word_characters() if side is Side.WORD else _letters_like(text)


@cache
def word_characters() -> IntervalSet:
    """Alphabetic, Mark, Number and `_`."""
    return union((*(properties.lookup(None, v) for v in ("Alphabetic", "M", "N")), IntervalSet.of("_")))


def _letters_like(text: Iterable[str]) -> IntervalSet:
    """The letters of the script of the first character that belongs to one script."""
    scripts = (properties.script_of(ord(c)) for c in text)
    script = next((s for s in scripts if s not in ("Common", "Inherited", "Unknown")), None)
    return EMPTY_SET if script is None else _letters_of(script)


@cache
def _letters_of(script: str) -> IntervalSet:
    return properties.lookup("Script", script) & properties.lookup(None, "L")


def _composing(atom: int) -> IntervalSet:
    """What behind an atom would become one character with it: marks, and the next jamo of a syllable."""
    jamo = next((members for test, members in _JAMO if test(atom)), EMPTY_SET)
    return _combining() | jamo


_JAMO: tuple[tuple[Callable[[int], bool], IntervalSet], ...] = (
    (lambda atom: 0x1100 <= atom <= 0x1112, IntervalSet.of((0x1161, 0x1175))),
    (lambda atom: 0x1161 <= atom <= 0x1175, IntervalSet.of((0x11A8, 0x11C2))),
)


@cache
def _combining() -> IntervalSet:
    """Canonical_Combining_Class other than 0."""
    return IntervalSet.of(*(c for c in properties.lookup(None, "M") if UCD.combining(chr(c))))
