"""Ways to keep Han and Kana out of an answer, each as a machine over tokens.

Invariant: a method knows nothing of the texts that the demo tries. The fixed lists judge a token by its decoded string,
as the common recipes do; langc's machine is the one that every adapter runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from langc.compiler.policy import Policy
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.tables import build_tables
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.properties import script_of

CJK = frozenset({"Han", "Hiragana", "Katakana"})
REPLACEMENT = "\ufffd"


class Machine(Protocol):
    """Which token may come next, as a function of a state; `TokenMachine` is one."""

    @property
    def start(self) -> int:
        """The state of the empty text."""

    def next(self, state: int, token: int) -> int | None:
        """The state after an allowed token, None after a refused one."""


@dataclass(frozen=True)
class FixedList:
    """A list of banned token ids that is the same at every step."""

    banned: frozenset[int]
    start: int = 0

    def next(self, state: int, token: int) -> int | None:
        """The only state there is, unless the token is banned."""
        return None if token in self.banned else state


@dataclass(frozen=True)
class Method:
    """A way to keep characters out. `banned` is None if that depends on the text so far."""

    name: str
    summary: str
    machine: Machine
    banned: int | None


def methods(policy: Policy, vocabulary: Vocabulary) -> tuple[Method, ...]:
    """No constraint, the common recipe in its two forms, and langc. Raises as `build_tables`."""
    decoded = {i: decode(vocabulary.token_bytes(i)) for i in range(vocabulary.size)}
    whole = frozenset(i for i, text in decoded.items() if any(script_of(ord(c)) in CJK for c in text))
    broken = frozenset(i for i, text in decoded.items() if REPLACEMENT in text)
    return (
        _fixed("none", "no constraint", frozenset()),
        _fixed("recipe", "ban tokens with Han or Kana", whole),
        _fixed("recipe-fffd", "ban these, and those with U+FFFD", whole | broken),
        Method("langc", f"langc, policy {policy.name}", TokenMachine(build_tables(policy, vocabulary)), None),
    )


def decode(token: bytes) -> str:
    """The string that a tokenizer prints for one token alone."""
    return token.decode("utf-8", "replace")


def _fixed(name: str, summary: str, banned: frozenset[int]) -> Method:
    return Method(name, summary, FixedList(banned), len(banned))
