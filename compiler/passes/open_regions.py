"""Make the language of a policy with regions: in each, its own rules hold instead of the policy's.

A text is a row of outer stretches, each permitted by the policy's own rules, with regions between them: terms and
phrases never reach across a border, and behind a closer the rules start afresh.

The names that `exempt` has stand for ready regions, in which everything is permitted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError
from langc.compiler.ir.borders import ANY, entering, leave
from langc.compiler.ir.clashes import first_clash
from langc.compiler.ir.kinds import (
    Between,
    Fence,
    InlineCode,
    JsonValue,
    Kind,
    Place,
    Url,
    commits,
)
from langc.compiler.ir.language import (
    ANY_TEXT,
    Class,
    JsonString,
    Language,
    Scoped,
    alternation,
    concat,
    cover,
    intersection,
    phrase_free,
)
from langc.compiler.ir.nodes import PolicyIR, Region, Rule, RuleKind
from langc.compiler.ir.structure import structure
from langc.compiler.suggest import did_you_mean
from langc.compiler.unicode.intervals import union

THINK = ("<think>", "</think>")


@dataclass(frozen=True)
class Exemption:
    """A region that `Policy.with_(exempt=…)` knows."""

    summary: str
    kinds: tuple[Kind, ...]


EXEMPTIONS: dict[str, Exemption] = {
    "code": Exemption("fenced code blocks, and code spans that close on their line", (Fence(), InlineCode())),
    "think": Exemption("from `<think>` to `</think>`", (Between(*THINK),)),
}


def regions_of(ir: PolicyIR) -> tuple[Region, ...]:
    """The regions of a policy: its own, and those that are exempt; an exempt one replaces its own of that name."""
    own = tuple(region for region in ir.regions if region.name not in ir.exempt)
    return (*own, *(Region(name, EXEMPTIONS[name].kinds) for name in ir.exempt))


def open_regions(ir: PolicyIR) -> PolicyIR:
    """The language with its regions. Raises PolicyError for delimiters that clash (LC0308, LC0348)."""
    regions = regions_of(ir)
    if not regions:
        return ir
    _check_delimiters(ir, regions)
    return replace(ir, language=_scoped(ir, ir.language, [region.language for region in regions]))


def closed_once(ir: PolicyIR, number: int) -> Language:
    """The texts of one policy that leave its region of kind `number`, counted from 1; its stop phrases are left out."""
    return _scoped(ir, ir.language, [region.language for region in regions_of(ir)], number)


def ending_in(ir: PolicyIR, numbers: Collection[int]) -> Language:
    """The texts that end in a region of one of these kinds, counted from 1, whatever the rules of the policy say."""
    regions = regions_of(ir)
    places = [replace(place, unclosed=True) for place in _places(regions)]
    begins_in = begin(regions, ir.inside)
    first = 0 if begins_in is None else places[begins_in].scope
    last = concat(ANY, Class(union(map(entering, numbers))), ANY_TEXT)
    last = alternation(last, ANY_TEXT) if first in numbers else last
    return Scoped(intersection(structure(places, begins_in), last), (ANY_TEXT,) * (len(places) + 1), first)


def without_denied_phrases(ir: PolicyIR) -> Language:
    """The texts in whose scopes no denied phrase is complete, though they may end in any region."""
    denials = ([rule for rule in rules if rule.kind is RuleKind.DENY] for rules in rules_of(ir))
    outer, *inner = (phrase_free(p for rule in found for p in rule.phrases) for found in denials)
    return _scoped(ir, outer, inner, may_end=True)


def _scoped(
    ir: PolicyIR, outer: Language, inner: Sequence[Language], closing: int | None = None, may_end: bool = False
) -> Language:
    """The texts with a language outside all regions and one inside each.

    Perhaps those alone that leave the scope `closing`; and perhaps those that end in a region that must be closed, too.
    """
    regions = regions_of(ir)
    places = [replace(place, unclosed=place.unclosed or may_end) for place in _places(regions)]
    if not places:
        return outer
    begins_in = begin(regions, ir.inside)
    languages = [_of_kind(k, region, text) for region, text in zip(regions, inner, strict=True) for k in region.kinds]
    texts = structure(places, begins_in)
    return Scoped(
        texts if closing is None else intersection(texts, concat(ANY, leave(closing), ANY)),
        (outer, *languages),
        0 if begins_in is None else places[begins_in].scope,
        frozenset(p.scope for p in places if isinstance(p.kind, Between) and p.kind.after is not None),
        structure(places, begins_in, of_skeleton=True) if any(isinstance(p.kind, Url) for p in places) else None,
    )


def _of_kind(kind: Kind, region: Region, language: Language) -> Language:
    """What stands between the delimiters. Rules go by the value of a JSON string, which has one spelling then."""
    return JsonString(language) if isinstance(kind, JsonValue) and region.rules else language


def begin(regions: tuple[Region, ...], inside: str | None) -> int | None:
    """The number of the place that a text begins in, None for outside. Raises PolicyError (LC0346) if it cannot."""
    if inside is None:
        return None
    names = [region.name for region in regions for _ in region.kinds]
    for number, (name, place) in enumerate(zip(names, _places(regions), strict=True)):
        if name == inside and commits(place.kind):
            return number
    known = [r.name for r in regions if any(map(commits, r.kinds))]
    help_ = f"regions that a prompt can open are {', '.join(f'`{k}`' for k in known)}" if known else None
    message = f"a text cannot begin inside {inside!r}: there is no such region between delimiters"
    raise PolicyError(Diagnostic("LC0346", message, help=did_you_mean(inside, known) or help_))


def has_soft_rules(ir: PolicyIR) -> bool:
    """Whether a policy, or one that it uses, has `discourage` lines."""
    return any(rule.cost is not None for scope in ir.scopes for rules in rules_of(scope) for rule in rules)


def soft_languages(ir: PolicyIR) -> Iterator[tuple[float, Language]]:
    """The cost of each `discourage` line of a policy and of those it uses, with the texts that do not break it."""
    for scope in ir.scopes:
        rules = rules_of(scope)
        for number, rule in ((n, rule) for n, found in enumerate(rules) for rule in found):
            if rule.cost is not None:
                others = [ANY_TEXT, *map(_as_read, regions_of(scope))]
                outer, *inner = (_unbroken(rule) if n == number else other for n, other in enumerate(others))
                yield rule.cost, _scoped(scope, outer, inner)


def rules_of(scope: PolicyIR) -> list[tuple[Rule, ...]]:
    """The rules of one policy outside all regions, and those of each."""
    return [scope.rules, *(region.rules for region in regions_of(scope))]


def _as_read(region: Region) -> Language:
    """What a region must hold to be one: where its opener does not commit it is plain text with anything else in it."""
    return region.language if all(isinstance(k, Between) and k.after is not None for k in region.kinds) else ANY_TEXT


def _unbroken(rule: Rule) -> Language:
    """The texts of one scope in which a soft rule is not broken."""
    return phrase_free(rule.phrases) if rule.phrases else cover(rule.members.complement())


def _places(regions: Sequence[Region]) -> Iterator[Place]:
    """The kinds of all regions, each with a scope of its own."""
    kinds = ((kind, region.unclosed) for region in regions for kind in region.kinds)
    for scope, (kind, unclosed) in enumerate(kinds, 1):
        yield Place(kind, scope, isinstance(kind, Fence) if unclosed is None else unclosed)


def _check_delimiters(ir: PolicyIR, regions: Sequence[Region]) -> None:
    kinds = [kind for region in regions for kind in region.kinds]
    for region in regions:
        clash = next(filter(None, (first_clash(kind, kinds) for kind in region.kinds)), None)
        if clash:
            place = Label(region.source if region.span.end else ir.source, region.span)
            help_ = f"take other delimiters, or put {clash.apart} into a policy of its own and `use` it"
            raise PolicyError(Diagnostic(clash.code, clash.message, place, help=help_))
