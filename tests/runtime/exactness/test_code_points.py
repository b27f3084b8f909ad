"""Every one of the 1,112,064 scalar values, on real vocabularies: denied ones cannot be written, all others can.

The reference knows no automaton: a code point can be written by a vocabulary iff its UTF-8 encoding is a
concatenation of text tokens. Under the exact mask of `ko` what can be written must be exactly that, less the denied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import langc
from langc.compiler.tokens.tables import TokenTables, build_tables
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode import properties
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from tests import assets

pytestmark = pytest.mark.engines

DENIED = frozenset(c for script in ("Han", "Hiragana", "Katakana") for c in properties.lookup("Script", script))
SYLLABLES = IntervalSet(((0xAC00, 0xD7A3),))
EMOJI = properties.lookup(None, "Emoji") - IntervalSet.of("#*", "0123456789")  # the bases of keycaps are no emoji
VOCABULARIES = {
    "qwen-151k": assets.qwen151k,
    "qwen-248k": assets.qwen248k,
    "smollm2-49k": assets.smollm2_gguf,
    "gemma-262k": assets.gemma_gguf,
    "tekken-131k": assets.tekken,
}


@cache
def _vocabulary(path: Callable[[], Path]) -> Vocabulary:
    return langc.load_vocabulary(path())


def _spellable(vocabulary: Vocabulary) -> set[int]:
    """The code points whose encoding is a concatenation of text tokens."""
    pieces = {vocabulary.token_bytes(i) for i in range(vocabulary.size) if not vocabulary.is_special(i)}
    pieces = {p for p in pieces if 0 < len(p) <= 4}

    def splits(data: bytes) -> bool:
        return not data or any(data[:n] in pieces and splits(data[n:]) for n in range(1, len(data) + 1))

    return {c for c in SCALARS if splits(chr(c).encode())}


def _written(tables: TokenTables) -> set[int]:
    """The code points that allowed tokens write from the start to a place where the text may end."""
    by_state: dict[int, list[tuple[bytes, int]]] = {}
    for state in tables.states():
        edges = tables.edges(state)
        tokens = (
            (tables.trie.token_bytes(i), t) for i, t in zip(edges.ids.tolist(), edges.targets.tolist(), strict=True)
        )
        by_state[state] = [(b, t) for b, t in tokens if len(b) <= 4]
    found: set[int] = set()
    reached: dict[int, set[bytes]] = defaultdict(set, {tables.start: {b""}})
    while reached:
        following: dict[int, set[bytes]] = defaultdict(set)
        for state, prefixes in reached.items():
            for token, target in by_state[state]:
                for prefix in prefixes:
                    data = prefix + token
                    if len(data) > 4 or (prefix and token[0] < 0x80):
                        continue
                    try:
                        text = data.decode()
                    except UnicodeDecodeError as error:
                        if error.reason == "unexpected end of data":
                            following[target].add(data)
                        continue
                    if len(text) == 1 and target in tables.accepting:
                        found.add(ord(text))
        reached = following
    return found


@pytest.mark.parametrize("name", VOCABULARIES)
def test_exactly_the_permitted_code_points_can_be_written(name: str) -> None:
    """All 104,061 denied code points are out of reach, every other one that the vocabulary can spell is not."""
    vocabulary = _vocabulary(VOCABULARIES[name])
    spellable = _spellable(vocabulary)
    written = _written(build_tables(langc.load_policy("ko"), vocabulary))

    assert len(DENIED) == 104_061
    assert written == spellable - DENIED
    assert set(SYLLABLES) <= written
    assert len(EMOJI) == 1_435
    assert set(EMOJI) <= written
