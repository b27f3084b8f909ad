"""What the command line writes, and where.

Invariant: a reader that goes away (`langc check … | head`) is no error: the rest of the output is dropped and the
exit code stays what it would have been. A standard output that the shell closed is an error where content was to go
there; where a command only reports, its exit code says enough. Nothing read from a file reaches a terminal as a
control character.
"""

from __future__ import annotations

import json as json_format
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError


@dataclass
class Console:
    """The two streams of a process, and how to write to them."""

    json: bool = False
    """Whether results and diagnostics are JSON."""
    color: str = "auto"

    def __post_init__(self) -> None:
        self._is_closed = sys.stdout is None
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name) or Path(os.devnull).open("w")  # noqa: SIM115 - None if the shell closed it
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a character gets its escape
            setattr(sys, name, stream)

    def out(self, text: str) -> None:
        """Write a line or several of the result."""
        _write(sys.stdout, text + "\n")

    def result(self, value: object) -> None:
        """Write the result as one line of JSON."""
        self.out(json_format.dumps(value, ensure_ascii=False))

    def data(self, content: bytes) -> None:
        """Write an artefact as it is. Raises LangcError (LC0010) if it cannot be written."""
        self.require_stdout()
        _write(sys.stdout.buffer, content)

    def require_stdout(self) -> None:
        """Raise LangcError (LC0010) if the shell closed stdout: content that was to go there would be lost."""
        if self._is_closed:
            raise LangcError(Diagnostic("LC0010", "cannot write <stdout>: it is closed"))

    def note(self, text: str) -> None:
        """Say something beside the result; nothing in JSON mode."""
        if not self.json:
            _write(sys.stderr, text + "\n")

    def report(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Write diagnostics to stderr; in JSON mode as one object."""
        if self.json:
            _write(sys.stderr, json_format.dumps({"diagnostics": to_json(diagnostics)}, ensure_ascii=False) + "\n")
        elif diagnostics:
            _write(sys.stderr, self.rendered(diagnostics, sys.stderr) + "\n")

    def rendered(self, diagnostics: Sequence[Diagnostic], stream: IO[str]) -> str:
        """Diagnostics as a person reads them, an empty line between them."""
        from langc.compiler.render import render_all

        return render_all(diagnostics, self.is_coloured(stream))

    def is_coloured(self, stream: IO[str]) -> bool:
        """By `--color`, then NO_COLOR (https://no-color.org), then whether the stream is a terminal."""
        if self.color != "auto":
            return self.color == "always"
        return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Show that something long is going on, on a terminal only."""
        if self.json or not sys.stderr.isatty():
            yield
            return
        from rich.console import Console as Terminal

        with Terminal(stderr=True, no_color=not self.is_coloured(sys.stderr)).status(what):
            yield

    def internal_fault(self, error: Exception) -> None:
        """Own up to a fault of langc."""
        message = f"{type(error).__name__}: {error}"
        help_ = "this is a fault of langc, please report it; LANGC_DEBUG=1 in the environment shows the traceback"
        if self.json:
            _write(sys.stderr, json_format.dumps({"internal_error": message, "help": help_}) + "\n")
        else:
            _write(sys.stderr, f"internal error: {message}\nhelp: {help_}\n")


def to_json(diagnostics: Sequence[Diagnostic]) -> list[dict[str, object]]:
    """Diagnostics as JSON values."""
    from langc.compiler.render import to_json as one

    return [one(d) for d in diagnostics]


def _write(stream: IO[str] | IO[bytes], content: str | bytes) -> None:
    """Write and flush. Raises LangcError (LC0010) if stdout takes nothing more, a full disk for instance."""
    try:
        stream.write(content)  # type: ignore[arg-type]
        stream.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # for what is still buffered, and to come
        if not isinstance(error, BrokenPipeError) and stream is not sys.stderr:
            raise LangcError(Diagnostic("LC0010", f"cannot write <stdout>: {error.strerror}")) from None
