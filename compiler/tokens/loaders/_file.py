"""A tokenizer file from anywhere: opened once, read within limits, and every failure is one clear error.

Invariant: a `TokenizerFile` is a regular, non-empty file. Whatever `data` and `json` hand out was within
`MAX_TOKENIZER_BYTES`; JSON has no object with the same key twice.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from langc.compiler.limits import MAX_JSON_CONTAINERS, MAX_TOKENIZER_BYTES
from langc.compiler.tokens.loaders._errors import broken, shown, too_large, unreadable

_HEAD = 4096
_BLANK = b"\xef\xbb\xbf \t\r\n"


@dataclass(frozen=True)
class TokenizerFile:
    """A file that exists, with its first bytes for the loaders to recognise it by."""

    path: Path
    size: int
    head: bytes

    @classmethod
    def open(cls, path: Path) -> TokenizerFile:
        """Look at a path. Raises UnsupportedTokenizerError (LC0601) if it is no readable, non-empty file."""
        try:
            if not path.is_file():
                raise _no_file(path)
            with path.open("rb") as file:
                opened = cls(path, path.stat().st_size, file.read(_HEAD))
        except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
            raise unreadable(str(path), _reason(error)) from None
        if not opened.head:
            raise unreadable(str(path), "the file is empty")
        return opened

    @property
    def where(self) -> str:
        """The path as messages name it."""
        return str(self.path)

    @property
    def looks_like_json(self) -> bool:
        """Whether the first visible character opens a JSON object."""
        return self.head.lstrip(_BLANK).startswith(b"{")

    @cached_property
    def data(self) -> bytes:
        """The whole content. Raises UnsupportedTokenizerError (LC0601, LC0607)."""
        try:
            with self.path.open("rb") as file:
                content = file.read(MAX_TOKENIZER_BYTES + 1)
        except OSError as error:
            raise unreadable(self.where, _reason(error)) from None
        if len(content) > MAX_TOKENIZER_BYTES:
            raise too_large(self.where, "too many bytes in a tokenizer file", MAX_TOKENIZER_BYTES)
        return content

    @cached_property
    def json(self) -> dict[str, object]:
        """The content as a JSON object. Raises UnsupportedTokenizerError (LC0601, LC0603, LC0607)."""
        document = parse_json(self.data, self.where)
        if not isinstance(document, dict):
            raise broken(self.where, "the file holds no JSON object")
        return document

    def sibling(self, name: str) -> TokenizerFile | None:
        """A file beside this one, or None if there is none."""
        path = self.path.with_name(name)
        return TokenizerFile.open(path) if path.is_file() else None


def parse_json(text: bytes | str, where: str) -> object:
    """Read JSON. Raises UnsupportedTokenizerError: LC0603 for anything that the format forbids, LC0607 for its size."""
    opened = text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")
    if opened > MAX_JSON_CONTAINERS:
        raise too_large(where, "too many lists and objects in the JSON", MAX_JSON_CONTAINERS)
    try:
        with _without_collector():
            return json.loads(text, object_pairs_hook=_unique)
    except RecursionError:
        raise broken(where, "the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise broken(where, f"the JSON is broken at {error.lineno}:{error.colno}: {error.msg}") from None
    except _TwiceError as error:
        raise broken(where, f"the JSON cannot be read: {error}") from None
    except UnicodeDecodeError as error:
        raise broken(where, f"the JSON cannot be read: it is not UTF-8 at byte {error.start}") from None
    except ValueError:  # of more than 4,300 digits Python makes no number
        raise broken(where, "the JSON cannot be read: a number has thousands of digits") from None


@contextmanager
def _without_collector() -> Iterator[None]:
    """Hold the garbage collector still: it would walk the half million small lists of a merge table again and again.

    That is half of the time for a tokenizer.json of 33 MB.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _TwiceError(ValueError):
    """An object with one key for two values, of which JSON readers keep either."""


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _TwiceError(f"the key {shown(twice)} stands twice in one object")
    return found


def _no_file(path: Path) -> Exception:
    where = str(path)
    if path.is_dir():
        return unreadable(where, "this is a folder", "name the file in it, such as tokenizer.json or a .gguf file")
    if path.exists():
        return unreadable(where, "this is no regular file")
    return unreadable(where, "there is no such file", "give the path of a tokenizer file; langc downloads nothing")


def _reason(error: OSError | ValueError) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
