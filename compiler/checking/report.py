"""What a check finds: violations, and what was counted.

Invariant: a violation's `text` is what stands in the checked text from `start` on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from langc.compiler.diagnostics import Label
from langc.compiler.unicode import names


@dataclass(frozen=True)
class Violation:
    """A stretch of text that the policy does not permit. Offsets count code points from 0.

    Where a permitted term was broken off, `start` lies before `offset` and `text` begins with the piece of the
    term; `offset` is the text's length if the text ended inside the term.
    """

    offset: int
    """The first code point after which no permitted text is left."""
    line: int
    """Of `offset`, from 1."""
    column: int
    """Of `offset` in its line, from 1, in code points."""
    start: int
    text: str
    rule: str
    """The rule that takes the first character away, as `langc fmt` prints it; `unclosed NAME: forbid` or `region NAME`
    for a region that is not closed; `policy NAME` if it is laid to no rule."""
    code_point: int
    """The first character of `text` that a rule takes away."""
    scripts: tuple[str, ...]
    """The scripts of the characters that a rule takes away, in order of appearance."""
    is_phrase: bool = False
    """Whether `text` is a phrase that must not occur. Its `offset` is then where it was certain."""
    policy: str = ""
    """The policy that the rule stands in: the checked one, or one that it uses."""
    region: str | None = None
    """The region whose rule it is, or that is not closed; None outside all regions."""
    place: Label | None = field(default=None, compare=False)
    """Where the rule is written."""

    @property
    def script(self) -> str:
        """The names of the scripts, with commas."""
        return ", ".join(self.scripts)

    @property
    def description(self) -> str:
        """`U+XXXX NAME` of the code point."""
        return names.describe(self.code_point)

    @property
    def rule_at(self) -> str | None:
        """`FILE:LINE:COLUMN` of the rule, if it is written anywhere."""
        if self.place is None:
            return None
        line, column = self.place.source.line_column(self.place.span.start)
        return f"{self.place.source.name}:{line}:{column}"

    @property
    def is_unclosed(self) -> bool:
        """Whether the text ends inside a region that must be closed."""
        return self.rule in (f"unclosed {self.region}: forbid", f"region {self.region}")

    @property
    def end(self) -> int:
        """The offset behind `text`."""
        return self.start + len(self.text)

    @property
    def is_cut_short(self) -> bool:
        """Whether a permitted term or region began at `start` and was not completed."""
        return self.start < self.offset and not self.is_phrase

    def to_json(self) -> dict[str, object]:
        """The violation as JSON values."""
        return {
            "line": self.line,
            "column": self.column,
            "offset": self.offset,
            "start": self.start,
            "text": self.text,
            "is_phrase": self.is_phrase,
            "rule": self.rule,
            "policy": self.policy,
            "region": self.region,
            "rule_at": self.rule_at,
            "script": self.script,
            "code_point": f"U+{self.code_point:04X}",
            "description": self.description,
        }


@dataclass(frozen=True)
class Figures:
    """What was counted in a text, or in several: `a + b` counts both."""

    letters: int = 0
    """Code points of General_Category L."""
    denied: int = 0
    """The letters among the characters that a rule takes away."""
    replacement_chars: int = 0
    """U+FFFD, which decoders write for bytes that are no character."""
    lines: int = 0
    """Lines that hold anything but their line end."""
    failed_lines: int = 0
    """Those in which a violation stands."""
    by_rule: Mapping[str, int] = field(default_factory=dict)
    """How many characters each rule takes away, and how often each other rule is broken."""
    by_character: Mapping[str, int] = field(default_factory=dict)
    """How often each of these characters stands in the text."""

    @property
    def ratio(self) -> float:
        """Denied letters to all letters; 0 without letters."""
        return self.denied / self.letters if self.letters else 0.0

    @property
    def line_pass_rate(self) -> float:
        """The share of the lines without a violation; 1 without lines."""
        return 1 - self.failed_lines / self.lines if self.lines else 1.0

    def __add__(self, other: Figures) -> Figures:
        return Figures(
            self.letters + other.letters,
            self.denied + other.denied,
            self.replacement_chars + other.replacement_chars,
            self.lines + other.lines,
            self.failed_lines + other.failed_lines,
            Counter(self.by_rule) + Counter(other.by_rule),
            Counter(self.by_character) + Counter(other.by_character),
        )

    def to_json(self) -> dict[str, object]:
        """The figures as JSON values, the most frequent rules and characters first."""
        return {
            "letters": self.letters,
            "denied": self.denied,
            "ratio": self.ratio,
            "replacement_chars": self.replacement_chars,
            "lines": self.lines,
            "line_pass_rate": self.line_pass_rate,
            "by_rule": dict(Counter(self.by_rule).most_common()),
            "by_character": dict(Counter(self.by_character).most_common()),
        }


@dataclass(frozen=True)
class CheckReport(Figures):
    """All violations of a text, in order, and its figures."""

    violations: tuple[Violation, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the policy permits the text."""
        return not self.violations

    def to_json(self) -> dict[str, object]:
        """The report as JSON values."""
        return {"ok": self.ok, **super().to_json(), "violations": [v.to_json() for v in self.violations]}
