"""Threads through the networks: what may come at a place of a text, and the place behind it. One step a lexeme.

Invariant: a `Point` is a set of threads that read nothing more without a lexeme, and each thread has a world in which
all that was read before holds. Points of one parser are compared by identity: the same set of threads is the same
point. A point offers only lexemes behind which the text can go on (`liveness.py`), given that the world keeps its
promises solvable: literals and tokens are tried where a rule could be hindered, and what the world says that slots take
is tried where a rule still needs a name of Γ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set, Sized
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SURFACE_POINTS, MAX_SURFACE_THREADS, over_limit
from langc.compiler.surfaces.engine.barren import Barren
from langc.compiler.surfaces.engine.lexemes import ALL_BYTES, Expected, Listed, Shape, Spellings, shape
from langc.compiler.surfaces.engine.lexicon import Asked, Lexicon
from langc.compiler.surfaces.engine.liveness import Liveness, hindered
from langc.compiler.surfaces.engine.network import Do, Network, Parameters, Push, Terminal, Test, build_network
from langc.compiler.surfaces.engine.reach import Asking, Key, Reaches, Spot, Stand, Step, Sure
from langc.compiler.surfaces.engine.threads import Frame, Item, Locals, Thread, kept, written
from langc.compiler.surfaces.engine.unfilled import unfilled
from langc.compiler.surfaces.environment.names import Environment, NameSet, Words
from langc.compiler.surfaces.model import Fresh, Open, Reference, Surface, TokenUse
from langc.compiler.surfaces.world.base import Base
from langc.compiler.surfaces.world.values import Text, Value
from langc.compiler.surfaces.world.world import World
from langc.compiler.tokens.rows import Remembered

Offered: TypeAlias = tuple[NameSet | Words, Item]
"""What a slot takes, and the slot."""
Offers: TypeAlias = tuple[tuple[NameSet | Words, str | None], ...]


class Point:
    """A place of a text between two lexemes."""

    __slots__ = (
        "_begins",
        "_certain",
        "_certain_at_once",
        "_expected",
        "_frames",
        "_is_dead",
        "_leading_on",
        "_led",
        "_live",
        "_slots",
        "_stands",
        "_written",
        "kernel",
        "parser",
    )

    def __init__(self, parser: Parser, kernel: frozenset[Thread]) -> None:
        self.parser, self.kernel = parser, kernel
        self._stands: dict[int, list[Stand]] = {}
        self._expected: dict[int, Expected] = {}
        self._slots: dict[int, list[Offered]] = {}
        self._leading_on: dict[Key, list[Item]] = {}
        self._led: dict[tuple[Stand, Step], NameSet | Words | None] = {}
        self._live: dict[frozenset[Frame], bool] = {}
        self._begins: int | None = None
        self._is_dead: bool | None = None
        self._frames: frozenset[Frame] | None = None
        self._certain: frozenset[Sure] | None = None
        self._certain_at_once: frozenset[Sure] | None = None
        self._written: frozenset[bytes] | bool | None = False

    @property
    def stands(self) -> list[Stand]:
        """The threads that are reached with the world's help, each with what is reached without."""
        return self.stands_from(ALL_BYTES)

    def stands_from(self, first: int) -> list[Stand]:
        """As `stands`, but at least those before a lexeme that begins with some bytes (bit b for byte b)."""
        found = self._stands.get(first)
        if found is None:
            found = next((stands for known, stands in self._stands.items() if not first & ~known), None)
            self._stands[first] = found = found or self.parser.closure(self.kernel, first)
        return found

    @property
    def accepting(self) -> bool:
        """Whether the text may end here."""
        return any(stand.may_end for stand in self.stands)

    @property
    def items(self) -> list[Item]:
        """All edges that read, whether or not the text can go on behind them, each with the thread before it."""
        fixed = [(stand, step) for stand in self.stands for steps in stand.reach.fixed.values() for step in steps]
        slots = [(stand, step) for stand in self.stands for step in stand.reach.slots]
        return [stand.item(step) for stand, step in (*fixed, *slots)]

    @property
    def begins(self) -> int:
        """The bytes that the next lexeme may begin with, at most; bit b for byte b."""
        if self._begins is None:
            self._begins = self.parser.begins(self.kernel)
        return self._begins

    # --- literals and tokens ---

    @property
    def literals(self) -> Mapping[bytes, list[Item]]:
        """The literals behind which the text can go on, by their folded text."""
        return {key: found for key in self._fixed if isinstance(key, bytes) and (found := self.leading_on(key))}

    @property
    def tokens(self) -> Mapping[str, list[Item]]:
        """The tokens behind which the text can go on, by name."""
        return {key: found for key in self._fixed if isinstance(key, str) and (found := self.leading_on(key))}

    @property
    def _fixed(self) -> dict[Key, None]:
        return dict.fromkeys(key for stand in self.stands for key in stand.reach.fixed)

    def leading_on(self, key: Key) -> list[Item]:
        """Where a literal, by its folded text, or a token, by its name, leads on."""
        found = self._leading_on.get(key)
        if found is None:
            found = self._leading_on[key] = list(self.parser.leading_on(self, key))
        return found

    @property
    def free(self) -> frozenset[Key]:
        """Literals and tokens that lead on whatever the world says."""
        return self.parser.reaches.free(self.certain)

    @property
    def certain_at_once(self) -> frozenset[Sure]:
        """Where literals and tokens lead on from before the world is asked for anything."""
        if self._certain_at_once is None:
            self._certain_at_once = self.parser.certain(self.kernel, self.frames)
        return self._certain_at_once

    @property
    def certain(self) -> frozenset[Sure]:
        """Where literals and tokens lead on from whatever the world says."""
        if self._certain is None:
            self._certain = self.parser.certain((stand.thread for stand in self.stands), self.frames)
        return self._certain

    # --- slots ---

    @property
    def slots(self) -> list[Offered]:
        """The slots that offer something."""
        return self.slots_from(ALL_BYTES)

    def slots_from(self, first: int) -> list[Offered]:
        """As `slots`, those whose lexemes may begin with some bytes."""
        found = self._slots.get(first)
        if found is None:
            found = self._slots[first] = list(self.parser.offered(self, first))
        return found

    def leading(self, names: NameSet | Words, stand: Stand, step: Step) -> NameSet | Words | None:
        """What the text can go on behind of the names that a slot takes."""
        key = (stand, step)
        if key not in self._led:
            self._led[key] = self.parser.liveness.leading(names, stand, step, self.frames)
        return self._led[key]

    def knows_none(self, names: frozenset[bytes]) -> bool:
        """Whether none of some names, which are not in Γ, was written before and is known."""
        if isinstance(self._written, bool):
            self._written = written(self.kernel)
        return self._written is not None and names.isdisjoint(self._written)

    # --- lexemes ---

    @property
    def expected(self) -> Expected:
        """What the next lexeme may be."""
        return self.expected_from(ALL_BYTES)

    def expected_from(self, first: int) -> Expected:
        """As `expected`, for lexemes that begin with some bytes (bit b for byte b): of the others it need not tell."""
        first &= self.begins
        found = self._expected.get(first)
        if found is None:
            found = self._expected[first] = self.parser.expected_from(self, first)
        return found

    # --- whether the text goes on ---

    @property
    def live(self) -> bool:
        """Whether some text leads from here to an end."""
        return self.live_within(self.frames)

    def live_within(self, frames: frozenset[Frame]) -> bool:
        """As `live`, where a return to `frames` is known to lead on."""
        found = self._live.get(frames)
        if found is None:
            found = self._live[frames] = self.parser.liveness.is_live(self, frames)
        return found

    @property
    def frames(self) -> frozenset[Frame]:
        """Rules that the text returns to: it was seen before it entered them that it can go on from there."""
        if self._frames is None:
            self._frames = hindered(self.kernel)
        return self._frames

    def following(
        self, spelled: Iterable[Spellings], shaped: Iterable[Shape], text: bytes, first: int = ALL_BYTES
    ) -> Point | None:
        """The point behind a lexeme that is all of these, as far as the next one may begin with some bytes.

        None if there are no threads.
        """
        return self.parser.following(self, tuple(spelled), frozenset(shaped), text, first)

    def after(self, spelled: Iterable[Spellings], shaped: Iterable[Shape], text: bytes) -> Point | None:
        """As `following`, and None too if nothing can follow and no text may end there."""
        behind = self.following(spelled, shaped, text)
        return behind if behind is not None and not behind.is_dead else None

    @property
    def is_dead(self) -> bool:
        """Whether nothing can follow and no text may end here."""
        if self._is_dead is None:
            stands = self.parser.reached(self.kernel)
            self._is_dead = not any(stand.reach.reads or stand.may_end for stand in stands)
        return self._is_dead


