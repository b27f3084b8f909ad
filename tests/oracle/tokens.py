"""Which token may come next, by the definition and by search over token sequences.

A token is allowed iff the bytes so far and its own are the beginning of a permitted text *and* some sequence of
this vocabulary's tokens completes one. Under a soft policy every well-formed text is permitted; a token
costs iff the violations that nothing can avoid any more are more after it than before. Shares no code with
the automata and the token tables; meant for toy vocabularies.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.oracle.encoding import candidates, split
from tests.oracle.expression import expression_of
from tests.oracle.residual import Referee, Tree, complete

Place = tuple[Tree, bytes]
"""What is left of the language after the whole characters, and the bytes behind them."""

FREE = 0.0
FORBIDDEN = float("-inf")


class TokenReferee:
    """Decides tokens after token histories, for one policy and one vocabulary."""

    def __init__(self, policy: Policy, vocabulary: Vocabulary) -> None:
        self.language = Referee(expression_of(policy))
        self.price = policy.bias
        self.vocabulary = vocabulary
        self.tokens = {i: b for i in range(vocabulary.size) if (b := _text_of(i, vocabulary, policy.markers))}
        self.pieces = sorted(set(self.tokens.values()), key=lambda piece: (len(piece), piece))
        self.character_fits = cache(self._character_fits)
        self.row = cache(self._row)
        self._after = cache(self._read)
        self._finishes: dict[Place, bool] = {}

    def bias(self, history: Sequence[int]) -> list[float]:
        """What each id costs after `history`: 0, minus the price, or minus infinity.

        The history must be permitted. After an end-of-sequence id, only such ids are allowed.
        """
        if self.vocabulary.eos_ids.intersection(history):
            return [FREE if i in self.vocabulary.eos_ids else FORBIDDEN for i in range(self.vocabulary.size)]
        return self.row(b"".join(self.tokens[i] for i in history))

    def mask(self, history: Sequence[int]) -> list[bool]:
        """Which ids are allowed after `history`."""
        return [cost != FORBIDDEN for cost in self.bias(history)]

    def _row(self, text: bytes) -> list[float]:
        row = [FORBIDDEN] * self.vocabulary.size
        for token, data in self.tokens.items():
            if self.can_finish(text + data):
                row[token] = self._cost(self.violations(text), self.violations(text + data))
        for token in self.vocabulary.eos_ids:
            row[token] = self.end_cost(text)
        return row

    def end_cost(self, text: bytes) -> float:
        """What it costs to end the text here."""
        place = self.place(text)
        if place is None or place[1]:
            return FORBIDDEN
        if complete(place[0]):
            return FREE
        return FORBIDDEN if self.price is None else -self.price

    def violations(self, text: bytes) -> int:
        """How many violations nothing can avoid any more; a hard policy counts none."""
        if self.price is None:
            return 0
        whole = split(text)
        assert whole is not None
        tree, count = self.language.start, 0
        for character in whole[0]:
            tree, violated = self._soft_step(tree, character)
            count += violated
        return count + bool(whole[1] and not self.character_fits(tree, whole[1]))

    def place(self, text: bytes) -> Place | None:
        """Where the bytes lead; None if no permitted text begins so."""
        place: Place | None = (self.language.start, b"")
        for byte in text:
            if place is None:
                return None
            place = self._after(place, bytes([byte]))
        return place

    def can_finish(self, text: bytes) -> bool:
        """Whether the bytes are a beginning that some token sequence completes."""
        place = self.place(text)
        if place is None:
            return False
        if place not in self._finishes:
            self._search(place)
        return self._finishes[place]

    def _search(self, start: Place) -> None:
        """Depth first and piece by piece: a character that was begun is soon finished."""
        seen = {start}
        path = [(start, iter(self.pieces))]
        while path:
            place, untried = path[-1]
            if self._finishes.get(place) or self._may_end(place):
                self._finishes.update((passed, True) for passed, _ in path)
                return
            targets = (self._after(place, piece) for piece in untried)
            target = next((t for t in targets if t is not None and t not in seen), None)
            if target is None:
                path.pop()
            else:
                seen.add(target)
                path.append((target, iter(self.pieces)))
        self._finishes.update(dict.fromkeys(seen, False))

    def _may_end(self, place: Place) -> bool:
        return not place[1] and (self.price is not None or complete(place[0]))

    def _read(self, place: Place, piece: bytes) -> Place | None:
        tree, rest = place
        whole = split(rest + piece)
        if whole is None:
            return None
        text, rest = whole
        for character in text:
            tree, violated = self._soft_step(tree, character)
            if violated and self.price is None:
                return None
        fits = not rest or self.price is not None or self.character_fits(tree, rest)
        return (tree, rest) if fits else None

    def _soft_step(self, tree: Tree, character: str) -> tuple[Tree, bool]:
        """After a violating character the rule starts afresh."""
        after = self.language.step(tree, character)
        return (after, False) if self.language.alive(after) else (self.language.start, True)

    def _character_fits(self, tree: Tree, rest: bytes) -> bool:
        """Whether a character that begins with `rest` leaves some permitted text."""
        low, high = candidates(rest) or (1, 0)
        cuts = [c for c in self.language.cuts if low < c <= high]
        return any(self.language.alive(self.language.step(tree, chr(c))) for c in (low, *cuts) if low <= high)

    def _cost(self, before: int, after: int) -> float:
        return FREE if after == before else -float(self.price or 0.0)


def _text_of(token: int, vocabulary: Vocabulary, markers: Collection[str]) -> bytes:
    if token in vocabulary.eos_ids:
        return b""
    spelling = vocabulary.special_text(token)
    return spelling.encode() if spelling is not None and spelling in markers else vocabulary.token_bytes(token)
