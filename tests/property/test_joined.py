"""A joined matcher allows what all its parts allow, but for what a search over all texts shows to lead nowhere.

The worlds are small enough to know every text: two parts that each know some rows of tokens by heart, with dead ends of
their own and dead ends that only come of joining them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from langc.compiler.errors import PolicyError
from langc.compiler.ir.language import Language, alternation, cover, intersection
from langc.compiler.policy import Policy
from langc.compiler.tokens.joined.matcher import JoinedMatcher
from langc.compiler.tokens.joined.parts import Part
from langc.compiler.tokens.machine import DeadEndError
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import IntervalSet
from tests.property.languages import languages, policy_for, scope_policies, vocabularies
from tests.unit.tokens.paths import Copied, Path, Paths, follows
from tests.unit.tokens.toys import toy

pytestmark = pytest.mark.slow

VOCABULARY = toy(b"a", b"b", b"c", "<eos>")
END = 3
ROWS = 6
LONGEST = 4

_paths = st.lists(st.integers(0, 2), max_size=LONGEST).map(tuple)


@dataclass(frozen=True)
class World:
    """What each part knows: rows of tokens to follow, and which may be the end."""

    parts: tuple[tuple[frozenset[Path], frozenset[Path]], ...]

    def fresh(self, kind: type[Paths] = Copied, on_dead_end: str = "error") -> JoinedMatcher:
        """A joined matcher without history."""
        made = (kind(VOCABULARY, ROWS, paths, whole) for paths, whole in self.parts)
        return JoinedMatcher(*made, on_dead_end=on_dead_end)

    def common(self, history: Path) -> set[int]:
        """What every part allows."""
        allowed = (follows(paths, history) | ({END} if history in whole else set()) for paths, whole in self.parts)
        return set.intersection(*allowed)

    def live(self, history: Path) -> set[int]:
        """The common tokens behind which a text lies that every part takes for a whole one."""
        return {t for t in self.common(history) if t == END or self.leads_on((*history, t))}

    def leads_on(self, history: Path) -> bool:
        """Whether such a text begins so."""
        common = self.common(history)
        return END in common or any(self.leads_on((*history, t)) for t in common)

    def expected(self, history: Path) -> set[int]:
        """The mask: a single token is not looked behind, of several only those that lead on are left."""
        common = self.common(history)
        return common if len(common) == 1 else self.live(history)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Two or three parts that share much, so that they have common texts, and places where these part."""
    shared = draw(st.lists(_paths, max_size=4))  # these end well, or most worlds would be dead from the start
    parts = []
    for _ in range(draw(st.integers(2, 3))):
        paths = frozenset((*shared, *draw(st.lists(_paths, max_size=6))))
        beginnings = sorted({path[:n] for path in paths for n in range(len(path) + 1)})
        whole = draw(st.lists(st.sampled_from(beginnings), max_size=4)) if beginnings else []
        parts.append((paths, frozenset((*whole, *shared))))
    return World(tuple(parts))


def allowed(matcher: JoinedMatcher) -> set[int]:
    """The ids of the mask; none at a dead end."""
    try:
        return set(np.flatnonzero(matcher.mask()).tolist())
    except DeadEndError:
        return set()


def histories(world: World) -> list[Path]:
    """All that can be written under the expected masks, the end left out."""
    queue: list[Path] = [()]
    for history in queue:
        queue += [(*history, t) for t in sorted(world.expected(history) - {END})]
    return queue


@settings(deadline=None, max_examples=300)
@given(worlds())
def test_the_mask_is_what_all_allow_without_what_leads_nowhere(world: World) -> None:
    """After every history that can be written, token by token and out of range as well."""
    for history in histories(world):
        matcher = world.fresh()

        assert matcher.sync(history)
        assert allowed(matcher) == world.expected(history)
        assert (matcher.dead_end is None) == bool(world.expected(history))
        assert matcher.accepting == (END in world.common(history))


@settings(deadline=None, max_examples=200)
@given(worlds())
def test_no_common_text_is_lost(world: World) -> None:
    """Every text that all parts take for a whole one can be written, token by token, and ended."""
    for text in frozenset.intersection(*(whole for _, whole in world.parts)):
        if all(text[n] in world.common(text[:n]) for n in range(len(text))):
            matcher = world.fresh()

            assert [matcher.advance(token) for token in (*text, END)] == [True] * (len(text) + 1)
            assert (matcher.ended, matcher.accepting) == (True, True)


