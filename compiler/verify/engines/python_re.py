"""Python's own `re`, for whole texts only: it cannot say what may follow."""

from __future__ import annotations

import re

from langc.compiler.verify.engines.protocol import GrammarRefusedError, Judge, Verdict


class PythonRe(Judge):
    """One pattern, applied with `fullmatch` to well-formed UTF-8."""

    name = "python-re"

    def __init__(self, pattern: str) -> None:
        """Raises `GrammarRefusedError`."""
        try:
            self._pattern = re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise GrammarRefusedError(str(error)) from error

    def judge(self, text: bytes) -> Verdict:
        """ACCEPT or REJECT; malformed UTF-8 is rejected, since the engine never sees bytes."""
        try:
            matched = self._pattern.fullmatch(text.decode("utf-8"))
        except UnicodeDecodeError:
            return Verdict.REJECT
        return Verdict.ACCEPT if matched else Verdict.REJECT
