"""Threads through the networks: what may come at a place of a text, and the place behind it. One step a lexeme.

Invariant: a `Point` is a set of threads that read nothing more without a lexeme, and each thread has a world in which
all that was read before holds. Points of one parser are compared by identity: the same set of threads is the same
point. A point offers only lexemes behind which the text can go on (`Point.live`), given that the world keeps its
promises solvable: literals and tokens are tried where a rule could be hindered, slots offer what the world says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, TypeVar

from langc.compiler.automata.dfa import DEAD
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SURFACE_POINTS, MAX_SURFACE_THREADS, over_limit
from langc.compiler.surfaces.environment.names import Environment, NameSet, Words
from langc.compiler.surfaces.environment.spelling import Spelling
from langc.compiler.surfaces.lexemes import FOLD, Expected, Listed, Shape, Spellings, shape
from langc.compiler.surfaces.model import Fresh, Literal, Open, Reference, Surface, TokenUse
from langc.compiler.surfaces.network import (
    Do,
    Enter,
    Leave,
    Network,
    Pop,
    Push,
    Read,
    Terminal,
    Test,
    build_network,
)
from langc.compiler.surfaces.world.values import Text, Value
from langc.compiler.surfaces.world.world import World

Locals: TypeAlias = tuple[tuple[str, Value], ...]
Parameters: TypeAlias = tuple[tuple[str, str], ...]

_Key = TypeVar("_Key", bytes, str)
_LOOK_AHEAD = 4
"""Lexemes that are tried to see that a text can go on, before it is taken for granted."""


class Frame:
    """A rule to return to. Compared by content, with the hash made once.

    `unhindered`: no rule that is returned to from here on needs a name of Γ (see `Network.unhindered`).
    """

    __slots__ = ("_hash", "locals", "parameters", "parent", "state", "unhindered")

    def __init__(
        self, state: int, locals_: Locals, parameters: Parameters, parent: Frame | None, unhindered: bool
    ) -> None:
        self.state, self.locals, self.parameters, self.parent = state, locals_, parameters, parent
        self.unhindered = unhindered and (parent is None or parent.unhindered)
        self._hash = hash((state, locals_, parameters, parent))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Frame)
            and self._hash == other._hash
            and (self.state, self.locals, self.parameters) == (other.state, other.locals, other.parameters)
            and self.parent == other.parent
        )


@dataclass(frozen=True, slots=True)
class Thread:
    """A place in a rule, how it was come to, and what is known there."""

    state: int
    locals: Locals
    parameters: Parameters
    stack: Frame | None
    world: World


Item: TypeAlias = tuple[Read, Thread]


@dataclass(eq=False)
class Point:
    """A place of a text between two lexemes."""

    parser: Parser
    kernel: frozenset[Thread]

    @cached_property
    def _closed(self) -> tuple[list[Item], bool]:
        return self.parser.closure(self.kernel)

    @property
    def items(self) -> list[Item]:
        """Edges that read a lexeme, each with the thread that stands before it."""
        return self._closed[0]

    @property
    def accepting(self) -> bool:
        """Whether the text may end here."""
        return self._closed[1]

    @cached_property
    def literals(self) -> Mapping[bytes, list[Item]]:
        """The literals behind which the text can go on, by their folded text."""
        return {text: found for text in self.literal_items if (found := self.literal(text))}

    @cached_property
    def tokens(self) -> Mapping[str, list[Item]]:
        """The tokens behind which the text can go on, by name."""
        return {name: found for name in self.token_items if (found := self.token(name))}

    @cached_property
    def literal_items(self) -> Mapping[bytes, list[Item]]:
        """All literals by their folded text, whether or not the text can go on behind them."""
        found: dict[bytes, list[Item]] = {}
        for item in self.items:
            if isinstance(item[0].terminal, Literal):
                found.setdefault(self.parser.literal_text(item[0].terminal), []).append(item)
        return found

    @cached_property
    def literals_from(self) -> Mapping[int, list[bytes]]:
        """The texts of all literals by their first byte."""
        found: dict[int, list[bytes]] = {}
        for text in self.literal_items:
            found.setdefault(text[0], []).append(text)
        return found

    @cached_property
    def token_items(self) -> Mapping[str, list[Item]]:
        """All tokens by name, whether or not the text can go on behind them."""
        found: dict[str, list[Item]] = {}
        for item in self.items:
            if isinstance(item[0].terminal, TokenUse):
                found.setdefault(item[0].terminal.token, []).append(item)
        return found

    def literal(self, text: bytes) -> list[Item]:
        """Where a literal leads on."""
        return self._leading_on(text, self.literal_items)

    def token(self, name: str) -> list[Item]:
        """Where a token leads on."""
        return self._leading_on(name, self.token_items)

    def _leading_on(self, key: _Key, items: Mapping[_Key, list[Item]]) -> list[Item]:
        found = self._checked.get(key)
        if found is None:
            goes_on = self.parser.goes_on
            found = self._checked[key] = [item for item in items.get(key, ()) if goes_on(item, self.frames)]
        return found

    @cached_property
    def _checked(self) -> dict[bytes | str, list[Item]]:
        return {}

    @cached_property
    def slots(self) -> list[tuple[NameSet | Words, Item]]:
        """The slots that offer something."""
        found = []
        for item in self.items:
            edge, thread = item
            if isinstance(edge.terminal, Reference | Fresh | Open):
                names = thread.world.names(edge.terminal, thread.locals, thread.parameters)
                if names:
                    found.append((names, item))
        return found

    @cached_property
    def expected(self) -> Expected:
        """What the next lexeme may be."""
        return self.parser.expected(self)

    def expected_from(self, first: Collection[int]) -> Expected:
        """As `expected`, for lexemes that begin with one of some bytes: of the others it need not tell."""
        return self.parser.expected_from(self, first)

    @property
    def live(self) -> bool:
        """Whether some text leads from here to an end."""
        return self.live_within(self.frames)

    def live_within(self, frames: frozenset[Frame]) -> bool:
        """As `live`, where a return to `frames` is known to lead on, and to any other is not."""
        found = self._live.get(frames)
        if found is None:
            found = self._live[frames] = self.parser.is_live(self, frames, _LOOK_AHEAD)
        return found

    @cached_property
    def _live(self) -> dict[frozenset[Frame], bool]:
        return {}

    @cached_property
    def frames(self) -> frozenset[Frame]:
        """All rules that the text has to return to: it was seen before it entered them that it can."""
        found: set[Frame] = set()
        for thread in self.kernel:
            stack = thread.stack
            while stack is not None and stack not in found:
                found.add(stack)
                stack = stack.parent
        return frozenset(found)

    def after(self, spelled: Iterable[Spellings], shaped: Iterable[Shape], text: bytes) -> Point | None:
        """The point behind a lexeme that is all of these. None if nothing can follow and no text may end there."""
        return self.parser.after(self, tuple(spelled), frozenset(shaped), text)


@dataclass(eq=False)
class Parser:
    """A surface and its environment, ready to be read by."""

    surface: Surface
    environment: Environment
    exact: Surface
    """`surface` itself, or what it is a relaxed form of."""
    _points: dict[frozenset[Thread], Point] = field(default_factory=dict)

    @cached_property
    def start(self) -> Point:
        """The beginning of a text."""
        state = self.network.starts[self.surface.start]
        return self.point([Thread(state, (), (), None, World.root(self.exact, self.environment))])

    @cached_property
    def spelling(self) -> Spelling:
        """How names are written."""
        return Spelling.of(self.surface)

    @cached_property
    def word(self) -> Shape:
        """The shape of bare names and keywords."""
        return shape(self.surface.word)

    @cached_property
    def skipped(self) -> frozenset[Shape]:
        """Tokens that may stand between any two lexemes."""
        return frozenset(shape(token.pattern) for token in self.surface.tokens.values() if token.skipped)

    def point(self, threads: Iterable[Thread]) -> Point:
        """The point of these threads."""
        kernel = frozenset(threads)
        found = self._points.get(kernel)
        if found is None:
            if len(self._points) >= MAX_SURFACE_POINTS:
                self._points.clear()
            found = self._points[kernel] = Point(self, kernel)
        return found

    def literal_text(self, literal: Literal) -> bytes:
        """A literal as it is compared: folded if it is a word and the surface folds."""
        text = literal.text.encode()
        return text.translate(FOLD) if self.surface.fold_case else text

    def closure(self, kernel: Iterable[Thread]) -> tuple[list[Item], bool]:
        """The edges that read, reached from threads without reading, and whether the text may end."""
        items: list[Item] = []
        accepting = False
        seen = set(kernel)
        waiting = list(seen)
        while waiting:
            thread = waiting.pop()
            for edge in self.network.edges[thread.state]:
                if isinstance(edge, Read):
                    items.append((edge, thread))
                elif isinstance(edge, Leave) and thread.stack is None:
                    accepting = True
                else:
                    following = self._follow(edge, thread)
                    if following is not None and following not in seen:
                        seen.add(following)
                        waiting.append(following)
            if len(seen) > MAX_SURFACE_THREADS:
                raise LimitError(over_limit("threads at one place of a text", MAX_SURFACE_THREADS))
        return items, accepting

    def _follow(self, edge: Enter | Do | Test | Push | Pop | Leave, thread: Thread) -> Thread | None:
        locals_, parameters, world = thread.locals, thread.parameters, thread.world
        match edge:
            case Leave():
                frame = thread.stack
                assert frame is not None
                return Thread(frame.state, frame.locals, frame.parameters, frame.parent, world)
            case Enter():
                return self._enter(edge, thread)
            case Test(guard, target):
                if world.holds(guard, locals_, parameters) == guard.negated:
                    return None
                return Thread(target, self._kept(locals_, target), parameters, thread.stack, world)
            case Do(action, target):
                changed = world.act(action, locals_, parameters)
            case Push(within, target):
                changed = world.open(within, locals_, parameters)
            case Pop(within, target):
                changed = world.close(within)
        if changed is None:
            return None
        return Thread(target, self._kept(locals_, target), parameters, thread.stack, changed)

    def _enter(self, edge: Enter, thread: Thread) -> Thread:
        asked = self.network.live_parameters[edge.rule]
        given = dict(thread.parameters)
        given.update(edge.parameters)
        parameters = tuple(sorted(pair for pair in given.items() if pair[0] in asked))
        stack = thread.stack
        if not self.network.ends(edge.target):
            locals_ = self._kept(thread.locals, edge.target)
            unhindered = edge.target in self.network.unhindered
            stack = Frame(edge.target, locals_, thread.parameters, stack, unhindered)
        return Thread(edge.start, (), parameters, stack, thread.world)

    def _kept(self, locals_: Locals, state: int) -> Locals:
        if not locals_:
            return locals_
        live = self._live_locals[state]
        return tuple(pair for pair in locals_ if pair[0] in live)

    def expected(self, point: Point) -> Expected:
        """The lexemes that a point takes."""
        return self._expected(point, point.literals, point.tokens, point.slots)

    def expected_from(self, point: Point, first: Collection[int]) -> Expected:
        """See `Point.expected_from`. Most is left out where no word and no name can begin like that.

        What cannot take the first byte of a lexeme has no say in where it ends.
        """
        if not self._first_of_words.isdisjoint(first):
            return point.expected
        folded = {FOLD[byte] for byte in first} if self.surface.fold_case else set(first)
        begun = [text for byte in sorted(folded) for text in point.literals_from.get(byte, ())]
        literals = {text: point.literal(text) for text in begun}
        tokens = {name: point.token(name) for name in point.token_items if not self._first_of[name].isdisjoint(first)}
        slots = [] if self._first_of_names.isdisjoint(first) else point.slots
        return self._expected(
            point,
            {text: items for text, items in literals.items() if items},
            {name: items for name, items in tokens.items() if items},
            slots,
        )

    @cached_property
    def _first_of_words(self) -> frozenset[int]:
        return _first_of(self.word)

    @cached_property
    def _first_of(self) -> Mapping[str, frozenset[int]]:
        """The bytes that a token, or its munch, begins with."""
        return {
            token.name: _first_of(shape(token.pattern), shape(token.munch or token.pattern))
            for token in self.surface.tokens.values()
        }

    @cached_property
    def _first_of_names(self) -> frozenset[int]:
        """The bytes that a name of any slot may begin with: digits too, those of ordinals."""
        shapes = (name for name, token in self.surface.tokens.items() if not token.skipped)
        return _first_of(self.word, *self.quoted).union(b"0123456789", *map(self._first_of.__getitem__, shapes))

    def _expected(
        self,
        point: Point,
        literals: Mapping[bytes, list[Item]],
        tokens: Mapping[str, list[Item]],
        slots: list[tuple[NameSet | Words, Item]],
    ) -> Expected:
        listed: dict[Spellings, None] = {}
        shapes, kept, munched = set(self.skipped), set(), set(self.skipped)
        if literals:
            listed[self._listed(frozenset(literals))] = None
            if any(self.word.run(text) for text in literals):
                munched.add(self.word)
        for name, items in tokens.items():
            token = self.surface.tokens[name]
            shapes.add(shape(token.pattern))
            munched.add(shape(token.munch or token.pattern))
            if any(isinstance(edge.terminal, TokenUse) and edge.terminal.local for edge, _ in items):
                kept.add(shape(token.pattern))
        for names, (edge, _) in slots:
            munched |= self._ends(edge.terminal)
            if isinstance(names, NameSet):
                listed[names] = None
            else:
                own = self._word_shapes(names)
                shapes |= own
                kept |= own
                munched |= own
        return Expected(tuple(listed), frozenset(shapes), frozenset(munched), frozenset(kept), self.surface.fold_case)

    def _ends(self, slot: Terminal) -> set[Shape]:
        """Up to where a name goes on."""
        if isinstance(slot, Reference) and slot.shape is not None:
            token = self.surface.tokens[slot.shape]
            return {shape(token.munch or token.pattern)}
        return {self.word, *self.quoted}

    def _word_shapes(self, words: Words) -> set[Shape]:
        return {shape(words.shape), *(self.quoted if words.quoted else ())}

    @cached_property
    def quoted(self) -> tuple[Shape, ...]:
        """The shapes of names in quotes."""
        return tuple(shape(_quoted(*pair)) for pair in self.surface.quotes)

    def _listed(self, texts: frozenset[bytes]) -> Listed:
        found = self._literals.get(texts)
        if found is None:
            found = self._literals[texts] = Listed(tuple(sorted(texts)))
        return found

    def after(
        self, point: Point, spelled: tuple[Spellings, ...], shaped: frozenset[Shape], text: bytes
    ) -> Point | None:
        """See `Point.after`."""
        threads = list(self._behind(point, spelled, shaped, text))
        if shaped & self.skipped:
            threads.extend(point.kernel)
        if not threads:
            return None
        behind = self.point(threads)
        return behind if behind.items or behind.accepting else None

    def _behind(
        self, point: Point, spelled: tuple[Spellings, ...], shaped: frozenset[Shape], text: bytes
    ) -> Iterator[Thread]:
        if any(isinstance(names, Listed) for names in spelled):
            folded = text.translate(FOLD) if self.surface.fold_case else text
            for item in point.literal(folded):
                yield self._read(item, text)
        for name in point.token_items:
            if shape(self.surface.tokens[name].pattern) in shaped:
                for item in point.token(name):
                    yield self._read(item, text)
        if shaped.isdisjoint(self._shapes_of_words) and all(isinstance(names, Listed) for names in spelled):
            return  # no slot takes this, so none is asked what it offers
        for names, item in point.slots:
            found = names in spelled if isinstance(names, NameSet) else self._is_word(names, shaped, text)
            if found:
                yield from self._taken(item, text)

    @cached_property
    def _shapes_of_words(self) -> frozenset[Shape]:
        """The shapes that a slot of any kind may have."""
        tokens = (shape(token.pattern) for token in self.surface.tokens.values() if not token.skipped)
        return frozenset((self.word, *self.quoted, *tokens))

    def _is_word(self, words: Words, shaped: frozenset[Shape], text: bytes) -> bool:
        if shape(words.shape) in shaped:
            return words.allows(text)
        return words.quoted and not shaped.isdisjoint(self.quoted)

    def _read(self, item: Item, text: bytes) -> Thread:
        """The thread behind a literal or a token."""
        edge, thread = item
        locals_ = thread.locals
        if isinstance(edge.terminal, TokenUse) and edge.terminal.local:
            locals_ = _bound(locals_, edge.terminal.local, Text(text))
        return Thread(edge.target, self._kept(locals_, edge.target), thread.parameters, thread.stack, thread.world)

    def _taken(self, item: Item, text: bytes) -> Iterator[Thread]:
        """The thread behind a slot."""
        edge, thread = item
        slot = edge.terminal
        assert isinstance(slot, Reference | Fresh | Open)
        taken = thread.world.take(slot, text, thread.locals, thread.parameters)
        if taken is not None:
            world, value = taken
            locals_ = _bound(thread.locals, slot.local, value) if slot.local else thread.locals
            yield Thread(edge.target, self._kept(locals_, edge.target), thread.parameters, thread.stack, world)

    def goes_on(self, item: Item, frames: frozenset[Frame]) -> bool:
        """Whether a text can go on behind a literal or a token. `frames` are known to be returned to."""
        return self._is_free(item, frames) or self.point([self._read(item, b"")]).live_within(frames)

    def _is_free(self, item: Item, frames: frozenset[Frame]) -> bool:
        """Whether nothing can hinder the rule, or those that it returns to, behind a literal or a token."""
        edge, thread = item
        if edge.target not in self.network.free:
            return False
        stack = thread.stack
        while stack is not None and not stack.unhindered and stack not in frames:
            if stack.state not in self.network.unhindered:
                return False
            stack = stack.parent
        return True

    def is_live(self, point: Point, frames: frozenset[Frame], depth: int) -> bool:
        """Whether an end can be reached, as far as `depth` lexemes show."""
        if point.accepting or depth == 0:
            return True
        fixed = [item for item in point.items if isinstance(item[0].terminal, Literal | TokenUse)]
        if any(self._is_free(item, frames) for item in fixed):
            return True
        slots = [item for item in point.items if not isinstance(item[0].terminal, Literal | TokenUse)]
        return any(self._lives_behind(item, frames, depth - 1) for item in (*fixed, *slots))  # names cost more

    def _lives_behind(self, item: Item, frames: frozenset[Frame], depth: int) -> bool:
        edge, thread = item
        if isinstance(edge.terminal, Literal | TokenUse):
            threads = [self._read(item, b"")]
        else:
            text = self._example(edge.terminal, thread)
            threads = list(self._taken(item, text)) if text is not None else []
        return bool(threads) and self.is_live(self.point(threads), frames, depth)

    def _example(self, slot: Reference | Fresh | Open, thread: Thread) -> bytes | None:
        """Some lexeme that a slot takes."""
        names = thread.world.names(slot, thread.locals, thread.parameters)
        if isinstance(names, NameSet):
            return names.spellings[0] if names else None
        return _some_word(names) if names else None

    @cached_property
    def _live_locals(self) -> tuple[frozenset[str], ...]:
        """Those of the exact form: a text may be gone on with at another level."""
        network = self.network if self.exact is self.surface else build_network(self.exact)
        return network.live_locals

    @cached_property
    def network(self) -> Network:
        """The rules of the surface."""
        return build_network(self.surface)

    @cached_property
    def _literals(self) -> dict[frozenset[bytes], Listed]:
        return {}


def _first_of(*shapes: Shape) -> frozenset[int]:
    """The bytes that texts of some shapes begin with."""
    return frozenset(byte for one in shapes for byte, target in enumerate(one.table[one.start]) if target != DEAD)


def _bound(locals_: Locals, name: str, value: Value) -> Locals:
    return tuple(sorted([*(pair for pair in locals_ if pair[0] != name), (name, value)], key=lambda pair: pair[0]))


def _quoted(opening: str, closing: str) -> str:
    """The pattern of a name in quotes, with the closing mark doubled inside if it is the opening one too."""
    first, last = _escaped(opening), _escaped(closing)
    doubled = f"|{last}{last}" if opening == closing else ""
    return rf"{first}(?:[^{last}\0]{doubled})+{last}"


def _escaped(mark: str) -> str:
    return f"\\{mark}" if mark in r"\^$.*+?()[]{}|/-" else mark


def _some_word(words: Words) -> bytes | None:
    """A short word that is allowed."""
    own = shape(words.shape)
    waiting = [(own.start, b"")]
    for state, text in waiting:
        if state in own.accepting and words.allows(text):
            return text
        if len(waiting) < 100_000:
            waiting.extend((target, text + bytes((byte,))) for byte, target in enumerate(own.table[state]) if target)
    return None