@dataclass(eq=False)
class Parser:
    """A surface and its environment, ready to be read by."""

    surface: Surface
    environment: Environment
    exact: Surface
    """`surface` itself, or what it is a relaxed form of."""
    _points: dict[frozenset[Thread], Point] = field(default_factory=dict)
    _stands: dict[Thread, Stand] = field(default_factory=dict)

    @cached_property
    def start(self) -> Point:
        """The beginning of a text."""
        return self.point([Thread(self.network.starts[self.surface.start], (), (), None, self._root)])

    @property
    def base(self) -> Base:
        """What all worlds share."""
        return self._root.base

    @cached_property
    def _root(self) -> World:
        return World.root(self.exact, self.environment)

    @cached_property
    def lexicon(self) -> Lexicon:
        """The shapes of the surface."""
        return Lexicon(self.surface)

    @cached_property
    def network(self) -> Network:
        """The rules of the surface."""
        return build_network(self.surface, unfilled(self.surface, self.environment))

    @cached_property
    def liveness(self) -> Liveness:
        """Whether texts can go on."""
        return Liveness(self, self.reaches)

    @cached_property
    def reaches(self) -> Reaches:
        """What is reached without the world."""
        return Reaches(self.network, self._live_locals, self.lexicon)

    @cached_property
    def barren(self) -> Barren:
        """Names that lead nowhere."""
        return Barren(self.surface, self.network)

    @cached_property
    def _live_locals(self) -> tuple[frozenset[str], ...]:
        """Those of the exact form: a text may be gone on with at another level."""
        return build_network(self.exact).live_locals

    def stand(self, thread: Thread) -> Stand:
        """A thread with what is reached from it: whoever comes to it shares what the world was asked for there."""
        found = self._stands.get(thread)
        if found is None:
            if len(self._stands) >= MAX_SURFACE_POINTS:
                self._stands.clear()
            found = self._stands[thread] = Stand(thread, self.reaches)
        return found

    def point(self, threads: Iterable[Thread]) -> Point:
        """The point of these threads."""
        kernel = frozenset(threads)
        found = self._points.get(kernel)
        if found is None:
            if len(self._points) >= MAX_SURFACE_POINTS:
                self._points.clear()
            found = self._points[kernel] = Point(self, kernel)
        return found

    def begins(self, kernel: Iterable[Thread]) -> int:
        """The bytes that the next lexeme may begin with behind some threads, at most."""
        found = self.lexicon.first_of_skipped
        for thread in kernel:
            found |= self.reaches.beginnings.of(thread.state, thread.stack)
        return found

    # --- what is reached ---

    def closure(self, kernel: Iterable[Thread], first: int) -> list[Stand]:
        """What is reached from threads without reading, as far as a lexeme there may begin with some bytes.

        Raises LimitError.
        """
        return list(self.reached(kernel, first))

    def reached(self, kernel: Iterable[Thread], first: int = ALL_BYTES) -> Iterator[Stand]:
        """As `closure`; no more of the world is asked than is needed for what is looked at."""
        waiting = [self.stand(thread) for thread in kernel]
        found = set(waiting)
        for stand in waiting:
            yield stand
            for after in self._onward(stand, first):
                if after not in found:
                    found.add(after)
                    waiting.append(after)
            if len(found) > MAX_SURFACE_THREADS:
                raise LimitError(over_limit("threads at one place of a text", MAX_SURFACE_THREADS))

    def _onward(self, stand: Stand, first: int) -> list[Stand]:
        """Those behind the end of the rule, and behind what the world is asked for."""
        found: list[Stand] = []
        reach, frame = stand.reach, stand.thread.stack
        everywhere = first == ALL_BYTES
        outside = everywhere or (frame is not None and frame.first & first != 0)
        if outside and frame is not None and reach.leaves:
            if stand.left is None:
                world = stand.thread.world
                stand.left = self._stand_at(frame.state, frame.locals, frame.parameters, frame.parent, world)
            found.append(stand.left)
        for number, (edge, spot, own, returns) in enumerate(reach.asking):
            if everywhere or own & first or (returns and outside):
                if stand.behind is None:
                    stand.behind = {}
                if number not in stand.behind:
                    stand.behind[number] = self._behind_edge(stand, edge, spot)
                after = stand.behind[number]
                if after is not None:
                    found.append(after)
        return found

    def _behind_edge(self, stand: Stand, edge: Asking, spot: Spot) -> Stand | None:
        """What is behind what the world is asked for."""
        locals_ = stand.locals(spot)
        world = _answer(edge, stand.thread.world, locals_, spot.parameters)
        if world is None:
            return None
        return self._stand_at(edge.target, locals_, spot.parameters, stand.stack(spot.back), world)

    def _stand_at(
        self, state: int, locals_: Locals, parameters: Parameters, stack: Frame | None, world: World
    ) -> Stand:
        return self.stand(self._at(state, locals_, parameters, stack, world))

    def _at(self, state: int, locals_: Locals, parameters: Parameters, stack: Frame | None, world: World) -> Thread:
        """The thread at a state; where nothing but the end of its rule is left, that which it returns to."""
        ends = self.network.ends
        while stack is not None and state in ends:
            state, locals_, parameters, stack = stack.state, stack.locals, stack.parameters, stack.parent
        return Thread(state, kept(locals_, self._live_locals[state]), parameters, stack, world)

    def leading_on(self, point: Point, key: Key) -> Iterator[Item]:
        """Where a literal or a token leads on."""
        for stand in point.stands_from(self.lexicon.first_of(key)):
            for step in stand.reach.fixed.get(key, ()):
                if self.liveness.goes_on(stand, step, point.frames):
                    yield stand.item(step)

    def certain(self, threads: Iterable[Thread], frames: frozenset[Frame]) -> frozenset[Sure]:
        """The places of those threads that can be gone on from whatever the world says."""
        return frozenset(sure for thread in threads if (sure := self._certain(thread, frames)) is not None)

    def _certain(self, thread: Thread, frames: frozenset[Frame]) -> Sure | None:
        reach = self.reaches.of(thread.state, thread.parameters)
        if reach.free and self.liveness.returns(thread, frames):
            return reach.start, True
        return (reach.start, False) if reach.running else None

    # --- lexemes ---

    def expected_from(self, point: Point, first: int) -> Expected:
        """See `Point.expected_from`. What cannot take the first byte of a lexeme has no say in where it ends."""
        stands = point.stands_from(first)
        keys = self._keys(point, stands, first)
        slots = point.slots_from(first) if first & self.lexicon.first_of_names else ()
        if not slots and (expected := self.lexicon.literals(keys)) is not None and not self._skips(first):
            return expected
        literals = frozenset([key for key in keys if isinstance(key, bytes)])
        names = [key for key in keys if isinstance(key, str)]
        tokens = tuple([(name, self._keeps(stands, name)) for name in sorted(names)]) if names else ()
        offers = tuple(dict.fromkeys((names, _end_of(edge.terminal)) for names, (edge, _) in slots))
        has_words = not literals.isdisjoint(self.lexicon.words) or self._has_words(point, first, tokens, offers)
        return self.lexicon.expected(Asked(literals, tokens, offers, has_words))

    def _keys(self, point: Point, stands: list[Stand], first: int) -> Set[Key]:
        """The literals and tokens that may begin with some bytes and behind which the text can go on."""
        begun = _NO_KEYS.union(*[stand.reach.begun_by(first) for stand in stands])
        if not begun:
            return begun
        free = self.reaches.free(self.certain([stand.thread for stand in stands], point.frames))
        return begun if begun <= free else (begun & free).union(filter(point.leading_on, begun - free))

    def offered(self, point: Point, first: int) -> Iterator[Offered]:
        """The slots whose lexemes may begin with some bytes, and what they offer."""
        for stand in point.stands_from(first):
            reach = stand.reach
            for step, own in zip(reach.slots, reach.first_of_slots, strict=True):
                if own & first:
                    edge, thread = item = stand.item(step)
                    assert isinstance(edge.terminal, Reference | Fresh | Open)
                    names = thread.world.names(edge.terminal, thread.locals, thread.parameters)
                    if isinstance(names, NameSet):
                        names = self.barren.without(edge, names)
                    led = point.leading(names, stand, step) if names else None
                    if led:
                        yield led, item

    def _skips(self, first: int) -> bool:
        """Whether what is skipped may begin with one of some bytes, and a word too."""
        return first & self.lexicon.first_of_skipped & self.lexicon.word.first != 0

    def _keeps(self, stands: list[Stand], token: str) -> bool:
        """Whether the text of a token is asked for later."""
        edges = (edge for stand in stands for edge, _ in stand.reach.fixed.get(token, ()))
        return any(isinstance(edge.terminal, TokenUse) and edge.terminal.local for edge in edges)

    def _has_words(self, point: Point, first: int, tokens: Sized, offers: Offers) -> bool:
        """Whether a lexeme of another shape goes on as far as a word does, since some word may come in its place."""
        begun = first & self.lexicon.word.first
        ends_itself = tokens or self._skips(begun) or offers
        if not begun or not ends_itself or any(token is None for _, token in offers):
            return False  # no word, nothing that could end before, or a slot that goes on like that anyway
        words = self.lexicon.words
        keys = (key for stand in point.stands for key in stand.reach.fixed)
        return not words.isdisjoint(point.free) or any(key in words and point.leading_on(key) for key in keys)

    # --- steps ---

    def following(
        self, point: Point, spelled: tuple[Spellings, ...], shaped: frozenset[Shape], text: bytes, first: int
    ) -> Point | None:
        """See `Point.following`."""
        beginning = ALL_BYTES if first & self.lexicon.first_of_skipped else first
        if beginning & self.lexicon.word.first:  # where some word may come, others end as words do
            beginning |= self.lexicon.word.first
        threads = list(self._behind(point, spelled, shaped, text, beginning))
        if shaped & self.lexicon.skipped:
            threads.extend(point.kernel)  # none is left out: what is known of the place is known of it still
        return self.point(threads) if threads else None

    def _may_begin(self, state: int, stack: Frame | None, first: int) -> bool:
        """Whether a lexeme may begin with one of some bytes at a state, whatever the world says."""
        return first == ALL_BYTES or self.reaches.beginnings.of(state, stack) & first != 0

    def _behind(
        self, point: Point, spelled: tuple[Spellings, ...], shaped: frozenset[Shape], text: bytes, first: int
    ) -> Iterator[Thread]:
        if any(isinstance(names, Listed) for names in spelled):
            for item in point.leading_on(self.lexicon.folded(text)):
                if self._may_begin(item[0].target, item[1].stack, first):
                    yield self.read(item, text)
        for name in {name for one in shaped for name in self.lexicon.named.get(one, ())}:
            for item in point.leading_on(name):
                if self._may_begin(item[0].target, item[1].stack, first):
                    yield self.read(item, text)
        if shaped.isdisjoint(self.lexicon.shapes_of_names) and all(isinstance(names, Listed) for names in spelled):
            return  # no slot takes this, so none is asked what it offers
        for names, item in point.slots_from(1 << text[0] if text else ALL_BYTES):
            if self._may_begin(item[0].target, item[1].stack, first):
                found = names in spelled if isinstance(names, NameSet) else self._is_word(names, shaped, text)
                if found:
                    yield from self.taken(item, text)

    def _is_word(self, words: Words, shaped: frozenset[Shape], text: bytes) -> bool:
        if shape(words.shape) in shaped:
            return words.allows(text)
        return words.quoted and not shaped.isdisjoint(self.lexicon.quoted)

    def read(self, item: Item, text: bytes) -> Thread:
        """The thread behind a literal or a token."""
        edge, thread = item
        locals_ = thread.locals
        if isinstance(edge.terminal, TokenUse) and edge.terminal.local:
            locals_ = _bound(locals_, edge.terminal.local, Text(text))
        return self._at(edge.target, locals_, thread.parameters, thread.stack, thread.world)

    def taken(self, item: Item, text: bytes) -> Iterator[Thread]:
        """The thread behind a slot."""
        thread = self._taken((item, text))
        if thread is not None:
            yield thread

    @cached_property
    def _taken(self) -> Remembered[tuple[Item, bytes], Thread | None]:
        return Remembered(lambda key: self._take(*key), MAX_SURFACE_POINTS)

    def _take(self, item: Item, text: bytes) -> Thread | None:
        edge, thread = item
        slot = edge.terminal
        assert isinstance(slot, Reference | Fresh | Open)
        taken = thread.world.take(slot, text, thread.locals, thread.parameters)
        if taken is None:
            return None
        world, value = taken
        locals_ = _bound(thread.locals, slot.local, value) if slot.local else thread.locals
        return self._at(edge.target, locals_, thread.parameters, thread.stack, world)


_NO_KEYS = frozenset[Key]()


def _end_of(slot: Terminal) -> str | None:
    """The token that says where a name ends."""
    return slot.shape if isinstance(slot, Reference) else None


def _answer(edge: Asking, world: World, locals_: Locals, parameters: Parameters) -> World | None:
    """The world behind an edge; None if it may not be taken."""
    if isinstance(edge, Test):
        return world if world.holds(edge.guard, locals_, parameters) != edge.guard.negated else None
    if isinstance(edge, Do):
        return world.act(edge.action, locals_, parameters)
    return world.open(edge.scope, locals_, parameters) if isinstance(edge, Push) else world.close(edge.scope)


def _bound(locals_: Locals, name: str, value: Value) -> Locals:
    return tuple(sorted([*(pair for pair in locals_ if pair[0] != name), (name, value)], key=lambda pair: pair[0]))
