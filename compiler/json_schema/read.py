"""Where schemas come from: a file, a JSON text, or the values of a program."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.json_schema.values import fault, read_values
from langc.compiler.limits import MAX_SCHEMA_BYTES, over_limit
from langc.compiler.source import Source
from langc.compiler.syntax.read import read_source

NAME = "<schema>"


def read_schema(given: Mapping[str, Any] | str | os.PathLike[str]) -> Source:
    """The JSON text of a schema.

    Args:
        given: a mapping, as `json.loads` makes it; a JSON text, which begins with a brace; or the path of a file.

    Raises:
        PolicyError: there is no such file, or it holds no schema (LC0361, LC0363); or something else is given (LC0361).
        LimitError: it is too large or too deep.
    """
    source = _source(given)
    if len(source.text.encode("utf-8", "surrogatepass")) > MAX_SCHEMA_BYTES:
        raise LimitError(over_limit(f"bytes in {source.name}", MAX_SCHEMA_BYTES))
    root = read_values(source)
    if root.kind != "object":
        raise fault("LC0363", "a schema is an object", root, help='such as {"type": "string"}')
    return source


def _source(given: Mapping[str, Any] | str | os.PathLike[str]) -> Source:
    if isinstance(given, Mapping):
        return Source(NAME, _text(given))
    if isinstance(given, str) and given.lstrip().startswith("{"):
        return Source.of(NAME, given)
    if not isinstance(given, str | os.PathLike):
        raise _no_schema(f"this is no JSON Schema, but a value of Python's type `{type(given).__name__}`")
    if isinstance(given, str) and not given.strip():
        raise _no_schema("the schema is an empty text")
    return read_source(Path(given), "JSON Schema")


def _no_schema(message: str) -> PolicyError:
    help_ = "give a mapping, a JSON text that begins with a brace, or the path of a file"
    return PolicyError(Diagnostic("LC0361", message, help=help_))


def _text(given: Mapping[str, Any]) -> str:
    """As JSON, indented, so that a line of it can be shown."""
    try:
        return json.dumps(given, indent=2, ensure_ascii=False, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        help_ = "a schema is what `json.loads` makes of one: objects, lists, texts, numbers, true, false and null"
        raise PolicyError(Diagnostic("LC0361", f"this is no JSON: {error}", help=help_)) from None


def _plain(value: object) -> dict[str, Any]:
    """A mapping of another kind, which the encoder does not know. Raises TypeError for anything else."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")  # as the encoder says it
