"""The trie walk against reading every token by itself."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.tokens import trie
from langc.compiler.tokens.trie import TokenTrie

tokens = st.dictionaries(
    st.integers(0, 1000),
    st.binary(max_size=6) | st.text("ab", max_size=6).map(str.encode) | st.text("\x00a", max_size=20).map(str.encode),
    max_size=30,
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


@given(tokens, tables(), st.sampled_from([-1, 2, 10**6]), st.data())
def test_walk(
    drawn: dict[int, bytes], table: np.ndarray[tuple[int, int], np.dtype[np.int32]], crowd: int, data: st.DataObject
) -> None:
    """The same tokens with the same ends, each once: node by node, by whole levels, and first one, then the other."""
    state = data.draw(st.integers(1, len(table) - 1))
    expected = {}
    for token, spelled in drawn.items():
        end = state
        for byte in spelled:
            end = int(table[end, byte])
        if spelled and end:
            expected[token] = end
    with mock.patch.object(trie, "_CROWD", crowd):
        ids, ends = TokenTrie.build(drawn).walk(table, state)

    assert len(ids) == len(set(ids.tolist()))
    assert dict(zip(ids.tolist(), ends.tolist(), strict=True)) == expected


@given(tokens, tables(), st.sampled_from([-1, 2, 10**6]), st.data())
def test_walks_together(
    drawn: dict[int, bytes], table: np.ndarray[tuple[int, int], np.dtype[np.int32]], crowd: int, data: st.DataObject
) -> None:
    """As one by one, in the same order; the same state twice too."""
    states = data.draw(st.lists(st.integers(1, len(table) - 1), min_size=1, max_size=6))
    built = TokenTrie.build(drawn)
    with mock.patch.object(trie, "_CROWD", crowd):
        together = built.walks(table, states)
        alone = [built.walk(table, state) for state in states]

    assert [[a.tolist() for a in pair] for pair in together] == [[a.tolist() for a in pair] for pair in alone]


@given(st.lists(st.binary(max_size=6) | st.text("ab", max_size=12).map(str.encode), max_size=20))
def test_a_sequence_is_a_mapping_of_its_places(drawn: list[bytes]) -> None:
    """The same arrays, and the same bytes of every id."""
    listed, mapped = TokenTrie.build(drawn), TokenTrie.build(dict(enumerate(drawn)))

    for name in ("byte", "parent", "first_child", "first_id", "ids", "node_of"):
        assert getattr(listed, name).tolist() == getattr(mapped, name).tolist()
    assert [listed.token_bytes(i) for i in range(-2, 25)] == [mapped.token_bytes(i) for i in range(-2, 25)]


@given(tokens)
def test_shape(drawn: dict[int, bytes]) -> None:
    """One node a distinct prefix, in level order; every token is found again."""
    built = TokenTrie.build(drawn)
    prefixes = {b[:n] for b in drawn.values() for n in range(len(b) + 1)} | {b""}

    assert [spelling(built, n) for n in range(len(built.byte))] == sorted(prefixes, key=lambda b: (len(b), b))
    assert {i: built.token_bytes(i) for i in drawn} == drawn
    assert sorted(built.ids.tolist()) == sorted(i for i, b in drawn.items() if b)


def spelling(built: TokenTrie, node: int) -> bytes:
    """The string of a node, by its parents."""
    return b"" if node == 0 else spelling(built, int(built.parent[node])) + bytes([built.byte[node]])
