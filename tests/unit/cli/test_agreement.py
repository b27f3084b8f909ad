"""The table and the blocks of `langc verify`, from reports made by hand."""

from __future__ import annotations

import pytest

from langc.compiler.cli.agreement import lines, show_bytes
from langc.compiler.target import EXACT, Fidelity
from langc.compiler.verify.faults import FAULTS
from langc.compiler.verify.report import Language, Masks, TargetReport, VerifyReport, Witness


def _lines(*targets: TargetReport) -> list[str]:
    report = VerifyReport("ko", "00ff", "tokenizer.json", targets, frozenset({7}))
    return "\n".join(lines(report)).splitlines()


def test_the_table() -> None:
    """States and masks with their thousands; a dash for what was not measured."""
    one = TargetReport(
        "gbnf",
        None,
        None,
        Fidelity(ill_formed=True),
        Language(1234),
        [Masks("llama.cpp", "1.2", 300, 47, 47), Masks("other", "", 2000, 47, 47, texts=5)],
    )
    two = TargetReport("regex", "rust", None, None, refusal="LC0701: too large")

    assert _lines(one, two) == [
        "target  dialect  fidelity           states  masks            verdict  engines",
        "gbnf    -        exact, ill-formed  1,234   2,300 + 5 texts  agrees   llama.cpp 1.2, other",
        "regex   rust     -                  -       -                refused  -",
        "  regex:rust: LC0701: too large",
        "",
        "ko on tokenizer.json: 2,301 comparisons, no difference",
    ]


def test_what_is_known_of_engines() -> None:
    """Their faults with the number of masks and the reason, those that fail, and those that are missing."""
    masks = [Masks("llama.cpp", "1.2", 100, 3, 3, {"nul": 1, "overlong": 12}), Masks("b", "1", 0, 0, 3, error="?")]
    missing = ["llguidance was not run"]
    reasons = {f.name: f.reason for f in FAULTS if f.engine == "llama.cpp"}
    fault = "  ko.gbnf: a known fault of the engine, {}, explains what differs in {} of llama.cpp 1.2: {}"

    assert _lines(TargetReport("gbnf", None, "ko.gbnf", EXACT, Language(3), masks, missing))[2:6] == [
        fault.format("nul", "1 mask", reasons["nul"]),
        fault.format("overlong", "12 masks", reasons["overlong"]),
        "  ko.gbnf: b 1 fails: ?",
        "  ko.gbnf: llguidance was not run",
    ]


def test_states_that_were_left_out() -> None:
    """An engine that did not see all is said to have seen some."""
    masks = [Masks("a", "1", 300, 290, 1563), Masks("b", "1", 2000, 1563, 1563)]

    assert _lines(TargetReport("gbnf", None, None, EXACT, Language(3), masks))[2:4] == [
        "  gbnf: a 1 was tried in 290 of 1,563 states (see `--prefixes`)",
        "",
    ]


def test_what_the_header_admits() -> None:
    """A fixed list of tokens is counted by its flags, and no fault of an engine."""
    masks = [Masks("logit-bias", "0.1", 100, 3, 3, {"under": 7})]

    assert _lines(TargetReport("logit-bias", "openai", None, Fidelity(under="a"), Language(1), masks))[2] == (
        "  logit-bias:openai: its header admits what differs in 7 masks of logit-bias 0.1: under"
    )


def test_a_difference_of_an_engine() -> None:
    """With the tokens; the last one may end the text."""
    masks = [
        Masks("a", "1", 1, 1, 1, {}, 1, Witness("가".encode() + b"\xe4", "a", (3, 4))),
        Masks("b", "2", 1, 1, 1, {}, 1, Witness(b"", "policy", (7,))),
    ]

    assert _lines(TargetReport("regex", "rust", None, EXACT, Language(3), masks))[2:] == [
        "",
        "regex:rust: a 1 permits this, the policy does not",
        "  text:   가 (U+AC00 HANGUL SYLLABLE GA) and e4, which is no whole character",
        "  bytes:  ea b0 80 e4",
        "  tokens: 3 4",
        "",
        "regex:rust: the policy permits this, b 2 does not",
        "  text:   the empty text",
        "  bytes:  none",
        "  tokens: 7, the last one ends the text",
        "",
        "ko on tokenizer.json: 3 comparisons, 2 differences",
    ]


def test_long_witnesses_are_cut() -> None:
    """A line stays a line; JSON has all of it."""
    witness = Witness(b"a" * 1000, "policy", tuple(range(100, 1100)))
    shown = _lines(TargetReport("regex", "rust", None, EXACT, Language(3, under=witness)))

    assert f"  bytes:  {'61 ' * 32}… (1,000 in all)" in shown
    assert f"  tokens: … {' '.join(map(str, range(1084, 1100)))}" in shown
    assert max(map(len, shown)) <= 160


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"", "the empty text"),
        (b"\xff", "ff, which is no whole character"),
        (b"a\xe4\xb8", "a (U+0061 LATIN SMALL LETTER A) and e4 b8, which is no whole character"),
        ("\u202e".encode(), "U+202E RIGHT-TO-LEFT OVERRIDE"),
    ],
)
def test_bytes_in_words(data: bytes, shown: str) -> None:
    """Characters by name, the rest as numbers."""
    assert show_bytes(data) == shown
