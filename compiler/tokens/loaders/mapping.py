"""Vocabularies written by hand or by another program: a dict, or the same as a JSON file.

The full form, which a JSON file must have::

    {"tokens": ["a", [228, 184], null, "bc"], "special": {"<end>": 2}, "eos": "<end>", "name": "toy"}

`tokens` is a list by id or an object from id to token. A token is bytes (in Python), a string (its UTF-8) or a list of
byte values; null is a hole. `special` maps spellings to ids, `eos` is an id, a spelling or a list of them. All but
`tokens` may be missing.

In Python it may also be just a list of tokens by id, `{token: id}` or `{id: token}`; as JSON these are refused, because
a `vocab.json` looks the same and spells its tokens in a code of its own. In these short forms a string that is a
well-known end of sequence (`<eos>`, `</s>`, …) is that special token; write it as bytes to have it as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from langc.compiler.limits import MAX_TOKEN_IDS
from langc.compiler.tokens.loaders import tekken
from langc.compiler.tokens.loaders._draft import END_SPELLINGS, Draft, check_id
from langc.compiler.tokens.loaders._errors import bad_id, broken, shown, spelled_tokens
from langc.compiler.tokens.loaders._file import TokenizerFile
from langc.compiler.tokens.loaders._spelling import plain, spelled


def recognises(source: object) -> bool:
    """A mapping or list that is no document of another format, or a JSON file with `tokens` and no `model`."""
    if isinstance(source, TokenizerFile):
        return source.looks_like_json and _full(source.json)
    if isinstance(source, list | tuple):
        return True
    return isinstance(source, Mapping) and not isinstance(source.get("model"), dict) and not tekken.recognises(source)


def load(source: object) -> Draft:
    """Read a mapping."""
    if isinstance(source, TokenizerFile):
        return _load(Draft(source.path.name, source.where), source.json)
    assert isinstance(source, Mapping | list | tuple)
    table: dict[Any, object] = dict(source if isinstance(source, Mapping) else enumerate(source))
    return _load(Draft("mapping", "the token mapping"), table)


def _load(draft: Draft, table: Mapping[Any, object]) -> Draft:
    if _full(table):
        name = table.get("name")
        draft.name = name if isinstance(name, str) else draft.name
        _add(_entries(table["tokens"], draft.where), draft)
        read_specials(table, draft)
    else:
        _add(_without_ends(_plain_entries(table, draft.where), draft), draft)
    return draft


def _without_ends(entries: Iterable[tuple[int, object]], draft: Draft) -> Iterator[tuple[int, object]]:
    """The entries that are text; well-known ends become special."""
    for token_id, token in entries:
        if isinstance(token, str) and token in END_SPELLINGS:
            draft.declare(token, token_id)
        else:
            yield token_id, token


def read_specials(table: Mapping[str, object], draft: Draft) -> None:
    """Take over `special` and `eos` of the full form; a rank file's sidecar has these two alone."""
    special = table.get("special", {})
    if not isinstance(special, Mapping) or not all(isinstance(spelling, str) for spelling in special):
        raise broken(draft.where, '"special" must map spellings to ids')
    for spelling, token_id in special.items():
        draft.declare(spelling, token_id)
    ends = table.get("eos", [])
    draft.eos |= set(map(draft.end, ends if isinstance(ends, list | tuple | set | frozenset) else [ends]))


def _full(table: Mapping[str, object]) -> bool:
    return isinstance(table.get("tokens"), list | tuple | Mapping) and not isinstance(table.get("model"), dict)


def _entries(tokens: object, where: str) -> Iterator[tuple[int, object]]:
    if isinstance(tokens, Mapping):
        for key, token in tokens.items():
            digits = isinstance(key, str) and key.isascii() and key.isdigit()
            yield check_id(int(key[:20]) if digits else key, where, "a token"), token
    elif isinstance(tokens, list | tuple):
        if len(tokens) > MAX_TOKEN_IDS:
            check_id(len(tokens) - 1, where, "the last token")
        yield from enumerate(tokens)


def _plain_entries(table: Mapping[Any, object], where: str) -> Iterable[tuple[int, object]]:
    """`{token: id}` or `{id: token}`."""
    if all(isinstance(key, str | bytes) for key in table):
        return [(check_id(token_id, where, shown(key)), key) for key, token_id in table.items()]
    if any(isinstance(key, str | bytes) for key in table):
        raise broken(where, "the keys are neither all ids nor all tokens")
    return [(check_id(key, where, "a token"), token) for key, token in table.items()]


def _add(entries: Iterable[tuple[int, object]], draft: Draft) -> None:
    strings: list[str] = []
    for token_id, token in entries:
        if token_id in draft.text or token_id in draft.holes:
            raise bad_id(draft.where, f"two tokens have the id {token_id}")
        if isinstance(token, str):
            strings.append(token)
        if token is None:
            draft.holes.add(token_id)
        else:
            draft.text[token_id] = _bytes(token, token_id, draft.where)
    example = spelled(strings)
    if example is not None:
        draft.warnings.append(spelled_tokens(draft.where, example))


def _bytes(token: object, token_id: int, where: str) -> bytes:
    encoded = plain(token) if isinstance(token, str) else token
    if isinstance(encoded, list | tuple):
        encoded = bytes(encoded) if all(type(b) is int and 0 <= b < 256 for b in encoded) else None
    if not isinstance(encoded, bytes):
        raise broken(where, f"token {token_id} is neither text nor bytes")
    return encoded
