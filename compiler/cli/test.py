"""`langc test`: the accept and reject lines that live with a policy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import click

from langc.compiler.checking.check import check
from langc.compiler.cli.console import Console, to_json
from langc.compiler.cli.options import (
    color_option,
    env_option,
    joined,
    json_option,
    policy_argument,
    policy_warnings,
    sources,
    use_option,
)
from langc.compiler.diagnostics import Diagnostic, Label, Severity
from langc.compiler.ir.nodes import Example
from langc.compiler.policy import Policy
from langc.compiler.unicode import names


@click.command(
    epilog="""\b
Examples:
  langc test ko
  langc test policies.policy          # every policy in the file
  langc test policies.policy:chat     # one of them
  langc test shell.policy             # surfaces are checked
  langc test house.policy --env shop.db    # a policy that names a surface
"""
)
@policy_argument
@use_option
@env_option
@json_option
@color_option
@click.pass_obj
def command(console: Console, policy: str, use: tuple[str, ...], env: dict[str, str]) -> int:
    """Run the accept and reject lines of a POLICY.

    Of a file with several policies all are tested. Exits with 1 if a line fails.

    POLICY may be a surface, or a file of surfaces: they are read and checked. The lines of a policy that names a
    surface are about texts of that surface.
    """
    from langc.compiler.api import load_policies
    from langc.compiler.surfaces.syntax.choose import is_surface

    if is_surface(policy):
        return _check_surfaces(console, policy)
    policies = [joined(p, use) for p in load_policies(policy)]
    failed = {p.name: list(failures(p, _judge(p, env))) for p in policies}
    told = dict.fromkeys(w for p in policies for w in policy_warnings(p))
    warnings = [*told, *map(_no_tests, filter(_is_untested, policies))]
    is_ok = not any(failed.values())
    if console.json:
        results = [_json(p, failed[p.name]) for p in policies]
        console.result({"ok": is_ok, "policies": results, "warnings": to_json(warnings)})
    else:
        console.report(warnings)
        for p in policies:
            _print(console, p, failed[p.name])
    return 0 if is_ok else 1


def _check_surfaces(console: Console, named: str) -> int:
    """Reads all surfaces of a file. Raises LangcError for what is wrong with one."""
    from langc.compiler.surfaces.syntax.choose import surfaces_of

    surfaces, warnings = surfaces_of(named)
    if console.json:
        console.result(
            {"ok": True, "surfaces": [{"surface": name} for name in surfaces], "warnings": to_json(warnings)}
        )
        return 0
    console.report(warnings)
    for name in surfaces:
        console.out(f"{name}: a surface without errors")
    return 0


def _judge(policy: Policy, env: Mapping[str, str]) -> Callable[[str], int | None]:
    """What says where a text is refused. Raises LangcError if the policy names a surface without names."""
    if not policy.lowered.surfaces:
        return policy.first_violation
    from langc.compiler.surfaces.loaded import load_surface

    return load_surface(policy, sources(env)).refused_at


def failures(policy: Policy, judge: Callable[[str], int | None] | None = None) -> Iterator[Diagnostic]:
    """One diagnostic for each line that does not hold. `judge` says where a text is refused, if not the policy."""
    for example in policy.lowered.examples:
        found = policy.first_violation(example.text) if judge is None else judge(example.text)
        if example.accept and found is not None:
            yield _failure("LC0801", f"this text is refused at offset {found}", policy, example)
        elif not example.accept and found is None:
            yield _failure("LC0802", "this text is permitted", policy, example)
        elif not example.accept and example.at not in (None, found):
            yield _failure("LC0803", f"this text is refused at offset {found}, not {example.at}", policy, example)


def _failure(code: str, message: str, policy: Policy, example: Example) -> Diagnostic:
    """With the character and the rule that refuse the text, if any do."""
    source = policy.lowered.source
    refused = next(iter(check(example.text, policy.beside_surface).violations), None)
    if refused is None:
        return Diagnostic(code, message, Label(source, example.span))
    at = f"offset {refused.offset}: {names.show(refused.code_point)}"
    place = refused.place
    return Diagnostic(
        code,
        message,
        Label(source, example.span, at + (" in a permitted term that is broken off" * refused.is_cut_short)),
        (replace(place, message="refused here"),) if place else (),
        data={"at": refused.offset},
    )


def _is_untested(policy: Policy) -> bool:
    return not policy.lowered.examples


def _no_tests(policy: Policy) -> Diagnostic:
    return Diagnostic(
        "LC0804",
        f"policy {policy.name} has no tests",
        Label(policy.lowered.source, policy.lowered.span),
        help='add lines such as `accept "…";` and `reject "…" at 0;`',
        severity=Severity.WARNING,
    )


def _json(policy: Policy, failed: list[Diagnostic]) -> dict[str, object]:
    return {"policy": policy.name, "tests": len(policy.lowered.examples), "failures": to_json(failed)}


def _print(console: Console, policy: Policy, failed: list[Diagnostic]) -> None:
    count = len(policy.lowered.examples)
    for diagnostic in failed:
        console.out(console.rendered([diagnostic], sys.stdout) + "\n")
    outcome = f"{len(failed)} of {count} tests fail" if failed else f"{count} tests, all pass"
    console.out(f"{policy.name}: {outcome}")
