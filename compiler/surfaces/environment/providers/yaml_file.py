"""`yaml("names.yaml")`: the JSON format written as YAML.

All scalars are texts, so that tables called `on`, `null` or `2024` keep their names; numbers are read where the format
has numbers. Anchors, aliases and tags are refused: an alias can write out a tree of any size, a tag can name a class.

Invariant: nothing is built but dicts, lists and texts, and their depth is bounded while the parser's events are read.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.limits import MAX_ENVIRONMENT_DEPTH, MAX_JSON_CONTAINERS, over_limit
from langc.compiler.source import Source, Span
from langc.compiler.surfaces.environment.canonical import from_tree
from langc.compiler.surfaces.environment.names import Environment
from langc.compiler.surfaces.environment.opened import read_text
from langc.compiler.surfaces.environment.providers import Request

_DEPTH = 3 * MAX_ENVIRONMENT_DEPTH + 2
"""Lists and mappings inside one another: a level of members has three."""


def read(request: Request) -> Environment:
    """The names in a YAML file.

    Raises LangcError (LC0001 to LC0004, LC0012, LC0902, LC0905, LC0908, LC0912), LimitError (LC0701).
    """
    path, _ = request.one_file()
    return replace(from_yaml(read_text(path), str(path), request.name), name=request.name)


def from_yaml(text: str, where: str, name: str) -> Environment:
    """The environment of a YAML text. Raises LangcError (LC0012, LC0905, LC0908, LC0912), LimitError (LC0701)."""
    try:
        import yaml
    except ModuleNotFoundError:
        message = f"reading {where} needs the package PyYAML, which is not installed"
        raise LangcError(Diagnostic("LC0012", message, help="`pip install langc[env]` brings it")) from None
    source = Source(where, text)
    builder = _Builder(source)
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(type(event).__name__, event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        offset = getattr(mark, "index", getattr(error, "position", 0))
        raise builder.fault(
            f"no YAML: {getattr(error, 'problem', None) or 'a character that it forbids'}", offset
        ) from None
    except RecursionError:
        raise LimitError(over_limit(f"lists and mappings inside one another in {where}", _DEPTH)) from None
    return from_tree(builder.tree, where, name, "yaml", scalars_are_text=True)


@dataclass
class _Builder:
    source: Source
    tree: object = None
    _documents: int = 0
    _containers: int = 0
    _open: list[dict[str, object] | list[object]] = field(default_factory=list)
    _keys: list[str | None] = field(default_factory=list)
    """For each open container the key whose value comes next; None in a list, and before a key."""

    def take(self, kind: str, event: Any) -> None:
        """One event of the parser. Raises LangcError (LC0905), LimitError (LC0701)."""
        if kind == "DocumentStartEvent":
            self._documents += 1
            if self._documents > 1:
                raise self.fault("more than one document", event.start_mark.index)
        elif kind == "AliasEvent" or getattr(event, "anchor", None):
            raise self.fault("anchors and aliases are not read", event.start_mark.index)
        elif getattr(event, "tag", None) not in (None, "!"):
            raise self.fault("tags are not read", event.start_mark.index)
        elif kind == "ScalarEvent":
            self._put(event.value, event)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._begin({} if kind == "MappingStartEvent" else [], event)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._open.pop()
            self._keys.pop()

    def fault(self, message: str, offset: int) -> LangcError:
        """LC0905 at an offset."""
        at = min(offset, len(self.source.text))
        label = Label(self.source, Span(at, min(at + 1, len(self.source.text))), message)
        return LangcError(Diagnostic("LC0905", f"{self.source.name} cannot be read as names", label))

    def _begin(self, container: dict[str, object] | list[object], event: Any) -> None:
        self._containers += 1
        if self._containers > MAX_JSON_CONTAINERS:
            raise LimitError(over_limit(f"lists and mappings in {self.source.name}", MAX_JSON_CONTAINERS))
        if len(self._open) >= _DEPTH:
            raise LimitError(over_limit(f"lists and mappings inside one another in {self.source.name}", _DEPTH))
        self._put(container, event)
        self._open.append(container)
        self._keys.append(None)

    def _put(self, value: object, event: Any) -> None:
        if not self._open:
            self.tree = value
            return
        parent, key = self._open[-1], self._keys[-1]
        if isinstance(parent, list):
            parent.append(value)
        elif key is not None:
            parent[key] = value
            self._keys[-1] = None
        elif not isinstance(value, str):
            raise self.fault("a key that is no text", event.start_mark.index)
        elif value in parent:
            raise self.fault("a key that is there twice", event.start_mark.index)
        else:
            self._keys[-1] = value
