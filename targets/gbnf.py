r"""`gbnf`: a grammar for llama.cpp (`--grammar-file`, `grammar` of `/completion`).

The format is that of llama.cpp's `grammars/README.md`, as the build in xllamacpp 2026.10 reads it. Rule names take
letters, digits and hyphens; escapes are `\xXX`, `\uXXXX` and `\UXXXXXXXX`; a class is positive, because a negated
one is tested too strictly against half-read characters; there is no `[]`, which would match the empty text.

The server's time goes by ranges, so a class has as few as can be. On well-formed text the grammar is exact, but for
U+0000, which llama.cpp writes under no grammar. Of malformed text it lets overlong encodings through, three bytes
from E0 82 and four from F0 80 on, under every class that holds what they would mean: hence the flag `ill-formed`.

A surface becomes a snapshot, see `compiler/surfaces/snapshot/`. llama.cpp follows each reading of a text by itself, and
what ends a rule may be read in several ways; so between a rule that can end in a word or in a sign, and a word, white
space is not asked for.
"""

from __future__ import annotations

from langc.compiler.target import Artifact, Fidelity, Request, SurfaceRequest, with_fidelity
from langc.targets._grammar import GrammarStyle, write_grammar
from langc.targets._notation import Notation, short_hex
from langc.targets._text import HARD, comment_lines, graph_of, refuse_soft

STYLE = GrammarStyle(Notation(short_hex, in_literal='"\\', in_class="[]\\", numbered_in_class="^-"), joint="-")
_FIDELITY = Fidelity(ill_formed=True)


class Gbnf:
    """Emits the right-linear grammar of a hard policy."""

    name = "gbnf"
    suffix = ".gbnf"
    summary = "a grammar for llama.cpp"
    needs_vocabulary = False
    dialects = ()
    features = HARD
    options = ()

    def emit(self, request: Request) -> Artifact:
        """The grammar. Raises UnsupportedError for a soft policy, LimitError if it would be too large."""
        refuse_soft(request.policy, self.name)
        header = with_fidelity(request.header, _FIDELITY)
        text = comment_lines(header) + write_grammar(graph_of(request.policy), STYLE)
        return Artifact(self.name, request.dialect, self.suffix, header, _FIDELITY, text=text)

    def emit_surface(self, request: SurfaceRequest) -> Artifact:
        """A snapshot, with white space as far as it is certain. Raises PolicyError, LimitError."""
        from langc.targets._surface_bnf import write_snapshot
        from langc.targets._surfaces import NOTE, fidelity_of, snapshot_of

        grammar = snapshot_of(request.surface, exact=False)
        fidelity = fidelity_of(grammar, request.surface, ill_formed=True)
        header = with_fidelity({**request.header, "snapshot": NOTE}, fidelity)
        text = comment_lines(header) + write_snapshot(grammar, STYLE)
        return Artifact(self.name, None, self.suffix, header, fidelity, text=text)


TARGET = Gbnf()
