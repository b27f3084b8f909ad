"""The masks of a policy with a surface in its regions, as tables that a `TokenMachine` runs on.

Invariant: a token is allowed only if the policy allows it and there is a step for each of its bytes, one after another
(`spot.py`). Outside all regions the mask is the policy's, and within one that of the surface with the policy beside it
(`policed/tables.py`), but for *borders*: tokens that open a region, leave it, or end in what may become a closer. These
are walked byte by byte, and where they end in a region a way to the end of its text has to be known.

A place behind a token that was not looked at one by one may be a dead end, as in `policed/tables.py`: LC0660.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.limits import MAX_SURFACE_CONFIGS
from langc.compiler.surfaces.masks.heads import ROOT, Ints
from langc.compiler.surfaces.masks.tables import SurfaceTables
from langc.compiler.surfaces.policed.joint import Steps
from langc.compiler.surfaces.policed.tables import JointState, JointTables
from langc.compiler.surfaces.regions.contents import Contents
from langc.compiler.surfaces.regions.home import SpotHomes
from langc.compiler.surfaces.regions.inside import Inside
from langc.compiler.surfaces.regions.plain import never_needs_closer
from langc.compiler.surfaces.regions.spot import Followed, Spot
from langc.compiler.surfaces.regions.tracker import Flags
from langc.compiler.tokens.machine import Levels, Tables
from langc.compiler.tokens.rows import KeptRows
from langc.compiler.tokens.stopping import NOTHING, Stopping, StoppingTables
from langc.compiler.tokens.tables import Edges

KEPT_BYTES = 32 << 20


class SpotState(int):
    """The number of a place, and the place."""

    spot: Spot
    policy: int
    """Of the policy's tables, which may know more than the place does."""
    joint: JointState | None
    """Within a region whose surface goes on: the state of both."""

    @classmethod
    def of(cls, number: int, spot: Spot, policy: int, joint: JointState | None) -> SpotState:
        """A new one."""
        state = cls(number)
        state.spot, state.policy, state.joint = spot, policy, joint
        return state


@dataclass(frozen=True)
class _Ends:
    """The states in which a text may end."""

    of_policy: Container[int]

    def __contains__(self, state: object) -> bool:
        return isinstance(state, SpotState) and state.policy in self.of_policy and state.spot.may_end()


@dataclass(frozen=True)
class _EndLevels:
    """Those of ending in a state of the policy's tables."""

    of_policy: Levels

    def __getitem__(self, state: int) -> int:
        return int(self.of_policy[_state(state).policy])


@dataclass(frozen=True, eq=False)
class _Borders:
    """Tokens that are looked at one by one."""

    among: Flags
    """bool [size]"""
    leading: Flags
    """bool [N]: the nodes of the trie that lead to one."""

    @property
    def nbytes(self) -> int:
        """The memory that it holds."""
        return self.among.nbytes + self.leading.nbytes


