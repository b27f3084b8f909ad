"""GGUF metadata: roles by token type, and every way in which the layout can be broken."""

import struct
from pathlib import Path

import pytest

import langc
from langc.compiler.errors import UnsupportedTokenizerError
from tests.unit.tokens.gguf_files import gguf, scalar, scalars, string, text, texts, tokenizer, write

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)

BYTE_LEVEL = [
    (b"<|im_end|>", CONTROL),
    (b"a", NORMAL),
    ("Ġa".encode(), NORMAL),
    ("ä¸Ń".encode(), NORMAL),
    ("中".encode(), NORMAL),
    (b"\xff", NORMAL),
    ("Ġé".encode(), USER_DEFINED),
    (b"[PAD7]", UNUSED),
]
SPACE_MARKS = [
    (b"<unk>", UNKNOWN),
    (b"<s>", CONTROL),
    (b"</s>", CONTROL),
    (b"<0xE4>", BYTE),
    (b"<0x0A>", BYTE),
    (b"<0x>", BYTE),
    ("▁a▁".encode(), NORMAL),
    ("▁▁".encode(), USER_DEFINED),
    (b"</s>", USER_DEFINED),
    (b"\xe4\xb8", NORMAL),
]


def refusal(path: Path) -> UnsupportedTokenizerError:
    """The one short error that loading raises."""
    with pytest.raises(UnsupportedTokenizerError) as error:
        langc.load_vocabulary(path)
    assert len(str(error.value)) < 300 + len(str(path))
    return error.value


def codes(path: Path) -> list[str]:
    """The codes of the warnings."""
    return [warning.code for warning in langc.load_vocabulary(path).warnings]


def test_byte_level(tmp_path: Path) -> None:
    """Normal tokens are byte-level; user-defined ones stand as they are; what the alphabet lacks is a hole."""
    vocabulary = langc.load_vocabulary(write(tmp_path / "m.gguf", tokenizer(b"gpt2", BYTE_LEVEL)))

    assert vocabulary.tokens == (b"", b"a", b" a", b"\xe4\xb8\xad", b"", b"", "Ġé".encode(), b"")
    assert dict(vocabulary.specials) == {0: "<|im_end|>", 7: "[PAD7]"}
    assert vocabulary.eos_ids == {0}
    assert [(warning.code, warning.data["count"]) for warning in vocabulary.warnings] == [("LC0608", 2)]
    assert vocabulary.name == "m.gguf"


@pytest.mark.parametrize("model", [b"llama", b"gemma4"])
def test_space_marks_and_byte_tokens(tmp_path: Path, model: bytes) -> None:
    """▁ is a space in normal tokens only; byte tokens are bytes; a user-defined </s> stays text."""
    entries = tokenizer(model, SPACE_MARKS, add_space_prefix=scalar("bool", 0))

    vocabulary = langc.load_vocabulary(write(tmp_path / "m.gguf", entries))

    assert vocabulary.tokens == (
        *(b"", b"", b"", b"\xe4", b"\n", b""),
        *(b" a ", "▁▁".encode(), b"</s>", b"\xe4\xb8"),
    )
    assert dict(vocabulary.specials) == {0: "<unk>", 1: "<s>", 2: "</s>"}
    assert vocabulary.eos_ids == {2}
    assert [(warning.code, warning.data.get("count")) for warning in vocabulary.warnings] == [("LC0608", 1)]


def test_ends_from_keys(tmp_path: Path) -> None:
    """eos, eot and eom ids end a text, whatever their spelling; an id that does not exist is passed over."""
    tokens = [(b"a", NORMAL), (b"<x>", CONTROL), (b"<y>", CONTROL), (b"<z>", CONTROL)]
    keys = {"eos_token_id": scalar("u32", 1), "eot_token_id": scalar("u32", 3), "eom_token_id": scalar("u32", 99)}

    vocabulary = langc.load_vocabulary(write(tmp_path / "m.gguf", tokenizer(b"gpt2", tokens, **keys)))

    assert vocabulary.eos_ids == {1, 3}
    assert vocabulary.warnings == ()


