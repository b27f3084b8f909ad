"""The bytes of many tokens, and what an automaton over bytes makes of all of them at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from langc.compiler.automata.dfa import Dfa

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Table = npt.NDArray[np.int32]
"""int32 [S, 256]: the next state; 0 is dead."""


@dataclass(frozen=True)
class TokenBytes:
    """`data[starts[k] : starts[k] + lengths[k]]` are the bytes of the token `ids[k]`; ids ascend, none is empty."""

    ids: Ints
    data: Bytes
    starts: Ints
    lengths: Ints

    @classmethod
    def of(cls, tokens: Mapping[int, bytes]) -> TokenBytes:
        """From id to bytes; tokens without bytes are left out."""
        kept = {i: tokens[i] for i in sorted(tokens) if tokens[i]}
        lengths = np.array([len(b) for b in kept.values()], dtype=np.int64)
        data = np.frombuffer(b"".join(kept.values()), dtype=np.uint8)
        return cls(np.array(list(kept), dtype=np.int64), data, np.cumsum(lengths) - lengths, lengths)

    @property
    def size(self) -> int:
        """The number of tokens."""
        return len(self.ids)

    def only(self, chosen: Flags) -> TokenBytes:
        """Some of the tokens, bool [n]."""
        return TokenBytes(self.ids[chosen], self.data, self.starts[chosen], self.lengths[chosen])

    def token(self, number: int) -> bytes:
        """The bytes of the k-th token."""
        return self.data[self.starts[number] : self.starts[number] + self.lengths[number]].tobytes()

    @cached_property
    def leads(self) -> Ints:
        """int64 [n]: the bytes of each token that begin a character."""
        before = np.concatenate([[0], np.cumsum((self.data & 0xC0) != 0x80)])
        found: Ints = before[self.starts + self.lengths] - before[self.starts]
        return found

    def walk(self, table: Table, state: int) -> tuple[Ints, Ints]:
        """The numbers of the tokens that can be read from a state, ascending, and the states behind them."""
        numbers, states = np.arange(self.size), np.full(self.size, state)
        found, ends = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        depth = 0
        while numbers.size:
            states = table[states, self.data[self.starts[numbers] + depth]].astype(np.int64)
            depth += 1
            alive = states != 0
            numbers, states = numbers[alive], states[alive]
            done = self.lengths[numbers] == depth
            found.append(numbers[done])
            ends.append(states[done])
            numbers, states = numbers[~done], states[~done]
        order = np.argsort(together := np.concatenate(found))
        return together[order], np.concatenate(ends)[order]


def table_of(dfa: Dfa) -> Table:
    """The table of an automaton over bytes."""
    classes = [dfa.partition.class_of(byte) for byte in range(256)]
    return np.array(dfa.table, dtype=np.int32).reshape(dfa.size, -1)[:, classes]
