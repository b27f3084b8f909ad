"""The abstract syntax of policy files: what was written, not what it means.

Invariant: nodes are immutable and compare without their spans and comments, so that
`parse(print(ast)) == ast`. Spans index the `Source` that the file was parsed from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from langc.compiler.source import Source, Span

if TYPE_CHECKING:
    from langc.compiler.syntax.surfaces.ast import SurfaceDecl

NO_SPAN = Span(0, 0)

CommentLines: TypeAlias = tuple[str | None, ...]
"""Comment lines without their `#`; None is a blank line."""


@dataclass(frozen=True)
class Node:
    """Base of all nodes."""

    span: Span = field(default=NO_SPAN, compare=False, kw_only=True)


# --- sets of characters -------------------------------------------------------------------------


@dataclass(frozen=True)
class Character(Node):
    """One code point: a literal inside brackets, an escape, or `U+XXXX`."""

    value: int


@dataclass(frozen=True)
class CharacterRange(Node):
    """`a-z` inside brackets, `U+AC00..U+D7A3` anywhere. Both ends are included."""

    low: Character
    high: Character


@dataclass(frozen=True)
class Property(Node):
    r"""`\p{name=value}`, `\p{value}`, or `\P{…}` (negated). Names are as written, not yet looked up."""

    name: str | None
    value: str
    negated: bool = False


@dataclass(frozen=True)
class ScriptSet(Node):
    """`script Hangul, Latin` after `deny`, `only` or `allow`; its meaning depends on the rule (DESIGN)."""

    names: tuple[ScriptName, ...]
    strictly: bool = False


@dataclass(frozen=True)
class ScriptName(Node):
    """A script's name or four-letter code."""

    name: str


@dataclass(frozen=True)
class Encodable(Node):
    """`encodable("big5")`: what an encoding has. The name is as written, not yet looked up."""

    encoding: Text


@dataclass(frozen=True)
class Characters(Node):
    """`characters("FILE")`: those of a file beside the policy."""

    path: Text


@dataclass(frozen=True)
class Compat(Node):
    """`compat(set)`: the characters whose compatibility decomposition holds a member of the set."""

    operand: SetExpr


@dataclass(frozen=True)
class SetName(Node):
    """A use of a `let` name."""

    name: str


@dataclass(frozen=True)
class Negation(Node):
    """`[^…]` or `!set`: all other scalar values."""

    operand: SetExpr


@dataclass(frozen=True)
class Union(Node):
    """Juxtaposition in brackets, `|` outside. `Union(())` is the empty set `[]`.

    `brackets` tells which of the two was written, where both could be.
    """

    operands: tuple[SetExpr, ...]
    brackets: bool = field(default=True, compare=False, kw_only=True)


@dataclass(frozen=True)
class Difference(Node):
    """`a -- b`."""

    left: SetExpr
    right: SetExpr


@dataclass(frozen=True)
class Intersection(Node):
    """`a && b`."""

    left: SetExpr
    right: SetExpr


@dataclass(frozen=True)
class Text(Node):
    """A quoted string. As an operand of a set rule it must be one code point; `allow` takes longer terms."""

    value: str


SetExpr: TypeAlias = (
    Character
    | CharacterRange
    | Property
    | ScriptSet
    | Encodable
    | Characters
    | Compat
    | SetName
    | Negation
    | Union
    | Difference
    | Intersection
    | Text
)


@dataclass(frozen=True)
class Sequence(Node):
    """Two or more sets and strings side by side: the texts with one character out of each set in turn."""

    parts: tuple[SetExpr, ...]


Operand: TypeAlias = SetExpr | Sequence
"""What stands between the commas of a rule. Sequences belong to `allow`; elsewhere they are an error."""

# --- phrases -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Texts(Node):
    """`phrase "text", "text"`."""

    texts: tuple[Text, ...]


@dataclass(frozen=True)
class TextFile(Node):
    """`phrases from "FILE"`: one text a line, in a file beside the policy."""

    path: Text


@dataclass(frozen=True)
class Cost(Node):
    """A number of logits, as it was written: digits, and perhaps a point with digits behind it."""

    digits: str

    @property
    def value(self) -> float:
        """The number."""
        return float(self.digits)


@dataclass(frozen=True)
class Words(Node):
    """The words between two commas of an option, as written, and perhaps a string behind them."""

    words: tuple[str, ...]
    text: Text | None = None


@dataclass(frozen=True)
class Option(Node):
    """`ignore case, width`: what stands between two semicolons of the options."""

    parts: tuple[Words, ...]


@dataclass(frozen=True)
class Options(Node):
    """`{ option; option; }`."""

    options: tuple[Option, ...]


# --- items of a policy --------------------------------------------------------------------------


@dataclass(frozen=True)
class Item(Node):
    """Base of the items; `leading` holds the comment lines above, `trailing` the comment behind.

    Comments between the words of an item are kept with those above it.
    """

    leading: CommentLines = field(default=(), compare=False, kw_only=True)
    trailing: str | None = field(default=None, compare=False, kw_only=True)
    source: Source | None = field(default=None, compare=False, kw_only=True)
    """Where it stands, if that is not where its policy does: see `override.py`."""


@dataclass(frozen=True)
class PolicyName(Node):
    """The name of a policy of the same file, or of a ready one."""

    name: str


