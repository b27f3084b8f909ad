"""The byte trie of a vocabulary."""

from __future__ import annotations

import numpy as np

from langc.compiler.tokens.trie import TokenTrie

TOKENS = {3: b"ab", 0: b"a", 9: b"abc", 4: b"b", 7: b"a", 5: b"", 2: b"\xff\x00"}


def test_nodes_are_numbered_level_by_level() -> None:
    """Root, then a, b, FF, then ab, FF 00, then abc."""
    trie = TokenTrie.build(TOKENS)

    assert bytes(trie.byte) == b"\x00ab\xffb\x00c"
    assert trie.parent.tolist() == [0, 0, 0, 0, 1, 3, 4]
    assert trie.first_child.tolist() == [1, 4, 5, 5, 6, 7, 7, 7]


def test_ids_of_a_node_are_the_tokens_that_end_there() -> None:
    """Duplicates share a node; a token without bytes is nowhere."""
    trie = TokenTrie.build(TOKENS)
    by_node = [trie.ids[a:b].tolist() for a, b in zip(trie.first_id, trie.first_id[1:], strict=False)]

    assert by_node == [[], [0, 7], [4], [], [3], [2], [9]]


def test_token_bytes_reads_back() -> None:
    """Unknown, empty and negative ids have no bytes."""
    trie = TokenTrie.build(TOKENS)

    assert {i: trie.token_bytes(i) for i in TOKENS} == TOKENS
    assert trie.token_bytes(1) == trie.token_bytes(-1) == trie.token_bytes(10**12) == b""


def test_walk_gives_tokens_and_ends() -> None:
    """An automaton that reads a's and then one b."""
    table = np.zeros((4, 256), dtype=np.int32)
    table[1, ord("a")] = 1
    table[1, ord("b")] = 2
    trie = TokenTrie.build(TOKENS)
    ids, ends = trie.walk(table, 1)

    assert dict(zip(ids.tolist(), ends.tolist(), strict=True)) == {0: 1, 7: 1, 3: 2, 4: 2}
    assert trie.walk(table, 2)[0].tolist() == []


def test_a_vocabulary_without_text() -> None:
    """The root alone; nothing to walk."""
    trie = TokenTrie.build({0: b"", 1: b""})
    ids, ends = trie.walk(np.ones((2, 256), dtype=np.int32), 1)

    assert (ids.size, ends.size, len(trie.byte)) == (0, 0, 1)
