r"""`xgrammar`: EBNF for xgrammar (`Grammar.from_ebnf`, `GrammarCompiler.compile_grammar`), as 0.2.9 reads it.

The grammar is right-linear with positive classes. The same language given as a regular expression or with negated
classes can cost thousands of times more a token, and negated classes let surrogates through. Rule names take
letters, digits and underscores; a `#` begins a comment; escapes are `\uXXXX` and `\UXXXXXXXX`. Never `\x`: it takes
as many hexadecimal digits as follow, so that `\x09e` is one character.

xgrammar goes by text and not by tokens: where a vocabulary cannot finish a character it may hand out an empty mask,
which targets processor and outlines do not.
"""

from __future__ import annotations

from dataclasses import replace

from langc.compiler.automata.graph import Graph
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import Cover
from langc.compiler.limits import MAX_XGRAMMAR_RANGES, MAX_XGRAMMAR_TRANSITIONS, over_limit
from langc.compiler.policy import Policy
from langc.compiler.target import EXACT, Artifact, Request, SurfaceRequest, with_fidelity
from langc.targets._grammar import GrammarStyle, write_grammar
from langc.targets._notation import Notation, long_hex
from langc.targets._text import HARD, comment_lines, graph_of, refuse_soft

STYLE = GrammarStyle(Notation(long_hex, in_literal='"\\', in_class="[]\\", numbered_in_class="^-"), joint="_")


class XGrammar:
    """Emits the right-linear grammar of a hard policy."""

    name = "xgrammar"
    suffix = ".ebnf"
    summary = "a grammar for xgrammar, the engine of vLLM, SGLang and TensorRT-LLM"
    needs_vocabulary = False
    dialects = ()
    features = HARD
    options = ()

    def emit(self, request: Request) -> Artifact:
        """The grammar. Raises UnsupportedError for a soft policy, LimitError if it would be too large."""
        refuse_soft(request.policy, self.name)
        header = with_fidelity(request.header, EXACT)
        graph = _affordable(request.policy)
        text = comment_lines(header) + write_grammar(graph, _style(request.policy, graph))
        return Artifact(self.name, request.dialect, self.suffix, header, EXACT, text=text)

    def emit_surface(self, request: SurfaceRequest) -> Artifact:
        """A snapshot, with white space as far as it is certain: else the engine would compile for seconds.

        Raises PolicyError, LimitError.
        """
        from langc.targets._surface_bnf import write_snapshot
        from langc.targets._surfaces import NOTE, fidelity_of, snapshot_of

        grammar = snapshot_of(request.surface, exact=False)
        fidelity = fidelity_of(grammar, request.surface)
        header = with_fidelity({**request.header, "snapshot": NOTE}, fidelity)
        text = comment_lines(header) + write_snapshot(grammar, STYLE)
        return Artifact(self.name, None, self.suffix, header, fidelity, text=text)


def _style(policy: Policy, graph: Graph) -> GrammarStyle:
    """Classes where they are used, if they are not too many.

    A class that several rules share is a rule that xgrammar enters at run time, for every token that goes on behind it:
    with one denied phrase beside `ko` that is 32 ms a mask, and 3 µs with the class written out.
    """
    ranges = sum(len(label.ranges) for edges in graph.edges for label, _ in edges)
    if isinstance(policy.ir.language, Cover) or ranges > MAX_XGRAMMAR_RANGES:
        return STYLE
    return replace(STYLE, inline_ranges=ranges)


def _affordable(policy: Policy) -> Graph:
    """The automaton of a policy. Raises LimitError if xgrammar would take minutes to compile it.

    Terms are cheap: the paths of thousands of them are long rows with one way out.
    """
    graph = graph_of(policy)
    if not isinstance(policy.ir.language, Cover) and sum(map(len, graph.edges)) > MAX_XGRAMMAR_TRANSITIONS:
        raise LimitError(over_limit("transitions in the grammar", MAX_XGRAMMAR_TRANSITIONS))
    return graph


TARGET = XGrammar()
