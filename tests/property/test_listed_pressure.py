"""Pressure from listed alternatives, against the referee of violations and against whole distributions."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, inf

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from langc.compiler.errors import PolicyError
from langc.compiler.tokens.pressure.listed import Auditor, Listed, Listing
from tests.oracle.bounded import Scope
from tests.oracle.encoding import split
from tests.oracle.soft import Decoder, Discouraged
from tests.property.rule_worlds import policy_of, slices
from tests.property.test_soft_rules import POOL, Rules, W, _rules

pytestmark = pytest.mark.slow


class Judge:
    """What an alternative costs, by definition."""

    def __init__(self, rules: Rules) -> None:
        self.rules = [Discouraged(rules.hard(), inf), *rules.discouraged()]
        self.decoder = Decoder(Scope().trying(rules.pieces), self.rules, (), 0)

    def cost(self, before: bytes, data: bytes) -> float:
        """The largest cost of a rule that the bytes break; malformed ones are refused."""
        if split(before + data) is None:
            return inf
        count = self.decoder.violations
        return max((r.cost for r in self.rules if count(r, before + data) > count(r, before)), default=0.0)

    def end_cost(self, before: bytes) -> float:
        """What it costs to end there."""
        text, rest = split(before) or ("", b"x")
        if rest:
            return inf
        return max((r.cost for r in self.rules if not r.unbroken.accepts(r.after(text)[1])), default=0.0)


def masses(rules: Rules, answer: Sequence[Listing]) -> list[float]:
    """The mass of each step."""
    report = Auditor(policy_of(rules.text), worst=1_000).audit(answer)
    found = {int(place.where.rsplit(" ", 1)[1]): place.mass for place in report.worst}
    assert report.steps == len(answer)
    assert report.taken == pytest.approx(fsum(found.values()))
    return [found.get(n, 0.0) for n in range(1, len(answer) + 1)]


def distance(weights: Sequence[float], costs: Sequence[float]) -> float:
    """Total variation distance between a distribution and the same under costs."""
    after = [w * exp(-c) for w, c in zip(weights, costs, strict=True)]
    total = fsum(after)
    return fsum(abs(w - a / total) for w, a in zip(weights, after, strict=True)) / 2 if total else 1.0


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_what_is_refused(data: st.DataObject) -> None:
    """With all of the probability listed, the mass is the distance under the costs that the definition gives."""
    characters = "".join(data.draw(st.lists(st.sampled_from(POOL), min_size=4, max_size=4, unique=True)))
    rules, tokens = data.draw(_rules(characters)), data.draw(slices(characters))
    answer, expected, before, judge = [], [], b"", Judge(rules)
    for _ in range(4):
        shown = [*data.draw(st.lists(st.sampled_from(tokens), min_size=1, max_size=4, unique=True)), b""]
        parts = data.draw(st.lists(st.integers(0, 9), min_size=len(shown), max_size=len(shown)).filter(any))
        weights = [p / sum(parts) for p in parts]
        costs = [judge.cost(before, t) if t else judge.end_cost(before) for t in shown]
        token = data.draw(st.sampled_from(tokens))
        answer.append(Listing(token, tuple(map(Listed, shown, weights))))
        expected.append(distance(weights, costs))
        before += token
        if split(before) is None:
            break
    try:
        found = masses(rules, answer)
    except PolicyError:
        assume(False)

    assert found == pytest.approx(expected, abs=1e-9)


TWO = Rules(denied="b", soft=((2.0, "c"), (0.5, "d")))
letters = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 9)), min_size=1, max_size=5)


@given(letters, letters)
def test_whatever_is_not_listed_takes_no_less(listed: list[tuple[str, int]], others: list[tuple[str, int]]) -> None:
    """The mass of a part of the alternatives is at most that of all of them, whatever the others cost."""
    total = sum(weight for _, weight in (*listed, *others))
    assume(total)
    costs = {"a": 0.0, "b": inf, "c": 2.0, "d": 0.5}
    every = [(letter, weight / total) for letter, weight in (*listed, *others)]
    part = tuple(Listed(letter.encode(), weight) for letter, weight in every[: len(listed)])
    [found] = masses(TWO, [Listing(b"a", part)])

    assert found <= distance([w for _, w in every], [costs[letter] for letter, _ in every]) + 1e-12


def test_pieces_in_front_of_the_alternatives() -> None:
    """A server joined E4 B8 and AD: AD is judged behind E4 B8, where Han can no longer be avoided and is paid for."""
    rules = Rules(denied="".join(map(chr, range(0x4E00, 0x4E40))), banned=(W("a.", right=""),))
    ends = (Listed(b"\xad", 0.75), Listed(b"a", 0.25))
    joined = Listing("中".encode(), ends, earlier=2)

    assert masses(rules, [joined]) == [0.25]
    assert masses(rules, [Listing("中".encode(), ends)]) == [0.75]
    assert masses(rules, [Listing(b"a", (Listed(b"a", 1.0),)), Listing(b".", (Listed(b".", 0.5),))]) == [0.0, 0.5]


def test_steps_that_cannot_be_read_are_counted_apart() -> None:
    """Their text is still a part of the history."""
    rules = Rules(banned=(W("ab", right=""),))
    lost = Listing(b"a", (), is_readable=False)
    report = Auditor(policy_of(rules.text)).audit([lost, Listing(b"b", (Listed(b"b", 0.5), Listed(None, 0.25)))])

    assert (report.steps, report.skipped, report.listed, report.taken) == (1, 1, 0.75, 0.5)
    assert report.top_refused == 1
    assert report.worst[0].allowed is not None
    assert report.worst[0].allowed.text == ""
