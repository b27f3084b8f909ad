"""Checks what lexemes are: patterns that can be read, tokens that are never empty, and lexemes that reach their end."""

from __future__ import annotations

from langc.compiler.automata.dfa import Dfa
from langc.compiler.errors import LimitError
from langc.compiler.json_schema.patterns import PatternError
from langc.compiler.source import Span
from langc.compiler.surfaces.syntax.languages import beyond, language, shown
from langc.compiler.surfaces.syntax.report import Report
from langc.compiler.syntax.surfaces import ast


def check_lexemes(decl: ast.SurfaceDecl, report: Report) -> None:
    """Reports what is wrong with the tokens, the settings and the literals that were written in a surface."""
    for item in decl.items:
        if isinstance(item, ast.TokenDecl):
            _check_token(item, report)
        elif isinstance(item, ast.KeywordsDecl):
            for word in item.words:
                if not word.value:
                    report.error("LC0940", "a keyword has at least one character", word.span)
    for setting in decl.settings:
        if isinstance(setting.value, ast.Pattern):
            _check_word(setting.value, report)
        elif isinstance(setting.value, tuple):
            for mark in (m for quote in setting.value for m in (quote.opener, quote.closer) if m):
                if not mark.value:
                    report.error("LC0940", "a quote has at least one character", mark.span)


def _check_token(token: ast.TokenDecl, report: Report) -> None:
    name = token.name.text
    own = _language(token.pattern, report)
    munch = _language(token.munch, report) if token.munch else own
    if own is None or munch is None:
        return
    if own.start in own.accepting:
        help_ = "what may be left out is said where the token is used: `TOKEN?`"
        report.error("LC0929", f"token `{name}` matches the empty text", token.pattern.span, help_)
    elif own.is_empty:
        report.error("LC0929", f"token `{name}` matches no text", token.pattern.span)
    elif token.munch is not None and (witness := beyond(own, munch)) is not None:
        report.error(
            "LC0930",
            f"token `{name}` could not be read to its end",
            token.munch.span,
            f"`munch` has to match all that `pattern` does, and more; it does not match {shown(witness)}",
            (report.label(token.pattern.span, "matches more"),),
        )


def _check_word(pattern: ast.Pattern, report: Report) -> None:
    word = _language(pattern, report)
    if word is not None and (word.start in word.accepting or word.is_empty):
        report.error("LC0929", "the shape of words matches the empty text, or none", pattern.span)


def _language(pattern: ast.Pattern, report: Report) -> Dfa | None:
    try:
        return language(pattern.text)
    except PatternError as error:
        report.error("LC0936", error.message, _place(pattern, error.offset, report), _HELP)
    except LimitError as error:
        found = error.diagnostics[0]
        report.error(found.code, found.message, pattern.span, "simplify the pattern")
    return None


_HELP = "a pattern is an ECMAScript regular expression that the whole lexeme matches, without lookaround and anchors"


def _place(pattern: ast.Pattern, offset: int, report: Report) -> Span:
    """The place of an offset in a pattern between slashes, where an escaped slash alone is longer than it is."""
    text = report.source.text
    if text[pattern.span.start] != "/":
        return pattern.span
    at = pattern.span.start + 1
    for _ in range(offset):
        at += 2 if text.startswith("\\/", at) else 1
    return Span(at, min(at + 1, pattern.span.end))
