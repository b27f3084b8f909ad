"""One vocabulary in several formats has one hash, if the roles are the same in all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import langc
from tests.assets import mistral_model
from tests.runtime.tokenizers.printed import differing, text_ids
from tests.runtime.tokenizers.trained import processor, trained
from tests.unit.tokens.gguf_files import gguf, scalar
from tests.unit.tokens.gguf_files import tokenizer as entries

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("sentencepiece")]

MODELS: dict[str, Callable[[], bytes]] = {
    "v1": lambda: mistral_model("v1").read_bytes(),
    "v3": lambda: mistral_model("v3").read_bytes(),
    "unigram": lambda: trained("unigram"),
    "unigram with bytes": lambda: trained("unigram with bytes"),
    "words": lambda: trained("words"),
}
models = pytest.mark.parametrize("name", MODELS)


@cache
def library(name: str) -> Any:
    """The library's tokenizer."""
    return processor(MODELS[name]())


def kind(model: Any, token_id: int) -> int:
    """The type of a piece, in the numbering that GGUF took over."""
    if model.is_unknown(token_id):
        return 2
    return 3 if model.is_control(token_id) else 6 if model.is_byte(token_id) else 1


def converted(name: str) -> Any:
    """The model as a `Tokenizer` of the tokenizers library, by way of its pieces, types and scores."""
    from tokenizers import AddedToken, Tokenizer, decoders, models

    model = library(name)
    ids = range(model.get_piece_size())
    pieces = [model.id_to_piece(i) for i in ids]
    inner: Any
    if name.startswith("unigram"):
        scored = [(piece, model.get_score(i)) for i, piece in enumerate(pieces)]
        inner = models.Unigram(scored, unk_id=model.unk_id(), byte_fallback="bytes" in name)
    elif name == "words":
        inner = models.WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="<unk>")
    else:
        inner = models.BPE({piece: i for i, piece in enumerate(pieces)}, [], unk_token="<unk>", byte_fallback=True)
    tokenizer = Tokenizer(inner)
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    has_bytes = any(map(model.is_byte, ids))
    tokenizer.decoder = decoders.Sequence(steps) if has_bytes else decoders.Metaspace()
    tokenizer.add_special_tokens([AddedToken(pieces[i], special=True) for i in ids if kind(model, i) == 3])
    return tokenizer


@models
def test_one_hash(name: str, tmp_path: Path) -> None:
    """A SentencePiece model, the library's object, a tokenizer.json and a GGUF file made from it."""
    model, tokenizer = library(name), converted(name)
    vocabulary = [(model.id_to_piece(i).encode(), kind(model, i)) for i in range(model.get_piece_size())]
    paths = [tmp_path / "tokenizer.model", tmp_path / "tokenizer.json", tmp_path / "model.gguf"]
    paths[0].write_bytes(MODELS[name]())
    tokenizer.save(str(paths[1]))
    paths[2].write_bytes(gguf(entries(b"llama", vocabulary, eos_token_id=scalar("u32", model.eos_id()))))

    loaded = [langc.load_vocabulary(source) for source in (*paths, model, tokenizer)]

    assert len({vocabulary.hash for vocabulary in loaded}) == 1
    assert {vocabulary.eos_ids for vocabulary in loaded} == {frozenset({model.eos_id()})}
    assert differing(loaded[1], lambda rows: list(tokenizer.decode_batch(rows)), text_ids(loaded[1])) == {}


def test_other_roles_are_another_hash() -> None:
    """A tokenizer.json that calls user-defined pieces special is another vocabulary: they can no longer be written."""
    from tokenizers import AddedToken

    tokenizer, model = converted("v3"), library("v3")
    named = [model.id_to_piece(i) for i in range(751, 771)]
    tokenizer.add_special_tokens([AddedToken(piece, special=True) for piece in named])
    changed, given = langc.load_vocabulary(tokenizer), langc.load_vocabulary(model)

    assert named[0] == "[REFERENCE_DOC_19]"
    assert changed.special_ids - given.special_ids == set(range(751, 771))
    assert changed.hash != given.hash