def test_chat_markers_typed_as_text(tmp_path: Path) -> None:
    """llama.cpp ends a text at <|im_end|> even if the file calls it normal or user-defined, and so do we."""
    tokens = [(b"a", NORMAL), (b"<|im_end|>", NORMAL), (b"<end_of_turn>", USER_DEFINED), (b"<|end|>", NORMAL)]

    vocabulary = langc.load_vocabulary(write(tmp_path / "m.gguf", tokenizer(b"gpt2", tokens)))

    assert vocabulary.eos_ids == {1, 2}
    assert vocabulary.token_bytes(3) == b"<|end|>"
    assert [warning.code for warning in vocabulary.warnings] == ["LC0613", "LC0613"]


@pytest.mark.parametrize(
    ("model", "prefix", "warned"),
    [
        (b"llama", None, True),
        (b"llama", 1, True),
        (b"llama", 0, False),
        (b"gemma4", None, False),
        (b"gpt2", None, False),
    ],
)
def test_space_prefix(tmp_path: Path, model: bytes, prefix: int | None, warned: bool) -> None:
    """A llama vocabulary drops a space at the start of the text unless the file says otherwise."""
    more = {} if prefix is None else {"add_space_prefix": scalar("bool", prefix)}
    tokens = [(b"a", NORMAL), (b"<eos>", CONTROL)]

    assert codes(write(tmp_path / "m.gguf", tokenizer(model, tokens, **more))) == (["LC0610"] if warned else [])


def test_missing_types_are_normal(tmp_path: Path) -> None:
    """A file without token types has normal tokens only."""
    entries = {"tokenizer.ggml.model": text(b"gpt2"), "tokenizer.ggml.tokens": texts([b"a", "Ġ".encode()])}

    assert langc.load_vocabulary(write(tmp_path / "m.gguf", entries)).tokens == (b"a", b" ")


def test_version_2_and_tensors_behind(tmp_path: Path) -> None:
    """Version 2 has the same layout, and what follows the metadata is not looked at."""
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(tokenizer(b"gpt2", BYTE_LEVEL), version=2) + b"\xff" * 100)

    assert langc.load_vocabulary(path).size == len(BYTE_LEVEL)


def test_every_cut_is_refused(tmp_path: Path) -> None:
    """A file that is cut short at any byte of its metadata is an error, never a smaller vocabulary."""
    whole = gguf(tokenizer(b"llama", SPACE_MARKS))
    path = tmp_path / "m.gguf"
    found = set()
    for length in range(1, len(whole)):
        path.write_bytes(whole[:length])
        found.add((length < 4, refusal(path).diagnostics[0].code))

    assert len(whole) > 500
    assert found == {(True, "LC0602"), (False, "LC0603")}


def test_every_changed_byte_is_survived(tmp_path: Path) -> None:
    """Whatever byte is changed, the file is read or refused: no other exception, no endless loop, no huge memory."""
    whole = gguf(tokenizer(b"gpt2", BYTE_LEVEL))
    path = tmp_path / "m.gguf"
    outcomes: set[object] = set()
    for place in range(len(whole)):
        for value in (0x00, 0x7F, 0xFF):
            path.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
            try:
                outcomes.add(langc.load_vocabulary(path).size == len(BYTE_LEVEL))
            except UnsupportedTokenizerError as error:
                outcomes.add(error.diagnostics[0].code)

    assert {True, "LC0602", "LC0603", "LC0604"} <= outcomes <= {True, "LC0602", "LC0603", "LC0604", "LC0605", "LC0607"}


