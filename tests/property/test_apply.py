"""Logits under a state, whatever their library, format, shape and memory, against adding the bias number by number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.errors import UnsupportedTokenizerError
from langc.compiler.tokens.logits import apply, batch, half_costs, refusal
from langc.compiler.tokens.logits.apply import Applier
from tests.examples import examples

Bias = npt.NDArray[np.float32]
NUMPY = ("float16", "float32", "float64")
TORCH = ("float16", "bfloat16", "float32", "float64")
NUMBERS = (0.0, -0.0, 1.5, -2.25, 1e-7, 60_000.0, -60_000.0, float("inf"), float("-inf"), float("nan"), -float("nan"))
SIZES = (1, 5, 40, 70)
SHARES = (1, 1 << 20)
"""Bytes of a thread's share: a row or two, or the whole batch."""


@dataclass(frozen=True)
class Case:
    """Rows by state, one state a row of the logits (or one for all), and how the logits lie in memory."""

    biases: list[Bias]
    states: int | list[int]
    shape: tuple[int, ...]
    stride: int

    @property
    def applier(self) -> Applier:
        """Over the rows."""
        masks = [bias > -np.inf for bias in self.biases]
        return Applier(len(self.biases[0]), masks.__getitem__, self.biases.__getitem__)

    def row_of(self, index: tuple[int, ...]) -> Bias:
        """The bias of one row of the logits."""
        return self.biases[self.states if isinstance(self.states, int) else self.states[index[0]]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Rows of every density, hard and soft."""
    rows = draw(st.sampled_from(SIZES))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    biases = []
    for _ in range(draw(st.integers(1, 3))):
        refused = rng.random(rows) < draw(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
        costs = rng.choice(
            [0.0, -0.5, -7.0, -100_000.0], rows, p=draw(st.sampled_from([(1, 0, 0, 0), (0.4, 0.2, 0.2, 0.2)]))
        )
        biases.append(np.where(refused, -np.inf, costs).astype(np.float32))
    width = rows + draw(st.sampled_from([0, 0, 1, 9]))
    one = st.integers(0, len(biases) - 1)
    batch = draw(st.none() | st.integers(1, 9))
    if batch is None:
        return Case(biases, draw(one), (width,), draw(st.sampled_from([1, 2])))
    states = draw(one | st.lists(one, min_size=batch, max_size=batch))
    return Case(biases, states, (batch, width), draw(st.sampled_from([1, 2])))


def logits_for(case: Case, seed: int) -> npt.NDArray[np.float64]:
    """Ordinary numbers, and those that a sum or a comparison is likely to get wrong."""
    rng = np.random.default_rng(seed)
    found = rng.normal(0, 10, case.shape)
    odd = rng.random(case.shape) < 0.3
    found[odd] = rng.choice(NUMBERS, int(odd.sum()))
    return found


def check(case: Case, before: Any, after: Any, add: Any) -> None:
    """Number by number; `add` adds in the format of the logits. Arrays are of Python's own floats where they can be."""
    for index in np.ndindex(case.shape):
        bias = case.row_of(index)
        column = index[-1]
        old, new = before[index], after[index]
        if column >= len(bias) or bias[column] == -np.inf:
            assert float(new) == float("-inf")
        else:
            expected = old if bias[column] == 0 else add(old, float(bias[column]))
            assert np.array_equal(float(new), float(expected), equal_nan=True)
            assert np.signbit(float(new)) == np.signbit(float(expected)) or np.isnan(float(new))


@settings(deadline=None, max_examples=examples(200))
@given(
    cases(),
    st.sampled_from(NUMPY),
    st.sampled_from([0, 3, 10**6]),
    st.sampled_from([1, 16]),
    st.integers(0, 2**32),
    st.integers(1, 3),
    st.sampled_from(SHARES),
)
@pytest.mark.filterwarnings("error")
def test_arrays(case: Case, name: str, few: int, tables: int, seed: int, workers: int, share: int) -> None:
    """In place and as new ones, contiguous or not, in one thread or more; no warning is given for odd numbers."""
    with np.errstate(all="ignore"):
        before = logits_for(case, seed).astype(name)

    def add(old: Any, bias: float) -> Any:
        with np.errstate(all="ignore"):
            return old + before.dtype.type(bias)

    memory = np.zeros((*case.shape[:-1], case.shape[-1] * case.stride), dtype=name)
    logits = memory[..., :: case.stride]
    logits[...] = before
    with (
        mock.patch.object(refusal, "FEW", few),
        mock.patch.object(half_costs, "MOST_TABLES", tables),
        mock.patch.object(batch, "SHARE", share),
        mock.patch.object(apply, "threads", return_value=workers),
    ):
        applier = case.applier
        new = applier.applied(logits, case.states)
        assert logits.tobytes() == before.tobytes()
        assert applier.apply(logits, case.states) is logits

    assert new.dtype == logits.dtype
    assert new.shape == logits.shape
    check(case, before, new, add)
    check(case, before, logits, add)
    assert not memory[..., 1 :: case.stride].any() or case.stride == 1


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 2), min_size=3, max_size=12), st.sampled_from(NUMPY), st.integers(0, 2**32))
def test_rows_of_few_tokens_between_others(states: list[int], name: str, seed: int) -> None:
    """Two threads pass over them with their neighbours' step, and write them anew."""
    densities = np.array([[0.5], [0.05], [0.6]])
    allowed = np.random.default_rng(seed).random((3, 70)) < densities
    case = Case([np.where(row, 0, -np.inf).astype(np.float32) for row in allowed], states, (len(states), 70), 1)
    with np.errstate(all="ignore"):
        before = logits_for(case, seed).astype(name)
    with mock.patch.object(refusal, "FEW", 12), mock.patch.object(apply, "threads", return_value=2):
        check(case, before, case.applier.applied(before, states), np.add)
        check(case, before.copy(), case.applier.apply(before, states), np.add)


