"""Environments as JSON: the format that people write, that `langc env` writes, and that a digest is made of.

    {"Table": ["log", {"name": "users", "attributes": ["table"], "members": {"Column": ["id", "name"]}}],
     "Function": [{"name": "substr", "attributes": ["scalar"], "numbers": {"least": 2, "most": 3}}]}

A sort has a list of entries; an entry that is nothing but a name is a string. The key `$langc` may hold an object with
facts: `name`, `kind`, `version`, `origin`, and `digest`, which is compared where it is there.

Invariant: `from_json(to_json(e))` has the content, the facts and the digest of `e`, and `to_json` of that is the same
text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.limits import (
    MAX_ENTRY_WORDS,
    MAX_ENVIRONMENT_DEPTH,
    MAX_JSON_CONTAINERS,
    MAX_NAME_BYTES,
    over_limit,
)
from langc.compiler.source import Source, Span
from langc.compiler.suggest import did_you_mean
from langc.compiler.surfaces.environment.collector import Collector
from langc.compiler.surfaces.environment.names import Entry, Environment, content

FORMAT = 1
FACTS = "$langc"
"""The key of the facts; no sort is called so."""
MOST = (1 << 31) - 1
_FIELDS = ("name", "attributes", "numbers", "members")
_FACTS = ("format", "name", "kind", "version", "origin", "digest")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_DIGITS = re.compile(r"[0-9]{1,10}")
_SHOWN = 40


def to_json(environment: Environment) -> str:
    """The environment as JSON text, one entry a line, so that a change of it reads well in a diff."""
    facts = {
        "format": FORMAT,
        "name": environment.name,
        "kind": environment.kind,
        "version": environment.version,
        "origin": environment.origin,
        "digest": environment.digest,
    }
    rows = [f"  {_text(FACTS)}: {_text({key: fact for key, fact in facts.items() if fact is not None})}"]
    for sort, entries in content(environment.groups).items():
        inner = ",\n".join(f"    {_text(entry)}" for entry in entries)
        rows.append(f"  {_text(sort)}: [\n{inner}\n  ]")
    return "{\n" + ",\n".join(rows) + "\n}\n"


def from_json(text: str, where: str = "<json>", name: str = "env") -> Environment:
    """The environment of a JSON text. `where` is what messages call it, `name` its name if it states none.

    Raises LangcError (LC0905: not of the format; LC0908: no names; LC0912: not of its digest), LimitError (LC0701).
    """
    return from_tree(_parsed(text, where), where, name, "json")


def from_tree(tree: object, where: str, name: str, kind: str, scalars_are_text: bool = False) -> Environment:
    """The environment of parsed JSON, or of YAML whose scalars are all text. Raises as `from_json` does."""
    reader = _Reader(Collector(where), scalars_are_text)
    if not isinstance(tree, dict):
        reader.wrong("it", "an object of sorts", tree)
    facts = reader.facts(tree[FACTS]) if FACTS in tree else {}
    groups = {sort: reader.entries(rows, sort, sort, 1) for sort, rows in tree.items() if sort != FACTS}
    read = reader.collector.environment(facts.get("name", name), groups, facts.get("kind", kind), facts.get("version"))
    origin = facts.get("origin", None if FACTS in tree else where)
    found = Environment(read.name, read.groups, read.kind, read.version, origin, read.warnings)
    if facts.get("digest", found.digest) != found.digest:
        raise LangcError(_changed(where, facts["digest"], found.digest))
    return found


@dataclass
class _Reader:
    collector: Collector
    scalars_are_text: bool

    def facts(self, value: object) -> dict[str, str]:
        """What the file says of itself, without the version of the format."""
        if not isinstance(value, dict):
            self.wrong(FACTS, "an object of facts", value)
        for key in value:
            if key not in _FACTS:
                self.unknown(FACTS, key, _FACTS)
        if value and self.number(value.get("format", FORMAT), f"{FACTS}.format") != FORMAT:
            self.wrong(f"{FACTS}.format", f"{FORMAT}, the only one there is", value["format"])
        return {key: self.fact(fact, f"{FACTS}.{key}") for key, fact in value.items() if key != "format"}

    def entries(self, rows: object, sort: object, path: str, depth: int) -> list[Entry]:
        """The entries of one sort."""
        self.word(sort, path, "a sort")
        if depth > MAX_ENVIRONMENT_DEPTH:
            raise LimitError(over_limit(f"members inside members at {path}", MAX_ENVIRONMENT_DEPTH))
        if not isinstance(rows, list):
            self.wrong(path, "a list of names", rows)
        found = (self.entry(row, str(sort), path, index, depth) for index, row in enumerate(rows))
        return [entry for entry in found if entry is not None]

    def entry(self, row: object, sort: str, path: str, index: int, depth: int) -> Entry | None:
        if isinstance(row, str):
            return self.collector.entry(row, sort)
        path = f"{path}[{index}]"
        if not isinstance(row, dict):
            self.wrong(path, "a name, or an object with a name", row)
        for key in row:
            if key not in _FIELDS:
                self.unknown(path, key, _FIELDS)
        if "name" not in row:
            self.wrong(path, "an object with a `name`", row)
        return self.collector.entry(
            self.text(row["name"], f"{path}.name"),
            sort,
            self.attributes(row.get("attributes", []), f"{path}.attributes"),
            self.numbers(row.get("numbers", {}), f"{path}.numbers"),
            self.members(row.get("members", {}), f"{path}.members", depth),
        )

    def attributes(self, value: object, path: str) -> list[str]:
        if not isinstance(value, list):
            self.wrong(path, "a list of words", value)
        self.bounded(len(value), "attributes", path)
        return sorted({self.word(word, path, "an attribute") for word in value})

    def numbers(self, value: object, path: str) -> dict[str, int]:
        if not isinstance(value, dict):
            self.wrong(path, "an object of numbers", value)
        self.bounded(len(value), "numbers", path)
        return {self.word(key, path, "a number's name"): self.number(n, f"{path}.{key}") for key, n in value.items()}

    def members(self, value: object, path: str, depth: int) -> dict[str, list[Entry]]:
        if not isinstance(value, dict):
            self.wrong(path, "an object of sorts", value)
        return {str(sort): self.entries(rows, sort, f"{path}.{sort}", depth + 1) for sort, rows in value.items()}

    def number(self, value: object, path: str) -> int:
        if self.scalars_are_text and isinstance(value, str) and _DIGITS.fullmatch(value):
            value = int(value)
        if type(value) is not int or not 0 <= value <= MOST:
            self.wrong(path, f"a whole number from 0 to {MOST:,}", value)
        return value

    def text(self, value: object, path: str) -> str:
        if not isinstance(value, str):
            self.wrong(path, "a text", value)
        return value

    def fact(self, value: object, path: str) -> str:
        text = self.text(value, path)
        if not text.isprintable() or len(text) > MAX_NAME_BYTES:
            self.wrong(path, "a text that can be printed", value)
        return text

    def word(self, value: object, path: str, what: str) -> str:
        if not isinstance(value, str) or not _WORD.fullmatch(value) or len(value) > _SHOWN:
            self.wrong(path, f"{what}: letters, digits, _ and -, at most {_SHOWN}", value)
        return value

    def bounded(self, count: int, what: str, path: str) -> None:
        if count > MAX_ENTRY_WORDS:
            raise LimitError(over_limit(f"{what} at {path}", MAX_ENTRY_WORDS))

    def wrong(self, path: str, wanted: str, value: object) -> NoReturn:
        """Raise LC0905: another value stands there."""
        shown = (
            _text(value) if isinstance(value, str | int | float | None) else _KINDS.get(type(value), "another value")
        )
        shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
        raise LangcError(
            Diagnostic("LC0905", f"{self.collector.where}: {path[:120]} is not {wanted}, but {shown}", help=_HELP)
        )

    def unknown(self, path: str, key: object, known: tuple[str, ...]) -> NoReturn:
        """Raise LC0905: a key that means nothing."""
        message = f"{self.collector.where}: {path[:120]} has a key {str(key)[:_SHOWN]!r}"
        raise LangcError(Diagnostic("LC0905", message, help=did_you_mean(str(key), known) or _HELP))


def _parsed(text: str, where: str) -> object:
    if text.count("[") + text.count("{") > MAX_JSON_CONTAINERS:
        raise LimitError(over_limit(f"lists and objects in {where}", MAX_JSON_CONTAINERS))
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        at = min(error.pos, len(text))
        label = Label(Source(where, text), Span(at, min(at + 1, len(text))), error.msg)
        raise LangcError(Diagnostic("LC0905", f"{where} is no JSON", label, help=_HELP)) from None
    except RecursionError:
        raise LimitError(over_limit(f"members inside members in {where}", MAX_ENVIRONMENT_DEPTH)) from None
    except _TwiceError as error:
        raise LangcError(Diagnostic("LC0905", f"{where}: the key {str(error)!r} is there twice", help=_HELP)) from None
    except ValueError:  # of more than 4,300 digits Python makes no number
        raise LangcError(Diagnostic("LC0905", f"{where}: a number has thousands of digits", help=_HELP)) from None


class _TwiceError(Exception):
    """Two values of one key: readers disagree on which one counts."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError(next(_repeated(pairs)))
    return found


def _repeated(pairs: list[tuple[str, object]]) -> Iterator[str]:
    seen = set()
    for key, _ in pairs:
        if key in seen:
            yield key[:_SHOWN]
        seen.add(key)


def _changed(where: str, stated: str, found: str) -> Diagnostic:
    return Diagnostic(
        "LC0912",
        f"{where} states the digest {stated[:16]}… and has {found[:16]}…: it was changed after it was written",
        help="write it anew with `langc env`, or remove its `digest` if the change is wanted",
    )


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_KINDS: Mapping[type, str] = {list: "a list", dict: "an object"}
_HELP = 'names are written {"Sort": ["name", {"name": "…", "attributes": […], "members": {…}, "numbers": {…}}]}'
