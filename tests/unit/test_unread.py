"""What is said of files that cannot be read says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from langc.compiler.unread import directory, no_file, not_utf8


@pytest.mark.parametrize(
    ("path", "help_"),
    [
        ("ko.plicy", "did you mean `ko.policy`?"),
        ("koo.policy", "did you mean `ko.policy`?"),
        ("none.policy", "check the spelling, and the folder that the path starts from"),
        ("folder", "check the spelling, and the folder that the path starts from"),
        ("folder/answers.txt", "did you mean `folder/answer.txt`?"),
        ("folders/answer.txt", "there is no folder folders, or it cannot be read"),
        ("ko.policy/answer.txt", "there is no folder ko.policy, or it cannot be read"),
        ("a\0b/c", "there is no folder a\0b, or it cannot be read"),
    ],
)
def test_a_file_that_is_not_there(path: str, help_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file beside it that is called much like it, whatever its ending; else where to look."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("ko.policy", "zh.txt", "folder/answer.txt"):
        (tmp_path / name).touch()
    assert no_file(path).help == help_
    assert no_file(Path(path)).message == f"there is no file {path}"


def test_what_is_no_file() -> None:
    """A folder has files in it, a pipe has not."""
    assert directory("a", "text file").help == "name a file in it"
    assert directory("a", "text file", "no regular file").help == "copy what it gives to a file"


@pytest.mark.parametrize(("content", "said"), [(b"ab\xff", "save it as UTF-8"), (b"\xff\xfea\0", "UTF-16")])
def test_what_is_no_text(content: bytes, said: str) -> None:
    """Where, and what it may be."""
    with pytest.raises(UnicodeDecodeError) as caught:
        content.decode()
    found = not_utf8("a.txt", caught.value)
    assert f"byte 0xFF at offset {content.index(255)}" in found.message
    assert found.help is not None
    assert said in found.help
