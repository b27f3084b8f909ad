"""What a violation is laid to: the rule of the scope that the text is in where it breaks.

Every policy of an intersection is asked in turn, the checked one first. Which scope a character can belong to is read
off the state of the automaton (`automata/recovery.py`), so the rules of a region are blamed inside it and nowhere
else. While it is open whether a code span closes, it can be inside and outside, and the rules of both count. Where two
scopes permit the same from a state on, the state is one, and the scope that a shortest text leads to stands for both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from langc.compiler.automata.phrase_finder import Found, PhraseFinder, reach
from langc.compiler.diagnostics import Label
from langc.compiler.ir.kinds import MAX_SPAN, QUOTE_MARKS, Between, Fence, InlineCode, Kind, commits
from langc.compiler.ir.nodes import PolicyIR, Region, Rule, RuleKind
from langc.compiler.passes.open_regions import regions_of
from langc.compiler.policy import Policy

LINE_KEPT = 400
"""How far back a code span may open for its rules to be blamed."""
ASKED = 1 << 16
"""Pairs of a state and a character whose rule is remembered."""


@dataclass(frozen=True)
class Charge:
    """A rule as messages name it."""

    rule: str
    """As `langc fmt` prints it; `unclosed NAME: forbid` or `region NAME` for a region that is not closed."""
    policy: str
    region: str | None = None
    """The region whose rule it is, or that is not closed."""
    place: Label | None = None


@dataclass(frozen=True)
class _Scope:
    """The rules that hold in one scope of one policy: outside its regions, or in one of them."""

    policy: PolicyIR
    region: Region | None
    rules: tuple[Rule, ...]
    kind: Kind | None = None

    @property
    def is_optional(self) -> bool:
        """Whether it is a region that recovery takes for plain text, since its opener does not commit."""
        return self.kind is not None and not isinstance(self.kind, Fence | InlineCode) and not commits(self.kind)

    @property
    def closer(self) -> str | None:
        """The delimiter at its end."""
        return self.kind.closer if isinstance(self.kind, Between) else None

    @property
    def is_in_line(self) -> bool:
        """Whether it is a region only if it closes on its line."""
        return self.is_optional or isinstance(self.kind, InlineCode)

    def refusing(self, symbol: int) -> Rule | None:
        """The first rule that takes a character away, unless an `allow` gives it back."""
        if any(rule.kind is RuleKind.ALLOW and symbol in rule.members for rule in self.rules):
            return None
        return next((rule for rule in self.rules if rule.refuses(symbol)), None)

    def breaking(self, text: str) -> Rule | None:
        """A rule that a text breaks somewhere."""
        return next((r for c in text if (r := self.refusing(ord(c)))), None) or self.phrases.first_in(text)

    def limiting(self) -> Rule | None:
        """The rule that bounds the length of the region."""
        limited = [rule for rule in self.rules if rule.most is not None]
        return min(limited, key=lambda rule: rule.most or 0, default=None)

    def charge(self, rule: Rule) -> Charge:
        """A rule of this scope."""
        region = self.region.name if self.region else None
        return Charge(rule.text, self.policy.name, region, Label(rule.source, rule.span))

    @cached_property
    def phrases(self) -> PhraseFinder[Rule]:
        """Finds the denied phrases."""
        denials = (rule for rule in self.rules if rule.kind is RuleKind.DENY)
        return PhraseFinder((rule, p) for rule in denials for p in rule.phrases)

    @cached_property
    def stops(self) -> PhraseFinder[Rule]:
        """Finds the stop phrases."""
        return PhraseFinder((rule, p) for rule in self.rules if rule.kind is RuleKind.STOP for p in rule.phrases)

    @cached_property
    def befores(self) -> PhraseFinder[Rule]:
        """Finds the phrases that a text stops before."""
        rules = (rule for rule in self.rules if rule.kind is RuleKind.STOP_BEFORE)
        return PhraseFinder((rule, p) for rule in rules for p in rule.phrases)


def _scopes(ir: PolicyIR) -> list[_Scope]:
    """The scopes of one policy, numbered as in the structure of its texts: each kind of a region has its own."""
    kinds = [(region, kind) for region in regions_of(ir) for kind in region.kinds]
    return [_Scope(ir, None, ir.rules), *(_Scope(ir, region, region.rules, kind) for region, kind in kinds)]


class Blamer:
    """Lays violations of one policy to its rules. Makes the policy's `recovery`."""

    def __init__(self, policy: Policy) -> None:
        self._recovery = policy.recovery
        self._policies = [_scopes(ir) for ir in policy.lowered.scopes]
        self._held = lru_cache(ASKED)(self._held_at)
        self.character = lru_cache(ASKED)(self._character)

    def _held_at(self, state: int) -> tuple[_Scope, ...]:
        """The scopes that the next character can belong to."""
        held = []
        for number, scopes in enumerate(self._policies):
            held += [scopes[n] for n in self._recovery.may_be_in(state, number, len(scopes))]
        return tuple(held)

    def _asked(self, state: int) -> Iterator[_Scope]:
        """The scopes whose rules count, and behind them those of regions that only closing makes regions."""
        yield from self._held(state)
        yield from (scope for scopes in self._policies for scope in scopes if scope.is_optional)

    def _character(self, state: int, character: str) -> Charge | None:
        """The first rule that takes a character away in a state of the policy's reader."""
        return next((s.charge(rule) for s in self._asked(state) if (rule := s.refusing(ord(character)))), None)

    def after(self, state: int, character: str) -> int:
        """The state behind a character that is refused in `state`."""
        return self._recovery.after(state, ord(character))

    def afresh(self, state: int) -> int:
        """The state at the same place, its rules started afresh."""
        return self._recovery.afresh(state)

    def is_fresh(self, state: int) -> bool:
        """Whether no rule of a region is in progress."""
        return state in self._recovery.place_of and self._recovery.afresh(state) == state

    def phrase(self, state: int, recent: str, after: str) -> tuple[Found[Rule], Charge] | None:
        """The denied phrase that is certain once `after` is read in a state; `recent` is the text before it.

        `after` is one character, or empty at the end of the text. Those of `stop before` hold across all regions.
        """
        finds = [
            (found, scopes[0].charge(found.owner))
            for scopes in self._policies
            if (found := scopes[0].befores.ending(recent, after))
        ]
        finds += [
            (found, scope.charge(found.owner))
            for scope in self._asked(state)
            for text, following in ((recent, after), *_before_closers(scope, recent, after))
            if (found := scope.phrases.ending(text, following))
        ]
        return min(finds, key=lambda find: find[0].start, default=None)

    def structure(self, state: int, recent: str, after: str) -> Charge | None:
        """The stop phrase that `after` stands behind, or the rule that bounds the region; None if it is neither."""
        for number, scopes in enumerate(self._policies):
            if self._recovery.refuses(state, number, after):
                found = scopes[0].stops.ending(recent, after) or scopes[0].stops.ending(recent[:-1], recent[-1:])
                if found:
                    return scopes[0].charge(found.owner)
                full = (s for s in scopes if s.closer and not self._recovery.refuses(state, number, s.closer))
                return next((scope.charge(rule) for scope in full if (rule := scope.limiting())), None)
        return None

    def is_over(self, state: int, character: str) -> bool:
        """Whether the structure of the text alone refuses a character."""
        return any(self._recovery.refuses(state, n, character) for n in range(len(self._policies)))

    def in_line(self, recent: str) -> Charge | None:
        """The rule that a line breaks now that it is certain which regions close on it; `recent` ends in the line."""
        line = recent.rpartition("\n")[2]
        policies = (scopes for scopes in self._policies if any(scope.is_in_line for scope in scopes))
        stretches = (found for scopes in policies for found in _stretches(scopes, line))
        return next((scope.charge(rule) for scope, text in stretches if (rule := scope.breaking(text))), None)

    def unclosed(self, state: int) -> Charge | None:
        """The region that must be closed before a text that has led to a state ends."""
        for number, scopes in enumerate(self._policies):
            if self._recovery.must_go_on(state, number):
                held = [scopes[n] for n in self._recovery.may_be_in(state, number, len(scopes)) if n]
                return next((_open(scope) for scope in (*held, *filter(_is_fence, scopes))), None)
        return None


