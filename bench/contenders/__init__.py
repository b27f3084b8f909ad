"""What is timed: one way each to hold logits to a policy, behind one interface.

A contender has two stages before the first token. `prepare` takes the vocabulary, `compile` the policy; libraries cut
their work between the two in different places, so what counts is the sum. A session then follows one text.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any, Protocol

from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary

MODULES = {
    "langc": "langc_",
    "xgrammar": "xgrammar_",
    "llguidance": "llguidance_",
    "outlines-core": "outlines_core_",
    "resklogits": "resklogits_",
    "floor": "floor",
}
"""Every contender, and its module in this folder. The floor does nothing but add a row."""


class CannotError(Exception):
    """The contender does not take this policy or vocabulary, and why."""


class Session(Protocol):
    """One text in the making, with logits float32 of its own: [V], the width of the vocabulary."""

    def reset(self) -> None:
        """Go back to the empty text."""

    def advance(self, token: int) -> None:
        """Write a token."""

    def mask(self) -> None:
        """Find out what may follow."""

    def apply(self) -> None:
        """Bring what `mask` found to the logits."""

    def prepare(self) -> None:
        """Do what can be done before the first token, at least the first mask."""

    def fresh(self) -> Session:
        """One that remembers of no text what it has found out; not prepared yet."""


class Prepared(Protocol):
    """A contender that has seen the vocabulary."""

    def compile(self, source: Any) -> Session:
        """A session of what `translate` made. Raises CannotError."""


@dataclass(frozen=True)
class Contender:
    """A library, or the floor."""

    name: str

    @property
    def version(self) -> str | None:
        """Of the library; None if it is not installed."""
        if self.name == "floor":
            return ""
        try:
            return metadata.version(self.name)
        except metadata.PackageNotFoundError:
            return None

    def load(self) -> None:
        """Import the library, which is not part of any figure."""
        self._module()

    def translate(self, policy: Policy, vocabulary: Vocabulary) -> Any:
        """The policy in the library's own terms, which is not part of any figure. Raises CannotError."""
        return self._module().translate(policy, vocabulary)

    def prepare(self, vocabulary: Vocabulary) -> Prepared:
        """Take the vocabulary. Raises CannotError."""
        prepared: Prepared = self._module().Prepare(vocabulary)
        return prepared

    def _module(self) -> Any:
        return import_module(f"bench.contenders.{MODULES[self.name]}")


CONTENDERS = {name: Contender(name) for name in MODULES}
