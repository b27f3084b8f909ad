"""The definitions of phrases, terms and regions, for a policy as it was lowered: its data, none of its code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from langc.compiler.ir.kinds import Between, Fence, InlineCode, JsonValue, Kind, Quotes, Url
from langc.compiler.ir.nodes import PolicyIR, Region, Rule, RuleKind
from langc.compiler.ir.phrases import Phrase
from tests.oracle.bounded import Barred, Scope, Stopping
from tests.oracle.phrases import Wanted, folded, occurs
from tests.oracle.reader import Opening, Reader, Regioned
from tests.oracle.trying import Trying

NEUTRAL = "x가1 .\u0323\n"
_EXEMPT: dict[str, tuple[Kind, ...]] = {
    "code": (Fence(), InlineCode()),
    "think": (Between("<think>", "</think>"),),
}
_NORMALIZATION = {"none": "", "canonical": "nfd", "compatibility": "nfkd"}


def judge_of(ir: PolicyIR, text: str) -> Trying:
    """A judge of this text and its beginnings, for one policy without those that it uses.

    Raises ValueError for sequences of sets, which these definitions do not know.
    """
    regions = (*ir.regions, *(Region(name, _EXEMPT[name]) for name in ir.exempt))
    rules = [*ir.rules, *(rule for region in regions for rule in region.rules)]
    if any(rule.patterns for rule in rules):
        raise ValueError("sequences of sets")
    openings = [o for number, region in enumerate(regions, 1) for o in _openings(number, region)]
    whole = [*_letters(rules), *(d for o in openings for d in (o.opener, o.closer))]
    rests = [t[at:] for t in whole for at in range(len(t))]
    pieces = [*dict.fromkeys((*NEUTRAL, *rests, *_special(regions), *text))]
    judge = scope_of(ir.rules).trying(pieces)
    if regions:
        scopes = (scope_of(ir.rules), *(scope_of(region.rules) for region in regions))
        judge = Regioned(Reader(openings), scopes).trying(pieces, depth=2)
    before, stops = (_phrases_of(ir, kind) for kind in (RuleKind.STOP_BEFORE, RuleKind.STOP))
    judge = Barred(judge, before).trying(judge.pieces, judge.depth) if before else judge
    if not stops:
        return judge
    banned = [Scope(lambda _: True, (), scope_of(rules).banned) for rules in (ir.rules, *(r.rules for r in regions))]
    ending = Regioned(Reader([replace(o, unclosed=True) for o in openings]), tuple(banned)) if regions else banned[0]
    return Stopping(judge, stops, lambda t: ending.accepts(t) and not any(occurs(p, t) for p in before)).trying(
        judge.pieces
    )


def _phrases_of(ir: PolicyIR, kind: RuleKind) -> tuple[Wanted, ...]:
    return tuple(wanted_of(p) for rule in ir.rules if rule.kind is kind for p in rule.phrases)


def scope_of(rules: Sequence[Rule]) -> Scope:
    """The rules of one scope."""
    allows = [r for r in rules if r.kind is RuleKind.ALLOW]
    terms = (*(Wanted(t) for r in allows for t in r.terms), *(wanted_of(p) for r in allows for p in r.phrases))
    banned = tuple(wanted_of(p) for r in rules if r.kind is RuleKind.DENY for p in r.phrases)
    return Scope(lambda character: _permits(rules, ord(character)), terms, banned)


def wanted_of(phrase: Phrase) -> Wanted:
    """A phrase or term with its options."""
    folding = phrase.folding
    return Wanted(
        phrase.text,
        folding.case,
        folding.width,
        folding.invisible,
        {"exact": ""}.get(folding.space.value, folding.space.value),
        _NORMALIZATION[folding.decomposition.value],
        {"none": ""}.get(phrase.left.value, phrase.left.value),
        {"none": ""}.get(phrase.right.value, phrase.right.value),
        phrase.early,
        folding.confusables is not None,
    )


def _permits(rules: Sequence[Rule], symbol: int) -> bool:
    if any(r.kind is RuleKind.ALLOW and symbol in r.members for r in rules):
        return True
    denied = any(r.kind is RuleKind.DENY and symbol in r.members for r in rules)
    return not denied and all(symbol in r.members for r in rules if r.kind is RuleKind.ONLY)


def _openings(number: int, region: Region) -> Iterable[Opening]:
    for kind in region.kinds:
        unclosed = isinstance(kind, Fence) if region.unclosed is None else region.unclosed
        match kind:
            case Fence(word):
                yield Opening("fence", word or "", scope=number, unclosed=unclosed)
            case InlineCode():
                yield Opening("inline_code", scope=number)
            case Quotes():
                yield Opening("quotes", scope=number)
            case Url():
                yield Opening("url", scope=number)
            case JsonValue(member):
                yield Opening("json", member, scope=number, unclosed=unclosed, decoded=bool(region.rules))
            case Between(opener, closer, after, at_start, most):
                name = "after" if after else "start between" if at_start else "between"
                held = "".join(map(chr, after)) if after else ""
                yield Opening(name, opener, closer, held, most, number, unclosed)


def _letters(rules: Iterable[Rule]) -> list[str]:
    """The terms and phrases as written, as folded, and character by character."""
    wanted = [wanted_of(p) for r in rules for p in (*r.phrases, *(Phrase(t) for t in r.terms))]
    return [t for w in wanted for t in (w.text, folded(w.text, w))]


def _special(regions: Iterable[Region]) -> tuple[str, ...]:
    kinds = {type(kind) for region in regions for kind in region.kinds}
    code = ("`", "``", "```", "\n```", "\n~~~") if kinds & {Fence, InlineCode} else ()
    escapes = _rests("\\u0001") if JsonValue in kinds else ()
    colon = (':"',) if JsonValue in kinds else ()
    return (*code, *escapes, *colon, *(_rests("https://") if Url in kinds else ()))


def _rests(text: str) -> tuple[str, ...]:
    return tuple(text[at:] for at in range(len(text)))
