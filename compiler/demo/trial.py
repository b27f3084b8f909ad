"""What can be written under each method, found by trying every way to spell it.

Invariant: a text counts as written iff *some* row of tokens spells it, each allowed after those before it. Nothing is
said about a method that was not tried on its masks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from langc.compiler.api import load_policy, load_vocabulary
from langc.compiler.demo import TOKENIZER
from langc.compiler.demo.methods import Machine, Method, methods
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary

UNWANTED, WANTED = "漢", "뷁"
"""Neither has a token of its own; a Korean answer may hold the second only."""
HAN = range(0x4E00, 0xA000)
"""The block CJK Unified Ideographs: all 20,992 are Han."""
HANGUL = range(0xAC00, 0xD7A4)
"""The 11,172 syllables."""

Pieces = tuple[bytes, ...]


class Writer:
    """Writes texts with the tokens that a machine allows."""

    def __init__(self, machine: Machine, vocabulary: Vocabulary) -> None:
        self._machine = machine
        self._vocabulary = vocabulary
        self._ways: dict[bytes, Mapping[int, Pieces]] = {b"": {machine.start: ()}}

    def ways(self, data: bytes) -> Mapping[int, Pieces]:
        """The states in which one may be after exactly `data`, each with the smallest pieces that lead there."""
        if data not in self._ways:
            self._ways[data] = dict(self._last_steps(data))
        return self._ways[data]

    def _last_steps(self, data: bytes) -> Iterator[tuple[int, Pieces]]:
        """Small last pieces come last, so that they stay."""
        for cut in range(len(data)):
            for state, pieces in self.ways(data[:cut]).items():
                for token in self._vocabulary.ids_for_bytes(data[cut:]):
                    target = self._machine.next(state, token)
                    if target is not None:
                        yield target, (*pieces, data[cut:])

    def writes(self, character: int) -> bool:
        """Whether a character can be written."""
        return any(True for _ in self._last_steps(chr(character).encode()))

    def attempt(self, text: str, is_wanted: bool) -> Attempt:
        """How a text is written, or how far one gets."""
        data = text.encode()
        furthest = next(ways for n in range(len(data), -1, -1) if (ways := self.ways(data[:n])))
        return Attempt(text, is_wanted, min(furthest.values()))


@dataclass(frozen=True)
class Attempt:
    """A text and the pieces in which it was written, or those of its longest beginning that could be."""

    text: str
    is_wanted: bool
    pieces: Pieces

    @property
    def is_written(self) -> bool:
        """Whether nothing is missing."""
        return b"".join(self.pieces) == self.text.encode()

    @property
    def is_right(self) -> bool:
        """Whether the method did what it is for."""
        return self.is_written == self.is_wanted

    @property
    def shown(self) -> str:
        """The pieces in hexadecimal, with spaces between them."""
        return " ".join(piece.hex().upper() for piece in self.pieces)


@dataclass(frozen=True)
class Outcome:
    """What one method let through."""

    method: Method
    unwanted: Attempt
    wanted: Attempt
    han: int
    """The characters of `HAN` that can be written."""
    hangul: int
    """The characters of `HANGUL` that can be written."""


@dataclass(frozen=True)
class Trial:
    """The whole demo."""

    policy: Policy
    vocabulary: Vocabulary
    outcomes: tuple[Outcome, ...]


def run() -> Trial:
    """Try all methods on the bundled tokenizer, for the ready policy `ko`."""
    policy, vocabulary = load_policy("ko"), load_vocabulary(TOKENIZER)
    return Trial(policy, vocabulary, tuple(_outcome(m, vocabulary) for m in methods(policy, vocabulary)))


def _outcome(method: Method, vocabulary: Vocabulary) -> Outcome:
    writer = Writer(method.machine, vocabulary)
    han, hangul = (sum(map(writer.writes, characters)) for characters in (HAN, HANGUL))
    return Outcome(method, writer.attempt(UNWANTED, False), writer.attempt(WANTED, True), han, hangul)
