"""Packed masks against reading bit by bit, and xgrammar's own functions on the same words."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.tokens.logits.bitmask import allocate_token_bitmask, apply_token_bitmask, fill, pack, unpack
from langc.compiler.tokens.matcher import Matcher
from tests.unit.tokens.toys import BYTES_AND_EOS

rows_of_flags = st.integers(1, 70).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=4)
)
WORD = 32


def allowed(words: list[int], token: int) -> bool:
    """What a bitmask says of a token."""
    return bool(words[token // WORD] >> token % WORD & 1)


@given(st.lists(st.booleans(), min_size=1, max_size=100))
def test_words(flags: list[bool]) -> None:
    """Bit i of word w is token 32 w + i, and there are no others."""
    words = pack(np.array(flags))

    assert words.dtype == np.int32
    assert [allowed(words.tolist(), token) for token in range(len(words) * WORD)] == flags + [False] * (
        -len(flags) % WORD
    )
    assert unpack(words, len(flags)).tolist() == flags


@settings(deadline=None)
@given(rows_of_flags, st.integers(0, 40), st.sampled_from(["float16", "float32", "float64"]), st.booleans(), st.data())
def test_applied(flags: list[list[bool]], more: int, name: str, as_tensor: bool, data: st.DataObject) -> None:
    """Rows that are not named, and allowed logits, stay; what lies beyond the bitmask is refused."""
    batch, rows = len(flags), len(flags[0])
    indices = data.draw(st.none() | st.lists(st.integers(0, batch - 1), unique=True))
    bitmask = allocate_token_bitmask(batch, rows)
    for index, row in enumerate(flags):
        fill(bitmask, index, pack(np.array(row)))
    logits = np.random.default_rng(5).normal(size=(batch, rows + more)).astype(name)
    before = logits.tolist()
    if as_tensor:
        apply_token_bitmask(torch.from_numpy(logits), torch.from_numpy(bitmask), indices)
    else:
        apply_token_bitmask(logits, bitmask, indices)

    for index, (row, old, new) in enumerate(zip(flags, before, logits.tolist(), strict=True)):
        chosen = indices is None or index in indices
        kept = [not chosen or (at < rows and row[at]) for at in range(rows + more)]
        assert new == [value if keep else float("-inf") for value, keep in zip(old, kept, strict=True)]


def test_bfloat16() -> None:
    """Numpy has no such numbers."""
    logits = torch.tensor([1.0, float("nan"), float("nan"), -0.0], dtype=torch.bfloat16)
    apply_token_bitmask(logits, np.array([[0b1010]], dtype=np.int32))

    assert [str(value) for value in logits.tolist()] == ["-inf", "nan", "-inf", "-0.0"]


def test_a_matcher_fills_its_row() -> None:
    """The others stay; a longer row is filled up with zeros."""
    matcher = Matcher("ko", BYTES_AND_EOS, rows=300)
    matcher.advance(0xEC)
    bitmask = allocate_token_bitmask(3, 400)
    matcher.fill_token_bitmask(bitmask, 1)

    assert [allowed(bitmask[1].tolist(), token) for token in range(13 * WORD)] == matcher.mask().tolist() + [
        False
    ] * 116
    assert bitmask[[0, 2]].tolist() == [[-1] * 13] * 2


def test_what_does_not_fit() -> None:
    """Said, and nothing is read or written beside an array."""
    words, logits = pack(np.ones(40, dtype=np.bool_)), np.zeros((2, 40), dtype=np.float32)
    with pytest.raises(ValueError, match="too narrow"):
        fill(allocate_token_bitmask(1, 32), 0, words)
    with pytest.raises(IndexError):
        fill(allocate_token_bitmask(1, 40), 1, words)
    for bad in (words, words[None].astype(np.int64), [[1]]):
        with pytest.raises(TypeError, match="a bitmask is"):
            fill(bad, 0, words)
    with pytest.raises(ValueError, match="does not fit"):
        apply_token_bitmask(logits, words[None])


@pytest.mark.engines
@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 3))
def test_xgrammar_reads_the_same(seed: int, batch: int, words: int) -> None:
    """Of whole words: with a width between them its kernel writes behind the rows of a batch (seen in 0.2.9)."""
    import xgrammar

    flags = (np.random.default_rng(seed).random((batch, words * WORD)) < 0.5).tolist()
    ours, rows = allocate_token_bitmask(len(flags), len(flags[0])), len(flags[0])
    theirs = xgrammar.allocate_token_bitmask(len(flags), rows)
    assert ours.shape == tuple(theirs.shape)
    for index, row in enumerate(flags):
        fill(ours, index, pack(np.array(row)))
        fill(theirs, index, pack(np.array(row)))
    left, right = torch.ones(len(flags), rows), torch.ones(len(flags), rows)
    xgrammar.apply_token_bitmask_inplace(left, torch.from_numpy(ours))
    apply_token_bitmask(right, theirs)

    assert left.tolist() == right.tolist()
