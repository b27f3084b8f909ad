"""Whether a text can go on, so that nothing is offered behind which there is no end.

The world keeps its promises solvable, so what is looked for is a way out of the rules that were entered: most literals
and tokens have one whatever the world says, and behind the others some lexemes are tried.

Invariant: the rules that a place returns to were looked at when they were entered, so only those entered behind it are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING

from langc.compiler.surfaces.engine.lexemes import Shape, shape
from langc.compiler.surfaces.engine.reach import LOOK_AHEAD, Reaches, Spot, Stand, Step
from langc.compiler.surfaces.engine.threads import Frame, Item, Thread
from langc.compiler.surfaces.environment.names import Entry, NameSet, Words
from langc.compiler.surfaces.model import Fresh, Open, Reference

if TYPE_CHECKING:
    from langc.compiler.surfaces.engine.parse import Parser, Point

_FEW, _TRIED = 16, 100_000
"""Texts of a shape that are remembered, and beginnings of such texts. Of so few names each is tried by itself."""
_KINDS = 4
"""Of so many kinds of names one is tried in looking ahead."""


def hindered(kernel: frozenset[Thread]) -> frozenset[Frame]:
    """The rules that threads return to which need a name of Γ, or some of those behind them do."""
    found: set[Frame] = set()
    for thread in kernel:
        stack = thread.stack
        while stack is not None and not stack.unhindered and stack not in found:
            found.add(stack)
            stack = stack.parent
    return frozenset(found)


class Liveness:
    """Of the points of one parser. `frames` are the rules that are known to lead on once they are returned to."""

    def __init__(self, parser: Parser, reaches: Reaches) -> None:
        self._parser, self._reaches = parser, reaches

    def is_live(self, point: Point, frames: frozenset[Frame]) -> bool:
        """Whether an end can be reached."""
        return self._is_live(point.kernel, frames, LOOK_AHEAD)

    def returns(self, thread: Thread, frames: frozenset[Frame]) -> bool:
        """Whether a text leads on once a thread's own rule has ended."""
        stack = thread.stack
        while stack is not None and not stack.unhindered and stack not in frames:
            if stack.state not in self._reaches.network.unhindered:
                return False
            stack = stack.parent
        return True

    def goes_on(self, stand: Stand, step: Step, frames: frozenset[Frame]) -> bool:
        """Whether a text can go on behind a literal or a token."""
        if self._reads_on(self._reaches.behind(step), stand, LOOK_AHEAD):
            return True
        if self._reaches.is_free(step) and self.returns(stand.thread, frames):
            return True
        return self._parser.point([self._parser.read(stand.item(step), b"")]).live_within(frames)

    def leading(
        self, names: NameSet | Words, stand: Stand, step: Step, frames: frozenset[Frame]
    ) -> NameSet | Words | None:
        """What of a slot's names the text can go on behind; None if that is nothing.

        Of many names of Γ that are alike (`_alike`) one speaks for the others, if the text can go on behind it.
        """
        edge, thread = item = stand.item(step)
        if edge.target in self._reaches.network.unhindered and self.returns(thread, frames):
            return names
        if self._reads_on(self._reaches.behind(step), stand, LOOK_AHEAD):
            return names
        if isinstance(names, Words):
            return names if any(self._takes(item, text, frames) for text in _examples(names, thread)) else None
        kept: set[Entry] = set()
        for entries, is_alone in _groups(names, thread):
            found = (entry for entry, text in entries.items() if self._takes(item, text, frames))
            some = list(found) if is_alone else [*islice(found, 1)]
            kept.update(some if is_alone or not some else entries)
        return (names if kept.issuperset(names.entries) else _only(names, frozenset(kept))) if kept else None

    def _takes(self, item: Item, text: bytes, frames: frozenset[Frame]) -> bool:
        threads = list(self._parser.taken(item, text))
        return bool(threads) and self._parser.point(threads).live_within(frames)

    def _is_live(self, kernel: Iterable[Thread], frames: frozenset[Frame], depth: int) -> bool:
        if depth == 0:
            return True
        stands: list[Stand] = []
        for stand in self._parser.reached(kernel):
            if self._goes_on_at(stand, frames, depth):
                return True
            stands.append(stand)
        # Names cost more.
        fixed = ((stand, step) for stand in stands for steps in stand.reach.fixed.values() for step in steps)
        if any(self._lives_behind(stand, step, frames, depth - 1) for stand, step in fixed):
            return True
        slots = ((stand, step) for stand in stands for step in stand.reach.slots)
        return any(self._lives_behind_name(stand, step, frames, depth - 1) for stand, step in slots)

    def _goes_on_at(self, stand: Stand, frames: frozenset[Frame], depth: int) -> bool:
        """Whether a text may end at a thread, or literals and tokens can follow whatever the world says."""
        reach = stand.reach
        if stand.may_end or self._reads_on(reach.start, stand, depth):
            return True
        return bool(reach.free) and self.returns(stand.thread, frames)

    def _reads_on(self, spot: Spot, stand: Stand, count: int) -> bool:
        """Whether so many literals and tokens can follow at a spot, or where its rules are returned from at once."""
        if self._reaches.can_read(spot, count):
            return True
        reach, stack = self._reaches.of_spot(spot), stand.thread.stack
        while reach.leaves and stack is not None:
            reach = self._reaches.of(stack.state, stack.parameters)
            if self._reaches.can_read(reach.start, count):
                return True
            stack = stack.parent
        return False

    def _lives_behind(self, stand: Stand, step: Step, frames: frozenset[Frame], depth: int) -> bool:
        return self._is_live((self._parser.read(stand.item(step), b""),), frames, depth)

    def _lives_behind_name(self, stand: Stand, step: Step, frames: frozenset[Frame], depth: int) -> bool:
        edge, thread = item = stand.item(step)
        assert isinstance(edge.terminal, Reference | Fresh | Open)
        names = thread.world.names(edge.terminal, thread.locals, thread.parameters)
        if not names:
            return False
        if self._reads_on(self._reaches.behind(step), stand, depth):
            return True  # whatever its name is: what is offered can be taken
        ways = (list(self._parser.taken(item, text)) for text in _examples(names, thread))
        return any(bool(way) and self._is_live(way, frames, depth) for way in ways)