@settings(deadline=None, max_examples=150)
@given(worlds(), st.sampled_from(["error", "stop"]), st.data())
def test_mask_allows_and_advance_agree(world: World, on_dead_end: str, data: st.DataObject) -> None:
    """For every id, those that do not exist too, after any history."""
    matcher = world.fresh(on_dead_end=on_dead_end)
    matcher.sync(data.draw(st.lists(st.integers(0, 3), max_size=LONGEST)))
    can = allowed(matcher)
    assume(matcher.ended or matcher.dead_end is None or matcher.dead_end.code == "LC0660")
    for token in range(-2, ROWS + 2):
        trial = matcher.fork()
        taken = token in can and not matcher.ended

        assert trial.advance(token) == taken
        assert trial.ids == matcher.ids + (token,) * taken
        if can:
            assert matcher.allows(token) == (token in can)


@settings(deadline=None, max_examples=150)
@given(worlds(), st.data())
def test_the_bias_is_the_sum(world: World, data: st.DataObject) -> None:
    """Minus infinity just where the mask is False; elsewhere each part's own is added."""
    matcher = world.fresh()
    matcher.sync(data.draw(st.sampled_from(histories(world))))
    assume(matcher.dead_end is None)
    expected = np.where(matcher.mask(), -np.arange(ROWS, dtype=np.float32) * len(world.parts), -np.inf)

    assert np.array_equal(matcher.bias(), expected)


class Histories(RuleBasedStateMachine):
    """Any row of calls, with parts that can be copied and parts that cannot; a list of ids is the model."""

    kind: type[Paths] = Copied

    @initialize(world=worlds(), on_dead_end=st.sampled_from(["error", "stop"]))
    def begin(self, world: World, on_dead_end: str) -> None:
        """An empty history."""
        self.fresh: Callable[[], JoinedMatcher] = lambda: world.fresh(self.kind, on_dead_end)
        self.matcher, self.history = self.fresh(), list[int]()
        self.others: list[tuple[JoinedMatcher, list[int]]] = []

    @rule(data=st.data())
    def advance(self, data: st.DataObject) -> None:
        """Any id, more often one that is allowed."""
        token = data.draw(st.one_of(st.integers(-1, ROWS), st.sampled_from(sorted(allowed(self.matcher)) or [0])))
        self.history += [token] * self.matcher.advance(token)

    @rule(data=st.data())
    def rollback(self, data: st.DataObject) -> None:
        """Some tokens fewer."""
        count = data.draw(st.integers(0, len(self.history)))
        self.matcher.rollback(count)
        self.history = self.history[: len(self.history) - count]

    @rule(data=st.data())
    def sync(self, data: st.DataObject) -> None:
        """A beginning of the history and then anything, refused or not."""
        kept = self.history[: data.draw(st.integers(0, len(self.history)))]
        wanted = kept + data.draw(st.lists(st.integers(-1, ROWS), max_size=3))
        self.matcher.sync(wanted)
        self.history = wanted

    @rule()
    def look(self) -> None:
        """Asking changes nothing."""
        allowed(self.matcher)

    @precondition(lambda self: self.kind is Copied)
    @rule()
    def fork(self) -> None:
        """A copy that must stay as it is."""
        self.others.append((self.matcher.fork(), list(self.history)))

    @precondition(lambda self: self.others)
    @rule(data=st.data())
    def swap(self, data: st.DataObject) -> None:
        """Go on with a fork, as beams do."""
        at = data.draw(st.integers(0, len(self.others) - 1))
        other = self.others[at]
        self.others[at] = (self.matcher, self.history)
        self.matcher, self.history = other

    @rule()
    def reset(self) -> None:
        """Forget."""
        self.matcher.reset()
        self.history = []

    @invariant()
    def equals_a_fresh_one(self) -> None:
        """The matcher and all forks are what reading their histories gives."""
        for matcher, history in [(self.matcher, self.history), *self.others]:
            fresh = self.fresh()
            fresh.sync(history)

            assert view(matcher) == view(fresh)
            assert matcher.ids == tuple(history)


