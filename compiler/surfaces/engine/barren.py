"""Names that lead a rule nowhere: it goes on with a member of theirs, and they have none.

Invariant: whether a rule can end behind a name that lacks members of some sorts is decided from the rule alone, so it
is found once for each edge and set of sorts, however many names there are.
"""

from __future__ import annotations

from functools import lru_cache

from langc.compiler.surfaces.engine.network import Edge, Leave, Network, Read
from langc.compiler.surfaces.environment.names import Entry, NameSet
from langc.compiler.surfaces.model import Literal, Reference, Surface

Missing = frozenset[str]
_REMEMBERED = 1_000


class Barren:
    """Of one surface."""

    def __init__(self, surface: Surface, network: Network) -> None:
        self._network = network
        self._members: dict[str, list[str]] = {}
        for sort in surface.sorts.values():
            if sort.owner is not None:
                self._members.setdefault(sort.owner, []).append(sort.name)
        self.without = lru_cache(_REMEMBERED)(self._without)
        self._ends = lru_cache(_REMEMBERED)(self._can_end)

    def _without(self, edge: Read, names: NameSet) -> NameSet:
        """The names of a slot behind which its rule can end; the same object if all are."""
        slot = edge.terminal
        if not isinstance(slot, Reference) or slot.local is None or slot.sort not in self._members:
            return names
        members = self._members[slot.sort]
        barren = {entry for entry in names.entries if not self._ends(edge.target, slot.local, _missing(entry, members))}
        if not barren:
            return names
        fruitful = dict.fromkeys(entry for entry in names.entries if entry not in barren)
        return NameSet.of(fruitful, names.spelling)

    def _can_end(self, state: int, local: str, missing: Missing) -> bool:
        """Whether a rule's end is reached without a member of these sorts of what is kept as `local`."""
        if not missing:
            return True
        seen, waiting = {state}, [state]
        for at in waiting:
            for edge in self._network.edges[at]:
                if isinstance(edge, Leave) or _keeps_anew(edge, local):
                    return True
                if edge.target not in seen and not _asks(edge, local, missing):
                    seen.add(edge.target)
                    waiting.append(edge.target)
        return False


def _missing(entry: Entry, members: list[str]) -> Missing:
    return frozenset(sort for sort in members if not entry.members.get(sort))


def _keeps_anew(edge: Edge, local: str) -> bool:
    return isinstance(edge, Read) and not isinstance(edge.terminal, Literal) and edge.terminal.local == local


def _asks(edge: Edge, local: str, missing: Missing) -> bool:
    return (
        isinstance(edge, Read)
        and isinstance(edge.terminal, Reference)
        and edge.terminal.of == local
        and edge.terminal.sort in missing
    )