HUGE = (1 << 63) - 1


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (gguf({}), "LC0603", "no tokenizer"),
        (gguf({"tokenizer.ggml.model": text(b"gpt2")}), "LC0603", "tokens"),
        (gguf({}, version=1), "LC0604", "version 1"),
        (gguf({}, version=4), "LC0604", "version 4"),
        (gguf({}, version=3 << 24), "LC0604", "big-endian"),
        (gguf({}, count=1), "LC0603", "cut short"),
        (gguf({}, count=HUGE), "LC0603", "entries"),
        (gguf({}, count=1) + struct.pack("<Q", HUGE), "LC0603", "cut short"),
        (gguf({"a": struct.pack("<IQ", 8, HUGE)}), "LC0603", "cut short"),
        (gguf({"a": struct.pack("<IIQ", 9, 8, 1 << 22)}), "LC0603", "cut short"),
        (gguf({"a": struct.pack("<IIQ", 9, 8, (1 << 22) + 1)}), "LC0607", "4,194,304"),
        (gguf({"a": struct.pack("<IIQ", 9, 8, HUGE)}), "LC0607", "4,194,304"),
        (gguf({"a": struct.pack("<IIQ", 9, 10, HUGE)}), "LC0603", "cut short"),
        (gguf({"tokenizer.ggml.tokens": struct.pack("<IIQ", 9, 8, HUGE)}), "LC0607", "4,194,304"),
        (gguf({"tokenizer.ggml.token_type": struct.pack("<IIQ", 9, 5, HUGE)}), "LC0603", "cut short"),
        (gguf({"a": struct.pack("<I", 13)}), "LC0603", "value type 13"),
        (gguf({"a": struct.pack("<IIQ", 9, 13, 1)}), "LC0603", "element type 13"),
        (gguf({"a": struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 9 + bytes(99)}), "LC0603", "nested"),
        (gguf({"tokenizer.ggml.model": scalar("u32", 7)}), "LC0604", "model 7"),
        (gguf(tokenizer(b"bert", BYTE_LEVEL)), "LC0604", "'bert'"),
        (gguf(tokenizer(b"gpt2", [])), "LC0603", "no token"),
        (gguf(tokenizer(b"gpt2", [(b"<s>", CONTROL)])), "LC0603", "no token"),
        (gguf(tokenizer(b"gpt2", BYTE_LEVEL, tokens=text(b"a"))), "LC0603", "tokens"),
        (gguf(tokenizer(b"gpt2", BYTE_LEVEL, tokens=scalars("u32", [1]))), "LC0603", "tokens"),
        (gguf(tokenizer(b"gpt2", BYTE_LEVEL, token_type=scalars("i32", [1]))), "LC0603", "token_type"),
        (gguf(tokenizer(b"gpt2", BYTE_LEVEL, token_type=scalars("f32", [1] * 8))), "LC0603", "token_type"),
        (gguf(tokenizer(b"gpt2", [(b"x" * 65_537, NORMAL)])), "LC0607", "65,536"),
    ],
)
def test_broken_files(tmp_path: Path, content: bytes, code: str, words: str) -> None:
    """Absurd counts and lengths, wrong types and unknown versions are one error with its code and a place."""
    path = tmp_path / "m.gguf"
    path.write_bytes(content)

    error = refusal(path)

    assert error.diagnostics[0].code == code
    assert words in str(error)


def test_a_key_twice(tmp_path: Path) -> None:
    """Two entries of one key contradict each other."""
    entry = string(b"tokenizer.ggml.model") + text(b"gpt2")
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf({}, count=2) + entry + entry)

    assert refusal(path).diagnostics[0].code == "LC0603"


@pytest.mark.parametrize(("count", "words"), [(65_536, "cut short"), (65_537, "65,537")])
def test_limit_on_entries(tmp_path: Path, count: int, words: str) -> None:
    """65,536 metadata entries may be announced; a file that announces more is not walked through."""
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf({}, count=count))

    assert words in str(refusal(path))


@pytest.mark.parametrize(("extra", "fits"), [(-1, True), (0, True), (1, False)])
def test_limit_on_metadata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extra: int, fits: bool) -> None:
    """The metadata may reach up to the limit and not one byte beyond it."""
    whole = gguf(tokenizer(b"gpt2", BYTE_LEVEL))
    module = "langc.compiler.tokens.loaders._gguf_metadata.MAX_GGUF_METADATA_BYTES"
    monkeypatch.setattr(module, len(whole) - extra)
    path = tmp_path / "m.gguf"
    path.write_bytes(whole + b"tensors")

    if fits:
        assert langc.load_vocabulary(path).size == len(BYTE_LEVEL)
    else:
        assert refusal(path).diagnostics[0].code == "LC0607"
