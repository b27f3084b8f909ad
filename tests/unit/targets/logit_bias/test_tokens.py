"""Which tokens are banned, under every method and option."""

from __future__ import annotations

import pytest

from langc.compiler.tokens.vocabulary import Vocabulary
from tests.unit.targets.logit_bias.toys import SPECIAL, bias, no_han


def banned(**options: str) -> list[int]:
    """The ids in the artefact of the toy policy."""
    data = bias(no_han(), **options).data
    assert isinstance(data, list)
    return [pair[0] for pair in data]


def test_loose_bans_what_holds_a_denied_character() -> None:
    """The character itself, and a token that has it inside."""
    assert banned(method="loose") == [1, 6]


def test_tight_is_the_default_and_bans_its_beginnings_too() -> None:
    """Also the lead byte, and a token with a space and two of three bytes. Never a special token."""
    assert banned() == banned(method="tight") == [1, 2, 5, 6]
    assert SPECIAL not in banned()


@pytest.mark.parametrize(
    ("share", "ids"),
    [("0.000244140625", [1, 2, 5, 6]), ("0.000244140626", [1, 5, 6]), (".015625", [1, 5, 6]), ("0.015626", [1, 6])],
)
def test_a_share_bans_fragments_by_what_they_can_become(share: str, ids: list[int]) -> None:
    """E4 begins 4,096 assigned characters and E4 B8 64, one of them denied. At its own share a fragment is banned."""
    assert banned(fragments=share) == ids


def test_the_report_says_what_became_of_fragments() -> None:
    """E4 is let through, ` E4 B8` banned: 中 leaks, in pieces, and nothing but the space is lost."""
    artifact = bias(no_han(), fragments="0.01")

    assert artifact.report["fragments"] == {"share": "0.01", "banned": 1, "let_through": 1}
    assert artifact.report["leaked"]["alone"] == 1
    assert artifact.report["entries"]["needed"] == 3
    assert bias(no_han()).report["fragments"] == {"share": None, "banned": 2, "let_through": 0}
    assert bias(no_han(), method="loose").report["fragments"] == {"share": None, "banned": 0, "let_through": 2}
    assert artifact.fidelity.over == "中"


def test_a_share_may_be_a_number_in_python() -> None:
    """As every option with a number."""
    assert bias(no_han(), fragments=0.01).data == bias(no_han(), fragments="0.01").data
    assert bias(no_han(), fragments=1).data == bias(no_han(), fragments="1").data


def test_every_id_of_the_same_bytes_is_banned() -> None:
    """Two ids for one character are two entries."""
    vocabulary = Vocabulary("twins", (b"a", "中".encode(), b"b", "中".encode()))

    assert bias(no_han(), vocabulary).data == [[1, False], [3, False]]


@pytest.mark.parametrize(
    ("budget", "ids"), [("1", [1]), ("2", [1, 6]), ("3", [1, 2, 6]), ("4", [1, 2, 5, 6]), ("99", [1, 2, 5, 6])]
)
def test_a_budget_takes_whole_characters_first(budget: str, ids: list[int]) -> None:
    """Then fragments, and low ids before high ones; the entries are sorted all the same."""
    artifact = bias(no_han(), budget=budget)

    assert [pair[0] for pair in artifact.data] == ids
    assert artifact.report["entries"] == {"needed": 4, "given": len(ids), "cap": None}


def test_a_budget_takes_characters_before_words() -> None:
    """A banned word alone would only be written in two tokens, whatever its id."""
    vocabulary = Vocabulary("words", ("中中".encode(), b"a", "中".encode()))

    assert bias(no_han(), vocabulary, budget="1").data == [[2, False]]


def test_a_space_before_the_first_byte_hides_nothing() -> None:
    """Real vocabularies merge a space with E7; decoded it shows as U+FFFD, and a list made from strings misses it."""
    vocabulary = Vocabulary("merged", (b" \xe7", b"\x84", b"\xb6", b"a"))

    assert bias(no_han(denied="然"), vocabulary).data == [[0, False]]


def test_tokens_that_decode_alike_are_told_apart() -> None:
    """E4 and EA both show as U+FFFD; only one of them begins what is denied."""
    vocabulary = Vocabulary("alike", (b"\xea", b"\xe4", b"\xb8", b"\xad"))

    assert bias(no_han(), vocabulary).data == [[1, False]]


def test_a_policy_that_denies_nothing_bans_nothing() -> None:
    """An empty list is exact, but for malformed text."""
    artifact = bias(no_han(denied=""))

    assert artifact.data == []
    assert artifact.fidelity.flags == ("exact", "ill-formed")


def test_more_denied_means_more_banned() -> None:
    """Denying 丁 as well adds its token and takes none away."""
    some = {pair[0] for pair in bias(no_han()).data}
    more = {pair[0] for pair in bias(no_han(denied="中丁")).data}

    assert more == some | {7}
