"""`langc verify`: whether all artefacts of a policy mean the same as the policy."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from langc import targets
from langc.compiler.api import load_vocabulary, verify
from langc.compiler.cli.console import Console, to_json
from langc.compiler.cli.native_output import dropped
from langc.compiler.cli.options import (
    Strength,
    color_option,
    json_option,
    load,
    policy_argument,
    policy_warnings,
    strength_options,
    tokenizer_option,
)
from langc.compiler.cli.progress import progress
from langc.compiler.cli.usage import wrong
from langc.compiler.errors import LangcError


def _complete_targets(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names and `NAME:DIALECT`, after the last comma."""
    before, comma, last = incomplete.rpartition(",")
    dialects = (f"{name}:{d}" for name in targets.names() for d in targets.get(name).dialects if ":" in last)
    found = [*targets.names(), *dialects]
    return [CompletionItem(before + comma + name) for name in found if name.startswith(last)]


def _complete_target(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in targets.names() if name.startswith(incomplete)]


@click.command(
    epilog="""\b
Examples:
  langc verify ko
  langc verify ko.policy --tokenizer tokenizer.json
  langc verify ko --targets gbnf,regex:rust
  langc verify ko.policy build/ko.gbnf build/ko.bias.json --tokenizer tokenizer.json
  langc verify ko.policy by-hand.gbnf --target gbnf
  langc verify ko.policy build/* --json | jq '.targets[] | select(.verdict == "differs")'
"""
)
@policy_argument
@click.argument("artefacts", nargs=-1, metavar="[ARTEFACT]...", type=click.Path())
@tokenizer_option
@click.option(
    "--targets",
    "names",
    multiple=True,
    metavar="T,T:DIALECT,…",
    shell_complete=_complete_targets,
    help="Compile to these only; may be given several times.",
)
@click.option(
    "--target",
    metavar="TARGET",
    shell_complete=_complete_target,
    help="What an ARTEFACT without a langc header is, one written by hand for instance.",
)
@click.option("--dialect", metavar="NAME", help="The dialect of such an ARTEFACT.")
@click.option(
    "--prefixes",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many prefixes to try an engine on, at most [1000, or one for each state; 300 for llama.cpp].",
)
@click.option(
    "--allow",
    default="over,under",
    metavar="FLAGS",
    show_default=True,
    help="The ways in which an artefact that says so may be inexact; none if empty.",
)
@strength_options
@json_option
@color_option
@click.pass_obj
def command(
    console: Console,
    /,
    policy: str,
    artefacts: tuple[str, ...],
    tokenizer: str | None,
    names: tuple[str, ...],
    target: str | None,
    dialect: str | None,
    prefixes: int | None,
    allow: str,
    strength: Strength,
) -> int:
    """Compare what a POLICY permits with what its artefacts permit, and with what real engines make of them.

    Without ARTEFACT the policy is compiled to every target. Artefacts are read back into automata and compared exactly;
    engines that are installed are run on prefixes that reach every state, and their whole masks compared. Without
    --tokenizer the vocabulary is the 256 single bytes.

    Exits with 1 if there is a difference that neither the artefact's header nor a known fault of an engine explains.
    """
    if not artefacts and (target or dialect):
        raise LangcError(wrong("--target and --dialect are for an ARTEFACT", help="to compile to it: `--targets`"))
    loaded = load(policy, strength)
    with dropped(), progress(console) as tell:
        tell("reading the vocabulary", 0, 0)
        vocabulary = load_vocabulary(tokenizer) if tokenizer else None
        report = verify(
            loaded,
            vocabulary,
            targets=_split(names),
            artefacts=artefacts,
            target=target,
            dialect=dialect,
            prefixes=prefixes,
            tokenizer=tokenizer,
            allow=allow,
            progress=tell,
        )
    warnings = (*policy_warnings(loaded), *(vocabulary.warnings if vocabulary else ()))
    if console.json:
        console.result(report.to_json() | {"warnings": to_json(warnings)})
    else:
        from langc.compiler.cli.agreement import lines

        console.report(warnings)
        console.out("\n".join(lines(report)))
    return 0 if report.ok else 1


def _split(names: tuple[str, ...]) -> list[str] | None:
    """The names of all `--targets`; None if there are none, so that all targets are meant."""
    found = [name.strip() for given in names for name in given.split(",") if name.strip()]
    if names and not found:
        raise LangcError(wrong("--targets names no target", help="see `langc targets`"))
    return found or None
