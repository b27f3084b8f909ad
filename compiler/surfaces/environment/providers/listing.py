"""`listing("help.txt", "add=add.txt")`: options and commands from what a tool prints about itself.

A plain argument is a file of the tool's own options; `NAME=FILE` adds the command NAME with those of its file. The
forms of the texts are those of `_option_lists.py`. In place of a file, `run:TOOL ARGUMENT…` is what the tool prints, if
that is allowed: the tool runs without a shell, in an empty folder, with nothing on its stdin and for a bounded time.

Sorts: `Option` (attributes `flag`, `value` or `optional_value`; `short` or `long`; `repeat`) with members `Value` where
the text lists them, and `Command` with members `Option` and `Command`.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from typing import IO

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.limits import MAX_ENVIRONMENT_SECONDS, MAX_SOURCE_BYTES, over_limit
from langc.compiler.surfaces.environment.collector import Collector
from langc.compiler.surfaces.environment.names import Entry, Environment
from langc.compiler.surfaces.environment.opened import decoded, read_bytes
from langc.compiler.surfaces.environment.providers import Request
from langc.compiler.surfaces.environment.providers._option_lists import Listing, Option, read_listing

RUN = "run:"
_OF_COMMAND = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]*)=(.+)", re.DOTALL)
_OVERSTRUCK = re.compile(r".\x08|\x1b\[[0-9;]*m")
"""Bold letters of manual pages, and colours."""
_PAUSE = 0.02


def read(request: Request) -> Environment:
    """The options of a tool. Raises LangcError (LC0001 to LC0004, LC0902, LC0908, LC0913), LimitError (LC0701)."""
    plain, _ = request.files()
    collector = Collector(plain[0])
    groups: dict[str, list[Entry]] = {"Option": [], "Command": []}
    named: dict[str, Entry] = {}
    for argument in plain:
        match = None if argument.startswith(RUN) else _OF_COMMAND.fullmatch(argument)
        found = read_listing(_text(request, match[2] if match else argument))
        options = _options(found, collector)
        commands = collector.entries(found.commands, "Command")
        if match:
            entry = collector.entry(match[1], "Command", members={"Option": options, "Command": commands})
            if entry is not None:
                named[entry.name] = entry
        else:
            groups["Option"] += options
            groups["Command"] += commands
    plainly = {entry.name: entry for entry in groups["Command"]}
    groups["Command"] = list((plainly | named).values())
    return collector.environment(request.name, groups, request.kind)


def _options(found: Listing, collector: Collector) -> list[Entry]:
    made = (
        collector.entry(
            option.name, "Option", _attributes(option), members={"Value": collector.entries(option.choices, "Value")}
        )
        for option in found.options.values()
    )
    return [entry for entry in made if entry is not None]


def _attributes(option: Option) -> tuple[str, ...]:
    length = "long" if option.name.startswith("--") else "short"
    return (option.value, length, "repeat") if option.repeat else (option.value, length)


def _text(request: Request, source: str) -> str:
    if source.startswith(RUN):
        content = _run(source.removeprefix(RUN), request.allow_run)
    else:
        content = read_bytes(request.path(source), MAX_SOURCE_BYTES)
    return _OVERSTRUCK.sub("", decoded(content, source))


def _run(line: str, is_allowed: bool) -> bytes:
    """What a tool prints, on either stream. Raises LangcError (LC0913), LimitError (LC0701)."""
    if not is_allowed:
        help_ = "allow it with `--allow-run`, or save what the tool prints and name the file"
        raise LangcError(Diagnostic("LC0913", f"`{line}` is not run: sources of names run nothing unasked", help=help_))
    try:
        arguments = shlex.split(line)
    except ValueError as error:
        raise LangcError(Diagnostic("LC0913", f"`{line}` is no command: {error}")) from None
    if not arguments:
        raise LangcError(Diagnostic("LC0913", "`run:` names no tool"))
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                arguments,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise LangcError(Diagnostic("LC0913", f"`{line}` cannot be run: {error}")) from None
        _wait(process, output, line)
        output.seek(0)
        return output.read(MAX_SOURCE_BYTES)


def _wait(process: subprocess.Popen[bytes], output: IO[bytes], line: str) -> None:
    deadline = time.monotonic() + MAX_ENVIRONMENT_SECONDS
    try:
        while process.poll() is None:
            if time.monotonic() > deadline:
                raise LimitError(over_limit(f"seconds for `{line}`", MAX_ENVIRONMENT_SECONDS))
            if os.fstat(output.fileno()).st_size > MAX_SOURCE_BYTES:
                raise LimitError(over_limit(f"bytes printed by `{line}`", MAX_SOURCE_BYTES))
            time.sleep(_PAUSE)
    finally:
        with suppress(OSError):  # it came to an end by itself
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