@dataclass(frozen=True)
class Use(Item):
    """`use NAME;`, `use "FILE";` or `use "FILE:NAME";` — the policy obeys that one, too.

    `use NAME with { items }` obeys it as the items change it; without the braces `overrides` is None.
    """

    policy: PolicyName | Text
    overrides: tuple[Override, ...] | None = None
    closing: CommentLines = field(default=(), compare=False, kw_only=True)


@dataclass(frozen=True)
class Let(Item):
    """`let name = set;`"""

    name: str
    value: SetExpr
    name_span: Span = field(default=NO_SPAN, compare=False, kw_only=True)


@dataclass(frozen=True)
class Deny(Item):
    """`deny set, set;`"""

    sets: tuple[Operand, ...]


@dataclass(frozen=True)
class Only(Item):
    """`only set, set;` — the sets of one line unite, the lines of one scope intersect.

    `up_to` is the largest length of the region that the line stands in.
    """

    sets: tuple[Operand, ...]
    up_to: int | None = None


@dataclass(frozen=True)
class Allow(Item):
    """`allow set, "term", set "sequence" set;`, and after terms perhaps options in braces."""

    operands: tuple[Operand, ...]
    options: Options | None = None


@dataclass(frozen=True)
class DenyPhrases(Item):
    """`deny phrase "text", "text" { options }` or `deny phrases from "FILE";`."""

    phrases: Texts | TextFile
    options: Options | None = None


@dataclass(frozen=True)
class AllowFrom(Item):
    """`allow terms from "FILE" { options }`."""

    terms: TextFile
    options: Options | None = None


@dataclass(frozen=True)
class Discourage(Item):
    """`discourage set, set by 3;` — the characters cost, and are not masked."""

    sets: tuple[Operand, ...]
    cost: Cost


@dataclass(frozen=True)
class DiscouragePhrases(Item):
    """`discourage phrase "text" by 6 { options }`."""

    phrases: Texts | TextFile
    cost: Cost
    options: Options | None = None


@dataclass(frozen=True)
class Replace(Item):
    """`replace set, set with "text";` — denied, and written anew where a finished text is mended."""

    sets: tuple[Operand, ...]
    replacement: Text


@dataclass(frozen=True)
class ReplacePhrases(Item):
    """`replace phrase "text" with "text" { options }`."""

    phrases: Texts | TextFile
    replacement: Text
    options: Options | None = None


@dataclass(frozen=True)
class StopOn(Item):
    """`stop on phrase "text" { options }`: the text ends where the phrase does."""

    phrases: Texts | TextFile
    options: Options | None = None


@dataclass(frozen=True)
class StopBefore(Item):
    """`stop before phrase "text" { options }`: the text ends before the phrase is complete."""

    phrases: Texts | TextFile
    options: Options | None = None


@dataclass(frozen=True)
class RegionKind(Node):
    """`fence`, `fence "word"`, `json "name"`, or `between "A" "B"`, perhaps with `start` or `after set` before it."""

    name: str | None = None
    """The name of a kind, or the word before `between`."""
    delimiters: tuple[Text, Text] | None = None
    after: SetExpr | None = None
    field: Text | None = None
    """The string behind the name of a kind."""


RuleItem: TypeAlias = (
    Deny | DenyPhrases | Discourage | DiscouragePhrases | Replace | ReplacePhrases | Only | Allow | AllowFrom
)


@dataclass(frozen=True)
class Unclosed(Item):
    """`unclosed name: allow;` or `forbid`."""

    region: str
    choice: str
    name_span: Span = field(default=NO_SPAN, compare=False, kw_only=True)


@dataclass(frozen=True)
class InSurface(Item):
    """`surface name;` — texts, or what stands in a region, are those of a surface that obey the policy."""

    name: str
    name_span: Span = field(default=NO_SPAN, compare=False, kw_only=True)


@dataclass(frozen=True)
class Region(Item):
    """`region name = kind | kind { rules }`; without rules it is `{ any }`."""

    name: str
    kinds: tuple[RegionKind, ...]
    items: tuple[RuleItem | InSurface, ...]
    name_span: Span = field(default=NO_SPAN, compare=False, kw_only=True)
    closing: CommentLines = field(default=(), compare=False, kw_only=True)


@dataclass(frozen=True)
class Accept(Item):
    """`accept "text";` — a test that lives with the policy."""

    text: Text


@dataclass(frozen=True)
class Reject(Item):
    """`reject "text" at 3;` — the offset of the first violation in code points, if it is given."""

    text: Text
    at: int | None = None


Override: TypeAlias = Let | RuleItem | StopOn | StopBefore | Region | Unclosed
PolicyItem: TypeAlias = Use | Override | InSurface | Accept | Reject


@dataclass(frozen=True)
class PolicyDecl(Item):
    """`policy name "doc" { items }`; `closing` holds the comments before the brace."""

    name: str
    doc: str | None
    items: tuple[PolicyItem, ...]
    name_span: Span = field(default=NO_SPAN, compare=False, kw_only=True)
    closing: CommentLines = field(default=(), compare=False, kw_only=True)


@dataclass(frozen=True)
class PolicyFile(Node):
    """A file: policies and surfaces; `closing` holds the comments after the last one."""

    policies: tuple[PolicyDecl, ...]
    surfaces: tuple[SurfaceDecl, ...] = ()
    source: Source = field(compare=False, kw_only=True)
    closing: CommentLines = field(default=(), compare=False, kw_only=True)
