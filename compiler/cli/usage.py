"""Wrong command lines as diagnostics, so that they look and exit like every other fault of the input."""

from __future__ import annotations

import re

import click

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.suggest import did_you_mean


def usage_error(error: click.UsageError) -> Diagnostic:
    """The diagnostic (LC0020) of what click found wrong."""
    return wrong(_message(error), _help(error))


def wrong(message: str, help: str | None = None) -> Diagnostic:
    """The diagnostic of a command line that langc finds wrong itself."""
    return Diagnostic("LC0020", message, help=help)


def _message(error: click.UsageError) -> str:
    """Without the guess, which goes into the help line."""
    named = isinstance(error, (click.NoSuchOption, click.exceptions.NoSuchCommand))
    text = error.message if named else error.format_message()
    text = re.sub(r"\s*\n\s*", " ", text.strip())  # choices stand on lines of their own
    return (text[:1].lower() + text[1:]).removesuffix(".")


def _help(error: click.UsageError) -> str:
    guess = None
    if isinstance(error, click.NoSuchOption) and error.ctx:
        flags = [flag for p in error.ctx.command.get_params(error.ctx) for flag in p.opts if flag.startswith("--")]
        guess = did_you_mean(error.option_name, flags)
    elif isinstance(error, click.exceptions.NoSuchCommand) and error.ctx:
        assert isinstance(error.ctx.command, click.Group)
        guess = did_you_mean(error.command_name, error.ctx.command.list_commands(error.ctx))
    return guess or f"see `{error.ctx.command_path if error.ctx else 'langc'} --help`"
