"""Hypothesis strategies for languages, texts, byte strings, policies and vocabularies.

Everything is drawn over one small pool of characters of each encoded length, so that draws meet.
"""

from __future__ import annotations

from hypothesis import strategies as st

from langc.compiler.errors import PolicyError
from langc.compiler.ir.language import (
    ANY_TEXT,
    EMPTY,
    FAIL,
    Language,
    Member,
    alternation,
    class_,
    complement,
    concat,
    cover,
    intersection,
    joined,
    json_string,
    literal,
    repetition,
)
from langc.compiler.ir.lower import denote
from langc.compiler.ir.nodes import PolicyIR, Rule, RuleKind
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from tests.oracle.residual import Referee
from tests.oracle.worlds import MALFORMED

POOL = "ab\x00\x7f\x80é\u07ff\u0800中西\ud7ff가\ue000\uffff\U00010000😀\U0010ffff"

characters = st.sampled_from(POOL)
texts = st.text(characters, max_size=8)
byte_strings = st.lists(st.one_of(characters.map(str.encode), st.sampled_from(MALFORMED)), max_size=6).map(b"".join)


def _range_of(pair: tuple[str, str]) -> IntervalSet:
    low, high = sorted(map(ord, pair))
    return IntervalSet.of((low, high)) & SCALARS


sets: st.SearchStrategy[IntervalSet] = st.one_of(
    st.text(characters, max_size=4).map(IntervalSet.of),
    st.tuples(characters, characters).map(_range_of),
    st.text(characters, max_size=4).map(lambda s: IntervalSet.of(s).complement()),
)

_words = st.one_of(
    st.text(characters, min_size=2, max_size=4),
    st.text("ab中", min_size=2, max_size=5),  # these overlap, and hold one another
)
terms = st.lists(st.one_of(_words, characters), max_size=4).map(tuple)
patterns = st.lists(st.lists(sets, min_size=1, max_size=3).map(tuple), max_size=2).map(tuple)
covers: st.SearchStrategy[Language] = st.builds(cover, sets, terms, st.one_of(st.just(()), patterns))
_atoms = st.one_of(
    st.sampled_from([EMPTY, FAIL, ANY_TEXT]), sets.map(class_), st.text(characters, max_size=3).map(literal), covers
)


@st.composite
def _repetitions(draw: st.DrawFn, parts: st.SearchStrategy[Language]) -> Language:
    least = draw(st.integers(0, 2))
    most = draw(st.one_of(st.none(), st.integers(least, 3)))
    return repetition(draw(parts), least, most)


def _extended(parts: st.SearchStrategy[Language]) -> st.SearchStrategy[Language]:
    return st.one_of(
        st.builds(concat, parts, parts),
        st.builds(alternation, parts, parts),
        st.builds(intersection, parts, parts),
        parts.map(complement),
        _repetitions(parts),
        parts.map(json_string),
        st.builds(joined, st.lists(st.builds(Member, parts, st.booleans(), st.booleans()), max_size=3), parts),
    )


languages: st.SearchStrategy[Language] = st.recursive(_atoms, _extended, max_leaves=6)


@st.composite
def texts_near(draw: st.DrawFn, language: Language) -> str:
    """A text that keeps to the language for a while, and then perhaps a few characters from anywhere."""
    referee = Referee(language)
    tree, text = referee.start, ""
    for _ in range(draw(st.integers(0, 6))):
        open_ = [c for c in dict.fromkeys((*POOL, *referee.alphabet)) if referee.alive(referee.step(tree, c))]
        if not open_:
            break
        text += draw(st.sampled_from(open_))
        tree = referee.step(tree, text[-1])
    cut = draw(st.integers(0, len(text)))
    return draw(st.sampled_from([text, text[:cut] + draw(st.text(characters, max_size=2)) + text[cut:]]))


rules: st.SearchStrategy[Rule] = st.one_of(
    st.builds(Rule, st.sampled_from([RuleKind.DENY, RuleKind.ONLY]), sets),
    st.builds(
        Rule,
        st.just(RuleKind.ALLOW),
        sets,
        st.lists(_words, max_size=4).map(tuple),
        st.one_of(st.just(()), patterns),
    ),
)


def policy_of(*rules: Rule, bias: float | None = None) -> Policy:
    """The policy that these rules make."""
    return Policy(PolicyIR("drawn", None, rules, denote(list(rules))), bias)


def policy_for(language: Language, bias: float | None = None) -> Policy:
    """A policy that denotes any language."""
    return Policy(PolicyIR("drawn", None, (), language), bias)


def _can_be_followed(policy: Policy) -> bool:
    """Whether some text is permitted; a contradiction (LC0401) has tests of its own."""
    try:
        return Referee(policy.ir.language).viable("")
    except PolicyError:
        return False


scope_policies: st.SearchStrategy[Policy] = (
    st.lists(rules, min_size=1, max_size=4).map(lambda drawn: policy_of(*drawn)).filter(_can_be_followed)
)
policies = st.one_of(languages.map(policy_for).filter(_can_be_followed), scope_policies)


@st.composite
def vocabularies(draw: st.DrawFn, text: str = POOL) -> Vocabulary:
    """Toy vocabularies that cut characters anywhere, with duplicates, special ids, holes, and no or some ends."""
    source = st.text(st.sampled_from(text), min_size=1, max_size=3).map(str.encode)
    slices = st.builds(lambda b, i, n: b[i % len(b) :][:n], source, st.integers(0, 9), st.integers(1, 5))
    tokens = draw(st.lists(st.one_of(slices, st.just(b""), st.sampled_from(MALFORMED)), min_size=1, max_size=12))
    empty = [i for i, b in enumerate(tokens) if not b]
    ends = frozenset(draw(st.lists(st.sampled_from(empty), max_size=2))) if empty else frozenset()
    named = {i: f"<{i}>" for i in empty if i in ends or draw(st.booleans())}
    return Vocabulary("drawn", tuple(tokens), named, ends)
