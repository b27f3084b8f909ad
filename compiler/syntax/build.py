"""From the parser's reductions to the AST, bottom up, as they happen.

Code points, ranges and property escapes are read here. A faulty one is reported and its node is left out
(None), so that one run finds them all; the AST of a text with errors is not complete.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from langc.compiler.diagnostics import Diagnostic, Label, Severity
from langc.compiler.source import Source, Span
from langc.compiler.syntax import ast, comments, escapes
from langc.compiler.syntax.lalr import Token
from langc.compiler.syntax.surfaces.ast import SurfaceDecl
from langc.compiler.unicode import glyphs, names

_PROPERTY_WORDS = re.compile(r"[A-Za-z0-9_ .-]+")

Values = list[Any]


class Builder:
    """One method for each rule of the grammar, called with the rule's span and the values of its parts."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.surfaces: tuple[SurfaceDecl, ...] = ()
        """Those of the file, for their place among the comments."""
        self.diagnostics: list[Diagnostic] = []
        self.comments: list[Token] = []

    def reduce(self, rule: str, span: Span, values: Values) -> Any:
        """The value of a reduction (this is the parser's `Reducer`)."""
        return getattr(self, f"_{rule}")(span, values)

    def _report(self, code: str, message: str, span: Span, help: str | None = None, **more: Any) -> None:
        self.diagnostics.append(Diagnostic(code, message, Label(self.source, span), help=help, **more))

    def _report_escape(self, error: escapes.BadEscape, start: int) -> None:
        self._report(error.code, error.message, Span(start + error.span.start, start + error.span.end), error.help)

    # --- files, policies, items -----------------------------------------------------------------

    def _start(self, span: Span, policies: Values) -> ast.PolicyFile:
        whole = Span(0, len(self.source.text))
        blocks = sorted((*policies, *self.surfaces), key=lambda block: block.span)
        placed, closing = comments.place(blocks, whole, self.comments, self.source.text)
        surfaces = tuple(b for b in placed if isinstance(b, SurfaceDecl))
        found = tuple(b for b in placed if isinstance(b, ast.PolicyDecl))
        return ast.PolicyFile(found, surfaces, source=self.source, closing=closing, span=whole)

    def _policy(self, span: Span, values: Values) -> ast.PolicyDecl:
        name, doc, body, *items = values
        inner = Span(body.span.end, span.end - 1)
        placed, closing = comments.place(items, inner, self.comments, self.source.text)
        return ast.PolicyDecl(
            name.text,
            self._string(doc).value if doc else None,
            placed,
            name_span=name.span,
            leading=self._comments_in(span.to(body.span)),
            closing=closing,
            span=span,
        )

    def _use(self, span: Span, values: Values) -> ast.Use:
        word: Token = values[0]
        named = ast.PolicyName(word.text, span=word.span) if word.kind == "NAME" else self._string(word)
        return ast.Use(named, leading=self._comments_in(span), span=span)

    def _use_with(self, span: Span, values: Values) -> ast.Use:
        named, body, *items = values
        placed, closing = comments.place(items, Span(body.span.end, span.end - 1), self.comments, self.source.text)
        head = span.to(body.span)
        return replace(self._use(head, [named]), overrides=placed, closing=closing, span=span)

    def _let(self, span: Span, values: Values) -> ast.Let:
        name, value = values
        value = value or ast.Union((), span=span)
        return ast.Let(name.text, value, name_span=name.span, leading=self._comments_in(span), span=span)

    def _deny(self, span: Span, values: Values) -> ast.Deny:
        return ast.Deny(self._operands(values), leading=self._comments_in(span), span=span)

    def _only(self, span: Span, values: Values) -> ast.Only:
        return ast.Only(self._operands(values), leading=self._comments_in(span), span=span)

    def _allow(self, span: Span, values: Values) -> ast.Allow:
        *operands, ending = values if isinstance(values[-1], ast.Options) else (*values, None)
        return ast.Allow(self._operands(operands), ending, leading=self._comments_in(span), span=span)

    def _only_up_to(self, span: Span, values: Values) -> ast.Only:
        *operands, length = values
        number = self._length(length)
        return ast.Only(self._operands(operands), number, leading=self._comments_in(span), span=span)

    def _region(self, span: Span, values: Values) -> ast.Region:
        name, *parts = values
        kinds = tuple(p for p in parts if isinstance(p, ast.RegionKind))
        body = next(p for p in parts if isinstance(p, Token))
        inner = Span(body.span.end, span.end - 1)
        items: list[ast.RuleItem | ast.InSurface] = [p for p in parts if isinstance(p, ast.RuleItem | ast.InSurface)]
        placed, closing = comments.place(items, inner, self.comments, self.source.text)
        head = self._comments_in(span.to(body.span))
        return ast.Region(name.text, kinds, placed, name_span=name.span, closing=closing, leading=head, span=span)

    def _named_kind(self, span: Span, values: Values) -> ast.RegionKind:
        return ast.RegionKind(values[0].text, span=span)

    def _field_kind(self, span: Span, values: Values) -> ast.RegionKind:
        return ast.RegionKind(values[0].text, field=self._string(values[1]), span=span)

    def _between(self, span: Span, values: Values) -> ast.RegionKind:
        word, opener, closer = values
        return ast.RegionKind(word and word.text, (self._string(opener), self._string(closer)), span=span)

    def _between_after(self, span: Span, values: Values) -> ast.RegionKind:
        after, opener, closer = values
        delimiters = (self._string(opener), self._string(closer))
        return ast.RegionKind(None, delimiters, after or ast.Union((), span=span), span=span)

    def _unclosed(self, span: Span, values: Values) -> ast.Unclosed:
        name, choice = values
        return ast.Unclosed(name.text, choice.text, name_span=name.span, leading=self._comments_in(span), span=span)

    def _surface(self, span: Span, values: Values) -> ast.InSurface:
        name = values[0]
        return ast.InSurface(name.text, name_span=name.span, leading=self._comments_in(span), span=span)

    def _length(self, token: Token) -> int:
        """A number; one with more digits than any limit counts as the largest."""
        digits = token.text.lstrip("0") or "0"
        return int(digits) if len(digits) < 10 else 10**9

    def _deny_phrases(self, span: Span, values: Values) -> ast.DenyPhrases:
        return ast.DenyPhrases(*values, leading=self._comments_in(span), span=span)

    def _discourage(self, span: Span, values: Values) -> ast.Discourage:
        *operands, cost = values
        return ast.Discourage(self._operands(operands), cost, leading=self._comments_in(span), span=span)

    def _discourage_phrases(self, span: Span, values: Values) -> ast.DiscouragePhrases:
        return ast.DiscouragePhrases(*values, leading=self._comments_in(span), span=span)

    def _replace(self, span: Span, values: Values) -> ast.Replace:
        *operands, text = values
        return ast.Replace(self._operands(operands), self._string(text), leading=self._comments_in(span), span=span)

    def _replace_phrases(self, span: Span, values: Values) -> ast.ReplacePhrases:
        phrases, text, *options = values
        return ast.ReplacePhrases(phrases, self._string(text), *options, leading=self._comments_in(span), span=span)

    def _number(self, span: Span, values: Values) -> ast.Cost:
        return ast.Cost(".".join(token.text for token in values if token), span=span)

    def _stop(self, span: Span, values: Values) -> ast.StopOn:
        return ast.StopOn(*values, leading=self._comments_in(span), span=span)

    def _stop_before(self, span: Span, values: Values) -> ast.StopBefore:
        return ast.StopBefore(*values, leading=self._comments_in(span), span=span)

    def _allow_from(self, span: Span, values: Values) -> ast.AllowFrom:
        path, *options = values
        file = ast.TextFile(self._string(path), span=path.span)
        return ast.AllowFrom(file, *options, leading=self._comments_in(span), span=span)

    def _accept(self, span: Span, values: Values) -> ast.Accept:
        return ast.Accept(self._string(values[0]), leading=self._comments_in(span), span=span)

    def _reject(self, span: Span, values: Values) -> ast.Reject:
        text, at = self._string(values[0]), values[1]
        offset = None if at is None else self._offset(at, text)
        return ast.Reject(text, offset, leading=self._comments_in(span), span=span)

    def _offset(self, number: Token, text: ast.Text) -> int | None:
        """The number after `at`. Its length is compared first: no number is too long to be read."""
        length = len(text.value)
        digits = number.text.lstrip("0") or "0"
        if len(digits) <= len(str(length)) and int(digits) <= length:
            return int(digits)
        self._report(
            "LC0314",
            f"the text has only {length} code point{'s' * (length != 1)}",
            number.span,
            "`at` counts code points from 0; the text's own length stands for a wrong end",
            secondary=(Label(self.source, text.span, "this text"),),
        )
        return None

    def _comments_in(self, span: Span) -> ast.CommentLines:
        return tuple(comments.words(c) for c in comments.within(self.comments, span))

    def _string(self, token: Token) -> ast.Text:
        start = token.span.start
        return ast.Text(escapes.read_string(token.text, lambda e: self._report_escape(e, start)), span=token.span)

    # --- phrases and their options ----------------------------------------------------------------

    def _phrases(self, span: Span, values: Values) -> ast.Texts:
        return ast.Texts(tuple(map(self._string, values)), span=span)

    def _phrases_from(self, span: Span, values: Values) -> ast.TextFile:
        return ast.TextFile(self._string(values[0]), span=span)

    def _options(self, span: Span, values: Values) -> ast.Options:
        return ast.Options(tuple(v for v in values if isinstance(v, ast.Option)), span=span)

    def _option(self, span: Span, values: Values) -> ast.Option:
        return ast.Option(tuple(values), span=span)

    def _words(self, span: Span, values: Values) -> ast.Words:
        *words, text = values
        return ast.Words(tuple(token.text for token in words), text and self._string(text), span=span)

    # --- operands -------------------------------------------------------------------------------

    def _script(self, span: Span, values: Values) -> ast.ScriptSet:
        name = values[0]
        return ast.ScriptSet((ast.ScriptName(name.text, span=name.span),), span=span)

    def _script_strictly(self, span: Span, values: Values) -> ast.ScriptSet:
        return replace(self._script(span, values), strictly=True)

    def _listed_strictly(self, span: Span, values: Values) -> ast.ScriptSet:
        """`NAME strictly`, the end of a list: a script set that begins with its name, not with `script`."""
        return self._script_strictly(span, values)

    def _operands(self, values: Values) -> tuple[ast.Operand, ...]:
        """The operands of a rule; the plain names after `script NAME,` go into its list."""
        parts: list[list[ast.Operand]] = []
        for value in filter(None, values):
            name = _listed_name(value)
            if name and parts and _is_open_list(parts[-1]):
                parts[-1].append(value)
            elif name and isinstance(value, ast.ScriptSet):
                help_ = f"write `script {name.name} strictly`"
                self._report("LC0111", "`strictly` has no list of scripts", value.span, help_)
            else:
                parts.append([value])
        return tuple(_script_list(part) if len(part) > 1 else part[0] for part in parts)

    def _sequence(self, span: Span, values: Values) -> ast.Operand | None:
        parts = tuple(filter(None, values))
        return ast.Sequence(parts, span=span) if len(parts) > 1 else next(iter(parts), None)

    # --- sets outside brackets ------------------------------------------------------------------

    def _union(self, span: Span, values: Values) -> ast.SetExpr:
        return ast.Union(tuple(filter(None, values)), brackets=False, span=span)

    def _difference(self, span: Span, values: Values) -> ast.SetExpr | None:
        left, right = values
        return ast.Difference(left, right, span=span) if left and right else None

    def _intersection(self, span: Span, values: Values) -> ast.SetExpr | None:
        left, right = values
        return ast.Intersection(left, right, span=span) if left and right else None

    def _negation(self, span: Span, values: Values) -> ast.SetExpr | None:
        return ast.Negation(values[0], span=span) if values[0] else None

    def _group(self, span: Span, values: Values) -> ast.SetExpr | None:
        """The span takes in the parentheses: a name in them is longer than the name alone."""
        return _widened(values[0], span)

    def _set_name(self, span: Span, values: Values) -> ast.SetName:
        return ast.SetName(values[0].text, span=span)

    def _text(self, span: Span, values: Values) -> ast.Text:
        return self._string(values[0])

    def _encodable(self, span: Span, values: Values) -> ast.Encodable:
        return ast.Encodable(self._string(values[0]), span=span)

    def _characters(self, span: Span, values: Values) -> ast.Characters:
        return ast.Characters(self._string(values[0]), span=span)

    def _compat(self, span: Span, values: Values) -> ast.Compat | None:
        return ast.Compat(values[0], span=span) if values[0] else None

    def _code_point(self, span: Span, values: Values) -> ast.Character | None:
        token: Token = values[0]
        try:
            return ast.Character(escapes.read_code_point(token.text), span=token.span)
        except escapes.BadEscape as error:
            self._report_escape(error, token.span.start)
            return None

    def _code_point_range(self, span: Span, values: Values) -> ast.CharacterRange | None:
        return self._range(span, [self._code_point(v.span, [v]) for v in values])

    # --- sets inside brackets -------------------------------------------------------------------

    def _bracket(self, span: Span, values: Values) -> ast.SetExpr | None:
        if values[0] == ast.Union(()) and " " in self.source.text[span.start : span.end]:
            message, help_ = (
                "blanks in brackets mean nothing: this is the empty set",
                r"for the blank itself write `[\ ]`",
            )
            self._report("LC0206", message, span, help_, severity=Severity.WARNING)
        return _widened(values[0], span)

    def _negated_bracket(self, span: Span, values: Values) -> ast.SetExpr | None:
        return self._negation(span, [self._bracket(span, values)])

    def _members(self, span: Span, values: Values) -> ast.Union:
        return ast.Union(tuple(filter(None, values)), span=span)

    def _run(self, span: Span, values: Values) -> ast.SetExpr | None:
        """The operand of an operator in brackets: one member as it is, several united."""
        return values[0] if len(values) == 1 else self._members(span, values)

    def _character(self, span: Span, values: Values) -> ast.Character:
        symbol = ord(values[0].text)
        if not glyphs.is_plain(symbol):
            self._report(
                "LC0205",
                f"{names.describe(symbol)} is a member of its own here, which is easy to miss",
                span,
                f'write `{escapes.escape(symbol)}` if it is meant; longer texts go into `allow "…"`',
                severity=Severity.WARNING,
            )
        return ast.Character(symbol, span=span)

    def _escape(self, span: Span, values: Values) -> ast.Character | None:
        try:
            return ast.Character(escapes.read_member(values[0].text), span=span)
        except escapes.BadEscape as error:
            self._report_escape(error, span.start)
            return None

    def _range(self, span: Span, values: Values) -> ast.CharacterRange | None:
        low, high = values
        if low is None or high is None:
            return None
        if low.value > high.value:
            self._report(
                "LC0203",
                "range ends before it starts",
                span,
                f"from {names.describe(low.value)} to {names.describe(high.value)}; turn the two around",
            )
            return None
        return ast.CharacterRange(low, high, span=span)

    def _property(self, span: Span, values: Values) -> ast.Property | None:
        raw: str = values[0].text
        inner = raw[3:-1].strip()
        negated = (raw[1] == "P") != inner.startswith("^")
        *name, value = (word.strip() for word in inner.removeprefix("^").rsplit("=", 1))
        if all(map(_PROPERTY_WORDS.fullmatch, [*name, value])):
            return ast.Property(name[0] if name else None, value, negated, span=span)
        self._report(
            "LC0109",
            "a property is written with ASCII letters, digits, blanks, `_`, `-` and `.`",
            span,
            r"for example `\p{Script=Han}`, `\p{Lu}`, `\P{Emoji}` or `\p{^Emoji}`",
        )
        return None


def _widened(expression: ast.SetExpr | None, span: Span) -> ast.SetExpr | None:
    return replace(expression, span=span) if expression else None


def _is_open_list(part: list[ast.Operand]) -> bool:
    """Whether more names may follow: the operand is a list of scripts, and not yet ended by `strictly`."""
    ended = isinstance(part[-1], ast.ScriptSet) and part[-1].strictly
    return isinstance(part[0], ast.ScriptSet) and not ended


def _script_list(part: list[ast.Operand]) -> ast.ScriptSet:
    """`script NAME` and the names behind it, as one set."""
    head = [part[0].names[0]] if isinstance(part[0], ast.ScriptSet) else []
    names = [*head, *filter(None, map(_listed_name, part[1:]))]
    return ast.ScriptSet(tuple(names), isinstance(part[-1], ast.ScriptSet), span=part[0].span.to(part[-1].span))


def _listed_name(value: ast.Operand) -> ast.ScriptName | None:
    """The script that an operand adds to the list before it: it is a plain name, perhaps with `strictly`."""
    match value:
        case ast.SetName(name, span=span) if span.end - span.start == len(name):
            return ast.ScriptName(name, span=span)
        case ast.ScriptSet((name,), span=span) if span.start == name.span.start:
            return name
    return None
