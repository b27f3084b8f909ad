"""Violations in words: a line for each, and the figures of a report."""

from __future__ import annotations

from collections.abc import Sequence

from langc.compiler.checking.report import Figures, Violation
from langc.compiler.policy import Policy
from langc.compiler.render import visible

_LONGEST = 40
"""Characters of a violation that are shown."""


def line(name: str, policy: Policy, violation: Violation) -> str:
    """`FILE:LINE:COLUMN: SCRIPT "TEXT" (U+XXXX NAME): RULE`, and where the rule stands if that is elsewhere."""
    text = violation.text if len(violation.text) <= _LONGEST else violation.text[:_LONGEST] + "…"
    length = f", {len(violation.text):,} characters" if len(violation.text) > 1 else ""
    broken = ", broken off" if violation.is_cut_short else ""
    what = f"{violation.script} “{visible(text)}” ({violation.description}{length}{broken})"
    rule = visible(violation.rule) + _scope(policy, violation)
    return f"{visible(name)}:{violation.line}:{violation.column}: {what}: {rule}"


def _scope(policy: Policy, violation: Violation) -> str:
    """The region and the used policy that a rule stands in, with its place."""
    named = f"region {violation.region}" if violation.region and not violation.is_unclosed else ""
    used = f"policy {violation.policy}" if violation.policy != policy.name else ""
    inside = " of ".join(filter(None, (named, used)))
    written = f", {visible(violation.rule_at)}" if violation.rule_at else ""
    return f" ({inside}{written})" if inside else ""


def figures(found: Figures, count: int) -> str:
    """The figures of a report with so many violations."""
    parts: Sequence[str] = (
        "no violations" if not count else f"{count:,} violation{'s' * (count > 1)}",
        f"{found.denied:,} of {found.letters:,} letters denied ({found.ratio:.2%})",
        f"{found.replacement_chars:,} × U+FFFD",
        f"{found.line_pass_rate:.2%} of {found.lines:,} lines pass",
    )
    return ", ".join(parts)
