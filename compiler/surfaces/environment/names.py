"""The names that exist: entries, groups of them, the environment Γ, and what a slot offers of it.

Invariants
* All of it is immutable. An `Entry` is compared by identity. Groups, entries made while a model writes (the columns of
  a derived table), and sets of names are interned: equal content gives the same object for as long as one is in use,
  so identity is content there too, and hashing is cheap.
* A `NameSet` has its spellings sorted and distinct; `entries[i]` is the name that `spellings[i]` writes. Of two entries
  with one spelling the first has it, and the other is in `hidden` if all its spellings are taken.
* The digest of an environment is that of its canonical content: the groups, and not where they were read.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import Any
from weakref import WeakValueDictionary

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.surfaces.environment.spelling import Spelling

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_NO_WORDS: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Entry:
    """One name: a table, a column, a function, an option."""

    name: str
    sort: str
    attributes: frozenset[str] = _NO_WORDS
    """Words that `where` and `not where` of a slot ask for: aggregate, required, repeat…"""
    numbers: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
    """`least` and `most`: how many arguments a function takes. Without `most` there is no bound."""
    members: Mapping[str, Group] = field(default_factory=lambda: _NOTHING)
    """What belongs to it, by sort: the columns of a table."""

    @classmethod
    def made(cls, name: str, sort: str, attributes: frozenset[str] = _NO_WORDS) -> Entry:
        """An entry that is made at run time: equal arguments give the same object."""
        key = (name, sort, attributes)
        found = _made_entries.get(key)
        if found is None:
            found = _made_entries[key] = cls(name, sort, attributes)
        return found

    def has(self, where: Iterable[str] = (), where_not: Iterable[str] = ()) -> bool:
        """Whether it has all the attributes of `where` and none of `where_not`."""
        return self.attributes.issuperset(where) and self.attributes.isdisjoint(where_not)


class Group:
    """An ordered collection of entries. Made by `Group.of` and `Group.of_names`, which give equal rows the same object.

    A name may be there more than once (`max` is an aggregate of one argument and a scalar function of more). `get`
    gives the first of them.
    """

    __slots__ = ("__weakref__", "_by_name", "_sets", "entries")

    entries: tuple[Entry, ...]

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self.entries = entries
        self._by_name: dict[bool, dict[bytes, tuple[Entry, ...]]] = {}
        self._sets: dict[tuple[Spelling, frozenset[str], frozenset[str]], NameSet] = {}

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Group:
        """The group of these entries in this order."""
        row = tuple(entries)
        found = _groups.get(row)
        if found is None:
            found = _groups[row] = cls(row)
        return found

    @classmethod
    def of_names(cls, sort: str, names: Iterable[str], attributes: frozenset[str] = _NO_WORDS) -> Group:
        """A group made at run time, of entries that are nothing but names."""
        return cls.of(Entry.made(name, sort, attributes) for name in names)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, entry: object) -> bool:
        return entry in self.entries

    def __repr__(self) -> str:
        return f"Group({', '.join(entry.name for entry in self.entries[:5])}{', …' * (len(self) > 5)})"

    def all(self, name: str | bytes, fold_case: bool = False) -> tuple[Entry, ...]:
        """The entries of a name, in order."""
        text = name if isinstance(name, bytes) else name.encode("utf-8", "surrogatepass")
        return self._index(fold_case).get(text.lower() if fold_case else text, ())

    def get(self, name: str | bytes, fold_case: bool = False) -> Entry | None:
        """The first entry of a name; with `fold_case` A-Z count as a-z."""
        found = self.all(name, fold_case)
        return found[0] if found else None

    def names(
        self, spelling: Spelling, where: Iterable[str] = _NO_WORDS, where_not: Iterable[str] = _NO_WORDS
    ) -> NameSet:
        """What may be written for these entries. The same question gives the same object."""
        key = (spelling, frozenset(where), frozenset(where_not))
        found = self._sets.get(key)
        if found is None:
            wanted = (entry for entry in self.entries if entry.has(key[1], key[2])) if key[1] or key[2] else self
            found = self._sets[key] = NameSet.of(wanted, spelling)
        return found

    def _index(self, fold_case: bool) -> dict[bytes, tuple[Entry, ...]]:
        index = self._by_name.get(fold_case)
        if index is None:
            index = self._by_name[fold_case] = {}
            for entry in self.entries:
                text = entry.name.encode("utf-8", "surrogatepass")
                key = text.lower() if fold_case else text
                index[key] = (*index.get(key, ()), entry)
        return index


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class NameSet:
    """The names that a slot offers, as they may be written."""

    spellings: tuple[bytes, ...]
    """Sorted, distinct, folded if the surface folds."""
    entries: tuple[Entry, ...]
    spelling: Spelling
    unwritable: tuple[Entry, ...] = ()
    """Entries without any spelling: an empty name, or one with a zero byte, or no word where nothing can be quoted."""
    hidden: tuple[Entry, ...] = ()
    """Entries that an earlier one of the same folded name hides."""

    @classmethod
    def of(cls, entries: Iterable[Entry], spelling: Spelling) -> NameSet:
        """The spellings of some entries: equal rows of entries give the same object."""
        row = tuple(entries)
        found = _name_sets.get((row, spelling))
        if found is None:
            found = _name_sets[row, spelling] = cls._build(row, spelling)
        return found

    @classmethod
    def _build(cls, row: tuple[Entry, ...], spelling: Spelling) -> NameSet:
        owner: dict[bytes, Entry] = {}
        unwritable, hidden = [], []
        for entry in row:
            ways = spelling.spellings(entry.name)
            if not ways:
                unwritable.append(entry)
            elif ways[-1] in owner:  # the folded name decides all of them, so they are taken together
                hidden.append(entry)
            else:
                for way in ways:
                    owner.setdefault(way, entry)
        ordered = sorted(owner)
        entries = tuple(map(owner.__getitem__, ordered))
        return cls(tuple(ordered), entries, spelling, tuple(unwritable), tuple(hidden))

    def __len__(self) -> int:
        return len(self.spellings)

    def __bool__(self) -> bool:
        return bool(self.spellings)

    def narrow(self, low: int, high: int, depth: int, byte: int) -> tuple[int, int]:
        """Of the spellings low <= i < high, which share their first `depth` bytes: those whose next one is `byte`.

        The byte is folded here. A spelling that ends at `depth` is the first of its range (`ends_at`).
        """
        if low >= high:
            return low, low
        if self.spelling.fold_case and 0x41 <= byte <= 0x5A:
            byte |= 0x20
        first = self.spellings[low]
        if high - low == 1:
            return (low, high) if len(first) > depth and first[depth] == byte else (high, high)
        lead = first[:depth]
        start = bisect_left(self.spellings, lead + bytes((byte,)), low, high)
        if byte == 0xFF:
            return start, high
        return start, bisect_left(self.spellings, lead + bytes((byte + 1,)), start, high)

    def ends_at(self, low: int, high: int, depth: int) -> Entry | None:
        """The entry whose spelling is complete after `depth` bytes, in a range from `narrow`."""
        if low < high and len(self.spellings[low]) == depth:
            return self.entries[low]
        return None

    def find(self, lexeme: bytes) -> Entry | None:
        """The entry that a whole lexeme, as it was written, names."""
        wanted = self.spelling.folded(lexeme)
        at = bisect_left(self.spellings, wanted)
        return self.entries[at] if at < len(self.spellings) and self.spellings[at] == wanted else None


@dataclass(frozen=True)
class Words:
    """What an open slot offers: any word of a shape but those that are excluded."""

    shape: str
    """A pattern (the surface's `word`, or that of a token) that the whole word matches."""
    excluded: frozenset[bytes] = frozenset()
    """Folded, without quotes; keywords included, which may then be written between quotes only if `quoted` says so."""
    fold_case: bool = False
    quoted: bool = False
    """Whether the word may also be written between quotes."""
    refused: frozenset[bytes] = frozenset()
    """Those of the excluded ones that may not be written between quotes either."""

    def allows(self, word: bytes) -> bool:
        """Whether a bare word that has the shape is none of the excluded ones."""
        return (word.lower() if self.fold_case else word) not in self.excluded


@dataclass(frozen=True, eq=False)
class Environment:
    """Γ as it is before anything is written: groups of names by sort."""

    name: str
    groups: Mapping[str, Group]
    kind: str = "json"
    """The provider that read it."""
    version: str | None = None
    """Of what was read: a package's, SQLite's."""
    origin: str | None = None
    """What was read: a file name, a package."""
    warnings: tuple[Diagnostic, ...] = ()
    """What was left out, and why."""

    def group(self, sort: str) -> Group:
        """The names of a sort; an empty group if there are none."""
        return self.groups.get(sort, _EMPTY)

    @property
    def counts(self) -> dict[str, int]:
        """Number of names by sort, members included."""
        found: dict[str, int] = {}
        for group in _all_groups(self.groups):
            for entry in group:
                found[entry.sort] = found.get(entry.sort, 0) + 1
        return found

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical content, in hexadecimal digits."""
        text = json.dumps(content(self.groups), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def to_json(self) -> str:
        """JSON text from which `from_json` makes an equal environment: canonical, one entry a line."""
        from langc.compiler.surfaces.environment.canonical import to_json

        return to_json(self)

    @staticmethod
    def from_json(text: str, where: str = "<json>") -> Environment:
        """The environment of a JSON text. Raises LangcError (LC0905, LC0908, LC0912), LimitError (LC0701)."""
        from langc.compiler.surfaces.environment.canonical import from_json

        return from_json(text, where)

    @classmethod
    def merged(cls, several: Sequence[Environment]) -> Environment:
        """One environment with the names of several: of each sort those of the first, then those of the next.

        Where two have the same name, the first one hides the other.
        """
        if len(several) == 1:
            return several[0]
        sorts = dict.fromkeys(sort for one in several for sort in one.groups)
        groups = {sort: Group.of(entry for one in several for entry in one.group(sort)) for sort in sorts}
        warnings = tuple(warning for one in several for warning in one.warnings)
        return cls("+".join(one.name for one in several), MappingProxyType(groups), "merged", warnings=warnings)


def content(groups: Mapping[str, Group]) -> dict[str, list[object]]:
    """The canonical content of groups as JSON values: an entry that is nothing but a name is a string."""
    return {sort: [_value(entry) for entry in groups[sort]] for sort in sorted(groups) if len(groups[sort])}


def _value(entry: Entry) -> object:
    if not (entry.attributes or entry.numbers or entry.members):
        return entry.name
    found: dict[str, object] = {"name": entry.name}
    if entry.attributes:
        found["attributes"] = sorted(entry.attributes)
    if entry.members:
        found["members"] = content(entry.members)
    if entry.numbers:
        found["numbers"] = dict(sorted(entry.numbers.items()))
    return found


def _all_groups(groups: Mapping[str, Group]) -> Iterator[Group]:
    for group in groups.values():
        yield group
        for members in map(attrgetter("members"), group):
            yield from _all_groups(members)


_made_entries: WeakValueDictionary[tuple[str, str, frozenset[str]], Entry] = WeakValueDictionary()
_groups: WeakValueDictionary[tuple[Entry, ...], Group] = WeakValueDictionary()
_name_sets: WeakValueDictionary[tuple[tuple[Entry, ...], Spelling], NameSet] = WeakValueDictionary()
_EMPTY = Group.of(())
