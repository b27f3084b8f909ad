"""The whole decision about one static bias: what is denied in the end, which tokens are banned, what is lost and leaks.

Invariant: every flag and number of a plan is decided on the tokens that stay allowed, not inferred from the way in
which they were chosen; so it holds for any method, any budget and any kept set alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from langc.compiler.automata.boolean import intersection
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.ir.language import ANY_CHARACTER, Cover, repetition
from langc.compiler.tokens.characters.code_points import Flags, count, flags_of, set_of
from langc.compiler.tokens.characters.spelling import characters_in, held_anywhere, spelled_alone
from langc.compiler.tokens.characters.token_text import Ints, TokenText
from langc.compiler.tokens.static_bias.ban import TIGHT, StaticBan, fragments_with_share
from langc.compiler.tokens.static_bias.keep import give_up
from langc.compiler.tokens.static_bias.losses import Loss
from langc.compiler.tokens.static_bias.shortest import shortest_text
from langc.compiler.unicode.intervals import IntervalSet


@dataclass(frozen=True)
class Choice:
    """What a user may choose about a static bias."""

    share: Fraction = TIGHT
    """A fragment is banned iff at least this share of what it can become is denied; see `ban.py`."""
    kept: IntervalSet | None = None
    """Characters that must stay writable, at the price of denied ones."""
    budget: int | None = None
    """The most tokens to ban."""


@dataclass(frozen=True)
class Plan:
    """A static bias for one policy and one vocabulary."""

    language: Cover
    text: TokenText
    denied: Flags
    """The code points that the policy denies outside its permitted terms."""
    given_up: Flags
    """Those of them that are let through for the sake of kept characters."""
    ban: StaticBan
    banned: Ints
    """The numbers of the banned tokens, ascending."""
    needed: int
    """How many tokens would be banned without a budget."""

    @classmethod
    def of(cls, language: Cover, text: TokenText, choice: Choice) -> Plan:
        """Choose the tokens."""
        denied = flags_of(language.base.complement())
        given_up = np.zeros_like(denied)
        if choice.kept is not None:
            given_up = give_up(text, denied, flags_of(choice.kept))
        ban = StaticBan.of(text, denied & ~given_up)
        ranked = ban.ranked(text, fragments_with_share(text, denied & ~given_up, choice.share))
        return cls(language, text, denied, given_up, ban, np.sort(ranked[: choice.budget]), len(ranked))

    @cached_property
    def allowed(self) -> Flags:
        """The tokens that are not banned, bool [n]."""
        allowed = np.ones(self.text.size, dtype=np.bool_)
        allowed[self.banned] = False
        return allowed

    @property
    def ids(self) -> list[int]:
        """The ids of the banned tokens, ascending."""
        ids: list[int] = self.text.ids[self.banned].tolist()
        return ids

    @cached_property
    def loss(self) -> Loss:
        """The permitted characters that are lost."""
        return Loss.of(self.text, self.allowed, ~self.denied)

    @cached_property
    def loss_before_keep(self) -> Loss:
        """What would be lost if nothing had been given up."""
        return Loss.of(self.text, ~StaticBan.of(self.text, self.denied).tight, ~self.denied)

    @cached_property
    def given_up_set(self) -> IntervalSet:
        """The denied code points that are let through."""
        return set_of(self.given_up)

    @cached_property
    def writes_something(self) -> bool:
        """Whether allowed tokens spell any permitted text but the empty one."""
        if (spelled_alone(self.text, self.allowed) & ~self.denied).any():
            return True
        some = intersection(build_dfa(self.language), build_dfa(repetition(ANY_CHARACTER, 1)))
        return shortest_text(lower_to_bytes(some), self.text, self.allowed) is not None

    @cached_property
    def spelled_before(self) -> int:
        """The denied code points that the vocabulary can spell alone."""
        return count(self.denied & spelled_alone(self.text, np.ones(self.text.size, dtype=np.bool_)))

    @cached_property
    def leaked_alone(self) -> int:
        """The denied code points that can still be spelled alone."""
        return count(self.denied & spelled_alone(self.text, self.allowed))

    @cached_property
    def leaked_anywhere(self) -> int:
        """The denied code points whose encodings can still be put together, in malformed text too."""
        return count(self.denied & held_anywhere(self.text, self.allowed))

    def with_own_token(self, tokens: Flags) -> int:
        """The denied code points that one of `tokens` (bool [n]) spells by itself."""
        return count(self.denied & characters_in(self.text, tokens & self.text.single))
