"""langc's own matcher, run on tables that came out of a file: the targets `processor` and `outlines`, dialect `fsm`.

The tables are what the file says. The rows are made, and tokens followed, as in the runtime adapters, which use the
same `TokenMachine`; so a difference lies in the file.
"""

from __future__ import annotations

from collections.abc import Sequence

from langc.compiler.tokens.machine import Tables, TokenMachine
from langc.compiler.verify.engines.protocol import Look, Mask, PrefixRefusedError, Whole, pack


class Machine(Whole):
    """One token automaton. Under a soft policy its masks are of the tokens that cost nothing."""

    def __init__(self, name: str, tables: Tables, rows: int | None = None) -> None:
        self.name = name
        self._machine = TokenMachine(tables, rows, on_dead_end="stop")
        self.rows = self._machine.rows

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """See `Engine.look`."""
        state = self._after(prefix)
        mask = free(self._machine, state)
        taken = [self._machine.next(state, t) is not None and bool(mask[t]) for t in ids]
        return Look(pack(mask, self.rows), taken)

    def taken_after_end(self, prefix: Sequence[int], end: int, ids: Sequence[int]) -> Sequence[bool]:
        """See `Engine.taken_after_end`."""
        state = self._after((*prefix, end))
        return [self._machine.next(state, token) is not None for token in ids]

    def _after(self, prefix: Sequence[int]) -> int:
        state = self._machine.start
        for position, token in enumerate(prefix):
            following = self._machine.next(state, token)
            if following is None:
                raise PrefixRefusedError(position)
            state = following
        return state


def free(machine: TokenMachine, state: int) -> Mask:
    """The tokens that may follow at no cost: under a hard policy all that may follow."""
    return machine.masks[state] if len(machine.tables.costs) == 1 else machine.costs[state] == 0
