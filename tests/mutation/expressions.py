"""Faults in `regex`, in every dialect, and in `outlines` with a regular expression."""

from __future__ import annotations

from langc.compiler.ir.language import Language, class_, concat, literal, repetition
from langc.compiler.unicode.intervals import IntervalSet
from langc.targets import _expression, outlines
from tests.mutation.mutations import Mutation, Seed, instead, result, value
from tests.mutation.notations import BORDER, CARET, LETTERS, SIGNS, TERM, range_moved, unescaped

_WRITER = _expression._Writer
_DOT = 'only [a-c]; allow "x.y";'
_BOUNDED = concat(literal("<"), repetition(class_(IntervalSet.of((0x61, 0x63))), 2, 3), literal(">"))
"""Two letters or three between brackets."""

NEGATED = result(_WRITER, "_atom", lambda text: text.replace("[", "[^", 1) if text.startswith("[") else text)
LOOP_ONCE = result(_expression, "quantifier", lambda text: "+" if text == "*" else text)
LAST_LOST = instead(
    _WRITER,
    "_alternatives",
    lambda right: lambda self, language: right(self, language).rpartition("|")[0] or right(self, language),
)
TERM_CUT = result(_WRITER, "_row", lambda text: "x" if text == "xy" else text)
UNGROUPED = result(_WRITER, "_atom", lambda text: text[3:-1] if text.startswith("(?:") else text)
ONE_MORE = instead(
    _expression,
    "quantifier",
    lambda right: lambda least, most: right(least, most + 1 if most is not None and most > 1 else most),
)


def _regex(dialect: str, engine: bool, lowest: bytes, border: bytes) -> list[Mutation]:
    """`border` is what shows to the engine that U+0800 passes."""
    target = f"regex:{dialect}"

    def mutation(
        name: str,
        seed: Seed,
        policy: str | Language,
        over: bytes | None,
        under: bytes | None,
        shown: bytes,
    ) -> Mutation:
        return Mutation(name, target, seed, policy, over, under, shown if engine else None)

    return [
        mutation("high", range_moved(0, 1), LETTERS, b"d", None, b"d"),
        mutation("low", range_moved(1, 0), LETTERS, None, b"a", b"a"),
        mutation("border", range_moved(0, 1), BORDER, "\u0800".encode(), None, border),
        mutation("negated", NEGATED, LETTERS, b"d", b"a", lowest),
        mutation("loop-once", LOOP_ONCE, LETTERS, None, b"", b""),
        mutation("alternative-lost", LAST_LOST, TERM, None, b"xy", b"x" if dialect == "rust" else b"xy"),
        mutation("term-cut", TERM_CUT, TERM, b"x", b"xy", b"x"),
        mutation("ungrouped", UNGROUPED, TERM, b"x", b"", b""),
        mutation("one-more", ONE_MORE, _BOUNDED, b"<aaaa>", None, b"<aaaa" if dialect == "rust" else b"<aaaa>"),
        mutation("dot", unescaped("."), _DOT, b"xdy", None, b"x\0" if dialect == "rust" else b"x-y"),
        mutation("hyphen", unescaped("-"), SIGNS, b",", None, b","),
        mutation("caret", unescaped("^"), CARET, b"b", b"a", lowest),
    ]


_OUTLINES = "outlines:regex"
_ADMITTED = b""
"""outlines-core cannot write the empty text, and the artefact says so. What else is lost is longer, so by language the
shortest loss is still this one, and only the engine shows the other."""

MUTATIONS = [
    *_regex("python", True, b"\0", "\u0800".encode()),
    *_regex("rust", True, b"\0", b"\xe0"),
    *_regex("pcre2", False, b"", b""),
    *_regex("ecmascript", False, b"", b""),
    Mutation("high", _OUTLINES, range_moved(0, 1), LETTERS, over=b"d", engine=b"d", admitted=_ADMITTED),
    Mutation("low", _OUTLINES, range_moved(1, 0), LETTERS, under=b"a", engine=b"a", admitted=_ADMITTED),
    Mutation("border", _OUTLINES, range_moved(0, 1), BORDER, "\u0800".encode(), engine=b"\xe0", admitted=_ADMITTED),
    Mutation("negated", _OUTLINES, NEGATED, LETTERS, over=b"d", under=b"a", engine=b"\0", admitted=_ADMITTED),
    Mutation("alternative-lost", _OUTLINES, LAST_LOST, TERM, under=b"xy", engine=b"x", admitted=_ADMITTED),
    Mutation("term-cut", _OUTLINES, TERM_CUT, TERM, over=b"x", under=b"xy", engine=b"x", admitted=_ADMITTED),
    Mutation("one-more", _OUTLINES, ONE_MORE, _BOUNDED, over=b"<aaaa>", engine=b"<aaaa"),
    Mutation(
        "claim-left-out", _OUTLINES, value(outlines, "Fidelity", lambda right: lambda under: right()), TERM, under=b""
    ),
    Mutation(
        "empty-text-kept",
        _OUTLINES,
        instead(outlines, "without_empty", lambda _: lambda language: language),
        LETTERS,
        error="anchored universal start state",
    ),
]
