"""`langc explain`: the page of a diagnostic code."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from langc.compiler import explain
from langc.compiler.cli.console import Console
from langc.compiler.cli.options import color_option, json_option


def _complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(code) for code in explain.codes() if code.startswith(incomplete.upper())]


@click.command(
    epilog="""\b
Examples:
  langc explain LC0203
  langc explain               # all codes with their titles
"""
)
@click.argument("code", required=False, shell_complete=_complete)
@json_option
@color_option
@click.pass_obj
def command(console: Console, code: str | None) -> None:
    """Explain a diagnostic CODE, or list all codes.

    The page says what the code means, shows an example, and says what to do.
    """
    if code is not None:
        text = explain.page(code)
        if console.json:
            console.result({"code": code.strip().upper(), "text": text})
        else:
            console.out(text.rstrip("\n"))
    elif console.json:
        console.result({"codes": dict(map(_heading, explain.codes()))})
    else:
        console.out("\n".join(f"{known}  {title}" for known, title in map(_heading, explain.codes())))


def _heading(code: str) -> tuple[str, str]:
    """The code and the title in the page's first line, `# LC0203: Title`."""
    first, _, _ = explain.page(code).partition("\n")
    return code, first.partition(":")[2].strip()
