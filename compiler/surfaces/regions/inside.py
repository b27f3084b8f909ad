"""A policy within the regions that hold a surface, as tables that stand beside those of the surface.

A state is one of the policy and one of the tracker. A token is allowed if the policy allows it and the text stays in
the region; a text may end where what stands in the region may end: where what closes it can be written, or the text
itself may end.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from langc.compiler.surfaces.masks.heads import Ints
from langc.compiler.surfaces.policed.joint import Steps
from langc.compiler.surfaces.regions.tracker import NEWLINE, Tracker
from langc.compiler.tokens.machine import Tables
from langc.compiler.tokens.rows import KeptRows, Remembered
from langc.compiler.tokens.tables import Edges
from langc.compiler.tokens.trie import TokenTrie

_ROW_BYTES = 32 << 20
_REMEMBERED = 1 << 18
_FREE = np.zeros(1, dtype=np.float64)
_LARGEST = 4_096
"""Places in a region that are looked at before it is given up."""
_LETTERS = b"`~ \t\r"
Pair = tuple[int, int]
"""A state of the policy and one of the tracker."""


class Inside:
    """See the module; what `tokens.machine.Tables` asks for.

    Args:
        policy: the tables of the policy, without what else they know.
        steps: the same byte by byte.
        tracker: the regions.
        trie: of the tokens that the tables are for.
        is_plain: whether the surface never needs what closes the region, see `plain.py`.
    """

    costs = _FREE

    def __init__(self, policy: Tables, steps: Steps, tracker: Tracker, trie: TokenTrie, is_plain: bool) -> None:
        self.policy, self.steps, self.tracker, self._trie = policy, steps, tracker, trie
        self._is_plain = is_plain
        self._free, self._bound = set[Pair](), set[Pair]()
        self.size, self.eos_ids = policy.size, policy.eos_ids
        self.start = 0
        self.end_levels = np.zeros(0, dtype=np.int32)
        self.accepting = self.endable = _Ends(self)
        self._numbers: dict[Pair, int] = {}
        self._pairs: list[Pair] = []
        self._led_to: KeptRows[int, Ints] = KeptRows(self._find_led_to, _ROW_BYTES)
        self._closers = Remembered(self._find_closer, _REMEMBERED)

    def state_of(self, pair: Pair) -> int:
        """The number of a pair."""
        found = self._numbers.get(pair)
        if found is None:
            found = self._numbers[pair] = len(self._pairs)
            self._pairs.append(pair)
        return found

    def pair(self, state: int) -> Pair:
        """The pair of a number."""
        return self._pairs[state]

    def mask(self, state: int) -> npt.NDArray[np.bool_]:
        """bool [size]: the allowed tokens."""
        policy, tracked = self._pairs[state]
        stays: npt.NDArray[np.bool_] = self.led_to(tracked) != 0
        return self.policy.mask(policy) & stays

    def led_to(self, tracked: int) -> Ints:
        """int32 [size], read-only: where tokens lead the tracker, 0 for those with which the text leaves the region."""
        return self._led_to[tracked]

    def edges(self, state: int) -> Edges:
        """The allowed tokens, and where each leads; -1 if the policy's tables do not tell."""
        policy, tracked = self._pairs[state]
        found = self.policy.edges(policy)
        led_to = self.led_to(tracked)[found.ids]
        kept = np.flatnonzero(led_to)
        pairs = found.targets[kept].astype(np.int64) * len(self.tracker.table) + led_to[kept]
        different, which = np.unique(pairs, return_inverse=True)
        numbers = np.array([self._numbered(pair) for pair in different.tolist()], dtype=np.int32)
        return Edges(found.ids[kept], numbers[which], np.zeros(len(kept), dtype=np.int32))

    def _numbered(self, pair: int) -> int:
        policy, tracked = divmod(pair, len(self.tracker.table))
        return -1 if policy < 0 else self.state_of((policy, tracked))

    def target(self, state: int, token: int) -> int | None:
        """Where an allowed token leads, None for a refused one."""
        policy, tracked = self._pairs[state]
        rows, inside = self.tracker.rows, self.tracker.inside
        for byte in self._trie.token_bytes(token):
            tracked = rows[tracked][byte]
            if not inside[tracked]:
                return None
        target = self.policy.target(policy, token)
        return None if target is None else self.state_of((target, tracked))

    def _find_led_to(self, tracked: int) -> Ints:
        row = np.zeros(self.size, dtype=np.int32)
        ids, ends = self._trie.walk(self.tracker.staying, tracked)
        row[ids] = ends
        return row

    # --- where nothing is in the way of the surface ---

    def certain(self, state: int) -> npt.NDArray[np.bool_] | None:
        """bool [size]: tokens behind which any text of the surface can be finished; None if no token is like that."""
        pair = self._pairs[state]
        if not (self._is_plain and self._is_free(pair)):
            return None
        led_to = self.led_to(pair[1])
        found: npt.NDArray[np.bool_] = (led_to != 0) & ~self.tracker.hindering[led_to]
        return found

    def is_certain(self, state: int) -> bool:
        """Whether any text of the surface that has come here can be finished."""
        pair = self._pairs[state]
        return self._is_plain and not self.tracker.hindering[pair[1]] and self._is_free(pair)

    def _is_free(self, pair: Pair) -> bool:
        """Whether the policy permits anything while the text stays in the region, and then what closes it."""
        if pair in self._free or pair in self._bound:
            return pair in self._free
        waiting, seen = [pair], {pair}
        for here in waiting:
            for byte, tracked in enumerate(self.tracker.rows[here[1]]):
                if not self.tracker.inside[tracked]:
                    continue
                state = self.steps.step(here[0], byte)
                if state is None or len(seen) > _LARGEST:
                    self._bound.add(pair)
                    return False
                if (state, tracked) not in seen:
                    seen.add((state, tracked))
                    waiting.append((state, tracked))
            if not self._leads_out(here):
                self._bound.add(pair)
                return False
        self._free |= seen
        return True

    def _leads_out(self, pair: Pair) -> bool:
        """Whether the policy lets the text leave the region where the line closes it."""
        behind = self.tracker.rows[pair[1]][NEWLINE]
        return self.tracker.inside[behind] or not self._is_whole(pair[1]) or self.step(pair, NEWLINE) is not None

    def _is_whole(self, tracked: int) -> bool:
        """Whether the last character is complete: where it is not, a line end is no text."""
        return bool(self.tracker.closing[tracked])

    # --- what closes the region ---

    def may_end(self, pair: Pair) -> bool:
        """Whether what stands in the region may end."""
        return self.after_contents(pair) is not None or (
            self.steps.ends(pair[0]) and self.tracker.ends_with_text(pair[1])
        )

    def after_contents(self, pair: Pair) -> bytes | None:
        """A short text that closes the region where its contents end; None if there is none."""
        if self.tracker.closer is not None:
            spelled = self.tracker.closer.encode("utf-8", "surrogatepass")
            return spelled if self.closes(pair, spelled) else None
        behind = self.step(pair, NEWLINE)
        if behind is None or not self.tracker.inside[behind[1]]:
            return None
        rest = self.closer_at(behind)
        return None if rest is None else b"\n" + rest

    def closes(self, pair: Pair, spelled: bytes) -> bool:
        """Whether a text leaves the region with its last byte."""
        here: Pair | None = pair
        for byte in spelled:
            if here is None or not self.tracker.inside[here[1]]:
                return False
            here = self.step(here, byte)
        return here is not None and not self.tracker.inside[here[1]]

    def closer_at(self, pair: Pair) -> bytes | None:
        """For code blocks, what completes a line that closes one; None if this line cannot be it."""
        return self._closers(pair) or None

    def _find_closer(self, start: Pair) -> bytes:
        """Breadth first; nothing if there is none."""
        if not self.tracker.closing[start[1]]:
            return b""
        waiting, seen = [(start, b"")], {start}
        for pair, text in waiting:
            behind = self.step(pair, NEWLINE)
            if behind is not None and not self.tracker.inside[behind[1]]:
                return text + b"\n"
            for byte in _LETTERS:
                after = self.step(pair, byte)
                if after is not None and after not in seen and self.tracker.inside[after[1]]:
                    seen.add(after)
                    waiting.append((after, text + bytes((byte,))))
        return b""

    def step(self, pair: Pair, byte: int) -> Pair | None:
        """The pair behind a byte, which may be outside; None if the policy refuses it."""
        state = self.steps.step(pair[0], byte)
        return None if state is None else (state, self.tracker.rows[pair[1]][byte])


class _Ends:
    """The states in which what stands in the region may end."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside
        self._known: dict[int, bool] = {}

    def __contains__(self, state: object) -> bool:
        assert isinstance(state, int)
        found = self._known.get(state)
        if found is None:
            found = self._known[state] = self._inside.may_end(self._inside.pair(state))
        return found
