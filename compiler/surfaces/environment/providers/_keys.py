"""What a PRIMARY KEY or UNIQUE says of the columns of a table, as attributes: `ON CONFLICT (…)` has to name one.

`key` is a column that is a key by itself. The columns of the first key of several have `key1`, those of the next one
`key2`, and so on up to `KEYS`: first is the one whose names come first in order of the alphabet. Keys that hold for
some rows only, or that are on expressions, count as none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

KEYS = 3
"""Keys of several columns that are told of one table."""


def attributes_of(keys: Iterable[tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    """By column, in small letters, the attributes that the keys of its table give it."""
    distinct = {tuple(sorted(map(small, key))) for key in keys}
    distinct = {key for key in distinct if len(set(key)) == len(key)}
    found: dict[str, tuple[str, ...]] = {key[0]: ("key",) for key in distinct if len(key) == 1}
    for number, key in enumerate(sorted(key for key in distinct if len(key) > 1)[:KEYS], 1):
        for column in key:
            found[column] = (*found.get(column, ()), f"key{number}")
    return found


def small(name: str) -> str:
    """A name as SQLite compares it."""
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in name)
