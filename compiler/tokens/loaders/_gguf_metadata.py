"""The metadata of a GGUF file: a count of entries, each a key, a type and a value. Tensors are never touched.

Layout (GGUF versions 2 and 3, little-endian): `GGUF`, version u32, tensors u64, entries u64; an entry is a string
key, a type u32 and a value; a string is a length u64 and bytes; an array is an element type u32, a count u64 and the
elements.
Source: the GGUF specification in the ggml repository.

Invariant: no length from the file is trusted. It is compared with what is left of the file and with the
budget before anything is read or reserved for it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from langc.compiler.errors import UnsupportedTokenizerError
from langc.compiler.limits import MAX_GGUF_METADATA_BYTES, MAX_TOKEN_IDS
from langc.compiler.tokens.loaders._errors import broken, shown, too_large, unreadable, unsupported
from langc.compiler.tokens.loaders._file import TokenizerFile

MAGIC = b"GGUF"
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MAX_DEPTH = 4
_MAX_ENTRIES = 1 << 16
_U64 = struct.Struct("<Q")

Value = bool | int | float | bytes | list["Value"]


def read_metadata(file: TokenizerFile, wanted: Callable[[str], bool]) -> dict[str, Value]:
    """The metadata entries whose key is wanted; strings stay bytes.

    Raises UnsupportedTokenizerError: LC0603 for a file that is cut short or breaks the layout, LC0604 for another
    version or byte order, LC0607 for metadata beyond `MAX_GGUF_METADATA_BYTES` or an array beyond `MAX_TOKEN_IDS`.
    """
    try:
        with file.path.open("rb", buffering=1 << 20) as stream:
            return _entries(_Reader(stream, file.where, min(file.size, MAX_GGUF_METADATA_BYTES), file.size), wanted)
    except OSError as error:
        raise unreadable(file.where, str(error.strerror)) from None


@dataclass
class _Reader:
    stream: BinaryIO
    where: str
    end: int
    size: int
    position: int = 0

    def take(self, count: int) -> bytes:
        self.need(count)
        self.position += count
        data = self.stream.read(count)
        if len(data) < count:
            raise self.fault("the file is cut short")
        return data

    def skip(self, count: int) -> None:
        self.need(count)
        self.position += count
        self.stream.seek(self.position)

    def need(self, count: int) -> None:
        """Check that so many bytes are left."""
        if self.position + count > self.end:
            if self.end < self.size:
                raise too_large(self.where, "too many bytes of GGUF metadata", MAX_GGUF_METADATA_BYTES)
            raise self.fault(f"the file is cut short: {self.position + count - self.end:,} bytes are missing")

    def number(self, code: str) -> int:
        return int(struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0])

    def string(self) -> bytes:
        return self.take(_U64.unpack(self.take(8))[0])

    def fault(self, problem: str) -> UnsupportedTokenizerError:
        return broken(self.where, f"byte {self.position:,}: {problem}")


def _entries(reader: _Reader, wanted: Callable[[str], bool]) -> dict[str, Value]:
    _header(reader)
    count = reader.number("Q")
    if count > _MAX_ENTRIES:
        raise reader.fault(f"{count:,} metadata entries")
    found: dict[str, Value] = {}
    for _ in range(count):
        name = reader.string()
        key = name.decode(errors="replace")
        kind = reader.number("I")
        if not wanted(key):
            _skip(reader, kind, _MAX_DEPTH)
        elif key in found:
            raise reader.fault(f"the key {shown(key)} stands twice")
        else:
            found[key] = _value(reader, kind, _MAX_DEPTH)
    return found


def _header(reader: _Reader) -> None:
    """Read up to the number of entries."""
    if reader.take(4) != MAGIC:
        raise reader.fault("no GGUF file")
    version = reader.number("I")
    if version & 0xFFFF == 0:
        raise unsupported(reader.where, "a big-endian GGUF file", "convert the model for a little-endian machine")
    if version not in (2, 3):
        raise unsupported(reader.where, f"GGUF version {version}; versions 2 and 3 are known")
    reader.skip(8)


def _value(reader: _Reader, kind: int, depth: int) -> Value:
    if kind == _STRING:
        return reader.string()
    if kind == _ARRAY:
        element, count = _array(reader, depth)
        if element in _SCALARS:
            return list(struct.unpack(f"<{count}{_SCALARS[element]}", reader.take(count * _width(element))))
        return [_value(reader, element, depth - 1) for _ in range(count)]
    if kind not in _SCALARS:
        raise reader.fault(f"unknown value type {kind}")
    number: Value = struct.unpack("<" + _SCALARS[kind], reader.take(_width(kind)))[0]
    return number


def _skip(reader: _Reader, kind: int, depth: int) -> None:
    if kind == _STRING:
        reader.skip(reader.number("Q"))
    elif kind == _ARRAY:
        element, count = _array(reader, depth)
        if element in _SCALARS:
            reader.skip(count * _width(element))
        else:
            for _ in range(count):
                _skip(reader, element, depth - 1)
    elif kind in _SCALARS:
        reader.skip(_width(kind))
    else:
        raise reader.fault(f"unknown value type {kind}")


def _array(reader: _Reader, depth: int) -> tuple[int, int]:
    """Element type and count of an array, checked against the space that its elements take at least."""
    element, count = reader.number("I"), reader.number("Q")
    if depth == 0:
        raise reader.fault("arrays are nested too deeply")
    if element not in _SCALARS and element not in (_STRING, _ARRAY):
        raise reader.fault(f"unknown array element type {element}")
    if count > MAX_TOKEN_IDS and element not in _SCALARS:
        raise too_large(reader.where, "too many entries of a GGUF array", MAX_TOKEN_IDS)
    reader.need(count * (_width(element) if element in _SCALARS else 8 if element == _STRING else 12))
    return element, count


def _width(kind: int) -> int:
    return struct.calcsize("<" + _SCALARS[kind])