def reach_of(policy: Policy) -> int:
    """How many characters before a violation `Blamer` can want to see."""
    scopes = [scope for ir in policy.lowered.scopes for scope in _scopes(ir)]
    rules = (rule for scope in scopes for rule in scope.rules)
    kinds = (RuleKind.DENY, RuleKind.STOP, RuleKind.STOP_BEFORE)
    phrases = (p for rule in rules if rule.kind in kinds for p in rule.phrases)
    return max(reach(phrases), LINE_KEPT if any(s.is_in_line and s.rules for s in scopes) else 0)


def _stretches(scopes: list[_Scope], line: str) -> Iterator[tuple[_Scope, str]]:
    """A line as regions that close on it leave it, each stretch with its scope."""
    spans = next((scope for scope in scopes if isinstance(scope.kind, InlineCode)), None)
    size = f"`{{1,{MAX_SPAN}}}" if spans else "(?!)"
    pattern = re.compile(f"(?<!`)(?P<run>{size})(?!`)(?P<inner>.*?)(?<!`)(?P=run)(?!`)", re.DOTALL)
    plain = 0
    for span in pattern.finditer(line):
        yield from _glossed(scopes, line[plain : span.start()])
        yield spans or scopes[0], span["inner"]
        plain = span.end()
    yield from _glossed(scopes, line[plain:])


