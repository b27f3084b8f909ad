"""What is verified: artefacts compiled for the purpose.

Invariant: everything is compiled before anything is compared. A target that the user named and that cannot carry the
policy in any of its dialects is the user's error; one that was only tried is reported as refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from langc import targets
from langc.compiler.errors import LangcError, LimitError, UnsupportedError
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.target import Artifact
from langc.compiler.tokens.vocabulary import Vocabulary


@dataclass(frozen=True)
class Choice:
    """One dialect of one target; None if it has no dialects."""

    target: str
    dialect: str | None


@dataclass(frozen=True)
class Refusal:
    """A target that makes nothing of this policy, and why."""

    choice: Choice
    error: LangcError

    @property
    def message(self) -> str:
        """The code and what it says, for a report."""
        return "; ".join(f"{d.code}: {d.message}" for d in self.error.diagnostics)


def compile_all(
    policy: Policy, vocabulary: Vocabulary, names: Sequence[str] | None, allow: Collection[str]
) -> list[Artifact | Refusal]:
    """The artefact of every choice, in order; of all targets if `names` is None.

    Raises:
        UnsupportedError, LimitError: a target out of `names` refuses the policy, or there is none of that name.
        PolicyError: the policy permits nothing, or nothing that this vocabulary can spell.
    """
    made: dict[Choice, Artifact | Refusal] = {}
    for name in targets.names() if names is None else names:
        found = [made.setdefault(c, _compile(policy, vocabulary, c, allow)) for c in choices(name) if c not in made]
        refused = [f.error for f in found if isinstance(f, Refusal)]
        if names is not None and refused and len(refused) == len(found):
            raise refused[0]
    return list(made.values())


def choices(name: str) -> Iterator[Choice]:
    """`regex` stands for all its dialects, `regex:rust` for one. Raises UnsupportedError (LC0504)."""
    target, colon, dialect = name.partition(":")
    known = targets.get(target).dialects
    yield from (Choice(target, d) for d in ([dialect] if colon else known or [None]))


def _compile(policy: Policy, vocabulary: Vocabulary, choice: Choice, allow: Collection[str]) -> Artifact | Refusal:
    """Errors of the policy itself pass through: they are raised whatever the target."""
    try:
        return compile_policy(policy, choice.target, vocabulary, allow=allow, dialect=choice.dialect)
    except (UnsupportedError, LimitError) as error:
        return Refusal(choice, error)
