"""Which bytes of a text break a soft rule, and what that costs."""

from __future__ import annotations

from itertools import permutations

import pytest

from langc.compiler.automata.boolean import universal
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.soft_rule import SoftRule
from langc.compiler.automata.soften import SoftDfa, harden, soften
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import Language, complement, concat, cover, literal, phrase_free, repetition
from langc.compiler.ir.phrases import Phrase, Side
from langc.compiler.limits import MAX_COSTS
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


# --- several rules ----------------------------------------------------------------------------------------------------

KANA = IntervalSet.of((0x3040, 0x30FF))
NO_KANA = cover(SCALARS - KANA)


def no(*phrases: Phrase) -> Language:
    """The texts without the phrases."""
    return phrase_free(phrases)


def test_costs_are_levels() -> None:
    """Equal costs are one level, and they ascend from nothing."""
    assert softened((3.0, NO_HAN), (1.0, NO_KANA), (3.0, no(Phrase("x")))).costs == (0.0, 1.0, 3.0)
    assert softened().costs == (0.0,)


def test_each_rule_has_its_cost() -> None:
    """Where it is broken, and nowhere else."""
    soft = softened((3.0, NO_HAN), (1.0, NO_KANA), (2.0, no(Phrase("ab"))))

    assert prices(soft, "漢".encode()) == {0: 3.0}
    assert prices(soft, "かab".encode()) == {1: 1.0, 4: 2.0}  # E3 81: Hiragana from U+3040 on, E3 alone may be 、
    assert prices(soft, b"aab b") == {2: 2.0}


def test_of_several_rules_the_largest_cost_counts() -> None:
    """They are not added up, whichever was written first."""
    rules = [(2.0, no(Phrase("ab"))), (5.0, no(Phrase("b"))), (1.0, no(Phrase("xab")))]

    for order in permutations(rules):
        assert prices(softened(*order), b"xab") == {2: 5.0}


def test_a_rule_costs_once_a_byte_although_others_follow() -> None:
    """E6 breaks the ban on all of its characters; the next byte breaks another one."""
    rare = cover(SCALARS - IntervalSet.of("漢"))

    assert prices(softened((1.0, NO_HAN), (4.0, rare)), "漢".encode()) == {0: 1.0, 2: 4.0}


def test_a_broken_rule_goes_on_while_another_is_in_progress() -> None:
    """Behind a violation only its own rule starts afresh."""
    soft = softened((1.0, no(Phrase("abc"))), (2.0, no(Phrase("b"))))

    assert prices(soft, b"abc") == {1: 2.0, 2: 1.0}
    assert prices(softened((1.0, no(Phrase("aa")))), b"aaaa") == {1: 1.0, 3: 1.0}


def test_hard_rules_stay_hard() -> None:
    """A soft rule makes nothing permitted, and takes nothing away."""
    soft = soften(build_dfa(NO_KANA), [SoftRule(2.0, build_dfa(NO_HAN))])

    assert soft.dfa.run("か".encode()) == DEAD
    assert soft.dfa.run("漢가".encode()) in soft.dfa.accepting
    assert prices(soft, "漢".encode()) == {0: 2.0}


def test_what_is_masked_anyway_costs_nothing_before() -> None:
    """E4 can only become U+4000 and what lies below where Han is denied, so a rule against those is broken at once."""
    below = cover(SCALARS - IntervalSet.of((0x4000, 0x4DFF)))
    soft = soften(build_dfa(NO_HAN), [SoftRule(2.0, build_dfa(below))])

    assert prices(soft, "\u4dff".encode()) == {0: 2.0}
    assert prices(softened((2.0, below)), "\u4dff".encode()) == {1: 2.0}  # E4 B7: from 4DC0 to 4DFF


def test_an_end_costs_what_it_breaks() -> None:
    """A right boundary that only the end makes certain; of two ends the largest cost counts."""
    late = Phrase("ab", right=Side.WORD)
    soft = softened((2.0, no(late)), (3.0, no(Phrase("b", right=Side.WORD))))
    state = {text: soft.dfa.run(text.encode()) for text in ("a", "ab", "abc")}

    assert {text: soft.costs[soft.end_levels.get(s, 0)] for text, s in state.items()} == {"a": 0, "ab": 3, "abc": 0}
    assert all(s in soft.boundary for s in state.values())
    assert [s in soft.dfa.accepting for s in state.values()] == [True, False, True]
    assert prices(soft, b"ab!") == {2: 3.0}


def test_without_rules_it_is_the_hard_automaton() -> None:
    """Nothing costs, and every end is free."""
    hard = build_dfa(TERM)
    soft = soften(hard, [])

    assert (soft.levels, soft.end_levels) == ({}, {})
    assert soft.boundary == soft.dfa.accepting
    assert minimize(soft.dfa) == minimize(harden(lower_to_bytes(hard)).dfa)


def test_the_number_of_costs_is_bounded() -> None:
    """At the limit it passes; the table of tokens is there once for each."""
    rules = [(float(n), NO_HAN) for n in range(1, MAX_COSTS + 2)]

    assert len(softened(*rules[:-1]).costs) == MAX_COSTS + 1
    with pytest.raises(LimitError, match="different costs"):
        softened(*rules)
