"""The IR as stable text, for `langc dump --stage ir`, goldens and the policy hash.

Invariant: the text is a function of the meaning alone: no spans, no formatting of the policy file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from langc.compiler.ir.kinds import Between, Fence, JsonValue, Kind
from langc.compiler.ir.language import (
    BoundedCover,
    Class,
    Cover,
    Joined,
    JsonString,
    Language,
    Pattern,
    PhraseFree,
    Repetition,
    Scoped,
    Stopped,
    children,
)
from langc.compiler.ir.nodes import PolicyIR, Region, Rule
from langc.compiler.ir.phrases import Phrase
from langc.compiler.unicode.intervals import IntervalSet

_PER_LINE = 8


def dump(ir: PolicyIR) -> str:
    """One line a rule or node; ranges in hexadecimal."""
    return "\n".join(_lines(ir)) + "\n"


def _lines(ir: PolicyIR) -> Iterator[str]:
    yield f"policy {ir.name}"
    yield from _own_lines(ir)
    for used in ir.used:
        yield f"use {used.name}"
        yield from (f"  {line}" for line in (*_own_lines(used), *_state(used)))
    yield from _state(ir)
    if ir.json_strings:
        yield "json-strings"
    if ir.schema is not None:
        yield f"json-schema {json.dumps(json.loads(ir.schema.text))}"
    yield "language"
    yield from language_lines(ir.language, "  ")


def _own_lines(ir: PolicyIR) -> Iterator[str]:
    """The rules of one policy, those of its regions among them."""
    if ir.surface is not None:
        yield f"surface {ir.surface}"
    for rule in ir.rules:
        yield from _rule(rule)
    for region in ir.regions:
        yield from _region(region)


def _state(ir: PolicyIR) -> Iterator[str]:
    """What `with_` has said of one policy."""
    yield from (f"exempt {name}" for name in ir.exempt)
    if ir.inside is not None:
        yield f"inside {ir.inside}"


def _region(region: Region) -> Iterator[str]:
    unclosed = "" if region.unclosed is None else f" unclosed {str(region.unclosed).lower()}"
    yield f"region {region.name}{unclosed}"
    for kind in region.kinds:
        yield from _kind(kind)
    if region.surface is not None:
        yield f"  surface {region.surface}"
    for rule in region.rules:
        yield from (f"  {line}" for line in _rule(rule))


def _kind(kind: Kind) -> Iterator[str]:
    if isinstance(kind, JsonValue):
        yield f"  json {json.dumps(kind.name)}"
        return
    if isinstance(kind, Fence) and kind.word is not None:
        yield f"  fence {json.dumps(kind.word)}"
        return
    if not isinstance(kind, Between):
        yield f"  {type(kind).__name__.lower()}"
        return
    words = (["start"] if kind.at_start else []) + ([f"up to {kind.most}"] if kind.most is not None else [])
    yield " ".join(["  between", json.dumps(kind.opener), json.dumps(kind.closer), *words])
    if kind.after is not None:
        yield f"    after {_count(kind.after)}"
        yield from range_lines(kind.after, "      ")


def _rule(rule: Rule) -> Iterator[str]:
    cost = "" if rule.cost is None else f" by {rule.cost!r}"
    instead = "" if rule.replacement is None else f" with {json.dumps(rule.replacement)}"
    yield f"rule {rule.kind.value}{cost}{instead}: {_count(rule.members)}"
    yield from range_lines(rule.members, "  ")
    yield from (f"  term {json.dumps(t)}" for t in rule.terms)
    yield from _patterns(rule.patterns, "  ")
    yield from _phrases(rule.phrases, "  ")


def language_lines(language: Language, indent: str = "") -> Iterator[str]:
    """The expression as an indented tree; of the structure of `Scoped`, which the regions decide, its scopes alone."""
    name = type(language).__name__.lower()
    match language:
        case Class(members):
            yield f"{indent}{name}: {_count(members)}"
            yield from range_lines(members, indent + "  ")
        case Cover(base, terms, patterns):
            yield f"{indent}{name}: {_count(base)}"
            yield from range_lines(base, indent + "  ")
            yield from (f"{indent}  term {json.dumps(t)}" for t in terms)
            yield from _patterns(patterns, indent + "  ")
        case BoundedCover(base, bounded, patterns):
            yield f"{indent}bounded-cover: {_count(base)}"
            yield from range_lines(base, indent + "  ")
            yield from _phrases(bounded, indent + "  ")
            yield from _patterns(patterns, indent + "  ")
        case PhraseFree(phrases):
            yield f"{indent}phrase-free of {len(phrases)}"
            yield from _phrases(phrases, indent + "  ")
        case Repetition(_, least, most):
            yield f"{indent}{name} {least}..{'' if most is None else most}"
        case Stopped(_, phrases):
            yield f"{indent}{name} on {len(phrases)}"
            yield from _phrases(phrases, indent + "  ")
        case Scoped(_, scopes, begins_in):
            yield f"{indent}{name} of {len(scopes)}, from scope {begins_in} on"
        case Joined(members):
            words = ("required " * m.is_required + "repeated " * m.is_repeated for m in members)
            yield f"{indent}joined of {', '.join(w.strip() or 'optional' for w in words)}; last the separator"
        case JsonString():
            yield f"{indent}json-string"
        case _:
            yield f"{indent}{name}"
    for part in language.scopes if isinstance(language, Scoped) else children(language):
        yield from language_lines(part, indent + "  ")


def range_lines(members: IntervalSet, indent: str) -> Iterator[str]:
    """The ranges of a set, a few on a line."""
    words = [f"{low:04X}" if low == high else f"{low:04X}..{high:04X}" for low, high in members.ranges]
    for i in range(0, len(words), _PER_LINE):
        yield indent + " ".join(words[i : i + _PER_LINE])


def _patterns(patterns: tuple[Pattern, ...], indent: str) -> Iterator[str]:
    for pattern in patterns:
        yield f"{indent}pattern of {len(pattern)}"
        for members in pattern:
            yield f"{indent}  {_count(members)}"
            yield from range_lines(members, indent + "    ")


def _phrases(phrases: Iterable[Phrase], indent: str) -> Iterator[str]:
    for phrase in phrases:
        text, *words = phrase.key
        yield f"{indent}phrase {json.dumps(text)} {' '.join(words)}"


def _count(members: IntervalSet) -> str:
    return f"{len(members)} code points in {len(members.ranges)} ranges"
