"""What is found in all tokens at a time, held to reading each of them."""

from __future__ import annotations

from collections.abc import Sequence
from unittest import mock

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from langc.compiler.automata.phrase_reader import MATCHED, PhraseReader
from langc.compiler.ir.phrases import Phrase, Side
from langc.compiler.tokens.phrases import keys
from langc.compiler.tokens.phrases import search as phrase_search
from langc.compiler.tokens.phrases.keys import AtomKeys, spread
from langc.compiler.tokens.phrases.refusals import Refusals
from langc.compiler.tokens.phrases.search import NOTHING, TokenAtoms, within
from langc.compiler.tokens.phrases.token_texts import TokenTexts
from langc.compiler.tokens.trie import TokenTrie
from langc.compiler.unicode.folding import Folding, Space
from langc.compiler.unicode.intervals import IntervalSet
from tests.examples import examples

LOOSE = Folding(case=True, invisible=True, space=Space.RUN)


def test_atoms_lie_in_a_row_with_their_neighbours() -> None:
    """A folded character has several atoms, a run of blanks has one, and a dropped character has none."""
    rows = TokenAtoms.of(["ẞa", "", "b \t\u200bc", "\u200b"], LOOSE)

    assert "".join(map(chr, rows.atoms)) == "ssab c"
    assert rows.text.tolist() == [0, 0, 0, 2, 2, 2]
    assert rows.begins.tolist() == [True, False, True, True, True, True]
    assert rows.ends.tolist() == [False, True, True, True, True, True]
    assert rows.before.tolist() == [NOTHING, NOTHING, 0x1E9E, NOTHING, ord("b"), 0x200B]
    assert rows.behind.tolist() == [ord("a"), ord("a"), NOTHING, ord(" "), ord("\t"), NOTHING]
    assert rows.first.tolist() == [0, 3, 3, 6, 6]
    assert rows.dropped.tolist() == [0x200B]
    assert rows.leading.tolist() == [0x1E9E, NOTHING, ord("b"), 0x200B]
    assert rows.empty.tolist() == [3]


def test_membership_of_many_symbols() -> None:
    """Both ends of a range belong to it, and what is no character to none."""
    symbols = np.array([NOTHING, 0x60, 0x61, 0x7A, 0x7B, 0x10FFFF])

    assert within(IntervalSet.of((0x61, 0x7A), 0x10FFFF), symbols).tolist() == [False, False, True, True, False, True]
    assert not within(IntervalSet(), symbols).any()


@given(st.lists(st.text("abcXY", max_size=5), max_size=9), st.text("abc", min_size=1, max_size=4), st.integers(1, 6))
def test_texts_by_their_first_atoms(texts: list[str], wanted: str, places: int) -> None:
    """Those that begin in a way, and those that are it, up to the atoms that a key holds."""
    atoms = np.array([ord(c) for text in texts for c in text], dtype=np.int64)
    first = np.cumsum([0, *map(len, texts)])
    with mock.patch.object(keys, "MOST_PLACES", places):
        by_atoms = AtomKeys.of(atoms, first, np.array([ord(c) for c in "cab"]))
    known = wanted[:places]
    key = sum(int(by_atoms.part(np.array([ord(c)]), n)[0]) for n, c in enumerate(known))

    assert sorted(by_atoms.between(np.array([[key, key + by_atoms.size(len(known) - 1)]]))) == [
        n for n, text in enumerate(texts) if text.startswith(known)
    ]
    assert sorted(by_atoms.between(np.array([[key, key + 1]]))) == [
        n for n, text in enumerate(texts) if text[:places] == known
    ]


def test_very_many_letters_leave_room_for_few_places() -> None:
    """A key stays within 63 bits, and is not negative."""
    letters = np.arange(1 << 20)
    by_atoms = AtomKeys.of(letters[-4:], np.array([0, 4]), letters)

    assert by_atoms.places == 3
    assert by_atoms.keys.tolist() == [sum((1 << 20) - 4 + n + 2 << 21 * (2 - n) for n in range(3))]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=8))
def test_spread(runs: list[tuple[int, int]]) -> None:
    """One run of numbers behind the other."""
    found = spread(np.array([r[0] for r in runs], dtype=np.int64), np.array([r[1] for r in runs], dtype=np.int64))

    assert found.tolist() == [n for begin, count in runs for n in range(begin, begin + count)]


