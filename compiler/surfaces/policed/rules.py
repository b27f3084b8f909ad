"""What is asked of a policy beside a surface, whether it is at hand or out of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from langc.compiler.policy import Policy

if TYPE_CHECKING:
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
        return self.policy.beside_surface.hash

    def tables(self, vocabulary: Vocabulary) -> Tables:
        """See `Rules`."""
        from langc.compiler.tokens.choose import choose_tables

        return choose_tables(self.policy.beside_surface, vocabulary)

    def first_violation(self, text: str) -> int | None:
        """See `Rules`."""
        return self.policy.beside_surface.first_violation(text)
