"""Where names come from: one module for each kind of source, with a function `read(request) -> Environment`.

A kind is added by a line here and its module. Modules are imported when they are needed, and import what is optional
(sqlglot, PyYAML) inside their functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.suggest import did_you_mean
from langc.compiler.surfaces.environment.names import Environment

KINDS: Mapping[str, str] = {
    "sqlite": "sqlite",
    "sql": "sql",
    "json": "json_file",
    "yaml": "yaml_file",
    "python": "python",
    "package": "package",
    "listing": "listing",
    "header": "header",
}
"""The kinds of sources by the names that policies use, and their modules."""


@dataclass(frozen=True)
class Request:
    """What is to be read."""

    name: str
    """The environment's name in the surface."""
    kind: str
    arguments: tuple[str, ...]
    base: Path
    """The folder that relative paths start from."""
    allow_run: bool = False
    """Whether a tool may be run to list its options."""

    def path(self, argument: str) -> Path:
        """The file that an argument names."""
        return self.base / argument

    def files(self, *options: str) -> tuple[tuple[str, ...], dict[str, str]]:
        """The arguments without, and those with, a known `option=`.

        Raises LangcError (LC0902) if there is none without, or an option is given twice.
        """
        plain: list[str] = []
        given: dict[str, str] = {}
        for argument in self.arguments:
            key, sign, value = argument.partition("=")
            if sign and key in options:
                if key in given:
                    raise LangcError(self.wrong(f"`{key}` is given twice"))
                given[key] = value
            else:
                plain.append(argument)
        if not plain:
            raise LangcError(self.wrong("nothing to read is named"))
        return tuple(plain), given

    def one_file(self, *options: str) -> tuple[Path, dict[str, str]]:
        """The only argument that is no option, as a path. Raises LangcError (LC0902)."""
        plain, given = self.files(*options)
        if len(plain) > 1:
            hint = did_you_mean(plain[1].partition("=")[0], options) if "=" in plain[1] else None
            raise LangcError(self.wrong(f"one file is read, and {len(plain)} are named", hint))
        return self.path(plain[0]), given

    def wrong(self, message: str, help: str | None = None) -> Diagnostic:
        """LC0902: the arguments are not those of the kind."""
        return Diagnostic("LC0902", f"`{self.kind}` of the environment `{self.name}`: {message}", help=help)


def read(request: Request) -> Environment:
    """The names of a source. Raises LangcError (LC0001 to LC0004, LC0012, LC0901 to LC0913), LimitError (LC0701)."""
    module = KINDS.get(request.kind)
    if module is None:
        message = f"there is no source of names of the kind `{request.kind}`"
        known = f"the kinds are {', '.join(KINDS)}"
        raise LangcError(Diagnostic("LC0901", message, help=did_you_mean(request.kind, KINDS) or known))
    reader: Callable[[Request], Environment] = import_module(f"{__name__}.{module}").read
    return reader(request)
