"""Whether the regions of a policy can open and close beside the policies that it uses.

In one policy they always can: the delimiters lie in no scope. A policy that it uses has other regions, and may forbid
what the delimiters are made of. Then no text has the region, and since nothing leads into a dead end nothing would
show it. So it is an error. A region of a used policy that the policy forbids altogether is none: its rules hold.

A region is tried with its delimiters alone; only if the whole refuses them all an automaton decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from langc.compiler.automata.boolean import intersection as both
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import Dfa
from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.ir.kinds import QUOTE_MARKS, Between, Fence, InlineCode, JsonValue, Kind, Url
from langc.compiler.ir.nodes import PolicyIR, Region, Rule, RuleKind
from langc.compiler.passes.obey_used import by_itself
from langc.compiler.passes.open_regions import closed_once, regions_of


def never_closed(ir: PolicyIR, whole: Dfa) -> Iterator[Diagnostic]:
    """An LC0349 for each kind of region of the policy that no text of the whole has closed."""
    kinds = ((region, kind) for region in regions_of(ir) for kind in region.kinds) if ir.used else ()
    for number, (region, kind) in enumerate(kinds, 1):
        if not any(whole.accepts(map(ord, text)) for text in _shortest(kind)):
            refusing = _refusing(ir.used, build_dfa(closed_once(ir, number)))
            if refusing:
                yield _diagnostic(ir, region, kind, refusing)


def _refusing(others: Sequence[PolicyIR], closed: Dfa) -> list[PolicyIR]:
    """The one policy that permits none of the texts, or all of the policies if it takes several to refuse them."""
    rest = closed
    for other in others:
        language = build_dfa(by_itself(other).language)
        if not both(closed, language).live:
            return [other]
        rest = both(rest, language)
    return [] if rest.live else [*others]


def _delimiters(kind: Kind) -> list[tuple[str, str]]:
    """What opens and closes such a region, with nothing between that need not be."""
    match kind:
        case Between(opener, closer):
            return [(opener, closer)]
        case Fence(word):
            return [(f"```{word or ''}\n", "```"), (f"~~~ {word}\n" if word else "~~~\n", "~~~")]
        case InlineCode():
            return [("`x", "`"), ("`.", "`"), ("`가", "`")]
        case JsonValue():
            return [(f'{kind.key}:"', '"')]
        case Url():
            return [("http://", ""), ("https://", "")]
        case _:
            return [*QUOTE_MARKS.items()]


def _shortest(kind: Kind) -> Iterator[str]:
    for opener, closer in _delimiters(kind):
        before = chr(kind.after.first()) if isinstance(kind, Between) and kind.after else ""
        yield before + opener + closer


def _diagnostic(ir: PolicyIR, region: Region, kind: Kind, refusing: Sequence[PolicyIR]) -> Diagnostic:
    names = ", ".join(f"`{policy.name}`" for policy in refusing)
    what = f"policy {names} does" if len(refusing) == 1 else f"policies {names} together do"
    parts = [part.strip() for part in dict.fromkeys(_delimiters(kind)[0]) if part.strip()]
    label = Label(region.source if region.span.end else ir.source, region.span if region.span.end else ir.span)
    rules = [rule for policy in refusing for rule in policy.rules if any(_bars(rule, part) for part in parts)]
    return Diagnostic(
        "LC0349",
        f"region `{region.name}` can never open and close: {what} not permit {' … '.join(f'`{p}`' for p in parts)}",
        label,
        tuple(Label(rule.source, rule.span, f"`{rule.text}`") for rule in rules[:3]),
        help="write the region into that policy too, or let it permit the delimiters",
    )


def _bars(rule: Rule, delimiter: str) -> bool:
    """Whether a rule takes away a character of it, or denies a phrase in it."""
    denies = rule.kind is RuleKind.DENY and any(phrase.text in delimiter for phrase in rule.phrases)
    return denies or any(rule.refuses(ord(c)) for c in delimiter)
