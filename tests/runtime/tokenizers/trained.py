"""Small SentencePiece models of every kind, trained here by the library in a few hundredths of a second each."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

from tests.runtime.tokenizers.saved import TEXTS

TRAINING = [*TEXTS, "the the the cat sat on the mat", "가나다라 마바사 아자차카 타파하", "a b c d e f g h i j"] * 20

KINDS: dict[str, dict[str, Any]] = {
    "unigram": {"model_type": "unigram", "vocab_size": 260},
    "unigram with bytes": {"model_type": "unigram", "vocab_size": 420, "byte_fallback": True},
    "bpe": {"model_type": "bpe", "vocab_size": 260},
    "bpe with bytes and symbols": {
        "model_type": "bpe",
        "vocab_size": 500,
        "byte_fallback": True,
        "user_defined_symbols": ["<sep>", "▁▁", "한국", "<0x41"],
        "control_symbols": ["<ctl>", "<|im_end|>"],
        "normalization_rule_name": "identity",
    },
    "no dummy prefix": {
        "model_type": "bpe",
        "vocab_size": 260,
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
    },
    "dummy suffix": {"model_type": "unigram", "vocab_size": 260, "treat_whitespace_as_suffix": True},
    "other ends": {
        "model_type": "unigram",
        "vocab_size": 260,
        "pad_id": 0,
        "eos_id": 1,
        "unk_id": 2,
        "bos_id": -1,
        "eos_piece": "[END]",
    },
    "words": {"model_type": "word", "vocab_size": 40},
    "characters": {"model_type": "char", "vocab_size": 200},
}
"""Settings of the trainer, by a name of ours."""


@cache
def trained(kind: str) -> bytes:
    """The file of a model."""
    return train(**KINDS[kind])


def train(**settings: Any) -> bytes:
    """A model from the trainer."""
    from sentencepiece import SentencePieceTrainer

    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(TRAINING), model_writer=model, minloglevel=2, hard_vocab_limit=False, **settings
    )
    return model.getvalue()


@cache
def processor(model: bytes) -> Any:
    """The library's tokenizer for a model."""
    from sentencepiece import SentencePieceProcessor

    return SentencePieceProcessor(model_proto=model)
