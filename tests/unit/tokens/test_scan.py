"""The report on a vocabulary, counted by hand on a small one."""

from __future__ import annotations

import json

import pytest

import langc
from langc.compiler.ir.language import cover
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.policy import Policy
from langc.compiler.tokens.scan import scan
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import IntervalSet

TOKENS = [
    b"a",  # Latin
    "中 가".encode(),  # Han, Common and Hangul
    b"\xe4",  # ends inside
    b" \xb8",  # a space and a stray byte: in no text
    b"\xad",  # a continuation byte
    b"\xb8\xadb\xe4\xb8",  # begins and ends inside, with a Latin letter between
    "中中".encode(),  # Han, once
    b"\xff",  # in no text
    b"\x80\x80\x80\x80",  # four continuation bytes: in no text
    b"",
    b"",
]
VOCABULARY = Vocabulary("toy", tuple(TOKENS), {9: "<|end|>"}, frozenset({9}))


def denying(denied: str, *terms: str) -> Policy:
    """Everything but some characters, outside of terms."""
    return Policy(PolicyIR("toy", None, (), cover(IntervalSet.of(denied).complement(), terms)))


def test_the_vocabulary() -> None:
    """Roles and size."""
    report = scan(VOCABULARY, denying("中")).to_json()

    assert report["vocabulary"] == {
        "name": "toy",
        "sha256": VOCABULARY.hash,
        "size": 11,
        "text": 9,
        "special": 1,
        "holes": 1,
        "end_of_sequence": ["9"],
    }


def test_scripts() -> None:
    """A token counts once for each script that it has a whole character of."""
    report = scan(VOCABULARY, denying("中")).to_json()

    assert report["tokens_by_script"] == {"Common": 2, "Han": 2, "Latin": 2, "Hangul": 1}


def test_fragments() -> None:
    """Tokens that are no text, by where they are broken; one token may be in several counts."""
    fragments = scan(VOCABULARY, denying("中")).fragments

    assert {k: v for k, v in fragments.items() if k != "bytes_without_a_token"} == {
        "no_text_of_their_own": 6,
        "end_inside_a_character": 2,
        "start_with_a_continuation_byte": 3,
        "in_no_well_formed_text": 3,
    }


def test_missing_bytes() -> None:
    """Of the 243 bytes that UTF-8 uses three are tokens; C0, C1 and F5 to FF are never missing."""
    missing = scan(VOCABULARY, denying("中")).fragments["bytes_without_a_token"]

    assert isinstance(missing, list)
    assert len(missing) == 243 - 3
    assert not {"61", "E4", "AD", "C0", "C1", "F5", "FF"} & set(missing)


def test_code_points() -> None:
    """Alone, the tokens spell `a` and U+4B6D (E4 AD AD); 中 only in company."""
    counts = scan(VOCABULARY, denying("中")).code_points

    assert counts["permitted"] == {"spellable": 2, "unspellable": 1112061, "assigned_unspellable": 172873 - 3}
    assert counts["denied"] == {"spellable": 0, "unspellable": 1, "assigned_unspellable": 1}


def test_bans() -> None:
    """Loose: the two with 中. Tight: also what ends in E4 or E4 B8, which loses U+4B6D."""
    bans = scan(VOCABULARY, denying("中")).bans
    assert bans is not None

    assert (bans["loose"], bans["tight"]) == (2, 4)
    assert bans["lost_under_tight"]["alone"]["by_script"] == {"Han": 1}  # type: ignore[index,call-overload]


def test_the_report_is_json() -> None:
    """Nothing in it is a set, an array or an object of ours."""
    report = scan(VOCABULARY, denying("中")).to_json()

    assert json.loads(json.dumps(report)) == report
    assert langc.scan(VOCABULARY, denying("中")).to_json() == report


def test_exempt_regions() -> None:
    """The static bans are those of the scope outside the regions."""
    plain, exempt = (scan(VOCABULARY, p) for p in (denying("中"), denying("中").with_(exempt=["think"])))

    assert exempt.bans == plain.bans
    assert exempt.verdicts is not None


def test_a_soft_policy_is_scanned_as_a_hard_one() -> None:
    """Its strength changes nothing that is counted."""
    policy = denying("中")

    assert scan(VOCABULARY, policy.with_(bias=3)).to_json() == scan(VOCABULARY, policy).to_json()


def test_nothing_to_write() -> None:
    """A vocabulary that can spell nothing permitted is an error, as when compiling."""
    with pytest.raises(langc.PolicyError) as caught:
        scan(Vocabulary("one", ("中".encode(),)), denying("中"))

    assert [d.code for d in caught.value.diagnostics] == ["LC0402"]
