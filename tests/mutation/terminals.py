"""Faults in `llguidance`: the writer of terminals, and of the expressions in them."""

from __future__ import annotations

from langc.compiler.ir.language import (
    EMPTY,
    Language,
    alternation,
    class_,
    complement,
    concat,
    intersection,
    literal,
    repetition,
)
from langc.compiler.unicode.intervals import IntervalSet
from langc.targets import _lark
from tests.mutation.expressions import LAST_LOST, LOOP_ONCE, NEGATED, TERM_CUT
from tests.mutation.mutations import Mutation, instead, result
from tests.mutation.notations import BORDER, LETTERS, TERM, range_moved

_WRITER = _lark._Writer
_TARGET = "llguidance"


def _letters(first: str, last: str, least: int = 0, most: int | None = None) -> Language:
    return repetition(class_(IntervalSet.of((ord(first), ord(last)))), least, most)


def _han(first: int) -> Language:
    """Two or three of a set that is long enough to get a name of its own."""
    return repetition(class_(IntervalSet.of(*((first + n, first + n + 3) for n in (0, 10, 20)))), 2, 3)


_BOTH = intersection(_letters("a", "b"), _letters("b", "c"))
"""`/[ab]*/ & /[bc]*/`, which is `b*`."""
_EITHER = alternation(_BOTH, literal("x"))
_GROUPED = intersection(
    alternation(_letters("a", "b"), intersection(_letters("b", "c"), _letters("a", "b"))), _letters("b", "c")
)
"""`(/[ab]*/ | /[bc]*/ & /[ab]*/) & /[bc]*/`."""
_OPTIONAL = alternation(EMPTY, concat(_BOTH, literal("x")))
_REPEATED = repetition(concat(_BOTH, literal("x")), 2, 3)
_NINTH = intersection(
    _letters("a", "c"), complement(concat(_letters("a", "c"), literal("a"), _letters("a", "c", 9, 9)))
)
"""No `a` with nine letters behind it at the end: a complement that is too large to be written out."""
_A, _B = _han(0x4E00), _han(0x5000)
_NAMED = concat(_A, literal("-"), _A, literal("+"), _B, literal("-"), _B)

MUTATIONS = [
    Mutation("high", _TARGET, range_moved(0, 1), LETTERS, over=b"d", engine=b"d"),
    Mutation("low", _TARGET, range_moved(1, 0), LETTERS, under=b"a", engine=b"a"),
    Mutation("border", _TARGET, range_moved(0, 1), BORDER, over="\u0800".encode(), engine=b"\xe0"),
    Mutation("negated", _TARGET, NEGATED, LETTERS, over=b"d", under=b"a", engine=b"\0"),
    Mutation("loop-once", _TARGET, LOOP_ONCE, LETTERS, under=b"", engine=b""),
    Mutation("alternative-lost", _TARGET, LAST_LOST, TERM, under=b"xy", engine=b"x"),
    Mutation("term-cut", _TARGET, TERM_CUT, TERM, over=b"x", under=b"xy", engine=b"x"),
    Mutation(
        "either-for-both",
        _TARGET,
        result(_WRITER, "_composed", lambda text: text.replace(" & ", " | ")),
        _BOTH,
        over=b"a",
        engine=b"a",
    ),
    Mutation(
        "not-negated",
        _TARGET,
        result(_WRITER, "_factor", lambda text: text.removeprefix("~")),
        _NINTH,
        over=b"a" * 10,
        under=b"",
        engine=b"",
    ),
    Mutation(
        "ungrouped",
        _TARGET,
        instead(_WRITER, "_text", lambda right: lambda self, node, _: right(self, node, 0)),
        _GROUPED,
        over=b"a",
        engine=b"a",
    ),
    Mutation(
        "last-terminal-lost",
        _TARGET,
        instead(_WRITER, "_joined", lambda right: lambda self, parts, kind: list(right(self, parts, kind))[:1]),
        _EITHER,
        under=b"",
        engine=b"",
    ),
    Mutation(
        "option-lost",
        _TARGET,
        instead(_lark, "_either", lambda right: lambda parts: right([p for p in parts if p != EMPTY])),
        _OPTIONAL,
        under=b"",
        engine=b"",
    ),
    Mutation(
        "one-more",
        _TARGET,
        instead(_lark, "quantifier", lambda right: lambda least, most: right(least, most and most + 1)),
        _REPEATED,
        over=b"xxxx",
        engine=b"xxxb",
    ),
    Mutation(
        "one-name",
        _TARGET,
        result(_WRITER, "_name", lambda _: "PART_1"),
        _NAMED,
        over="一一-一一+一一-一一".encode(),
        under="一一-一一+倀倀-倀倀".encode(),
        engine="一一-一一+".encode() + b"\xe4",
    ),
]
