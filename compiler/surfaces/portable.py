"""A surface with its environment as one file: JSON that holds data and no code.

    {"format": "langc-surface 1", "header": {…}, "surface": {…}, "environment": {…}, "policy": {…}}

`surface` is the surface as `model.py` has it, resolved, without places in a source: an object with the name of its kind
under `is`, and its fields but for those that have their default. `environment` is the object of `langc env`. The header
is that of any artefact; `surface-sha256` and `environment-sha256` in it are compared with what was read. `policy` is
there if the texts obey one: its automata, see `policed/stored.py`.

Invariant: `loads(dumps(s))` has the digest of `s`, and `dumps` of that is the same text. Reading checks every kind,
field and type, and that all names lead somewhere; what does not hold is an error (LC0952), never a surface.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.json_schema.patterns import PatternError, pattern_language
from langc.compiler.limits import MAX_ENVIRONMENT_BYTES, MAX_SURFACE_DEPTH, over_limit
from langc.compiler.source import Source
from langc.compiler.surfaces import model
from langc.compiler.surfaces.canonical import FORMAT, KINDS, SKIPPED, tree_of
from langc.compiler.surfaces.environment.canonical import from_tree as environment_of
from langc.compiler.surfaces.environment.canonical import to_json as environment_json
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.surfaces.policed.rules import Rules
from langc.compiler.surfaces.policed.stored import from_json as rules_from
from langc.compiler.surfaces.policed.stored import to_json as rules_json
from langc.compiler.surfaces.signatures import ACTIONS
from langc.compiler.surfaces.syntax.grammar import check_grammar
from langc.compiler.surfaces.syntax.report import Report


def dumps(loaded: LoadedSurface, header: Mapping[str, str]) -> str:
    """The file of a surface. Raises LimitError if it is too long to be read, or a policy's automaton too large."""
    whole = {
        "format": FORMAT,
        "header": dict(header),
        "surface": tree_of(loaded.surface),
        "levels": [tree_of(level) for _, level in sorted(loaded.levels.items())],
        "environment": json.loads(environment_json(loaded.environment)),
    }
    if loaded.rules is not None:
        whole["policy"] = rules_json(loaded.rules)
    text = json.dumps(whole, ensure_ascii=True, separators=(",", ":")) + "\n"
    if len(text) > MAX_ENVIRONMENT_BYTES:
        raise LimitError(over_limit("bytes in the file of a surface", MAX_ENVIRONMENT_BYTES))
    return text


def loads(text: str | bytes, where: str = "<surface>") -> LoadedSurface:
    """The surface of a file. Raises LangcError (LC0952, and those of an environment), LimitError (LC0701)."""
    if len(text) > MAX_ENVIRONMENT_BYTES:
        raise LimitError(over_limit(f"bytes in {where}", MAX_ENVIRONMENT_BYTES))
    reader = _Reader(where)
    whole = reader.whole(text)
    environment = environment_of(whole["environment"], where, "env", "json")
    levels = {level.sort: level for level in map(reader.level, reader.listed(whole["levels"], "levels"))}
    loaded = LoadedSurface(reader.surface(whole["surface"]), environment, levels, reader.rules(whole.get("policy")))
    header = whole["header"]
    for key, found in (("surface-sha256", loaded.digest), ("environment-sha256", environment.digest)):
        if not isinstance(header, dict) or header.get(key) != found:
            raise reader.wrong(f"its {key} is not that of what it holds")
    return loaded


