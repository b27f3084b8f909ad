"""What is reached without the world is found once for all threads; following every edge finds the same."""

from __future__ import annotations

import random
from collections.abc import Iterator

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.engine.lexemes import Lexeme
from langc.compiler.surfaces.engine.network import Do, Edge, Enter, Leave, Pop, Push, Read
from langc.compiler.surfaces.engine.network import Test as Guarded
from langc.compiler.surfaces.engine.parse import Parser, Point
from langc.compiler.surfaces.engine.threads import Thread
from langc.compiler.surfaces.environment.names import NameSet
from langc.compiler.surfaces.world.values import Value
from langc.compiler.surfaces.world.world import World
from tests.surfaces.masks.toys import NAMES, engines, environment_of, sql_like
from tests.surfaces.sql.walks import engine as sql_engine

Stack = tuple[tuple[int, tuple[tuple[str, Value], ...], tuple[tuple[str, str], ...]], ...]
Place = tuple[int, tuple[tuple[str, Value], ...], tuple[tuple[str, str], ...], Stack, World]
SCHEMA = "CREATE TABLE a (id INTEGER, x TEXT); CREATE TABLE b (id INTEGER, y TEXT, z TEXT);"
BYTES = b"aAcfsS_x1.,(*)=<'\" -\n"
WORDS = tuple(b"SELECT* x* a*.*x* FROM* b*(*)*,* count*1* WHERE*=* AS n* GROUP BY* ORDER BY".split(b"*"))


def plain(thread: Thread) -> Place:
    """A thread as plain values."""
    stack, frame = [], thread.stack
    while frame is not None:
        stack.append((frame.state, frame.locals, frame.parameters))
        frame = frame.parent
    return thread.state, thread.locals, thread.parameters, tuple(stack), thread.world


class Follower:
    """Follows edges one by one, and every thread for itself."""

    def __init__(self, parser: Parser) -> None:
        self.network = parser.network

    def kept(self, locals_: tuple[tuple[str, Value], ...], state: int) -> tuple[tuple[str, Value], ...]:
        """The locals that are asked for later."""
        return tuple(pair for pair in locals_ if pair[0] in self.network.live_locals[state])

    def read(self, point: Point) -> set[tuple[int, Place]]:
        """The edges that read, by identity, each with the thread before it."""
        seen = {plain(thread) for thread in point.kernel}
        waiting, found = list(seen), set[tuple[int, Place]]()
        for place in waiting:
            for edge in self.network.edges[place[0]]:
                if isinstance(edge, Read):
                    found.add((id(edge), place))
                for following in self.behind(edge, place):
                    if following not in seen:
                        seen.add(following)
                        waiting.append(following)
        return found

    def behind(self, edge: Edge, place: Place) -> Iterator[Place]:
        """Where an edge that reads nothing leads."""
        _, locals_, parameters, stack, world = place
        after: World | None = world
        match edge:
            case Read():
                return
            case Leave():
                if stack:
                    yield (*stack[0], stack[1:], world)
                return
            case Enter(rule, start, own, target):
                asked = self.network.live_parameters[rule]
                given = {name: value for name, value in {**dict(parameters), **dict(own)}.items() if name in asked}
                ends = all(isinstance(one, Leave) for one in self.network.edges[target])
                back = () if ends else ((target, self.kept(locals_, target), parameters),)
                yield start, (), tuple(sorted(given.items())), (*back, *stack), world
                return
            case Guarded(guard, _):
                after = world if world.holds(guard, locals_, parameters) != guard.negated else None
            case Do(action, _):
                after = world.act(action, locals_, parameters)
            case Push(within, _):
                after = world.open(within, locals_, parameters)
            case Pop(within, _):
                after = world.close(within)
        if after is not None:
            yield edge.target, self.kept(locals_, edge.target), parameters, stack, after


def check_point(point: Point) -> None:
    """The edges that read are those that are found one by one; what can begin is said to begin."""
    read = Follower(point.parser).read(point)
    assert {(id(edge), plain(thread)) for edge, thread in point.items} == read
    edges = {id(edge): edge for edge, _ in point.items}
    start = point.expected.start
    for byte in range(256):
        following = start.step(byte)
        assert following is None or not following.alive or point.begins >> byte & 1, byte
    for byte in random.Random(len(read)).sample(BYTES, 3):
        following = start.step(byte)
        begun = {one for one in read if point.parser.lexicon.first(edges[one[0]].terminal) >> byte & 1}
        assert items_from(Point(point.parser, point.kernel), byte) == begun, byte
        check_lexemes(start, following, Point(point.parser, point.kernel).expected_from(1 << byte).start.step(byte))


