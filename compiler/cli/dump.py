"""`langc dump`: every stage of the compiler as stable text."""

from __future__ import annotations

from collections.abc import Callable

import click

from langc.compiler.cli.console import Console
from langc.compiler.cli.options import Strength, color_option, load, policy_argument, strength_options, tokenizer_option
from langc.compiler.cli.surface_dump import dump_surface
from langc.compiler.cli.usage import wrong
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy


def _ast(policy: Policy) -> str:
    from langc.compiler.syntax.dump import dump
    from langc.compiler.syntax.parse import parse_source

    file = parse_source(policy.lowered.source).file
    return dump(next(d for d in file.policies if d.name == policy.name))


def _ir(policy: Policy) -> str:
    from langc.compiler.ir.dump import dump

    return dump(policy.ir)


def _nfa(policy: Policy) -> str:
    from langc.compiler.automata.build import build_nfa
    from langc.compiler.automata.dump import dump_nfa

    return dump_nfa(build_nfa(policy.ir.language))


def _dfa(policy: Policy) -> str:
    from langc.compiler.automata.dump import dump_dfa

    return dump_dfa(policy.dfa)


def _bytes(policy: Policy) -> str:
    from langc.compiler.automata.dump import dump_dfa

    return dump_dfa(policy.byte_dfa)


STAGES: dict[str, Callable[[Policy], str]] = {"ast": _ast, "ir": _ir, "nfa": _nfa, "dfa": _dfa, "bytes": _bytes}
TOKENS = "tokens"


@click.command(
    help="""Print a stage of the compiler.

\b
ast     the policy as it was read
ir      rules and language after all passes
nfa     the automaton before determinization
dfa     the canonical automaton over code points
bytes   the canonical automaton over UTF-8 bytes
tokens  the tokens of a vocabulary that each state allows

POLICY may be a surface: it has the stages ast and ir.""",
    epilog="""\b
Examples:
  langc dump ko --stage dfa
  langc dump sql --stage ir
  langc dump ko.policy --stage tokens --tokenizer tokenizer.json
""",
)
@policy_argument
@click.option("--stage", required=True, type=click.Choice([*STAGES, TOKENS]), help="What to print.")
@tokenizer_option
@strength_options
@color_option
@click.pass_obj
def command(
    console: Console,
    policy: str,
    stage: str,
    tokenizer: str | None,
    strength: Strength,
) -> None:
    """Print one stage of the compiler as stable text."""
    from langc.compiler.surfaces.syntax.choose import is_surface

    if is_surface(policy):
        console.require_stdout()
        console.out(dump_surface(policy, stage).rstrip("\n"))
        return
    if (tokenizer is None) == (stage == TOKENS):
        need, help_ = ("needs", "give the model's") if stage == TOKENS else ("takes no", "leave it out")
        raise LangcError(wrong(f"stage {stage} {need} `--tokenizer`", help=help_))
    loaded = load(policy, strength)
    text = STAGES[stage](loaded) if tokenizer is None else _tokens(console, loaded, tokenizer)
    console.require_stdout()
    console.out(text.rstrip("\n"))


def _tokens(console: Console, policy: Policy, tokenizer: str) -> str:
    from langc.compiler.api import load_vocabulary
    from langc.compiler.tokens.dump import dump_tables
    from langc.compiler.tokens.tables import build_tables

    with console.working("walking the vocabulary"):
        return dump_tables(build_tables(policy, load_vocabulary(tokenizer)))