def _examples(names: NameSet | Words, thread: Thread) -> Iterator[bytes]:
    """Some lexemes that a slot takes: one of each kind, since a text may go on behind some kinds only."""
    if isinstance(names, Words):
        word = _some_word(names)
        return iter(() if word is None else (word,))
    groups = (islice(entries.values(), _FEW if is_alone else 1) for entries, is_alone in _groups(names, thread))
    return chain.from_iterable(islice(groups, _KINDS))


def _groups(names: NameSet, thread: Thread) -> list[tuple[dict[Entry, bytes], bool]]:
    """The names by what sets them apart, and whether each is to be tried by itself.

    So are few ones, and those that the text has bound: what belongs to these is known to the world alone.
    """
    if len(names) <= _FEW:
        return [(entries, True) for entries in _alike(names)]
    known = _by_name(names)
    bound = {known[name] for frame in thread.world.frames for name in frame.names if name in known}
    found = []
    for entries in _alike(names):
        own = {entry: entries[entry] for entry in bound if entry in entries}
        rest = {entry: text for entry, text in entries.items() if entry not in own} if own else entries
        found += [(some, is_alone) for some, is_alone in ((own, True), (rest, False)) if some]
    return found


@lru_cache(maxsize=1024)
def _by_name(names: NameSet) -> dict[bytes, Entry]:
    return {names.spelling.folded(entry.name.encode()): entry for entry in names.entries}


@lru_cache(maxsize=1024)
def _alike(names: NameSet) -> tuple[dict[Entry, bytes], ...]:
    """The entries, each with a spelling, by what sets them apart for a rule: attributes, and the sorts of members."""
    found: dict[tuple[frozenset[str], frozenset[str]], dict[Entry, bytes]] = {}
    for text, entry in zip(names.spellings, names.entries, strict=True):
        kind = (entry.attributes, frozenset(sort for sort, members in entry.members.items() if members))
        found.setdefault(kind, {}).setdefault(entry, text)
    return tuple(found.values())


@lru_cache(maxsize=1024)
def _only(names: NameSet, kept: frozenset[Entry]) -> NameSet:
    pairs = [pair for pair in zip(names.spellings, names.entries, strict=True) if pair[1] in kept]
    return NameSet(tuple(text for text, _ in pairs), tuple(entry for _, entry in pairs), names.spelling)


def _some_word(words: Words) -> bytes | None:
    """A short word that is allowed."""
    few = _few_texts(shape(words.shape))
    return next(filter(words.allows, few), None) or next(filter(words.allows, _texts(shape(words.shape))), None)


@lru_cache(maxsize=256)
def _few_texts(one: Shape) -> tuple[bytes, ...]:
    return tuple(islice(_texts(one), _FEW))


def _texts(one: Shape) -> Iterator[bytes]:
    """Texts of a shape, short ones first."""
    waiting = [(one.start, b"")]
    for state, text in waiting:
        if state in one.accepting:
            yield text
        if len(waiting) < _TRIED:
            waiting.extend((target, text + bytes((byte,))) for byte, target in enumerate(one.table[state]) if target)
