"""GGUF vocabularies of real models against the `gguf` package and against llama.cpp itself: every id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.engines.llamacpp import LlamaVocabulary
from tests.assets import gemma_gguf, smollm2_gguf
from tests.runtime.tokenizers.saved import TEXTS

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("gguf")]

MODELS: dict[str, Callable[[], Path]] = {"smollm2": smollm2_gguf, "gemma": gemma_gguf}
models = pytest.mark.parametrize("model", MODELS)


@cache
def loaded(model: str) -> Vocabulary:
    """Our vocabulary."""
    return langc.load_vocabulary(MODELS[model]())


@cache
def llama(model: str) -> LlamaVocabulary:
    """What llama.cpp reads from the same file."""
    return LlamaVocabulary(MODELS[model]())


@cache
def fields(model: str) -> Any:
    """The metadata as the reference reader of the format gives it."""
    from gguf import GGUFReader

    return GGUFReader(MODELS[model]()).fields


def metadata(model: str, key: str) -> Any:
    """A metadata entry as the reference reader gives it."""
    return fields(model)[f"tokenizer.ggml.{key}"].contents()


@models
def test_roles_by_token_type(model: str) -> None:
    """Unknown (2), control (3) and unused (5) tokens are special with their spelling; all others are text."""
    vocabulary = loaded(model)
    tokens, types = metadata(model, "tokens"), metadata(model, "token_type")

    special = {i: token for i, (token, kind) in enumerate(zip(tokens, types, strict=True)) if kind in (2, 3, 5)}

    assert vocabulary.size == len(tokens)
    assert dict(vocabulary.specials) == special
    assert vocabulary.special_ids == special.keys()
    assert vocabulary.warnings == ()


def test_counts() -> None:
    """What the two files hold: 17 control tokens in SmolLM2; 165 user-defined and 256 byte tokens in Gemma."""
    assert (loaded("smollm2").size, len(loaded("smollm2").special_ids)) == (49_152, 17)
    assert (loaded("gemma").size, len(loaded("gemma").special_ids)) == (262_144, 6_249)
    assert Counter(metadata("gemma", "token_type")) == {1: 255_474, 3: 6_249, 4: 165, 6: 256}


@models
def test_bytes_of_every_id_in_llamacpp(model: str) -> None:
    """Each text token has the bytes that llama.cpp writes for it, user-defined tokens among them."""
    vocabulary, engine = loaded(model), llama(model)

    differing = {
        i: (vocabulary.token_bytes(i), piece)
        for i in range(vocabulary.size)
        if vocabulary.token_bytes(i) != (piece := engine.piece(i))
    }

    # llama.cpp takes every token spelled </s> for an end token; Gemma's is a user-defined HTML tag (strikethrough).
    assert differing == ({212: (b"</s>", b"")} if model == "gemma" else {})


@pytest.mark.parametrize(("model", "more"), [("smollm2", {"<reponame>"}), ("gemma", {"</s>"})])
def test_ends(model: str, more: set[str]) -> None:
    """All ends of ours are ends in llama.cpp, which has one more by guessing from spellings."""
    vocabulary, engine = loaded(model), llama(model)
    tokens = metadata(model, "tokens")

    ends = {i for i in range(vocabulary.size) if engine.is_end(i)}

    assert metadata(model, "eos_token_id") in vocabulary.eos_ids
    assert vocabulary.eos_ids < ends
    assert {tokens[i] for i in ends - vocabulary.eos_ids} == more


def test_end_spellings() -> None:
    """The ends are those that the models were trained to stop at."""
    spellings = {model: {loaded(model).special_text(i) for i in loaded(model).eos_ids} for model in MODELS}

    assert spellings == {"smollm2": {"<|endoftext|>", "<|im_end|>"}, "gemma": {"<eos>", "<end_of_turn>"}}


@models
@pytest.mark.parametrize("text", TEXTS)
def test_encoded_text_is_its_bytes(model: str, text: str) -> None:
    """The bytes of a text that llama.cpp encoded, put together, are its UTF-8; a start token adds none."""
    vocabulary = loaded(model)
    # SmolLM2 has no token for a few control characters, and llama.cpp drops them.
    text = "".join(c for c in text if all(vocabulary.ids_for_bytes(bytes([byte])) for byte in c.encode()))

    ids = llama(model).tokenize(text)

    assert b"".join(map(vocabulary.token_bytes, ids)) == text.encode()


def test_cut_model_file(tmp_path: Path) -> None:
    """A real model file that ends within its vocabulary is refused."""
    path = tmp_path / "cut.gguf"
    with smollm2_gguf().open("rb") as whole:
        path.write_bytes(whole.read(500_000))

    with pytest.raises(langc.UnsupportedTokenizerError, match="cut short"):
        langc.load_vocabulary(path)
