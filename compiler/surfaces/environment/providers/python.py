"""`python("module.py")`: the public names of one Python file (`_python_names.py` has the sorts).

Public is what `__all__` lists, or what does not begin with `_` and is not imported. A name that `__all__` lists and the
file imports has the sort `Import`: what it is, another file says.
"""

from __future__ import annotations

from langc.compiler.limits import MAX_SOURCE_BYTES
from langc.compiler.surfaces.environment.collector import Collector
from langc.compiler.surfaces.environment.names import Entry, Environment
from langc.compiler.surfaces.environment.opened import decoded, read_bytes
from langc.compiler.surfaces.environment.providers import Request
from langc.compiler.surfaces.environment.providers._python_names import ModuleNames, module_names


def read(request: Request) -> Environment:
    """The names of a module. Raises LangcError (LC0001 to LC0004, LC0902, LC0906, LC0908), LimitError (LC0701)."""
    path, _ = request.one_file()
    collector = Collector(str(path))
    text = decoded(read_bytes(path, MAX_SOURCE_BYTES), str(path))
    names = module_names(text, str(path), collector)
    return collector.environment(request.name, _public(names, collector), request.kind)


def _public(names: ModuleNames, collector: Collector) -> dict[str, list[Entry]]:
    groups: dict[str, list[Entry]] = {}
    for name, entry in names.entries.items():
        if names.is_public(name):
            groups.setdefault(entry.sort, []).append(entry)
    imported = [name for name in names.imports if names.is_public(name)]
    groups["Import"] = collector.entries(imported, "Import")
    for name in names.exported or ():
        if name not in names.entries and name not in names.imports:
            collector.leave_out("names in `__all__` that the file does not bind for certain", name)
    return groups
