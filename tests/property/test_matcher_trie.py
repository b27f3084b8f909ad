"""The trie walk against reading every token by itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.tokens.trie import TokenTrie

tokens = st.dictionaries(
    st.integers(0, 1000), st.binary(max_size=6) | st.text("ab", max_size=6).map(str.encode), max_size=30
)


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """int32 [S, 256]: random steps, many of them dead; state 0 is dead throughout."""
    states = draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    table = rng.integers(0, states, (states, 256), dtype=np.int32)
    table[rng.random((states, 256)) < draw(st.sampled_from([0.0, 0.3, 0.9]))] = 0
    table[0] = 0
    return table


@given(tokens, tables(), st.data())
def test_walk(
    drawn: dict[int, bytes], table: np.ndarray[tuple[int, int], np.dtype[np.int32]], data: st.DataObject
) -> None:
    """The same tokens with the same ends, each once."""
    state = data.draw(st.integers(1, len(table) - 1))
    expected = {}
    for token, spelled in drawn.items():
        end = state
        for byte in spelled:
            end = int(table[end, byte])
        if spelled and end:
            expected[token] = end
    ids, ends = TokenTrie.build(drawn).walk(table, state)

    assert len(ids) == len(set(ids.tolist()))
    assert dict(zip(ids.tolist(), ends.tolist(), strict=True)) == expected


@given(tokens)
def test_shape(drawn: dict[int, bytes]) -> None:
    """One node a distinct prefix, in level order; every token is found again."""
    trie = TokenTrie.build(drawn)
    prefixes = {b[:n] for b in drawn.values() for n in range(len(b) + 1)} | {b""}

    assert [spelling(trie, n) for n in range(len(trie.byte))] == sorted(prefixes, key=lambda b: (len(b), b))
    assert {i: trie.token_bytes(i) for i in drawn} == drawn
    assert sorted(trie.ids.tolist()) == sorted(i for i, b in drawn.items() if b)


def spelling(trie: TokenTrie, node: int) -> bytes:
    """The string of a node, by its parents."""
    return b"" if node == 0 else spelling(trie, int(trie.parent[node])) + bytes([trie.byte[node]])
