"""A cursor over a text, for the readers."""

from __future__ import annotations

import re

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_READ_STEPS, over_limit
from langc.compiler.verify.readers.nodes import ReadError

MAX_DEPTH = 150
"""Of nested groups."""


class Scanner:
    """The text and a place in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.parts = 0

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self.at >= len(self.text)

    def peek(self) -> str:
        """The next character, empty at the end."""
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        """The next character. Raises ReadError at the end."""
        if self.done:
            raise self.error("the text ends too early")
        self.at += 1
        return self.text[self.at - 1]

    def skip(self, word: str) -> bool:
        """Pass over a word if it is next."""
        found = self.text.startswith(word, self.at)
        self.at += len(word) * found
        return found

    def expect(self, word: str) -> None:
        """Pass over a word. Raises ReadError if it is not next."""
        if not self.skip(word):
            raise self.error(f"expected {word!r}")

    def match(self, pattern: str) -> str | None:
        """Pass over what a regular expression matches here, None if it does not."""
        found = re.compile(pattern).match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def count(self) -> None:
        """One part more. Raises LimitError past `MAX_READ_STEPS`."""
        self.parts += 1
        if self.parts > MAX_READ_STEPS:
            raise LimitError(over_limit("parts in the text of an artefact", MAX_READ_STEPS))

    def hexadecimal(self, digits: int) -> int:
        """A number of exactly so many hexadecimal digits."""
        found = self.match(f"[0-9A-Fa-f]{{{digits}}}")
        if found is None:
            raise self.error(f"expected {digits} hexadecimal digits")
        return int(found, 16)

    def error(self, message: str) -> ReadError:
        """An error at this place."""
        return ReadError(message, self.at)

    def behind(self, message: str) -> ReadError:
        """An error at the character that was just taken."""
        return ReadError(message, self.at - 1)


def bounds(scanner: Scanner, blank: str = "") -> tuple[int, int | None]:
    """How often the item before is repeated: `*`, `+`, `?`, `{m}`, `{m,}`, `{m,n}`, or once.

    `blank` is a regular expression of what may stand inside the braces too.
    """
    for sign, found in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
        if scanner.skip(sign):
            return found
    at = scanner.at
    counted = scanner.match(rf"\{{{blank}[0-9]{{1,9}}{blank}(,{blank}([0-9]{{1,9}}{blank})?)?\}}")
    if counted is None:
        return 1, 1
    least, comma, most = counted[1:-1].partition(",")
    if most.strip() and int(most) < int(least):
        raise ReadError("a repetition that ends before it starts", at)
    return int(least), (int(most) if most.strip() else None) if comma else int(least)
