"""The size of automata while they grow: states, and states times classes."""

from __future__ import annotations

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_DFA_STATES, MAX_SUBSET_MEMBERS, MAX_TABLE_CELLS, over_limit


def check_states(states: int, classes: int, of: str = "the automaton") -> None:
    """Raise LimitError if an automaton with so many living states and classes is over its budget."""
    if states > MAX_DFA_STATES:
        raise LimitError(over_limit(f"states of {of}", MAX_DFA_STATES))
    if states * classes > MAX_TABLE_CELLS:
        raise LimitError(over_limit(f"transitions of {of}", MAX_TABLE_CELLS))


def check_subsets(members: int) -> None:
    """Raise LimitError if the sets of nondeterministic states hold too many members in all."""
    if members > MAX_SUBSET_MEMBERS:
        raise LimitError(over_limit("members of the state sets of the automaton", MAX_SUBSET_MEMBERS))
