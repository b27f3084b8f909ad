"""A grammar joined with a policy in transformers' own `generate`: sampling, beams, and decoding that goes back."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
import regex
import torch
from fontTools.unicodedata import script
from transformers import LogitsProcessorList, Qwen2Config, Qwen2ForCausalLM

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.unit.tokens.paths import Paths

pytestmark = pytest.mark.engines

ROWS = 280
END = 261
PROMPT = list("漢字: ".encode())
POLICY = langc.parse_policy(r"policy t { deny \p{Script=Han}; }")
EXPRESSION = "([가-나]|[一-丁]|a[b-d]+){1,20}z"
"""Behind each character another may follow, the Han ones too: a trap for a mask that forgets the row it is for."""


@cache
def vocabulary() -> Vocabulary:
    """Single bytes, some merges that cut characters, end-of-sequence: 262 ids."""
    extra = [b"\xea\xb0", b"\xb8\x80", b"ab", b'":', b'{"']
    tokens = {i: bytes([i]) for i in range(256)} | {256 + i: t for i, t in enumerate(extra)}
    return langc.load_vocabulary({"tokens": tokens, "special": {"<eos>": END}, "eos": [END]})


@cache
def model() -> Qwen2ForCausalLM:
    """Random weights."""
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=ROWS,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=512,
        bos_token_id=None,
        eos_token_id=END,
        pad_token_id=END,
    )
    return Qwen2ForCausalLM(config).eval()


def generate(prompt: list[list[int]], processor: object, **options: object) -> list[list[int]]:
    """The new tokens of each row, up to the end."""
    ids = torch.tensor(prompt)
    out = model().generate(
        ids, attention_mask=torch.ones_like(ids), logits_processor=LogitsProcessorList([processor]), **options
    )
    rows = [row[ids.shape[1] :].tolist() for row in out]
    return [row[: row.index(END)] if END in row else row for row in rows]


def written(row: list[int]) -> bytes:
    """The bytes of the tokens; a padding row, which is no token, writes a byte that no text holds."""
    return b"".join(vocabulary().token_bytes(i) if i < vocabulary().size else b"\xff" for i in row)


def begins_well(data: bytes) -> bool:
    """Whether some text of the expression begins so that has no Han character, broken last character or not."""
    text = data.decode("utf-8", "ignore")
    whole = text.encode() == data or 0 < len(data) - len(text.encode()) <= 2
    return whole and bool(regex.fullmatch(EXPRESSION, text, partial=True)) and "Hani" not in map(script, text)


@pytest.mark.parametrize("engine", [langc.xgrammar, langc.llguidance], ids=["xgrammar", "llguidance"])
@pytest.mark.parametrize(
    "options",
    [
        {"do_sample": True},
        {"num_beams": 4},
        {"num_beams": 3, "do_sample": True},
        {"prompt_lookup_num_tokens": 3, "do_sample": False},
    ],
    ids=["sampling", "beams", "sampled beams", "prompt lookup"],
)
def test_no_row_leaves_policy_or_grammar(engine: Any, options: dict[str, object]) -> None:
    """The state of a row goes with its tokens, wherever beams put it and however far decoding goes back."""
    grammar = engine.regex(EXPRESSION, vocabulary())
    processor = langc.hf.PolicyLogitsProcessor(POLICY, vocabulary(), join=grammar)
    prompts = [PROMPT * 3] if "prompt_lookup_num_tokens" in options else [PROMPT, PROMPT[::-1]]
    for seed in range(2):
        torch.manual_seed(seed)
        rows = [written(row) for row in generate(prompts, processor, max_new_tokens=24, **options)]

        assert all(map(begins_well, rows)), rows
        assert all(rows)


def test_the_grammar_alone_would_leave_the_policy() -> None:
    """The trial above can fail: without the policy the same grammar writes Han."""
    anything = langc.parse_policy(r"policy t { deny [\u{10FFFF}]; }")
    grammar = langc.xgrammar.regex(EXPRESSION, vocabulary())
    processor = langc.hf.PolicyLogitsProcessor(anything, vocabulary(), join=grammar)
    torch.manual_seed(0)
    rows = [written(row) for row in generate([PROMPT] * 8, processor, max_new_tokens=30, do_sample=True)]

    assert not all(map(begins_well, rows))


def test_beams_are_what_they_are_without_forks() -> None:
    """A part that cannot be copied is made anew and reads the history: the same text comes out."""
    grammar = langc.xgrammar.regex(EXPRESSION, vocabulary())

    class Unforkable:
        """Hides `fork`."""

        def __init__(self, rows: int) -> None:
            part = grammar(rows)
            self.vocabulary, self.rows = part.vocabulary, part.rows
            self.mask, self.advance, self.rollback = part.mask, part.advance, part.rollback
            self._part = part

        @property
        def accepting(self) -> bool:
            return self._part.accepting

    found = []
    for join in (grammar, Unforkable):
        processor = langc.hf.PolicyLogitsProcessor(POLICY, vocabulary(), join=join)
        found.append(generate([PROMPT], processor, max_new_tokens=20, num_beams=4))

    assert found[0] == found[1]


def test_a_json_grammar_makes_the_policy_read_strings() -> None:
    r"""`join` with a schema needs nothing else: no `\u4e2d` comes out, though the grammar would take it."""
    schema = {"type": "array", "items": {"type": "string", "maxLength": 3}, "minItems": 2, "maxItems": 2}
    grammar = langc.xgrammar.json_schema(schema, vocabulary(), any_whitespace=False)
    processor = langc.hf.PolicyLogitsProcessor(POLICY, vocabulary(), join=grammar)
    whole = 0
    for seed in range(4):
        torch.manual_seed(seed)
        for row in generate([PROMPT] * 8, processor, max_new_tokens=40, do_sample=True):
            try:
                value = json.loads(written(row).decode())
            except ValueError:
                continue  # cut off
            whole += 1
            assert "Hani" not in map(script, "".join(value))

    assert whole >= 5


def test_a_policy_that_reads_json_is_taken_as_it_is() -> None:
    """By its schema or by itself; a soft one stays soft."""
    grammar = langc.xgrammar.json_schema({"type": "string"}, vocabulary())
    for policy in (
        POLICY.with_(json_schema={"type": "string", "maxLength": 2}),
        POLICY.with_(json_strings=True),
        POLICY.with_(mode="soft"),
    ):
        processor = langc.arrays.PolicyProcessor(policy, vocabulary(), prompt_length=0, join=grammar)
        bias = processor.bias(np.zeros((1, 0)), ROWS)[0]

        assert np.flatnonzero(np.isfinite(bias)).tolist() == [ord('"'), 259]


def test_a_dead_end_stops_the_row_and_no_other() -> None:
    """With `stop` one row ends where nothing is left, the other goes on; with `error` the call raises."""
    paths = frozenset({(97, 98, 99), (100, 101, 102, 103)})

    def trap(rows: int) -> Paths:
        return Paths(vocabulary(), rows, paths, frozenset({(100, 101, 102, 103)}))

    def processor(on_dead_end: str) -> langc.arrays.PolicyProcessor:
        return langc.arrays.PolicyProcessor(
            POLICY, vocabulary(), prompt_length=0, join=lambda rows: Two(trap(rows)), on_dead_end=on_dead_end
        )

    class Two:
        """Offers the trap too, as an engine does that is not looked behind: its masks are wide."""

        def __init__(self, part: Paths) -> None:
            self.part = part
            self.vocabulary, self.rows, self.accepting = part.vocabulary, part.rows, False

        def mask(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
            wide = np.zeros(self.rows, dtype=np.bool_)
            wide[: 128 if not self.part.history else 0] = True
            return wide | self.part.mask()

        def advance(self, token: int) -> bool:
            return self.part.advance(token)

        def rollback(self, count: int) -> None:
            self.part.rollback(count)

    rows = np.array([[97, 98, 99], [100, 101, 102]])
    bias = processor("stop").bias(rows, ROWS)

    assert [np.flatnonzero(np.isfinite(row)).tolist() for row in bias] == [[END], [103]]
    with pytest.raises(langc.DeadEndError, match="LC0660"):
        processor("error").bias(rows, ROWS)
    ended = np.array([[97, 98, 99, END], [100, 101, 102, 103]])
    stopping = processor("stop")
    stopping.bias(rows, ROWS)

    assert np.flatnonzero(np.isfinite(stopping.bias(ended, ROWS)[0])).tolist() == [END]


def test_a_refused_history() -> None:
    """With an explicit prompt length a row from elsewhere raises, or offers the end."""
    grammar = langc.xgrammar.regex("ab", vocabulary())
    rows = np.array([[98, 98]])
    strict = langc.arrays.PolicyProcessor(POLICY, vocabulary(), prompt_length=0, join=grammar)
    lenient = langc.arrays.PolicyProcessor(POLICY, vocabulary(), prompt_length=0, join=grammar, on_dead_end="stop")

    with pytest.raises(langc.DeadEndError, match="LC0403"):
        strict.bias(rows, ROWS)
    assert np.flatnonzero(np.isfinite(lenient.bias(rows, ROWS)[0])).tolist() == [END]


def test_a_refused_token_is_refused_whatever_its_logit() -> None:
    """Not a number, and infinity."""
    grammar = langc.xgrammar.regex("ab", vocabulary())
    processor = langc.hf.PolicyLogitsProcessor(POLICY, vocabulary(), prompt_length=0, join=grammar)
    scores = torch.full((2, ROWS), float("nan"), dtype=torch.bfloat16)
    scores[:, 98] = float("inf")
    scores[:, 97] = 1
    out = processor(torch.tensor([[97], [97]])[:, :0], scores)

    assert torch.isfinite(out).nonzero().tolist() == [[0, 97], [1, 97]]
    assert torch.isneginf(out).sum() == 2 * (ROWS - 2)
