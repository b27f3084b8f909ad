"""From the parser's reductions to the syntax tree of a surface, bottom up, as they happen.

Faulty escapes are reported and left out, so that one run finds them all; the tree of such a text is not complete.
"""

from __future__ import annotations

import re
from typing import Any

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.source import Source, Span
from langc.compiler.syntax import comments, escapes
from langc.compiler.syntax.ast import CommentLines, Text
from langc.compiler.syntax.lalr import Token
from langc.compiler.syntax.surfaces import ast

Values = list[Any]
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class Builder:
    """One method for each rule of the grammar, called with the rule's span and the values of its parts.

    The text that is parsed begins at `offset` of the source; all spans of the tree are of the source.
    """

    def __init__(self, source: Source, offset: int) -> None:
        self.source, self.offset = source, offset
        self.diagnostics: list[Diagnostic] = []
        self.comments: list[Token] = []

    def see_comment(self, token: Token) -> None:
        """Keeps a comment."""
        self.comments.append(Token(token.kind, self._moved(token.span), token.text))

    def reduce(self, rule: str, span: Span, values: Values) -> Any:
        """The value of a reduction (this is the parser's `Reducer`)."""
        return getattr(self, f"_{rule}")(self._moved(span), values)

    def _moved(self, span: Span) -> Span:
        return Span(span.start + self.offset, span.end + self.offset)

    # --- the surface and its items ------------------------------------------------------------------------------------

    def _start(self, span: Span, values: Values) -> ast.SurfaceDecl:
        name, refines, settings, body, *items = values
        opening = self._moved(body.span)
        placed, closing = comments.place(items, Span(opening.end, span.end - 1), self.comments, self.source.text)
        head = span.to(opening)
        return ast.SurfaceDecl(
            self._word(name),
            refines,
            settings or (),
            placed,
            leading=self._comments_in(head),
            closing=closing,
            head=head,
            span=span,
        )

    def _refined(self, span: Span, values: Values) -> ast.Word:
        return self._word(values[0])

    def _header(self, span: Span, values: Values) -> tuple[ast.Setting, ...]:
        return tuple(values)

    def _word_setting(self, span: Span, values: Values) -> ast.Setting:
        return ast.Setting(self._word(values[0]), self._word(values[1]), span=span)

    def _pattern_setting(self, span: Span, values: Values) -> ast.Setting:
        return ast.Setting(self._word(values[0]), values[1], span=span)

    def _quote_setting(self, span: Span, values: Values) -> ast.Setting:
        return ast.Setting(self._word(values[0]), tuple(values[1:]), span=span)

    def _quote(self, span: Span, values: Values) -> ast.Quote:
        opening, closing = values
        return ast.Quote(self._string(opening), closing and self._string(closing), span=span)

    def _pattern(self, span: Span, values: Values) -> ast.Pattern:
        token: Token = values[0]
        text = token.text[1:-1] if token.kind == "REGEX" else self._string(token).value
        return ast.Pattern(_ESCAPED.sub(_bare_slash, text), span=self._moved(token.span))

    _munch = _pattern

    def _token(self, span: Span, values: Values) -> ast.TokenDecl:
        name, pattern, munch = values
        return ast.TokenDecl(self._word(name), pattern, munch, leading=self._comments_in(span), span=span)

    def _skip(self, span: Span, values: Values) -> ast.TokenDecl:
        name, pattern, munch = values
        return ast.TokenDecl(self._word(name), pattern, munch, True, leading=self._comments_in(span), span=span)

    def _keywords(self, span: Span, values: Values) -> ast.KeywordsDecl:
        return ast.KeywordsDecl(tuple(map(self._string, values)), leading=self._comments_in(span), span=span)

    def _sort(self, span: Span, values: Values) -> ast.SortDecl:
        return ast.SortDecl(*map(self._word, values), leading=self._comments_in(span), span=span)

    def _env(self, span: Span, values: Values) -> ast.EnvDecl:
        return ast.EnvDecl(self._word(values[0]), leading=self._comments_in(span), span=span)

    def _env_from(self, span: Span, values: Values) -> ast.EnvDecl:
        name, kind, *arguments = values
        texts = tuple(self._string(a) for a in arguments if a)
        return ast.EnvDecl(self._word(name), self._word(kind), texts, leading=self._comments_in(span), span=span)

    def _scope(self, span: Span, values: Values) -> ast.ScopeDecl:
        return ast.ScopeDecl(self._word(values[0]), leading=self._comments_in(span), span=span)

    def _opaque_scope(self, span: Span, values: Values) -> ast.ScopeDecl:
        return ast.ScopeDecl(self._word(values[0]), True, leading=self._comments_in(span), span=span)

    def _level(self, span: Span, values: Values) -> ast.LevelDecl:
        return ast.LevelDecl(*map(self._word, values), leading=self._comments_in(span), span=span)

    def _rule(self, span: Span, values: Values) -> ast.RuleDecl:
        name, body = values
        leading, *above = self._by_choice(span, body)
        return ast.RuleDecl(self._word(name), body, leading=leading, above=tuple(above), span=span)

    def _by_choice(self, span: Span, body: ast.Element) -> list[CommentLines]:
        """The comments in a rule: with each choice those before it and in it, and that on the line where it ends.

        All are the first choice's if no other has any.
        """
        found = comments.within(self.comments, span)
        ends = [choice.span.end for choice in body.choices] if isinstance(body, ast.Choice) else [span.end]
        text = self.source.text
        lines: list[list[str]] = [[] for _ in ends]
        for comment in found:
            at = comment.span.start
            later = (n for n, end in enumerate(ends) if at < end or "\n" not in text[end:at])
            lines[next(later, len(ends) - 1)].append(comments.words(comment))
        return list(map(tuple, lines)) if any(lines[1:]) else [tuple(lines[0])]

    # --- what a rule is made of ---------------------------------------------------------------------------------------

    def _choice(self, span: Span, values: Values) -> ast.Choice:
        return ast.Choice(tuple(values), span=span)

    def _sequence(self, span: Span, values: Values) -> ast.Sequence:
        return ast.Sequence(tuple(values), span=span)

    def _group(self, span: Span, values: Values) -> ast.Element:
        inner: ast.Element = values[0]
        return inner

    def _optional(self, span: Span, values: Values) -> ast.Repeat:
        return ast.Repeat(values[0], "?", span=span)

    def _any_number(self, span: Span, values: Values) -> ast.Repeat:
        return ast.Repeat(values[0], "*", span=span)

    def _one_or_more(self, span: Span, values: Values) -> ast.Repeat:
        return ast.Repeat(values[0], "+", span=span)

    def _literal(self, span: Span, values: Values) -> ast.Literal:
        return ast.Literal(self._string(values[0]).value, span=span)

    def _use(self, span: Span, values: Values) -> ast.Use:
        return ast.Use(self._word(values[0]), span=span)

    def _call(self, span: Span, values: Values) -> ast.Use:
        return ast.Use(self._word(values[0]), values[1], span=span)

    def _kept(self, span: Span, values: Values) -> ast.Use:
        return ast.Use(self._word(values[1]), None, self._word(values[0]), span=span)

    def _kept_call(self, span: Span, values: Values) -> ast.Use:
        return ast.Use(self._word(values[1]), values[2], self._word(values[0]), span=span)

    def _within(self, span: Span, values: Values) -> ast.Within:
        scope, arguments, _, body = values
        return ast.Within(self._word(scope), arguments, body, span=span)

    def _action(self, span: Span, values: Values) -> ast.Action:
        return ast.Action(self._word(values[0]), values[1], span=span)

    def _guard(self, span: Span, values: Values) -> ast.Guard:
        return ast.Guard(self._word(values[1]), negated=values[0] is not None, span=span)

    def _guard_value(self, span: Span, values: Values) -> ast.Guard:
        negation, name, value = values
        return ast.Guard(self._word(name), None, self._word(value), negation is not None, span=span)

    def _guard_call(self, span: Span, values: Values) -> ast.Guard:
        negation, name, arguments = values
        return ast.Guard(self._word(name), arguments, None, negation is not None, span=span)

    def _arguments(self, span: Span, values: Values) -> ast.Arguments:
        return tuple(v for v in values if v is not None)

    def _argument(self, span: Span, values: Values) -> ast.Argument:
        return ast.Argument(tuple(map(self._word, values)), span=span)

    def _anywhere(self, span: Span, values: Values) -> ast.Argument:
        return ast.Argument(tuple(map(self._word, values)), anywhere=True, span=span)

    def _otherwise(self, span: Span, values: Values) -> ast.Argument:
        first, second = map(self._word, values)
        return ast.Argument((first,), otherwise=second, span=span)

    def _keyword(self, span: Span, values: Values) -> ast.Argument:
        key, value = map(self._word, values)
        return ast.Argument((value,), key, span=span)

    def _keyword_otherwise(self, span: Span, values: Values) -> ast.Argument:
        key, first, second = map(self._word, values)
        return ast.Argument((first,), key, second, span=span)

    # --- terminals ----------------------------------------------------------------------------------------------------

    def _word(self, token: Token) -> ast.Word:
        return ast.Word(token.text, span=self._moved(token.span))

    def _string(self, token: Token) -> Text:
        span = self._moved(token.span)
        return Text(escapes.read_string(token.text, lambda e: self._report(e, span.start)), span=span)

    def _report(self, error: escapes.BadEscape, start: int) -> None:
        place = Label(self.source, Span(start + error.span.start, start + error.span.end))
        self.diagnostics.append(Diagnostic(error.code, error.message, place, help=error.help))

    def _comments_in(self, span: Span) -> CommentLines:
        return tuple(comments.words(c) for c in comments.within(self.comments, span))


def _bare_slash(escaped: re.Match[str]) -> str:
    return "/" if escaped[1] == "/" else escaped[0]
