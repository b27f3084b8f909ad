"""States whose rows are made of another state's, against the rows of the whole automaton: however little is kept."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.errors import PolicyError
from langc.compiler.policy import Policy
from langc.compiler.tokens.choose import phrase_tables
from langc.compiler.tokens.logits import near_rows
from langc.compiler.tokens.logits.bitmask import unpack
from langc.compiler.tokens.logits.near_rows import compared
from langc.compiler.tokens.machine import DeadEndError, TokenMachine
from langc.compiler.tokens.tables import build_tables
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.property.test_phrase_tables import taken_apart, worlds

pytestmark = pytest.mark.slow

BITS = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32, torch.float64: torch.int64}
NUMBERS = (0.0, -0.0, 1.5, -2.25, 60_000.0, float("inf"), float("-inf"), float("nan"))
STATES = 24
PADDING = 3


@settings(max_examples=150, deadline=None)
@given(worlds(), st.sampled_from([0, 1, near_rows.FEW]), st.sampled_from([1, 700, 1 << 24]))
def test_rows_and_logits(world: tuple[Policy, Vocabulary], few: int, budget: int) -> None:
    """Masks, bits, biases and logits of all formats of the first states, in one batch and alone, twice."""
    policy, vocabulary = world
    rows = vocabulary.size + PADDING
    try:
        expected = TokenMachine(build_tables(policy, vocabulary), rows)
    except PolicyError:
        return
    actual = TokenMachine(phrase_tables(taken_apart(policy), vocabulary), rows)
    assert actual._near is not None
    for kept in (actual.packed, actual.masks, actual.costs, actual._near, actual.applier._steps):
        kept._budget = kept._noted = budget
    with mock.patch.object(near_rows, "FEW", few):
        found = reached(actual, expected, vocabulary)
        for order in (found, found[::-1]) if found else ():
            check([state for state, _ in order], [bias for _, bias in order], actual)


def reached(actual: TokenMachine, expected: TokenMachine, vocabulary: Vocabulary) -> list[tuple[int, np.ndarray]]:
    """The first states that texts lead to but for dead ends, and their biases as the whole automaton has them."""
    found: dict[int, np.ndarray] = {}
    waiting = [(actual.start, expected.start)]
    while waiting and len(found) < STATES:
        mine, theirs = waiting.pop(0)
        if mine in found:
            continue
        try:
            found[mine] = expected.bias(theirs)
        except DeadEndError:
            with pytest.raises(DeadEndError):
                actual.applier.apply(np.zeros(actual.rows, dtype=np.float32), mine)
            continue
        going = [t for t in np.flatnonzero(found[mine] == 0).tolist() if t not in vocabulary.eos_ids]
        waiting += [(actual.follow(mine, t), expected.follow(theirs, t)) for t in going]
    return list(found.items())


def check(states: list[int], biases: list[np.ndarray], machine: TokenMachine) -> None:
    """Bit for bit."""
    for state, bias in zip(states, biases, strict=True):
        assert np.array_equal(machine.masks[state], bias == 0)
        assert np.array_equal(unpack(machine.packed[state], machine.rows), bias == 0)
        assert np.array_equal(machine.bias(state), bias)
    added = torch.from_numpy(np.stack(biases))
    odd = np.resize(np.array(NUMBERS), added.shape)
    for dtype, integers in BITS.items():
        before = torch.from_numpy(odd).to(dtype)
        sums = before + added.to(dtype)
        after = torch.where(added == 0, before, sums.masked_fill(added != 0, float("-inf")))
        logits = before.clone()
        assert torch.equal(machine.applier.applied(logits, states).view(integers), after.view(integers))
        assert torch.equal(logits.view(integers), before.view(integers))
        for row, state in zip(logits, states, strict=True):
            machine.applier.apply(row, state)
        assert torch.equal(logits.view(integers), after.view(integers))
    for name in ("float32", "float64"):  # the way that is taken most often
        one = odd[0].astype(name)
        machine.applier.apply(one, states[0])
        assert one.tobytes() == np.where(biases[0] == 0, odd[0].astype(name), -np.inf).astype(name).tobytes()


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20), st.integers(0, 5))
def test_what_is_near(flags: list[tuple[bool, bool]], few: int) -> None:
    """A mask that has a token which the other one has not is never made of it."""
    row, others = np.array(flags).T
    with mock.patch.object(near_rows, "FEW", few):
        near = compared(7, row, 3, others)

    differ = [token for token, (mine, theirs) in enumerate(flags) if mine != theirs]
    if near.state == 3:
        assert near.refused.tolist() == differ
        assert all(theirs for mine, theirs in flags if mine != theirs)
    else:
        assert len(differ) > few or any(mine and not theirs for mine, theirs in flags)
        assert near.refused.size == 0
