"""Where a text stands in the regions that hold a surface, byte by byte.

A tracker follows the regions of one policy that are closed alike: all code blocks, or those between delimiters with one
closer. It goes by the texts that end in such a region (`passes/open_regions.ending_in`), whatever the rules say: a text
is in one if it still ends in one with another character behind it that neither opens nor closes any.

Invariant: a region is open or not from one whole character to the next. State 0 stands for no text: derived tables lead
there for what is not to be followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from langc.compiler.automata.closure import closure
from langc.compiler.automata.dfa import DEAD, Dfa

Table = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]
NEWLINE, RETURN = 0x0A, 0x0D
_OF_CLOSERS = b" \t`~\r"
"""What the line that closes a code block is made of."""
_Key = tuple[int, int, bool]
"""A state of the automaton, how many bytes of a character are missing, and whether the region is open before it."""


@dataclass(frozen=True, eq=False)
class Tracker:
    """See the module.

    Args:
        closer: what stands behind the contents; None for code blocks.
        texts: over bytes, the texts that end in a region.
        probe: a character, in ASCII, that no delimiter of these regions has.
    """

    closer: str | None
    texts: Dfa
    probe: str

    @property
    def start(self) -> int:
        """The beginning of a text."""
        return 1

    @cached_property
    def table(self) -> Table:
        """int32 [S, 256]: the state behind each byte, never 0."""
        return self._made[0]

    @cached_property
    def rows(self) -> list[list[int]]:
        """The same as lists, which single steps are read from faster."""
        found: list[list[int]] = self.table.tolist()
        return found

    @cached_property
    def inside(self) -> list[bool]:
        """By state: whether the region was open behind the last whole character."""
        return self._made[1]

    @cached_property
    def staying(self) -> Table:
        """The table as far as the text stays in the region that it is in."""
        leaves = ~np.array(self.inside)
        return np.where(leaves[self.table], np.int32(0), self.table)

    @cached_property
    def untouched(self) -> Table:
        """The table as far as no region opens."""
        return np.where(np.array(self.inside)[self.table], np.int32(0), self.table)

    @cached_property
    def opening(self) -> list[bool]:
        """By state: whether the text is in the line that opens a code block."""
        pairs = zip(self.inside, self.rows, strict=True)
        return [self.closer is None and not here and self.inside[row[NEWLINE]] for here, row in pairs]

    @cached_property
    def closing(self) -> Flags:
        """bool [S]: states in which what closes the region may have begun, and some others."""
        found = self._before_line_end if self.closer is None else self._near_closer
        flags = np.zeros(len(self.table), dtype=np.bool_)
        flags[sorted(found)] = True
        return flags

    @cached_property
    def hindering(self) -> Flags:
        """bool [S]: for code blocks, states in which a closer has begun with more than blanks; for others, all."""
        if self.closer is not None:
            return np.ones(len(self.table), dtype=np.bool_)
        rows, inside = self.rows, self.inside
        blank = closure(self._line_starts, lambda s: [rows[s][0x20]] if inside[rows[s][0x20]] else [])
        flags = self.closing.copy()
        flags[sorted(blank)] = False
        return flags

    def ends_with_text(self, state: int) -> bool:
        """Whether a text that ends here ends with what stands in the region: no line end and no closer is left out."""
        is_closer = self.closer is None and not self.inside[self.rows[state][NEWLINE]]
        return not is_closer and state not in self._line_starts

    @cached_property
    def _line_starts(self) -> set[int]:
        """For code blocks, the states at the beginning of a line in one."""
        if self.closer is not None:
            return set()
        rows, inside = self.rows, self.inside
        found = {row[NEWLINE] for row in rows[1:]}
        return {state for state in found if inside[state]}

    @cached_property
    def _before_line_end(self) -> set[int]:
        """The states in which the line may become one that closes a code block."""
        rows, inside = self.rows, self.inside
        whole = [s for s, is_whole in enumerate(self._made[2]) if is_whole and inside[s]]
        found = [s for s in whole if not inside[rows[s][NEWLINE]]]
        sources: dict[int, list[int]] = {}
        for state in range(1, len(rows)):
            for byte in _OF_CLOSERS if inside[state] else b"":
                sources.setdefault(rows[state][byte], []).append(state)
        return closure(found, lambda state: sources.get(state, ()))

    @cached_property
    def _near_closer(self) -> set[int]:
        """The states from which a part of the closer leaves the region."""
        assert self.closer is not None
        spelled = self.closer.encode("utf-8", "surrogatepass")
        rows, inside = self.rows, self.inside
        found = set[int]()
        for state in range(1, len(rows)):
            ends = (self._run(state, spelled[at:]) for at in range(1, len(spelled)))
            if inside[state] and any(not inside[end] for end in ends):
                found.add(state)
        return found

    def _run(self, state: int, text: bytes) -> int:
        for byte in text:
            state = self.rows[state][byte]
        return state

    @cached_property
    def _made(self) -> tuple[Table, list[bool], list[bool]]:
        columns = [self.texts.partition.class_of(byte) for byte in range(256)]
        start = self._whole(self.texts.start)
        numbers: dict[_Key, int] = {start: 1}
        keys, rows = [start], [[0] * 256]
        for key in keys:
            row = []
            for following in self._behind(key, columns):
                if following not in numbers:
                    numbers[following] = len(numbers) + 1
                    keys.append(following)
                row.append(numbers[following])
            rows.append(row)
        inside = [False, *(is_inside for _, _, is_inside in keys)]
        return np.array(rows, dtype=np.int32), inside, [False, *(not missing for _, missing, _ in keys)]

    def _behind(self, key: _Key, columns: list[int]) -> Iterator[_Key]:
        """What each byte leads to."""
        state, missing, is_inside = key
        for byte in range(256):
            target = self.texts.table[state][columns[byte]]
            left = missing - 1 if missing else _continued(byte)
            yield (target, left, is_inside) if left and target != DEAD else self._whole(target)

    def _whole(self, state: int) -> _Key:
        return state, 0, self.texts.step(state, ord(self.probe)) in self.texts.accepting


def _continued(byte: int) -> int:
    """How many bytes a character has behind its first one."""
    return (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0)
