"""The IR of one policy: its rules with their places, its examples, and the language they denote.

Invariant: `rules` says who is to blame (spans, text), `language` says what they permit; passes rewrite
`language` and never the rules. Until the last pass `language` is that of the policy's own rules, and `used` stands
beside it. Everything is immutable.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import reduce
from operator import and_

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.ir.kinds import Kind
from langc.compiler.ir.language import ANY_TEXT, Language, Pattern
from langc.compiler.ir.phrases import Phrase
from langc.compiler.source import Source, Span
from langc.compiler.unicode.intervals import SCALARS, IntervalSet, union

NO_SOURCE = Source("<policy>", "")


LEAST_COST, MOST_COST = 1.2e-38, 3.4e38
"""The range of a normal float32, as logits are: outside, a violation would cost nothing, or be masked."""


class RuleKind(Enum):
    """`deny` takes away, `only` takes all others away, `allow` gives back, `stop` ends the text, `discourage` costs."""

    DENY = "deny"
    ONLY = "only"
    ALLOW = "allow"
    STOP = "stop on"
    STOP_BEFORE = "stop before"
    DISCOURAGE = "discourage"


@dataclass(frozen=True)
class Rule:
    """One rule line. `members` are its characters, `terms` its strings of two or more (`allow` only)."""

    kind: RuleKind
    members: IntervalSet
    terms: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    """Sequences of sets, each standing for one character (`allow` only)."""
    phrases: tuple[Phrase, ...] = ()
    """What must not occur (`deny`), or terms that ask for boundaries (`allow`)."""
    cost: float | None = None
    """In logits (`discourage` only)."""
    most: int | None = field(default=None, compare=False)
    """The largest length of the region that it stands in (`only … up to` only); the region's kinds have it, too."""
    replacement: str | None = None
    """What stands for the denied text in one that is mended (`replace`, which denies)."""
    text: str = field(default="", compare=False)
    """The rule as `langc fmt` prints it, on one line."""
    span: Span = field(default=Span(0, 0), compare=False)
    source: Source = field(default=NO_SOURCE, compare=False)

    def refuses(self, symbol: int) -> bool:
        """Whether this rule alone takes the character away."""
        if self.kind is RuleKind.DENY:
            return symbol in self.members
        return self.kind is RuleKind.ONLY and symbol not in self.members


def permitted(rules: Iterable[Rule]) -> IntervalSet:
    """The characters that the rules of one scope permit by themselves, whatever stands around them."""
    sets: dict[RuleKind, list[IntervalSet]] = {kind: [] for kind in RuleKind}
    for rule in rules:
        sets[rule.kind].append(rule.members)
    limited = reduce(and_, sets[RuleKind.ONLY], SCALARS)
    return (limited - union(sets[RuleKind.DENY])) | union(sets[RuleKind.ALLOW])


@dataclass(frozen=True)
class Region:
    """A part of the text with rules of its own; without any, everything is permitted in it."""

    name: str
    kinds: tuple[Kind, ...]
    rules: tuple[Rule, ...] = ()
    language: Language = ANY_TEXT
    """Of what stands between the delimiters."""
    unclosed: bool | None = None
    """Whether the text may end inside it; None is as each kind has it."""
    surface: str | None = None
    """The name of the surface that what stands in it is of. Its language is no part of `language`."""
    span: Span = field(default=Span(0, 0), compare=False)
    source: Source = field(default=NO_SOURCE, compare=False)
    unclosed_at: Label | None = field(default=None, compare=False)
    """The line that says so."""


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
    regions: tuple[Region, ...] = ()
    """The parts of a text in which other rules hold than the policy's own."""
    exempt: tuple[str, ...] = ()
    """Names of ready regions in which this policy's own rules are suspended (see `passes/open_regions.py`)."""
    inside: str | None = None
    """The region that the text begins in: a prompt has opened it already."""
    json_strings: bool = False
    """Whether texts are JSON whose strings obey the policy (see `passes/fill_schema.py`)."""
    schema: Source | None = None
    """A JSON schema: texts are JSON that is valid against it, and their strings obey the policy."""
    surface: str | None = None
    """The name of the surface that texts are of. Its language is no part of `language`."""
    used: tuple[PolicyIR, ...] = ()
    """The policies that it obeys too, directly or by way of others: each once, and none with `used` of its own."""
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)
    """What there is to say of it that only linking can know."""
    source: Source = field(default=NO_SOURCE, compare=False)
    span: Span = field(default=Span(0, 0), compare=False)

    @property
    def scopes(self) -> tuple[PolicyIR, ...]:
        """The policy itself and those it uses. A text is permitted if every one of them permits it."""
        return (self, *self.used)

    @property
    def surfaces(self) -> tuple[str, ...]:
        """The surfaces that it and those it uses ask for, of texts or in regions, each once."""
        return tuple(dict.fromkeys(name for scope in self.scopes for name in scope.own_surfaces))

    @property
    def surface_regions(self) -> tuple[Region, ...]:
        """Its own regions in which there is a surface, but for those that are exempt."""
        return tuple(r for r in self.regions if r.surface is not None and r.name not in self.exempt)

    @property
    def own_surfaces(self) -> tuple[str, ...]:
        """Those that it asks for itself."""
        named = (self.surface, *(region.surface for region in self.surface_regions))
        return tuple(name for name in named if name is not None)

    def without_surfaces(self) -> PolicyIR:
        """All that is asked of a text beside the surfaces that it, or what stands in its regions, is of."""
        regions = tuple(replace(region, surface=None) for region in self.regions)
        return replace(self, surface=None, regions=regions, used=tuple(each.without_surfaces() for each in self.used))

    @property
    def is_json(self) -> bool:
        """Whether texts are JSON, and the rules hold for its strings."""
        return self.json_strings or self.schema is not None

    @property
    def denials(self) -> tuple[Rule, ...]:
        """The rules that deny phrases, those of regions among them."""
        rules = (*self.rules, *(rule for region in self.regions for rule in region.rules))
        return tuple(r for r in rules if r.kind is RuleKind.DENY and r.phrases)

    def blame(self, symbol: int) -> Rule | None:
        """The first rule of all scopes that takes a character away, unless an `allow` beside it gives it back."""
        for scope in self.scopes:
            if not any(r.kind is RuleKind.ALLOW and symbol in r.members for r in scope.rules):
                found = next((r for r in scope.rules if r.refuses(symbol)), None)
                if found:
                    return found
        return None
