"""Checks that a surface refines the one that it says it does: each row of lexemes of it is one of the other.

Inclusion of context-free languages cannot be decided, so what is compared is the form. A rule that is said anew has the
same skeleton as the old one: the same choices, repetitions and literals, with a slot for a slot. Each slot takes no
more than the one in its place, along the chain open ⊒ shape ⊒ reference ⊒ reference with attributes; whether a shape
holds another is decided exactly, by inclusion of automata. Guards may be added: they only take away. Where the old
surface has nothing to do with what has been bound, a name that exists or is new may take the place of an open one, and
actions and scopes may be added; where it has, they could give it more than it had. Levels are compared by what they
make of the slots. What is not found to be included is an error, though it might be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from langc.compiler.automata.dfa import Dfa
from langc.compiler.diagnostics import Label
from langc.compiler.source import Span
from langc.compiler.surfaces.levels import at_levels
from langc.compiler.surfaces.model import (
    Action,
    Call,
    Choice,
    Element,
    Fresh,
    Guard,
    Level,
    Literal,
    Open,
    Reference,
    Repeat,
    Scope,
    Sequence,
    Sort,
    Surface,
    TokenUse,
    Within,
)
from langc.compiler.surfaces.syntax.languages import beyond, either, language, quoted_name, re_escape, shown
from langc.compiler.surfaces.syntax.report import Report
from langc.compiler.surfaces.syntax.walk import place, walk
from langc.compiler.syntax.surfaces import ast

Terminal: TypeAlias = Literal | TokenUse | Reference | Fresh | Open
_RANKS = {"open": 0, "shape": 1, "exists": 2, "exact": 3}
_HELP = (
    "what refines a surface has its form; guards may be added, and each slot takes no more than the one in its place"
)


def check_refinement(decl: ast.SurfaceDecl, surface: Surface, base: Surface, report: Report) -> None:
    """Reports what is not shown to be included in `base` (LC0935)."""
    check = _Check(at_levels(surface, surface.levels), at_levels(base, base.levels), report)
    check.settings(decl)
    check.kinds(decl)
    changed = {item.name.text for item in decl.items if isinstance(item, ast.RuleDecl)}
    for item in decl.items:
        if isinstance(item, ast.TokenDecl):
            check.token(item.name.text, item)
        elif isinstance(item, ast.LevelDecl) and check.level(item.sort.text, item):
            changed |= set(base.rules)
    for name in base.rules:
        if name in changed:
            check.rule(name)


@dataclass
class _Check:
    surface: Surface
    base: Surface
    report: Report
    compared: set[tuple[int, int]] = field(default_factory=set)
    """Pairs of elements that are being compared, or were: they are taken to be included (coinduction)."""

    def __post_init__(self) -> None:
        asking = Reference | Fresh | Guard | Action | Within
        self.asks = any(isinstance(e, asking) for rule in self.base.rules.values() for e in walk(rule.body))
        """Whether the old surface has to do with what has been bound."""

    def _refuse(self, message: str, span: Span, *notes: str, remark: str = "", old: Label | None = None) -> None:
        title = f"`{self.surface.name}` is not shown to refine `{self.base.name}`: {message}"
        also = () if old is None else (old,)
        self.report.error("LC0935", title, span, _HELP, also, remark, notes)

    def _old(self, span: Span, message: str) -> Label | None:
        return Label(self.base.source, span, message) if self.base.source else None

    # --- settings, tokens, levels -------------------------------------------------------------------------------------

    def settings(self, decl: ast.SurfaceDecl) -> None:
        old, new = self.base, self.surface
        same: Mapping[str, bool] = {
            "case": old.fold_case == new.fold_case,
            "word": old.word == new.word,
            "quote": old.quotes == new.quotes,
            "start": old.start == new.start,
        }
        for setting in decl.settings:
            if not same[setting.name.text]:
                self._refuse(f"the setting `{setting.name.text}` is another one", setting.span)

    def kinds(self, decl: ast.SurfaceDecl) -> None:
        pairs: list[tuple[ast.NamedItem, Sort | Scope | None, Sort | Scope]] = []
        for item in decl.items:
            if isinstance(item, ast.ScopeDecl):
                pairs.append((item, self.base.scopes.get(item.name.text), self.surface.scopes[item.name.text]))
            elif isinstance(item, ast.SortDecl):
                pairs.append((item, self.base.sorts.get(item.name.text), self.surface.sorts[item.name.text]))
        for said, old, new in pairs:
            if old is not None and old != new:
                self._refuse(f"`{new.name}` is said in another way", said.span, old=self._old(old.span, "before"))

    def token(self, name: str, item: ast.TokenDecl) -> None:
        new, old = self.surface.tokens[name], self.base.tokens.get(name)
        if old is None:
            if new.skipped:
                self._refuse(f"`{name}` is skipped in one of the two only", item.name.span)
            return
        if old.skipped != new.skipped:
            self._refuse(f"`{name}` is skipped in one of the two only", item.name.span, old=self._old(old.span, "here"))
        witness = beyond(language(new.pattern), language(old.pattern))
        if witness is not None:
            message = f"token `{name}` takes more than before"
            self._refuse(message, item.pattern.span, _only(witness), old=self._old(old.span, "before"))

    def level(self, sort: str, item: ast.LevelDecl) -> bool:
        """Whether a level is another one than before, and no lower."""
        new = self.surface.levels[sort]
        old = self.base.levels.get(sort, Level(sort))
        if _RANKS[new.kind] >= _RANKS[old.kind]:
            return (new.kind, new.token) != (old.kind, old.token)
        message = f"less is asked of names of sort `{sort}`: `{new.kind}` instead of `{old.kind}`"
        self._refuse(message, item.span, old=self._old(old.span, "before") if sort in self.base.levels else None)
        return False

    # --- rules --------------------------------------------------------------------------------------------------------

    def rule(self, name: str) -> None:
        self._compare(self.surface.rules[name].body, self.base.rules[name].body)

    def _compare(self, new: Element, old: Element) -> bool:
        """Whether an element is included in another one. What is not is reported, once."""
        pair = (id(new), id(old))
        if pair in self.compared:
            return True
        self.compared.add(pair)
        parts = [*self._parts(new)]
        at = 0
        for expected in _row(old):
            while at < len(parts) and self._may_be_added(parts[at], expected):
                at += 1
            if at == len(parts):
                return self._other_form(new, expected, "nothing stands here for what the old rule has")
            if not self._compare_one(parts[at], expected):
                return False
            at += 1
        while at < len(parts) and self._may_be_added(parts[at], None):
            at += 1
        return at == len(parts) or self._other_form(parts[at], old, "the old rule has nothing for this")

    def _parts(self, element: Element) -> Iterator[Element]:
        """The row of an element; where nothing is asked of what is bound, scopes are seen through."""
        for part in _row(element):
            if isinstance(part, Within) and not self.asks:
                yield from self._parts(part.body)
            else:
                yield part

    def _may_be_added(self, part: Element, expected: Element | None) -> bool:
        if part == expected:
            return False
        return isinstance(part, Guard) or (isinstance(part, Action) and not self.asks)

    def _compare_one(self, new: Element, old: Element) -> bool:
        match new, old:
            case Call(), Call() if new.rule == old.rule:
                same = new.parameters == old.parameters or not self.asks
                return same or self._other_form(new, old, "it is given other parameters")
            case Choice(choices), Choice(others) if len(choices) == len(others):
                found = [self._compare(n, o) for n, o in zip(choices, others, strict=True)]
                return all(found)
            case Repeat(), Repeat() if (new.least, new.most) == (old.least, old.most):
                return self._compare(new.part, old.part)
            case Within(), Within() if (new.scope, new.options) == (old.scope, old.options):
                return self._compare(new.body, old.body)
            case (Action(), Action()) | (Guard(), Guard()) if new == old:
                return True
            case Call(), _ if new.rule not in self.base.rules:
                return self._compare(self.surface.rules[new.rule].body, old)
            case _, Call():
                return self._compare(new, self.base.rules[old.rule].body)
            case Call(), _:
                return self._compare(self.surface.rules[new.rule].body, old)
            case (
                Literal() | TokenUse() | Reference() | Fresh() | Open(),
                Literal() | TokenUse() | Reference() | Fresh() | Open(),
            ):
                return self._compare_terminals(new, old)
        return self._other_form(new, old, "it has another form than before")

    def _other_form(self, new: Element, old: Element, message: str) -> bool:
        where = place(old)
        self._refuse(message, place(new) or self.surface.span, old=self._old(where, "before") if where else None)
        return False

    # --- terminals ----------------------------------------------------------------------------------------------------

    def _compare_terminals(self, new: Terminal, old: Terminal) -> bool:
        if new == old:  # if a token has changed, that is told where it is said anew
            return True
        match new, old:
            case Reference(), Reference():
                included, witness = _narrower_reference(new, old), None
            case Fresh(), Fresh():
                included, witness = self._narrower_fresh(new, old)
            case _, Reference() | Fresh() | Literal():
                included, witness = False, None
            case _:
                included, witness = self._narrower_shape(new, old)
        if included:
            return True
        notes = () if witness is None else (_only(witness),)
        self._refuse(
            "this takes more than what was in its place",
            new.span,
            *notes,
            remark=_said(new, self.surface),
            old=self._old(old.span, _said(old, self.base)),
        )
        return False

    def _narrower_fresh(self, new: Fresh, old: Fresh) -> tuple[bool, str | None]:
        asked = (new.sort, new.local, new.as_) == (old.sort, old.local, old.as_)
        fewer = set(new.other_than) >= set(old.other_than) and old.feeds in (None, new.feeds)
        shaped, witness = self._narrower_shape(new, old)
        return asked and fewer and shaped, witness

    def _narrower_shape(self, new: Terminal, old: Terminal) -> tuple[bool, str | None]:
        """Whether the shape of one is included in that of the other; if not, a text that tells."""
        if self.asks and (isinstance(new, Reference | Fresh) != isinstance(old, Fresh) or _kept(new) != _kept(old)):
            return False, None
        own, other = _language(new, self.surface), _language(old, self.base)
        if own is None or other is None:
            return False, None
        witness = beyond(own, other)
        return witness is None, witness


def _row(element: Element) -> Iterator[Element]:
    """The parts of a sequence, those of sequences in it too."""
    if isinstance(element, Sequence):
        for part in element.parts:
            yield from _row(part)
    else:
        yield element


def _narrower_reference(new: Reference, old: Reference) -> bool:
    """Whether one is the other with more asked of its names.

    All that changes what a name is taken for is the same; attributes and `feeds` only take names away.
    """
    more = set(new.where) >= set(old.where) and set(new.where_not) >= set(old.where_not)
    bare = [replace(slot, where=(), where_not=(), feeds=None) for slot in (new, old)]
    return bare[0] == bare[1] and more and old.feeds in (None, new.feeds)


def _kept(terminal: Terminal) -> str | None:
    return None if isinstance(terminal, Literal) else terminal.local


def _language(terminal: Terminal, surface: Surface) -> Dfa | None:
    """What a terminal takes, as far as shapes go; None for names that end in a way of their own."""
    match terminal:
        case Literal(text):
            return language(_any_case(text) if surface.fold_case else re_escape(text))
        case TokenUse(token):
            return language(surface.tokens[token].pattern)
        case Reference(shape=str()):
            return None
        case Fresh(shape=str(token)) | Open(shape=str(token)):
            return language(surface.tokens[token].pattern)
    return either([language(surface.word), *(language(quoted_name(*pair)) for pair in surface.quotes)])


def _any_case(text: str) -> str:
    """The pattern of a literal whose A-Z count as a-z."""
    both = (f"[{c.lower()}{c.upper()}]" if c.isascii() and c.isalpha() else re_escape(c) for c in text)
    return "".join(both)


def _only(witness: str) -> str:
    return f"{shown(witness)} is taken here, and was not before"


def _said(terminal: Terminal, surface: Surface) -> str:
    """What a terminal takes, in words."""
    match terminal:
        case Literal(text):
            return f"{shown(text)} alone"
        case TokenUse(token) | Open(shape=str(token)):
            return f"any text like `/{surface.tokens[token].pattern}/`"
        case Open():
            return "any name"
        case Fresh(sort):
            return f"a new name of sort `{sort}`"
        case Reference(sort, where=where, where_not=where_not):
            attributes = [*where, *(f"not {w}" for w in where_not)]
            return " and ".join([f"a name of sort `{sort}` that exists", *(f"is {a}" for a in attributes)])
