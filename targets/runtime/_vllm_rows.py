"""What both generations of vLLM's interface share: texts that are read on, and their policies applied to rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.stopping import WithStopping
from langc.targets.runtime._ends import raise_end


class Text:
    """The generated tokens of a request and the state behind them. Each token is read once."""

    def __init__(self, machine: TokenMachine) -> None:
        self.machine = machine
        self._ids: list[int] = []
        self.state = machine.start

    @property
    def length(self) -> int:
        """How many tokens were read."""
        return len(self._ids)

    def read(self, ids: Sequence[int]) -> None:
        """Read on."""
        for token in ids:
            self.state = self.machine.follow(self.state, token)
        self._ids.extend(ids)

    def become(self, ids: Sequence[int]) -> None:
        """Make `ids` the whole text: read on where it continues what was read, and from the start where it does not."""
        if list(ids[: self.length]) != self._ids:
            self.restart()
        self.read(ids[self.length :])

    def restart(self) -> None:
        """Forget everything."""
        self._ids, self.state = [], self.machine.start


class Placed(NamedTuple):
    """The state of a row of the logits."""

    row: int
    machine: TokenMachine
    state: int


def apply_rows(logits: Any, placed: Sequence[Placed]) -> None:
    """Apply each state to its row of a torch tensor [B, V], in place; the other rows stay as they are.

    Args:
        logits: V at least the machines' rows; further columns are refused.
        placed: by ascending row.

    Raises:
        UnsupportedTokenizerError: V is smaller (LC0650).
    """
    for run in _runs(placed):
        machine, states = run[0].machine, [one.state for one in run]
        block = logits[run[0].row : run[-1].row + 1]
        if isinstance(machine.tables, WithStopping):
            for row, state in zip(block, states, strict=True):
                raise_end(row, machine.ending(state), sorted(machine.tables.eos_ids))
        machine.applier.apply(block, states)


def _runs(placed: Sequence[Placed]) -> Iterator[list[Placed]]:
    """The longest stretches of neighbouring rows under one policy."""
    run: list[Placed] = []
    for one in placed:
        if run and (one.row != run[-1].row + 1 or one.machine is not run[-1].machine):
            yield run
            run = []
        run.append(one)
    if run:
        yield run
