"""The matcher as engines drive it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import langc
from langc.compiler.errors import PolicyError, UnsupportedTokenizerError
from langc.compiler.ir.language import Language, literal, repetition
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.policy import Policy
from langc.compiler.tokens.machine import DeadEndError
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.tables import build_tables
from tests.unit.tokens.toys import BYTES_AND_EOS, split_bytes, toy

NO_HAN_TEXT = 'policy p { deny U+4E00..U+9FFF; allow "大韓"; }'
NO_HAN = langc.parse_policy(NO_HAN_TEXT)
VOCABULARY = toy(b"a", *split_bytes("E5", "A4", "A7"), "韓".encode(), "<eos>", "<other>", "", "가".encode(), b"a")
A, E5, A4, A7, SECOND, EOS, OTHER, HOLE, GA, A_AGAIN = range(10)
ROWS = 12
TERM = [E5, A4, A7, SECOND]


def matcher(policy: Policy = NO_HAN, on_dead_end: str = "error") -> Matcher:
    """A new matcher over the toy vocabulary, two padding rows wide."""
    return Matcher(policy, VOCABULARY, ROWS, on_dead_end)


def allowed(m: Matcher) -> list[int]:
    """The ids that the mask allows."""
    found: list[int] = np.flatnonzero(m.mask()).tolist()
    return found


def regular(language: Language) -> Policy:
    """A policy that denotes a language which no policy file can say yet."""
    return Policy(PolicyIR("p", None, (), language))


def test_masks_along_a_term() -> None:
    """EOS only where the text may end; special ids, holes and padding never."""
    m = matcher()
    seen = [(allowed(m), m.accepting)]
    for token in TERM:
        assert m.advance(token)
        seen.append((allowed(m), m.accepting))
    everything = [A, E5, EOS, GA, A_AGAIN]

    assert seen == [(everything, True), ([A4], False), ([A7], False), ([SECOND], False), (everything, True)]


def test_types_and_shapes() -> None:
    """bool and float32 over the model's rows, both read-only."""
    m = matcher()

    assert (m.rows, m.mask().shape, m.bias().shape) == (ROWS, (ROWS,), (ROWS,))
    assert m.mask().dtype == np.bool_
    assert m.bias().dtype == np.float32
    for row in (m.mask(), m.bias()):
        with pytest.raises(ValueError, match="read-only"):
            row[0] = 0


def test_bias_of_a_hard_policy() -> None:
    """Zero where the mask allows, minus infinity elsewhere."""
    m = matcher()

    assert np.array_equal(m.bias(), np.where(m.mask(), 0, -np.inf))


@pytest.mark.parametrize("token", [-1, -7, OTHER, HOLE, A4, SECOND, 10, 11, 12, 10**6, 2**31, 2**40, 2**70, -(2**70)])
def test_a_refused_id_changes_nothing(token: int) -> None:
    """Special ids, padding rows, ids below and beyond the vocabulary, and text that is denied here."""
    m = matcher()
    m.advance(A)
    before = (m.ids, allowed(m))

    assert not m.allows(token)
    assert not m.advance(token)
    assert (m.ids, allowed(m)) == before


def test_numpy_ids_are_ids() -> None:
    """Engines hand over numpy integers."""
    m = matcher()

    assert all(m.allows(np.int64(t)) == m.allows(int(t)) for t in range(ROWS))
    assert m.advance(np.int32(A))
    assert m.advance(np.int64(EOS))
    assert m.ended


@pytest.mark.parametrize("token", [True, False, np.True_, 0.0, np.float32(0), "0", None, [0]])
def test_what_is_no_integer_is_no_id(token: Any) -> None:
    """Truth values and floats are refused alike by all three ways in, and nothing changes."""
    m = matcher()
    m.advance(A)

    for call in (m.allows, m.advance, lambda t: m.sync([A, t])):
        with pytest.raises(TypeError):
            call(token)
    assert m.ids == (A,)


def test_policies_and_tokenizers_by_name(tmp_path: Path) -> None:
    """Whatever `load_policy` and `load_vocabulary` take will do."""
    (tmp_path / "p.policy").write_text(NO_HAN_TEXT, encoding="utf-8")
    tokens = {"tokens": {str(i): list(b) for i, b in enumerate(VOCABULARY.tokens) if b}, "special": {"<eos>": EOS}}
    by_path = Matcher(tmp_path / "p.policy", tokens | {"eos": [EOS]}, ROWS)

    assert allowed(by_path) == allowed(matcher())
    assert allowed(Matcher("ko", VOCABULARY)) == [A, EOS, GA, A_AGAIN]
    with pytest.raises(PolicyError, match="LC0008"):
        Matcher("kr", VOCABULARY)


