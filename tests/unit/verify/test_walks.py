"""Walks: permitted, with distinct keys, into every state, and always the same."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

import langc
from langc.compiler.policy import Policy
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.tables import TokenTables, build_tables
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.engines.protocol import BYTES
from langc.compiler.verify.walks import Walk, further, unfinished, walks
from tests.agreement.vocabularies import vocabulary
from tests.unit.targets.policies import policies

pytestmark = pytest.mark.slow

TOYS = ("bytes", "split", "crossing", "lacking")
NAMES = ("hangul", "no-cjk", "terms", "begin-as-text", "patterns", "nul", "not-empty", "bounded", "exempt-think")


@cache
def tables(name: str, toy: str) -> TokenTables:
    """Of a policy made for the tests."""
    return build_tables(policies()[name], vocabulary(toy))


def key(policy: Policy, text: bytes) -> tuple[int, bytes]:
    """The place in text, told from the text alone: the code point state at the last border, and what is left."""
    whole = text.decode(errors="ignore")
    return policy.dfa.run(map(ord, whole)), text[len(whole.encode()) :]


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("name", NAMES)
def test_walks_are_permitted_and_distinct(name: str, toy: str) -> None:
    """Each leads where it says, token by token, and no two lead to one place."""
    found = walks(tables(name, toy), vocabulary(toy), 400).rows
    machine = TokenMachine(tables(name, toy))
    places = [key(policies()[name], machine_text(tables(name, toy), walk)) for walk in found]

    assert [end(machine, walk) for walk in found] == [walk.state for walk in found]
    assert len(set(places)) == len(found)
    assert [rest for _, rest in places] == [walk.key[1] for walk in found]
    assert len({walk.key for walk in found}) == len(found)


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("name", NAMES)
def test_longer_rows_are_permitted_and_new(name: str, toy: str) -> None:
    """They come behind the others, as far as there is room, and lead into states in which a walk has ended."""
    automaton, found = tables(name, toy), walks(tables(name, toy), vocabulary(toy), 40)
    most = len(found.rows) + 100
    more = further(automaton, vocabulary(toy), found, most)
    longer = more.rows[len(found.rows) :]
    machine = TokenMachine(automaton)
    times = Counter(walk.state for walk in longer)

    assert more.rows[: len(found.rows)] == found.rows
    assert len(more.rows) <= most
    assert [end(machine, walk) for walk in longer] == [walk.state for walk in longer]
    assert len({walk.tokens for walk in more.rows}) == len(more.rows)
    assert max(times.values(), default=0) <= 4
    assert further(automaton, vocabulary(toy), found, len(found.rows)) == found


def machine_text(automaton: TokenTables, walk: Walk) -> bytes:
    """The bytes of a walk."""
    return b"".join(map(automaton.trie.token_bytes, walk.tokens))


def end(machine: TokenMachine, walk: Walk) -> int | None:
    """The state behind a walk."""
    state: int | None = machine.start
    for token in walk.tokens:
        state = None if state is None else machine.next(state, token)
    return state


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("name", NAMES)
def test_every_state_comes_first(name: str, toy: str) -> None:
    """The states that rows of tokens reach are all there, before any state comes twice."""
    automaton = tables(name, toy)
    found = walks(automaton, vocabulary(toy), 400)
    states = [walk.state for walk in found.rows]

    assert sorted(set(states)) == sorted(automaton.states())
    assert found.reachable == found.states == len(set(states[: found.reachable]))


def test_as_many_as_are_wanted() -> None:
    """Single bytes have thousands of unfinished characters; each count is met exactly, and the short is a part."""
    automaton = build_tables(policies()["no-cjk"], vocabulary("bytes"))
    found = {most: walks(automaton, BYTES, most).rows for most in (1, 10, 100, 1000, 5000)}

    assert {most: len(rows) for most, rows in found.items()} == {most: most for most in found}
    assert found[10] == found[100][:10]


def test_walks_are_always_the_same() -> None:
    """Two runs give equal rows."""
    toy = vocabulary("split")
    first, second = (walks(build_tables(policies()["terms"], toy), toy, 300) for _ in range(2))

    assert first == second


def test_unfinished_characters_are_spread_over_the_states() -> None:
    """States with thousands of beginnings give the same number each, but for those that come first as states."""
    automaton = tables("exempt-think", "bytes")
    found = walks(automaton, BYTES, 3000)
    later = [walk.key[0] for walk in found.rows[found.reachable :]]
    counts = [later.count(state) for state in set(later)]
    plenty = [count for count in counts if count > max(counts) / 2]

    assert len(plenty) >= 3
    assert max(plenty) - min(plenty) <= 1


def test_all_unfinished_characters_of_a_small_set() -> None:
    """Of three characters every beginning is there, and nothing else: counted by hand."""
    policy = langc.parse_policy("policy p { only [é中😀]; }")
    found = walks(build_tables(policy, vocabulary("bytes")), BYTES, 10_000).rows

    assert {walk.key[1].hex() for walk in found} == {"", "c3", "e4", "e4b8", "f0", "f09f", "f09f98"}
    assert len(found) == 7


def test_walks_come_back() -> None:
    """One state for the policy need not be one for the engine: half of the characters are begun behind a letter."""
    policy = langc.parse_policy("policy p { only [a-c가-힣]; }")
    automaton = build_tables(policy, vocabulary("bytes"))
    reachable = walks(automaton, BYTES, 1).reachable
    begun = [machine_text(automaton, walk) for walk in walks(automaton, BYTES, reachable + 40).rows[reachable:]]

    assert len(begun) == 40
    assert sum(text.startswith(b"a") for text in begun) == 20


def test_characters_begun_behind_text() -> None:
    """A vocabulary that begins 西 only behind a space still gives a walk into it."""
    tokens = (b"a", b" \xe8", b"\xa5\xbf", b"")
    toy = Vocabulary("toy", tokens, {3: "<end>"}, frozenset({3}))
    policy = langc.parse_policy(r"policy p { only [a西\u{20}]; }")
    found = walks(build_tables(policy, toy), toy, 100).rows

    assert (1,) in {walk.tokens for walk in found}
    assert {walk.key[1] for walk in found} == {b"", b"\xe8"}


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (b"", b""),
        (b"a", b""),
        (b"a\xc3", b"\xc3"),
        ("é".encode(), b""),
        (b"\xe4\xb8", b"\xe4\xb8"),
        ("中".encode(), b""),
        ("a中".encode() + b"\xe4", b"\xe4"),
        (b"\xf0\x9f\x98", b"\xf0\x9f\x98"),
        ("😀".encode(), b""),
        (b"\xb8\xad", b""),
        (b"\xbf\xb8\xad", b""),
    ],
)
def test_unfinished(text: bytes, rest: bytes) -> None:
    """The bytes of a character that was begun; continuation bytes alone begin none."""
    assert unfinished(text) == rest
