"""The environment of a surface: what its policy names, what the command line puts in its place, in one Γ.

A source of names is written as a path, whose kind is told by its content and its ending; as `KIND("ARGUMENT", …)`, the
form that policies use; as `KIND:ARGUMENT`; or as `PACKAGE==VERSION`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.limits import MAX_ENVIRONMENTS, over_limit
from langc.compiler.suggest import did_you_mean
from langc.compiler.surfaces.environment.collector import warning
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.environment.opened import read_head
from langc.compiler.surfaces.environment.providers import KINDS, Request, read
from langc.compiler.surfaces.environment.providers.sqlite import MAGIC
from langc.compiler.surfaces.environment.spelling import Spelling
from langc.compiler.surfaces.model import Provider

UNNAMED = ""
"""The key of an override that names no environment."""
ENDINGS: Mapping[str, str] = {
    **dict.fromkeys((".db", ".sqlite", ".sqlite3", ".db3"), "sqlite"),
    **dict.fromkeys((".sql", ".ddl"), "sql"),
    **dict.fromkeys((".yaml", ".yml"), "yaml"),
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".cu"), "header"),
    **dict.fromkeys((".whl", ".gz", ".tgz", ".zip"), "package"),
    **dict.fromkeys((".txt", ".help", ".lst"), "listing"),
    ".json": "json",
}
"""The kinds of files by their endings. SQLite's are known by how they begin, whatever they are called."""
_HEAD = 4_096
_CALL = re.compile(r"([a-z][a-z0-9_]*)\((.*)\)", re.DOTALL)
_SHORT = re.compile(r"([a-z][a-z0-9_]*):(.+)", re.DOTALL)
_NAMED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(?!=)(.*)", re.DOTALL)
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==\S+")
_DEFINES = re.compile(rb"(?im)^\s*create\s+(or\s+replace\s+)?(table|view|temp|virtual)\b")
_OPTIONS = re.compile(rb"(?m)^\s*-{1,2}[A-Za-z0-9]")


def load_environment(
    providers: Sequence[Provider],
    base_directory: Path,
    overrides: Mapping[str, str] | None = None,
    *,
    allow_run: bool = False,
) -> Environment:
    """The names that a surface's `env` lines stand for, merged in their order.

    providers: the `env` lines; one without a kind must be given by an override.
    base_directory: where relative paths of `env` lines start: the policy's folder. Those of overrides start here.
    overrides: by the name of an `env` line the source that takes its place; `UNNAMED` stands for the only one, or for
        the only one without a source, or adds names where the surface has no `env` line.
    allow_run: whether `listing("run:…")` may run the tool that it names.

    Raises LangcError (LC0001 to LC0004, LC0012, LC0901 to LC0913), LimitError (LC0701).
    """
    given = dict(overrides or {})
    if len(providers) > MAX_ENVIRONMENTS:
        raise LimitError(over_limit("environments of a surface", MAX_ENVIRONMENTS))
    if UNNAMED in given:
        given[_the_one(providers, given)] = given.pop(UNNAMED)
    names = [provider.name for provider in providers]
    for name in given:
        if names and name not in names:
            known = f"the surface has {', '.join(f'`env {known}`' for known in names)}"
            help_ = did_you_mean(name, names) or known
            raise LangcError(Diagnostic("LC0911", f"the surface has no environment `{name}`", help=help_))
    requests = [_request(provider, base_directory, given, allow_run) for provider in providers]
    if not providers:
        requests = [named_source(source, name, allow_run=allow_run) for name, source in given.items()]
    return Environment.merged([read(request) for request in requests])


def load_source(source: str, name: str = "env", *, allow_run: bool = False) -> Environment:
    """The names of one source: a path or a specification. Raises as `load_environment` does."""
    return read(named_source(source, name, allow_run=allow_run))


def parse_overrides(values: Iterable[str]) -> dict[str, str]:
    """`--env NAME=SOURCE` and `--env SOURCE` as overrides. Raises LangcError (LC0911) for one that is given twice."""
    found: dict[str, str] = {}
    for value in values:
        match = _NAMED.fullmatch(value)
        name, source = match.groups() if match else (UNNAMED, value)
        if name in found:
            which = f"`{name}` is given twice" if name else "two sources are given without the name of an environment"
            raise LangcError(Diagnostic("LC0911", which, help="write `--env NAME=SOURCE`, each name once"))
        found[name] = source
    return found