class _Reader:
    def __init__(self, where: str) -> None:
        self.where = where
        self.depth = 0

    def wrong(self, what: str) -> LangcError:
        help_ = "write the file anew: `langc compile SURFACE --target processor`"
        return LangcError(Diagnostic("LC0952", f"{self.where} is no surface that langc wrote: {what}", help=help_))

    def whole(self, text: str | bytes) -> dict[str, Any]:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.wrong("it is no JSON") from error
        keys = {"format", "header", "surface", "levels", "environment"}
        if not isinstance(found, dict) or found.get("format") != FORMAT or set(found) - {"policy"} != keys:
            raise self.wrong(f"its format is not `{FORMAT}`")
        return found

    def listed(self, value: object, what: str) -> list[Any]:
        if not isinstance(value, list):
            raise self.wrong(f"{what} is no list")
        return value

    def level(self, value: object) -> model.Level:
        found = self.node(value)
        if not isinstance(found, model.Level):
            raise self.wrong("a level is none")
        return found

    def rules(self, value: object) -> Rules | None:
        try:
            return None if value is None else rules_from(value)
        except ValueError as error:
            raise self.wrong(f"of the policy {error}") from error

    def surface(self, value: object) -> model.Surface:
        found = self.node(value)
        if not isinstance(found, model.Surface):
            raise self.wrong("the surface is none")
        _Check(found, self).run()
        return found

    def node(self, value: object) -> Any:
        """A node of any kind."""
        if not isinstance(value, dict) or str(value.get("is")) not in KINDS:
            raise self.wrong("it holds something that no surface has")
        self.depth += 1
        if self.depth > MAX_SURFACE_DEPTH:
            raise LimitError(over_limit("elements inside of one another", MAX_SURFACE_DEPTH))
        kind = KINDS[str(value["is"])]
        types = _types(kind)
        if not set(value) <= {*types, "is"}:
            raise self.wrong(f"a {value['is']} has a field of another")
        given = {name: self.value(value[name], types[name], name) for name in types if name in value}
        self.depth -= 1
        try:
            return kind(**given)
        except TypeError as error:
            raise self.wrong(f"a {value['is']} lacks a field") from error

    def value(self, value: object, expected: Any, name: str) -> Any:
        """The value of a field, if it is of the field's type."""
        origin, arguments = typing.get_origin(expected), typing.get_args(expected)
        if origin is tuple and arguments[-1] is Ellipsis:
            return tuple(self.value(one, arguments[0], name) for one in self.listed(value, name))
        if origin is tuple and isinstance(value, list) and len(value) == len(arguments):
            return tuple(self.value(one, kind, name) for one, kind in zip(value, arguments, strict=True))
        if origin is frozenset:
            return frozenset(self.value(one, arguments[0], name) for one in self.listed(value, name))
        if origin is typing.Literal and value in arguments:
            return value
        if origin is Mapping:
            nodes = [self.value(one, arguments[1], name) for one in self.listed(value, name)]
            return {getattr(node, "name", getattr(node, "sort", "")): node for node in nodes}
        for kind in arguments or (expected,):
            if self._is(value, kind):
                return self.node(value) if isinstance(value, dict) else value
        raise self.wrong(f"`{name}` is of another type")

    def _is(self, value: object, kind: Any) -> bool:
        if isinstance(value, dict):
            return KINDS.get(str(value.get("is"))) is kind
        return type(value) is kind


@cache
def _types(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind) if field.name not in SKIPPED}


@dataclasses.dataclass
class _Check:
    """Whether all names of a surface lead somewhere."""

    surface: model.Surface
    reader: _Reader

    def run(self) -> None:
        surface = self.surface
        self._known(surface.start, surface.rules)
        for sort in surface.sorts.values():
            self._known(sort.owner, surface.sorts)
        for rule in surface.rules.values():
            self._element(rule.body)
        if not all(mark for pair in surface.quotes for mark in pair):
            raise self.reader.wrong("a quote is empty")
        self._patterns()
        report = Report(Source.of(self.reader.where, ""))
        check_grammar(surface, frozenset(surface.rules), report)
        if report.errors:
            raise self.reader.wrong(report.errors[0].message)

    def _patterns(self) -> None:
        tokens = self.surface.tokens.values()
        for pattern in (self.surface.word, *(p for token in tokens for p in (token.pattern, token.munch))):
            try:
                pattern_language(pattern or "")
            except PatternError as error:
                raise self.reader.wrong(f"in a pattern there is {error.message}") from error

    def _known(self, name: str | None, names: Mapping[str, object]) -> None:
        if name is not None and name not in names:
            raise self.reader.wrong(f"it has no `{name}`")

    def _element(self, element: model.Element) -> None:
        surface = self.surface
        match element:
            case model.TokenUse(token):
                self._known(token, surface.tokens)
            case model.Call(rule):
                self._known(rule, surface.rules)
            case model.Action(name):
                self._known(name, ACTIONS)
            case model.Sequence(parts) | model.Choice(parts):
                for part in parts:
                    self._element(part)
            case model.Repeat(part):
                self._element(part)
            case model.Within(scope, body):
                self._known(scope, surface.scopes)
                self._element(body)
            case model.Reference() | model.Fresh() | model.Open():
                self._known(element.sort, surface.sorts)
                self._known(element.shape, surface.tokens)