def items_from(point: Point, byte: int) -> set[tuple[int, Place]]:
    """The edges that read a lexeme which begins with a byte, of a point that was asked for nothing else."""
    first, found = point.parser.lexicon.first, set()
    for stand in point.stands_from(1 << byte):
        for step in (*stand.reach.slots, *(step for steps in stand.reach.fixed.values() for step in steps)):
            if first(step[0].terminal) >> byte & 1:
                found.add((id(step[0]), plain(stand.at(step[1]))))
    return found


def check_lexemes(start: Lexeme, all_told: Lexeme | None, alone: Lexeme | None) -> None:
    """A lexeme that is looked at alone goes on, and ends, as it does beside all others of its place."""
    draw = random.Random(len(start.listed))
    for _ in range(4):
        if all_told is None or not all_told.alive:
            break
        assert alone is not None
        assert alone.alive
        assert set(alone.shaped) == set(all_told.shaped)
        assert {names for names in alone.spelled if isinstance(names, NameSet)} == {
            names for names in all_told.spelled if isinstance(names, NameSet)
        }
        complete = bool(all_told.spelled or all_told.shaped)
        assert complete == bool(alone.spelled or alone.shaped)
        for byte in b"aAx_1.( '":
            behind, own = all_told.step(byte), alone.step(byte)
            assert (behind is not None and behind.alive) == (own is not None and own.alive)
            assert not complete or (behind is None) == (own is None), byte
        byte = draw.choice([*all_told.spelled_on(), *b"ax1 "])
        all_told, alone = all_told.step(byte), alone.step(byte)
    else:
        return
    assert alone is None or not alone.alive


def check_step(config: Config) -> None:
    """Behind the byte that ends a lexeme are just those threads that may go on with it."""
    lexeme, behind = config.lexeme, config.behind
    for byte in random.Random(config.point.begins).sample(BYTES, 2):
        if lexeme.begun and lexeme.step(byte) is None:
            point = config.point.following(lexeme.spelled, lexeme.shaped, lexeme.text, 1 << byte)
            kernel = frozenset() if point is None else point.kernel
            parser = config.engine.parser
            whole = frozenset() if behind is None else behind.kernel
            needed = {one for one in whole if items_from(parser.point((one,)), byte)}
            assert needed <= kernel <= whole or behind is None
            after = config.step(byte)
            assert after is None or (behind is not None and after.point is point)
            assert after is not None or not needed or behind is None or not _goes_on(behind, byte)


def _goes_on(point: Point, byte: int) -> bool:
    begun = point.expected.start.step(byte)
    return begun is not None and begun.alive and not begun.is_over


def points(start: Config, draw: random.Random, steps: int, words: tuple[bytes, ...]) -> Iterator[Point]:
    """Those of a walk that takes what it can."""
    config = start
    for _ in range(steps):
        following = (config.run(word) for word in draw.sample(words, len(words)))
        config = next((one for one in following if one is not None), start)
        check_step(config)
        yield config.behind or config.point


@settings(max_examples=60)
@given(engine=engines, seed=st.integers(0, 9_999))
def test_reaches_of_any_surface(engine: Engine, seed: int) -> None:
    """Rules that enter one another, with all kinds of lexemes."""
    assume(engine.start.point.live)
    letters = tuple(bytes((byte,)) for byte in b"ainefx1(),.<=' \"")
    for point in points(engine.start, random.Random(seed), 8, letters):
        check_point(point)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 9_999))
def test_reaches_of_sql(seed: int) -> None:
    """Parameters, guards, actions and scopes."""
    for point in points(sql_engine(SCHEMA).start, random.Random(seed), 12, WORDS):
        check_point(point)


def test_declarations() -> None:
    """Names that are declared on the way, to many places."""
    engine = Engine(sql_like(), environment_of(NAMES))
    words = (b"in", b" fresh", b"=", b" a", b",", b"(", b")", b"1", b" if", b" end", b"<=")
    seen = set(points(engine.start, random.Random(5), 120, words))
    for point in seen:
        check_point(point)
    assert len(seen) >= 20
