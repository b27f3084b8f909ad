"""`langc check`: every violation in finished texts, with figures; and what replaces them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import click

from langc.compiler.checking.check import StreamChecker
from langc.compiler.checking.report import CheckReport, Figures
from langc.compiler.cli import surface_check
from langc.compiler.cli.console import Console
from langc.compiler.cli.files import STREAM, read_chunks, shown
from langc.compiler.cli.frozen import check_frozen
from langc.compiler.cli.mended import Mended, mend_file, require_one_stream, show_diffs, write_mended
from langc.compiler.cli.options import (
    Strength,
    color_option,
    env_option,
    json_option,
    load,
    policy_option,
    strength_options,
)
from langc.compiler.cli.surface_compile import load_given
from langc.compiler.cli.usage import wrong
from langc.compiler.cli.violations import figures, line
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy
from langc.compiler.render import visible


@click.command(
    epilog="""\b
Examples:
  langc check answers/*.txt --policy ko
  curl … | langc check - --policy ko.policy --exempt code
  langc check log.txt --policy ko --json | jq .total.ratio
  langc check notes/*.md --policy house.policy --fix      # write what `replace` lines say
  langc check query.sql --policy sql --env shop.db        # names that are not in shop.db, and what was meant
  langc check query.sql --policy sql --use house.policy --env shop.db
  langc check build/ko.* --policy ko.policy --frozen      # artefacts: were they made from ko.policy as it is now?
"""
)
@click.argument("files", nargs=-1, required=True, metavar="FILES...", type=click.Path())
@policy_option
@env_option
@click.option("--fix", is_flag=True, help="Replace what the policy has a replacement for; report what is left.")
@click.option("--diff", is_flag=True, help="As --fix, but write nothing; show what would change.")
@click.option("--frozen", is_flag=True, help="FILES are artefacts: exit with 1 if POLICY has changed since.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are violations.")
@strength_options
@json_option
@color_option
@click.pass_obj
def command(
    console: Console,
    files: tuple[str, ...],
    policy: str,
    env: dict[str, str],
    fix: bool,
    diff: bool,
    frozen: bool,
    exit_zero: bool,
    strength: Strength,
) -> int:
    """Report what in FILES the policy does not permit.

    FILES may be - for stdin. Exits with 1 if there is a violation, with 2 if a file cannot be read or is not UTF-8.

    With --fix, what a `replace` line denies is replaced in the files, in place; the text of stdin goes to stdout and
    the report to stderr. A file with nothing to replace is left alone.

    POLICY may be a surface: then each file is one text of it, and names that do not exist are reported. For a policy
    that names a surface, and with --use, so is what the policy does not permit.

    With --frozen, FILES are what `langc compile` wrote: reported is whether POLICY, the names and Unicode are those
    that a file was made from, by the digests in its header.
    """
    from langc.compiler.surfaces.syntax.choose import is_surface

    fixes = fix or diff
    if fixes and frozen:
        raise LangcError(wrong("--fix and --diff are for texts, --frozen is for artefacts", help="leave one out"))
    loaded = None if is_surface(policy) else load(policy, strength)
    if loaded is None or loaded.lowered.surfaces:
        if fixes:
            raise LangcError(wrong("--fix and --diff are for policies without a surface", help="leave them out"))
        given = load_given(policy, loaded, env, strength)
        report = check_frozen if frozen else surface_check.check_files
        return report(console, files, given, exit_zero)
    if env:
        raise LangcError(wrong("--env is for surfaces", help=f"{policy} is a policy that names none; leave it out"))
    if frozen:
        return check_frozen(console, files, loaded, exit_zero)
    is_left = _check_files(console, files, loaded, fixes, diff)
    return int(is_left and not exit_zero)


def _check_files(console: Console, files: tuple[str, ...], policy: Policy, fixes: bool, diff: bool) -> bool:
    """Whether a violation is left. Raises LangcError for files that cannot be read, when the others are reported on."""
    if fixes:
        require_one_stream(files)
    reports: dict[str, CheckReport] = {}
    mended: dict[str, Mended] = {}
    errors: list[LangcError] = []
    for path in dict.fromkeys(files):
        try:
            if fixes:
                mended[path] = mend_file(path, policy)
                reports[path] = mended[path].report
            else:
                reports[path] = check_file(path, policy)
        except LangcError as error:
            errors.append(error)
            continue
        if not fixes and not console.json:
            _print(console.out, path, policy, reports[path])
    if diff:
        show_diffs(console, mended.items())
    elif fixes:
        write_mended(console, mended)
    _conclude(console, policy, reports, mended, to_stdout=not (diff or STREAM in mended))
    if errors:
        raise LangcError(d for error in errors for d in error.diagnostics)
    return not all(r.ok for r in reports.values()) or (diff and any(m.is_changed for m in mended.values()))


def _conclude(
    console: Console,
    policy: Policy,
    reports: Mapping[str, CheckReport],
    mended: Mapping[str, Mended],
    to_stdout: bool,
) -> None:
    """The report on what was mended, which is not said before it is written; the total, or the JSON."""
    if console.json:
        if reports:
            console.result(_json(policy, reports, mended))
        return
    say = console.out if to_stdout else console.note
    for path, each in mended.items():
        _print(say, path, policy, each.report, each.replaced)
    if len(reports) > 1:
        _print_total(say, reports, sum(m.replaced for m in mended.values()))


def check_file(path: str, policy: Policy) -> CheckReport:
    """The report on one file, read a piece at a time. Raises LangcError if it cannot be read or is not UTF-8."""
    checker = StreamChecker(policy, shown(path))
    for chunk in read_chunks(path):
        checker.feed(chunk)
    checker.finish()
    return checker.report()


def _json(policy: Policy, reports: Mapping[str, CheckReport], mended: Mapping[str, Mended]) -> dict[str, object]:
    total = sum(reports.values(), Figures())
    count = sum(len(r.violations) for r in reports.values())
    facts = {path: m.to_json(with_text=path == STREAM) for path, m in mended.items()}
    replaced = {"replaced": sum(m.replaced for m in mended.values())} if mended else {}
    return {
        "policy": policy.name,
        "policy_sha256": policy.hash,
        "files": [{"file": shown(p), **facts.get(p, {}), **report.to_json()} for p, report in reports.items()],
        "total": {"ok": count == 0, **replaced, "violation_count": count, **total.to_json()},
    }


def _print(say: Callable[[str], None], path: str, policy: Policy, report: CheckReport, replaced: int = 0) -> None:
    for violation in report.violations:
        say(line(shown(path), policy, violation))
    say(f"{visible(shown(path))}: {_replaced(replaced)}{figures(report, len(report.violations))}")


def _print_total(say: Callable[[str], None], reports: Mapping[str, CheckReport], replaced: int) -> None:
    total = sum(reports.values(), Figures())
    count = sum(len(r.violations) for r in reports.values())
    failed = sum(not r.ok for r in reports.values())
    counted = figures(total, count)
    say(f"total: {len(reports)} files, {failed} with violations; {_replaced(replaced)}{counted}")


def _replaced(count: int) -> str:
    return f"{count:,} replaced, " if count else ""
