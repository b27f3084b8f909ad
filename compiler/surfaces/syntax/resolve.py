"""From the syntax tree of a surface to the surface: names looked up, settings read, what it refines taken over.

A surface that refines another one has all that the other has, but for what it says anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from langc.compiler.surfaces import model
from langc.compiler.surfaces.syntax.elements import SLOTS, Elements, Known
from langc.compiler.surfaces.syntax.report import Report
from langc.compiler.syntax.ast import Item
from langc.compiler.syntax.surfaces import ast

SETTINGS = ("case", "word", "quote", "start")
CASES = ("ascii-fold", "exact")
LEVELS: Mapping[str, model.LevelKind] = {"open": "open", "shape": "shape", "exists": "exists", "exact": "exact"}

AnyT = TypeVar("AnyT", bound=Item)
ItemT = TypeVar("ItemT", bound=ast.NamedItem)


def resolve(decl: ast.SurfaceDecl, base: model.Surface | None, report: Report) -> model.Surface:
    """The surface that was written. What is wrong goes to the report; the surface is whole only if nothing is."""
    return _Resolver(decl, base, report).surface()


@dataclass
class _Resolver:
    decl: ast.SurfaceDecl
    base: model.Surface | None
    report: Report
    rules: dict[str, ast.RuleDecl] = field(default_factory=dict)

    def surface(self) -> model.Surface:
        surface = self._with_settings(self._inherited())
        surface = replace(
            surface,
            tokens={**surface.tokens, **{n: _token(d) for n, d in self._named(ast.TokenDecl).items()}},
            sorts={**surface.sorts, **{n: _sort(d) for n, d in self._named(ast.SortDecl).items()}},
            scopes={**surface.scopes, **{n: _scope(d) for n, d in self._named(ast.ScopeDecl).items()}},
            environments=self._environments(surface.environments),
            keywords=surface.keywords | self._keywords(surface.fold_case),
        )
        rules = self._named(ast.RuleDecl)
        known = Known({*surface.rules, *rules}, surface.tokens, surface.sorts, surface.scopes)
        elements = Elements(known, self.report)
        self._check_declarations(elements)
        read = {n: model.Rule(n, elements.element(d.body), d.name.span) for n, d in rules.items()}
        surface = replace(surface, rules={**surface.rules, **read}, levels={**surface.levels, **self._levels(elements)})
        return replace(surface, start=self._start(surface))

    def _inherited(self) -> model.Surface:
        name, span = self.decl.name.text, self.decl.name.span
        if self.base is None:
            return model.Surface(name, "", {}, {}, {}, {}, source=self.report.source, span=span)
        return replace(self.base, name=name, refines=self.base.name, source=self.report.source, span=span)

    # --- settings -----------------------------------------------------------------------------------------------------

    def _with_settings(self, surface: model.Surface) -> model.Surface:
        seen: dict[str, ast.Setting] = {}
        for setting in self.decl.settings:
            name = setting.name.text
            first = seen.setdefault(name, setting)
            if first is not setting:
                self._twice("setting", setting.name, first.name)
            elif name not in SETTINGS:
                message = f"a surface has no setting `{name}`"
                self.report.unknown("LC0938", message, name, setting.name.span, SETTINGS)
            else:
                surface = self._set(surface, name, setting)
        return surface

    def _set(self, surface: model.Surface, name: str, setting: ast.Setting) -> model.Surface:
        match name, setting.value:
            case "case", ast.Word(text) if text in CASES:
                return replace(surface, fold_case=text == "ascii-fold")
            case "word", ast.Pattern(text):
                return replace(surface, word=text)
            case "quote", tuple(quotes):
                return replace(surface, quotes=tuple(_quote(q) for q in quotes))
            case "start", ast.Word(text):
                return replace(surface, start=text)
        self.report.error("LC0938", f"this is no value for the setting `{name}`", setting.span, _FORMS[name])
        return surface

    def _start(self, surface: model.Surface) -> str:
        """The rule that a text is: the setting `start`, or the first rule."""
        if surface.start in surface.rules:
            return surface.start
        if surface.start:
            setting = next(s for s in self.decl.settings if s.name.text == "start")
            assert isinstance(setting.value, ast.Word)
            message = f"no rule is named `{surface.start}`"
            self.report.unknown("LC0920", message, surface.start, setting.value.span, surface.rules)
        if not surface.rules:
            span, help_ = self.decl.name.span, "a rule is written `name := …;`"
            self.report.error("LC0939", f"surface `{surface.name}` has no rules", span, help_)
            return ""
        return next(iter(surface.rules))

    # --- declarations -------------------------------------------------------------------------------------------------

    def _named(self, kind: type[ItemT]) -> dict[str, ItemT]:
        """The items of a kind by name; those that say a name again are reported."""
        found: dict[str, ItemT] = {}
        for item in self.decl.items:
            if isinstance(item, kind):
                first = found.setdefault(item.name.text, item)
                if first is not item:
                    self._twice(_KINDS[kind], item.name, first.name)
        return found

    def _twice(self, what: str, again: ast.Word, first: ast.Word) -> None:
        also = (self.report.label(first.span, "first named here"),)
        message = f"there are two {what}s `{again.text}`"
        self.report.error("LC0925", message, again.span, also=also, remark="named again here")

    def _check_declarations(self, elements: Elements) -> None:
        tokens, rules = self._items(ast.TokenDecl), self._items(ast.RuleDecl)
        names = {item.name.text: item.name for item in tokens}
        for rule in rules:
            if rule.name.text in names:
                self._both(rule.name, names[rule.name.text])
            elif self.base is not None and rule.name.text in self.base.tokens:
                self.report.error("LC0925", f"`{rule.name.text}` is a token of `{self.base.name}`", rule.name.span)
        for named in (*tokens, *rules):
            if named.name.text in SLOTS:
                self.report.error("LC0925", f"`{named.name.text}` is what slots are written with", named.name.span)
        for sort in self._items(ast.SortDecl):
            if sort.owner is not None:
                elements.sort(sort.owner)

    def _both(self, rule: ast.Word, token: ast.Word) -> None:
        also = (self.report.label(token.span, "the token"),)
        self.report.error("LC0925", f"`{rule.text}` is a token and a rule", rule.span, also=also)

    def _items(self, kind: type[AnyT]) -> list[AnyT]:
        return [item for item in self.decl.items if isinstance(item, kind)]

    def _environments(self, inherited: tuple[model.Provider, ...]) -> tuple[model.Provider, ...]:
        own = {n: _provider(d) for n, d in self._named(ast.EnvDecl).items()}
        return (*(p for p in inherited if p.name not in own), *own.values())

    def _keywords(self, fold: bool) -> frozenset[str]:
        words = (t.value for item in self._items(ast.KeywordsDecl) for t in item.words)
        return frozenset(_folded(w) if fold else w for w in words)

    def _levels(self, elements: Elements) -> Mapping[str, model.Level]:
        found: dict[str, ast.LevelDecl] = {}
        for decl in self._items(ast.LevelDecl):
            first = found.setdefault(elements.sort(decl.sort), decl)
            if first is not decl:
                self._twice("level", decl.sort, first.sort)
        return {name: self._level(decl, elements) for name, decl in found.items()}

    def _level(self, decl: ast.LevelDecl, elements: Elements) -> model.Level:
        word = decl.level
        if word.text not in LEVELS:
            self.report.unknown("LC0941", f"there is no level `{word.text}`", word.text, word.span, LEVELS)
            return model.Level(decl.sort.text, span=decl.span)
        kind = LEVELS[word.text]
        if (kind == "shape") != (decl.token is not None):
            help_ = "levels are written `open`, `shape TOKEN`, `exists` and `exact`"
            self.report.error("LC0941", f"this is no way to write the level `{kind}`", decl.span, help_)
            return model.Level(decl.sort.text, span=decl.span)
        token = elements.token(decl.token) if decl.token else None
        return model.Level(decl.sort.text, kind, token, decl.span)


_KINDS: Mapping[type[Item], str] = {
    ast.TokenDecl: "token",
    ast.SortDecl: "sort",
    ast.ScopeDecl: "scope",
    ast.EnvDecl: "environment",
    ast.RuleDecl: "rule",
}
_FORMS = {
    "case": "cases are `ascii-fold` and `exact`",
    "word": "the shape of words is a pattern: `word = pattern /…/`",
    "quote": "quotes are strings: `quote = '\"' | '[' ']'`",
    "start": "the start is the name of a rule",
}


def _token(decl: ast.TokenDecl) -> model.Token:
    munch = decl.munch.text if decl.munch else None
    return model.Token(decl.name.text, decl.pattern.text, munch, decl.skipped, decl.name.span)


def _sort(decl: ast.SortDecl) -> model.Sort:
    return model.Sort(decl.name.text, decl.owner.text if decl.owner else None, decl.name.span)


def _scope(decl: ast.ScopeDecl) -> model.Scope:
    return model.Scope(decl.name.text, decl.opaque, decl.name.span)


def _provider(decl: ast.EnvDecl) -> model.Provider:
    kind = decl.kind.text if decl.kind else ""
    return model.Provider(decl.name.text, kind, tuple(a.value for a in decl.arguments), decl.name.span)


def _quote(quote: ast.Quote) -> tuple[str, str]:
    return quote.opener.value, (quote.closer or quote.opener).value


def _folded(word: str) -> str:
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in word)
