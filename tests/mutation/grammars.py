"""Faults in `gbnf` and `xgrammar`: the writer of right-linear grammars, and the automaton that it writes."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

from langc.compiler.automata import cover_graph
from langc.compiler.automata.graph import Graph
from langc.targets import _grammar, gbnf, xgrammar
from tests.mutation.mutations import Function, Mutation, Seed, instead, result, value
from tests.mutation.notations import BORDER, CARET, LETTERS, OVERLAP, SIGNS, TERM, range_moved

_WRITER = _grammar.GrammarWriter


def _numbered_in_class(module: ModuleType, signs: str) -> Seed:
    return value(
        module, "STYLE", lambda style: replace(style, notation=replace(style.notation, numbered_in_class=signs))
    )


def _ends_anywhere(graph: Graph) -> Graph:
    return Graph(graph.edges, frozenset(range(len(graph.edges))))


def _of(target: str, module: ModuleType, second: str, lowest: bytes) -> list[Mutation]:
    """The same faults for both formats.

    `second` is the name of the second rule of states; `lowest` the first character that the engine writes at all.
    """

    def drop_last(right: Function) -> Function:
        return lambda self, state, inlined: " | ".join(
            part for part in right(self, state, inlined).split(" | ") if not part.startswith('"xy"')
        )

    return [
        Mutation("high", target, range_moved(0, 1), LETTERS, over=b"d", engine=b"d"),
        Mutation("low", target, range_moved(1, 0), LETTERS, under=b"a", engine=b"a"),
        Mutation("border", target, range_moved(0, 1), BORDER, over="\u0800".encode(), engine=b"\xe0"),
        Mutation(
            "negated",
            target,
            result(_WRITER, "_class", lambda text: "[^" + text[1:]),
            LETTERS,
            over=b"d",
            under=b"a",
            engine=lowest,
        ),
        Mutation(
            "no-end",
            target,
            result(_WRITER, "_right_side", lambda text: text.replace(' | ""', "")),
            TERM,
            under=b"",
            engine=b"",
        ),
        Mutation("end-early", target, result(module, "graph_of", _ends_anywhere), OVERLAP, over=b"x", engine=b"x"),
        Mutation("loop-once", target, result(_WRITER, "_right_side", once), LETTERS, under=b"", engine=b""),
        Mutation(
            "alternative-lost", target, instead(_WRITER, "_right_side", drop_last), TERM, under=b"xy", engine=b"x"
        ),
        Mutation(
            "term-cut",
            target,
            instead(_WRITER, "row", lambda right: lambda self, labels: right(self, labels[:-1] or labels)),
            TERM,
            over=b"x",
            under=b"xy",
            engine=b"x",
        ),
        Mutation(
            "next-state",
            target,
            result(_WRITER, "_alternative", lambda text: text.replace(second, "root")),
            OVERLAP,
            over=b"x",
            under=b"xy",
            engine=b"x",
        ),
        Mutation(
            "overlap-lost",
            target,
            instead(cover_graph._Moves, "_behind", lambda right: lambda self, node: list(right(self, node))[:1]),
            OVERLAP,
            under=b"xyz",
            engine=b"xyz",
        ),
        Mutation("hyphen", target, _numbered_in_class(module, "^"), SIGNS, over=b",", engine=b","),
        Mutation("caret", target, _numbered_in_class(module, "-"), CARET, over=b"b", under=b"a", engine=lowest),
    ]


def once(text: str) -> str:
    """A loop that is taken once at least."""
    return text[:-1] + "+" if text.endswith("*") else text


MUTATIONS = [*_of("gbnf", gbnf, "state-2", b"\1"), *_of("xgrammar", xgrammar, "state_2", b"\0")]
