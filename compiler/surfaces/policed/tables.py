"""The masks of a surface with a policy beside it, as tables that a `TokenMachine` runs on.

Invariant: a token is allowed only if the surface and the policy allow it. Of those, a token is refused if behind it no
way to an end of a text of both is known (`home.py`). Tokens are looked at one by one where they are few; of more than
`MAX_JOINT_TOKENS` that lead the policy to one state, some are looked at, and if all of these live the others are taken
to live too; else all are, with as many searches. Only behind a token that was not looked at can a text come to a dead
end, and that is said (LC0660).

Nothing is written twice: costs, `stop before` and the ends of texts are those of the policy's own tables.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import PolicyError
from langc.compiler.limits import MAX_JOINT_TOKENS, MAX_SURFACE_CONFIGS
from langc.compiler.surfaces.masks.heads import Ints
from langc.compiler.surfaces.masks.tables import State, SurfaceTables
from langc.compiler.surfaces.policed.home import JointHomes
from langc.compiler.surfaces.policed.joint import Joint, Steps
from langc.compiler.tokens.machine import Levels, Tables
from langc.compiler.tokens.rows import KeptRows
from langc.compiler.tokens.stopping import Stopping, StoppingTables
from langc.compiler.tokens.tables import Edges

Mask = npt.NDArray[np.bool_]
_SAMPLE = 8
"""Tokens of many that are looked at."""
REFUSED_BYTES = POLICY_BYTES = 32 << 20
_UNKNOWN = -1


@runtime_checkable
class WithCertain(Protocol):
    """Tables of a policy that may be in nobody's way."""

    def certain(self, state: int) -> Mask | None:
        """bool [size]: tokens behind which any text of the surface can be finished; None if no token is like that."""


class JointState(int):
    """The number of a pair of states, and the pair."""

    here: Joint
    surface: State
    policy: int

    @classmethod
    def of(cls, number: int, here: Joint, surface: State, policy: int) -> JointState:
        """A new one."""
        state = cls(number)
        state.here, state.surface, state.policy = here, surface, policy
        return state


@dataclass(frozen=True)
class _Ends:
    """The states in which a text of both may end."""

    of_policy: Container[int]

    def __contains__(self, state: object) -> bool:
        return isinstance(state, JointState) and state.policy in self.of_policy and state.surface.config.accepting


@dataclass(frozen=True)
class _EndLevels:
    """Those of ending in a state of the policy's tables."""

    of_policy: Levels

    def __getitem__(self, state: int) -> int:
        return int(self.of_policy[_joint(state).policy])


