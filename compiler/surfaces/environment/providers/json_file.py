"""`json("names.json")`: names that a person or `langc env` wrote down (`environment/canonical.py`)."""

from __future__ import annotations

from dataclasses import replace

from langc.compiler.surfaces.environment.canonical import from_json
from langc.compiler.surfaces.environment.names import Environment
from langc.compiler.surfaces.environment.opened import read_text
from langc.compiler.surfaces.environment.providers import Request


def read(request: Request) -> Environment:
    """The names in a JSON file. Raises LangcError (LC0001 to LC0004, LC0902, LC0905, LC0908, LC0912), LimitError."""
    path, _ = request.one_file()
    return replace(from_json(read_text(path), str(path), request.name), name=request.name)
