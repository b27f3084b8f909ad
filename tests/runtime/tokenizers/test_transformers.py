"""tokenizer.json and tokenizer objects against the tokenizers and transformers libraries."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.assets import gemma_gguf, smollm2_gguf
from tests.runtime.tokenizers.printed import differing, text_ids
from tests.runtime.tokenizers.saved import TEXTS, gemma_folder, smollm2_folder

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("transformers")]

FOLDERS: dict[str, Callable[[], Path]] = {"smollm2": smollm2_folder, "gemma": gemma_folder}
models = pytest.mark.parametrize("model", FOLDERS)
TRAINING = [*TEXTS, "the the the cat sat on the mat", "가나다라 마바사 아자차카 타파하"] * 20


@cache
def loaded(model: str) -> Vocabulary:
    """Our vocabulary."""
    return langc.load_vocabulary(FOLDERS[model]() / "tokenizer.json")


@cache
def reference(model: str) -> Any:
    """The `tokenizers.Tokenizer` of the same file."""
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(FOLDERS[model]() / "tokenizer.json"))


def as_printed(vocabulary: Vocabulary, tokenizer: Any, ids: list[int]) -> dict[int, tuple[str, str]]:
    """The ids that the library decodes to something else than our bytes."""
    return differing(vocabulary, lambda rows: list(tokenizer.decode_batch(rows, skip_special_tokens=False)), ids)


@models
def test_text_of_every_id(model: str) -> None:
    """Each text token prints as its bytes do, and each special token as its spelling."""
    vocabulary, tokenizer = loaded(model), reference(model)
    ids = text_ids(vocabulary)

    assert vocabulary.size == tokenizer.get_vocab_size()
    assert len(ids) > 49_000
    assert as_printed(vocabulary, tokenizer, ids) == {}
    assert {i: tokenizer.id_to_token(i) for i in vocabulary.special_ids} == dict(vocabulary.specials)


def test_bytes_of_fragments() -> None:
    """Tokens that are no whole characters print as U+FFFD, so their bytes are compared with the published tables."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    alphabet = {character: byte for byte, character in bytes_to_unicode().items()}
    smollm2, gemma = loaded("smollm2"), loaded("gemma")

    fragments = [i for i, token in enumerate(smollm2.tokens) if "\ufffd" in token.decode(errors="replace")]
    expected = [bytes(alphabet[c] for c in reference("smollm2").id_to_token(i)) for i in fragments]
    assert len(fragments) > 200
    assert [smollm2.token_bytes(i) for i in fragments] == expected

    spelled = [reference("gemma").token_to_id(f"<0x{byte:02X}>") for byte in range(256)]
    assert [gemma.token_bytes(i) for i in spelled] == [bytes([byte]) for byte in range(256)]


@models
def test_roles_and_hash(model: str) -> None:
    """The same vocabulary from GGUF, tokenizer.json, the backend object and the transformers object: one hash."""
    from transformers import AutoTokenizer

    folder = FOLDERS[model]()
    gguf = smollm2_gguf() if model == "smollm2" else gemma_gguf()
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    from_object = langc.load_vocabulary(tokenizer)

    hashes = {langc.load_vocabulary(source).hash for source in (gguf, reference(model))}

    assert hashes == {loaded(model).hash} == {from_object.hash}
    assert set(tokenizer.all_special_ids) <= from_object.special_ids
    assert tokenizer.eos_token_id in from_object.eos_ids
    assert from_object.eos_ids == loaded(model).eos_ids
    assert (from_object.warnings, loaded(model).warnings) == ((), ())


@models
@pytest.mark.parametrize("text", TEXTS)
def test_encoded_text_is_its_bytes(model: str, text: str) -> None:
    """The bytes of an encoded text, put together, are its UTF-8, as far as the vocabulary can spell it."""
    vocabulary = loaded(model)
    text = "".join(c for c in text if all(vocabulary.ids_for_bytes(bytes([byte])) for byte in c.encode()))

    ids = reference(model).encode(text, add_special_tokens=False).ids

    assert b"".join(map(vocabulary.token_bytes, ids)) == text.encode()


