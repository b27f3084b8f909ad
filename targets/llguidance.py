r"""`llguidance`: a grammar for llguidance (`LLMatcher.grammar_from_lark`), as 1.9.1 reads it; also in vLLM and SGLang.

The format is llguidance's variant of Lark, https://github.com/guidance-ai/llguidance/blob/main/docs/syntax.md. The
whole text is one terminal, `start: TEXT`: as rules, the right-linear grammar of gbnf and xgrammar would spend the
engine's budget of items. Terminals have `&` and `~`, so exempt code blocks are written down as they are defined and
stay small. A `//` begins a comment; escapes are those of Rust's regular expressions.

llguidance goes by text and not by tokens: where a vocabulary cannot finish a character it fails, and only the end
token is left. Targets processor and outlines look ahead.
"""

from __future__ import annotations

from langc.compiler.target import EXACT, Artifact, Request, SurfaceRequest, with_fidelity
from langc.targets._lark import terminals_of
from langc.targets._text import HARD, comment_lines, refuse_soft

OPTIONS = '%llguidance {"no_forcing": true}\n'
"""Where one text alone can follow, every token that begins it is offered, not just the engine's own choice."""


class LlGuidance:
    """Emits the terminals of a hard policy."""

    name = "llguidance"
    suffix = ".lark"
    summary = "a grammar for llguidance, an engine of vLLM and SGLang"
    needs_vocabulary = False
    dialects = ()
    features = HARD
    options = ()

    def emit(self, request: Request) -> Artifact:
        """The grammar. Raises UnsupportedError for a soft policy, LimitError if it would be too large."""
        refuse_soft(request.policy, self.name)
        header = with_fidelity(request.header, EXACT)
        text = comment_lines(header, "//") + OPTIONS + "start: TEXT\n" + terminals_of(request.policy)
        return Artifact(self.name, request.dialect, self.suffix, header, EXACT, text=text)

    def emit_surface(self, request: SurfaceRequest) -> Artifact:
        """A snapshot. Raises PolicyError, LimitError."""
        from langc.targets._surface_lark import write_lark
        from langc.targets._surfaces import NOTE, fidelity_of, snapshot_of

        grammar = snapshot_of(request.surface, exact=True)
        fidelity = fidelity_of(grammar, request.surface)
        header = with_fidelity({**request.header, "snapshot": NOTE}, fidelity)
        text = comment_lines(header, "//") + OPTIONS + write_lark(grammar)
        return Artifact(self.name, None, self.suffix, header, fidelity, text=text)


TARGET = LlGuidance()
