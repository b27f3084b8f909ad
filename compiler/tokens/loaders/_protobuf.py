"""The wire format of Protocol Buffers: a message is a row of fields, each a number, a wire type and a value.

A tag is a varint, `number << 3 | type`. Type 0 is followed by a varint (seven bits a byte, the lowest first, at most
ten bytes), type 2 by a length and so many bytes, types 1 and 5 by eight and four bytes. Types 3 and 4 (groups) are
older than every format that langc reads. Of several occurrences of one field the last holds, and occurrences of an
embedded message are merged, which is the same as reading their bytes in a row.
Source: the encoding page of the Protocol Buffers documentation.

Invariant: no length from the file is trusted. It is compared with what is left of the message before anything is
read, and reading takes time and memory in proportion to the bytes at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from langc.compiler.errors import UnsupportedTokenizerError
from langc.compiler.tokens.loaders._errors import broken

_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
_FIXED = {_FIXED_64: 8, _FIXED_32: 4}

Value = int | bytes
"""A varint, or the bytes of every other type."""


@dataclass(frozen=True)
class Message:
    """A message, with its place in the file for errors."""

    data: bytes
    where: str
    place: int = 0

    def __iter__(self) -> Iterator[tuple[int, Value, int]]:
        """The fields in order: number, value, place of the value in the file.

        Raises UnsupportedTokenizerError (LC0603) for a message that is cut short or breaks the format.
        """
        position, end = 0, len(self.data)
        while position < end:
            tag, position = self._varint(position)
            number, kind = tag >> 3, tag & 7
            if number == 0:
                raise self._fault(position, "a field with the number 0")
            if kind == _VARINT:
                value, start = self._varint(position)
                yield number, value, self.place + position
                position = start
            else:
                start, position = self._extent(position, kind)
                yield number, self.data[start:position], self.place + start

    def latest(self) -> dict[int, Value]:
        """The last value of each field. Raises as iteration does."""
        return {number: value for number, value, _ in self}

    def _extent(self, position: int, kind: int) -> tuple[int, int]:
        """Where the bytes of a value begin and end."""
        if kind == _BYTES:
            length, position = self._varint(position)
        elif kind in _FIXED:
            length = _FIXED[kind]
        else:
            raise self._fault(position, f"a field with the wire type {kind}")
        missing = position + length - len(self.data)
        if missing > 0:
            raise self._fault(position, f"the file is cut short: {missing:,} bytes are missing")
        return position, position + length

    def _varint(self, start: int) -> tuple[int, int]:
        """A number and the place behind it."""
        data, number = self.data, 0
        for index in range(start, min(start + 10, len(data))):
            byte = data[index]
            number |= (byte & 0x7F) << 7 * (index - start)
            if byte < 0x80:
                return number, index + 1
        cut = len(data) < start + 10
        raise self._fault(start, "the file is cut short: a number has no end" if cut else "a number of over ten bytes")

    def _fault(self, position: int, problem: str) -> UnsupportedTokenizerError:
        return broken(self.where, f"byte {self.place + position:,}: {problem}")