@settings(deadline=None, max_examples=examples(200))
@given(
    cases(),
    st.sampled_from(TORCH),
    st.sampled_from([0, 3, 10**6]),
    st.integers(0, 2),
    st.integers(0, 2**32),
    st.sampled_from(SHARES),
)
def test_tensors(case: Case, name: str, few: int, workers: int, seed: int, share: int) -> None:
    """On the CPU by way of its memory, in one thread or more, and as on another device."""
    dtype = getattr(torch, name)
    before = torch.from_numpy(logits_for(case, seed)).to(dtype)
    memory = torch.zeros((*case.shape[:-1], case.shape[-1] * case.stride), dtype=dtype)
    logits = memory[..., :: case.stride]
    logits.copy_(before)
    with (
        mock.patch.object(refusal, "FEW", few),
        mock.patch.object(batch, "SHARE", share),
        mock.patch.object(apply, "threads", return_value=workers),
    ):
        applier = case.applier
        if workers == 0:  # there is no other device here
            new = torch.empty_like(logits)
            applier._apply_on_device(logits, new, case.states)
            applier._apply_on_device(logits, logits, case.states)
        else:
            new = applier.applied(logits, case.states)
            assert torch.equal(logits.nan_to_num(7), before.nan_to_num(7))
            assert applier.apply(logits, case.states) is logits

    def add(old: Any, bias: float) -> Any:
        return old + torch.tensor(bias, dtype=dtype)

    assert new.dtype == dtype
    check(case, before, new, add)
    check(case, before, logits, add)
    assert case.stride == 1 or not memory[..., 1 :: case.stride].any()


@given(st.lists(st.booleans(), max_size=60), st.booleans(), st.integers(1, 3))
def test_places_of_rare_flags(flags: list[bool], value: bool, stride: int) -> None:
    """Eight at a time, and the rest."""
    spread = np.repeat(np.array(flags, dtype=np.bool_), stride)[::stride]

    assert refusal._places(np.ascontiguousarray(spread), value).tolist() == [
        i for i, f in enumerate(flags) if f == value
    ]


ODD = {
    "float32": (np.uint32, (0x7FC12345, 0xFFC54321, 0x80000000, 0xFF800000, 0x7F800000)),
    "float16": (np.uint16, (0x7E12, 0xFE34, 0x8000, 0xFC00, 0x7C00)),
    "bfloat16": (np.uint16, (0x7FC1, 0xFFC2, 0x8000, 0xFF80, 0x7F80)),
}
"""The bits of two NaN, the second of negative sign; of −0, −∞ and +∞."""


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("few", [0, 5, 10])
@pytest.mark.parametrize("size", [1, 2])
def test_odd_numbers(name: str, few: int, size: int) -> None:
    """Allowed, all stays as it is; refused, even a NaN of negative sign goes: in every way of refusing."""
    kind, odd = ODD[name]
    bits = np.tile(np.array(odd * 2, dtype=kind), (size, 1))
    signed = torch.from_numpy(bits.view(np.int16 if bits.itemsize == 2 else np.int32))
    with mock.patch.object(refusal, "FEW", few):
        Applier(10, lambda _: np.arange(10) < 5).apply(signed.view(getattr(torch, name)), 0)
    for row in bits:
        assert torch.from_numpy(row[:2].view(signed.numpy().dtype)).view(getattr(torch, name)).isnan().all()
        assert row[2:].tolist() == [*odd[2:], *[odd[3]] * 5]


def test_nothing_is_written_at_a_dead_end() -> None:
    """A batch is refused as a whole."""

    def mask(state: int) -> npt.NDArray[np.bool_]:
        if state == 1:
            raise RuntimeError("dead end")
        return np.array([False])

    logits = np.ones((2, 1), dtype=np.float32)
    with pytest.raises(RuntimeError, match="dead end"), mock.patch.object(batch, "SHARE", 1):
        Applier(1, mask).apply(logits, [0, 1])

    assert logits.tolist() == [[1], [1]]


def test_what_is_no_row_of_logits() -> None:
    """Said before anything is written."""
    applier = Applier(3, lambda _: np.ones(3, dtype=np.bool_))
    for bad in (
        [0.0] * 3,
        np.zeros(3, np.int32),
        np.zeros(3, ">f4"),
        torch.zeros(3, dtype=torch.int64),
        np.zeros(3, "c8"),
    ):
        for call in (applier.apply, applier.applied):
            with pytest.raises(TypeError, match="logits are"):
                call(bad, 0)
    for shape, states in (((1, 1, 3), 0), ((), 0), ((3,), [0]), ((2, 3), [0]), ((2, 3), [])):
        with pytest.raises(ValueError, match="logits"):
            applier.apply(np.zeros(shape, np.float32), states)
    with pytest.raises(UnsupportedTokenizerError, match="LC0650"):
        applier.apply(np.zeros(2, np.float32), 0)