class JointTables:
    """See the module; what `tokens.machine.Tables` asks for.

    Args:
        surface: the tables of the surface.
        policy: those of the policy, for the same vocabulary.
        names: of the surface and of the policy, for messages.
    """

    def __init__(self, surface: SurfaceTables, policy: Tables, names: tuple[str, str]) -> None:
        self.surface, self.policy, self._names = surface, policy, names
        self.vocabulary, self.nodes = surface.vocabulary, surface.nodes
        self.size, self.eos_ids = surface.size, surface.eos_ids
        self.costs, self.end_levels = policy.costs, _EndLevels(policy.end_levels)
        self.accepting, self.endable = _Ends(policy.accepting), _Ends(policy.endable)
        self._static: Tables = policy.tables if isinstance(policy, StoppingTables) else policy
        self._steps = Steps(self._static, self.vocabulary)
        self.homes = JointHomes(surface.homes, self._steps, surface.nodes)
        self._numbers = itertools.count()
        self._states: dict[tuple[int, int], JointState] = {}
        self._refused: KeptRows[JointState, Ints] = KeptRows(self._find_refused, REFUSED_BYTES)
        self._permitted: KeptRows[int, Mask] = KeptRows(policy.mask, POLICY_BYTES)
        self._led_to: KeptRows[int, Ints] = KeptRows(self._find_targets, POLICY_BYTES)
        self.start = self._state_of(surface.start, policy.start)

    def check_start(self) -> None:
        """Raises PolicyError (LC0402) if no text of both is found."""
        if not self.homes.lives(self.start.here):
            raise PolicyError(self._nothing_in_common())

    def state_of(self, here: Joint) -> JointState:
        """The state of a place."""
        return self._state_of(self.surface.state_of(here.config), here.state)

    def here(self, state: int) -> Joint:
        """The place that a state is."""
        return _joint(state).here

    def open_bytes(self, here: Joint) -> Iterator[int]:
        """The bytes that may come next."""
        for byte in self.surface.open_bytes(here.config):
            following = here.step(byte)
            if following is not None and self.homes.lives(following):
                yield byte

    def mask(self, state: int) -> npt.NDArray[np.bool_]:
        """bool [size]: the allowed tokens."""
        here = _joint(state)
        row = self._both(here)
        row[self._refused[here]] = False
        return row

    def allowed(self, state: int) -> Ints:
        """The allowed tokens, ascending."""
        return np.flatnonzero(self.mask(state)).astype(np.int32)

    def edges(self, state: int) -> Edges:
        """The allowed tokens. Where they lead is not found out for all of them: `targets` is -1."""
        found = self.policy.edges(_joint(state).policy)
        kept = np.flatnonzero(self.mask(state)[found.ids])
        return Edges(found.ids[kept], np.full(len(kept), -1, dtype=np.int32), found.levels[kept])

    def target(self, state: int, token: int) -> JointState | None:
        """Where an allowed token leads, None for a refused one."""
        here = _joint(state)
        surface = self.surface.target(here.surface, token)
        policy = None if surface is None else self.policy.target(here.policy, token)
        if surface is None or policy is None:
            return None
        refused = self._refused[here]
        at = int(np.searchsorted(refused, token))
        is_refused = at < len(refused) and int(refused[at]) == token
        return None if is_refused else self._state_of(surface, policy)

    def is_stuck(self, state: int) -> bool:
        """Whether nothing may follow, and the text must not end."""
        return state not in self.endable and not self.mask(state).any()

    def dead_end(self, state: int) -> Diagnostic:
        """LC0660 for a state that is stuck."""
        here = _joint(state)
        surface, policy = self._names
        alone = [int(row.sum()) for row in (self.surface.mask(here.surface), self._permitted[here.policy])]
        return Diagnostic(
            "LC0660",
            f"nothing may follow: surface {surface} alone allows {alone[0]:,} tokens and policy {policy} {alone[1]:,}, "
            "and behind none of both no way to an end of the text was found",
            help="permit what the surface needs here, or take `on_dead_end='stop'`",
            data={"alone": alone},
        )

    def _both(self, state: JointState) -> npt.NDArray[np.bool_]:
        return self.surface.mask(state.surface) & self._permitted[state.policy]

    def _state_of(self, surface: State, policy: int) -> JointState:
        key = (int(surface), policy)
        found = self._states.get(key)
        if found is None:
            if len(self._states) >= MAX_SURFACE_CONFIGS:
                self._states.clear()
            here = Joint(surface.config, self._own(policy), self._steps)
            found = self._states[key] = JointState.of(next(self._numbers), here, surface, policy)
        return found

    def _own(self, policy: int) -> int:
        return self.policy.own(policy) if isinstance(self.policy, StoppingTables) else policy

    # --- dead ends ---

    def _find_refused(self, state: JointState) -> Ints:
        """The tokens of both behind which no way to an end is known, ascending."""
        found: list[int] = []
        for policy, tokens in self._groups(state):
            found += self._dead(state.here, policy, tokens)
        return np.array(sorted(found), dtype=np.int32)

    def _groups(self, state: JointState) -> Iterator[tuple[int, list[int]]]:
        """The tokens of both that are looked at, by the state that they lead the policy to."""
        both = self._both(state)
        certain = self._static.certain(state.policy) if isinstance(self._static, WithCertain) else None
        ids = np.flatnonzero(both if certain is None else both & ~certain).astype(np.int32)
        if not ids.size:  # behind a stop phrase, say; `split` would give one empty group
            return
        targets = self._led_to[state.here.state][ids]
        if _UNKNOWN in targets:
            yield from self._groups_one_by_one(state, ids)
            return
        order = np.argsort(targets, kind="stable")
        different, starts = np.unique(targets[order], return_index=True)
        for target, tokens in zip(different.tolist(), np.split(ids[order], starts[1:]), strict=True):
            yield target, tokens.tolist()

    def _groups_one_by_one(self, state: JointState, ids: Ints) -> Iterator[tuple[int, list[int]]]:
        groups: dict[int, list[int]] = {}
        for token in ids.tolist():
            target = self._static.target(state.here.state, token)
            assert target is not None
            groups.setdefault(target, []).append(token)
        yield from groups.items()

    def _find_targets(self, policy: int) -> Ints:
        """int32 [size]: where tokens lead the policy; unknown if its tables do not tell of all of them."""
        edges = self._static.edges(policy)
        row = np.full(self.size, _UNKNOWN, dtype=np.int32)
        row[edges.ids] = edges.targets
        return row

    def _dead(self, here: Joint, policy: int, tokens: Sequence[int]) -> list[int]:
        """Those of some tokens that are refused: with too many searches, also those of which nothing is known."""
        if len(tokens) > MAX_JOINT_TOKENS:
            sample = tokens[:: -(-len(tokens) // _SAMPLE)]
            if all(self._lives(here, policy, token) for token in sample):
                return []
        ordered = sorted(tokens, key=lambda token: len(self.vocabulary.token_bytes(token)))
        last = self.homes.searches + MAX_JOINT_TOKENS
        return [t for t in ordered if not self._lives(here, policy, t, search=self.homes.searches < last)]

    def _lives(self, here: Joint, policy: int, token: int, *, search: bool = True) -> bool:
        config = here.config.run(self.vocabulary.token_bytes(token))
        assert config is not None
        return self.homes.goes_on(Joint(config, policy, self._steps), search=search)

    def _nothing_in_common(self) -> Diagnostic:
        surface, policy = self._names
        return Diagnostic(
            "LC0402",
            f"no text of surface {surface} was found that policy {policy} permits",
            help="see what each permits alone: some name or word that every text needs is denied",
        )


class JointStoppingTables(JointTables):
    """Those of a policy with `stop before`."""

    def stopping(self, state: int) -> Stopping:
        """The tokens that would complete a phrase of `stop before`, and are refused for no other reason."""
        here = _joint(state)
        assert isinstance(self.policy, StoppingTables)
        found = self.policy.stopping(here.policy)
        kept = self.surface.mask(here.surface)[found.ids]
        return Stopping(found.ids[kept], found.bias[kept])


def joint_tables(surface: SurfaceTables, policy: Tables, names: tuple[str, str]) -> JointTables:
    """The tables of both. Raises PolicyError (LC0402) if no text of both is found."""
    kind = JointStoppingTables if isinstance(policy, StoppingTables) else JointTables
    made = kind(surface, policy, names)
    made.check_start()
    return made


def _joint(state: int) -> JointState:
    assert isinstance(state, JointState)
    return state
