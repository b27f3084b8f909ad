"""What a phrase looks through: each character becomes the sequence of atoms that two spellings are compared by.

Invariant: `Folding.atoms` is a function of one scalar value alone, and applying it to an atom gives that atom, so
the atoms of a text are those of its characters in a row. Nothing is reordered: combining marks stay in the order
in which they were written.

The steps, in this order: drop Default_Ignorable_Code_Point, full case folding (not Turkish), the width forms of
NFKC, canonical or compatibility decomposition, prototypes of confusable characters, and White_Space. What a later step
brings to light is folded again, so that 𝐀 is `a` under case and compatibility. Source: Unicode 18.0, chapter 3.13
and UAX #15.

With prototypes this is the skeleton of UTS #39, section 4 (decompose canonically, map, decompose), taken of each
scalar value alone: nothing is reordered, and Default_Ignorable_Code_Point is dropped only if that is asked for. A
prototype that has prototypes in it is mapped again. One that is the character itself after the other steps is none:
Unicode has ꝺ look like Ꝺ, which is ꝺ under case. Where mapping has no end (`endless`), there are no atoms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property

from langc.compiler.limits import MAX_FOLDING_STEPS, MAX_PROTOTYPE_LENGTH
from langc.compiler.unicode import properties
from langc.compiler.unicode.confusables import Confusables
from langc.compiler.unicode.intervals import EMPTY_SET, IntervalSet, union
from langc.compiler.unicode.ranges import decode
from langc.compiler.unicode.ucd import UCD

Atoms = tuple[int, ...]

SPACE = 0x20
"""The atom of white space, where runs of it are one."""


class Space(Enum):
    """What becomes of White_Space."""

    EXACT = "exact"
    RUN = "run"
    """A run of any length is one blank."""
    ANY = "any"
    """A run is nothing: words may be written together or apart."""


class Decomposition(Enum):
    """Which decompositions are applied."""

    NONE = "none"
    CANONICAL = "canonical"
    COMPATIBILITY = "compatibility"


@dataclass(frozen=True)
class Folding:
    """Which differences do not count."""

    case: bool = False
    width: bool = False
    invisible: bool = False
    space: Space = Space.EXACT
    decomposition: Decomposition = Decomposition.NONE
    confusables: Confusables | None = None

    @property
    def decomposes(self) -> bool:
        """Whether canonical decomposition is one of the steps."""
        return self.decomposition is not Decomposition.NONE or self.confusables is not None

    @cached_property
    def endless(self) -> int | None:
        """A character whose prototype leads back to itself or grows without end; None if there is none."""
        sources = self.confusables.prototypes if self.confusables else ()
        return next((symbol for symbol in sources if not _ends(self, symbol)), None)

    def atoms(self, symbol: int) -> Atoms:
        """The atoms of a scalar value: none for what is dropped. White space in runs gives one `SPACE` each."""
        found = self._found.get(symbol)
        return _atoms(self, symbol, self._found) if found is None else found

    @cached_property
    def _found(self) -> dict[int, Atoms]:
        """What was asked for before. A dict of plain values for each folding: collections of garbage pass over it."""
        return _found_by(self)

    @cached_property
    def changed(self) -> IntervalSet:
        """A set that holds every scalar value whose atoms are not itself alone."""
        decomposed = self.decomposition
        steps = (
            (self.invisible, _ignorable()),
            (self.case, IntervalSet.of(*_case_folds())),
            (self.width, _decomposable("width")),
            (self.decomposes, _decomposable("canonical")),
            (decomposed is Decomposition.COMPATIBILITY, _decomposable("width") | _decomposable("compatibility")),
            (self.confusables is not None, self.confusables.sources if self.confusables else EMPTY_SET),
            (self.space is not Space.EXACT, white_space()),
        )
        return union(members for taken, members in steps if taken) or EMPTY_SET


COMPATIBLE = Folding(decomposition=Decomposition.COMPATIBILITY)


@cache
def white_space() -> IntervalSet:
    """White_Space."""
    return properties.lookup(None, "White_Space")


@cache
def _ignorable() -> IntervalSet:
    return properties.lookup(None, "Default_Ignorable_Code_Point")


@cache
def _case_folds() -> dict[int, Atoms]:
    from langc.compiler.unicode.tables.case_folding import FOLDS

    pairs = (word.partition("=") for word in FOLDS["full"].split())
    return {int(source, 16): tuple(int(t, 16) for t in target.split("+")) for source, _, target in pairs}


@cache
def _decomposable(kind: str) -> IntervalSet:
    from langc.compiler.unicode.tables.decomposition import RANGES

    return decode(RANGES[kind])


@cache
def _found_by(_folding: Folding) -> dict[int, Atoms]:
    """One for all equal foldings."""
    return {}


def _atoms(folding: Folding, symbol: int, found: dict[int, Atoms]) -> Atoms:
    once = _once(folding, symbol)
    is_done = once in ((symbol,), ())
    found[symbol] = once if is_done else tuple(atom for part in once for atom in folding.atoms(part))
    return found[symbol]


def _ends(folding: Folding, symbol: int) -> bool:
    """Whether step after step comes to texts that no step changes, soon and without growing much."""
    atoms: Atoms = (symbol,)
    for _ in range(MAX_FOLDING_STEPS):
        after = tuple(atom for part in atoms for atom in _once(folding, part))
        if after == atoms:
            return True
        if len(after) > MAX_PROTOTYPE_LENGTH:
            return False
        atoms = after
    return False


def _once(folding: Folding, symbol: int) -> Atoms:
    """The first step that changes the character."""
    if folding.invisible and symbol in _ignorable():
        return ()
    if folding.case and symbol in _case_folds():
        return _case_folds()[symbol]
    if _is_decomposed(folding, symbol):
        return _mapping(symbol)
    if folding.confusables and symbol in folding.confusables.prototypes:
        return _prototype(folding, folding.confusables, symbol)
    if folding.space is not Space.EXACT and symbol in white_space():
        return (SPACE,) if folding.space is Space.RUN else ()
    return (symbol,)


@cache
def _prototype(folding: Folding, table: Confusables, symbol: int) -> Atoms:
    """What a source is confused with; the source itself if the other steps lead back to it."""
    prototype = table.prototypes[symbol]
    form = folding.decomposition if folding.decomposition is not Decomposition.NONE else Decomposition.CANONICAL
    others = replace(folding, confusables=None, decomposition=form)
    return (symbol,) if tuple(a for part in prototype for a in others.atoms(part)) == (symbol,) else prototype


def _is_decomposed(folding: Folding, symbol: int) -> bool:
    wide = folding.width or folding.decomposition is Decomposition.COMPATIBILITY
    return (
        (wide and symbol in _decomposable("width"))
        or (folding.decomposes and symbol in _decomposable("canonical"))
        or (folding.decomposition is Decomposition.COMPATIBILITY and symbol in _decomposable("compatibility"))
    )


def _mapping(symbol: int) -> Atoms:
    """One level of the decomposition mapping, `<wide> 0041` without its tag."""
    words = UCD.decomposition(chr(symbol)).split()
    return tuple(int(w, 16) for w in words if w[0] != "<")