def test_after_the_end() -> None:
    """Cases D06 and D08: the mask is EOS alone, nothing advances, nothing raises, asking again changes nothing."""
    m = matcher()
    assert m.advance(A)
    assert m.advance(EOS)

    for _ in range(2):
        assert allowed(m) == [EOS]
        assert np.flatnonzero(m.bias() == 0).tolist() == [EOS]
        assert not any(m.advance(t) for t in range(-1, ROWS + 1))
    assert (m.ids, m.ended, m.accepting) == ((A, EOS), True, True)
    m.rollback(1)
    assert (m.ended, allowed(m)) == (False, [A, E5, EOS, GA, A_AGAIN])


def test_one_by_one_or_as_a_list() -> None:
    """Case D06: `1{1,3}` stopped after one; the same result however the tokens come."""
    policy = regular(repetition(literal("1"), 1, 3))
    vocabulary = toy(b"1", b"11", "<eos>")
    by_one, by_list = Matcher(policy, vocabulary), Matcher(policy, vocabulary)
    masks = [allowed(by_one)]
    for token in (0, 2):
        assert by_one.advance(token)
        masks.append(allowed(by_one))

    assert by_list.sync([0, 2])
    assert masks == [[0, 1], [0, 1, 2], [2]]
    assert (allowed(by_list), by_list.ended, by_list.ids) == (allowed(by_one), by_one.ended, by_one.ids)


def test_end_of_sequence_inside_a_term_is_refused() -> None:
    """Case F03: the text is not complete before the term is."""
    m = matcher()
    for token in TERM[:3]:
        assert m.advance(token)
        assert not m.allows(EOS)
        assert not m.advance(EOS)

    assert m.advance(SECOND)
    assert m.advance(EOS)


def test_end_of_sequence_inside_a_character_is_refused() -> None:
    """Decoders drop special tokens and join the halves."""
    m = Matcher(langc.parse_policy("policy p { deny [x]; }"), BYTES_AND_EOS)
    ends = [m.allows(256)]
    for byte in "é가😀".encode():
        assert m.advance(byte)
        ends.append(m.allows(256))

    assert ends == [True, False, True, False, False, True, False, False, False, True]


def test_several_ends_and_none() -> None:
    """All of them are allowed together; without any, `error` raises where nothing may follow, `stop` does not."""
    two = Matcher(NO_HAN, toy(b"a", "<eos>", "<eos>"))
    once = regular(literal("a"))
    error, stop = Matcher(once, toy(b"a", eos=None)), Matcher(once, toy(b"a", eos=None), on_dead_end="stop")
    assert error.advance(0)
    assert stop.advance(0)

    assert allowed(two) == [0, 1, 2]
    with pytest.raises(DeadEndError, match="no end-of-sequence"):
        error.mask()
    with pytest.raises(DeadEndError, match="no end-of-sequence"):
        error.bias()
    assert (allowed(stop), error.accepting, stop.accepting) == ([], True, True)


def test_rollback() -> None:
    """Case E13 too: going back to the root, and no further."""
    m = matcher()
    masks = [allowed(m)]
    for token in (A, *TERM):
        assert m.advance(token)
        masks.append(allowed(m))
    for count in range(6):
        fork = m.fork()
        fork.rollback(count)
        assert allowed(fork) == masks[5 - count]
        assert fork.ids == (A, *TERM)[: 5 - count]
    for count in (-1, 6):
        with pytest.raises(ValueError, match="cannot take back"):
            m.rollback(count)

    assert m.ids == (A, *TERM)


def test_forks_are_independent() -> None:
    """What one does the other does not see."""
    m = matcher()
    assert m.advance(E5)
    fork = m.fork()
    assert fork.advance(A4)
    m.rollback(1)
    assert m.advance(GA)

    assert (m.ids, fork.ids) == ((GA,), (E5, A4))
    assert (allowed(m), allowed(fork)) == ([A, E5, EOS, GA, A_AGAIN], [A7])


def test_reset() -> None:
    """As new, also after the end."""
    m = matcher()
    assert m.sync([A, *TERM, EOS])
    m.reset()

    assert (m.ids, allowed(m), m.ended) == ((), allowed(matcher()), False)


def test_sync_shares_the_prefix() -> None:
    """The states of the common prefix are kept, the rest is read anew."""
    m = matcher()
    assert m.sync([A, E5, A4])
    kept = list(m._states)
    assert m.sync([A, E5, A4, A7, SECOND])
    longer = list(m._states)
    assert m.sync([A, GA])

    assert longer[:4] == kept
    assert m._states[:2] == kept[:2]
    assert (m.ids, allowed(m)) == ((A, GA), [A, E5, EOS, GA, A_AGAIN])


