"""Very many phrases on real vocabularies: spelled in any way and cut into any tokens, and nothing else is masked."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import langc
from langc.compiler.ir.apart import denied_phrases, without_phrases
from langc.compiler.policy import Apart, Policy
from langc.compiler.tokens.choose import phrase_tables
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.tables import build_tables
from langc.compiler.tokens.vocabulary import Vocabulary
from tests import assets

pytestmark = pytest.mark.engines

SAMPLES = Path(__file__).parents[2] / "conformance" / "samples" / "paragraphs.toml"
PHRASES = 10_000
EVERY = 25
"""Of these one is spelled in all ways."""
ROWS = 300
"""Of the steps of all spellings the whole rows of so many are asked for."""


@cache
def qwen() -> Vocabulary:
    """151,643 byte-level tokens."""
    return langc.load_vocabulary(assets.qwen151k())


@cache
def phrases() -> tuple[str, ...]:
    """Two or three words of the vocabulary that nobody writes in a row, and a short one that is in many words."""
    words = sorted({t[1:].decode() for t in qwen().tokens if re.fullmatch(rb" [a-z]{4,12}", t)})
    draw = random.Random(5)
    found = {"ass": None}
    while len(found) < PHRASES:
        found[" ".join(draw.choices(words, k=draw.choice((2, 3))))] = None
    return tuple(found)


@cache
def policy() -> Policy:
    """They are denied however they are written."""
    listed = ", ".join(f'"{phrase}"' for phrase in phrases())
    return langc.parse_policy(
        f"policy p {{ deny phrase {listed} {{ ignore case, width, space, invisible; boundary both word; }} }}"
    )


@cache
def matcher() -> Matcher:
    """At the beginning of a text."""
    return Matcher(policy(), qwen())


def spellings(phrase: str) -> list[str]:
    """The same phrase to a reader."""
    middle = len(phrase) // 2
    return [
        phrase,
        phrase.upper(),
        phrase.title(),
        phrase.replace(" ", "  "),
        phrase.replace(" ", "\u3000"),
        phrase.replace(" ", " \n\t"),
        f"{phrase[:middle]}\u200b{phrase[middle:]}",
        "".join(chr(ord(c) + 0xFEE0) if c != " " else c for c in phrase),
    ]


@cache
def ids() -> dict[bytes, int]:
    """The tokens by their bytes."""
    return {spelled: i for i, spelled in enumerate(qwen().tokens) if spelled}


def cuts(text: str, draw: random.Random) -> list[list[int]]:
    """Ways to write a text: the longest tokens, single bytes, and any tokens."""
    data = text.encode()
    return [_cut(data, lambda found: found[-1]), _cut(data, lambda found: found[0]), _cut(data, draw.choice)]


def _cut(data: bytes, choose: Callable[[list[int]], int]) -> list[int]:
    found = []
    while data:
        size = choose([n for n in range(1, min(len(data), 24) + 1) if data[:n] in ids()])
        found.append(ids()[data[:size]])
        data = data[size:]
    return found


@pytest.mark.slow
def test_every_spelling_in_every_cut_is_refused_where_it_completes() -> None:
    """That is at the token with the first byte behind it; the end of the text completes it too."""
    draw = random.Random(7)
    rows = 0
    for phrase in phrases()[::EVERY]:
        for text in spellings(phrase):
            end = len(f"Say {text}".encode())
            for tokens in cuts(f"Say {text}! No.", draw):
                written = matcher().fork()
                refused = next((n for n, token in enumerate(tokens) if not written.advance(token)), len(tokens))
                before = sum(len(qwen().tokens[token]) for token in tokens[:refused])

                assert refused < len(tokens), (text, tokens)
                assert before <= end < before + len(qwen().tokens[tokens[refused]]), (text, tokens)
                assert not (before == end and written.accepting)
                if rows < ROWS:
                    rows += 1
                    assert not written.mask()[tokens[refused]]

    assert rows == ROWS


@pytest.mark.slow
def test_near_misses_are_allowed() -> None:
    """Letters, digits, marks or `_` beside a phrase; a letter less; other words between."""
    draw = random.Random(11)
    for phrase in phrases()[::EVERY]:
        first, *others = phrase.split()
        near = [
            f"x{phrase}",
            f"{phrase}x",
            f"{phrase}1",
            f"{phrase}_",
            f"{phrase}\u0301",
            " and ".join((first, *others, "so")),
        ]
        for text in near if others else near[:-1]:
            for tokens in cuts(f"Say {text}, then go on.", draw):
                written = matcher().fork()

                assert all(map(written.advance, tokens)), (text, tokens)
                assert written.accepting


def test_words_that_hold_a_phrase() -> None:
    """`ass` is in many words."""
    for tokens in cuts("The assassin's class passed an assignment; assets, Assam.", random.Random(13)):
        written = matcher().fork()
        for token in tokens:
            assert written.mask()[token]
            assert written.advance(token)


def test_ordinary_paragraphs_are_never_masked() -> None:
    """In two dozen languages, with code, signs and emoji."""
    text = SAMPLES.read_text(encoding="utf-8")
    for tokens in cuts(text, random.Random(17))[::2]:
        written = matcher().fork()
        for number, token in enumerate(tokens):
            assert number % 4 or written.mask()[token], tokens[max(number - 9, 0) : number + 1]
            assert written.advance(token), tokens[max(number - 9, 0) : number + 1]


def test_walks_beside_the_whole_automaton() -> None:
    """On SmolLM2, with options of every kind: the same rows on seeded walks that often come near a phrase."""
    vocabulary = langc.load_vocabulary(assets.smollm2_gguf())
    whole = langc.parse_policy(
        'policy p { deny phrase "the end", "is", "straße" { ignore case, space, invisible; boundary both word; }'
        ' deny phrase "ing", "é" { normalization nfkc; } deny phrase "an" { ignore width; boundary left; early; }'
        ' deny [0-9]; allow "2026", "1 is"; }'
    )
    apart = Apart(whole, Policy(without_phrases(whole.lowered)), denied_phrases(whole.lowered))
    mine, theirs = TokenMachine(phrase_tables(apart, vocabulary)), TokenMachine(build_tables(whole, vocabulary))
    draw, compared = random.Random(19), 0
    near = [
        i for i, spelled in enumerate(vocabulary.tokens) if re.search(rb"(?i)en|is|str|of|in|an|\xc3|[12]", spelled)
    ]
    for _ in range(40):
        state, other = mine.start, theirs.start
        for _ in range(12):
            row = theirs.masks[other]
            compared += 1

            assert np.array_equal(mine.masks[state], row)
            assert mine.accepts(state) == theirs.accepts(other)

            likely = [t for t in draw.sample(near, 60) if row[t]] or np.flatnonzero(row).tolist()
            token = draw.choice(likely)
            if token in vocabulary.eos_ids:
                break
            state, other = (after or 0 for after in (mine.next(state, token), theirs.next(other, token)))

    assert compared >= 300
