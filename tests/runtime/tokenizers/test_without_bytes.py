"""Tokenizers without byte coverage: what they print is known token by token, so a policy can be enforced on them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import langc
from tests.runtime.tokenizers.printed import differing, text_ids
from tests.runtime.tokenizers.trained import TRAINING, processor, trained

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("sentencepiece")]

DENIED = "大韓民國漢江日本語のテキスト野家"
Decode = Callable[[list[list[int]]], list[str]]


def word_level() -> tuple[Any, Decode]:
    """Whole words without a decoder: they are joined with spaces."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordLevelTrainer(special_tokens=["[UNK]", "[EOS]"], show_progress=False)
    tokenizer.train_from_iterator([*TRAINING, "a"], trainer)
    return tokenizer, lambda rows: list(tokenizer.decode_batch(rows, skip_special_tokens=False))


def word_ends() -> tuple[Any, Decode]:
    """BPE with `</w>` at word ends, as GPT-1 has it."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]", end_of_word_suffix="</w>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.decoder = decoders.BPEDecoder("</w>")
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["[UNK]", "[EOS]"], end_of_word_suffix="</w>", show_progress=False
    )
    tokenizer.train_from_iterator(TRAINING, trainer)
    return tokenizer, lambda rows: list(tokenizer.decode_batch(rows, skip_special_tokens=False))


def unigram() -> tuple[Any, Decode]:
    """A SentencePiece Unigram model without byte fallback."""
    library = processor(trained("unigram"))
    return library, lambda rows: list(library.decode(rows))


kinds = pytest.mark.parametrize("make", [word_level, word_ends, unigram])


@kinds
def test_every_id(make: Callable[[], tuple[Any, Decode]]) -> None:
    """Each text token prints as its bytes do, but for spaces at an end of the text: a warning says so."""
    tokenizer, decode = make()
    vocabulary = langc.load_vocabulary(tokenizer)
    ids = text_ids(vocabulary)

    assert len(ids) > 60
    assert differing(vocabulary, decode, ids) == {}
    assert not vocabulary.ids_for_bytes(b"\xe4")
    assert [warning.code for warning in vocabulary.warnings] == ["LC0610"]


@kinds
def test_policy_is_enforced(make: Callable[[], tuple[Any, Decode]]) -> None:
    """Random walks under ko never end in a dead end, never take the unknown token and never print Han or Kana."""
    tokenizer, decode = make()
    vocabulary, random, printed = langc.load_vocabulary(tokenizer), Random(3), ""
    matcher = langc.Matcher(langc.load_policy("ko"), vocabulary)
    for _ in range(20):
        matcher.reset()
        for _ in range(30):
            allowed = np.flatnonzero(matcher.mask())
            assert matcher.advance(int(random.choice([i for i in allowed if i not in vocabulary.eos_ids])))
        printed += decode([list(matcher.ids)])[0] + "\n"

    assert matcher.allows(min(vocabulary.eos_ids))
    assert len(set(printed)) > 40
    assert [character for character in DENIED if character in printed] == []
    assert [i for i in vocabulary.special_ids - vocabulary.eos_ids if matcher.allows(i)] == []


@kinds
def test_vocabulary_holds_what_is_denied(make: Callable[[], tuple[Any, Decode]]) -> None:
    """The walks would print Han without the policy: the vocabularies have tokens for it."""
    vocabulary = langc.load_vocabulary(make()[0])

    assert sum(any(c in DENIED for c in token.decode()) for token in vocabulary.tokens) >= 2


def test_scan() -> None:
    """A scan says which bytes are missing: all that begin or continue a character of several bytes."""
    report = langc.scan(langc.load_vocabulary(unigram()[0]), "ko").to_json()
    missing: Any = report["fragments"]

    assert {"80", "BF", "E4", "F0"} <= set(missing["bytes_without_a_token"])
    assert missing["no_text_of_their_own"] == 0
