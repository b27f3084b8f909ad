"""The names of an environment that a policy lets a text write at all.

A name that cannot be written in any way, wherever it stands, is in no text of both; so the texts of both are the same
without it, and the world of the surface then knows by itself what cannot be promised. That is left out here for names
without an owner: what has members counts them, and what a member could be called is looked at where it is written.

Invariant: no text that the policy permits has a name that is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from langc.compiler.limits import MAX_JOINT_NAME_STEPS
from langc.compiler.surfaces.engine.lexemes import shape
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.environment.spelling import Spelling
from langc.compiler.surfaces.model import Surface
from langc.compiler.surfaces.policed.joint import BYTES
from langc.compiler.surfaces.policed.rules import Rules
from langc.compiler.tokens.stopping import StoppingTables
from langc.compiler.tokens.tables import TokenTables

States = npt.NDArray[np.int64]


def writable(environment: Environment, surface: Surface, rules: Rules) -> Environment:
    """The environment without the names that cannot be written. It is as it was if finding out would take long."""
    tables = rules.tables(BYTES)
    tables = tables.tables if isinstance(tables, StoppingTables) else tables
    if not isinstance(tables, TokenTables):
        return environment
    reader = _Reader(tables, surface)
    size = sum(len(entry.name) for sort in surface.sorts for entry in environment.group(sort))
    if size * len(reader.states) > MAX_JOINT_NAME_STEPS:
        return environment
    groups = dict(environment.groups)
    for sort in surface.sorts.values():
        if sort.owner is None and sort.name in groups:
            groups[sort.name] = Group.of(filter(reader.can_write, groups[sort.name]))
    return replace(environment, groups=groups) if _differ(groups, environment.groups) else environment


def _differ(some: Mapping[str, Group], others: Mapping[str, Group]) -> bool:
    return any(len(group) != len(others[sort]) for sort, group in some.items())


class _Reader:
    def __init__(self, tables: TokenTables, surface: Surface) -> None:
        count = len(tables.live)
        self._table = np.where(tables.live[tables.table % count], tables.table % count, 0)[:count]
        self._endable = np.array(sorted(tables.endable), dtype=np.int64)
        self._spelling, self._folds = Spelling.of(surface), surface.fold_case
        self._word = shape(surface.word)
        self.states: States = np.array(tables.states(), dtype=np.int64)
        """All states in which a name may begin."""

    def can_write(self, entry: Entry) -> bool:
        """Whether there is a place at which the policy lets some spelling pass, and what may stand behind it."""
        return any(map(self._passes, self._spelling.spellings(entry.name)))

    def _passes(self, text: bytes) -> bool:
        states = self.states
        for byte in text:
            rows = self._table[states][:, list(self._ways(byte))]
            states = np.unique(rows[rows != 0]).astype(np.int64)
            if not states.size:
                return False
        if np.isin(states, self._endable).any():
            return True
        behind = [byte for byte in range(256) if not self._goes_on(text, byte)]
        return bool(self._table[states][:, behind].any())

    def _ways(self, byte: int) -> Iterator[int]:
        yield byte
        if self._folds and 0x61 <= byte <= 0x7A:
            yield byte - 32

    def _goes_on(self, text: bytes, byte: int) -> bool:
        """Whether a byte behind a bare name would be part of it."""
        return self._word.table[self._word.run(text)][byte] != 0
