"""tokenizer.json in all the shapes that are read, and those that are refused. Expected bytes are worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

import langc
from langc.compiler.errors import UnsupportedTokenizerError

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
REPLACE = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
FALLBACK = {"type": "Sequence", "decoders": [REPLACE, {"type": "ByteFallback"}, {"type": "Fuse"}]}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
LLAMA2 = {"type": "Sequence", "decoders": [REPLACE, {"type": "ByteFallback"}, {"type": "Fuse"}, STRIP]}


def added(token_id: int, content: str, special: bool) -> dict[str, Any]:
    """An added token."""
    return {"id": token_id, "content": content, "special": special, "normalized": False}


def document(vocab: Any, decoder: Any, *tokens: dict[str, Any], **model: Any) -> dict[str, Any]:
    """A tokenizer.json with what the loader looks at."""
    return {
        "version": "1.0",
        "added_tokens": list(tokens),
        "decoder": decoder,
        "model": {"type": "BPE", "vocab": vocab, "merges": [], **model},
    }


def refusal(source: object) -> str:
    """The code of the one short error that loading raises."""
    with pytest.raises(UnsupportedTokenizerError) as error:
        langc.load_vocabulary(source)
    assert len(str(error.value)) < 300
    return error.value.diagnostics[0].code


def test_byte_level() -> None:
    """Ġ is a space, Ċ a line end, ä¸Ń the bytes of 中; what the alphabet does not have is plain text."""
    vocab = {"a": 0, "Ġa": 1, "Ċ": 2, "ä¸Ń": 3, "ä¸": 4, "중": 5, "a b": 6, "ł": 7, "ÿ": 8}

    vocabulary = langc.load_vocabulary(document(vocab, BYTE_LEVEL, added(9, "<|endoftext|>", True)))

    assert vocabulary.tokens == (
        *(b"a", b" a", b"\n", b"\xe4\xb8\xad", b"\xe4\xb8"),
        *("중".encode(), b"a b", b"\xa0", b"\xff", b""),
    )
    assert vocabulary.eos_ids == {9}
    assert vocabulary.warnings == ()


def test_byte_fallback() -> None:
    """▁ is a space, <0xE4> a byte; the unknown token is special although it is no added token."""
    vocab = {"<unk>": 0, "<0xE4>": 1, "<0x0a>": 2, "▁a▁": 3, "<0xZZ>": 4, "中": 5}

    vocabulary = langc.load_vocabulary(document(vocab, FALLBACK, added(6, "</s>", True), unk_token="<unk>"))

    assert vocabulary.tokens == (b"", b"\xe4", b"\n", b" a ", b"<0xZZ>", "中".encode(), b"")
    assert dict(vocabulary.specials) == {0: "<unk>", 6: "</s>"}
    assert vocabulary.eos_ids == {6}
    assert vocabulary.warnings == ()


def test_added_tokens_by_role() -> None:
    """Added tokens are special or text as the file says, and the decoder reads the text ones like any other."""
    tokens = (added(1, "<think>", False), added(2, "</think>", True), added(3, "Ġ中", False), added(4, "é", False))

    vocabulary = langc.load_vocabulary(document({"a": 0}, BYTE_LEVEL, *tokens), eos=2)

    assert vocabulary.tokens == (b"a", b"<think>", b"", "Ġ中".encode(), b"\xe9")
    assert dict(vocabulary.specials) == {2: "</think>"}


def test_special_wins_over_the_vocabulary() -> None:
    """A token that stands in the vocabulary and among the special tokens is special."""
    vocabulary = langc.load_vocabulary(document({"a": 0, "<s>": 1}, FALLBACK, added(1, "<s>", True)), eos=1)

    assert vocabulary.special_text(1) == "<s>"
    assert vocabulary.ids_for_bytes(b"<s>") == ()


def test_unigram() -> None:
    """Unigram pieces are numbered by place, and `unk_id` names the unknown one."""
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["▁안녕", -1.5], ["<0xEB>", -9]]}

    vocabulary = langc.load_vocabulary({"model": model, "decoder": FALLBACK, "added_tokens": []}, eos=0)

    assert vocabulary.tokens == (b"", " 안녕".encode(), b"\xeb")
    assert vocabulary.special_text(0) == "<unk>"


@pytest.mark.parametrize(
    ("decoder", "warned"),
    [
        (FALLBACK, []),
        (LLAMA2, ["LC0610"]),
        ({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True}, []),
        ({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}, ["LC0610"]),
        ({"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}, ["LC0610"]),
        ({"type": "Metaspace", "replacement": "▁", "add_prefix_space": False}, []),
    ],
)
def test_decoders_that_trim_the_start(decoder: dict[str, Any], warned: list[str]) -> None:
    """▁ is a space in every token; a decoder that drops it at the start of the text brings a warning."""
    vocabulary = langc.load_vocabulary(document({"▁a": 0, "b": 1}, decoder), eos=1)

    assert vocabulary.token_bytes(0) == b" a"
    assert [warning.code for warning in vocabulary.warnings] == warned


@pytest.mark.parametrize(
    "decoder",
    [
        {"type": "WordPiece", "prefix": "##", "cleanup": True},
        {"type": "BPEDecoder"},
        {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "BPEDecoder", "suffix": "</w>"}]},
        {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
        {"type": "Replace", "pattern": {"Regex": "▁"}, "content": " "},
        {"type": "Replace", "pattern": "▁", "content": " "},
        {"type": "Sequence", "decoders": [STRIP, {"type": "Fuse"}]},
        {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, REPLACE]},
        {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, BYTE_LEVEL]},
        {"type": "Sequence", "decoders": [[]]},
        {"type": "Sequence"},
        {"type": "Later"},
        {},
        "ByteLevel",
    ],
)
def test_decoders_that_cannot_be_followed(decoder: object) -> None:
    """A decoder that looks across tokens, or that nobody knows, is refused: its bytes would be guessed."""
    assert refusal(document({"a": 0}, decoder)) == "LC0604"


def test_tokens_without_a_decoder() -> None:
    """Without a decoder tokens are joined with spaces: each writes a space and itself, the first space is dropped."""
    tokens = (added(2, "<x>", False), added(3, "[SEP]", True))

    vocabulary = langc.load_vocabulary(
        document({"나무": 0, "[UNK]": 1, "": 4}, None, *tokens, type="WordLevel", unk_token="[UNK]"), eos=3
    )

    assert vocabulary.tokens == (" 나무".encode(), b"", b" <x>", b"", b" ")
    assert dict(vocabulary.specials) == {1: "[UNK]", 3: "[SEP]"}
    assert [warning.code for warning in vocabulary.warnings] == ["LC0610"]


@pytest.mark.parametrize("spelled", ["Ġthe", "▁the", "<0x0A>"])
def test_spelled_tokens_without_a_decoder(spelled: str) -> None:
    """Tokens in a code that nothing in the file turns back are refused: another program would print something else."""
    assert refusal(document({"a": 0, spelled: 1}, None)) == "LC0604"


def test_marks_at_word_ends() -> None:
    """`</w>` is a space if the decoder says so; the last one of a text is dropped."""
    vocab, decoder = {"un": 0, "able</w>": 1, ".</w>": 2}, {"type": "BPEDecoder", "suffix": "</w>"}

    vocabulary = langc.load_vocabulary(document(vocab, decoder, end_of_word_suffix="</w>"), eos=0)

    assert vocabulary.tokens[1:] == (b"able ", b". ")
    assert [warning.code for warning in vocabulary.warnings] == ["LC0610"]


@pytest.mark.parametrize(
    "model",
    [
        {"type": "WordPiece"},
        {"type": "WordPiece", "continuing_subword_prefix": "##"},
        {"type": "Later"},
        {"type": {}},
        {"continuing_subword_prefix": "##"},
        {"end_of_word_suffix": "</w>"},
    ],
)
def test_models_without_token_bytes(model: dict[str, Any]) -> None:
    """Kinds whose tokens are printed in more than one way, and marks that the decoder does not read, are refused."""
    assert refusal(document({"a": 0}, BYTE_LEVEL, **model)) == "LC0604"


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (document({"a": 0, "b": 0}, BYTE_LEVEL), "LC0605"),
        (document({"a": -1}, BYTE_LEVEL), "LC0605"),
        (document({"a": 1 << 24}, BYTE_LEVEL), "LC0605"),
        (document({"a": "0"}, BYTE_LEVEL), "LC0605"),
        (document({"a": 0.0}, BYTE_LEVEL), "LC0605"),
        (document({"a": False}, BYTE_LEVEL), "LC0605"),
        (document({"a": 0}, BYTE_LEVEL, added(0, "b", False)), "LC0605"),
        (document({"a": 0}, BYTE_LEVEL, added(1, "b", True), added(1, "c", True)), "LC0605"),
        (document({"a": 0}, BYTE_LEVEL, {"id": None, "content": "b"}), "LC0605"),
        (document({"a": 0}, BYTE_LEVEL, {"id": 1}), "LC0603"),
        (document({"a": 0}, BYTE_LEVEL, added(1, "\ud800", True)), "LC0603"),
        (document(["a"], BYTE_LEVEL), "LC0603"),
        (document(None, BYTE_LEVEL), "LC0603"),
        (document({}, BYTE_LEVEL), "LC0603"),
        (document([["a"], 7], BYTE_LEVEL, type="Unigram"), "LC0603"),
        ({**document({"a": 0}, BYTE_LEVEL), "added_tokens": {"b": 1}}, "LC0603"),
        ({**document({"a": 0}, BYTE_LEVEL), "added_tokens": ["b"]}, "LC0603"),
    ],
)
def test_broken_documents(broken: dict[str, Any], expected: str) -> None:
    """Wrong types, ids that clash and missing parts are one error each."""
    assert refusal(broken) == expected


def test_bytes_that_cannot_be_known() -> None:
    """A token with half a surrogate pair has no bytes: it becomes a hole, and a warning counts such tokens."""
    vocabulary = langc.load_vocabulary(document({"a": 0, "\ud800": 1, "x\udc00": 2}, FALLBACK), eos=0)

    assert vocabulary.tokens[1:] == (b"", b"")
    assert [(warning.code, warning.data["count"]) for warning in vocabulary.warnings] == [("LC0608", 2)]


def write(folder: Path, name: str, content: object) -> Path:
    """Write a JSON file."""
    path = folder / name
    path.write_text(json.dumps(content), "utf-8")
    return path


TWO_ENDS = document({"a": 0}, BYTE_LEVEL, added(1, "<stop>", True), added(2, "<halt>", True), added(3, "<s>", True))


@pytest.mark.parametrize(
    ("name", "content", "ends"),
    [
        ("generation_config.json", {"eos_token_id": [1, 2]}, {1, 2}),
        ("generation_config.json", {"eos_token_id": 2}, {2}),
        ("tokenizer_config.json", {"eos_token": "<stop>"}, {1}),
        ("tokenizer_config.json", {"eos_token": {"content": "<halt>", "special": True}}, {2}),
        ("special_tokens_map.json", {"eos_token": {"content": "<stop>"}}, {1}),
        ("special_tokens_map.json", {"eos_token": "<other model's end>"}, set()),
        ("generation_config.json", {"eos_token_id": 77}, set()),
    ],
)
def test_ends_from_the_files_beside_it(tmp_path: Path, name: str, content: object, ends: set[int]) -> None:
    """The settings beside a tokenizer.json name the end; names that do not exist here are passed over."""
    path = write(tmp_path, "tokenizer.json", TWO_ENDS)
    write(tmp_path, name, content)

    vocabulary = langc.load_vocabulary(path)

    assert vocabulary.eos_ids == ends
    assert [warning.code for warning in vocabulary.warnings] == ([] if ends else ["LC0609"])


def test_an_end_that_is_typed_as_text(tmp_path: Path) -> None:
    """A token that the settings name as the end is an end even if the tokenizer calls it text, with a warning."""
    path = write(tmp_path, "tokenizer.json", document({"a": 0, "b": 1}, BYTE_LEVEL))
    write(tmp_path, "generation_config.json", {"eos_token_id": 1})

    vocabulary = langc.load_vocabulary(path)

    assert vocabulary.eos_ids == {1}
    assert (vocabulary.token_bytes(1), vocabulary.special_text(1)) == (b"", "b")
    assert [warning.code for warning in vocabulary.warnings] == ["LC0613"]


@pytest.mark.parametrize(("clean_up", "warned"), [(True, ["LC0610"]), (False, []), (None, [])])
def test_clean_up_of_spaces(tmp_path: Path, clean_up: bool | None, warned: list[str]) -> None:
    """A decoder that removes spaces before punctuation prints something else than the bytes."""
    path = write(tmp_path, "tokenizer.json", TWO_ENDS)
    write(tmp_path, "tokenizer_config.json", {"clean_up_tokenization_spaces": clean_up, "eos_token": "<stop>"})

    assert [warning.code for warning in langc.load_vocabulary(path).warnings] == warned


@pytest.mark.parametrize("name", ["generation_config.json", "tokenizer_config.json", "special_tokens_map.json"])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"{", "LC0603"),
        (b"[]", "LC0603"),
        (b"", "LC0601"),
        (b'{"eos_token_id": [[1]]}', "LC0605"),
        (b'{"eos_token_id": -1}', "LC0605"),
        (b'{"eos_token": {}}', "LC0605"),
    ],
)
def test_broken_files_beside_it(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    """A broken settings file is an error that names that file, for guessing the end would be worse."""
    path = write(tmp_path, "tokenizer.json", TWO_ENDS)
    (tmp_path / name).write_bytes(content)

    with pytest.raises(UnsupportedTokenizerError, match=name) as error:
        langc.load_vocabulary(path)
    assert error.value.diagnostics[0].code == expected


def test_hash_survives_re_serialisation(tmp_path: Path) -> None:
    """Another order of keys, other spacing, escapes and file name, and the same document as a dict: one hash."""
    given = document({"a": 0, "ä¸Ń": 2, "Ġa": 1}, BYTE_LEVEL, added(3, "<end>", True))
    turned = dict(reversed(given.items())) | {"model": dict(reversed(given["model"].items()))}
    turned["model"]["vocab"] = dict(reversed(given["model"]["vocab"].items()))
    pretty = tmp_path / "other.json"
    pretty.write_text(json.dumps(turned, indent=4, ensure_ascii=False), "utf-8-sig")
    paths = [write(tmp_path, "tokenizer.json", given), pretty, given, turned]

    assert len({langc.load_vocabulary(source).hash for source in paths}) == 1


def test_plain_vocab_json_is_refused(tmp_path: Path) -> None:
    """vocab.json spells its tokens in a code that the file does not name, so it is not read as text."""
    assert refusal(write(tmp_path, "vocab.json", {"Ġthe": 0, "a": 1})) == "LC0602"
