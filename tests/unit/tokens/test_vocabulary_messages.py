"""Golden messages: what is said about tokenizers, one case or more for each code. `--update-golden` rewrites them."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import langc
from langc.compiler import explain
from langc.compiler.errors import UnsupportedTokenizerError
from langc.compiler.limits import (
    MAX_GGUF_METADATA_BYTES,
    MAX_JSON_CONTAINERS,
    MAX_TOKEN_BYTES,
    MAX_TOKEN_IDS,
    MAX_TOKENIZER_BYTES,
)
from langc.compiler.render import render_all
from langc.compiler.tokens.loaders._draft import END_SPELLINGS
from tests.conftest import Golden
from tests.unit.tokens.gguf_files import gguf, text, texts, tokenizer
from tests.unit.tokens.sentencepiece_files import field, piece, sentencepiece
from tests.unit.tokens.tekken_files import tekken

GOLDEN = Path(__file__).parent / "messages"
BYTE_LEVEL = {"type": "ByteLevel"}


def ranks(tokens: dict[bytes, int]) -> bytes:
    """A rank file."""
    return b"".join(b64encode(token) + b" %d\n" % rank for token, rank in tokens.items())


def hugging_face(model: dict[str, Any], decoder: Any = BYTE_LEVEL) -> bytes:
    """A tokenizer.json."""
    return json.dumps({"model": {"type": "BPE", **model}, "decoder": decoder}).encode()


ENDED = {"tokens": ["a"], "special": {"</s>": 1}}

FILES: dict[str, tuple[str, bytes]] = {
    "lc0601_empty": ("t.json", b""),
    "lc0602_compressed": ("t.json.gz", gzip.compress(b"{}")),
    "lc0602_vocab_json": ("vocab.json", b'{"a": 0, "\xc4\xa0the": 1}'),
    "lc0602_other_json": ("config.json", b'{"architectures": ["Qwen3"], "model": "x", "vocab_size": 7}'),
    "lc0602_text": ("notes.txt", b"hello"),
    "lc0603_json_cut": ("t.json", b'{"tokens": ["a",\n"b"'),
    "lc0603_json_nested": ("t.json", b'{"a":' * 100_000),
    "lc0603_json_key_twice": ("t.json", b'{"tokens": ["a"], "tokens": ["b"]}'),
    "lc0603_json_digits": ("t.json", b'{"tokens": [' + b"1" * 5000 + b"]}"),
    "lc0603_json_latin1": ("t.json", b'{"tokens": ["caf\xe9"]}'),
    "lc0603_gguf_cut": ("t.gguf", gguf(tokenizer(b"gpt2", [(b"a", 1), (b"b", 1)]))[:200]),
    "lc0603_gguf_without_tokenizer": ("t.gguf", gguf({"general.name": text(b"x")})),
    "lc0603_sentencepiece_cut": ("t.model", sentencepiece([("<unk>", 2), ("a", 1)])[:20]),
    "lc0603_sentencepiece_settings": ("t.model", b"".join(map(piece, ("<unk>", "a")))),
    "lc0603_tekken": ("tekken.json", tekken([b"a", b"b"], default_vocab_size=8)),
    "lc0603_rank_line": ("t.tiktoken", b"YQ== 0\nYg== one\n"),
    "lc0604_wordpiece": ("t.json", hugging_face({"type": "WordPiece", "vocab": {"a": 0}})),
    "lc0604_decoder": ("t.json", hugging_face({"vocab": {"a": 0}}, {"type": "CTC"})),
    "lc0604_no_decoder": ("t.json", hugging_face({"vocab": {"a": 0, "Ġthe": 1}}, None)),
    "lc0604_word_ends": ("t.json", hugging_face({"vocab": {"a</w>": 0}, "end_of_word_suffix": "</w>"})),
    "lc0604_denormaliser": ("t.model", sentencepiece([("a", 1)], denormalizer=field(2, b"\0"))),
    "lc0604_gguf_model": ("t.gguf", gguf(tokenizer(b"bert", [(b"a", 1)]))),
    "lc0604_gguf_big_endian": ("t.gguf", gguf({}, version=3 << 24)),
    "lc0605_negative": ("t.json", hugging_face({"vocab": {"a": -1}})),
    "lc0605_twice": ("t.tiktoken", b"YQ== 0\nYg== 0\n"),
    "lc0605_two_roles": ("t.json", b'{"tokens": ["a", "b"], "special": {"<e>": 1}}'),
    "lc0605_tekken_rank": ("tekken.json", tekken([b"a", b"b"]).replace(b'"rank": 1', b'"rank": 7')),
    "lc0607_token": ("t.json", json.dumps({"tokens": ["x" * 65_537]}).encode()),
    "lc0608_unknown_bytes": ("t.gguf", gguf(tokenizer(b"gpt2", [(b"a", 1), ("中".encode(), 1), (b"</s>", 3)]))),
    "lc0609_no_end": ("t.json", b'{"tokens": ["a"]}'),
    "lc0610_strip": ("t.gguf", gguf(tokenizer(b"llama", [(b"a", 1), (b"</s>", 3)]))),
    "lc0610_dummy_prefix": ("t.model", sentencepiece([("a", 1), ("</s>", 3)], normalizer=b"")),
    "lc0611_rank_file": ("t.tiktoken", ranks({b"a": 0, b"b": 1})),
    "lc0612_spelling": ("t.json", json.dumps(ENDED | {"tokens": ["Ġa"]}).encode()),
    "lc0613_end_as_text": (
        "t.gguf",
        gguf({"tokenizer.ggml.model": text(b"gpt2"), "tokenizer.ggml.tokens": texts([b"a", b"<|im_end|>"])}),
    ),
}

CALLS: dict[str, Callable[[], object]] = {
    "lc0601_missing": lambda: langc.load_vocabulary("none.json"),
    "lc0601_folder": lambda: langc.load_vocabulary("."),
    "lc0602_object": lambda: langc.load_vocabulary(3),
    "lc0606_end": lambda: langc.load_vocabulary(ENDED, eos="<|eot_id|>"),
    "lc0606_options": lambda: langc.load_vocabulary(langc.load_vocabulary(ENDED), eos=1),
}


def said(load: Callable[[], Any]) -> str:
    """The error that loading raises, or else its warnings."""
    try:
        return render_all(list(load().warnings))
    except UnsupportedTokenizerError as error:
        return render_all(list(error.diagnostics))


@pytest.mark.parametrize("case", sorted(FILES.keys() | CALLS.keys()))
def test_messages(case: str, golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fault of a tokenizer gets exactly the message that was read and found good."""
    monkeypatch.chdir(tmp_path)
    if case in FILES:
        name, content = FILES[case]
        Path(name).write_bytes(content)
        message = said(lambda: langc.load_vocabulary(name))
    else:
        message = said(CALLS[case])

    golden(GOLDEN / f"{case}.stderr", message + "\n")
    assert f"[{case[:6].upper()}]" in message


