"""What every provider collects names with: a count that is bounded, and a record of what was left out.

Invariant: an `Entry` made here has a name that UTF-8 can write, of 1 to `MAX_NAME_BYTES` bytes, without a zero byte.
Strangers' files cannot make more entries than `MAX_ENVIRONMENT_NAMES`, nor more warnings than there are reasons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from langc.compiler.diagnostics import Diagnostic, Severity
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.limits import MAX_ENVIRONMENT_NAMES, MAX_NAME_BYTES, over_limit
from langc.compiler.surfaces.environment.names import Entry, Environment, Group

EXAMPLES = 3
"""Of what was left out for one reason, in its warning."""
_SHOWN = 40
_ODD = "names that are empty, too long, or hold a zero byte or half a surrogate pair"


@dataclass
class Collector:
    """The entries of one source of names."""

    where: str
    """What messages call the source."""
    count: int = 0
    left_out: dict[str, list[str]] = field(default_factory=dict)
    """By reason the names of what was left out."""
    _shared: dict[tuple[str, ...], frozenset[str]] = field(default_factory=dict)

    def entry(
        self,
        name: str,
        sort: str,
        attributes: Iterable[str] = (),
        numbers: Mapping[str, int] | None = None,
        members: Mapping[str, Iterable[Entry]] | None = None,
    ) -> Entry | None:
        """An entry, or None if the name cannot be one, which is noted. Raises LimitError (LC0701)."""
        self.count += 1
        if self.count > MAX_ENVIRONMENT_NAMES:
            raise LimitError(over_limit(f"names in {self.where}", MAX_ENVIRONMENT_NAMES))
        if not _is_writable(name):
            self.leave_out(_ODD, name)
            return None
        groups = {kind: Group.of(entries) for kind, entries in (members or {}).items()}
        return Entry(
            name,
            sort,
            self._attributes(attributes),
            MappingProxyType(dict(numbers)) if numbers else _NO_NUMBERS,
            MappingProxyType({kind: group for kind, group in groups.items() if len(group)}) if groups else _NO_MEMBERS,
        )

    def entries(self, names: Iterable[str], sort: str, attributes: Iterable[str] = ()) -> list[Entry]:
        """Entries that are nothing but names, without those that cannot be one."""
        made = (self.entry(name, sort, attributes) for name in names)
        return [entry for entry in made if entry is not None]

    def table(self, name: str, attributes: Iterable[str], columns: Iterable[Entry | None]) -> Entry | None:
        """A table with all of its columns; None if one cannot be an entry, for `*` and INSERT count it all the same."""
        whole = list(columns)
        made = [column for column in whole if column is not None]
        if len(made) < len(whole):
            self.leave_out("tables and views with a column that cannot be named", name)
            return None
        return self.entry(name, "Table", attributes, members={"Column": made})

    def leave_out(self, reason: str, what: str) -> None:
        """Note that something of the source is not offered."""
        self.left_out.setdefault(reason, []).append(what[:_SHOWN])

    def warnings(self) -> tuple[Diagnostic, ...]:
        """One warning (LC0910) for each reason."""
        return tuple(_warning(self.where, reason, found) for reason, found in self.left_out.items())

    def environment(
        self,
        name: str,
        groups: Mapping[str, Iterable[Entry]],
        kind: str,
        version: str | None = None,
        warnings: tuple[Diagnostic, ...] = (),
    ) -> Environment:
        """The environment of what was collected. Raises LangcError (LC0908) if that is no name at all."""
        found = {sort: Group.of(entries) for sort, entries in groups.items()}
        kept = MappingProxyType({sort: group for sort, group in found.items() if len(group)})
        if not kept:
            notes = tuple(warning.message for warning in self.warnings())
            help_ = "name a source that holds some: no text could be written over none"
            raise LangcError(Diagnostic("LC0908", f"{self.where} holds no names", notes=notes, help=help_))
        return Environment(name, kept, kind, version, self.where, (*self.warnings(), *warnings))

    def _attributes(self, attributes: Iterable[str]) -> frozenset[str]:
        """Equal sets of attributes are one object: there are few of them, and very many entries."""
        key = tuple(attributes)
        found = self._shared.get(key)
        if found is None:
            found = self._shared[key] = frozenset(key)
        return found


def warning(message: str, help: str | None = None) -> Diagnostic:
    """A warning about names that are not offered."""
    return Diagnostic("LC0910", message, help=help, severity=Severity.WARNING)


def _is_writable(name: str) -> bool:
    if name.isascii():
        return 0 < len(name) <= MAX_NAME_BYTES and "\0" not in name
    try:
        return len(name.encode()) <= MAX_NAME_BYTES and "\0" not in name
    except UnicodeEncodeError:
        return False


def _warning(where: str, reason: str, found: list[str]) -> Diagnostic:
    shown = ", ".join(repr(name) for name in dict.fromkeys(found[:EXAMPLES]))
    more = f" and {len(found) - EXAMPLES:,} more" if len(found) > EXAMPLES else ""
    return warning(f"{where}: left out are {reason}: {shown}{more}")


_NO_NUMBERS: Mapping[str, int] = MappingProxyType({})
_NO_MEMBERS: Mapping[str, Group] = MappingProxyType({})
