"""Which code points a set of tokens can spell, for all of them at once.

A code point can be spelled *alone* if its encoding is a row of tokens, and *anywhere* if some row of tokens holds
its encoding in its bytes: there the first token may bring bytes before it and the last one bytes behind. The first is
what a user sees of one character; the second is what "leak-free" forbids, and what decides if a character is lost for
good (a vocabulary may have ` ✅` in two pieces and no piece that begins with ✅).

Only pieces of an encoding matter: the one that opens it, those wholly inside, and the one that closes it. An encoding
has at most four bytes, so the recurrence "the first j bytes can be spelled if the first i can and the rest is a
piece" has six steps, and each is one array operation over all code points of a kind (`code_points.Cells`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.characters.beginnings import Beginnings
from langc.compiler.tokens.characters.code_points import CODE_POINTS, Cells, Flags
from langc.compiler.tokens.characters.token_text import TokenText


@dataclass(frozen=True)
class Rests:
    """A set of strings of one to three continuation bytes: bool [64], [64, 64], [64, 64, 64]."""

    one: Flags
    two: Flags
    three: Flags

    @classmethod
    def empty(cls) -> Rests:
        """No rests; `add` fills it."""
        return cls(*(np.zeros((64,) * length, dtype=np.bool_) for length in (1, 2, 3)))

    def add(self, rows: npt.NDArray[np.uint8]) -> None:
        """Put in the rows of uint8 [m, 1..3] that are continuation bytes; the others are passed over."""
        inside = rows[((rows & 0xC0) == 0x80).all(axis=1)] & 0x3F
        (self.one, self.two, self.three)[rows.shape[1] - 1][tuple(inside.T)] = True

    def joined(self) -> Rests:
        """The strings that are rows of these."""
        two = self.two | self.one[:, None] & self.one
        three = self.three | self.two[:, :, None] & self.one | self.one[:, None, None] & two
        return Rests(self.one, two, three)


@dataclass(frozen=True)
class Pieces:
    """What tokens offer to the spelling of one character."""

    whole: Flags
    """The code points that need no joining, bool [0x110000]."""
    opening: Beginnings
    inside: Rests
    closing: Rests

    @classmethod
    def alone(cls, text: TokenText, allowed: Flags) -> Pieces:
        """The allowed tokens (bool [n]) that are characters, or pieces of one and nothing else."""
        opening, inside = Beginnings.empty(), Rests.empty()
        for length in (1, 2, 3):
            rows = text.first(np.flatnonzero(allowed & (text.lengths == length)), length)
            opening.add(rows)
            inside.add(rows)
        return cls(characters_in(text, allowed & text.single), opening, inside, inside)

    @classmethod
    def anywhere(cls, text: TokenText, allowed: Flags) -> Pieces:
        """What allowed tokens hold, end in, and begin with."""
        opening, inside, closing = Beginnings.empty(), Rests.empty(), Rests.empty()
        for length in (1, 2, 3):
            long_enough = np.flatnonzero(allowed & (text.lengths >= length))
            opening.add(text.last(long_enough, length))
            closing.add(text.first(long_enough, length))
            inside.add(text.first(np.flatnonzero(allowed & (text.lengths == length)), length))
        return cls(characters_in(text, allowed), opening, inside, closing)

    def spell(self) -> Flags:
        """The code points that the pieces can be joined to, bool [0x110000]."""
        opening, m, last = self.opening, self.inside, self.closing
        two = opening.two_one[:, None] & last.one
        opened = opening.three_two | opening.three_one[:, None] & m.one
        three = opened[:, :, None] & last.one | opening.three_one[:, None, None] & last.two
        opened = opening.four_two | opening.four_one[:, None] & m.one
        nearly = opening.four_three | opened[:, :, None] & m.one | opening.four_one[:, None, None] & m.two
        four = nearly[..., None] & last.one
        four |= opened[:, :, None, None] & last.two
        four |= opening.four_one[:, None, None, None] & last.three
        return self.whole | Cells(two, three, four).flags()


def spelled_alone(text: TokenText, allowed: Flags) -> Flags:
    """The code points whose encoding is a row of allowed tokens; special tokens between them count as nothing."""
    return Pieces.alone(text, allowed).spell()


def held_anywhere(text: TokenText, allowed: Flags) -> Flags:
    """The code points whose encoding some row of allowed tokens holds in its bytes, well-formed around it or not."""
    return Pieces.anywhere(text, allowed).spell()


def characters_in(text: TokenText, tokens: Flags) -> Flags:
    """The code points that some of the tokens (bool [n]) hold whole."""
    flags = np.zeros(CODE_POINTS, dtype=np.bool_)
    flags[text.characters.code_point[tokens[text.characters.token]]] = True
    return flags
