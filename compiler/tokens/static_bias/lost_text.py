"""What allowed tokens can no longer write: the shortest permitted text that the vocabulary can spell and they cannot.

Texts are decided by their characters wherever that is possible. If the allowed tokens spell every character alone
that can occur at all, they spell every text. If one of these characters is lost, it is the answer. Otherwise the
answer lies in texts whose characters depend on their neighbours (a vocabulary that has the byte E4 behind a space
only) or on a permitted term:

* if every character that is not spelled alone occurs in no row of allowed tokens at all, a text is lost iff it holds
  one, and that is a regular language (`shortest.py`);
* if not, all spellings of all texts are followed at once, with the places in the tokens as in the subset
  construction. Texts are tried by length, so the first one found is shortest; a budget ends what takes too long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from langc.compiler.automata.boolean import difference
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import Cover, cover
from langc.compiler.limits import MAX_SPELLING_STATES, over_limit
from langc.compiler.tokens.characters.code_points import Flags, flags_of, set_of
from langc.compiler.tokens.characters.spelling import held_anywhere, spelled_alone
from langc.compiler.tokens.characters.token_text import TokenText
from langc.compiler.tokens.static_bias.shortest import shortest_text

_WAY_OUT = "what a static bias loses on this vocabulary cannot be decided; the target processor loses nothing"

Places = frozenset[bytes]
"""Where spellings may stand: the bytes since the last token ended."""


def shortest_lost(language: Cover, text: TokenText, allowed: Flags) -> str | None:
    """The shortest text of `language` that tokens spell and allowed ones (bool [n]) do not; None if there is none.

    Raises LimitError if that cannot be decided within `MAX_SPELLING_STATES`.
    """
    all_tokens = np.ones(text.size, dtype=np.bool_)
    letters = flags_of(language.letters)
    alone = spelled_alone(text, allowed)
    missing = held_anywhere(text, all_tokens) & letters & ~alone
    if not missing.any():
        return None
    lost = missing & flags_of(language.singles) & spelled_alone(text, all_tokens)
    if lost.any():
        return chr(int(np.argmax(lost)))
    gone = letters & ~held_anywhere(text, allowed)
    dfa = build_dfa(language)
    if not (missing & ~gone).any():
        with_gone = difference(dfa, build_dfa(cover(set_of(~gone))))
        return shortest_text(lower_to_bytes(with_gone), text, all_tokens)
    return _search(lower_to_bytes(dfa), _Speller.of(text, all_tokens), _Speller.of(text, allowed))


@dataclass(frozen=True)
class _Speller:
    """A set of tokens, and every proper beginning of one."""

    tokens: frozenset[bytes]
    beginnings: frozenset[bytes]

    @classmethod
    def of(cls, text: TokenText, chosen: Flags) -> _Speller:
        """The tokens of a mask."""
        tokens = frozenset(text.token(int(number)) for number in np.flatnonzero(chosen))
        return cls(tokens, frozenset(token[:size] for token in tokens for size in range(len(token))))

    def step(self, places: Places, byte: int) -> Places:
        """The places behind one more byte."""
        longer = [place + bytes([byte]) for place in places]
        ended = [b""] if any(place in self.tokens for place in longer) else []
        return frozenset([place for place in longer if place in self.beginnings] + ended)


def _search(dfa: Dfa, all_tokens: _Speller, allowed: _Speller) -> str | None:
    start = frozenset([b""])
    heap: list[tuple[int, bytes, int, Places, Places]] = [(0, b"", dfa.start, start, start)]
    seen: set[tuple[int, Places, Places]] = set()
    while heap:
        letters, spelled, state, by_any, by_allowed = heappop(heap)
        if (state, by_any, by_allowed) in seen:
            continue
        if state in dfa.accepting and b"" in by_any and b"" not in by_allowed:
            return spelled.decode()
        seen.add((state, by_any, by_allowed))
        if len(seen) > MAX_SPELLING_STATES:
            raise LimitError(over_limit("ways to spell a text", MAX_SPELLING_STATES, help=_WAY_OUT))
        for byte, target in _bytes(dfa, state):
            after = all_tokens.step(by_any, byte)
            if after:
                size = letters + (byte & 0xC0 != 0x80)
                heappush(heap, (size, spelled + bytes([byte]), target, after, allowed.step(by_allowed, byte)))
    return None


def _bytes(dfa: Dfa, state: int) -> Iterator[tuple[int, int]]:
    """The bytes that a state can read, and where they lead."""
    for (low, high), number in zip(dfa.partition.ranges, dfa.partition.ids, strict=True):
        target = dfa.table[state][number]
        if target != DEAD:
            yield from ((byte, target) for byte in range(low, high + 1))
