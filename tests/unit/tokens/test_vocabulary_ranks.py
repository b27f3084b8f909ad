"""tiktoken rank files and Encoding objects."""

import json
from base64 import b64encode
from pathlib import Path
from types import SimpleNamespace

import pytest

import langc
from langc.compiler.errors import UnsupportedTokenizerError


def ranks(path: Path, tokens: dict[bytes, int], end: str = "\n") -> Path:
    """Write a rank file."""
    path.write_bytes(b"".join(b64encode(token) + f" {rank}{end}".encode() for token, rank in tokens.items()))
    return path


TOKENS = {b"a": 0, b"\xe4": 1, b"\xb8\xad": 2, "중".encode(): 4}


def test_ranks_are_ids(tmp_path: Path) -> None:
    """Each line is a token and its id; a gap is a hole; without special tokens there are two warnings."""
    vocabulary = langc.load_vocabulary(ranks(tmp_path / "x.tiktoken", TOKENS))

    assert vocabulary.tokens == (b"a", b"\xe4", b"\xb8\xad", b"", "중".encode())
    assert vocabulary.name == "x.tiktoken"
    assert [warning.code for warning in vocabulary.warnings] == ["LC0611", "LC0609"]


def test_line_ends_and_blank_lines(tmp_path: Path) -> None:
    """Windows line ends, blank lines and a missing last line end change nothing."""
    unix = ranks(tmp_path / "unix", TOKENS)
    windows = ranks(tmp_path / "windows", TOKENS, "\r\n")
    bare = tmp_path / "bare"
    bare.write_bytes(unix.read_bytes().replace(b"\n", b"\n\n").rstrip(b"\n"))

    assert len({langc.load_vocabulary(path).hash for path in (unix, windows, bare)}) == 1


def test_special_tokens_by_option(tmp_path: Path) -> None:
    """The option names the special tokens, and the one with a well-known spelling ends a text."""
    path = ranks(tmp_path / "x.tiktoken", TOKENS)

    vocabulary = langc.load_vocabulary(path, special_tokens={"<|endoftext|>": 5, "<think>": 7})

    assert dict(vocabulary.specials) == {5: "<|endoftext|>", 7: "<think>"}
    assert vocabulary.eos_ids == {5}
    assert vocabulary.size == 8
    assert vocabulary.warnings == ()


def test_special_tokens_in_a_file_beside_it(tmp_path: Path) -> None:
    """`NAME.special.json` names special tokens and the end, and goes before a tokenizer_config.json."""
    path = ranks(tmp_path / "x.tiktoken", TOKENS)
    (tmp_path / "tokenizer_config.json").write_text(
        '{"added_tokens_decoder": {"6": {"content": "<z>", "special": true}}}'
    )
    (tmp_path / "x.tiktoken.special.json").write_text('{"special": {"<bye>": 5}, "eos": "<bye>"}')

    vocabulary = langc.load_vocabulary(path)

    assert dict(vocabulary.specials) == {5: "<bye>"}
    assert vocabulary.eos_ids == {5}
    assert vocabulary.warnings == ()


def test_special_tokens_in_the_tokenizer_config(tmp_path: Path) -> None:
    """`added_tokens_decoder` gives special tokens, and text tokens where `special` is false."""
    path = ranks(tmp_path / "tiktoken.model", TOKENS)
    added = {"5": {"content": "[BOS]", "special": True}, "6": {"content": "é", "special": False}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": added, "eos_token": "[BOS]"}))

    vocabulary = langc.load_vocabulary(path)

    assert dict(vocabulary.specials) == {5: "[BOS]"}
    assert vocabulary.token_bytes(6) == "é".encode()
    assert vocabulary.eos_ids == {5}


def test_encoding_objects() -> None:
    """An object with tiktoken's two tables is read without a file."""
    encoding = SimpleNamespace(name="toy", _mergeable_ranks=TOKENS, _special_tokens={"<|endoftext|>": 9})

    vocabulary = langc.load_vocabulary(encoding)

    assert vocabulary.name == "toy"
    assert vocabulary.ids_for_bytes("중".encode()) == (4,)
    assert vocabulary.eos_ids == {9}
    assert vocabulary.size == 10


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"YQ== 0\nYg==", "LC0603"),
        (b"YQ== 0\nYg== ", "LC0603"),
        (b"YQ== 0\nYg== x", "LC0603"),
        (b"YQ== 0\nYg== -1", "LC0603"),
        (b"YQ== 0\nYg== 1_0", "LC0603"),
        (b"YQ== 0\nYg== 1 2", "LC0603"),
        (b"YQ== 0\nYg 1", "LC0603"),
        (b"YQ== 0\nY!g= 1", "LC0603"),
        (b"YQ== 0\nYg== 99999999999999999999", "LC0603"),
        (b"YQ== 0\n\xff\xfe 1", "LC0603"),
        (b"YQ== 0\nYg== 0", "LC0605"),
        (b"YQ== 0\nYg== 4194304", "LC0605"),
    ],
)
def test_bad_lines(tmp_path: Path, content: bytes, expected: str) -> None:
    """A line that is no token and rank is an error that names the line; so is a rank that is given twice."""
    path = tmp_path / "x.tiktoken"
    path.write_bytes(content)

    with pytest.raises(UnsupportedTokenizerError) as error:
        langc.load_vocabulary(path)

    assert error.value.diagnostics[0].code == expected
    assert "line 2" in str(error.value) or "4194304" in str(error.value)


@pytest.mark.parametrize(
    "tables",
    [
        ({b"a": 0, b"b": 0}, {}),
        ({b"a": -1}, {}),
        ({b"a": 0}, {"<e>": 0}),
        ({b"a": 0}, {"<e>": 1, "<f>": 1}),
    ],
)
def test_bad_encodings(tables: tuple[dict[bytes, int], dict[str, int]]) -> None:
    """Ids that clash or are out of range are an error in an object as well."""
    encoding = SimpleNamespace(name="toy", _mergeable_ranks=tables[0], _special_tokens=tables[1])

    with pytest.raises(UnsupportedTokenizerError) as error:
        langc.load_vocabulary(encoding)

    assert error.value.diagnostics[0].code == "LC0605"
