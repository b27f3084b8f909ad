r"""`xgrammar`: EBNF for xgrammar (`Grammar.from_ebnf`, `GrammarCompiler.compile_grammar`), as 0.2.9 reads it.

The grammar is right-linear with positive classes. The same language given as a regular expression or with negated
classes can cost thousands of times more a token, and negated classes let surrogates through. Rule names take
letters, digits and underscores; a `#` begins a comment; escapes are `\uXXXX` and `\UXXXXXXXX`. Never `\x`: it takes
as many hexadecimal digits as follow, so that `\x09e` is one character.

xgrammar goes by text and not by tokens: where a vocabulary cannot finish a character it may hand out an empty mask,
which targets processor and outlines do not.
"""

from __future__ import annotations

from langc.compiler.target import EXACT, Artifact, Request, with_fidelity
from langc.targets._grammar import GrammarStyle, write_grammar
from langc.targets._notation import Notation, long_hex
from langc.targets._text import HARD, comment_lines, graph_of, refuse_soft

_STYLE = GrammarStyle(Notation(long_hex, in_literal='"\\', in_class="[]\\", numbered_in_class="^-"), joint="_")


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
        text = comment_lines(header) + write_grammar(graph_of(request.policy), _STYLE)
        return Artifact(self.name, request.dialect, self.suffix, header, EXACT, text=text)


TARGET = XGrammar()