class RegionTables:
    """See the module; what `tokens.machine.Tables` asks for.

    Args:
        surface: the tables of the surface.
        policy: those of the policy with anything in the regions, for the same vocabulary.
        contents: the regions.
        names: of the surface and of the policy, for messages.
    """

    def __init__(self, surface: SurfaceTables, policy: Tables, contents: Contents, names: tuple[str, str]) -> None:
        self.surface, self.policy, self._names = surface, policy, names
        self.vocabulary, self.nodes = surface.vocabulary, surface.nodes
        self.size, self.eos_ids = surface.size, surface.eos_ids
        self.costs, self.end_levels = policy.costs, _EndLevels(policy.end_levels)
        self.accepting, self.endable = _Ends(policy.accepting), _Ends(policy.endable)
        static: Tables = policy.tables if isinstance(policy, StoppingTables) else policy
        steps, trie = Steps(static, self.vocabulary), self.nodes.trie
        is_plain = never_needs_closer(surface.start.config.engine)
        self._inside = tuple(Inside(static, steps, tracker, trie, is_plain) for tracker in contents.trackers)
        own = tuple(Steps(inside, self.vocabulary) for inside in self._inside)
        self.followed = Followed(steps, self._inside, own, surface.start.config)
        self._numbers = itertools.count()
        self._states: dict[Hashable, SpotState] = {}
        self._joint: dict[int, JointTables] = {}
        self._found: KeptRows[SpotState, Ints] = KeptRows(self._find_borders, KEPT_BYTES)
        self._borders: KeptRows[tuple[int | None, tuple[int, ...]], _Borders] = KeptRows(self._find_among, KEPT_BYTES)
        self._permitted: KeptRows[int, Flags] = KeptRows(policy.mask, KEPT_BYTES)
        self.homes = SpotHomes(self.nodes, self.joint)
        self.start = self._state_of(Spot.first(self.followed, self._own(policy.start)), policy.start)

    def joint(self, number: int) -> JointTables:
        """The tables of the surface and the policy within the regions of a tracker."""
        found = self._joint.get(number)
        if found is None:
            inside = self._inside[number]
            inside.start = inside.state_of((self._own(self.policy.start), inside.tracker.start))
            found = self._joint[number] = JointTables(self.surface, inside, self._names)
        return found

    def here(self, state: int) -> Spot:
        """The place that a state is."""
        return _state(state).spot

    def open_bytes(self, here: Spot) -> Iterator[int]:
        """The bytes that may come next."""
        for byte in range(256):
            following = here.step(byte)
            if following is not None and self.homes.lives(following):
                yield byte

    def mask(self, state: int) -> npt.NDArray[np.bool_]:
        """bool [size]: the allowed tokens."""
        here = _state(state)
        row = self._within(here)
        row[self._found[here]] = True
        return row

    def allowed(self, state: int) -> Ints:
        """The allowed tokens, ascending."""
        return np.flatnonzero(self.mask(state)).astype(np.int32)

    def edges(self, state: int) -> Edges:
        """The allowed tokens. Where they lead is not found out for all of them: `targets` is -1."""
        found = self.policy.edges(_state(state).policy)
        kept = np.flatnonzero(self.mask(state)[found.ids])
        return Edges(found.ids[kept], np.full(len(kept), -1, dtype=np.int32), found.levels[kept])

    def target(self, state: int, token: int) -> SpotState | None:
        """Where an allowed token leads, None for a refused one."""
        here = _state(state)
        policy = self.policy.target(here.policy, token)
        if policy is None or not self._allows(here, token):
            return None
        spot = here.spot.run(self.vocabulary.token_bytes(token))
        return None if spot is None else self._state_of(spot, policy)

    def _allows(self, here: SpotState, token: int) -> bool:
        if self._among(here.spot).among[token]:
            found = self._found[here]
            at = int(np.searchsorted(found, token))
            if at < len(found) and int(found[at]) == token:
                return True
        elif here.spot.open is None:
            return True
        if here.spot.open is None or here.joint is None:
            return False
        return self.joint(here.spot.open.number).target(here.joint, token) is not None

    def policy_state(self, state: int) -> int:
        """The state of the policy's tables."""
        return _state(state).policy

    def opening(self, state: int) -> Ints:
        """Outside all regions: the tokens that open one, or with which the text is in the line that opens one."""
        spot = _state(state).spot
        found = self._among(spot).among.copy()
        for inside, at in zip(self._inside, spot.tracked, strict=True):
            ids, ends = self.nodes.trie.walk(inside.tracker.untouched, at)
            found[ids[np.array(inside.tracker.opening)[ends]]] = True
        return np.flatnonzero(found & self._permitted[_state(state).policy]).astype(np.int32)

    def is_stuck(self, state: int) -> bool:
        """Whether nothing may follow, and the text must not end."""
        return state not in self.endable and not self.mask(state).any()

    def dead_end(self, state: int) -> Diagnostic:
        """LC0660 for a state that is stuck."""
        surface, policy = self._names
        return Diagnostic(
            "LC0660",
            f"nothing may follow in a region of policy {policy}: no way to an end of a text of {surface} was found",
            help="permit what the surface needs here, or take `on_dead_end='stop'`",
            data={"alone": [0, int(self._permitted[_state(state).policy].sum())]},
        )

    def _within(self, here: SpotState) -> Flags:
        """The allowed tokens that are no borders, and perhaps some that are. A new array."""
        spot = here.spot
        if spot.open is None:
            return self._permitted[here.policy] & ~self._among(spot).among
        if here.joint is None:
            return np.zeros(self.size, dtype=np.bool_)
        return self.joint(spot.open.number).mask(here.joint)

    def _state_of(self, spot: Spot, policy: int) -> SpotState:
        joint = None
        if spot.open is not None and spot.open.joint is not None:
            joint = self.joint(spot.open.number).state_of(spot.open.joint)
        region = None
        if spot.open is not None:
            here = spot.open
            complete = here.was_complete, here.at_line_start, here.before_return, here.begun
            region = here.number, None if joint is None else int(joint), complete
        key = policy, spot.tracked, region
        found = self._states.get(key)
        if found is None:
            if len(self._states) >= MAX_SURFACE_CONFIGS:
                self._states.clear()
            found = self._states[key] = SpotState.of(next(self._numbers), spot, policy, joint)
        return found

    def _own(self, policy: int) -> int:
        return self.policy.own(policy) if isinstance(self.policy, StoppingTables) else policy

    # --- borders ---

    def _among(self, spot: Spot) -> _Borders:
        if spot.open is None:
            return self._borders[None, spot.tracked]
        number = spot.open.number
        return self._borders[number, (spot.tracked[number],)]

    def _find_among(self, key: tuple[int | None, tuple[int, ...]]) -> _Borders:
        number, tracked = key
        among = np.zeros(self.size, dtype=np.bool_)
        if number is None:
            for inside, at in zip(self._inside, tracked, strict=True):
                among |= self._touching(inside, at)
        else:
            inside = self._inside[number]
            led_to = inside.led_to(tracked[0])
            among[:] = (led_to == 0) | inside.tracker.closing[led_to]
            if inside.tracker.closer is None:
                among[self._behind_return] = True
        among[self._wordless] = False
        return _Borders(among, self._leading(among))

    def _touching(self, inside: Inside, tracked: int) -> Flags:
        """bool [size]: the tokens in which a region opens."""
        ids, _ = self.nodes.trie.walk(inside.tracker.untouched, tracked)
        row = np.ones(self.size, dtype=np.bool_)
        row[ids] = False
        return row

    @cached_property
    def _behind_return(self) -> Ints:
        """The tokens that end in a carriage return."""
        tokens = enumerate(self.vocabulary.tokens)
        return np.array([token for token, spelled in tokens if spelled.endswith(b"\r")], dtype=np.int32)

    @cached_property
    def _wordless(self) -> Ints:
        """The ids that write nothing."""
        return np.array([token for token, spelled in enumerate(self.vocabulary.tokens) if not spelled], dtype=np.int32)

    def _leading(self, among: Flags) -> Flags:
        nodes = self.nodes
        leading = np.zeros(nodes.count, dtype=np.bool_)
        leading[nodes.trie.node_of[np.flatnonzero(among)]] = True
        for low, high in reversed(nodes.levels):
            leading[nodes.parent[low:high][leading[low:high]]] = True
        return leading

    def _find_borders(self, state: SpotState) -> Ints:
        """The borders that are allowed, ascending."""
        borders, permitted = self._among(state.spot), self._permitted[state.policy]
        wanted = borders.among & permitted & ~self._within(state)
        found: list[int] = []
        nodes, leading = self.nodes, borders.leading
        if wanted.sum() < borders.among.sum() // 2:
            leading = self._leading(wanted)
        waiting = [(ROOT, state.spot)]
        while waiting:
            node, spot = waiting.pop()
            for child in nodes.children(node):
                if not leading[child]:
                    continue
                after = spot.step(int(nodes.byte[child]))
                if after is None:
                    continue
                tokens = [token for token in nodes.ids_at(child) if wanted[token]]
                if tokens and self.homes.lives(after):
                    found += tokens
                waiting.append((child, after))
        return np.array(sorted(found), dtype=np.int32)


class RegionStoppingTables(RegionTables):
    """Those of a policy with `stop before`."""

    def stopping(self, state: int) -> Stopping:
        """The tokens that would complete a phrase of `stop before`, and are refused for no other reason."""
        here = _state(state)
        assert isinstance(self.policy, StoppingTables)
        found = self.policy.stopping(here.policy)
        if here.spot.open is None:
            return found
        if here.joint is None:
            return NOTHING
        kept = self.surface.mask(here.joint.surface)[found.ids]
        return Stopping(found.ids[kept], found.bias[kept])


def region_tables(surface: SurfaceTables, policy: Tables, contents: Contents, names: tuple[str, str]) -> RegionTables:
    """The tables of a policy with a surface in its regions."""
    kind = RegionStoppingTables if isinstance(policy, StoppingTables) else RegionTables
    return kind(surface, policy, contents, names)


def _state(state: int) -> SpotState:
    assert isinstance(state, SpotState)
    return state
