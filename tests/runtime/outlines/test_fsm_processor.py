"""The token automaton inside outlines: `Generator(model, processor=...)` with a tiny Qwen2 of random weights."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import outlines
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

import langc
from langc.compiler.errors import UnsupportedTokenizerError
from langc.compiler.tokens.machine import DeadEndError, TokenMachine
from langc.compiler.tokens.portable import ArtifactError
from langc.compiler.tokens.tables import build_tables
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime.outlines import FsmLogitsProcessor

pytestmark = pytest.mark.engines

POLICY = langc.parse_policy('policy t { deny script Han; allow "漢江"; }')
EOS = 256
ROWS = 272
"""The model has rows beyond the tokenizer's 257 ids."""


@cache
def tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level tokenizer of the 256 single bytes; id and byte are the same."""
    alphabet = {letter: byte for byte, letter in _byte_letters().items()}
    made = Tokenizer(models.BPE(vocab=alphabet, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<eos>", pad_token="<eos>", padding_side="left")


def _byte_letters() -> dict[int, str]:
    """GPT-2's spelling of bytes: printable Latin-1 as itself, the others from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(256) if b not in printable]
    return {b: chr(b) for b in printable} | {b: chr(0x100 + n) for n, b in enumerate(others)}


@cache
def vocabulary() -> Vocabulary:
    """langc's reading of the tokenizer."""
    return langc.load_vocabulary(tokenizer())


@cache
def model() -> Any:
    """The random model, as outlines wraps it."""
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
        eos_token_id=EOS,
        pad_token_id=EOS,
    )
    return outlines.from_transformers(Qwen2ForCausalLM(config).eval(), tokenizer())


def artefact() -> dict[str, Any]:
    """The data of the artefact."""
    data = langc.compile(POLICY, "outlines", vocabulary()).data
    assert isinstance(data, dict)
    return data


def processor(prompt_length: int | None = None) -> FsmLogitsProcessor:
    """A fresh processor."""
    return FsmLogitsProcessor(artefact(), prompt_length)


def test_the_vocabulary_is_the_one_meant() -> None:
    """Ids are bytes, and the end token is known."""
    assert [vocabulary().token_bytes(b) for b in range(256)] == [bytes([b]) for b in range(256)]
    assert vocabulary().eos_ids == {EOS}


@pytest.mark.parametrize("prompt", ["漢字: ", "한국 "])
def test_outlines_writes_permitted_text_only(prompt: str) -> None:
    """Whatever the prompt holds, each sampled text is permitted, or was cut off while it still could be finished."""
    generator = outlines.Generator(model(), processor=processor())
    for seed in range(8):
        torch.manual_seed(seed)
        text = generator(prompt, max_new_tokens=40, do_sample=True)

        assert POLICY.first_violation(text.rstrip("\ufffd")) in (None, len(text.rstrip("\ufffd")))


def test_the_bare_model_does_not() -> None:
    """The trial above can fail: without the processor the same model writes malformed text."""
    torch.manual_seed(0)
    text = outlines.Generator(model(), str)("漢字: ", max_new_tokens=40, do_sample=True)

    assert "\ufffd" in text.rstrip("\ufffd")


def test_beams_and_batches() -> None:
    """Rows that beams reorder and prompts of different lengths keep their own states."""
    generator = outlines.Generator(model(), processor=processor())
    texts = [generator("ab", max_new_tokens=30, num_beams=4), *generator.batch(["a", "漢字: 漢"], max_new_tokens=30)]

    assert len(texts) == 3
    assert all(POLICY.first_violation(t.rstrip("\ufffd")) in (None, len(t.rstrip("\ufffd"))) for t in texts)


def step(made: FsmLogitsProcessor, rows: list[list[int]], width: int = ROWS) -> list[list[int]]:
    """The ids that each row may go on with."""
    logits = made.process_logits(torch.tensor(rows), torch.zeros(len(rows), width))
    return [torch.isfinite(row).nonzero().flatten().tolist() for row in logits]