def _glossed(scopes: list[_Scope], text: str) -> Iterator[tuple[_Scope, str]]:
    """The regions behind a character in a stretch without code, and last what is around them."""
    for scope in scopes:
        for opener, closer in _in_line_delimiters(scope.kind) if scope.is_optional else ():
            pattern = re.compile(f"(.?){re.escape(opener)}(.*?){re.escape(closer)}", re.DOTALL)
            yield from (
                (scope, found[2]) for found in pattern.finditer(text) if _may_stand_before(found[1], scope.kind)
            )
            text = pattern.sub("\n", text)
    yield scopes[0], text


def _in_line_delimiters(kind: Kind | None) -> Iterable[tuple[str, str]]:
    return [(kind.opener, kind.closer)] if isinstance(kind, Between) else QUOTE_MARKS.items()


def _may_stand_before(character: str, kind: Kind | None) -> bool:
    after = kind.after if isinstance(kind, Between) else None
    return after is None or (character != "" and ord(character) in after)


def _before_closers(scope: _Scope, recent: str, after: str) -> Iterator[tuple[str, str]]:
    """The text before the delimiter that `after` completes: the end of a stretch is a boundary, too."""
    for delimiter in _delimiters(scope):
        if len(delimiter) > 1 and (recent + after).endswith(delimiter):
            yield recent[: len(recent) + 1 - len(delimiter)], ""


def _delimiters(scope: _Scope) -> set[str]:
    kinds = (kind for region in regions_of(scope.policy) for kind in region.kinds if isinstance(kind, Between))
    return {delimiter for kind in kinds for delimiter in (kind.opener, kind.closer)}


def _is_fence(scope: _Scope) -> bool:
    return isinstance(scope.kind, Fence)


def _open(scope: _Scope) -> Charge | None:
    region, policy = scope.region, scope.policy
    if region is None:
        return None
    said = region.unclosed_at
    text = f"region {region.name}" if said is None else f"unclosed {region.name}: forbid"
    place = said or (Label(region.source, region.span) if region.span.end else None)
    return Charge(text, policy.name, region.name, place)
