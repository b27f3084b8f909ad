"""The header of an artefact, found in the file itself.

Every file that langc writes says what it is: as comments (`# key: value`), as a group of a regular expression that is
repeated no times (`(?:key=value …){0}`), under the key `langc` of a JSON object, at the start of the file of a surface,
or in the metadata of a safetensors file. A file has a header iff one of these names a version of langc and a target.
Lines of other content beside it are nobody's business: people write comments too.

Invariant: the values are as `target.with_fidelity` makes them, whatever the syntax of the file: witnesses are JSON
strings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from langc.compiler.limits import MAX_JSON_CONTAINERS
from langc.compiler.surfaces.canonical import START
from langc.compiler.target import Fidelity

Pairs = Iterable[tuple[str, str]]

_KEYS = frozenset(
    {
        *("langc", "policy", "policy-sha256", "unicode", "target", "dialect", "tokenizer-sha256"),
        *("surface", "surface-sha256", "environment-sha256"),
        *("fidelity", "witness-over", "witness-under"),
    }
)
_FLAGS = frozenset({"exact", "over", "under", "ill-formed"})
_KEY = re.compile(r"[a-z0-9-]+\Z")
_REACH = 1 << 20
"""How many characters of comments are looked at."""
_GROUP = re.compile(r"\(\?:(langc=[A-Za-z0-9 ,.=_-]*)\)\{0\}")
_FIELD = re.compile(r"(?:\A| )([a-z0-9-]+)=")


class HeaderError(ValueError):
    """The header contradicts itself or says something that no header says."""


def read_header(data: bytes) -> dict[str, str]:
    """What a file says of itself; empty if it says nothing. Raises HeaderError."""
    found = _unique(_pairs(data))
    return found if {"langc", "target"} <= set(found) else {}


def claimed(header: Mapping[str, str]) -> Fidelity:
    """The fidelity that a header admits; exact if it admits none. Raises HeaderError."""
    flags = set(header.get("fidelity", "exact").split(","))
    if not flags <= _FLAGS or ("exact" in flags and flags & {"over", "under"}):
        raise HeaderError(f"{header['fidelity'][:40]!r} is no fidelity: flags are exact, over, under and ill-formed")
    over, under = (_witness(header, flag) if flag in flags else None for flag in ("over", "under"))
    return Fidelity(over, under, "ill-formed" in flags)


def _witness(header: Mapping[str, str], flag: str) -> str:
    try:
        value = json.loads(header[f"witness-{flag}"])
    except (KeyError, ValueError, RecursionError):
        value = None
    if not isinstance(value, str):
        raise HeaderError(f"its fidelity is `{flag}`, and there is no text in `witness-{flag}`")
    return value


def _unique(pairs: Pairs) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in pairs:
        if key in _KEYS and found.setdefault(key, value) != value:
            raise HeaderError(f"its header says two things of {key!r}")
    return found


def _pairs(data: bytes) -> Pairs:
    """The pairs in the syntax that the file has."""
    if data[8:9] == b"{" and int.from_bytes(data[:8], "little") < len(data):
        return _metadata(data)
    if data.startswith(START):
        return _surface(data)
    text = data.decode("utf-8", "replace")
    group = _GROUP.match(text)
    if group is not None:
        return _fields(group[1])
    return _object(text) if text.lstrip().startswith("{") else _comments(text)


def _metadata(data: bytes) -> Pairs:
    """Of a safetensors file: the length of a JSON object, and the object."""
    try:
        facts = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]["langc"]
        return _strings(json.loads(facts)["header"])
    except (LookupError, TypeError, ValueError, RecursionError):
        return ()


def _surface(data: bytes) -> Pairs:
    """Of the file of a surface, whose header stands before all else."""
    text = data[:_REACH].decode("utf-8", "replace")
    try:
        return _strings(json.JSONDecoder().raw_decode(text, text.index("{", 1))[0])
    except (ValueError, RecursionError):
        return ()


def _object(text: str) -> Pairs:
    if text.count("[") + text.count("{") > MAX_JSON_CONTAINERS:
        raise HeaderError(f"it has more than {MAX_JSON_CONTAINERS:,} lists and objects")
    try:
        return _strings(json.loads(text)["langc"])
    except (LookupError, TypeError, ValueError, RecursionError):
        return ()


def _strings(value: object) -> Pairs:
    return [(k, v) for k, v in value.items() if isinstance(v, str)] if isinstance(value, dict) else ()


def _comments(text: str) -> Iterator[tuple[str, str]]:
    """Of the comments before the first line that is none."""
    for line in text[:_REACH].removeprefix("\ufeff").split("\n"):
        bare = line.strip(" \t\r")
        if bare and not bare.startswith(("#", "//")):
            return
        key, colon, value = bare.lstrip("#/").lstrip(" \t").partition(":")
        if colon and _KEY.match(key):
            yield key, _unquoted(key, value.strip(" \t"))


def _unquoted(key: str, value: str) -> str:
    """A value that is no witness stands in quotes if it is not plain ASCII."""
    if key.startswith("witness-") or not value.startswith('"'):
        return value
    try:
        return str(json.loads(value))
    except (ValueError, RecursionError):
        return value


def _fields(group: str) -> Iterator[tuple[str, str]]:
    places = [*_FIELD.finditer(group)]
    ends = [*(m.start() for m in places[1:]), len(group)]
    for field, end in zip(places, ends, strict=True):
        value = group[field.end() : end]
        yield field[1], _hexadecimal(value) if field[1].startswith("witness-") else value


def _hexadecimal(value: str) -> str:
    """A witness as JSON; it is written as `U0041,U0042`, or as `empty`."""
    numbers = [] if value == "empty" else [part.removeprefix("U") for part in value.split(",")]
    try:
        return json.dumps("".join(chr(int(number, 16)) for number in numbers))
    except (ValueError, OverflowError):
        raise HeaderError("its witness is no row of code points") from None
