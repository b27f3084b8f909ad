"""Surfaces with a policy beside them: what is allowed, against everything that can be written."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.errors import PolicyError
from langc.compiler.source import Source
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.surfaces.model import Choice, Element, Literal, Repeat, Sequence, Surface, TokenUse
from langc.compiler.surfaces.policed import home, tables
from langc.compiler.surfaces.policed.rules import PolicyRules
from langc.compiler.surfaces.policed.tables import JointTables
from langc.compiler.surfaces.syntax.read import read_surfaces
from langc.compiler.tokens.logits.bitmask import allocate_token_bitmask, unpack
from langc.compiler.tokens.machine import DeadEndError
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.examples import examples
from tests.surfaces.masks.toys import NAMED, NAMES, SIGNS, WORDS, environment_of, surface_of, vocabulary_of
from tests.surfaces.policed.referee import Denied, Judge, TooMany, allowed_by_texts

seeds = st.integers(0, 9_999)
words = st.sampled_from(
    [*WORDS, *NAMES[:6], *SIGNS, "nam", "ab", "f", "e", "i", "1", ",a", ")(", " ", "n d", "A", "IF"]
)
policies = st.builds(
    lambda characters, denied: Denied(bytes(sorted(characters)), tuple(word.encode() for word in sorted(denied))),
    st.frozensets(st.sampled_from(b"aAeinf ().,<=1'\n\"#"), max_size=3),
    st.frozensets(words, max_size=3),
).filter(lambda policy: bool(policy.characters or policy.words))

leaves: st.SearchStrategy[Element] = st.one_of(
    st.sampled_from([Literal(text) for text in WORDS + SIGNS]),
    st.sampled_from([TokenUse("NUMBER"), TokenUse("STRING"), TokenUse("LETTERS"), NAMED]),
)


def _larger(children: st.SearchStrategy[Element]) -> st.SearchStrategy[Element]:
    few = st.lists(children, min_size=1, max_size=4).map(tuple)
    times = st.sampled_from([(0, 1), (0, None), (1, None)])
    return st.one_of(
        st.builds(Sequence, few),
        st.builds(Choice, few),
        st.builds(lambda part, bounds: Repeat(part, *bounds), children, times),
    )


bodies = st.recursive(leaves, _larger, max_leaves=8)
surfaces = st.builds(
    lambda body, fold, quotes: surface_of({"start": body}, fold_case=fold, quotes=quotes),
    bodies,
    st.booleans(),
    st.booleans(),
)


def loaded(surface: Surface, names: tuple[str, ...], policy: str) -> LoadedSurface:
    """A surface over some names, with a policy."""
    return LoadedSurface(surface, environment_of(names), {}, PolicyRules(langc.parse_policy(policy)))


def judge_of(engine: Engine, policy: Denied) -> Judge:
    """The judge; a case with too many places is none."""
    try:
        return Judge(engine, policy)
    except TooMany:
        assume(False)
        raise


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(surface=surfaces, names=st.sets(st.sampled_from(NAMES)), policy=policies, seed=seeds)
def test_a_token_is_allowed_if_an_end_can_be_reached_behind_it(
    surface: Surface, names: set[str], policy: Denied, seed: int
) -> None:
    """At each place of random walks, for each token; and there is no text where there is none."""
    one = loaded(surface, tuple(sorted(names)), policy.source)
    assume(one.engine.start.point.live)
    judge = judge_of(one.engine, policy)
    draw = random.Random(seed)
    vocabulary = vocabulary_of(draw, 120)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "MAX_JOINT_TOKENS", 10**6)
        patch.setattr(home, "MAX_JOINT_STEPS", 10**5)
        if judge.start not in judge.living:
            with pytest.raises(PolicyError, match="LC0402"):
                one.matcher(vocabulary)
            return
        check_walk(one.matcher(vocabulary), judge, draw)


def check_walk(matcher: SurfaceMatcher, judge: Judge, draw: random.Random) -> None:
    """Compares masks along a walk."""
    vocabulary = matcher.vocabulary
    assert vocabulary is not None
    node = judge.start
    for _ in range(10):
        mask = matcher.mask()
        expected = judge.allowed(node, vocabulary)
        found = [token for token in np.flatnonzero(mask).tolist() if token not in vocabulary.eos_ids]
        different = sorted(set(found) ^ set(expected))
        assert [vocabulary.tokens[token] for token in different] == []
        assert matcher.accepting == judge.may_end(node)
        assert all(mask[end] == judge.may_end(node) for end in vocabulary.eos_ids)
        if not found:
            return
        token = draw.choice(found)
        assert matcher.advance(token)
        following = judge.run(node, vocabulary.tokens[token])
        assert following is not None
        node = following


# --- a surface whose texts are spelled out ---

PICK = """
surface pick (word = pattern /[a-z]+/, start = text) {
    sort Table;
    sort Column of Table;
    env db;

    text := "(" t=ref(Table) "." ref(Column, of t) ("," ref(Column, of t))? ")" | "[" ref(Table) "]";
}
"""
PARTS = ("a", "b", "ab", "ba", "abc", "cab", "c")
PIECES = (*PARTS, "(", ".", ",", ")", "[", "]", "(a", "a.", "b,", ".a", "])", "c)", "ab,c", "(ab.ab,")
tables_of_columns = st.dictionaries(
    st.sampled_from(PARTS), st.sets(st.sampled_from(PARTS), min_size=1), min_size=1, max_size=4
)
denials = st.builds(
    lambda characters, words: Denied(bytes(sorted(characters)), tuple(word.encode() for word in sorted(words))),
    st.frozensets(st.sampled_from(b"abc,[("), max_size=1),
    st.frozensets(st.sampled_from([*PARTS, "a.", ".b", "b)", ",", "a,b", "(c", "aa", "bc", "."]), max_size=3),
).filter(lambda policy: bool(policy.characters or policy.words))


def spelled_out(columns: dict[str, set[str]]) -> set[str]:
    """All texts of `pick`."""
    found = {f"[{table}]" for table in columns}
    for table, own in columns.items():
        found |= {f"({table}.{one})" for one in own}
        found |= {f"({table}.{one},{two})" for one, two in itertools.product(own, own)}
    return found


def pick_of(columns: dict[str, set[str]], policy: str) -> LoadedSurface:
    """`pick` over these columns, with a policy."""
    entries = [
        Entry(table, "Table", members={"Column": Group.of(Entry(c, "Column") for c in sorted(own))})
        for table, own in sorted(columns.items())
    ]
    surface = read_surfaces(Source("pick.policy", PICK))["pick"]
    return LoadedSurface(
        surface, Environment("db", {"Table": Group.of(entries)}), {}, PolicyRules(langc.parse_policy(policy))
    )


def small_vocabulary() -> Vocabulary:
    """Bytes, pieces and an end."""
    tokens = (*(bytes((byte,)) for byte in range(256)), *(piece.encode() for piece in PIECES), b"")
    return Vocabulary("toy", tokens, {len(tokens) - 1: "<end>"}, frozenset({len(tokens) - 1}))


@settings(max_examples=150)
@given(columns=tables_of_columns, policy=denials, seed=seeds)
def test_what_is_allowed_begins_a_text_of_both(columns: dict[str, set[str]], policy: Denied, seed: int) -> None:
    """Against the list of all texts, along random walks; `refused_at` says the same of whole texts."""
    texts = {text for text in spelled_out(columns) if policy.permits(text.encode())}
    one, vocabulary, draw = pick_of(columns, policy.source), small_vocabulary(), random.Random(seed)
    if not texts:
        with pytest.raises(PolicyError, match="LC0402"):
            one.matcher(vocabulary)
        return
    matcher, written = one.matcher(vocabulary), b""
    while not matcher.ended:
        found, may_end = allowed_by_texts(texts, written, vocabulary)
        expected = sorted([*found, *(vocabulary.eos_ids if may_end else ())])
        assert np.flatnonzero(matcher.mask()).tolist() == expected
        token = draw.choice(expected)
        assert matcher.advance(token)
        written += vocabulary.tokens[token]
    assert written.decode() in texts
    for text in draw.sample(sorted(spelled_out(columns)), min(3, len(spelled_out(columns)))):
        begun = [place for place in range(len(text) + 1) if any(t.startswith(text[:place]) for t in texts)]
        assert one.accepts(text) == (text in texts)
        assert one.refused_at(text) == (None if text in texts else max(begun))


# --- what a matcher promises ---

LET = """
surface lets (word = pattern /[a-z]+/, start = text, quote = '"') {
    sort Name;
    token NUMBER = pattern /[0-9]+/;
    token TEXT = pattern /'[^'\\n]*'/;
    skip SPACE = pattern / +/;
    scope All;
    keywords "let", "in";

    text := in All { let* "in" value };
    let := "let" x=fresh(Name, not Name) "=" value ";" => bind(x, Name, in = All);
    value := NUMBER | TEXT | ref(Name, in All) | "(" value ("+" value)* ")";
}
"""


def lets(policy: str) -> LoadedSurface:
    """Declarations and uses, with a policy."""
    surface = read_surfaces(Source("lets.policy", LET))["lets"]
    names = Environment("none", {"Name": Group.of_names("Name", ["zz"])})
    return LoadedSurface(surface, names, {}, PolicyRules(langc.parse_policy(policy)))


def vocabulary_of_lets(seed: int) -> Vocabulary:
    """Bytes, and tokens that cross lexemes."""
    draw = random.Random(seed)
    pieces = ("let", " ", "in", "=", ";", "x", "y", "ab", "12", "'", "a b", "(", ")", "+", "let x", "=1;", ";in", "x)")
    rows = tuple("".join(draw.choices(pieces, k=draw.randrange(1, 4))).encode() for _ in range(200))
    tokens = (*(bytes((byte,)) for byte in range(256)), *rows, b"", b"")
    return Vocabulary("toy", tokens, {len(tokens) - 2: "<pad>", len(tokens) - 1: "<end>"}, frozenset({len(tokens) - 1}))


RULES = (
    'policy p { deny phrase "ab", "x=", "12"; }',
    "policy p { only [a-nt=;()0-4'\\ ]; }",
    'policy p { deny [+]; deny phrase "  ", "let y", "(("; }',
    'policy p { deny phrase "let" ; }',
    'policy p { region q = between "<" ">" { any } deny [xy]; unclosed q: forbid; }',
    'policy p { stop on phrase "in 1"; deny [a]; }',
)


def write(matcher: SurfaceMatcher, draw: random.Random, steps: int) -> None:
    """Up to so many random tokens that the mask allows."""
    for _ in range(steps):
        ids = np.flatnonzero(matcher.mask()).tolist()
        assert ids, "a dead end"
        assert matcher.advance(draw.choice(ids))
        if matcher.ended:
            return


@settings(max_examples=30)
@given(rule=st.sampled_from(RULES), seed=seeds, steps=st.integers(0, 12))
def test_mask_allows_and_advance_agree(rule: str, seed: int, steps: int) -> None:
    """For every id; a refused token changes nothing, and everything is a function of the tokens so far."""
    matcher, draw = lets(rule).matcher(vocabulary_of_lets(seed), 480), random.Random(seed)
    write(matcher, draw, steps)
    before, mask = matcher.ids, matcher.mask()
    bitmask = allocate_token_bitmask(1, matcher.rows)
    matcher.fill_token_bitmask(bitmask)
    assert unpack(bitmask[0], matcher.rows).tolist() == mask.tolist()
    if matcher.ended:
        return
    for token in range(matcher.rows):
        trial = matcher.fork()
        assert matcher.allows(token) == mask[token] == trial.advance(token)
        assert trial.ids == ((*before, token) if mask[token] else before)
    assert mask[[*matcher.tables.eos_ids]].all() == matcher.accepting
    fork, count = matcher.fork(), draw.randint(0, len(before))
    matcher.rollback(count)
    write(matcher, draw, 2)
    assert fork.mask().tolist() == mask.tolist()
    assert matcher.sync(before)
    assert matcher.mask().tolist() == mask.tolist()


@settings(max_examples=30)
@given(rule=st.sampled_from(RULES), seed=seeds, more=st.integers(0, 8))
def test_a_budget_is_kept_and_texts_are_of_both(rule: str, seed: int, more: int) -> None:
    """Whatever is sampled comes to an end in time, and obeys the policy and the surface, each by itself."""
    one, vocabulary, draw = lets(rule), vocabulary_of_lets(seed), random.Random(seed)
    matcher = one.matcher(vocabulary)
    budget = matcher._ahead.least(matcher._states[0]) + more
    matcher = one.matcher(vocabulary, max_tokens=budget)
    while not matcher.ended:
        ids = [t for t in np.flatnonzero(matcher.mask()).tolist() if t not in vocabulary.eos_ids]
        assert matcher.advance(draw.choice(ids) if ids else min(vocabulary.eos_ids))
    assert len(matcher.ids) - 1 <= budget
    text = b"".join(vocabulary.tokens[token] for token in matcher.ids).decode()
    assert LoadedSurface(one.surface, one.environment, {}).accepts(text)
    assert langc.parse_policy(rule).accepts(text)
    assert one.accepts(text)


@settings(max_examples=20)
@given(rule=st.sampled_from(RULES), seed=seeds)
def test_forced_bytes_are_those_without_a_choice(rule: str, seed: int) -> None:
    """Against trying all bytes over a vocabulary of bytes."""
    one, draw = lets(rule), random.Random(seed)
    vocabulary = Vocabulary("bytes", (*(bytes((byte,)) for byte in range(256)), b""), {256: "<end>"}, frozenset({256}))
    matcher = one.matcher(vocabulary)
    for _ in range(10):
        trial, forced = matcher.fork(), bytearray()
        while len(ids := np.flatnonzero(trial.mask()).tolist()) == 1 and ids[0] < 256 and len(forced) < 40:
            forced += bytes(ids)
            trial.advance(ids[0])
        assert matcher.forced().data == bytes(forced) or len(forced) == 40
        matcher.advance(draw.choice(np.flatnonzero(matcher.mask()).tolist()))
        if matcher.ended:
            return


def test_costs_and_stop_before_are_those_of_the_policy() -> None:
    """A discouraged word costs where the surface lets it stand; end-of-sequence gets what a stop phrase loses."""
    vocabulary = vocabulary_of_lets(1)
    costly = lets('policy p { discourage phrase "12" by 3; deny [x]; }').matcher(vocabulary)
    for byte in b"in 1":
        assert costly.advance(byte)
    assert costly.bias()[ord("2")] == -3
    assert costly.bias()[ord("3")] == 0
    assert costly.bias()[ord("x")] == -np.inf
    stopped = lets('policy p { stop before phrase "12"; }').matcher(vocabulary)
    for byte in b"in 1":
        assert stopped.advance(byte)
    assert ord("2") in stopped.stopping()
    logits = np.zeros(stopped.rows, dtype=np.float32)
    logits[ord("2")] = 7
    stopped.raise_end(logits)
    assert logits[max(vocabulary.eos_ids)] == 7
    assert all(b"12" in b"1" + vocabulary.tokens[token] for token in stopped.stopping())


def test_nothing_in_common() -> None:
    """LC0402, with both names."""
    with pytest.raises(PolicyError, match="LC0402") as caught:
        lets("policy strict { deny [i]; }").matcher(vocabulary_of_lets(1))
    assert "lets" in caught.value.diagnostics[0].message
    assert "strict" in caught.value.diagnostics[0].message


def test_a_dead_end_behind_a_token_that_was_not_looked_at() -> None:
    """It is said, or the text ends; that takes a sample in which all tokens live."""
    columns = {name: {"c"} for name in ("a", "b", "ab", "ba", "abc")} | {"cab": {"b"}}
    one = pick_of(columns, 'policy p { deny phrase "."; deny phrase "cab"; }')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JointTables, "_dead", lambda *_: [])
        matcher = one.matcher(small_vocabulary())
        for byte in b"(abc":
            assert matcher.advance(byte)
        with pytest.raises(DeadEndError, match="LC0660"):
            matcher.mask()
        ending = one.matcher(small_vocabulary(), on_dead_end="stop")
        assert ending.sync(b"(abc")
        assert np.flatnonzero(ending.mask()).tolist() == [*small_vocabulary().eos_ids]
        assert ending.advance(min(small_vocabulary().eos_ids))
        assert ending.ended
