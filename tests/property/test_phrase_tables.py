"""Phrases beside tables, held to the tables of the whole policy: on drawn policies, vocabularies and walks."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.errors import PolicyError
from langc.compiler.ir.apart import denied_phrases, without_phrases
from langc.compiler.policy import Apart, Policy
from langc.compiler.tokens.choose import phrase_tables
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.phrases import tables as kept
from langc.compiler.tokens.tables import build_tables
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.oracle.phrases import Wanted
from tests.property.rule_worlds import (
    OTHERS,
    allow_terms,
    deny_phrases,
    escaped,
    few_characters,
    phrases,
    policy_of,
    terms,
)

pytestmark = pytest.mark.slow

STEPS = 8


def taken_apart(policy: Policy) -> Apart:
    """The policy taken apart, however few its phrases are."""
    return Apart(policy, Policy(without_phrases(policy.lowered)), denied_phrases(policy.lowered))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Policy, Vocabulary]:
    """Phrases with any options, perhaps beside denied characters and terms, and tokens made of their characters."""
    characters = draw(few_characters)
    wanted = draw(st.lists(phrases(characters), min_size=1, max_size=3))
    rules = [deny_phrases(wanted)]
    if draw(st.booleans()):
        denied = draw(st.lists(st.sampled_from(characters + OTHERS), max_size=4))
        rules += [f"deny [{escaped(''.join(denied))}];"] if denied else []
        rules.append(allow_terms(draw(st.lists(terms(characters), max_size=2))))
    return policy_of(" ".join(rules)), draw(vocabularies(characters, wanted))


@st.composite
def vocabularies(draw: st.DrawFn, characters: str, wanted: list[Wanted]) -> Vocabulary:
    """Pieces of texts with the phrases in them, cut anywhere, with all bytes or only few, and perhaps an end."""
    pieces = st.sampled_from([*characters, *OTHERS, *(w.text for w in wanted)])
    source = st.lists(pieces, min_size=1, max_size=4).map(lambda p: "".join(p).encode())
    slices = st.builds(lambda b, i, n: b[i % len(b) :][:n], source, st.integers(0, 9), st.integers(1, 9))
    tokens = draw(st.lists(slices, min_size=1, max_size=14))
    singles = sorted({bytes([b]) for c in characters + OTHERS for b in c.encode()})
    tokens += draw(st.sampled_from([[], singles, [c.encode() for c in OTHERS]]))
    ends = draw(st.sampled_from([frozenset[int](), frozenset([len(tokens)])]))
    return Vocabulary("drawn", (*tokens, b""), {len(tokens): "<eos>"}, ends)


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_masks_steps_and_ends(data: st.DataObject) -> None:
    """Along a walk every row, every step and every end is that of the whole automaton; the same are refused.

    However little is remembered: states from before everything was forgotten mean what they meant.
    """
    with mock.patch.object(kept, "STATES_KEPT", data.draw(st.sampled_from([1, 2, 5, kept.STATES_KEPT]))):
        walk(data)


def walk(data: st.DataObject) -> None:
    """One policy, one vocabulary, one text."""
    policy, vocabulary = data.draw(worlds())
    try:
        expected = TokenMachine(build_tables(policy, vocabulary), on_dead_end="stop")
    except PolicyError:
        with pytest.raises(PolicyError, match="LC0402"):
            phrase_tables(taken_apart(policy), vocabulary)
        return
    actual = TokenMachine(phrase_tables(taken_apart(policy), vocabulary), on_dead_end="stop")
    mine, theirs = actual.start, expected.start
    for _ in range(STEPS):
        row = expected.masks[theirs]
        assert np.flatnonzero(actual.masks[mine]).tolist() == np.flatnonzero(row).tolist()
        assert actual.accepts(mine) == expected.accepts(theirs)
        steps = {t: (actual.next(mine, t), expected.next(theirs, t)) for t in range(vocabulary.size)}
        assert [t for t, (a, _) in steps.items() if a is None] == [t for t, (_, e) in steps.items() if e is None]
        going = [t for t in np.flatnonzero(row).tolist() if t not in vocabulary.eos_ids]
        if not going:
            break
        mine, theirs = (state or 0 for state in steps[data.draw(st.sampled_from(going))])
