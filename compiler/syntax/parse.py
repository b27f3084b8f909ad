"""From text to a checked AST.

`parse` reads the text once, in linear time, and gives up at the first syntax error; what is wrong with
code points, ranges and names it collects. All budgets of reading are spent here.
"""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from typing import NamedTuple, NoReturn

from langc.compiler.diagnostics import Diagnostic, Label, Severity
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.limits import (
    MAX_DIAGNOSTICS,
    MAX_NESTING,
    MAX_POLICY_BYTES,
    MAX_POLICY_TOKENS,
    over_limit,
)
from langc.compiler.source import Source, Span
from langc.compiler.syntax import lalr
from langc.compiler.syntax.ast import PolicyFile
from langc.compiler.syntax.blocks import surface_blocks, without
from langc.compiler.syntax.build import Builder
from langc.compiler.syntax.check import check, refuse_depth
from langc.compiler.syntax.complaints import complain
from langc.compiler.syntax.escapes import escape
from langc.compiler.syntax.surfaces.ast import SurfaceDecl
from langc.compiler.syntax.surfaces.parse import parse_surface
from langc.compiler.unicode import names
from langc.compiler.unicode.intervals import SURROGATES

TABLES = Path(__file__).parent / "tables" / "policy.json"

_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]|\r(?!\n)")
_TURNS_TEXT = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""The controls that reorder what is shown: embeddings, overrides and isolates."""
_OPENERS = frozenset({"_OPEN", "OPEN_NOT", "LPAR"})
_CLOSERS = frozenset({"RSQB", "RPAR"})
_BLANKS = frozenset({"WHITE_SPACE", lalr.END})


class Parsed(NamedTuple):
    """A file without errors, and the warnings about it."""

    file: PolicyFile
    warnings: tuple[Diagnostic, ...]


def parse(text: str, name: str = "<policy>") -> PolicyFile:
    """The AST of a policy file. Raises PolicyError with every error found, or LimitError."""
    return parse_source(Source.of(name, text)).file


def parse_source(source: Source) -> Parsed:
    """The AST of a source, with the warnings. Raises PolicyError with every error found, or LimitError."""
    file, found = _read(source)
    return _without_errors(file, found + check(file))


def parse_form(source: Source) -> Parsed:
    """The AST of a source whose names need not make sense: enough to print it. Raises as `parse_source` does."""
    return _without_errors(*_read(source))


def _read(source: Source) -> tuple[PolicyFile, list[Diagnostic]]:
    """The AST as far as the text makes one, with what is wrong in it. Raises PolicyError at a syntax error."""
    _refuse_size(source)
    _refuse_controls(source)
    builder = Builder(source)
    reader = _Reader(source, builder)
    blocks = surface_blocks(source.text)
    builder.surfaces, errors = _surfaces(source, blocks)
    try:
        text = without(source.text, blocks)
        file: PolicyFile = lalr.parse(lalr.load(TABLES), text, builder.reduce, reader.see)
    except lalr.Unexpected as error:
        raise PolicyError(_errors([*errors, *builder.diagnostics, complain(source, error)])) from None
    if len(builder.surfaces) < len(blocks):
        raise PolicyError(_errors([*errors, *builder.diagnostics]))
    refuse_depth(file)
    found = [*errors, *builder.diagnostics]
    return file, found + _turned(source, found)


def _surfaces(source: Source, blocks: tuple[Span, ...]) -> tuple[tuple[SurfaceDecl, ...], list[Diagnostic]]:
    """The surfaces of the file that can be read, and what is wrong with them."""
    found: list[SurfaceDecl] = []
    errors: list[Diagnostic] = []
    for block in blocks:
        try:
            tree, wrong = parse_surface(source, block)
        except PolicyError as error:
            errors += error.diagnostics
        else:
            found.append(tree)
            errors += wrong
    return tuple(found), errors


def _without_errors(file: PolicyFile, found: list[Diagnostic]) -> Parsed:
    errors = _errors(found)
    if errors:
        raise PolicyError(errors)
    return Parsed(file, tuple(sorted(found, key=_place)[:MAX_DIAGNOSTICS]))


def _errors(found: list[Diagnostic]) -> list[Diagnostic]:
    """The first errors in the order of the text."""
    return sorted((d for d in found if d.severity is Severity.ERROR), key=_place)[:MAX_DIAGNOSTICS]


class _Reader:
    """Sees every token: keeps the comments, and counts tokens and open brackets."""

    def __init__(self, source: Source, builder: Builder) -> None:
        self.source, self.comments = source, builder.comments
        self.tokens = self.depth = 0

    def see(self, token: lalr.Token) -> None:
        if token.kind == "COMMENT":
            self.comments.append(token)
        elif token.kind in _OPENERS:
            self.depth += 1
            if self.depth > MAX_NESTING:
                self._refuse("nested brackets", MAX_NESTING, token.span)
        elif token.kind in _CLOSERS:
            self.depth -= 1
        self.tokens += token.kind not in _BLANKS
        if self.tokens > MAX_POLICY_TOKENS:
            self._refuse("words, characters and comments in one policy file", MAX_POLICY_TOKENS, token.span)

    def _refuse(self, what: str, limit: int, span: Span) -> NoReturn:
        raise LimitError(over_limit(what, limit, Label(self.source, span)))


def _refuse_size(source: Source) -> None:
    # An encoded text is never shorter than its code points: most texts need no encoding to be measured.
    if len(source.text) > MAX_POLICY_BYTES or len(source.text.encode("utf-8", "surrogatepass")) > MAX_POLICY_BYTES:
        raise LimitError(over_limit("bytes in one policy file", MAX_POLICY_BYTES))


def _refuse_controls(source: Source) -> None:
    """Controls and lone surrogates are not text; a file that has one is probably no policy at all."""
    match = _NOT_TEXT.search(source.text)
    if match:
        symbol, span = ord(match.group()), Span(match.start(), match.end())
        raise PolicyError(
            Diagnostic(
                "LC0006",
                f"{names.describe(symbol)} may not stand in a policy file",
                Label(source, span),
                help=None if symbol in SURROGATES else f"in strings and brackets write `{escape(symbol)}`",
            )
        )


def _turned(source: Source, known: list[Diagnostic]) -> list[Diagnostic]:
    """Warnings of text that looks other than it reads, where nothing is known to be wrong yet.

    This is "Trojan Source" (Boucher and Anderson, 2021; CVE-2021-42574).
    """
    places = {d.primary.span.start for d in known if d.primary}
    turning = (m for m in _TURNS_TEXT.finditer(source.text) if m.start() not in places)
    return [_turn(source, match) for match in islice(turning, MAX_DIAGNOSTICS)]


def _turn(source: Source, match: re.Match[str]) -> Diagnostic:
    symbol = ord(match.group())
    return Diagnostic(
        "LC0112",
        f"{names.describe(symbol)} makes the text look other than it reads",
        Label(source, Span(match.start(), match.end())),
        severity=Severity.WARNING,
        help=f"take it out; in strings and brackets write `{escape(symbol)}`",
    )


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    span = diagnostic.primary.span if diagnostic.primary else Span(0, 0)
    return span.start, span.end
