"""Ways to an end of a text of a surface and a policy, or that there is none.

A way is looked for as it is under the surface alone (`masks/ways.py`), with lexemes that the policy lets pass. Where
none is found like that, all bytes are tried, best first. That search is exact: if it comes to its end without a way,
there is none. It is cut short behind `MAX_JOINT_STEPS` bytes, as the texts of a surface are no regular language and
their places without number; a place is then taken for one that leads nowhere.

Invariant: `lives` is True only of places for which a way is known, and all places on this way live as well. So a text
that only ever goes on to places that live can always be finished.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_JOINT_LEXEMES, MAX_JOINT_STEPS, over_limit
from langc.compiler.surfaces.engine.lexemes import Lexeme, Shape, Spellings, shape
from langc.compiler.surfaces.engine.parse import Point
from langc.compiler.surfaces.engine.threads import Thread
from langc.compiler.surfaces.environment.names import NameSet
from langc.compiler.surfaces.masks.heads import Nodes
from langc.compiler.surfaces.masks.home import Homes, behind, promised
from langc.compiler.surfaces.masks.next_bytes import next_bytes
from langc.compiler.surfaces.masks.ways import Ways
from langc.compiler.surfaces.policed.harmless import Harmless
from langc.compiler.surfaces.policed.joint import Joint, JointPlace, Steps
from langc.compiler.tokens.rows import Remembered

_NAMES = 3
"""Names of a set that are tried."""
_SAMPLED = 1_024
"""Names that these are taken from."""
_FEW, _WORDS = 2, 24
"""Texts of one shape that are tried until one is taken."""
_ENDINGS = 64
"""Texts that complete a lexeme, of which some are tried with a way that is remembered."""
_ALIKE, _AGAIN = 8, 8
"""Bytes that are tried where they lead alike, and times that one state is left."""
_REMEMBERED = 100_000
_KEPT = 4
"""Ways that are remembered of one place in the rules."""
_PROMISED = b"\0%d\0"
"""Stands in these for a name that is promised."""
Alike = tuple[frozenset[Thread], frozenset[tuple[Shape, int]], frozenset[tuple[Shape, int]], int]


class JointHomes(Ways[Joint]):
    """See the module.

    Args:
        homes: the ways of the surface alone.
        steps: the policy.
        nodes: the trie of the tokens that ways are counted in.
    """

    def __init__(self, homes: Homes, steps: Steps, nodes: Nodes) -> None:
        super().__init__(nodes)
        self._homes, self._steps = homes, steps
        self._harmless = Harmless(homes.parser, homes.between, steps)
        self._living: set[JointPlace] = set()
        self._folds = homes.parser.surface.fold_case
        self._dead: set[JointPlace] = set()
        self._words: set[Alike] = set()
        self.searches = 0
        """How many there were."""
        self._ways: dict[tuple[frozenset[tuple[int, int]], int], list[bytes]] = {}
        self._cased = Remembered(self._in_both_cases, _REMEMBERED)
        self._texts: dict[tuple[Shape, int, int], tuple[list[bytes], Iterator[bytes]]] = {}
        self._onward = Remembered(self._bytes_on, _REMEMBERED)

    def lives(self, here: Joint, *, search: bool = True) -> bool:
        """Whether a way to an end is known. False: there is none, or it was not found in time.

        Without a `search` only ways are tried that are remembered.
        """
        if here.accepting or here.place in self._living:
            return True
        if here.place in self._dead:
            return False
        if self._is_free(here):
            self._note(here, b"")
            return True
        way = self._find(here) if search else self._guess(here)
        if way is None:
            if search:
                self._bury([here.place])
            return False
        self._note(here, way)
        return True

    def _note(self, here: Joint, way: bytes) -> None:
        """A place lives, and so do those on its way."""
        if len(self._living) >= _REMEMBERED:
            self._living.clear()
        self._living.add(here.place)
        for byte in way:
            following = here.step(byte)
            assert following is not None
            here = following
            self._living.add(here.place)

    def _is_free(self, here: Joint) -> bool:
        """Whether the policy can do no harm behind some text that completes the lexeme."""
        for ending in self._different_endings(here):
            after = here.run(ending)
            if after is not None and self._harmless.goes_on(after):
                return True
        return False

    def goes_on(self, here: Joint, *, search: bool = True) -> bool:
        """Whether a place lives, or is a word in the making like one that does, of another text."""
        alike = _alike(here)
        if alike is not None and alike in self._words:
            return True
        found = self.lives(here, search=search)
        if found and alike is not None:
            if len(self._words) >= _REMEMBERED:
                self._words.clear()
            self._words.add(alike)
        return found

    def way(self, here: Joint) -> bytes:
        """A text that leads to an end. Raises LimitError if none is found in time."""
        found = self._alone(here) or self._find(here)
        if found is None:
            raise LimitError(over_limit("places on the way to an end of a text", MAX_JOINT_STEPS))
        return found

    def place(self, here: Joint) -> JointPlace:
        """See `Joint.place`."""
        return here.place

    def _find(self, here: Joint) -> bytes | None:
        found = self._guess(here)
        if found is None and (found := self._alone(here) or self._search(here)) is not None:
            self._remember(here, found)
        return found

    def _alone(self, here: Joint) -> bytes | None:
        """The way of the surface alone if the policy lets it pass; it aims better, and so is shorter."""
        way = None if self._homes.known_least(here.config) is None else self._homes.known(here.config)
        behind_it = None if way is None else self._steps.run(here.state, way)
        return way if behind_it is not None and self._steps.ends(behind_it) else None

    # --- ways that led home from the same place in the rules ---

    def _guess(self, here: Joint) -> bytes | None:
        for ending in self._different_endings(here):
            after = here.run(ending)
            if after is None or behind(after.config) is None:
                continue
            for way in self._ways.get((self.rules(after), after.state), ()):
                text = _filled(way, after)
                home = after.run(text)
                if home is not None and home.accepting:
                    return ending + text
        return None

    def _different_endings(self, here: Joint) -> Iterator[bytes]:
        """Nothing, and some texts that complete a lexeme: a few for each state that they lead the policy to."""
        yield b""
        counts = Counter[int | None]()
        for ending in itertools.islice(self._endings(here.config.lexeme, here.state), _ENDINGS):
            state = self._steps.run(here.state, ending)
            counts[state] += 1
            if ending and counts[state] <= _FEW:
                yield ending

    def _remember(self, here: Joint, way: bytes) -> None:
        """Keep what a way is from each place on it where a lexeme may end."""
        at: Joint | None = here
        for place, byte in enumerate(way):
            assert at is not None
            if behind(at.config) is not None:
                kept = self._ways.setdefault((self.rules(at), at.state), [])
                text = _emptied(way[place:], at)
                if text not in kept:
                    kept.insert(0, text)
                    del kept[_KEPT:]
            at = at.step(byte)

    def _search(self, here: Joint) -> bytes | None:
        self.searches += 1
        return (
            self._shortest_way(here)
            or self._greedy_way(here, MAX_JOINT_LEXEMES)
            or self._descent(here, MAX_JOINT_LEXEMES // 4)
            or self._by_bytes(here)
        )

    def _by_bytes(self, start: Joint) -> bytes | None:
        order = itertools.count(0, -1)
        waiting = [(0, next(order), b"", start)]
        seen = {start.place}
        tried = 0
        while tried < MAX_JOINT_STEPS:
            if not waiting:
                self._bury(seen)
                return None
            _, _, read, here = heapq.heappop(waiting)
            if here.accepting:
                return read
            for byte in next_bytes(here.config):
                following = here.step(byte)
                tried += 1
                if following is None or following.place in seen or following.place in self._dead:
                    continue
                seen.add(following.place)
                text = read + bytes((byte,))
                if (rest := self.known(following)) is not None:
                    return text + rest
                heapq.heappush(waiting, (len(text) + self.left(following), next(order), text, following))
        return None

    def left(self, here: Joint) -> int:
        """How many bytes are needed from a place on, by estimate."""
        point = behind(here.config)
        return self._homes.estimate(here.config.point if point is None else point)

    def _bury(self, places: set[JointPlace] | Sequence[JointPlace]) -> None:
        if len(self._dead) >= _REMEMBERED:
            self._dead.clear()
        self._dead.update(places)

    # --- lexemes that the policy lets pass ---

    def step(self, here: Joint, text: bytes) -> Joint | None:
        """The place behind a text."""
        return here.run(text)

    def behind(self, here: Joint) -> tuple[Point, int] | None:
        """The point behind a lexeme, and the state of the policy there."""
        point = behind(here.config)
        return None if point is None else (point, here.state)

    def rules(self, here: Joint) -> frozenset[tuple[int, int]]:
        """See `Homes.rules`."""
        return self._homes.rules(here.config)

    def _tries(self, here: Joint, is_first: bool) -> Iterator[tuple[int, bytes]]:
        config, lexeme = here.config, here.config.lexeme
        if not lexeme.begun:
            yield from self._lexemes(config.point, here.state)
            return
        if is_first:
            for text in self._endings(lexeme, here.state):
                after = here.run(text)
                if after is not None and (point := behind(after.config)) is not None:
                    yield self._homes.estimate(point), text
        if config.behind is not None:
            yield from self._apart(config.behind, lexeme, here.state)

    def _apart(self, point: Point, lexeme: Lexeme, state: int) -> Iterator[tuple[int, bytes]]:
        """Lexemes behind another one: directly, or with something between them if they would be one."""
        for estimate, text in self._lexemes(point, state):
            if lexeme.step(text[0]) is None:
                yield estimate, text
        between = self._between(lexeme, state)
        following = None if between is None else self._steps.run(state, between)
        if between is not None and following is not None:
            for estimate, text in self._lexemes(point, following):
                if lexeme.step(text[0]) is not None:
                    yield estimate, between + text

    def _between(self, lexeme: Lexeme, state: int) -> bytes | None:
        skipped = self._homes.parser.lexicon.skipped
        texts = [*self._homes.between, *(text for one in skipped for text in self._shortest(one, one.start, state, 1))]
        return next((t for t in texts if lexeme.step(t[0]) is None and self._steps.run(state, t) is not None), None)

    def _lexemes(self, point: Point, state: int) -> Iterator[tuple[int, bytes]]:
        homes = self._homes
        for folded, items in point.literals.items():
            for text in self._cased((state, folded)):
                yield homes.least_behind(items), text
        for name, items in point.tokens.items():
            own = shape(homes.parser.surface.tokens[name].pattern)
            for text in self._shortest(own, own.start, state, _FEW):
                yield homes.least_behind(items), text
        for names, item in point.slots:
            if isinstance(names, NameSet):
                texts = self._names(names, 0, len(names.spellings), 0, state)
            else:
                own = shape(names.shape)
                words = filter(names.allows, self._shortest(own, own.start, state, _WORDS))
                promises = promised(item, names, homes.parser)
                texts = [*(text for name in promises for text in self._cased((state, name))), *words][:_FEW]
            for text in texts:
                yield homes.least_behind([item]), text

    def _endings(self, lexeme: Lexeme, state: int) -> Iterator[bytes]:
        if lexeme.spelled or lexeme.shaped:
            yield b""
        for names, low, high in lexeme.listed:
            yield from self._names(names, low, high, lexeme.depth, state)
        for one, at in sorted(lexeme.shapes, key=lambda pair: (pair[0].pattern, pair[1])):
            yield from self._shortest(one, at, state, _FEW if lexeme.shaped else _WORDS)

    def _names(self, names: Spellings, low: int, high: int, depth: int, state: int) -> list[bytes]:
        """What completes some of the shortest names that may be written, in each of the cases that lead elsewhere."""
        found: list[bytes] = []
        count = 0
        for spelled in sorted(names.spellings[low : min(high, low + _SAMPLED)], key=len):
            if len(spelled) > depth and (texts := self._cased((state, spelled[depth:]))):
                found += texts
                count += 1
                if count == _NAMES:
                    break
        return found

    def _in_both_cases(self, key: tuple[int, bytes]) -> tuple[bytes, ...]:
        """The ways to write a folded text that the policy lets pass, one for each state that they lead to."""
        state, folded = key
        found = {state: b""}
        for byte in folded:
            ways = (byte, byte - 32) if self._folds and 0x61 <= byte <= 0x7A else (byte,)
            after: dict[int, bytes] = {}
            for at, text in found.items():
                for way in ways:
                    target = self._steps.step(at, way)
                    if target is not None:
                        after.setdefault(target, text + bytes((way,)))
            found = after
        return tuple(found.values())

    def _shortest(self, one: Shape, at: int, state: int, count: int) -> list[bytes]:
        """The shortest texts from a state to an end of a shape that the policy lets pass, up to so many of them."""
        key = (one, at, state)
        if key not in self._texts:
            if len(self._texts) >= _REMEMBERED:
                self._texts.clear()
            self._texts[key] = [], self._ends(one, at, state)
        found, others = self._texts[key]
        found += itertools.islice(others, max(count - len(found), 0))
        return found[:count]

    def _ends(self, one: Shape, start: int, state: int) -> Iterator[bytes]:
        """Breadth first."""
        waiting, left = [(start, state, b"")], Counter[tuple[int, int]]()
        for at, beside, text in waiting:
            if text and at in one.accepting:
                yield text
            left[at, beside] += 1
            if left[at, beside] <= _AGAIN:
                waiting.extend((*target, text + byte) for target, byte in self._onward((one, at, beside)))

    def _bytes_on(self, key: tuple[Shape, int, int]) -> list[tuple[tuple[int, int], bytes]]:
        """Where some bytes lead from a state of a shape and one of the policy: of those that lead alike a few."""
        one, at, state = key
        counts = Counter[tuple[int, int]]()
        found = []
        for byte in self._homes.ordered:
            target, beside = one.table[at][byte], self._steps.step(state, byte)
            if target and beside is not None:
                counts[target, beside] += 1
                if counts[target, beside] <= _ALIKE:
                    found.append(((target, beside), bytes((byte,))))
        return found


def _alike(here: Joint) -> Alike | None:
    """What a word in the making has in common with others of its shape; None where no free word has begun."""
    lexeme = here.config.lexeme
    if not lexeme.text or lexeme.listed:
        return None
    return here.config.point.kernel, lexeme.shapes, lexeme.munched, here.state


def _pledged(here: Joint) -> list[bytes]:
    """The names that are promised, those first of which the least was taken."""
    point = behind(here.config)
    threads = () if point is None else point.kernel
    found = {pledge for thread in threads for frame in thread.world.frames for pledge in frame.pledges}
    return [pledge.name for pledge in sorted(found, key=lambda one: (one.stars, sorted(one.members), one.name))]


def _emptied(way: bytes, here: Joint) -> bytes:
    """A way with the places of promised names in the place of the names."""
    for number, name in enumerate(_pledged(here)):
        way = re.sub(rb"(?<![\w\x80-\xff])" + re.escape(name) + rb"(?![\w\x80-\xff])", _PROMISED % number, way)
    return way


def _filled(way: bytes, here: Joint) -> bytes:
    """The way with the names that are promised here."""
    for number, name in enumerate(_pledged(here) if b"\0" in way else ()):
        way = way.replace(_PROMISED % number, name)
    return way
