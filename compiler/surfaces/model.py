"""What a surface is: the lexemes, sorts, scopes and rules that were written, resolved and free of notation.

Invariant: every node is immutable and hashable, names of rules, tokens, sorts, scopes and locals are resolved (the
reader refuses unknown ones), and nothing here knows how a surface is run.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from langc.compiler.source import Source, Span

NO_SPAN = Span(0, 0)
LevelKind: TypeAlias = typing.Literal["open", "shape", "exists", "exact"]


@dataclass(frozen=True)
class Token:
    """A lexeme with a pattern of its own: a number, a string, white space.

    `pattern` is a regular expression in the notation of `json_schema.patterns` that the whole lexeme must match;
    `munch` (its default is `pattern`) is what a lexer would go on reading, so that the lexeme may end only where no
    further byte belongs to it: a number's munch takes letters too when `1a` is no two lexemes.
    """

    name: str
    pattern: str
    munch: str | None = None
    skipped: bool = False
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class Sort:
    """A kind of names. With `owner`, its names are members of a name of that sort (columns of a table)."""

    name: str
    owner: str | None = None
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class Scope:
    """A kind of scope. Through an `opaque` one, no binding of an outer scope of a visible kind is seen."""

    name: str
    opaque: bool = False
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class Provider:
    """`env NAME from KIND("ARGUMENT", …)`: where names come from."""

    name: str
    kind: str
    arguments: tuple[str, ...] = ()
    span: Span = field(default=NO_SPAN, compare=False)


# --- what a rule is made of -------------------------------------------------------------------------


@dataclass(frozen=True)
class Literal:
    """A fixed lexeme: a keyword or a sign. Keywords follow the surface's case rule."""

    text: str
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class TokenUse:
    """A lexeme of a named token. With `local`, its text is kept as a fresh name is."""

    token: str
    local: str | None = None
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class Call:
    """Another rule. Parameters are handed on to whatever it calls, until one is given anew."""

    rule: str
    parameters: tuple[tuple[str, str], ...] = ()
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class Sequence:
    """One after another."""

    parts: tuple[Element, ...]


@dataclass(frozen=True)
class Choice:
    """One of several."""

    choices: tuple[Element, ...]


@dataclass(frozen=True)
class Repeat:
    """`?` (0, 1), `*` (0, None), `+` (1, None)."""

    part: Element
    least: int
    most: int | None


@dataclass(frozen=True)
class Reference:
    """`LOCAL=ref(SORT, options)`: a name that exists here.

    Where it is looked for:
      `of` — a local: a member of the name that this local holds;
      `scope` — a kind of scope: names bound in the innermost scope of that kind; with `outward` (`in Select.*`) in
        all of that kind, inner ones first, up to an opaque one. For a sort with an owner the names are the members of
        what is bound there.
      neither — names bound in any open scope, inner ones hiding outer ones, then those of Γ.
    `unique` — owned by exactly one binding of its scope. `defer` — while nothing is bound there yet, a promise is made
    instead, see `world/`. `where` — attributes that the name has (`not …` ones it has not). `once` — not used before in
    the innermost scope, unless it has the attribute `repeat`. `feeds` — a kind of scope: only names that can be bound
    there while all its promises stay possible. `shared` — owned by the last binding and by exactly one earlier one.
    `results` — one of the names that the scope of kind `scope` gives out, or an ordinal of them. `shape` — a token
    whose munch says where the name ends, in the place of the surface's word and quotes: letters of options stand side
    by side (`-am`).
    """

    sort: str
    local: str | None = None
    of: str | None = None
    scope: str | None = None
    outward: bool = False
    unique: bool = False
    defer: bool = False
    once: bool = False
    where: tuple[str, ...] = ()
    where_not: tuple[str, ...] = ()
    feeds: str | None = None
    shared: bool = False
    results: bool = False
    shape: str | None = None
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class Fresh:
    """`LOCAL=fresh(SORT, options)`: a name that is declared here.

    Its shape is the surface's `word`, or `shape` (a token). It is no keyword of the surface. It is none of the names of
    the sorts in `other_than`, as they are visible here. `feeds` — a kind of scope: only names under which the value of
    the local `as_` (None: the scope closed last) can be bound there while all its promises stay possible.
    """

    sort: str
    local: str | None = None
    shape: str | None = None
    other_than: tuple[str, ...] = ()
    feeds: str | None = None
    as_: str | None = None
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class Open:
    """`LOCAL=open(SORT)`: the open form of a slot, any name of the shape. The top of a chain of refinement."""

    sort: str
    local: str | None = None
    shape: str | None = None
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class Action:
    """`=> NAME(arguments)`: what the world is told once all before it in its rule has been read."""

    name: str
    arguments: tuple[tuple[str, str], ...] = ()
    """Pairs of a keyword and a value; positional ones have the keywords that `signatures.py` lists. A value is a word,
    a number, `a ?? b` or `Scope.*`, as it was written with single blanks."""
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class Guard:
    """`[NAME(arguments)]`: goes on only where this holds. With `negated`, where it does not.

    A name that `signatures.GUARDS` does not have is a parameter's: `[merge]` asks whether it is given and not `no`,
    and `[kind = view]`, with the argument `("value", "view")`, whether it has this one.
    """

    name: str
    arguments: tuple[tuple[str, str], ...] = ()
    negated: bool = False
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class Within:
    """`in SCOPE(options) { … }`: a scope opened before and closed behind what it holds."""

    scope: str
    body: Element
    options: tuple[tuple[str, str], ...] = ()
    span: Span = field(default=NO_SPAN, compare=False)


Element: TypeAlias = (
    Literal | TokenUse | Call | Sequence | Choice | Repeat | Reference | Fresh | Open | Action | Guard | Within
)
Slot: TypeAlias = Reference | Fresh | Open


@dataclass(frozen=True)
class Rule:
    """`NAME := …;`"""

    name: str
    body: Element
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class Level:
    """`level SORT: KIND TOKEN`: how much is asked of the names of a sort, from little to much.

    `open`: any name of the slot's own shape. `shape`: any name of the shape `token`. `exists`: a name that exists, no
    matter its attributes. `exact`: what the slot says.
    """

    sort: str
    kind: LevelKind = "exact"
    token: str | None = None
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True)
class Surface:
    """A language whose names come from Γ."""

    name: str
    start: str
    rules: Mapping[str, Rule]
    tokens: Mapping[str, Token]
    sorts: Mapping[str, Sort]
    scopes: Mapping[str, Scope]
    environments: tuple[Provider, ...] = ()
    keywords: frozenset[str] = frozenset()
    """Words that are never bare names, folded by the case rule."""
    fold_case: bool = False
    """Keywords and names are compared with A-Z as a-z."""
    word: str = "[A-Za-z_][A-Za-z0-9_]*"
    """The shape of bare names and of keywords; also where they end."""
    quotes: tuple[tuple[str, str], ...] = ()
    """How a name may be quoted: pairs of an opening and a closing mark; the closing one is doubled within."""
    refines: str | None = None
    levels: Mapping[str, Level] = field(default_factory=dict)
    """By sort; a sort without one is `exact`."""
    source: Source | None = field(default=None, compare=False)
    span: Span = field(default=NO_SPAN, compare=False)
