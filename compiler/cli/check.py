"""`langc check`: every violation in finished texts, with figures."""

from __future__ import annotations

from collections.abc import Sequence

import click

from langc.compiler.checking import CheckReport, Figures, StreamChecker, Violation
from langc.compiler.cli.console import Console
from langc.compiler.cli.files import read_chunks, shown
from langc.compiler.cli.options import Strength, color_option, json_option, load, policy_option, strength_options
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy
from langc.compiler.render import visible

_LONGEST = 40
"""Characters of a violation that are shown."""


@click.command(
    epilog="""\b
Examples:
  langc check answers/*.txt --policy ko
  curl … | langc check - --policy ko.policy --exempt code
  langc check log.txt --policy ko --json | jq .total.ratio
"""
)
@click.argument("files", nargs=-1, required=True, metavar="FILES...", type=click.Path())
@policy_option
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are violations.")
@strength_options
@json_option
@color_option
@click.pass_obj
def command(
    console: Console,
    files: tuple[str, ...],
    policy: str,
    exit_zero: bool,
    strength: Strength,
) -> int:
    """Report what in FILES the policy does not permit.

    FILES may be - for stdin. Exits with 1 if there is a violation, with 2 if a file cannot be read or is not UTF-8.
    """
    loaded = load(policy, strength)
    reports: dict[str, CheckReport] = {}
    errors: list[LangcError] = []
    for path in dict.fromkeys(files):
        name = shown(path)
        try:
            reports[name] = check_file(path, loaded)
        except LangcError as error:
            errors.append(error)
            continue
        if not console.json:
            _print(console, name, loaded, reports[name])
    if console.json and reports:
        console.result(_json(loaded, reports))
    elif len(reports) > 1:
        _print_total(console, reports)
    if errors:
        raise LangcError(d for error in errors for d in error.diagnostics)
    return 0 if exit_zero or all(r.ok for r in reports.values()) else 1


def check_file(path: str, policy: Policy) -> CheckReport:
    """The report on one file, read a piece at a time. Raises LangcError if it cannot be read or is not UTF-8."""
    checker = StreamChecker(policy, shown(path))
    for chunk in read_chunks(path):
        checker.feed(chunk)
    checker.finish()
    return checker.report()


def _json(policy: Policy, reports: dict[str, CheckReport]) -> dict[str, object]:
    total = sum(reports.values(), Figures())
    count = sum(len(r.violations) for r in reports.values())
    return {
        "policy": policy.name,
        "policy_sha256": policy.hash,
        "files": [{"file": name, **report.to_json()} for name, report in reports.items()],
        "total": {"ok": count == 0, "violation_count": count, **total.to_json()},
    }


def _print(console: Console, name: str, policy: Policy, report: CheckReport) -> None:
    for violation in report.violations:
        console.out(_line(name, policy, violation))
    console.out(f"{visible(name)}: {_figures(report, len(report.violations))}")


def _print_total(console: Console, reports: dict[str, CheckReport]) -> None:
    total = sum(reports.values(), Figures())
    count = sum(len(r.violations) for r in reports.values())
    failed = sum(not r.ok for r in reports.values())
    console.out(f"total: {len(reports)} files, {failed} with violations; {_figures(total, count)}")


def _line(name: str, policy: Policy, violation: Violation) -> str:
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


def _figures(figures: Figures, count: int) -> str:
    parts: Sequence[str] = (
        "no violations" if not count else f"{count:,} violation{'s' * (count > 1)}",
        f"{figures.denied:,} of {figures.letters:,} letters denied ({figures.ratio:.2%})",
        f"{figures.replacement_chars:,} × U+FFFD",
        f"{figures.line_pass_rate:.2%} of {figures.lines:,} lines pass",
    )
    return ", ".join(parts)
