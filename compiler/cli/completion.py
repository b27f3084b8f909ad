"""`langc completion`: the script that makes a shell complete langc's command line."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from langc.compiler.cli.console import Console
from langc.compiler.cli.options import color_option


@click.command(
    epilog="""\b
Examples:
  eval "$(langc completion bash)"                                   # in ~/.bashrc
  eval "$(langc completion zsh)"                                    # in ~/.zshrc
  langc completion fish > ~/.config/fish/completions/langc.fish
"""
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@color_option
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell."""
    console: Console = ctx.obj
    completion = get_completion_class(shell)
    assert completion is not None
    console.out(completion(ctx.find_root().command, {}, "langc", "_LANGC_COMPLETE").source().rstrip("\n"))
