"""Faults in `banned-strings`, in both dialects: a list that lost a string, that cut one short, that has one too many.

The policy ignores case, and none of its letters has a third form, so that the right list is exact with both servers. No
engine of these servers is run here: what such a list says is seen by reading it alone. Of two shortest witnesses that
differ in case alone the one in lower case is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from langc.compiler.unicode.intervals import IntervalSet
from langc.targets import banned_strings
from langc.targets.banned_strings import DIALECTS
from tests.mutation.mutations import Mutation, Seed, instead

_POLICY = 'deny phrase "bad", "end" { ignore case; }'
_CASES = 'deny phrase "bad";'
"""What a server that compares in either case blocks beside it, `BAD`, the artefact has to admit."""


def _written(change: Callable[[list[str]], list[str]]) -> Seed:
    """Other strings in the file than those that the header speaks of."""
    return instead(banned_strings, "_text", lambda right: lambda about, strings: right(about, change(strings)))


def _compares_exactly(dialect: str) -> Seed:
    """The emitter's idea of the server does not fold case."""

    def seed(patch: pytest.MonkeyPatch) -> None:
        patch.setitem(DIALECTS, dialect, replace(DIALECTS[dialect], alike=IntervalSet.of))

    return seed


def _of(dialect: str) -> list[Mutation]:
    target = f"banned-strings:{dialect}"

    def mutation(
        name: str, seed: Seed, policy: str = _POLICY, over: bytes | None = None, under: bytes | None = None
    ) -> Mutation:
        return Mutation(name, target, seed, policy, over, under)

    return [
        mutation("string-lost", _written(lambda strings: strings[:-1]), over=b"end"),
        mutation("string-cut", _written(lambda strings: [*strings[:-1], strings[-1][:-1]]), under=b"en"),
        mutation("one-too-many", _written(lambda strings: [*strings, "x"]), under=b"x"),
        mutation("string-longer", _written(lambda strings: [*strings[:-1], strings[-1] + "x"]), over=b"end"),
        mutation("case-not-admitted", _compares_exactly(dialect), _CASES, under=b"BAD"),
    ]


MUTATIONS = [*_of("koboldcpp"), *_of("tabbyapi")]
