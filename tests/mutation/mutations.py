"""What a mutation is: one fault, put into langc on purpose, and what `langc verify` has to say about it.

Invariant: a fault is in the code that makes artefacts, never in an artefact. Expected witnesses are worked out by hand
from the policy and the fault, and their sides are held against `Policy.accepts` or the oracle over tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import pytest

import langc
from langc.compiler.ir.language import Language
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.ir.stops import without_stop_before
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.report import TargetReport
from langc.compiler.verify.run import BYTES, verify

Seed = Callable[[pytest.MonkeyPatch], None]
Function = Callable[..., Any]

PREFIXES = 80
"""On which an engine is tried: more than any of the token automata here has states."""


@dataclass(frozen=True)
class Mutation:
    """One fault in one emitter."""

    name: str
    target: str
    """`gbnf`, or `regex:rust`."""
    seed: Seed
    policy: str | Language
    """Under which it shows: rules, or an expression that no rules stand for."""
    over: bytes | None = None
    """By language: a shortest row of bytes that the artefact lets through and should not."""
    under: bytes | None = None
    """By language: one that it should let through and does not, beside what it admits."""
    engine: bytes | None = None
    """By engine: the row of bytes, the last token's included; None if there is no engine, or it cannot see it."""
    error: str | None = None
    """What an engine says that does not take the artefact at all."""
    vocabulary: Vocabulary = BYTES
    bias: float | None = None
    """Of a soft policy."""
    options: Mapping[str, str] = field(default_factory=dict)
    admitted: bytes | None = None
    """A loss that the artefact admits with and without the fault."""
    is_beside: bool = False
    """Whether the fault shows against the policy without its `stop before` lines."""
    stays: bool = True
    """Whether the fault is there while the artefact is verified: not so in code that makes the reference as well."""

    def __post_init__(self) -> None:
        if (self.over, self.under, self.engine, self.error) == (None, None, None, None):
            raise ValueError(f"nothing catches {self.name}")

    @property
    def id(self) -> str:
        """Of the test."""
        return f"{self.target}-{self.name}".replace(":", "-")

    def sound_policy(self) -> Policy:
        """A fresh policy each time, so that no automaton made under a fault is kept."""
        if isinstance(self.policy, str):
            policy = langc.parse_policy(f"policy p {{ {self.policy} }}")
        else:
            policy = Policy(PolicyIR("p", None, (), self.policy))
        return policy if self.bias is None else policy.with_(mode="soft", bias=self.bias)

    def judging_policy(self) -> Policy:
        """The policy that witnesses are held against."""
        policy = self.sound_policy()
        return Policy(without_stop_before(policy.lowered), policy.bias) if self.is_beside else policy

    @cached_property
    def report(self) -> TargetReport:
        """What `verify` finds of the artefact that is made under the fault."""
        with pytest.MonkeyPatch.context() as patch:
            self.seed(patch)
            artifact = _compiled(self)
            if not self.stays:
                patch.undo()
            return _verified(self, artifact)

    @cached_property
    def report_without(self) -> TargetReport:
        """The same without the fault."""
        return _sound(self.target, self.policy, self.vocabulary, self.bias, tuple(self.options.items()))


@cache
def _sound(
    target: str,
    policy: str | Language,
    vocabulary: Vocabulary,
    bias: float | None,
    options: tuple[tuple[str, str], ...],
) -> TargetReport:
    mutation = Mutation(
        "none", target, lambda _: None, policy, over=b"", vocabulary=vocabulary, bias=bias, options=dict(options)
    )
    return _verified(mutation, _compiled(mutation))


def _compiled(mutation: Mutation) -> Any:
    target, _, dialect = mutation.target.partition(":")
    return compile_policy(
        mutation.sound_policy(),
        target,
        replace(mutation.vocabulary),  # as fresh as the policy
        allow=("over", "under"),
        dialect=dialect or None,
        **mutation.options,
    )


def _verified(mutation: Mutation, artifact: Any) -> TargetReport:
    vocabulary = replace(mutation.vocabulary)
    (report,) = verify(mutation.sound_policy(), vocabulary, artefacts=[artifact], prefixes=PREFIXES).targets
    return report


def result(owner: Any, name: str, change: Callable[[Any], Any]) -> Seed:
    """A function whose result comes out changed."""
    return instead(owner, name, lambda original: lambda *args: change(original(*args)))


def instead(owner: Any, name: str, make: Callable[[Function], Function]) -> Seed:
    """Another function in the place of one, made from it."""

    def seed(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(owner, name, make(getattr(owner, name)))

    return seed


def value(owner: Any, name: str, change: Callable[[Any], Any]) -> Seed:
    """A constant that comes out changed."""

    def seed(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(owner, name, change(getattr(owner, name)))

    return seed


def together(*seeds: Seed) -> Seed:
    """Several faults at once, such as the same misunderstanding in two places."""

    def seed(patch: pytest.MonkeyPatch) -> None:
        for each in seeds:
            each(patch)

    return seed