class HistoriesWithoutForks(Histories):
    """The same with parts that cannot be copied."""

    kind = Paths


TestHistories = Histories.TestCase
TestHistories.settings = settings(deadline=None, max_examples=80, stateful_step_count=15)
TestHistoriesWithoutForks = HistoriesWithoutForks.TestCase
TestHistoriesWithoutForks.settings = settings(deadline=None, max_examples=40, stateful_step_count=15)


def view(matcher: JoinedMatcher) -> object:
    """All that can be seen of a matcher."""
    rows: object
    try:
        rows = (matcher.mask().tolist(), matcher.bias().tolist())
    except DeadEndError as error:
        rows = error.diagnostics
    return rows, matcher.ids, matcher.accepting, matcher.ended, matcher.dead_end


# --- policies of langc ----------------------------------------------------------------------------


@st.composite
def two_languages(draw: st.DrawFn) -> tuple[Language, Language]:
    """Two that mostly have texts in common: of any two drawn apart few have."""
    left, right = draw(languages), draw(languages)
    most = [cover(IntervalSet.of("ab中")), cover(IntervalSet.of("b中가"), ("aa",)), cover(IntervalSet.of("ab中가"))]
    shared = draw(st.sampled_from(most))
    return alternation(left, shared), alternation(right, shared)


@settings(deadline=None, max_examples=25)
@given(st.data(), two_languages(), vocabularies("ab中가"))
def test_two_policies_are_their_intersection_but_for_liveness(
    data: st.DataObject, pair: tuple[Language, Language], vocabulary: Vocabulary
) -> None:
    """The joined mask has all that the matcher of both languages together has, and no more than each alone.

    What it has beyond that matcher is what only looking further ahead would take away; the ends are the same.
    """
    policies = [policy_for(language) for language in (*pair, intersection(*pair))]
    try:
        one, other, both = (Matcher(policy, vocabulary, on_dead_end="stop") for policy in policies)
    except PolicyError:
        assume(False)
        raise
    alone, joined = [one.fork(), other.fork()], JoinedMatcher(one, other, on_dead_end="stop")
    for _ in range(data.draw(st.integers(0, 5))):
        most = alone[0].mask() & alone[1].mask()

        assert (both.mask() <= joined.mask()).all()
        assert (joined.mask() <= most).all()
        assert joined.accepting == both.accepting
        choices = [t for t in np.flatnonzero(both.mask()).tolist() if t not in vocabulary.eos_ids]
        if not choices:
            break
        token = data.draw(st.sampled_from(choices))
        assert [m.advance(token) for m in (*alone, both)] == [True] * 3
        assert joined.advance(token)


@settings(deadline=None, max_examples=100)
@given(st.data(), scope_policies, vocabularies("ab中가"))
def test_a_single_part_is_the_matcher_itself(data: st.DataObject, policy: Policy, vocabulary: Vocabulary) -> None:
    """Joined with nothing, and joined with a copy of itself, a policy's matcher says what it says alone."""
    try:
        matcher = Matcher(policy, vocabulary, on_dead_end="stop")
    except PolicyError:
        assume(False)
        raise
    joined: Sequence[tuple[Part, ...]] = ((matcher.fork(),), (matcher.fork(), matcher.fork()))
    ids = data.draw(st.lists(st.integers(0, matcher.rows), max_size=4))
    matcher.sync(ids)
    for parts in joined:
        found = JoinedMatcher(*parts, on_dead_end="stop")

        assert found.sync(ids) == matcher.sync(ids)
        assert np.array_equal(found.mask(), matcher.mask())
        assert (found.ids, found.ended) == (matcher.ids, matcher.ended)
        assert found.accepting == matcher.accepting


@pytest.mark.parametrize("kind", [Paths, Copied])
def test_the_worlds_have_what_is_tried(kind: type[Paths]) -> None:
    """The referee can tell the difference: here the common tokens, the live ones and the mask are not the same."""
    dead, live = ((0, 1),), ((1, 2),)
    world = World(((frozenset(dead + live), frozenset(live)), (frozenset(((0, 2), *live)), frozenset(((0, 2), *live)))))

    assert world.common(()) == {0, 1}
    assert world.expected(()) == {1}
    assert allowed(world.fresh(kind)) == {1}
