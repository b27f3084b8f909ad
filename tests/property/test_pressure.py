"""Pressure at one step, against sums over dictionaries in decimals of sixty digits."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from langc.compiler.tokens.pressure.measure import measure
from langc.compiler.tokens.pressure.pressure import Pressure

DIGITS = 60
NEVER = -math.inf

finite = st.floats(-60, 60, width=32) | st.sampled_from([0.0, 1.0, -700.0, 700.0, 5.5, -1e-7])
logits = st.lists(finite | st.just(NEVER), min_size=1, max_size=9)
hard = st.sampled_from([0.0, NEVER])
soft = st.sampled_from([0.0, NEVER, -0.001, -5.0, -60.0]) | st.floats(-20, 0, width=32)


def softmax(row: dict[int, float], bias: dict[int, float] | None = None) -> dict[int, Decimal]:
    """Probabilities by the definition."""
    added = {i: 0.0 if bias is None else bias[i] for i in row}
    weights = {
        i: (Decimal(z) + Decimal(added[i])).exp() if min(z, added[i]) > NEVER else Decimal(0) for i, z in row.items()
    }
    total = sum(weights.values())
    return {i: w / total for i, w in weights.items()}


def distance(row: dict[int, float], bias: dict[int, float]) -> Decimal:
    """Half the sum of what differs between both softmaxes."""
    before, after = softmax(row), softmax(row, bias)
    return sum((abs(before[i] - after[i]) for i in row), Decimal(0)) / 2


def both(data: st.DataObject, biases: st.SearchStrategy[float]) -> tuple[dict[int, float], dict[int, float]]:
    """Logits and a bias under which something can be written."""
    row = dict(enumerate(data.draw(logits)))
    bias = {i: data.draw(biases) for i in row}
    assume(any(row[i] + bias[i] > NEVER for i in row))
    return row, bias


def close(found: float, expected: Decimal) -> bool:
    """To eleven digits, down to the smallest numbers."""
    return math.isclose(found, float(expected), rel_tol=1e-11, abs_tol=1e-300)


@given(st.data())
def test_a_hard_mask_takes_what_the_masked_tokens_have(data: st.DataObject) -> None:
    """The total variation distance is the masked probability: both are computed, and the mass is that."""
    row, bias = both(data, hard)
    with localcontext(prec=DIGITS):
        masked = sum((p for i, p in softmax(row).items() if bias[i] == NEVER), Decimal(0))
        moved = distance(row, bias)
        assert abs(masked - moved) < Decimal(10) ** -50

    assert close(measure(list(row.values()), list(bias.values())).mass, masked)


@given(st.data())
def test_a_soft_bias_takes_the_distance(data: st.DataObject) -> None:
    """Between the softmax before and after, to nine digits, down to what sixty digits tell apart."""
    row, bias = both(data, soft)
    with localcontext(prec=DIGITS):
        expected = distance(row, bias)

    found = measure(list(row.values()), list(bias.values())).mass
    assert math.isclose(found, float(expected), rel_tol=1e-9, abs_tol=1e-45)
    assert 0 <= found <= 1


@given(st.data())
def test_candidates(data: st.DataObject) -> None:
    """The most probable lowered token, and the most probable one under the bias, with their places before it."""
    row, bias = both(data, soft)
    step = measure(list(row.values()), list(bias.values()))
    after = {i: z + bias[i] for i, z in row.items()}
    best = max(row, key=lambda i: (after[i], row[i], -i))
    lowered = max((i for i in row if bias[i] < 0 and row[i] > NEVER), key=lambda i: (row[i], -i), default=None)

    assert step.allowed is not None
    assert (step.allowed.token, step.allowed.rank) == (best, 1 + sum(z > row[best] for z in row.values()))
    assert (step.refused and step.refused.token) == lowered
    assert step.top_refused == (row[best] < max(row.values()))
    with localcontext(prec=DIGITS):
        assert close(step.allowed.probability, softmax(row)[best])


@given(st.data(), st.floats(-100, 100, width=16))
def test_logits_count_up_to_a_constant(data: st.DataObject, shift: float) -> None:
    """A softmax does not change when all logits do."""
    row, bias = both(data, hard)
    moved = [z + shift for z in row.values()]
    one, other = measure(list(row.values()), list(bias.values())), measure(moved, list(bias.values()))

    assert math.isclose(one.mass, other.mass, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("row", "bias"),
    [
        ([0.0, 1.0], [NEVER, NEVER]),
        ([0.0, NEVER], [NEVER, 0.0]),
        ([NEVER, NEVER], [0.0, 0.0]),
        ([math.nan, 1.0], [0.0, 0.0]),
        ([math.inf, 1.0], [0.0, 0.0]),
        ([0.0, 1.0], [math.nan, 0.0]),
        ([0.0, 1.0], [0.5, 0.0]),
        ([0.0, 1.0], [0.0]),
        ([], []),
    ],
)
def test_what_cannot_be_measured(row: list[float], bias: list[float]) -> None:
    """An error, and nothing is recorded."""
    pressure = Pressure()
    with pytest.raises(ValueError, match=r"bias|logit"):
        pressure.observe(row, bias)

    assert pressure.report.steps == 0


def test_a_mass_below_every_rounding() -> None:
    """Two tokens of which the refused one has e^-60; and one of which the allowed one has it."""
    rare = math.exp(-60) / (1 + math.exp(-60))

    assert measure([0.0, -60.0], [0.0, NEVER]).mass == pytest.approx(rare, rel=1e-14)
    assert measure([0.0, -60.0], [NEVER, 0.0]).mass == 1.0
    assert measure([0.0, -60.0], [0.0, -1e-12]).mass == pytest.approx(rare * 1e-12, rel=1e-9)


rows = st.lists(st.tuples(st.lists(st.integers(-3, 3), min_size=3, max_size=3), st.integers(0, 6)), max_size=12)


def collected(steps: list[Any], worst: int = 3) -> Pressure:
    """The steps, each a row of logits and a mask of which one token at least is allowed."""
    pressure = Pressure(worst=worst)
    for row, mask in steps:
        pressure.observe(row, [NEVER if mask >> i & 1 else 0.0 for i in range(3)])
    return pressure


@given(rows, rows)
def test_reports_add_up(one: list[Any], other: list[Any]) -> None:
    """A sum is the report on all steps, but for where a step stands in its own text."""
    added, whole = collected(one).report + collected(other).report, collected(one + other).report

    assert (added.steps, added.top_refused, added.heavy) == (whole.steps, whole.top_refused, whole.heavy)
    assert added.taken == pytest.approx(whole.taken)
    assert [(p.mass, p.refused) for p in added.worst] == [(p.mass, p.refused) for p in whole.worst]


@given(rows)
def test_the_worst_are_the_largest(steps: list[Any]) -> None:
    """As sorting all of them finds them; steps that take nothing are not among them."""
    masses = [measure(row, [NEVER if m >> i & 1 else 0.0 for i in range(3)]).mass for row, m in steps]
    report = collected(steps).report

    assert [p.mass for p in report.worst] == sorted((m for m in masses if m > 0), reverse=True)[:3]
    assert report.mean == pytest.approx(np.mean(masses) if masses else 0.0)
    assert report.heavy == sum(m > 0.5 for m in masses)
    assert collected(steps, worst=0).report.worst == ()
