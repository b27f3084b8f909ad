"""`langc scan`: what a vocabulary holds, and what a policy would take from it."""

from __future__ import annotations

import click

from langc.compiler.cli.console import Console, to_json
from langc.compiler.cli.options import Strength, color_option, json_option, load, policy_option, strength_options
from langc.compiler.cli.outline import outline


@click.command(
    epilog="""\b
Examples:
  langc scan tokenizer.json --policy ko
  langc scan model.gguf --policy ko.policy --json
"""
)
@click.argument("tokenizer", type=click.Path())
@policy_option
@strength_options
@json_option
@color_option
@click.pass_obj
def command(console: Console, tokenizer: str, policy: str, strength: Strength) -> None:
    """Report what a TOKENIZER holds and what a policy bans.

    A static ban takes a token away everywhere: loose takes the tokens that hold a denied character, tight also those
    from which one could be put together. Dynamic candidates are the tokens that a matcher allows in some places only.
    """
    from langc.compiler.api import load_vocabulary, scan

    loaded = load(policy, strength)
    with console.working("reading the vocabulary"):
        vocabulary = load_vocabulary(tokenizer)
        report = scan(vocabulary, loaded)
    if console.json:
        console.result(report.to_json() | {"warnings": to_json(vocabulary.warnings)})
        return
    console.report(vocabulary.warnings)
    console.out("\n".join(outline(report.to_json())))
