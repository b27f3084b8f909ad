"""Tokenizer objects, stood in for by small ones of the same shape: langc imports none of the libraries."""

import json
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

import langc
from langc.compiler.errors import UnsupportedTokenizerError

DOCUMENT = {
    "decoder": {"type": "ByteLevel"},
    "added_tokens": [{"id": 2, "content": "<end>", "special": True}, {"id": 3, "content": "<think>", "special": False}],
    "model": {"type": "BPE", "vocab": {"a": 0, "ä¸Ń": 1}, "merges": []},
}


def backend(document: object = DOCUMENT) -> SimpleNamespace:
    """What the tokenizers library hands out."""
    return SimpleNamespace(to_str=lambda: json.dumps(document))


def tokenizer(**settings: Any) -> SimpleNamespace:
    """What transformers hands out."""
    tokens = {i: SimpleNamespace(content=t, special=i == 2) for i, t in ((2, "<end>"), (3, "<think>"))}
    defaults = {
        "backend_tokenizer": backend(),
        "added_tokens_decoder": tokens,
        "all_special_ids": [2],
        "all_special_tokens": ["<end>"],
        "eos_token_id": 2,
        "name_or_path": "models/toy",
    }
    return SimpleNamespace(**(defaults | settings))


def test_backend_object() -> None:
    """A tokenizers object is its tokenizer.json."""
    vocabulary = langc.load_vocabulary(backend(), eos=2)

    assert vocabulary.tokens == (b"a", b"\xe4\xb8\xad", b"", b"<think>")
    assert vocabulary.hash == langc.load_vocabulary(DOCUMENT, eos=2).hash


def test_transformers_object() -> None:
    """A transformers tokenizer adds the end token and gives its name without the folder."""
    vocabulary = langc.load_vocabulary(tokenizer())

    assert vocabulary.eos_ids == {2}
    assert (vocabulary.name, vocabulary.warnings) == ("toy", ())
    assert vocabulary.hash == langc.load_vocabulary(DOCUMENT).hash


def test_special_tokens_that_only_the_object_knows() -> None:
    """A token that the settings call special is special, though the backend has it as text; None is passed over."""
    given = tokenizer(
        all_special_ids=[2, 3, None], all_special_tokens=["<end>", "<think>", "<lost>"], eos_token_id=[2, 3]
    )

    vocabulary = langc.load_vocabulary(given)

    assert dict(vocabulary.specials) == {2: "<end>", 3: "<think>"}
    assert vocabulary.eos_ids == {2, 3}


def test_added_tokens_that_only_the_object_knows() -> None:
    """Tokens beyond the backend's are taken over by role."""
    tokens = {4: SimpleNamespace(content="<new>", special=True), 5: SimpleNamespace(content="b", special=False)}

    vocabulary = langc.load_vocabulary(tokenizer(added_tokens_decoder=tokens))

    assert vocabulary.special_text(4) == "<new>"
    assert vocabulary.token_bytes(5) == b"b"


def test_no_end_and_clean_up_are_warnings() -> None:
    """An object without an end token, and one that cleans up spaces."""
    endless = langc.load_vocabulary(tokenizer(eos_token_id=None))
    tidy = langc.load_vocabulary(tokenizer(clean_up_tokenization_spaces=True))

    assert [warning.code for warning in endless.warnings] == ["LC0609"]
    assert [warning.code for warning in tidy.warnings] == ["LC0610"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (SimpleNamespace(all_special_ids=[0], sp_model=object()), "LC0604"),
        (tokenizer(backend_tokenizer=None), "LC0604"),
        (backend([]), "LC0603"),
        (backend({}), "LC0603"),
        (SimpleNamespace(to_str=lambda: "{"), "LC0603"),
        (tokenizer(eos_token_id="2"), None),
        (tokenizer(eos_token_id=2.0), "LC0605"),
        (tokenizer(all_special_ids=[-1]), "LC0605"),
    ],
)
def test_objects_that_cannot_be_read(given: object, code: str | None) -> None:
    """Slow tokenizers do not tell their bytes; broken documents and ids are the usual errors."""
    if code is None:  # a string is a spelling, and no token is spelled like that
        assert langc.load_vocabulary(given).eos_ids == frozenset()
    else:
        with pytest.raises(UnsupportedTokenizerError) as error:
            langc.load_vocabulary(given)
        assert error.value.diagnostics[0].code == code


def test_loading_imports_nothing_heavy() -> None:
    """Reading a vocabulary needs neither numpy nor any tokenizer library."""
    program = (
        "import sys, langc; langc.load_vocabulary({'tokens': ['a'], 'special': {'</s>': 1}});"
        "heavy = {'numpy', 'torch', 'transformers', 'tokenizers', 'tiktoken', 'gguf', 'regex'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
