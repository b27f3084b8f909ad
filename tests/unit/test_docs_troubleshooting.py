"""The troubleshooting page: codes are met where it says so, and its cures work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import langc
from langc.compiler.errors import LangcError
from langc.targets.runtime import arrays

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")


def _row(code: str) -> str:
    """The rows of the page that are about a code."""
    return "\n".join(line for line in PAGE.splitlines() if line.startswith(f"| [{code}]"))


@pytest.mark.parametrize(
    ("code", "cause", "faulty", "cure"),
    [
        ("LC0211", "`Korean`", "deny script Korean;", "deny script Hangul;"),
        ("LC0211", "`Chinese`", "deny script Chinese;", "deny script Han;"),
        ("LC0105", "“", "allow “漢江”;", 'allow "漢江";'),
        ("LC0110", "`U+AC00-U+D7A3`", "deny [U+AC00-U+D7A3];", r"deny [\u{AC00}-\u{D7A3}], U+AC00..U+D7A3;"),
        ("LC0108", r"`\d`", r"deny [\d];", r"deny \p{Nd};"),
        ("LC0108", r"`\w`", r"deny [\w];", r"deny [\p{L}\p{M}\p{Nd}_];"),
        ("LC0312", '`deny "go"`', 'deny "go";', "deny [go];"),
    ],
)
def test_faults_in_policies(code: str, cause: str, faulty: str, cure: str) -> None:
    """The faulty line has the code, the cured one compiles, and both are on the page."""
    with pytest.raises(LangcError) as caught:
        langc.parse_policy(f"policy t {{ deny [x]; {faulty} }}")

    assert code in {d.code for d in caught.value.diagnostics}
    assert cause in _row(code)
    assert langc.parse_policy(f"policy t {{ deny [x]; {cure} }}").accepts("!")


def test_shared_characters() -> None:
    """`deny script Hiragana` leaves ー and 。 alone, and the cure takes them."""
    plain, cured = (f"policy t {{ {line} }}" for line in ("deny script Hiragana;", "deny script Hiragana, [ー。];"))

    assert "`deny script Hiragana, [ー。];`" in PAGE
    assert [langc.parse_policy(plain).accepts(c) for c in "ひー。"] == [False, True, True]
    assert [langc.parse_policy(cured).accepts(c) for c in "ひー。"] == [False, False, False]


def test_the_replacement_character() -> None:
    """U+FFFD is permitted by `ko` like any other symbol, until it is denied."""
    assert langc.load_policy("ko").accepts("\ufffd")
    assert "add `deny U+FFFD;`" in PAGE
    assert not langc.parse_policy("policy t { deny script Han; deny U+FFFD; }").accepts("\ufffd")


def test_the_prompt_is_no_history() -> None:
    """A prompt that breaks the policy leaves nothing that may follow; `prompt_length` is the cure."""
    import numpy as np

    policy = langc.parse_policy("policy t { deny script Han; }")
    tokens = {i: bytes([i]) for i in range(256)}
    vocabulary = langc.load_vocabulary({"tokens": tokens, "special": {"<end>": 256}, "eos": "<end>"})
    prompt = list("漢字".encode())
    matcher = langc.Matcher(policy, vocabulary)
    ids, logits = np.array([[*prompt, ord("a")]]), np.zeros((1, 257), dtype=np.float32)

    assert not matcher.sync(prompt)
    with pytest.raises(langc.DeadEndError) as caught:
        matcher.mask()
    assert caught.value.diagnostics[0].code == "LC0403"
    assert arrays.PolicyProcessor(policy, vocabulary, prompt_length=len(prompt))(ids, logits)[0, ord("b")] == 0


def test_without_an_end() -> None:
    """A vocabulary without an end token warns and never offers an end; naming the token is the cure."""
    tokens = {0: b"a", 1: b"<|im_end|>"}
    policy = langc.parse_policy("policy t { only [a]; }")
    bare = langc.load_vocabulary({"tokens": tokens})
    named = langc.load_vocabulary({"tokens": tokens}, eos="<|im_end|>")

    assert [w.code for w in bare.warnings] == ["LC0609"]
    assert langc.Matcher(policy, bare).mask().tolist() == [True, False]
    assert named.eos_ids == frozenset({1})
    assert langc.Matcher(policy, named).mask().tolist() == [True, True]


def test_figures() -> None:
    """A grammar of 0.8 KB against a list of 420 KB, as docs/scan.md counts its tokens."""
    size = len(langc.compile("ko", "gbnf").content)

    assert "`ko` is 0.8 KB" in PAGE
    assert 750 <= size < 850
    assert "28,000 tokens is 420 KB" in PAGE


def test_rows_are_whole() -> None:
    """Every row has a symptom, a cause and a cure."""
    rows = [re.split(r"(?<!\\)\|", line) for line in PAGE.splitlines() if line.startswith("| ")]

    assert len(rows) >= 40
    assert {len(cells) for cells in rows} == {5}
    assert all(cell.strip() for cells in rows for cell in cells[1:4])
