"""States of a policy in which it can do a surface no harm, so that no way to the end of a text has to be looked for.

Such a state stands behind a blank. Whatever lexeme a way to the end may need can be written there with a blank behind
it, and one of these states comes again; and the text may end in each. A place of a surface has a way to an end under
the surface alone, and that way, written with blanks between its lexemes, is then one under both: literals are read by
other ones to the same effect where the policy denies them, tokens by other texts, names in some spelling, and names
that the text makes up are called otherwise.

The states are the greatest set that is closed like that (a greatest fixed point, Tarski 1955). Names that a text made
up are none of Γ's, so each place asks for those that it knows.

Invariant: `goes_on` is True only of places with a way to an end under both. Where it is False nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import count
from typing import NamedTuple

from langc.compiler.limits import MAX_HARMLESS_STEPS
from langc.compiler.surfaces.engine.lexemes import Shape, shape
from langc.compiler.surfaces.engine.network import LEAVE, Do, Enter, Leave, Read
from langc.compiler.surfaces.engine.parse import Parser
from langc.compiler.surfaces.engine.threads import Thread, all_locals, written
from langc.compiler.surfaces.environment.names import Group
from langc.compiler.surfaces.environment.spelling import Spelling
from langc.compiler.surfaces.masks.home import behind
from langc.compiler.surfaces.model import Fresh, Literal, Open, Reference, TokenUse
from langc.compiler.surfaces.policed.joint import Joint, Steps
from langc.compiler.surfaces.world.lookup import ORDINAL
from langc.compiler.surfaces.world.values import names_in

_DIGITS = tuple(bytes((digit,)) for digit in b"0123456789")
_TRIED = 64
"""Texts of a token that are tried."""


class Family(NamedTuple):
    """Texts without end of one shape: `begin`, `again` any number of times, `end`."""

    begin: bytes
    again: bytes
    end: bytes


class Harmless:
    """See the module.

    Args:
        parser: the surface.
        blanks: texts that may stand between lexemes.
        steps: the policy.
    """

    def __init__(self, parser: Parser, blanks: Iterable[bytes], steps: Steps) -> None:
        self._parser, self._steps = parser, steps
        self._folds = parser.surface.fold_case
        self._spelling = Spelling.of(parser.surface)
        self._blank = next((blank for blank in blanks if self._parts(blank)), None)
        self._good: set[int] = set()
        self._bad: set[int] = set()
        self._spent = 0
        self._names: dict[tuple[bytes, bool], tuple[int, bool]] = {}

    def goes_on(self, here: Joint) -> bool:
        """Whether a way to an end of both is certain behind a lexeme that is complete, once a blank follows it."""
        blank, point = self._blank, behind(here.config)
        if blank is None or point is None or not self._known_lexemes:
            return False
        after = here.run(blank)
        if after is None or after.config.point is not point or not self._is_good(after.state):
            return False
        names = written(point.kernel)
        if names is None:
            return False
        bare = self._bare(point.kernel) if self._shaped else frozenset[bytes]()
        return all(self._can_name(name, name in bare) for name in names)

    def _is_good(self, state: int) -> bool:
        if state not in self._good and state not in self._bad:
            self._decide(state)
        return state in self._good

    def _bare(self, kernel: Iterable[Thread]) -> frozenset[bytes]:
        """The names that a slot may ask for which wants a shape."""
        found: set[bytes] = set()
        for thread in kernel:
            for frame in thread.world.frames:
                found.update(bound.name for bound in frame.bound if bound.sort in self._shaped)
                found.update(pledge.name for pledge in frame.pledges if pledge.sort in self._shaped)
            held = (pair for locals_ in all_locals(thread) for pair in locals_)
            found.update(*(names_in(value) for local, value in held if local in self._bound_from))
        return frozenset(found)

    @cached_property
    def _bound_from(self) -> frozenset[str]:
        """The locals whose names are bound for such a slot."""
        edges = (edge for state in self._states for edge in self._parser.network.edges[state])
        actions = (dict(edge.action.arguments) for edge in edges if isinstance(edge, Do) and edge.action.name == "bind")
        return frozenset(part for one in actions if one.get("sort") in self._shaped for part in one["name"].split())

    def _can_name(self, name: bytes, is_bare: bool) -> bool:
        """Whether a name that is none of Γ's can be written in all states that are known to be good."""
        asked, found = self._names.get((name, is_bare), (0, False))
        if asked != len(self._good):
            bare = self._spelling.bare(name.decode())
            texts = ((bare,) if bare else ()) if is_bare else self._spelling.spellings(name.decode())
            found = all(self._spelled(texts, state) & self._good for state in self._good)
            self._names[name, is_bare] = len(self._good), found
        return found

    # --- what there is to be written ---

    @cached_property
    def _known_lexemes(self) -> bool:
        """Whether no slot that wants a shape takes names of Γ: where these end, the shape says."""
        return self._shaped.isdisjoint(_sorts(self._parser.environment.groups))

    @cached_property
    def _shaped(self) -> frozenset[str]:
        """The sorts of which some slot wants names of a shape, which then stand in no quotes."""
        return frozenset(one.sort for one in self._terminals if isinstance(one, Reference) and one.shape)

    @cached_property
    def _states(self) -> list[int]:
        """The places in the rules that a text can come to."""
        network = self._parser.network
        found = [network.starts[self._parser.surface.start]]
        seen = set(found)
        for state in found:
            for edge in network.edges[state]:
                entered = (edge.start, edge.target) if isinstance(edge, Enter) else ()
                following = entered if isinstance(edge, Enter | Leave) else (edge.target,)
                found += [target for target in following if target not in seen]
                seen.update(following)
        return found

    @cached_property
    def _terminals(self) -> list[Literal | TokenUse | Reference | Fresh | Open]:
        edges = (edge for state in self._states for edge in self._parser.network.edges[state])
        return list(dict.fromkeys(edge.terminal for edge in edges if isinstance(edge, Read)))

    @cached_property
    def _literals(self) -> list[tuple[bytes, ...]]:
        """Those of which one has to be written, as all lead from one place to one other."""
        network = self._parser.network
        start = self._parser.surface.start
        called = {edge.rule for state in self._states for edge in network.edges[state] if isinstance(edge, Enter)}
        rows: dict[tuple[int, int], list[bytes]] = {}
        for state in self._states:
            edges = network.edges[state]
            if start == network.rule_of[state] not in called and LEAVE in edges:
                continue  # the text may end instead
            for edge in edges:
                if isinstance(edge, Read) and isinstance(edge.terminal, Literal):
                    rows.setdefault((state, edge.target), []).append(self._spelling.folded(edge.terminal.text.encode()))
        return list(dict.fromkeys(map(tuple, rows.values())))

    @cached_property
    def _known_names(self) -> list[tuple[bytes, ...]]:
        """The spellings of each name of Γ."""
        names = map(self._spelling.spellings, _names(self._parser.environment.groups.values()))
        return list(dict.fromkeys(filter(None, names)))

    @cached_property
    def _tokens(self) -> list[Shape]:
        names = {one.token for one in self._terminals if isinstance(one, TokenUse) and one.local is None}
        return [shape(self._parser.surface.tokens[name].pattern) for name in sorted(names)]

    @cached_property
    def _families(self) -> list[Family | None]:
        """Of the shapes of names that the text makes up; tokens that are kept may be such names."""
        shapes = {one.shape for one in self._terminals if isinstance(one, Fresh | Open)}
        shapes |= {one.token for one in self._terminals if isinstance(one, TokenUse) and one.local is not None}
        surface = self._parser.surface
        patterns = {surface.tokens[name].pattern for name in shapes if name is not None}
        return [_family(shape(pattern)) for pattern in sorted({*patterns, surface.word})] if shapes else []

    @cached_property
    def _munches(self) -> list[Shape]:
        surface = self._parser.surface
        patterns = {text for token in surface.tokens.values() for text in (token.pattern, token.munch) if text}
        return [shape(pattern) for pattern in sorted({*patterns, surface.word})]

    def _parts(self, blank: bytes) -> bool:
        """Whether nothing but what is skipped begins with it."""
        skipped = {shape(token.pattern) for token in self._parser.surface.tokens.values() if token.skipped}
        return not any(one.table[one.start][blank[0]] for one in self._munches if one not in skipped)

    def _ends_at_blank(self, text: bytes) -> bool:
        assert self._blank is not None
        return not any(one.table[one.run(text)][self._blank[0]] for one in self._munches)

    # --- the greatest closed set ---

    def _decide(self, start: int) -> None:
        """Finds out about a state, and all that it leads to."""
        needs: dict[int, list[frozenset[int]]] = {}
        waiting = [start]
        for state in waiting:
            if state in needs or state in self._good or state in self._bad:
                continue
            if self._spent > MAX_HARMLESS_STEPS or not self._steps.ends(state):
                self._bad.add(state)
                continue
            needs[state] = found = list(dict.fromkeys(self._needs(state)))
            if all(found):
                waiting.extend(target for targets in found for target in targets)
            else:
                self._bad.add(state)
        self._shrink(needs)

    def _shrink(self, needs: dict[int, list[frozenset[int]]]) -> None:
        left = set(needs) - self._bad
        changed = True
        while changed:
            hopeful = left | self._good
            lost = {state for state in left if not all(targets & hopeful for targets in needs[state])}
            left -= lost
            changed = bool(lost)
        self._good |= left
        self._bad |= set(needs) - left

    def _needs(self, state: int) -> Iterator[frozenset[int]]:
        """For each lexeme where its texts lead, blanks behind them: one of these states has to be good."""
        for texts in self._literals:
            yield frozenset().union(*(self._leads(text, state) for text in texts))
        for texts in self._known_names:
            yield self._spelled(texts, state)
        for one in self._tokens:
            yield self._behind_token(one, state)
        if any(isinstance(one, Reference) and one.sort == ORDINAL for one in self._terminals):
            yield from self._behind_again(self._each(_DIGITS, {state}), _DIGITS, b"")
        for family in self._families:
            if family is None:
                yield frozenset()
            else:
                begun = self._each((family.begin,), {state})
                yield from self._behind_again(begun, (family.again,), family.end)

    def _spelled(self, spellings: Iterable[bytes], state: int) -> frozenset[int]:
        """Where the first spelling leads that the policy lets pass."""
        return next(filter(None, (self._leads(text, state) for text in spellings)), frozenset())

    def _leads(self, text: bytes, state: int) -> frozenset[int]:
        """Where a text leads with a blank behind it, in all cases."""
        assert self._blank is not None
        if not self._ends_at_blank(text):
            return frozenset()
        at = {state}
        for byte in text:
            ways = (byte, byte - 32) if self._folds and 0x61 <= byte <= 0x7A else (byte,)
            at = self._each([bytes((way,)) for way in ways], at)
        return frozenset(self._each((self._blank,), at))

    def _each(self, texts: Iterable[bytes], states: Iterable[int]) -> set[int]:
        """Where any of some texts leads from any of some states."""
        texts = tuple(texts)
        found = set[int]()
        for state in states:
            for text in texts:
                self._spent += len(text)
                target = self._steps.run(state, text)
                if target is not None:
                    found.add(target)
        return found

    def _behind_again(self, begun: set[int], again: tuple[bytes, ...], end: bytes) -> Iterator[frozenset[int]]:
        """Where texts lead that go on with any of `again`, for ever; no state at all if one of them is refused."""
        assert self._blank is not None
        waiting = list(begun)
        seen = set(begun)
        if not begun:
            yield frozenset()
        for state in waiting:
            yield frozenset(self._each((end + self._blank,), {state}))
            for text in again:
                following = self._each((text,), {state})
                if not following:
                    yield frozenset()
                waiting.extend(following - seen)
                seen |= following

    def _behind_token(self, one: Shape, start: int) -> frozenset[int]:
        """Where some texts of a token lead, a blank behind them; breadth first, one for each pair of states."""
        assert self._blank is not None
        found = set[int]()
        waiting = [(one.start, start, b"")]
        seen = {(one.start, start)}
        ends = count()
        for at, state, text in waiting:
            if text and at in one.accepting and self._ends_at_blank(text):
                found |= self._each((self._blank,), {state})
                if next(ends) >= _TRIED:
                    break
            for byte, target in enumerate(one.table[at]):
                if not target:
                    continue
                for following in self._each((bytes((byte,)),), {state}):
                    if (target, following) not in seen:
                        seen.add((target, following))
                        waiting.append((target, following, text + bytes((byte,))))
        return frozenset(found)


def _names(groups: Iterable[Group]) -> Iterator[str]:
    for group in groups:
        for entry in group:
            yield entry.name
            yield from _names(entry.members.values())


def _sorts(groups: Mapping[str, Group]) -> Iterator[str]:
    for sort, group in groups.items():
        if len(group):
            yield sort
        for entry in group:
            yield from _sorts(entry.members)


def _family(one: Shape) -> Family | None:
    """Texts of a shape without end, found breadth first."""
    begins = {one.start: b""}
    waiting = [one.start]
    for state in waiting:
        for byte in b"xyz0123456789 \"'`" + bytes(range(256)):
            target = one.table[state][byte]
            if target and target == state and (end := _ending(one, state)) is not None:
                return Family(begins[state], bytes((byte,)), end)
            if target and target not in begins:
                begins[target] = begins[state] + bytes((byte,))
                waiting.append(target)
    return None


def _ending(one: Shape, start: int) -> bytes | None:
    ends = {start: b""}
    waiting = [start]
    for state in waiting:
        if state in one.accepting:
            return ends[state]
        for byte, target in enumerate(one.table[state]):
            if target and target not in ends:
                ends[target] = ends[state] + bytes((byte,))
                waiting.append(target)
    return None
