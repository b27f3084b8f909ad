"""Which tokens a static bias has to ban, so that no denied character can be written.

A static bias bans the same tokens at every step. Two sets of tokens are of interest, and what lies between them:

* *loose*: the tokens that hold a whole denied character. What most people ban, and it leaks: where the vocabulary has
  byte fragments, every denied character can be put together from them;
* *tight*: these, and every token that ends in a proper beginning of a denied character's encoding.

Tight is leak-free: no row of other tokens holds the encoding of a denied character anywhere in its bytes. For take the
token in which such an encoding opens: either it holds all of it, or it ends inside it, and is banned both times. While
all continuation bytes stay allowed tight is also the only leak-free set: any beginning that is let through can be
completed byte by byte.

What tight loses are the permitted characters whose encodings open in the same bytes. Only a token that opens a
character can be banned as a fragment: continuation bytes are no beginning of anything.

Between the two a *share* decides: a fragment is banned iff, of all characters that its last bytes can become, at least
that share is denied. Characters that are neither assigned nor denied do not count: nobody misses them. A share of 0
is tight, one above 1 is loose, and 1 bans the fragments that can become nothing but what is denied.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from langc.compiler.tokens.characters.beginnings import Beginnings
from langc.compiler.tokens.characters.code_points import Flags
from langc.compiler.tokens.characters.kinds import assigned
from langc.compiler.tokens.characters.token_text import Ints, TokenText

TIGHT, LOOSE = Fraction(0), Fraction(2)
"""The shares under which all fragments are banned, and none."""


@dataclass(frozen=True)
class StaticBan:
    """Masks over the tokens of a `TokenText`, bool [n] each; no token is in both."""

    whole: Flags
    """The tokens that hold a whole denied character: the loose set."""
    fragments: Flags
    """The other tokens that end in a proper beginning of a denied character."""

    @classmethod
    def of(cls, text: TokenText, denied: Flags) -> StaticBan:
        """The ban of a set of denied code points (flags)."""
        whole = text.holding(denied)
        return cls(whole, text.ending_in(Beginnings.of(denied)) & ~whole)

    @property
    def tight(self) -> Flags:
        """Both kinds."""
        return self.whole | self.fragments

    def ranked(self, text: TokenText, fragments: Flags) -> Ints:
        """The numbers of the tokens to ban, with these of the fragments; those first that a budget should keep.

        Tokens that are one denied character come first: as long as they are allowed, banning a longer token only
        makes a model write its characters one by one. Fragments come last: a banned one costs permitted characters
        too. Within a kind low ids come first, since byte pair encoding numbers its tokens in the order in which it
        merged them, the most frequent pairs first.
        """
        kinds = [self.whole & text.single, self.whole & ~text.single, self.fragments & fragments]
        return np.concatenate([np.flatnonzero(kind) for kind in kinds])


def fragments_with_share(text: TokenText, denied: Flags, least: Fraction) -> Flags:
    """bool [n]: the tokens that end in a beginning of which at least this share is denied (flags)."""
    return text.ending_in(Beginnings.with_share(denied, denied | assigned(), least))