def named_source(source: str, name: str, base: Path = Path(), *, allow_run: bool = False) -> Request:
    """What a path or a specification asks for. Raises LangcError (LC0001, LC0002, LC0003, LC0901, LC0902)."""
    call = _CALL.fullmatch(source)
    if call:
        return Request(name, call[1], _arguments(call[2], name, call[1]), base, allow_run)
    short = _SHORT.fullmatch(source)
    if short and short[1] in KINDS:
        return Request(name, short[1], (short[2],), base, allow_run)
    if _PACKAGE.fullmatch(source) and not (base / source).exists():
        return Request(name, "package", (source,), base, allow_run)
    return Request(name, kind_of(base / source), (source,), base, allow_run)


def kind_of(path: Path) -> str:
    """The kind of source that a file is. Raises LangcError (LC0001, LC0002, LC0003; LC0901 if it cannot be told)."""
    head = read_head(path, _HEAD)
    if head.startswith(MAGIC):
        return "sqlite"
    found = ENDINGS.get(path.suffix.lower()) or _by_content(head)
    if found is None:
        help_ = f"say what it is: `KIND:{path.name}`, with one of {', '.join(KINDS)}"
        raise LangcError(Diagnostic("LC0901", f"what kind of names {path} holds cannot be told", help=help_))
    return found


def unreachable(environment: Environment, spelling: Spelling) -> tuple[Diagnostic, ...]:
    """Warnings (LC0910) for names that a surface cannot write, or that an earlier name hides."""
    unwritable: list[Entry] = []
    hidden: list[Entry] = []
    pending = list(environment.groups.values())
    seen: set[Group] = set()
    while pending:
        group = pending.pop()
        if group in seen:
            continue
        seen.add(group)
        names = group.names(spelling)
        unwritable += names.unwritable
        hidden += [e for e in names.hidden if not _is_overload(e, group)]
        pending += [members for entry in group for members in entry.members.values()]
    return (
        *_unreachable(unwritable, "the surface has no way to write"),
        *_unreachable(hidden, "another name of the same sort, equal but for the case of letters, hides"),
    )


def _is_overload(entry: Entry, group: Group) -> bool:
    """Whether the same name is there with other attributes, as `max` is: slots tell them apart by those."""
    return any(one.name == entry.name and one.attributes != entry.attributes for one in group.all(entry.name))


def _unreachable(entries: list[Entry], what: str) -> tuple[Diagnostic, ...]:
    if not entries:
        return ()
    shown = ", ".join(f"{entry.sort} {entry.name!r}" for entry in entries[:3])
    more = f" and {len(entries) - 3:,} more" if len(entries) > 3 else ""
    return (warning(f"{what} {shown}{more}"),)


def _request(provider: Provider, base: Path, given: Mapping[str, str], allow_run: bool) -> Request:
    if provider.name in given:
        return named_source(given[provider.name], provider.name, allow_run=allow_run)
    if not provider.kind:
        help_ = f"`--env {provider.name}=SOURCE` gives it: a database, a schema, a JSON file…"
        raise LangcError(Diagnostic("LC0911", f"the environment `{provider.name}` is not given", help=help_))
    return Request(provider.name, provider.kind, provider.arguments, base, allow_run)


def _the_one(providers: Sequence[Provider], given: Mapping[str, str]) -> str:
    """The environment that an override without a name is for. Raises LangcError (LC0911) if that is not clear."""
    if not providers:
        return "env"
    waiting = [provider for provider in providers if not provider.kind and provider.name not in given]
    chosen = waiting or [provider for provider in providers if provider.name not in given]
    if len(chosen) != 1:
        names = ", ".join(provider.name for provider in providers)
        message = f"the surface has {len(providers)} environments: {names}"
        raise LangcError(Diagnostic("LC0911", message, help="write `--env NAME=SOURCE`"))
    return chosen[0].name


def _arguments(text: str, name: str, kind: str) -> tuple[str, ...]:
    """The arguments of `KIND(…)`: JSON texts between commas, or one argument without quotes."""
    if not text.lstrip().startswith('"'):
        return (text,) if text.strip() else ()
    try:
        found = json.loads(f"[{text}]")
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(argument, str) for argument in found):
        message = f'`{kind}` of the environment `{name}`: arguments are texts between quotes: `{kind}("a", "b")`'
        raise LangcError(Diagnostic("LC0902", message))
    return tuple(found)


def _by_content(head: bytes) -> str | None:
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return "json"
    if _DEFINES.search(head):
        return "sql"
    return "listing" if _OPTIONS.search(head) else None