@pytest.mark.parametrize("bad", [[E5, A], [A, 99], [-1], [OTHER], [E5, EOS]])
def test_a_history_outside_the_policy(bad: list[int]) -> None:
    """`error` raises from mask, `stop` offers EOS alone; both recover by rollback, reset or another history."""
    error, stop = matcher(), matcher(on_dead_end="stop")
    assert not error.sync(bad)
    assert not stop.sync(bad)

    for ask in (error.mask, error.bias):
        with pytest.raises(DeadEndError, match="LC0403"):
            ask()
    assert not error.advance(A)
    assert not error.accepting
    assert allowed(stop) == [EOS]
    assert not stop.sync([*bad, A])
    for m in (error, stop):
        assert m.sync(bad[:-1])
        assert allowed(m) == allowed(fresh(bad[:-1]))
        assert not m.sync(bad)
        m.reset()
        assert allowed(m) == allowed(matcher())


def fresh(history: list[int]) -> Matcher:
    """A new matcher that has read the history token by token."""
    m = matcher()
    assert all(m.advance(t) for t in history)
    return m


def test_padding_behind_the_end_is_fine() -> None:
    """Finished rows of a batch go on with padding, whatever the id."""
    m = matcher()

    assert m.sync([A, EOS, EOS, HOLE, 11])
    assert (m.ended, m.accepting, allowed(m)) == (True, True, [EOS])


def test_rows() -> None:
    """Case D14: padding rows are masked; fewer rows than ids is an error before the run."""
    vocabulary = toy(b"a", "<eos>")
    wide = Matcher(NO_HAN, vocabulary, rows=300)

    assert (wide.rows, allowed(wide)) == (300, [0, 1])
    assert not wide.allows(2)
    assert Matcher(NO_HAN, vocabulary).rows == Matcher(NO_HAN, vocabulary, rows=2).rows == 2
    for rows in (1, 0, -1):
        with pytest.raises(UnsupportedTokenizerError, match="LC0650"):
            Matcher(NO_HAN, vocabulary, rows=rows)


def test_errors_of_construction() -> None:
    """A vocabulary that cannot write, and an unknown `on_dead_end`."""
    with pytest.raises(PolicyError, match="LC0402"):
        Matcher(langc.parse_policy("policy p { only [z]; }"), VOCABULARY)
    with pytest.raises(PolicyError, match="LC0307"):
        matcher(on_dead_end="panic")


def test_soft_bias() -> None:
    """-X on what makes a violation unavoidable, 0 elsewhere, minus infinity on what is malformed."""
    soft = Matcher(NO_HAN.with_(mode="soft", bias=2.5), VOCABULARY, ROWS)
    start = soft.bias()
    assert soft.advance(SECOND)  # 韓 alone violates
    assert soft.advance(E5)
    inside = soft.bias()
    assert soft.advance(A4)
    assert soft.advance(A7)
    open_term = soft.bias()

    assert costs(start) == {A: 0, E5: 0, SECOND: -2.5, EOS: 0, GA: 0, A_AGAIN: 0}
    assert costs(inside) == {A4: 0, A7: -2.5}  # E5 A4 may become 大, E5 A7 nothing that is permitted
    assert costs(open_term) == {A: -2.5, E5: -2.5, SECOND: 0, EOS: -2.5, GA: -2.5, A_AGAIN: -2.5}
    assert not soft.accepting
    assert soft.advance(EOS)
    assert (costs(soft.bias()), soft.accepting) == ({EOS: 0}, True)


def costs(row: np.ndarray[tuple[int], np.dtype[np.float32]]) -> dict[int, float]:
    """The finite entries."""
    return {i: v for i, v in enumerate(row.tolist()) if v != float("-inf")}


@pytest.mark.parametrize("eos", ["<eos>", None])
def test_prepared_masks_are_those_that_a_step_makes(eos: str | None) -> None:
    """Of all states within reach; where nothing may follow it is still said."""
    policy = langc.parse_policy('policy p { deny U+4E00..U+9FFF; allow "大韓"; }')
    vocabulary = toy(*(bytes([i]) for i in range(256)), "한국".encode(), "<eos>", eos=eos)
    prepared, plain = Matcher(policy, vocabulary), Matcher(policy, vocabulary)
    prepared.prepare()
    made = prepared._machine.packed._rows
    tables = build_tables(policy, vocabulary)

    assert set(made) == set(tables.states())
    for state in tables.states():
        assert prepared._machine.masks[state].tolist() == plain._machine.masks[state].tolist()


def test_a_text_that_nothing_ends_is_prepared_as_well() -> None:
    """Its mask raises the error, and `prepare` does not."""
    matcher = Matcher(langc.parse_policy('policy p { only [x]; allow "ab"; }'), toy(b"ab", eos=None))
    matcher.prepare()

    assert matcher.mask().tolist() == [True]


def test_preparing_keeps_to_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows beyond it are made when they are needed."""
    policy = langc.parse_policy('policy p { deny U+4E00..U+9FFF; allow "大韓"; }')
    matcher = Matcher(policy, BYTES_AND_EOS)
    monkeypatch.setattr(matcher._machine.packed, "_budget", 100)
    matcher.prepare()

    assert len(matcher._machine.packed._rows) == 2
    assert matcher.mask().any()