def expected(history: bytes) -> list[int]:
    """The same by the matcher's machine; no padding row is among them."""
    machine = TokenMachine(build_tables(POLICY, vocabulary()), ROWS)
    state = machine.start
    for byte in history:
        state = machine.follow(state, byte)
    return [int(i) for i in machine.masks[state].nonzero()[0]]


def test_states_go_by_the_tokens_of_a_row() -> None:
    """Rows may be swapped, doubled, taken back and replaced; the mask is always that of the row's own tokens."""
    made = processor(prompt_length=2)
    texts = ["a", "漢", "漢江", "가나"]
    batches = [[t.encode()[:n] for t in order] for n in (0, 1, 2, 3, 1, 3) for order in (texts, texts[::-1])]
    seen = [step(made, [[9, 9, *h] for h in batch]) for batch in batches if len({len(h) for h in batch}) == 1]
    wanted = [[expected(h) for h in batch] for batch in batches if len({len(h) for h in batch}) == 1]

    assert len(seen) >= 4
    assert wanted == seen


def test_a_row_that_ended_may_only_be_padded() -> None:
    """Behind the end token nothing but the end token follows."""
    assert step(processor(1), [[9, ord("a"), EOS]]) == [[EOS]]


def test_a_history_outside_the_policy_is_an_error() -> None:
    """With an explicit prompt length nothing is guessed: a refused token in the history is reported."""
    with pytest.raises(DeadEndError) as caught:
        step(processor(0), [list("中".encode())])

    assert caught.value.diagnostics[0].code == "LC0403"


def test_a_model_of_another_tokenizer_is_refused() -> None:
    """Logits narrower than the vocabulary cannot be this model's."""
    with pytest.raises(UnsupportedTokenizerError) as caught:
        step(processor(), [[9]], width=256)

    assert caught.value.diagnostics[0].code == "LC0650"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_logits_keep_their_type(dtype: torch.dtype) -> None:
    """The shape and the type of the logits stay, and so do the values of what is allowed."""
    logits = torch.arange(ROWS, dtype=torch.float32).to(dtype).unsqueeze(0)
    out = processor().process_logits(torch.tensor([[9]]), logits)
    kept = torch.isfinite(out)

    assert out.dtype == dtype
    assert out.shape == logits.shape
    assert kept[0].nonzero().flatten().tolist() == expected(b"")
    assert torch.equal(out[kept], logits[kept])


def test_from_a_file(tmp_path: Path) -> None:
    """What `langc compile` writes can be loaded; anything else is one error with a code."""
    good, bad, deep = (tmp_path / name for name in ("good.json", "bad.json", "deep.json"))
    text = langc.compile(POLICY, "outlines", vocabulary()).text
    good.write_text(text or "", encoding="utf-8")
    bad.write_text(json.dumps({**artefact(), "final": [99]}), encoding="utf-8")
    deep.write_text("[" * 100_000, encoding="utf-8")
    loaded = FsmLogitsProcessor.from_file(good)
    refused = []
    for path in (bad, deep, tmp_path / "missing.json"):
        with pytest.raises(ArtifactError) as caught:
            FsmLogitsProcessor.from_file(path)
        refused.append(caught.value.diagnostics[0].code)

    assert step(loaded, [[9]]) == [expected(b"")]
    assert refused == ["LC0506"] * 3


def test_the_expression_in_outlines_own_back_end() -> None:
    """outlines indexes the expression itself; the model can write characters in pieces and never leaves the policy."""
    artifact = langc.compile(POLICY, "outlines", vocabulary(), dialect="regex", allow="under")
    generator = outlines.Generator(model(), outlines.regex(artifact.text))
    texts = []
    for seed in range(8):
        torch.manual_seed(seed)
        texts.append(generator("漢字: ", max_new_tokens=40, do_sample=True).rstrip("\ufffd"))

    assert all(POLICY.first_violation(t) in (None, len(t)) for t in texts)
    assert any(not t.isascii() for t in texts)
