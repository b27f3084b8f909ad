"""One file of phrases for engines with grammars or patterns only, and for static lists of token biases."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

import langc
from langc.compiler.errors import UnsupportedError
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.oracle.bounded import Scope
from tests.oracle.phrases import Wanted

PHRASES = ("bad", "Ab a", "dB")
ALPHABET = "abd B"


def test_a_file_of_phrases_as_a_pattern(tmp_path: Path) -> None:
    """E08: an engine without lists of phrases gets them as a pattern, which takes the same texts."""
    (tmp_path / "banned.txt").write_text("# banned\n" + "\n".join(PHRASES) + "\n", encoding="utf-8")
    (tmp_path / "p.policy").write_text('policy p { deny phrases from "banned.txt" { ignore case; } }', encoding="utf-8")
    policy = langc.load_policy(tmp_path / "p.policy")
    pattern = re.compile(langc.compile(policy, "regex", dialect="python").content.decode())
    scope = Scope(banned=tuple(Wanted(p, case=True) for p in PHRASES))
    texts = ["".join(t) for n in range(6) for t in product(ALPHABET, repeat=n)]

    assert len(texts) == 3906
    assert [t for t in texts if pattern.fullmatch(t)] == [t for t in texts if scope.accepts(t)]
    assert [t for t in texts if policy.accepts(t)] == [t for t in texts if scope.accepts(t)]


def test_a_static_list_cannot_hold_a_phrase() -> None:
    """E09: to bias the pieces of `Hello, World!` would ban the comma; it is refused, and nothing is written."""
    tokens = (b"Hello", b", ", b"World", b"!", b"")
    vocabulary = Vocabulary("toy", tokens, {4: "<eos>"}, frozenset({4}))
    policy = langc.parse_policy('policy p { deny phrase "Hello, World!"; }')

    with pytest.raises(UnsupportedError, match="LC0523"):
        langc.compile(policy, "logit-bias", vocabulary)
