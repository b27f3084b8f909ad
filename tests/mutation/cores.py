"""Faults in what all emitters and the reference stand on: the automata, and the tables over a vocabulary.

`langc verify` takes the policy's automaton for right, so a fault there is not its to find. Each is caught a level
below: by small worlds against the referee, on whole texts and bytes or on all cuts into tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from langc.compiler import policy
from langc.compiler.automata import build, cover, determinize, lower, minimize
from langc.compiler.automata.dfa import Dfa
from langc.compiler.ir.language import Intersection
from langc.compiler.tokens import tables
from langc.compiler.unicode.intervals import Range
from tests.differential import test_small_worlds, test_token_splits
from tests.mutation.mutations import Seed, instead, result
from tests.oracle.worlds import ATOMS, languages, languages_up_to

ByteRanges = tuple[Range, ...]


@dataclass(frozen=True)
class CoreMutation:
    """One fault, and the comparison with the referee that has to fail under it."""

    name: str
    seed: Seed
    compare: Callable[[], int]
    """How much was compared. Raises AssertionError at a difference."""

    def __str__(self) -> str:
        """The name of the test."""
        return self.name


def worlds() -> int:
    """Expressions of up to two nodes on texts and byte strings of up to two."""
    return sum(test_small_worlds.compare(language, 2, 2) for language in languages_up_to(2))


def intersections() -> int:
    """Two sets, or other expressions of one node, and what they have in common."""
    both = [language for language in languages(3) if isinstance(language, Intersection)]
    return sum(test_small_worlds.compare(language, 2, 1) for language in both)


def hard_tokens() -> int:
    """Expressions of one node on strings of up to two pieces, in every cut."""
    return test_token_splits.compare_all(languages(1), False, 2)


def soft_tokens() -> int:
    """The same under soft policies, for two of the expressions: a set, and terms."""
    return test_token_splits.compare_all((ATOMS[2], ATOMS[-1]), True, 2)


def last_shorter(sequences: Iterable[ByteRanges]) -> Iterator[ByteRanges]:
    """The last bound of the last byte moved by one."""
    for row in sequences:
        low, high = row[-1]
        yield (*row[:-1], (low, max(low, high - 1)))


def _with_surrogates(sequences: Iterable[ByteRanges]) -> Iterator[ByteRanges]:
    for row in sequences:
        yield (row[0], (row[1][0], 0xBF), *row[2:]) if row[0] == (0xED, 0xED) else row


def _without_last_end(dfa: Dfa) -> Dfa:
    return replace(dfa, accepting=dfa.accepting - {max(dfa.accepting, default=0)})


def _last_merged(block: list[int]) -> list[int]:
    """The last block of states in one with the first."""
    return [1 if number == max(block) else number for number in block]


def _without_start(dfa: Dfa) -> Dfa:
    return replace(dfa, accepting=dfa.accepting - {dfa.start})


def _one_more(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, node, builder: right(self, replace(node, most=node.most and node.most + 1), builder)


def _pieces_shorter(pieces: list[tuple[int, int, Any]]) -> list[tuple[int, int, Any]]:
    return [(low, max(low, high - 1), rest) for low, high, rest in pieces]


MUTATIONS = [
    CoreMutation("byte-range-shorter", result(lower, "sequences", last_shorter), worlds),
    CoreMutation("byte-cut-shorter", result(lower, "_split", _pieces_shorter), worlds),
    CoreMutation("surrogates-let-through", result(lower, "sequences", _with_surrogates), worlds),
    CoreMutation("blocks-merged", result(minimize, "_refine", _last_merged), worlds),
    CoreMutation("end-lost", result(build, "determinize", _without_last_end), worlds),
    CoreMutation(
        "epsilon-not-followed",
        instead(determinize.Subsets, "_reach", lambda _: lambda self, states: set(states)),
        worlds,
    ),
    CoreMutation("complement-loses-empty-text", result(build, "complement", _without_start), worlds),
    CoreMutation(
        "intersection-is-first", instead(build, "intersection", lambda _: lambda left, right: left), intersections
    ),
    CoreMutation("terms-in-terms-lost", instead(cover, "_link", lambda _: lambda terms: None), worlds),
    CoreMutation("repetition-once-more", instead(build._Build, "_repeat", _one_more), worlds),
    CoreMutation("dead-ends-kept", result(tables, "_live", lambda live: np.arange(live.size) > 0), hard_tokens),
    CoreMutation(
        "violation-costs-nothing",
        instead(tables, "walk_table", lambda right: lambda soft: right(replace(soft, levels={}))),
        soft_tokens,
    ),
    CoreMutation(
        "end-inside-character",
        result(policy, "soften", lambda soft: replace(soft, boundary=frozenset(range(1, soft.dfa.size)))),
        soft_tokens,
    ),
]
