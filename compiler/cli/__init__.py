"""The command `langc`.

Invariant: stdout carries the result of a command and nothing else, stderr what is said about it. Whatever
happens ends in an exit code of `main` and never in a traceback: 0 fine, 1 the text or the comparison fails,
2 the input is at fault, 70 a fault of langc itself, 130 interrupted.

A command is a module of this package with a `command`; it is imported when it is called, and imports what is heavy
inside the function that needs it, so that `langc --version` is quick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

import click

from langc.compiler.cli.console import Console
from langc.compiler.cli.options import color_option
from langc.compiler.cli.usage import usage_error
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.unicode import UNICODE_VERSION
from langc.compiler.version import VERSION

COMMANDS = (
    "compile",
    "targets",
    "policies",
    "scan",
    "check",
    "pressure",
    "verify",
    "doctor",
    "env",
    "test",
    "fmt",
    "dump",
    "explain",
    "demo",
    "completion",
)

INPUT_AT_FAULT = 2
INTERNAL_FAULT = 70
"""EX_SOFTWARE of BSD's sysexits.h."""
INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""


class _Commands(click.Group):
    """Imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"langc.compiler.cli.{cmd_name}").command
        return command


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`langc COMMAND --help` has examples. `langc explain CODE` explains an error.",
)
@click.version_option(VERSION, "--version", message=f"langc {VERSION}, Unicode {UNICODE_VERSION}")
@color_option
def cli() -> None:
    """Compile one policy of what a language model may write into every format that a decoder can enforce.

    A POLICY is a file, FILE:NAME for one of several in it, or a ready policy such as ko.
    """


def main() -> NoReturn:
    """The entry point of the command."""
    sys.exit(run(sys.argv[1:]))


def run(args: Sequence[str]) -> int:
    """Run one command line; the exit code."""
    console = Console(json="--json" in args)
    try:
        code = _invoke(args, console)
    except LangcError as error:
        console.report(error.diagnostics)
        code = INPUT_AT_FAULT
    except click.exceptions.NoArgsIsHelpError as error:
        console.note(error.format_message())
        code = INPUT_AT_FAULT
    except click.UsageError as error:
        console.report([usage_error(error)])
        code = INPUT_AT_FAULT
    except click.Abort:
        code = INTERRUPTED
    except MemoryError:
        console.report([_out_of_memory()])
        code = INPUT_AT_FAULT
    except Exception as error:
        if os.environ.get("LANGC_DEBUG"):
            raise
        console.internal_fault(error)
        code = INTERNAL_FAULT
    return code


def _out_of_memory() -> Diagnostic:
    """The budgets of the compiler bound its work; the memory that is there may be less."""
    return Diagnostic(
        "LC0702", "there is not enough memory", help="simplify the policy, or give the process more memory"
    )


def _invoke(args: Sequence[str], console: Console) -> int:
    """A command returns its exit code, or None for 0; so does click for `--help` and `--version`."""
    return cli.main(list(args), prog_name="langc", obj=console, standalone_mode=False) or 0