SYMBOLS = "aA bsßẞ\u200b\u034f \t\u00a8\u0308İi1."
sides = st.sampled_from(Side)
foldings = st.builds(Folding, st.booleans(), st.booleans(), st.booleans(), st.sampled_from(Space))
symbols = st.one_of(st.just(SYMBOLS), st.lists(st.sampled_from(SYMBOLS), min_size=2, max_size=4, unique=True))
"""Of few symbols phrases and tokens go together more often."""


@settings(max_examples=examples(300), deadline=None)
@given(symbols, st.lists(st.tuples(foldings, sides), min_size=1, max_size=3), st.data())
def test_what_tokens_refuse(alphabet: Sequence[str], tries: list[tuple[Folding, Side]], data: st.DataObject) -> None:
    """Token by token: which complete a phrase, and behind which one is in progress or waits."""
    texts = sorted(data.draw(st.sets(st.text(alphabet, min_size=1, max_size=6), min_size=3, max_size=12)))
    written, kinds = st.text(alphabet, min_size=1, max_size=4), st.sampled_from(tries)
    drawn = st.builds(lambda text, kind, *how: Phrase(text, *kind, *how), written, kinds, sides, st.booleans())
    phrases = data.draw(st.lists(drawn, min_size=1, max_size=4))
    assume(all(phrase.atoms for phrase in phrases))
    reader = PhraseReader(phrases)
    with (
        mock.patch.object(phrase_search, "FEW", data.draw(st.sampled_from([0, 1, 1_000]))),
        mock.patch.object(keys, "MOST_PLACES", data.draw(st.integers(2, 6))),  # of atoms of 21 bits it is 3
    ):
        spelled = TokenTexts.of(TokenTrie.build(dict(enumerate(map(str.encode, texts)))))
        refusals = Refusals(reader, spelled, len(texts))
        parts = {phrase.text[:n] for phrase in phrases for n in range(len(phrase.text) + 1)}
        for before in sorted(parts | {data.draw(st.text(alphabet, max_size=6))}):
            compare(refusals, texts, before)


def test_phrases_that_end_alike_share_what_they_refuse() -> None:
    """U+034F is passed over: it bars a phrase that no word may go on behind, and not one that only letters bar."""
    phrases = [Phrase("ab", LOOSE, right=Side.WORD), Phrase("cd", LOOSE, right=Side.SCRIPT), Phrase("ce", LOOSE)]
    spelled = TokenTexts.of(TokenTrie.build({0: "\u034f".encode(), 1: b"-", 2: b"a"}))
    refusals = Refusals(PhraseReader([*phrases, Phrase("f", LOOSE, right=Side.WORD)]), spelled, 3)
    trie = refusals.reader.tries[0]
    waiting = [node for node in trie.ends if any(trie.ends[node])]
    found = [refusals.carried((0, node)) for node in waiting]

    assert [f.refused.tolist() for f in found] == [[], [0], []]
    assert found[0] is found[2]


def compare(refusals: Refusals, texts: list[str], before: str) -> None:
    """Behind one text."""
    reader = refusals.reader
    state = reader.run(reader.start, before)
    if state == MATCHED:
        return
    begun, threads = reader.states[state]
    held, carried = refusals.held(begun), [refusals.carried(thread) for thread in threads]
    alone = [reader.run(reader.fresh(begun), text) for text in texts]
    ends = [reader.run(state, text) for text in texts]
    unbarred = {n for bars in reader.bars(state) for n in np.flatnonzero(~refusals.barring(bars)).tolist()}

    assert set(held.refused) == {n for n, end in enumerate(alone) if end == MATCHED}
    assert {*held.refused, *unbarred, *(n for c in carried for n in c.refused)} == {
        n for n, end in enumerate(ends) if end == MATCHED
    }

    for n, end in enumerate(ends):
        inherited = reader.inherited(threads, texts[n]) if end != MATCHED else None
        assert not inherited or any(n in c.going for c in carried)
        if end != MATCHED and reader.bars(end):
            assert n in held.waiting or any(n in c.waiting for c in carried)
