"""Any expression, any text: the automata decide as the referee does."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.automata.build import build_dfa, build_nfa
from langc.compiler.automata.determinize import determinize
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.automata.minimize import minimize
from langc.compiler.ir.language import Language
from langc.compiler.unicode.intervals import SCALARS, union
from tests.examples import examples
from tests.oracle.encoding import candidates, split
from tests.oracle.residual import Referee
from tests.property.languages import byte_strings, languages, texts, texts_near


@settings(deadline=None, max_examples=examples(400))
@given(st.data())
def test_membership_and_viability(data: st.DataObject) -> None:
    """On texts that keep to the language for a while."""
    language = data.draw(languages)
    text = data.draw(texts_near(language))
    referee, dfa = Referee(language), build_dfa(language)
    state = dfa.run(map(ord, text))

    assert dfa.accepts(map(ord, text)) == referee.accepts(text)
    assert (state != DEAD) == referee.viable(text)


@settings(deadline=None, max_examples=examples(200))
@given(st.data())
def test_bytes(data: st.DataObject) -> None:
    """Encodings of texts, cut anywhere, and malformed bytes: as Python's strict decoder and the referee say."""
    language = data.draw(languages)
    encoded = data.draw(st.one_of(byte_strings, texts_near(language).map(str.encode)))
    cut = data.draw(st.integers(0, len(encoded)))
    referee, dfa = Referee(language), lower_to_bytes(build_dfa(language))
    for piece in (encoded, encoded[:cut]):
        whole = split(piece)
        alive = dfa.run(piece) != DEAD
        if whole is None:
            assert not alive
        elif not whole[1]:
            assert alive == referee.viable(whole[0])
            assert dfa.accepts(piece) == referee.accepts(whole[0])
        else:
            low, high = candidates(whole[1]) or (1, 0)
            continuations = (low, *(c for c in referee.cuts if low < c <= high))
            assert alive == any(referee.viable(whole[0] + chr(c)) for c in continuations)
            assert not dfa.accepts(piece)


@settings(deadline=None, max_examples=examples(200))
@given(languages, st.binary(max_size=8))
def test_what_is_accepted_decodes(language: Language, data: bytes) -> None:
    """Random bytes: an accepted string is well-formed, and its text is in the language."""
    dfa = build_dfa(language)
    if lower_to_bytes(dfa).accepts(data):
        assert dfa.accepts(map(ord, data.decode("utf-8", "strict")))


@settings(deadline=None)
@given(languages)
def test_canonical_form(language: Language) -> None:
    """What `dfa.py` promises of minimal automata, point by point."""
    for dfa in (build_dfa(language), lower_to_bytes(build_dfa(language))):
        assert minimize(dfa) == dfa
        assert dfa.table[DEAD] == (DEAD,) * dfa.partition.size
        assert DEAD not in dfa.accepting
        assert {len(row) for row in dfa.table} == {dfa.partition.size}
        assert set(range(1, dfa.size)) == dfa.live
        assert (dfa.start == DEAD) == dfa.is_empty
        assert len(set(zip(*dfa.table, strict=True))) == dfa.partition.size
        assert breadth_first(dfa) == list(range(dfa.start, dfa.size)) or dfa.is_empty


def breadth_first(dfa: Dfa) -> list[int]:
    """The living states in the order in which a search from the start meets them."""
    order = [dfa.start]
    for state in order:
        order += [t for t in dict.fromkeys(dfa.table[state]) if t != DEAD and t not in order]
    return order


@settings(deadline=None)
@given(languages)
def test_the_nondeterministic_automaton(language: Language) -> None:
    """Determinized and minimized it is the same object."""
    assert minimize(determinize(build_nfa(language))) == build_dfa(language)


@settings(deadline=None)
@given(languages, texts)
def test_edges_tell_the_table(language: Language, text: str) -> None:
    """The labels of a state are disjoint, one a target, ordered by first member; and they say what `step` says."""
    dfa = build_dfa(language)
    for state in range(dfa.size):
        edges = list(dfa.edges(state))
        labels = [members for members, _ in edges]
        assert len({target for _, target in edges} - {DEAD}) == len(edges)
        assert sum(map(len, labels)) == len(union(labels) & SCALARS)
        assert all(a.first() < b.first() for a, b in pairwise(labels))
        for character in text:
            found = [target for members, target in edges if ord(character) in members]
            assert dfa.step(state, ord(character)) == (found[0] if found else DEAD)
