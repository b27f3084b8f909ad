"""The abstract syntax of surfaces: what was written, with names not yet looked up.

Invariant: as for policies, nodes are immutable and compare without their spans and comments. A sequence has no part or
several, never one; a choice has several.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from langc.compiler.source import Span
from langc.compiler.syntax.ast import NO_SPAN, CommentLines, Item, Node, Text


@dataclass(frozen=True)
class Word(Node):
    """A name, a keyword in a place of names, or a number."""

    text: str


@dataclass(frozen=True)
class Pattern(Node):
    r"""`/…/` or `"…"`: a regular expression. In both a slash is `/`, never `\/`."""

    text: str


@dataclass(frozen=True)
class Argument(Node):
    """`of q`, `in Select.*`, `a ?? t`, `want = 1`: what stands between two commas."""

    words: tuple[Word, ...]
    """Before `??`; behind the `=` if there is a key."""
    key: Word | None = None
    otherwise: Word | None = None
    anywhere: bool = False


Arguments: TypeAlias = tuple[Argument, ...]

# --- what a rule is made of -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Literal(Node):
    """`"text"`: a fixed lexeme."""

    text: str


@dataclass(frozen=True)
class Use(Node):
    """`name`, `name(arguments)`, and either with `local=` before it: a token, a rule or a slot."""

    name: Word
    arguments: Arguments | None = None
    local: Word | None = None


@dataclass(frozen=True)
class Sequence(Node):
    """One after another; `Sequence(())` is nothing at all."""

    parts: tuple[Element, ...]


@dataclass(frozen=True)
class Choice(Node):
    """`a | b`."""

    choices: tuple[Element, ...]


@dataclass(frozen=True)
class Repeat(Node):
    """`part?`, `part*` or `part+`."""

    part: Element
    sign: str


@dataclass(frozen=True)
class Guard(Node):
    """`[name]`, `[not name]`, `[name = value]` or `[name(arguments)]`."""

    name: Word
    arguments: Arguments | None = None
    value: Word | None = None
    negated: bool = False


@dataclass(frozen=True)
class Action(Node):
    """`=> name(arguments)`."""

    name: Word
    arguments: Arguments


@dataclass(frozen=True)
class Within(Node):
    """`in Scope(arguments) { body }`."""

    scope: Word
    arguments: Arguments | None
    body: Element


Element: TypeAlias = Literal | Use | Sequence | Choice | Repeat | Guard | Action | Within

# --- items ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NamedItem(Item):
    """Base of the items that give a name."""

    name: Word


@dataclass(frozen=True)
class TokenDecl(NamedItem):
    """`token NAME = pattern /…/ munch /…/;`, or with `skip`."""

    pattern: Pattern
    munch: Pattern | None = None
    skipped: bool = False


@dataclass(frozen=True)
class KeywordsDecl(Item):
    """`keywords "A", "B";`"""

    words: tuple[Text, ...]


@dataclass(frozen=True)
class SortDecl(NamedItem):
    """`sort NAME of OWNER;`"""

    owner: Word | None = None


@dataclass(frozen=True)
class EnvDecl(NamedItem):
    """`env NAME from KIND("argument");` or `env NAME;`"""

    kind: Word | None = None
    arguments: tuple[Text, ...] = ()


@dataclass(frozen=True)
class ScopeDecl(NamedItem):
    """`scope NAME opaque;`"""

    opaque: bool = False


@dataclass(frozen=True)
class LevelDecl(Item):
    """`level SORT: open;` or `level SORT: shape TOKEN;`"""

    sort: Word
    level: Word
    token: Word | None = None


@dataclass(frozen=True)
class RuleDecl(NamedItem):
    """`NAME := element;`"""

    body: Element
    above: tuple[CommentLines, ...] = field(default=(), compare=False, kw_only=True)
    """The comments above each choice but the first, if there are any; those in the first are above the rule."""


SurfaceItem: TypeAlias = TokenDecl | KeywordsDecl | SortDecl | EnvDecl | ScopeDecl | LevelDecl | RuleDecl


@dataclass(frozen=True)
class Quote(Node):
    """`'"'` or `'[' ']'`: how a name may be quoted."""

    opener: Text
    closer: Text | None = None


@dataclass(frozen=True)
class Setting(Node):
    """`name = value` in the head of a surface."""

    name: Word
    value: Word | Pattern | tuple[Quote, ...]


@dataclass(frozen=True)
class SurfaceDecl(Item):
    """`surface NAME refines OTHER (settings) { items }`."""

    name: Word
    refines: Word | None
    settings: tuple[Setting, ...]
    items: tuple[SurfaceItem, ...]
    closing: CommentLines = field(default=(), compare=False, kw_only=True)
    head: Span = field(default=NO_SPAN, compare=False, kw_only=True)
    """Up to and with the opening brace."""
