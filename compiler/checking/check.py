"""Checking a finished text, or one that is still being written, against a policy.

Invariant: a `StreamChecker` reports the same however the text is cut, inside characters too: `check` is a stream
of one chunk.
"""

from __future__ import annotations

import codecs

from langc.compiler.checking.report import CheckReport, Violation
from langc.compiler.checking.scanner import Find, Scanner
from langc.compiler.checking.tally import Runs, Tally
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy


def check(text: str, policy: Policy) -> CheckReport:
    """Every violation in a finished text. Time and memory are linear in the text."""
    checker = StreamChecker(policy)
    checker.feed_text(text)
    checker.finish()
    return checker.report()


class StreamChecker:
    """Checks a text while it arrives; `name` is what errors call it.

    What a call returns are the violations that its chunk makes certain; a run of violating characters that goes on
    in the next chunk comes as one violation from each, and as one in the report.
    """

    def __init__(self, policy: Policy, name: str = "the text") -> None:
        self._name = name
        self._scanner = Scanner(policy)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._bytes = 0
        self._tally = Tally()
        self._runs = Runs()

    def feed(self, chunk: bytes) -> list[Violation]:
        """Read the next bytes; those of an incomplete character are held back.

        Raises LangcError (LC0004) at bytes that are not UTF-8; the checker is of no use afterwards.
        """
        return self.feed_text(self._decode(chunk, False))

    def feed_text(self, text: str) -> list[Violation]:
        """Read the next characters. Only for streams that were text from the beginning."""
        return self._take(text, self._scanner.feed(text))

    def finish(self) -> list[Violation]:
        """Take the text as ended. Raises LangcError (LC0004) if it ends inside a character."""
        found = self.feed_text(self._decode(b"", True))
        last = self._take("", self._scanner.finish())
        self._tally.close()
        return found + last

    def report(self) -> CheckReport:
        """The report on what was read so far."""
        return self._tally.report(self._runs.all())

    def _take(self, text: str, finds: list[Find]) -> list[Violation]:
        self._tally.feed(text, finds)
        self._runs.extend(finds)
        return [find.violation for find in finds]

    def _decode(self, chunk: bytes, final: bool) -> str:
        held = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            raise LangcError(malformed(self._name, self._bytes - held + error.start, error)) from None
        self._bytes += len(chunk)
        return text


def malformed(name: str, offset: int, error: UnicodeDecodeError) -> Diagnostic:
    """LC0004, at an offset in bytes."""
    return Diagnostic(
        "LC0004",
        f"{name} is not UTF-8: byte 0x{error.object[error.start]:02X} at offset {offset}",
        help="save it as UTF-8; if a model wrote it, it was cut inside a character",
        data={"file": name, "byte": offset},
    )
