"""Which bytes of a text break a soft rule, and what that costs."""

from __future__ import annotations

import pytest

from langc.compiler.automata.boolean import universal
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD
from langc.compiler.automata.soften import SoftDfa, SoftRule, soften
from langc.compiler.ir.language import Language, complement, concat, cover, literal, repetition
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

HAN = IntervalSet.of((0x4E00, 0x9FFF))
NO_HAN = cover(SCALARS - HAN)
TERM = cover(SCALARS - HAN, ("大韓民國",))


def softened(*rules: tuple[float, Language]) -> SoftDfa:
    """Every text is permitted, at the cost of the rules that it breaks."""
    return soften(universal(SCALARS), [SoftRule(cost, build_dfa(language)) for cost, language in rules])


def prices(soft: SoftDfa, data: bytes) -> dict[int, float]:
    """What each byte costs, of those that do; the data must be the beginning of a permitted text."""
    found, state = {}, soft.dfa.start
    for offset, byte in enumerate(data):
        level = soft.levels.get((state, soft.dfa.partition.class_of(byte)), 0)
        if level:
            found[offset] = soft.costs[level]
        state = soft.dfa.step(state, byte)
        assert state != DEAD
    return found


def costs(language: Language, data: bytes) -> list[int]:
    """The offsets of the bytes that cost."""
    return list(prices(softened((1.0, language)), data))


def end(language: Language, text: str) -> tuple[bool, bool]:
    """Whether the text may end here, and whether for free."""
    soft = softened((1.0, language))
    state = soft.dfa.run(text.encode())
    return state in soft.boundary, state in soft.dfa.accepting


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        ("가나", []),
        ("中", [1]),  # E4 B8 AD: E4 may still become U+4000, E4 B8 is denied whatever follows
        ("漢", [0]),  # E6 BC A2: every character from E6 is denied
        ("一", [1]),
        ("\u4dff", []),  # E4 B7 BF: the last before the range
        ("鿿", [0]),  # E9 BF BF: the last in the range
        ("漢江", [0, 3]),
        ("a漢b中", [1, 6]),
    ],
)
def test_the_first_byte_that_makes_it_unavoidable_costs(text: str, offsets: list[int]) -> None:
    """Each violating character costs once, where no other character is left to write."""
    assert costs(NO_HAN, text.encode()) == offsets


def test_a_character_cut_short_may_cost_already() -> None:
    """`E6` alone does, `E4` alone does not."""
    assert costs(NO_HAN, b"\xe6") == [0]
    assert costs(NO_HAN, b"\xe4") == []


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        ("大韓民國", []),
        ("大", []),  # it may still become the term; ending here costs instead
        ("大a", [3]),  # the violation stands where the term breaks
        ("大가", [3]),  # nothing but 韓 (E9 9F 93) may follow, so EA violates
        ("大鼓", [4]),  # E9 BC 93: E9 could still become 韓
        ("大韓大韓民國", [6, 9, 12, 16]),  # the second 大 breaks the first, and the rule starts afresh *behind* it
        ("大韓a大韓民國", [6]),
    ],
)
def test_terms(text: str, offsets: list[int]) -> None:
    """Inside a term the next character of the term is the only one that is free."""
    assert costs(TERM, text.encode()) == offsets


def test_ends() -> None:
    """A text may end between characters only, for free where the hard policy lets it."""
    assert end(TERM, "") == end(TERM, "大韓民國") == end(TERM, "漢") == (True, True)
    assert end(TERM, "大韓") == (True, False)


def test_malformed_bytes_stay_dead() -> None:
    """Soft rules forgive characters, not broken encodings."""
    soft = softened((1.0, NO_HAN))

    assert [soft.dfa.run(bytes.fromhex(b)) for b in ("C0", "EDA0", "F490", "80", "E42E")] == [DEAD] * 5


def test_a_rule_over_whole_texts_starts_afresh() -> None:
    """At most two letters: the third costs, and after it two more are free."""
    short = complement(concat(repetition(literal("a"), 3, 3), repetition(literal("a"))))

    assert costs(short, b"aaa") == []  # another character can still save it; only the end would not
    assert end(short, "aaa") == (True, False)
    assert costs(repetition(literal("a"), 0, 2), b"aaaaaa") == [2, 5]
