"""What is known of a text beyond its next token: how far its end is, and what must be written anyway.

States are those of any tables of a `TokenMachine`. Those of a policy with very many phrases do not tell where all
tokens lead: of them nothing is said to be forced, and distances are refused.
"""

from __future__ import annotations

from functools import cached_property
from operator import index
from typing import SupportsIndex

from langc.compiler.tokens.budget import Budget, BudgetError, Flags, too_small, unknown
from langc.compiler.tokens.forced import Forced, Forcing
from langc.compiler.tokens.machine import Tables
from langc.compiler.tokens.stopping import StoppingTables
from langc.compiler.tokens.tables import TokenTables

NOTHING_FORCED = Forced(b"", ())


class Ahead:
    """Over the states of some tables; nothing is found out before it is asked for."""

    def __init__(self, tables: Tables) -> None:
        self._of = tables if isinstance(tables, StoppingTables) else None
        own = tables.tables if isinstance(tables, StoppingTables) else tables
        self._tables = own if isinstance(own, TokenTables) else None

    def checked(self, state: int, max_tokens: SupportsIndex) -> int:
        """A budget behind a state, if there can be one.

        Raises:
            TypeError: it is no integer. A truth value would pass for 0 or 1, and mean nothing of the sort.
            ValueError: it is below 0.
            BudgetError: no text is finished within it, or that is not known (LC0405).
        """
        if isinstance(max_tokens, bool):
            raise TypeError(f"max_tokens is a number of tokens, not {max_tokens}")
        count = index(max_tokens)
        if count < 0:
            raise ValueError(f"max_tokens is 0 or more, not {count}")
        if self.least(state) > count:
            raise BudgetError(too_small(self.least(state), count))
        return count

    def least(self, state: int) -> int:
        """The least number of tokens to an end, see `Budget`. Raises BudgetError (LC0405) if it is not known."""
        return self._budget.least(self._own(state))

    def too_far(self, state: int, left: int) -> Flags | None:
        """The allowed tokens behind which more than `left` tokens are needed, see `Budget`. Raises as `least`."""
        return self._budget.too_far(self._own(state), left)

    def in_time(self, state: int, token: int, target: int, left: int) -> bool:
        """Whether the text can still be finished behind a token that leads to `target`, as `too_far` says."""
        return self.least(target) <= left

    def forced(self, state: int) -> Forced:
        """What must come next."""
        return NOTHING_FORCED if self._forcing is None else self._forcing.forced(self._own(state))

    def _own(self, state: int) -> int:
        return state if self._of is None else self._of.own(state)

    @cached_property
    def _budget(self) -> Budget:
        if self._tables is None:
            raise BudgetError(unknown())
        return Budget(self._tables)

    @cached_property
    def _forcing(self) -> Forcing | None:
        return None if self._tables is None else Forcing(self._tables)
