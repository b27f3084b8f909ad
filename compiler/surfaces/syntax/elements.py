"""What a rule is made of, from how it was written to what it is: names looked up, options read.

Invariant: what is unknown is reported at its own place, and an element of the same span comes back all the same, so
that one run finds everything.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from langc.compiler.source import Span
from langc.compiler.surfaces import model
from langc.compiler.surfaces.signatures import (
    ACTIONS,
    FRESH_OPTIONS,
    GUARDS,
    OPEN_OPTIONS,
    REFERENCE_OPTIONS,
    SCOPE_OPTIONS,
    Signature,
)
from langc.compiler.surfaces.syntax.report import Report
from langc.compiler.syntax.surfaces import ast

Pairs = tuple[tuple[str, str], ...]
SLOTS = ("ref", "fresh", "open")
_REPEATS: Mapping[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}
_FLAGS = ("unique", "defer", "once", "shared", "results")


@dataclass(frozen=True)
class Known:
    """The names of a surface that its rules may use."""

    rules: Collection[str]
    tokens: Collection[str]
    sorts: Mapping[str, model.Sort]
    scopes: Collection[str]


@dataclass(frozen=True)
class Elements:
    """Reads the elements of one surface."""

    known: Known
    report: Report

    def element(self, written: ast.Element) -> model.Element:
        """The element that was written."""
        match written:
            case ast.Literal(text):
                return self._literal(text, written.span)
            case ast.Use():
                return self._use(written)
            case ast.Sequence(parts):
                return model.Sequence(tuple(map(self.element, parts)))
            case ast.Choice(choices):
                return model.Choice(tuple(map(self.element, choices)))
            case ast.Repeat(part, sign):
                return model.Repeat(self.element(part), *_REPEATS[sign])
            case ast.Guard():
                return self._guard(written)
            case ast.Action(name, arguments):
                return self._action(name, arguments, written.span)
            case ast.Within(scope, arguments, body):
                self.scope(scope)
                options = self._scope_options(arguments or ())
                return model.Within(scope.text, self.element(body), options, written.span)

    # --- names --------------------------------------------------------------------------------------------------------

    def sort(self, word: ast.Word) -> str:
        """The name of a sort that there is."""
        if word.text not in self.known.sorts:
            self.report.unknown("LC0921", f"no sort is named `{word.text}`", word.text, word.span, self.known.sorts)
        return word.text

    def scope(self, word: ast.Word) -> str:
        """The name of a kind of scope that there is."""
        if word.text not in self.known.scopes:
            self.report.unknown("LC0922", f"no scope is named `{word.text}`", word.text, word.span, self.known.scopes)
        return word.text

    def token(self, word: ast.Word) -> str:
        """The name of a token that there is."""
        if word.text not in self.known.tokens:
            self.report.unknown("LC0920", f"no token is named `{word.text}`", word.text, word.span, self.known.tokens)
        return word.text

    # --- lexemes, rules and slots -------------------------------------------------------------------------------------

    def _literal(self, text: str, span: Span) -> model.Literal:
        if not text:
            self.report.error("LC0940", "a literal has at least one character", span, "nothing at all is written `()`")
        return model.Literal(text, span)

    def _use(self, use: ast.Use) -> model.Element:
        name, local = use.name.text, use.local.text if use.local else None
        if use.arguments is not None and name in SLOTS:
            return self._slot(use, local)
        if name in self.known.tokens:
            if use.arguments is not None:
                self._no_arguments(use, f"`{name}` is a token, and takes no arguments")
            return model.TokenUse(name, local, use.span)
        if name not in self.known.rules:
            self._unknown_name(use)
            return model.Call(name, (), use.span)
        if use.local is not None:
            help_ = "a name before `=` keeps one lexeme: that of a token or of a slot"
            self.report.error("LC0924", f"`{name}` is a rule, and cannot be kept", use.local.span, help_)
        return model.Call(name, self._parameters(use.arguments or ()), use.span)

    def _unknown_name(self, use: ast.Use) -> None:
        name = use.name.text
        known = {*self.known.rules, *self.known.tokens, *SLOTS}
        otherwise = f"define it: `{name} := …;` or `token {name} = pattern /…/;`"
        if name in ACTIONS and use.arguments is not None:
            self.report.error("LC0920", f"`{name}` is an action", use.span, f"an action is written `=> {name}(…)`")
        elif name in SLOTS:
            self.report.error("LC0920", f"a slot needs its sort: `{name}(…)`", use.span)
        else:
            self.report.unknown("LC0920", f"no rule or token is named `{name}`", name, use.name.span, known, otherwise)

    def _no_arguments(self, use: ast.Use, message: str) -> None:
        self.report.error("LC0924", message, use.span, "for a group, put a blank before the parenthesis")

    def _parameters(self, arguments: ast.Arguments) -> Pairs:
        for argument in arguments:
            if argument.key is None:
                help_ = "a parameter is given as `name = value`; for a group, put a blank before the parenthesis"
                self.report.error("LC0924", "a rule takes parameters by name", argument.span, help_)
        return tuple(self._pair(a) for a in arguments if a.key is not None)

    def _slot(self, use: ast.Use, local: str | None) -> model.Slot:
        first, *options = use.arguments or (None,)
        if first is None or len(first.words) != 1 or not _is_plain(first):
            span = first.span if first else use.span
            self.report.error("LC0924", f"the first argument of `{use.name.text}` is a sort", span)
            return model.Open("", local, None, use.span)
        sort = self.sort(first.words[0])
        match use.name.text:
            case "ref":
                return self._reference(sort, local, options, use.span)
            case "fresh":
                return self._fresh(sort, local, options, use.span)
        return model.Open(sort, local, self._open_shape(options), use.span)

    def _reference(self, sort: str, local: str | None, options: list[ast.Argument], span: Span) -> model.Reference:
        values = _ReferenceOptions()
        for option in self._options(options, REFERENCE_OPTIONS, "ref"):
            kind, *words = (w.text for w in option.words)
            match kind, words:
                case "in", [scope] if values.scope in (None, scope):
                    self.scope(option.words[1])
                    values.scope, values.outward = scope, values.outward or option.anywhere
                case "of", [owner] if not option.anywhere:
                    values.of = owner
                case "feeds", [scope] if not option.anywhere:
                    values.feeds = self.scope(option.words[1])
                case "shape", [_] if not option.anywhere:
                    values.shape = self.token(option.words[1])
                case "where", ["not", attribute] if not option.anywhere:
                    values.where_not += (attribute,)
                case "where", [attribute] if not option.anywhere and attribute != "not":
                    values.where += (attribute,)
                case _, [] if kind in _FLAGS and not option.anywhere:
                    values.flags |= {kind}
                case _:
                    self._bad_option(option)
        return model.Reference(
            sort,
            local,
            values.of,
            values.scope,
            values.outward,
            where=values.where,
            where_not=values.where_not,
            feeds=values.feeds,
            shape=values.shape,
            span=span,
            **dict.fromkeys(values.flags, True),
        )

    def _fresh(self, sort: str, local: str | None, options: list[ast.Argument], span: Span) -> model.Fresh:
        shape, feeds, as_ = None, None, None
        other_than: list[str] = []
        for option in self._options(options, FRESH_OPTIONS, "fresh"):
            kind, *words = (w.text for w in option.words)
            match kind, words:
                case "shape", [_] if not option.anywhere:
                    shape = self.token(option.words[1])
                case "feeds", [_] if not option.anywhere:
                    feeds = self.scope(option.words[1])
                case "not", [_] if not option.anywhere:
                    other_than.append(self.sort(option.words[1]))
                case "as", [name] if not option.anywhere:
                    as_ = name
                case _:
                    self._bad_option(option)
        return model.Fresh(sort, local, shape, tuple(other_than), feeds, as_, span)

    def _open_shape(self, options: list[ast.Argument]) -> str | None:
        shape = None
        for option in self._options(options, OPEN_OPTIONS, "open"):
            if len(option.words) == 2 and not option.anywhere:
                shape = self.token(option.words[1])
            else:
                self._bad_option(option)
        return shape

    def _options(self, options: list[ast.Argument], known: Collection[str], slot: str) -> list[ast.Argument]:
        """The options whose first word is known."""
        good = []
        for option in options:
            word = option.words[0]
            if option.key is not None or option.otherwise is not None:
                key = option.key or word
                help_ = f"options of slots have no `=` and no `??`, such as `{key.text} {word.text}`"
                self.report.error("LC0924", f"`{slot}` takes no such option", option.span, help_)
            elif word.text not in known:
                self.report.unknown("LC0924", f"`{slot}` has no option `{word.text}`", word.text, word.span, known)
            else:
                good.append(option)
        return good

    def _bad_option(self, option: ast.Argument) -> None:
        word = option.words[0].text
        self.report.error("LC0924", f"this is no way to write the option `{word}`", option.span, _FORMS.get(word))

    # --- guards, actions and scopes -----------------------------------------------------------------------------------

    def _guard(self, guard: ast.Guard) -> model.Guard:
        name = guard.name.text
        if guard.value is not None:
            return model.Guard(name, (("value", guard.value.text),), guard.negated, guard.span)
        if name in GUARDS:
            arguments = self._signed(guard.name, guard.arguments or (), GUARDS[name], guard.span)
            return model.Guard(name, arguments, guard.negated, guard.span)
        if guard.arguments is not None:
            self.report.unknown("LC0924", f"no guard is named `{name}`", name, guard.name.span, GUARDS)
        return model.Guard(name, (), guard.negated, guard.span)

    def _action(self, name: ast.Word, arguments: ast.Arguments, span: Span) -> model.Action:
        if name.text not in ACTIONS:
            self.report.unknown("LC0924", f"no action is named `{name.text}`", name.text, name.span, ACTIONS)
            return model.Action(name.text, (), span)
        return model.Action(name.text, self._signed(name, arguments, ACTIONS[name.text], span), span)

    def _signed(self, name: ast.Word, arguments: ast.Arguments, signature: Signature, span: Span) -> Pairs:
        """The arguments with their keywords."""
        pairs: list[tuple[str, str]] = []
        positional = list(signature.positional)
        keywords = dict(signature.keywords or {})
        for argument in arguments:
            if argument.key is not None and argument.key.text in keywords:
                keyword, holds = argument.key.text, keywords.pop(argument.key.text)
            elif argument.key is not None:
                known = signature.keywords or {}
                message = f"`{name.text}` takes no further argument `{argument.key.text}`"
                self.report.unknown("LC0924", message, argument.key.text, argument.key.span, known)
                continue
            elif positional and len(argument.words) == 1:
                keyword, holds = positional.pop(0)
            else:
                self.report.error("LC0924", f"`{name.text}` takes no such argument", argument.span, _usage(name.text))
                continue
            self._check(argument, holds)
            pairs.append((keyword, _value(argument)))
        if len(signature.positional) - len(positional) < signature.required:
            self.report.error("LC0924", f"`{name.text}` needs more arguments", span, _usage(name.text))
        return tuple(pairs)

    def _check(self, argument: ast.Argument, holds: str) -> None:
        if holds == "sort":
            self.sort(argument.words[0])
        elif holds == "scope":
            self.scope(argument.words[0])

    def _scope_options(self, arguments: ast.Arguments) -> Pairs:
        for argument in arguments:
            if argument.key is None or argument.key.text not in SCOPE_OPTIONS:
                word = argument.key or argument.words[0]
                self.report.unknown(
                    "LC0924", f"a scope has no option `{word.text}`", word.text, argument.span, SCOPE_OPTIONS
                )
            else:
                self._check(argument, SCOPE_OPTIONS[argument.key.text])
        return tuple(self._pair(a) for a in arguments if a.key is not None)

    def _pair(self, argument: ast.Argument) -> tuple[str, str]:
        assert argument.key is not None
        return argument.key.text, _value(argument)


@dataclass
class _ReferenceOptions:
    of: str | None = None
    scope: str | None = None
    outward: bool = False
    feeds: str | None = None
    shape: str | None = None
    where: tuple[str, ...] = ()
    where_not: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()


_FORMS = {
    "in": "`in Scope` or `in Scope.*`, and one scope a slot",
    "of": "`of` and the name of a local",
    "feeds": "`feeds` and a scope",
    "where": "`where attribute` or `where not attribute`",
    "shape": "`shape` and a token",
    "not": "`not` and a sort",
    "as": "`as` and the name of a local",
}


def _usage(name: str) -> str:
    signature = ACTIONS.get(name) or GUARDS[name]
    positional = [holds.upper() for _, holds in signature.positional]
    keywords = [f"{key} = {holds.upper()}" for key, holds in (signature.keywords or {}).items()]
    return f"it is written `{name}({', '.join([*positional, *keywords])})`"


def _is_plain(argument: ast.Argument) -> bool:
    return argument.key is None and argument.otherwise is None and not argument.anywhere


def _value(argument: ast.Argument) -> str:
    otherwise = f" ?? {argument.otherwise.text}" if argument.otherwise else ""
    return " ".join(w.text for w in argument.words) + ".*" * argument.anywhere + otherwise
