"""The IR of one policy: its rules with their places, its examples, and the language they denote.

Invariant: `rules` says who is to blame (spans, text), `language` says what is permitted; passes rewrite
`language` and never the rules. Everything is immutable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from langc.compiler.ir.language import Language, Pattern
from langc.compiler.source import Source, Span
from langc.compiler.unicode.intervals import IntervalSet


class RuleKind(Enum):
    """`deny` takes characters away, `only` takes all others away, `allow` gives back."""

    DENY = "deny"
    ONLY = "only"
    ALLOW = "allow"


@dataclass(frozen=True)
class Rule:
    """One rule line. `members` are its characters, `terms` its strings of two or more (`allow` only)."""

    kind: RuleKind
    members: IntervalSet
    terms: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    """Sequences of sets, each standing for one character (`allow` only)."""
    text: str = field(default="", compare=False)
    """The rule as `langc fmt` prints it, on one line."""
    span: Span = field(default=Span(0, 0), compare=False)

    def refuses(self, symbol: int) -> bool:
        """Whether this rule alone takes the character away."""
        if self.kind is RuleKind.DENY:
            return symbol in self.members
        return self.kind is RuleKind.ONLY and symbol not in self.members


@dataclass(frozen=True)
class Example:
    """An `accept` or `reject` line; `at` is the offset of the first violation in code points."""

    text: str
    accept: bool
    at: int | None
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True)
class PolicyIR:
    """One policy, lowered."""

    name: str
    doc: str | None
    rules: tuple[Rule, ...]
    language: Language
    examples: tuple[Example, ...] = ()
    exempt: tuple[str, ...] = ()
    """Names of the regions in which everything is permitted (see `passes/exempt_regions.py`)."""
    source: Source = field(default=Source("<policy>", ""), compare=False)
    span: Span = field(default=Span(0, 0), compare=False)