def test_docs_name_what_the_code_has() -> None:
    """docs/tokenizers.md lists every spelling that ends a text, and the limits as they are."""
    page = (Path(__file__).parents[3] / "docs" / "tokenizers.md").read_text("utf-8")
    sizes = [f"{size >> 20} MiB" for size in (MAX_TOKENIZER_BYTES, MAX_GGUF_METADATA_BYTES)]
    bounds = [*sizes, *(f"{count:,}" for count in (MAX_TOKEN_BYTES, MAX_TOKEN_IDS, MAX_JSON_CONTAINERS))]

    missing = [s for s in END_SPELLINGS if f"`{s}`" not in page]
    assert missing == []
    assert [bound for bound in (*bounds, f"0 to {MAX_TOKEN_IDS - 1:,}") if bound not in page] == []


def test_every_code_has_a_case() -> None:
    """No message about tokenizers can change unnoticed, and no golden file is left over."""
    goldens = {path.stem: path.read_text("utf-8") for path in GOLDEN.glob("*.stderr")}

    assert goldens.keys() == FILES.keys() | CALLS.keys()
    shown = {code for message in goldens.values() for code in re.findall(r"LC06\d\d", message)}
    assert shown == {code for code in explain.codes() if "LC0600" < code < "LC0650"}
    assert len(shown) >= 13