def trained(model: Any, trainer: Any, **parts: Any) -> Any:
    """A small tokenizer of the tokenizers library, trained here."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer(model)
    for part, value in parts.items():
        setattr(tokenizer, part, value)
    tokenizer.train_from_iterator(TRAINING, trainer)
    return tokenizer


def llama2() -> Any:
    """BPE with byte fallback and a dummy prefix, as Llama 2 and Mistral have it."""
    from tokenizers import decoders, models, normalizers, trainers

    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    specials = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    tokenizer = trained(
        models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True),
        trainers.BpeTrainer(vocab_size=400, special_tokens=specials, limit_alphabet=40, show_progress=False),
        normalizer=normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
        decoder=decoders.Sequence(steps),
    )
    document = json.loads(tokenizer.to_str())
    document["added_tokens"] = [token for token in document["added_tokens"] if not token["content"].startswith("<0x")]
    return type(tokenizer).from_str(json.dumps(document))


def unigram() -> Any:
    """Unigram with Metaspace, as T5 and XLM-R have it, without a normaliser that changes characters."""
    from tokenizers import decoders, models, pre_tokenizers, trainers

    return trained(
        models.Unigram(),
        trainers.UnigramTrainer(
            vocab_size=300, special_tokens=["<unk>", "</s>"], unk_token="<unk>", show_progress=False
        ),
        pre_tokenizer=pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always"),
        decoder=decoders.Metaspace(replacement="▁", prepend_scheme="always"),
    )


@pytest.mark.parametrize("make", [llama2, unigram])
def test_dummy_prefix(make: Callable[[], Any]) -> None:
    """With a dummy prefix the bytes are those of the text after a space, which the decoder drops: a warning says so."""
    tokenizer = make()
    vocabulary = langc.load_vocabulary(tokenizer)
    text = "the cat 가나다라 마바사"

    ids = tokenizer.encode(text, add_special_tokens=False).ids

    assert b"".join(map(vocabulary.token_bytes, ids)) == b" " + text.encode()
    assert tokenizer.decode(ids) == text
    assert [warning.code for warning in vocabulary.warnings] == ["LC0610"]
    assert vocabulary.special_text(tokenizer.token_to_id("<unk>")) == "<unk>"
    assert vocabulary.eos_ids == {tokenizer.token_to_id("</s>")}


@pytest.mark.parametrize("make", [llama2, unigram])
def test_text_of_every_id_of_small_tokenizers(make: Callable[[], Any]) -> None:
    """Each text token of the trained tokenizers prints as its bytes do."""
    tokenizer = make()
    vocabulary = langc.load_vocabulary(tokenizer)
    ids = text_ids(vocabulary)

    assert len(ids) > 150
    assert as_printed(vocabulary, tokenizer, ids) == {}


def test_byte_level_added_tokens() -> None:
    """The library reads added tokens by the byte-level alphabet too, unless a character is outside of it."""
    from tokenizers import AddedToken, decoders, models, pre_tokenizers, trainers

    tokenizer = trained(
        models.BPE(),
        trainers.BpeTrainer(vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False),
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoder=decoders.ByteLevel(),
    )
    texts = ["é", "éé", "Ġz", " Ġz", "é中", "đ", "한국", "<think>", "\n\n"]
    tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in texts])
    tokenizer.add_special_tokens([AddedToken("<end>", special=True)])

    vocabulary = langc.load_vocabulary(tokenizer, eos="<end>")
    ids = [tokenizer.token_to_id(text) for text in texts]

    assert as_printed(vocabulary, tokenizer, list(range(vocabulary.size - 1))) == {}
    assert [vocabulary.token_bytes(i) for i in ids] == [
        *(b"\xe9", b"\xe9\xe9", b" z", " Ġz".encode(), "é中".encode()),
        *(b"\x11", "한국".encode(), b"<think>", b"\n\n"),
    ]


def test_wordpiece_is_refused() -> None:
    """A real WordPiece tokenizer is refused with a reason, as a file and as an object."""
    from tokenizers import decoders, models, pre_tokenizers, trainers

    tokenizer = trained(
        models.WordPiece(unk_token="[UNK]"),
        trainers.WordPieceTrainer(vocab_size=200, special_tokens=["[UNK]"], show_progress=False),
        pre_tokenizer=pre_tokenizers.Whitespace(),
        decoder=decoders.WordPiece(),
    )

    with pytest.raises(langc.UnsupportedTokenizerError, match="WordPiece") as error:
        langc.load_vocabulary(tokenizer)
    assert error.value.diagnostics[0].code == "LC0604"
