"""`package("click==8.1.7")`: the public names of one version of a Python package.

Read is what is installed beside langc, or in a folder (`path=…/site-packages`), or a wheel or source archive
(`file=…`, or its path alone). Another version than the one that is named is an error: it has other names.

The sort `Module` has the public modules with dotted names; their members are those of `python("…")`. A name that a
module imports from another one of the package, and means for others, is there as it is defined.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from langc.compiler.errors import LangcError
from langc.compiler.surfaces.environment.collector import Collector
from langc.compiler.surfaces.environment.names import Entry, Environment
from langc.compiler.surfaces.environment.opened import decoded
from langc.compiler.surfaces.environment.providers import Request
from langc.compiler.surfaces.environment.providers._package_files import Distribution, archived, installed
from langc.compiler.surfaces.environment.providers._python_names import Imported, ModuleNames, module_names

_NAMED = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)==([^\s=]+)")
_ARCHIVES = (".whl", ".tar.gz", ".tgz", ".zip")
_LONGEST_CHAIN = 30
"""Modules that hand a name on to one another."""


def read(request: Request) -> Environment:
    """The names of a package.

    Raises LangcError (LC0001 to LC0003, LC0902, LC0908, LC0909), LimitError (LC0701).
    """
    plain, options = request.files("file", "path")
    match = _NAMED.fullmatch(plain[0])
    if len(plain) > 1 or (match is None and not plain[0].endswith(_ARCHIVES)) or len(options) > 1:
        message = "it takes `NAME==VERSION`, or the path of a wheel or a source archive"
        raise LangcError(request.wrong(message, 'for example `package("click==8.1.7")`'))
    found = _found(request, plain[0], match, options)
    package = _Package(Collector(f"{found.name} {found.version}"))
    package.read(found)
    return package.collector.environment(request.name, {"Module": package.modules()}, request.kind, found.version)


def _found(request: Request, plain: str, match: re.Match[str] | None, options: dict[str, str]) -> Distribution:
    if match is None:
        return archived(request.path(plain), None, None)
    if "file" in options:
        return archived(request.path(options["file"]), match[1], match[2])
    folder = request.path(options["path"]) if "path" in options else None
    return installed(match[1], match[2], folder)


@dataclass
class _Package:
    collector: Collector
    names: dict[str, ModuleNames] = field(default_factory=dict)
    """By dotted name."""
    packages: set[str] = field(default_factory=set)
    """Modules that have modules inside, for which a relative import starts at themselves."""
    _starred: dict[str, list[str]] = field(default_factory=dict)
    _found: dict[tuple[str, str], Entry | None] = field(default_factory=dict)

    def read(self, found: Distribution) -> None:
        """Take the names of all modules. A file that cannot be read is left out."""
        for large in found.too_large:
            self.collector.leave_out("files that are too large", large)
        for path, content in sorted(found.files.items(), key=lambda item: (item[0].endswith(".pyi"), item[0])):
            name = _dotted(path)
            if name is None or name in self.names:
                continue
            try:
                text = decoded(content, path)
                self.names[name] = module_names(text, path, self.collector)
            except LangcError as error:
                if error.diagnostics[0].code not in ("LC0004", "LC0906"):
                    raise
                self.collector.leave_out("files that are no Python", path)
                continue
            if PurePosixPath(path).stem == "__init__":
                self.packages.add(name)

    def modules(self) -> list[Entry]:
        """The public modules with what they hold."""
        found = []
        for name in sorted(self.names):
            if any(part.startswith("_") for part in name.split(".")):
                continue
            entry = self.collector.entry(name, "Module", members=self.public(name))
            if entry is not None:
                found.append(entry)
        return found

    def public(self, module: str) -> dict[str, list[Entry]]:
        """The public names of a module, by sort."""
        names = self.names[module]
        candidates = dict.fromkeys((*names.entries, *names.imports, *self.starred(module, 0)))
        groups: dict[str, list[Entry]] = {}
        for name in candidates:
            if names.is_public(name):
                entry = self.look_up(module, name, 0)
                if entry is not None:
                    groups.setdefault(entry.sort, []).append(entry)
        for name in names.exported or ():
            if name not in candidates and f"{module}.{name}" not in self.names:
                self.collector.leave_out(
                    "names in `__all__` that a module does not bind for certain", f"{module}.{name}"
                )
        return groups

    def starred(self, module: str, depth: int) -> list[str]:
        """What `from x import *` brings into a module."""
        if module in self._starred or depth > _LONGEST_CHAIN:
            return self._starred.get(module, [])
        self._starred[module] = []  # for modules that import each other
        found: list[str] = []
        for star in self.names[module].stars:
            source = self.target(module, star)
            if source in self.names and source is not None:
                names = self.names[source]
                bound = (*names.entries, *names.imports, *self.starred(source, depth + 1))
                found += [name for name in bound if names.is_public(name)]
        self._starred[module] = list(dict.fromkeys(found))
        return self._starred[module]

    def look_up(self, module: str, name: str, depth: int) -> Entry | None:
        """A name as the package defines it; of the sort `Import` if another package does."""
        if (module, name) not in self._found:
            self._found[module, name] = None  # for names that lead back to themselves
            if depth <= _LONGEST_CHAIN and module in self.names:
                self._found[module, name] = self._defined(module, name, depth)
        return self._found[module, name]

    def _defined(self, module: str, name: str, depth: int) -> Entry | None:
        names = self.names[module]
        if name in names.entries:
            return names.entries[name]
        if name not in names.imports:
            sources = (self.target(module, star) for star in names.stars)
            found = (self.look_up(source, name, depth + 1) for source in sources if source)
            return next((entry for entry in found if entry is not None), None)
        imported = names.imports[name]
        source = self.target(module, imported)
        if source is None or source not in self.names or imported.name is None:
            return self.collector.entry(name, "Import")
        entry = self.look_up(source, imported.name, depth + 1)
        if entry is not None:
            return entry if entry.name == name else self.renamed(entry, name)
        is_module = f"{source}.{imported.name}" in self.names
        return self.collector.entry(name, "Import") if is_module else None

    def renamed(self, entry: Entry, name: str) -> Entry | None:
        """The same under another name: `from x import a as b`."""
        return self.collector.entry(name, entry.sort, sorted(entry.attributes), entry.numbers, entry.members)

    def target(self, module: str, imported: Imported) -> str | None:
        """The module that an import in `module` names. None if it leads out of the package."""
        if imported.level == 0:
            return imported.module
        parts = module.split(".")
        above = imported.level - (module in self.packages)
        if above > len(parts):
            return None
        base = parts[: len(parts) - above]
        return ".".join([*base, imported.module] if imported.module else base) or None


def _dotted(path: str) -> str | None:
    """The name of the module that a file is. None for what no import can name."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if parts and parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None
