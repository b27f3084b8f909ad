"""Misunderstandings that an emitter and the reader of its format share: by language all is well, the engine objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from langc.compiler.ir.language import alternation, literal
from langc.compiler.target import Artifact
from langc.compiler.unicode.intervals import IntervalSet
from langc.compiler.verify import languages
from langc.compiler.verify.readers import bias, bnf, fsm, regex
from langc.compiler.verify.readers.nodes import Chars
from langc.targets import _fsm, _grammar, xgrammar
from langc.targets._notation import short_hex
from langc.targets.outlines import Outlines
from tests.mutation.biases import listed
from tests.mutation.expressions import LOOP_ONCE
from tests.mutation.grammars import once
from tests.mutation.mutations import Mutation, Seed, instead, result, together, value
from tests.mutation.notations import LETTERS, TERM, range_moved, unescaped
from tests.mutation.token_automata import tensors
from tests.unit.targets.logit_bias.toys import VOCABULARY

_TAB = r'only [a-c]; allow "\te";'
"""A character without a name before one that is a hexadecimal digit."""
_DOT = 'only [a-c]; allow "x.y";'
_EMOJI = "deny [😀];"
_SYLLABLES = "only [a-c가-힣];"
"""One state for the policy; the engine is in another one behind the first letter, and there goes wrong."""
_LONGER = alternation(literal("a"), literal("abc"))
"""A text that may end, and go on behind its end."""


def _upper_end_is_outside(reader: ModuleType) -> Seed:
    """Ranges are written, and read, as if the last member were not in them."""

    def make(right: Callable[..., Chars]) -> Callable[..., Chars]:
        return lambda ranges, *rest: right([(low, max(low, high - 1)) for low, high in ranges], *rest)

    return together(range_moved(0, 1), instead(reader, "chars", make))


def _plus_is_star(writer: Seed, reader: ModuleType) -> Seed:
    """A `+` is written, and read, for any number of times."""
    return together(writer, result(reader, "bounds", lambda found: (0, None) if found == (1, None) else found))


def _dot_is_literal(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, depth: Chars(IntervalSet.of(".")) if self.scanner.skip(".") else right(self, depth)


def _ends(found: Any) -> Any:
    return replace(found, accepting=~found.accepting, endable=~found.endable)


def _bounds_themselves(ids: Any) -> list[int]:
    """First and last ids, where the format wants the lengths of stretches."""
    return [*map(int, (ids[0], ids[-1] + 1))]


def _without_dollar(artifact: Artifact) -> Artifact:
    return replace(artifact, text=(artifact.text or "").removesuffix("$"))


_GRAMMAR_ONCE = result(_grammar.GrammarWriter, "_right_side", once)

MUTATIONS = [
    Mutation("shared-bounds", "gbnf", _upper_end_is_outside(bnf), LETTERS, engine=b"d"),
    Mutation("shared-bounds", "xgrammar", _upper_end_is_outside(bnf), LETTERS, engine=b"d"),
    Mutation("shared-bounds", "llguidance", _upper_end_is_outside(regex), LETTERS, engine=b"d"),
    Mutation("shared-bounds", "regex:rust", _upper_end_is_outside(regex), LETTERS, engine=b"d"),
    Mutation("shared-bounds", "regex:python", _upper_end_is_outside(regex), LETTERS, engine=b"d"),
    Mutation("shared-bounds", "outlines:regex", _upper_end_is_outside(regex), LETTERS, engine=b"d", admitted=b""),
    Mutation("shared-plus", "gbnf", _plus_is_star(_GRAMMAR_ONCE, bnf), LETTERS, engine=b""),
    Mutation("shared-plus", "xgrammar", _plus_is_star(_GRAMMAR_ONCE, bnf), LETTERS, engine=b""),
    Mutation("shared-plus", "llguidance", _plus_is_star(LOOP_ONCE, regex), LETTERS, engine=b""),
    Mutation("shared-plus", "regex:python", _plus_is_star(LOOP_ONCE, regex), LETTERS, engine=b""),
    Mutation(
        "shared-x-escape",
        "xgrammar",
        together(
            value(xgrammar, "STYLE", lambda s: replace(s, notation=replace(s.notation, by_number=short_hex))),
            value(languages, "XGRAMMAR", lambda dialect: replace(dialect, digits={**dialect.digits, "x": 2})),
        ),
        _TAB,
        engine=b"\t",
    ),
    Mutation(
        "shared-dot",
        "regex:python",
        together(unescaped("."), instead(regex._Reader, "_atom", _dot_is_literal)),
        _DOT,
        engine=b"x-y",
    ),
    Mutation("no-dollar", "outlines:regex", result(Outlines, "_regex", _without_dollar), _LONGER, engine=b"ab"),
    Mutation(
        "no-dollar-later",
        "outlines:regex",
        result(Outlines, "_regex", _without_dollar),
        _SYLLABLES,
        engine=b"a\xeb",
        admitted=b"",
    ),
    Mutation(
        "shared-runs",
        "outlines:fsm",
        together(
            instead(_fsm, "_run_lengths", lambda _: _bounds_themselves),
            instead(fsm, "_bounds", lambda _: lambda runs, _: np.array(runs)),
        ),
        TERM,
        engine=b"d",
    ),
    Mutation(
        "shared-ends",
        "processor",
        together(
            tensors(lambda t: {"accepting": 1 - t["accepting"], "endable": 1 - t["endable"]}),
            result(languages, "read_processor", _ends),
        ),
        TERM,
        engine=b"",
    ),
    *(
        Mutation(
            "shared-ban",
            f"logit-bias:{dialect}",
            together(listed(dialect, lambda ids, _: (ids, -99)), value(bias, "_LOWEST", lambda _: -99)),
            _EMOJI,
            engine="😀".encode(),
            vocabulary=VOCABULARY,
        )
        for dialect in ("openai", "vllm")
    ),
]
