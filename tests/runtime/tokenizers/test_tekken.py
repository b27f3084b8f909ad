"""tekken.json against Mistral's own tokenizer: every id of both files."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.assets import tekken
from tests.conftest import MEASURED
from tests.runtime.tokenizers.saved import TEXTS

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("tekken")]

dates = pytest.mark.parametrize("date", ["240718", "240911"])


@cache
def reference(date: str) -> Any:
    """Mistral's tokenizer."""
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    return Tekkenizer.from_file(tekken(date))


@cache
def loaded(date: str) -> Vocabulary:
    """Our vocabulary."""
    return langc.load_vocabulary(tekken(date))


@dates
def test_bytes_of_every_id(date: str) -> None:
    """130,072 of the 150,000 entries are used, behind 1,000 special ids, with the bytes that Mistral decodes."""
    vocabulary, tokenizer = loaded(date), reference(date)

    differing = [i for i in range(tokenizer.n_words) if vocabulary.token_bytes(i) != tokenizer.id_to_byte_piece(i)]

    assert differing == []
    assert vocabulary.size == tokenizer.n_words == 131_072
    assert vocabulary.special_ids == tokenizer.special_ids == set(range(1_000))


@dates
def test_special_tokens_by_name(date: str) -> None:
    """Each special id has the name that Mistral gives it, those without one too; </s> ends a text."""
    vocabulary, tokenizer = loaded(date), reference(date)

    assert dict(vocabulary.specials) == {i: tokenizer.id_to_piece(i) for i in range(1_000)}
    assert vocabulary.eos_ids == {tokenizer.eos_id} == {2}
    assert vocabulary.warnings == ()


@pytest.mark.parametrize("text", TEXTS)
def test_encoded_text_is_its_bytes(text: str) -> None:
    """The bytes of an encoded text, put together, are its UTF-8."""
    ids = reference("240911").encode(text, bos=False, eos=False)

    assert b"".join(map(loaded("240911").token_bytes, ids)) == text.encode()


def test_one_vocabulary_in_two_files() -> None:
    """The two files differ in their settings for images only."""
    assert tekken("240718").read_bytes() != tekken("240911").read_bytes()
    assert loaded("240718").hash == loaded("240911").hash


def test_load_time(record_property: Callable[[str, object], None]) -> None:
    """19 MB of JSON are read in well under a second."""
    start = time.process_time()
    vocabulary = langc.load_vocabulary(tekken())
    seconds = time.process_time() - start

    record_property(MEASURED, f"load tekken: {vocabulary.size:,} ids in {seconds:.2f} s of processor time")
    assert seconds < 3
