"""Reading policy files: one error, with its whole message, for each way in which a file cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from langc.compiler.errors import LangcError, LimitError
from langc.compiler.limits import MAX_POLICY_BYTES
from langc.compiler.render import render_all
from langc.compiler.syntax.read import read_source

HEAD = "error[LC0002]: {}, not a policy file\n  = help: {}"


def message(path: Path) -> str:
    """The rendered error of reading a path."""
    with pytest.raises(LangcError) as caught:
        read_source(path)
    return render_all(caught.value.diagnostics)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which relative paths are short enough to be compared whole."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_text_of_a_file() -> None:
    """The text is that of the file; the name is the path as it was given."""
    Path("ko.policy").write_bytes("policy 가\r\n".encode())
    source = read_source(Path("ko.policy"))

    assert (source.name, source.text) == ("ko.policy", "policy 가\r\n")


def test_byte_order_mark_is_skipped() -> None:
    """The mark is not part of the text, and byte offsets count it."""
    Path("marked.policy").write_bytes(b"\xef\xbb\xbfpolicy")
    source = read_source(Path("marked.policy"))

    assert source.text == "policy"
    assert source.byte_offset(6) == 9


def test_missing_file() -> None:
    """There is nothing at the path, or a part of the path is no folder."""
    Path("file").touch()

    assert message(Path("none.policy")).startswith("error[LC0001]: there is no file none.policy\n  = help: ")
    assert message(Path("file/none.policy")).startswith("error[LC0001]: there is no file file/none.policy\n  = help: ")


def test_directory() -> None:
    """A folder is no policy."""
    Path("folder").mkdir()

    assert message(Path("folder")) == HEAD.format("folder is a directory", "name a file in it")


def test_pipe() -> None:
    """A pipe is refused before anything waits for it."""
    os.mkfifo("pipe")

    assert message(Path("pipe")) == HEAD.format("pipe is no regular file", "copy what it gives to a file")


def test_a_name_that_no_file_can_have() -> None:
    """What the operating system refuses is an error of ours, and the message holds no control character."""
    assert message(Path("a\0b")) == "error[LC0003]: cannot read a<U+0000>b: embedded null byte"
    assert message(Path("x" * 5000)).startswith("error[LC0003]: cannot read xxx")


@pytest.mark.parametrize(
    ("data", "byte", "offset"),
    [
        (b"ab\xffc", "FF", 2),
        ("가".encode() + b"\xc0\x80", "C0", 3),
        (b"\xed\xa0\x80", "ED", 0),
        ("가".encode()[:2], "EA", 0),
        (b"\xf4\x90\x80\x80", "F4", 0),
    ],
)
def test_not_utf8(data: bytes, byte: str, offset: int) -> None:
    """Stray bytes, overlong forms, surrogates, cut characters and what lies beyond Unicode are located."""
    Path("bytes.policy").write_bytes(data)
    expected = f"error[LC0004]: bytes.policy is not UTF-8: byte 0x{byte} at offset {offset}\n  = help: save it as UTF-8"

    assert message(Path("bytes.policy")) == expected


def test_long_files() -> None:
    """The budget is exact, and no more than that is read."""
    path = Path("long.policy")
    path.write_bytes(b"#" * MAX_POLICY_BYTES)

    assert len(read_source(path).text) == MAX_POLICY_BYTES
    path.write_bytes(b"#" * (MAX_POLICY_BYTES + 1))
    with pytest.raises(LimitError, match=r"LC0701.*4,194,304"):
        read_source(path)
