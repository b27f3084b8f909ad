"""What is said where joined matchers have nothing in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.tokens.joined.parts import BoolArray, Part, advance_all, common_row, kind, row_of
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.glyphs import visible

_SHOWN_TOKENS = 5
_SHOWN_CHARACTERS = 40
_CONTINUATION = bytes(range(0x80, 0xC0))


def dead_end(parts: Sequence[Part], ids: Sequence[int], vocabulary: Vocabulary) -> Diagnostic:
    """LC0660: what each part allows alone, and the text so far.

    If all of them allow some tokens still, none of which leads on, the first such way is followed to its end.

    Args:
        parts: at the dead end; left as they were found.
        ids: the tokens so far.
        vocabulary: what they write.
    """
    common = np.flatnonzero(common_row(parts)).tolist()
    way = _to_the_end(parts)
    try:
        return _said(parts, common, ids, way, vocabulary)
    finally:
        for part in parts if way else ():
            part.rollback(len(way))


def _to_the_end(parts: Sequence[Part]) -> list[int]:
    """Hand on the first common token until there is none."""
    way: list[int] = []
    while (row := common_row(parts)).any():
        token = int(row.argmax())
        if not advance_all(parts, token):
            break
        way.append(token)
    return way


def _said(
    parts: Sequence[Part], common: Sequence[int], ids: Sequence[int], way: Sequence[int], vocabulary: Vocabulary
) -> Diagnostic:
    rows = [row_of(part) for part in parts]
    counts = [int(row.sum()) for row in rows]
    alone = ", ".join(f"{kind(part)} alone allows {_tokens(n)}" for part, n in zip(parts, counts, strict=True))
    head = f"nothing may follow “{_end_of(_written(ids, vocabulary))}”"
    if common:
        further = _end_of(_written([*ids, *way], vocabulary))
        head += f", as the {_tokens(len(common))} that all allow lead nowhere: behind “{further}”"
    return Diagnostic(
        "LC0660",
        f"{head}{',' if common else ':'} {alone}, and none is allowed by all",
        help=_help(parts, counts),
        notes=tuple(
            f"{kind(part)} allows {_list(row, vocabulary)}"
            for part, row, n in zip(parts, rows, counts, strict=True)
            if 0 < n <= _SHOWN_TOKENS
        ),
        data={"alone": counts, "together": len(common), "tokens": list(ids), "way": list(way)},
    )


def lost() -> Diagnostic:
    """LC0403 for a history that was not generated under the mask."""
    return Diagnostic(
        "LC0403",
        "the history holds a token that the joined matchers refuse: nothing may follow it",
        help="hand over the generated tokens without the prompt, or take `on_dead_end='stop'`",
    )


def _tokens(count: int) -> str:
    return f"{count:,} token{'' if count == 1 else 's'}"


def _help(parts: Sequence[Part], counts: Sequence[int]) -> str:
    stuck = [kind(part) for part, count in zip(parts, counts, strict=True) if count == 0]
    if stuck:
        return f"{stuck[0]} is stuck by itself: its grammar cannot go on with this tokenizer's tokens"
    return "let the grammar have another way here, permit what it needs, or take `on_dead_end='stop'`"


def _list(row: BoolArray, vocabulary: Vocabulary) -> str:
    return ", ".join(_name(int(token), vocabulary) for token in np.flatnonzero(row))


def _name(token: int, vocabulary: Vocabulary) -> str:
    if token >= vocabulary.size or vocabulary.is_special(token):
        return (vocabulary.special_text(token) if token < vocabulary.size else None) or f"token {token}"
    return f"“{_shown(vocabulary.token_bytes(token))}”"


def _written(ids: Sequence[int], vocabulary: Vocabulary) -> bytes:
    """The bytes of the tokens; a special token, which only a marker can be, has its spelling."""
    return b"".join(
        vocabulary.token_bytes(token) or (vocabulary.special_text(token) or "").encode()
        for token in ids
        if token < vocabulary.size
    )


def _end_of(data: bytes) -> str:
    """The last characters; the text may be long, and no character has more than four bytes."""
    tail = data[-4 * _SHOWN_CHARACTERS :]
    if len(tail) < len(data):
        tail = tail.lstrip(_CONTINUATION)
    text = tail.decode("utf-8", "backslashreplace")
    is_cut = len(tail) < len(data) or len(text) > _SHOWN_CHARACTERS
    return ("…" if is_cut else "") + visible(text[-_SHOWN_CHARACTERS:])


def _shown(data: bytes) -> str:
    return visible(data.decode("utf-8", "backslashreplace"))
