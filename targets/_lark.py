r"""Terminals of llguidance's Lark dialect: regular expressions with names, intersection (`&`) and complement (`~`).

Invariant: the terminals say what the expression of the policy says, node by node. Only permitted terms and small
complements are written out by way of an automaton: where no text of `X & ~(…)` is left, the engine does not see it but
searches, which once took more than its budget. A complement never stands alone: `~` takes every row of *bytes* that
does not match, malformed ones too, so beside it stands something that only well-formed text matches. `~` binds tighter
than a repetition, which binds tighter than a row, then `&`, then `|`.

Inside a complement "any text" is `ANY_BYTES`, one state for the engine where any well-formed text has four; with thirty
phrases that decides whether a mask stays within its budget. It changes nothing: in a well-formed text, characters stand
at borders of characters, so the bytes between them are well-formed too. Only `&` and `~` could tell, and no `ANY_BYTES`
stands in their parts.

What occurs several times is a terminal of its own, so the text grows with the number of different parts. Inside
`/…/` there is what every regular expression has: positive classes, groups, alternation, repetition. An empty pair of
slashes would begin a comment: the empty text is `""`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from langc.compiler.automata.eliminate import plain
from langc.compiler.automata.phrase_expression import without_phrases
from langc.compiler.automata.simplify import Measure, optional
from langc.compiler.errors import LimitError
from langc.compiler.ir.json_text import spelled_out
from langc.compiler.ir.language import (
    ANY_TEXT,
    EMPTY,
    FAIL,
    Alternation,
    BoundedCover,
    Class,
    Complement,
    Concat,
    Cover,
    Intersection,
    Joined,
    JsonString,
    Language,
    PhraseFree,
    Repetition,
    Scoped,
    Stopped,
    alternation,
    children,
    complement,
    concat,
    intersection,
    repetition,
    unjoined,
)
from langc.compiler.limits import MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_SIZE, MAX_UNSHARED_SIZE, over_limit
from langc.compiler.policy import Policy
from langc.targets._expression import NOTATIONS, quantifier, write_expression
from langc.targets._sharing import Shared
from langc.targets._spelled_out import spell_out

ANY_BYTES: Language = Complement(FAIL)
"""Any text, written as any row of bytes."""
_ANY_BYTES_BODY = r"~/[^\x00-\x{10FFFF}]/"
_LONG = 12
"""From how many characters on a part that occurs again gets a name."""
_SMALL = 1_000
"""Up to how many ranges and nodes a complement is written out."""
_BINDING: dict[type[Language], int] = {Alternation: 0, Intersection: 1, Concat: 2, Repetition: 3}
_ATOM = 4
_RUST = NOTATIONS["rust"]
NOTATION = replace(_RUST, in_literal=_RUST.in_literal + "/", in_class=_RUST.in_class + "/")


def terminals_of(policy: Policy) -> str:
    """Terminal `TEXT` of a hard policy and those that it refers to, one a line.

    Raises PolicyError if the policy permits nothing, LimitError if it is too large.
    """
    language = policy.ir.language
    if any(scope.exempt for scope in policy.lowered.scopes):
        language = spell_out(policy.lowered) or language
    if not isinstance(language, Cover):
        policy.reader if policy.apart else policy.dfa  # noqa: B018 - what is wrong with the policy is said first
    return write_terminals(language)


def write_terminals(language: Language) -> str:
    """The terminals of a language, `TEXT` first."""
    shared = Shared(_Lowering().of(language))
    return "".join(f"{name}: {body}\n" for name, body in _Writer(shared).terminals())


class _Lowering:
    """To the same language without covers, and with each complement beside a part that is well-formed.

    Parts that are one object stay one.
    """

    def __init__(self) -> None:
        self._done: dict[int, Language] = {}

    def of(self, language: Language) -> Language:
        found = self._done.get(id(language))
        if found is None:
            found = self._done[id(language)] = self._made(language)
        return found

    def _made(self, language: Language) -> Language:
        match language:
            case Cover():
                return plain(language, ambiguous=True, size=MAX_UNSHARED_SIZE)
            case Concat(parts):
                return concat(*map(self.of, parts))
            case Alternation(parts):
                return _either([self.of(p) for p in parts])
            case Repetition(part, least, most):
                return repetition(self.of(part), least, most)
            case Intersection(parts):
                return self._both(parts)
            case Complement():
                return self._both((language,))
            case PhraseFree():
                return self._both((language,))
            case Joined():
                return self.of(unjoined(language))
            case JsonString(part):
                return self._quoted(self.of(part))
            case BoundedCover() | Stopped() | Scoped():
                return plain(language, ambiguous=True, size=MAX_UNSHARED_SIZE)
            case _:
                return language

    def _quoted(self, values: Language) -> Language:
        """What lowered texts look like in the quotes of JSON strings: every operator can be moved out of the quotes."""
        match values:
            case Complement() if values == ANY_BYTES:
                return self._quoted(ANY_TEXT)  # bytes could cut an escape in two
            case Intersection(parts):
                return intersection(*map(self._quoted, parts))
            case Complement(part):
                return complement(self._quoted(part))
            case Class():
                return spelled_out(values)
            case Concat(parts):
                return concat(*map(self._quoted, parts))
            case Alternation(parts):
                return alternation(*map(self._quoted, parts))
            case Repetition(part, least, most):
                return repetition(self._quoted(part), least, most)
        raise AssertionError("nothing else is left of a lowered expression")

    def _both(self, parts: tuple[Language, ...]) -> Language:
        """Complements come last; every text stands where nothing else would."""
        lowered = [self._factor(p) for p in _flat(parts)]
        negative = [p for p in lowered if isinstance(p, Complement)]
        positive = [p for p in lowered if not isinstance(p, Complement) and p != ANY_TEXT]
        return intersection(*positive, *([] if positive else [ANY_TEXT]), *negative)

    def _factor(self, part: Language) -> Language:
        """A part of an intersection. A complement is written out if that is small: the engine sees where it ends."""
        if not isinstance(part, Complement | PhraseFree):
            return self.of(part)
        try:
            return _written_out(part)
        except LimitError:
            negative = without_phrases(part.phrases) if isinstance(part, PhraseFree) else part
            assert isinstance(negative, Complement)
            return complement(_over_bytes(self.of(negative.part)))


def _flat(parts: tuple[Language, ...]) -> Iterator[Language]:
    """The parts of an intersection and of those inside it: a complement needs no other text where a part has one."""
    for part in parts:
        if isinstance(part, Intersection):
            yield from _flat(part.parts)
        else:
            yield part


def _written_out(part: Complement | PhraseFree) -> Language:
    """Without a complement. Raises LimitError if that is not small; of many phrases no automaton is tried."""
    if isinstance(part, PhraseFree) and sum(len(p.atoms) for p in part.phrases) > _SMALL:
        raise LimitError(over_limit("characters and ranges in a complement", _SMALL))
    return plain(part, ambiguous=True, size=_SMALL)


def _over_bytes(language: Language) -> Language:
    """The part of a complement with any bytes for any text. Parts of `&` and `~` stay what they are."""
    if language == ANY_TEXT:
        return ANY_BYTES
    match language:
        case Concat(parts):
            return concat(*map(_over_bytes, parts))
        case Alternation(parts):
            return alternation(*map(_over_bytes, parts))
        case Repetition(part, least, most):
            return repetition(_over_bytes(part), least, most)
        case _:
            return language


def _either(parts: list[Language]) -> Language:
    """Any of them; the empty text as an option."""
    whole = alternation(*(p for p in parts if p != EMPTY))
    return optional(whole) if EMPTY in parts else whole


class _Writer:
    """The text of each node is made once; a node with a name is written as its name."""

    def __init__(self, shared: Shared) -> None:
        if shared.size > MAX_EXPRESSION_SIZE:
            raise LimitError(over_limit("characters and ranges in the terminals", MAX_EXPRESSION_SIZE))
        if Measure().depth(shared.root) > MAX_EXPRESSION_DEPTH:
            raise LimitError(over_limit("nested groups in the terminals", MAX_EXPRESSION_DEPTH))
        self._shared = shared
        self._plain: dict[int, bool] = {}
        self._named: dict[int, bool] = {}
        self._bodies: dict[int, str] = {}
        self._names: dict[int, str] = {}

    def terminals(self) -> Iterator[tuple[str, str]]:
        """Names and bodies: `TEXT` first, then the parts, each behind those that it refers to."""
        yield "TEXT", self._body(self._shared.root)
        yield from ((name, self._bodies[node]) for node, name in self._names.items())

    def _text(self, node: Language, within: int) -> str:
        """The node where something of a binding strength is wanted."""
        if self._is_named(node):
            return self._name(node)
        body = self._body(node)
        return body if self._is_plain(node) or _BINDING[type(node)] >= within else f"({body})"

    def _name(self, node: Language) -> str:
        self._body(node)
        known = "ANY" if node == ANY_TEXT else "ANY_BYTES" if node == ANY_BYTES else None
        return self._names.setdefault(id(node), known or f"PART_{len(self._names) + 1}")

    def _body(self, node: Language) -> str:
        if node == ANY_BYTES:
            self._bodies[id(node)] = _ANY_BYTES_BODY
        elif id(node) not in self._bodies:
            self._bodies[id(node)] = _expression(node) if self._is_plain(node) else self._composed(node)
        return self._bodies[id(node)]

    def _composed(self, node: Language) -> str:
        match node:
            case Alternation(parts):
                return " | ".join(self._joined(parts, Alternation))
            case Intersection(parts):
                return " & ".join(map(self._factor, parts))
            case Concat(parts):
                return " ".join(self._joined(parts, Concat))
            case Repetition(part, least, most):
                return self._text(part, _ATOM) + quantifier(least, most)
        raise AssertionError("classes are plain, and complements stand in intersections alone")

    def _factor(self, part: Language) -> str:
        if isinstance(part, Complement):
            return "~" + self._text(part.part, _ATOM)
        return self._text(part, _BINDING[Concat])

    def _joined(self, parts: tuple[Language, ...], kind: type[Alternation | Concat]) -> Iterator[str]:
        """The parts; neighbours that can stand between slashes do so together."""
        for together, run in groupby(parts, lambda p: self._is_plain(p) and not self._is_named(p)):
            if together:
                several = tuple(run)
                yield _expression(several[0] if len(several) == 1 else kind(several))
            else:
                yield from (self._text(p, _BINDING[kind] + 1) for p in run)

    def _is_named(self, node: Language) -> bool:
        if id(node) not in self._named:
            again = node is not self._shared.root and self._shared.uses(node) > 1
            is_long = again and (not self._is_plain(node) or len(self._body(node)) > _LONG)
            self._named[id(node)] = is_long or node == ANY_BYTES
        return self._named[id(node)]

    def _is_plain(self, node: Language) -> bool:
        """Whether the whole node can stand between slashes: there are no names there."""
        if id(node) not in self._plain:
            regular = not isinstance(node, Intersection | Complement)
            self._plain[id(node)] = regular and all(self._is_plain(c) and not self._is_named(c) for c in children(node))
        return self._plain[id(node)]


def _expression(node: Language) -> str:
    return '""' if node == EMPTY else f"/{write_expression(node, NOTATION)}/"
