"""Small surfaces of all kinds of lexemes, and vocabularies whose tokens cross them."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.environment.names import Environment, Group
from langc.compiler.surfaces.model import (
    Action,
    Call,
    Choice,
    Element,
    Fresh,
    Literal,
    Open,
    Reference,
    Repeat,
    Rule,
    Sequence,
    Sort,
    Surface,
    Token,
    TokenUse,
)
from langc.compiler.tokens.vocabulary import Vocabulary

WORDS = ("if", "iff", "in", "a", "end")
SIGNS = ("(", ")", ",", ".", "<", "<=", "=", "<<=")
NAMES = ("a", "ab", "abc", "name", "named", "i", "end of it", 'q"q', "x1")
PIECES = (
    *(*WORDS, *SIGNS, *NAMES),
    *("A", "AB", "NAME", "If", "n", "na", "nam", "e", "ed", "fre", "fresh", "b", "c", "x", "1", "12", "3.", ".5", "0"),
    *("'", "''", "'x", "y'", "'it''s'", " ", "  ", "\n", "#", "#x\n", "x\n", '"', '"a"', '"q""q"', 'end of it"', "\t"),
)
TOKENS = {
    "NUMBER": Token("NUMBER", r"[0-9]+(\.[0-9]+)?", r"[0-9a-z.]+"),
    "LETTERS": Token("LETTERS", "[a-z]+"),
    "STRING": Token("STRING", r"'([^'\0]|'')*'"),
    "SPACE": Token("SPACE", r"[ \t\n]+", skipped=True),
    "COMMENT": Token("COMMENT", r"#[^\n]*\n", skipped=True),
}
NAMED = Reference("Name")
ALIAS = Reference("Alias")
FRESH = Sequence((Fresh("Alias", "x", other_than=("Name",)), Action("bind", (("name", "x"), ("sort", "Alias")))))


def surface_of(rules: dict[str, Element], fold_case: bool = False, quotes: bool = True) -> Surface:
    """A surface of these rules, the first being the start."""
    return Surface(
        name="toy",
        start=next(iter(rules)),
        rules={name: Rule(name, body) for name, body in rules.items()},
        tokens=TOKENS,
        sorts={sort: Sort(sort) for sort in ("Name", "Alias")},
        scopes={},
        keywords=frozenset(WORDS),
        fold_case=fold_case,
        word="[A-Za-z_][A-Za-z0-9_]*",
        quotes=(('"', '"'),) if quotes else (),
    )


def environment_of(names: tuple[str, ...]) -> Environment:
    """Γ with these names."""
    return Environment("toy", {"Name": Group.of_names("Name", names)})


def engine_of(rules: dict[str, Element], names: tuple[str, ...] = NAMES, **options: bool) -> Engine:
    """A surface of rules over names."""
    return Engine(surface_of(rules, **options), environment_of(names))


leaves: st.SearchStrategy[Element] = st.one_of(
    st.sampled_from([Literal(text) for text in WORDS + SIGNS]),
    st.sampled_from([TokenUse("NUMBER"), TokenUse("STRING"), TokenUse("LETTERS"), TokenUse("NUMBER", "n")]),
    st.sampled_from([NAMED, ALIAS, FRESH, Open("Alias")]),
)
guarded_calls = st.builds(
    lambda before, rule: Sequence((before, Call(rule))),
    st.sampled_from([Literal(text) for text in SIGNS]),
    st.sampled_from(["start", "other"]),
)


def _larger(children: st.SearchStrategy[Element]) -> st.SearchStrategy[Element]:
    few = st.lists(children, min_size=1, max_size=4).map(tuple)
    times = st.sampled_from([(0, 1), (0, None), (1, None)])
    return st.one_of(
        st.builds(Sequence, few),
        st.builds(Choice, few),
        st.builds(lambda part, bounds: Repeat(part, *bounds), children, times),
    )


bodies = st.recursive(st.one_of(leaves, guarded_calls), _larger, max_leaves=10)
engines = st.builds(
    lambda start, other, names, fold_case, quotes: engine_of(
        {"start": start, "other": other}, tuple(names), fold_case=fold_case, quotes=quotes
    ),
    bodies,
    bodies,
    st.lists(st.sampled_from(NAMES), unique=True),
    st.booleans(),
    st.booleans(),
)

vocabularies = st.builds(
    lambda seed, size: vocabulary_of(random.Random(seed), size), st.integers(0, 9_999), st.integers(0, 400)
)


def vocabulary_of(draw: random.Random, size: int) -> Vocabulary:
    """All bytes, `size` tokens that are rows of pieces, a special token, and one that ends a text."""
    rows = ["".join(draw.choices(PIECES, k=draw.choice((1, 1, 2, 2, 3, 4, 6)))) for _ in range(size)]
    tokens = (*(bytes((byte,)) for byte in range(256)), *(row.encode() for row in rows), b"", b"")
    return Vocabulary("toy", tokens, {len(tokens) - 2: "<pad>", len(tokens) - 1: "<end>"}, frozenset({len(tokens) - 1}))


def referee(config: Config, vocabulary: Vocabulary) -> npt.NDArray[np.bool_]:
    """bool [V]: the tokens all of whose bytes can be read, one by one."""
    allowed = [bool(spelled) and config.run(spelled) is not None for spelled in vocabulary.tokens]
    return np.array(allowed, dtype=np.bool_)


def sql_like() -> Surface:
    """Declarations, and expressions over what is declared and what is in Γ, with all kinds of borders."""
    atom = Choice(
        (
            TokenUse("NUMBER"),
            TokenUse("STRING"),
            NAMED,
            ALIAS,
            Sequence((Literal("("), Call("row"), Literal(")"))),
            Sequence((Literal("if"), Call("atom"), Literal("end"))),
        )
    )
    row = Sequence((Call("atom"), Repeat(Sequence((Choice((Literal(","), Literal("<="))), Call("atom"))), 0, None)))
    start = Sequence((Repeat(Sequence((Literal("in"), FRESH, Literal("="), Call("atom"))), 0, None), Call("row")))
    return surface_of({"start": start, "row": row, "atom": atom}, fold_case=True)


Pick = Callable[[list[int]], int]


def pick(draw: random.Random, vocabulary: Vocabulary) -> Pick:
    """Chooses a token among some, long ones rather than short ones."""
    return lambda ids: max(draw.choices(ids, k=3), key=lambda token: len(vocabulary.tokens[token]))
