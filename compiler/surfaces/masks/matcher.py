"""The matcher of a surface: a `Matcher` whose states are places of its texts.

Invariant: as that of `Matcher`: `mask()[i]`, `allows(i)` and what `advance(i)` would return agree for every id, also
under a budget.
"""

from __future__ import annotations

from typing import Any, SupportsIndex

from langc.compiler.policy import Policy
from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.masks.ahead import SurfaceAhead
from langc.compiler.surfaces.masks.tables import SurfaceTables
from langc.compiler.surfaces.policed.joint import Joint
from langc.compiler.surfaces.policed.tables import JointTables
from langc.compiler.surfaces.regions.ahead import RegionAhead
from langc.compiler.surfaces.regions.tables import RegionTables
from langc.compiler.tokens.ahead import Ahead
from langc.compiler.tokens.loaders import load_vocabulary
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.matcher import Matcher, token_id
from langc.compiler.tokens.vocabulary import Vocabulary

PlacedTables = SurfaceTables | JointTables | RegionTables


class SurfaceMatcher(Matcher):
    """One text of a surface in the making; it has all that a `Matcher` has.

    Args:
        engine: the surface and its environment. Matchers of one engine share what it remembers.
        vocabulary: the tokens; or anything that `load_vocabulary` takes.
        rows: the width of the model's logits; rows beyond the tokenizer's are never allowed.
        on_dead_end: `error` or `stop`, see `TokenMachine`.
        max_tokens: how many tokens there may be, end-of-sequence not counted. Only tokens are allowed behind which the
            text can still be finished; near the end of the budget not all of these, see `SurfaceAhead`.
        tables: those of a matcher before, of the same engine and vocabulary, to share their masks; or those of the
            surface with a policy beside it, or of a policy with the surface in its regions.

    Raises:
        BudgetError: no text is finished within so few tokens (LC0405).
        ValueError: `max_tokens` is below 0.
        TypeError: `max_tokens` is no integer.
        PolicyError: the vocabulary cannot write what the surface needs (LC0406), or `on_dead_end` is unknown.
        UnsupportedTokenizerError: `rows` is smaller than the vocabulary.
        LimitError: a budget is spent.
    """

    def __init__(
        self,
        engine: Engine,
        vocabulary: Vocabulary | Any,
        rows: int | None = None,
        on_dead_end: str = "error",
        *,
        max_tokens: int | None = None,
        tables: PlacedTables | None = None,
    ) -> None:
        tokens = load_vocabulary(vocabulary)
        made = SurfaceTables(engine.start, tokens) if tables is None else tables
        self._begin(TokenMachine(made, rows, on_dead_end), tokens, None)
        self._limit(max_tokens)

    def _begin(self, machine: TokenMachine, vocabulary: Vocabulary | None, policy: Policy | None) -> None:
        super()._begin(machine, vocabulary, policy)
        self._ahead = ahead_of(self.tables)

    @property
    def tables(self) -> PlacedTables:
        """What the masks come from; other matchers may share it."""
        tables = self._machine.tables
        assert isinstance(tables, PlacedTables)
        return tables

    def advance(self, token: SupportsIndex) -> bool:
        """Write a token. A refused one changes nothing and gives False; so does anything after the end.

        Raises TypeError if `token` is no id.
        """
        number = token_id(token)
        refused = self._too_far()
        if refused is not None and 0 <= number < len(refused) and refused[number]:
            return False
        return super().advance(number)

    def _in_time(self, state: int) -> bool:
        return True  # `advance` asks for the token, not for where it leads

    def fork(self) -> SurfaceMatcher:
        """An independent matcher with the same history; what has been found out is shared."""
        new = SurfaceMatcher.__new__(SurfaceMatcher)
        new._begin(self._machine, self._vocabulary, self._policy)
        new._ahead, new._max_tokens = self._ahead, self._max_tokens
        new._states, new._ids = list(self._states), list(self._ids)
        return new


def ahead_of(tables: PlacedTables) -> Ahead:
    """What tells how far the end of a text is."""
    if isinstance(tables, RegionTables):
        return RegionAhead(tables)
    return SurfaceAhead[Config](tables) if isinstance(tables, SurfaceTables) else SurfaceAhead[Joint](tables)
