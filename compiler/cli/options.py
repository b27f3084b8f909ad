"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce, wraps
from operator import and_
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from langc.compiler.cli.usage import wrong
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy

Command = TypeVar("Command", bound=Callable[..., Any])


def color_option(command: Command) -> Command:
    """`--color`: applied at once, so that errors in the rest of the command line obey it."""

    def apply(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None:
            ctx.obj.color = value

    choices = click.Choice(["auto", "always", "never"])
    return click.option(
        "--color",
        type=choices,
        is_eager=True,
        expose_value=False,
        callback=apply,
        help="Colours; auto is on a terminal unless NO_COLOR is set.",
    )(command)


def json_option(command: Command) -> Command:
    """`--json`: the console knows it already, because errors before this one need it."""
    return click.option("--json", is_flag=True, expose_value=False, help="Write JSON.")(command)


def policy_argument(command: Command) -> Command:
    """The POLICY to work on."""
    return click.argument("policy", shell_complete=complete_policy)(command)


def policy_option(command: Command) -> Command:
    """`--policy`, for commands whose argument is something else. A second one is refused, not preferred."""

    def only(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> str:
        if len(values) > 1:
            raise LangcError(wrong(f"`--policy` is given {len(values)} times", help="name the others with `--use`"))
        return values[0]

    return click.option(
        "--policy",
        required=True,
        multiple=True,
        callback=only,
        metavar="POLICY",
        shell_complete=complete_policy,
        help="File or ready policy.",
    )(command)


def tokenizer_option(command: Command) -> Command:
    """`--tokenizer`, for what is bound to a vocabulary."""
    return click.option(
        "--tokenizer",
        metavar="PATH",
        type=click.Path(),
        help="The model's tokenizer: tokenizer.json, a GGUF file, a tiktoken rank file.",
    )(command)


def env_option(command: Command) -> Command:
    """`--env`, for surfaces: a mapping of names to sources, or the one source of the only environment (key "")."""

    def named(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
        return dict(_named_source(value) for value in values)

    return click.option(
        "--env",
        multiple=True,
        callback=named,
        metavar="[NAME=]SOURCE",
        help="For a surface: where its names come from, e.g. shop.db, schema.sql, names.json. Repeatable.",
    )(command)


def sources(env: Mapping[str, str]) -> str | Mapping[str, str] | None:
    """What `--env` gave, as `load_surface` takes it."""
    return env[""] if set(env) == {""} else env or None


def _named_source(value: str) -> tuple[str, str]:
    name, sign, source = value.partition("=")
    return (name, source) if sign and name.isidentifier() else ("", value)


def use_option(command: Command) -> Command:
    """`--use`, for policies that are obeyed as well."""
    return click.option(
        "--use",
        multiple=True,
        metavar="POLICY",
        shell_complete=complete_policy,
        help="Obey this policy too; may be given several times.",
    )(command)


_STRENGTH = ("use", "mode", "bias", "exempt", "inside", "json_strings", "json_schema")
Strength = Mapping[str, Any]
"""The arguments of `Policy.with_`, and the policies to join under `use`."""


def strength_options(command: Command) -> Command:
    """`--use`, `--mode`, `--bias`, `--exempt`, `--inside` and those of JSON: the command gets them as `strength`."""

    @wraps(command)
    def gathered(*args: Any, **given: Any) -> Any:
        strength = {name: given.pop(name) for name in _STRENGTH}
        return command(*args, strength=strength, **given)

    made: Any = gathered
    for option in (
        click.option(
            "--json-schema",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Texts are JSON that is valid against this schema; the rules hold for its strings.",
        ),
        click.option(
            "--json-strings",
            is_flag=True,
            default=None,
            help="Texts are JSON: the rules hold for its strings, keys too.",
        ),
        click.option("--inside", metavar="REGION", help="The text begins in this region: the prompt has opened it."),
        click.option("--exempt", metavar="REGIONS", help="Permit everything in these: code, think, or code,think."),
        click.option("--bias", type=float, metavar="X", help="What a violation costs in soft mode, in logits."),
        click.option("--mode", metavar="hard|soft", help="Mask violations, or only make them costly."),
        use_option,
    ):
        made = option(made)
    return cast("Command", made)


def load(policy: str, strength: Strength) -> Policy:
    """The policy as the command line asks for it. Raises PolicyError."""
    from langc.compiler.api import load_policy

    given = dict(strength)
    return joined(load_policy(policy), given.pop("use")).with_(**given)


def joined(policy: Policy, others: Iterable[str]) -> Policy:
    """The policy, which obeys the others as well. Raises PolicyError."""
    from langc.compiler.api import load_policy

    return reduce(and_, map(load_policy, others), policy)


def policy_warnings(policy: Policy) -> tuple[Diagnostic, ...]:
    """What there is to say about the policy's file, what it changes, and its JSON schema, although it is no error.

    Raises PolicyError for what is wrong with a surface that stands in the file.
    """
    from langc.compiler.syntax.parse import parse_source

    source = policy.lowered.source
    found = (*parse_source(source).warnings, *policy.lowered.warnings, *policy.warnings)
    if "surface" not in source.text:
        return found
    from langc.compiler.surfaces.syntax.read import check_surfaces

    return (*found, *check_surfaces(source).warnings)


def complete_policy(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ready policies, and files."""
    from langc.compiler import ready

    names = [CompletionItem(name) for name in ready.names() if name.startswith(incomplete)]
    return [*names, CompletionItem(incomplete, type="file")]
