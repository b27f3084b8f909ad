"""Where regions open and close: what commits, what does not, and that no text is read in two ways."""

from __future__ import annotations

import langc

START = 'policy p { deny [y]; region think = start between "<t>" "</t>" { deny [x]; } }'
GLOSS = r"""
policy p {
    deny script Han;
    region code = fence | inline_code { any }
    region think = between "<t>" "</t>" { any }
    region gloss = after \p{Hangul} between "(" ")" { only script Han up to 12 }
}
"""


def _violations(policy: str, *texts: str) -> dict[str, int | None]:
    parsed = langc.parse_policy(policy)
    return {text: parsed.first_violation(text) for text in texts}


def test_an_opener_at_the_start_commits() -> None:
    """It is never plain text, so its region's rules hold and it must close; elsewhere it is nothing else."""
    expected = {"<t>x</t>": 3, "<t>a": 4, "<t>y</t>x": None, "<t": None, "a<t>x": None, "a<t>y": 4}

    assert _violations(START, *expected) == expected


def test_a_region_that_does_not_commit_closes_on_its_line() -> None:
    """So a line end in the parentheses leaves them plain text, as a backtick beside code does."""
    expected = {"가(漢)": None, "가(漢\n)": 3, "가(漢`)": 3, "가(漢": 3, "가(a\n": None, "가(漢)漢": 4}

    assert _violations(GLOSS, *expected) == expected


def test_regions_of_every_kind_stand_beside_each_other() -> None:
    """The automaton is small enough, since only one of the regions can be open."""
    expected = {"```\n漢\n```\n가(漢)": None, "`漢(`漢)": 4, "<t>```\n漢</t>漢": 12, "가(<t>漢</t>漢": 10}

    assert _violations(GLOSS, *expected) == expected
