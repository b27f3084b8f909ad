"""Repertoires of encodings: what `encodable("big5")` means.

Invariant: a set holds the code points that Python's codec of that name encodes each by itself, and comes from
the committed `tables/encodings/`, so it does not depend on the interpreter. Two that surprise: `euc_jis_2004`
falls back to JIS X 0212, so JIS X 0213 alone is `shift_jis_2004`; `euc_kr` spells all Hangul syllables out
(KS X 1001, annex 3), so it encodes what `cp949` does.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from langc.compiler.suggest import closest
from langc.compiler.unicode.aliases import loose
from langc.compiler.unicode.intervals import IntervalSet
from langc.compiler.unicode.ranges import decode

NAMES: tuple[str, ...] = (
    "big5",
    "big5hkscs",
    "cp932",
    "cp949",
    "cp950",
    "euc_jis_2004",
    "euc_jp",
    "euc_kr",
    "gb2312",
    "gbk",
    "shift_jis",
    "shift_jis_2004",
)


class UnknownEncoding(LookupError):
    """No encoding has this name; `suggestions` holds what may have been meant."""

    def __init__(self, name: str) -> None:
        near = closest(loose(name), _keys())
        self.name, self.suggestions = name, (_keys()[near],) if near else ()
        super().__init__(f"no encoding is called `{name if len(name) <= 60 else name[:59] + '…'}`")


@cache
def encodable(name: str) -> IntervalSet:
    """The code points that an encoding has. Case, blanks, `_` and `-` do not matter. Raises UnknownEncoding."""
    found = _keys().get(loose(name))
    if found is None:
        raise UnknownEncoding(name)
    return decode(import_module(f"langc.compiler.unicode.tables.encodings.{found}").RANGES)


@cache
def _keys() -> dict[str, str]:
    return {loose(name): name for name in NAMES}
