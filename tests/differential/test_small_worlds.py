"""Every small expression on every small text and byte string: the automata against the referee.

`make test` walks expressions of up to three nodes; the test marked `exhaustive` those of four and five.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.automata.minimize import minimize
from langc.compiler.ir.language import Language
from tests.oracle.byte_verdicts import Verdict, judge_bytes
from tests.oracle.residual import Referee
from tests.oracle.worlds import byte_strings, languages, texts


def by_dfa(dfa: Dfa, symbols: Iterable[int]) -> Verdict:
    """The automaton's verdict; a state that is not dead must be alive, or the verdict means nothing."""
    state = dfa.run(symbols)
    assert state == DEAD or state in dfa.live
    return state != DEAD, state in dfa.accepting


def compare(language: Language, text_length: int, byte_length: int) -> int:
    """Compare all verdicts on one language; how many there were."""
    referee, dfa = Referee(language), build_dfa(language)
    byte_dfa = lower_to_bytes(dfa)
    compared = 0
    for text in texts(text_length):
        compared += 1
        assert by_dfa(dfa, map(ord, text)) == (referee.viable(text), referee.accepts(text)), (language, text)
    for data in byte_strings(byte_length):
        compared += 1
        assert by_dfa(byte_dfa, data) == judge_bytes(referee, data), (language, data)
    assert minimize(dfa) == dfa
    assert minimize(byte_dfa) == byte_dfa
    return compared


def test_expressions_of_up_to_three_nodes() -> None:
    """Texts and byte strings of up to two boundary characters or malformed pieces."""
    compared = sum(compare(language, 2, 2) for size in (1, 2, 3) for language in languages(size))

    assert compared >= 60_000


@pytest.mark.exhaustive
@pytest.mark.parametrize("share", range(8))
def test_expressions_of_four_nodes(share: int) -> None:
    """1,201 expressions, texts of up to three characters and byte strings of up to three pieces: 6 million verdicts."""
    compared = sum(compare(language, 3, 3) for language in languages(4)[share::8])

    assert compared >= 600_000


@pytest.mark.exhaustive
@pytest.mark.parametrize("share", range(8))
def test_expressions_of_five_nodes(share: int) -> None:
    """About ten thousand expressions, texts and byte strings of up to two."""
    compared = sum(compare(language, 2, 2) for language in languages(5)[share::8])

    assert compared >= 400_000
