"""States of tables with `stop before`: numbers that say everything, so that nothing grows with a text."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import langc
from langc.compiler.tokens.choose import choose_tables
from langc.compiler.tokens.stopping import NOWHERE, StoppingTables, _number, _pair
from tests.unit.tokens.toys import BYTES_AND_EOS

states = st.integers(0, 300) | st.integers(0, 1 << 700)


@given(states, st.just(NOWHERE) | states)
def test_a_number_spells_its_pair_out(bound: int, free: int) -> None:
    """However large its parts are: those of very many phrases are."""
    number = _number((bound, free))

    assert number >= 0
    assert _pair(number) == (bound, free)


@cache
def shared() -> StoppingTables:
    """Of a soft policy, so that ending costs in some states."""
    source = 'policy p { stop before phrase "abab" { boundary both word; } discourage phrase "ba" by 2; }'
    found = choose_tables(langc.parse_policy(source), BYTES_AND_EOS)

    assert isinstance(found, StoppingTables)
    return found


def size(of: StoppingTables) -> int:
    """What its own attributes hold, without the tables that it stands on."""
    return len(pickle.dumps({name: value for name, value in vars(of).items() if name not in ("tables", "free")}))


@given(st.lists(st.sampled_from(b"ab .c"), max_size=60))
def test_tables_made_anew_read_the_same_numbers(ids: list[int]) -> None:
    """A number means the same to them as to those that the text has led through, and these hold no more than before."""
    used = shared()
    fresh = StoppingTables(used.tables, used.free)
    state, before = used.start, size(used)
    for token in ids:
        after = used.target(state, token)
        state = state if after is None else after

        assert (state in used.endable, state in used.accepting) == (state in fresh.endable, state in fresh.accepting)
        assert used.end_levels[state] == fresh.end_levels[state]
        assert np.array_equal(used.mask(state), fresh.mask(state))
        assert used.stopping(state).ids.tolist() == fresh.stopping(state).ids.tolist()
    assert size(used) == before
