"""From the text of a surface to its syntax tree.

Linear time; the first syntax error ends it. Budgets are those of policy files, and hold for each surface.
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.limits import MAX_NESTING, MAX_POLICY_TOKENS, over_limit
from langc.compiler.source import Source, Span
from langc.compiler.syntax import lalr
from langc.compiler.syntax.surfaces.ast import SurfaceDecl
from langc.compiler.syntax.surfaces.build import Builder
from langc.compiler.syntax.surfaces.complaints import complain

TABLES = Path(__file__).parent.parent / "tables" / "surface.json"

_OPENERS = frozenset({"LPAR", "LSQB", "BODY"})
_CLOSERS = frozenset({"RPAR", "RSQB", "RBRACE"})
_BLANKS = frozenset({"WHITE_SPACE", lalr.END})


def parse_surface(source: Source, place: Span) -> tuple[SurfaceDecl, list[Diagnostic]]:
    """The tree of the surface that stands at a place, and what is wrong with its strings.

    Raises PolicyError at the first syntax error, and LimitError.
    """
    builder = Builder(source, place.start)
    watch = _Watch(source, builder)
    text = source.text[place.start : place.end]
    try:
        tree: SurfaceDecl = lalr.parse(lalr.load(TABLES), text, builder.reduce, watch.see)
    except lalr.Unexpected as error:
        raise PolicyError([*builder.diagnostics, complain(source, place, error)]) from None
    return tree, builder.diagnostics


class _Watch:
    """Sees every token: keeps the comments, and counts tokens and what is open."""

    def __init__(self, source: Source, builder: Builder) -> None:
        self.source, self.builder = source, builder
        self.tokens = self.depth = 0

    def see(self, token: lalr.Token) -> None:
        if token.kind == "COMMENT":
            self.builder.see_comment(token)
        self.depth += (token.kind in _OPENERS) - (token.kind in _CLOSERS)
        if self.depth > MAX_NESTING:
            self._refuse("nested brackets", MAX_NESTING, token)
        self.tokens += token.kind not in _BLANKS
        if self.tokens > MAX_POLICY_TOKENS:
            self._refuse("words, signs and comments in one surface", MAX_POLICY_TOKENS, token)

    def _refuse(self, what: str, limit: int, token: lalr.Token) -> NoReturn:
        start = self.builder.offset
        place = Span(token.span.start + start, token.span.end + start)
        raise LimitError(over_limit(what, limit, Label(self.source, place)))
