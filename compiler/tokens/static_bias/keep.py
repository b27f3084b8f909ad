"""The fewest denied code points to give up, so that a set of characters can still be written under the tight ban.

There is no search in it. Let the vocabulary spell the character c by itself, as a row of tokens t1 … tm.

* If m = 1, t1 is c. It is banned iff c is denied, and then c itself has to be given up: no other way of writing c
  needs less, since c has to be given up in any case.
* If m > 1, t2 … tm consist of continuation bytes. They hold no character and end in no beginning of one, so they are
  never banned. t1 is a proper beginning p of c, and holds no whole character. So it is allowed iff no denied code
  point opens with p: all of D(p), the denied code points whose encodings begin with p, have to be given up, and that
  is enough.

A longer p has a smaller D(p): the sets that c can choose from are nested. So c has a least choice, that of the
longest p such that p is a token and the rest of c is a row of tokens; whatever else makes c writable gives up at
least as much. Therefore every solution for a kept set contains the least choice of each of its characters, and their
union, which is a solution, is the smallest one: fewest in number, and the only one of that size.
"""

from __future__ import annotations

import numpy as np

from langc.compiler.tokens.characters.code_points import Cells, Flags, any_of_last
from langc.compiler.tokens.characters.spelling import Pieces
from langc.compiler.tokens.characters.token_text import TokenText


def give_up(text: TokenText, denied: Flags, kept: Flags) -> Flags:
    """The denied code points (flags) that have to be permitted for the sake of `kept`.

    Kept characters that the vocabulary cannot spell alone ask for nothing. A kept character that is itself denied is
    given up.
    """
    pieces = Pieces.alone(text, np.ones(text.size, dtype=np.bool_))
    given = kept & denied & pieces.whole
    wanted, cells = Cells.of(kept & ~pieces.whole), Cells.of(denied)
    parts = Cells(
        _two(pieces, wanted.two) & cells.two,
        _three(pieces, wanted.three) & cells.three,
        _four(pieces, wanted.four) & cells.four,
    )
    return given | parts.flags()


def _two(pieces: Pieces, wanted: Flags) -> Flags:
    """The cells that share the longest beginning of a wanted one: bool [32, 64] in and out."""
    ways = wanted & pieces.opening.two_one[:, None] & pieces.inside.one
    return np.broadcast_to(any_of_last(ways, 1)[:, None], wanted.shape)


def _three(pieces: Pieces, wanted: Flags) -> Flags:
    opening, rest = pieces.opening, pieces.inside.joined()
    by_two = wanted & opening.three_two[:, :, None] & rest.one
    by_one = wanted & ~by_two & opening.three_one[:, None, None] & rest.two
    return any_of_last(by_two, 1)[:, :, None] | any_of_last(by_one, 2)[:, None, None]


def _four(pieces: Pieces, wanted: Flags) -> Flags:
    opening, rest = pieces.opening, pieces.inside.joined()
    by_three = wanted & opening.four_three[..., None] & rest.one
    left = wanted & ~by_three
    by_two = left & opening.four_two[:, :, None, None] & rest.two
    by_one = left & ~by_two & opening.four_one[:, None, None, None] & rest.three
    three, two, one = any_of_last(by_three, 1), any_of_last(by_two, 2), any_of_last(by_one, 3)
    return three[..., None] | two[:, :, None, None] | one[:, None, None, None]
