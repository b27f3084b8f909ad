"""Texts read with phrases beside an automaton, held to the automaton of the whole policy."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.automata.beside import Beside
from langc.compiler.checking.check import StreamChecker
from langc.compiler.checking.report import CheckReport
from langc.compiler.ir import apart
from langc.compiler.policy import Policy
from tests.property.rule_worlds import (
    OTHERS,
    allow_terms,
    deny_phrases,
    escaped,
    few_characters,
    phrases,
    policy_of,
    terms,
)

pytestmark = pytest.mark.slow


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_verdicts_and_reports(data: st.DataObject) -> None:
    """The same texts are accepted, fail at the same place, and have the same report, cut into pieces or not."""
    characters = data.draw(few_characters)
    wanted = data.draw(st.lists(phrases(characters), min_size=1, max_size=3))
    rules = [deny_phrases(wanted)]
    if data.draw(st.booleans()):
        denied = data.draw(st.lists(st.sampled_from(characters + OTHERS), min_size=1, max_size=4))
        rules += [
            f"deny [{escaped(''.join(denied))}];",
            allow_terms(data.draw(st.lists(terms(characters), max_size=2))),
        ]
    whole = policy_of(" ".join(rules))
    read_beside = taken_apart(whole)
    pieces = st.sampled_from([*characters, *OTHERS, "\n", *(w.text for w in wanted)])
    for text in data.draw(st.lists(st.lists(pieces, max_size=8).map("".join), min_size=8, max_size=8)):
        cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=3)))

        assert read_beside.first_violation(text) == whole.first_violation(text), ascii(text)
        assert read_beside.accepts(text) == whole.accepts(text), ascii(text)
        assert report(read_beside, text, cuts) == report(whole, text, []), ascii(text)


def report(policy: Policy, text: str, cuts: list[int]) -> CheckReport:
    """Of a text that comes in pieces."""
    checker = StreamChecker(policy)
    for low, high in pairwise((0, *cuts, len(text))):
        checker.feed_text(text[low:high])
    checker.finish()
    return checker.report()


def taken_apart(policy: Policy) -> Policy:
    """The same policy, read with its phrases beside it however few they are."""
    other = Policy(policy.lowered)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apart, "MANY_ATOMS", 1)

        assert isinstance(other.reader, Beside)

    return other
