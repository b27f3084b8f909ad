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


CODE = "policy p { deny [x]; region code = fence | inline_code { any } }"


def test_fences_and_code_spans() -> None:
    """What is code is exempt; a span that does not close on its line is plain text, a fence is code to its end."""
    expected = {
        "```\nx\n```\nx": 10,
        "```x\nx": None,  # the info string and what follows
        "~~~\nx\n```\nx": None,  # closed by tildes alone
        "````\nx\n```\nx": None,  # and by no shorter run
        "   ```\nx\n```": None,
        "    ```\nx": 8,  # four blanks are no fence
        "a ```\nx": 6,  # nor is what stands inside a line
        "`x`": None,
        "``x` x``": None,
        "`x``x": 5,  # it could still close
        "`x\n`": 2,  # but not on another line
        "x": 0,
    }

    assert _violations(CODE, *expected) == expected


def test_what_is_open_may_be_forbidden() -> None:
    """Then the end of the text is a violation; a closed region is none."""
    expected = {"```\nx": 5, "```\nx\n```": None, "```\nx\n```\n": None, "```": 3, "`x`": None}

    assert _violations(CODE.replace("deny", "unclosed code: forbid; deny"), *expected) == expected


def test_what_stands_between_delimiters_must_be_closed_unless_it_is_allowed() -> None:
    """The opener commits: behind it the rules of the region hold."""
    policy = 'policy p { deny [x]; region note = between "<<" ">>" { deny [y] } }'
    expected = {"<<x>>y": None, "<<x>>x": 5, "<<y>>": 2, "<<a": 3, "<x": 1, "<<>>": None, "<<<x>>": None, "<<>x": 4}

    assert _violations(policy, *expected) == expected
    assert _violations(policy.replace("deny [x]", "unclosed note: allow; deny [x]"), "<<a", "<<y") == {
        "<<a": None,
        "<<y": 2,
    }


def test_a_length_counts_what_stands_between() -> None:
    """One character more and there is nothing left to write but, at the bound, the closer."""
    policy = 'policy p { deny [a]; region note = between "<" ">" { only [x] up to 2 } }'
    expected = {"<>": None, "<xx>": None, "<xxx>": 3, "<y>": 1, "<xx": 3}

    assert _violations(policy, *expected) == expected


def test_a_text_may_begin_inside() -> None:
    """The rules of the region hold first; its closer ends it as ever, and it can be opened again."""
    policy = langc.parse_policy('policy p { deny [x]; region note = between "<" ">" { deny [y] } }').with_(
        inside="note"
    )
    expected = {"x>y": None, "y": 0, "x": 1, ">x": 1, "x><x>": None, "<>y": None}

    assert {text: policy.first_violation(text) for text in expected} == expected
