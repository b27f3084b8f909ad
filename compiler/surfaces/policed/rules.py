"""What is asked of a policy beside a surface, whether it is at hand or out of a file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from langc.compiler.policy import Policy

if TYPE_CHECKING:
    from langc.compiler.surfaces.regions.contents import Contents
    from langc.compiler.tokens.machine import Tables
    from langc.compiler.tokens.vocabulary import Vocabulary


class Rules(Protocol):
    """A policy for the texts of a surface. Immutable."""

    @property
    def name(self) -> str:
        """The policy's name."""

    @property
    def hash(self) -> str:
        """SHA-256 of the policy, see `Policy.hash`."""

    @property
    def policy(self) -> Policy | None:
        """The policy itself; None if only its automata are known."""

    @property
    def contents(self) -> Contents | None:
        """The regions that hold the surface; None if whole texts are of it. Raises LimitError."""

    def tables(self, vocabulary: Vocabulary) -> Tables:
        """The tables to write permitted texts with. Raises as `choose_tables`."""

    def first_violation(self, text: str) -> int | None:
        """See `Policy.first_violation`."""


@dataclass(frozen=True, eq=False)
class PolicyRules:
    """Those of a policy, which may name a surface: what it asks beside that is meant."""

    policy: Policy

    @property
    def name(self) -> str:
        """The policy's name."""
        return self.policy.name

    @property
    def hash(self) -> str:
        """SHA-256 of what the policy asks."""
        is_of_regions = any(scope.surface_regions for scope in self.policy.lowered.scopes)
        return self.policy.hash if is_of_regions else self._beside.hash

    @cached_property
    def _beside(self) -> Policy:
        return self.policy.beside_surface

    @cached_property
    def contents(self) -> Contents | None:
        """See `Rules`."""
        from langc.compiler.surfaces.regions.contents import contents_of

        return contents_of(self.policy)

    def tables(self, vocabulary: Vocabulary) -> Tables:
        """See `Rules`."""
        from langc.compiler.tokens.choose import choose_tables

        return choose_tables(self._beside, vocabulary)

    def first_violation(self, text: str) -> int | None:
        """See `Rules`."""
        return self._beside.first_violation(text)
