"""`langc check --fix` and `--diff`: what is written, what is said, and what is left alone."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.unit.cli.harness import Cli

HOUSE = """\
policy house {
    replace [—] with "-";
    replace phrase "utilize" with "use" { ignore case; }
    replace [\\u{200B}] with "";
    deny script Han;
}
"""
LEFT = "a.txt:2:5: Han “漢” (U+6F22 CJK UNIFIED IDEOGRAPH-6F22): deny script Han"


@pytest.fixture(autouse=True)
def _files(cli: Cli) -> None:
    Path("house.policy").write_text(HOUSE, encoding="utf-8")
    Path("a.txt").write_bytes("We utilize it—now\r\nand 漢 —\u200b\n".encode())
    Path("b.txt").write_bytes(b"clean\n")
    os.utime("b.txt", (1, 1))


def test_files_are_mended_in_place(cli: Cli) -> None:
    """What has a replacement is replaced, line ends and all else stay; what is left is reported as it stands now."""
    Path("a.txt").chmod(0o640)
    done = cli("check", "a.txt", "b.txt", "--policy", "house.policy", "--fix")

    assert (done.code, done.err) == (1, "")
    assert Path("a.txt").read_bytes() == "We use it-now\r\nand 漢 -\n".encode()
    assert stat.S_IMODE(Path("a.txt").stat().st_mode) == 0o640
    assert done.out.splitlines() == [
        LEFT,
        "a.txt: 4 replaced, 1 violation, 1 of 14 letters denied (7.14%), 0 × U+FFFD, 50.00% of 2 lines pass",
        "b.txt: no violations, 0 of 5 letters denied (0.00%), 0 × U+FFFD, 100.00% of 1 lines pass",
        "total: 2 files, 1 with violations; 4 replaced, 1 violation, 1 of 19 letters denied (5.26%), "
        "0 × U+FFFD, 66.67% of 3 lines pass",
    ]
    assert not list(Path().glob("*.tmp")) + list(Path().glob(".*.tmp"))


def test_a_second_time_there_is_nothing_to_do(cli: Cli) -> None:
    """A file with nothing to replace is not touched, whatever is left in it."""
    cli("check", "a.txt", "--policy", "house.policy", "--fix")
    os.utime("a.txt", (1, 1))
    again = cli("check", "a.txt", "b.txt", "--policy", "house.policy", "--fix")

    assert (again.code, again.out.splitlines()[0]) == (1, LEFT)
    assert [Path(name).stat().st_mtime for name in ("a.txt", "b.txt")] == [1, 1]


def test_nothing_left_is_success(cli: Cli) -> None:
    """The exit code is that of a check of what was written."""
    Path("a.txt").write_text("Utilize—\n", encoding="utf-8")

    assert cli("check", "a.txt", "--policy", "house.policy", "--fix").code == 0
    assert Path("a.txt").read_text(encoding="utf-8") == "use-\n"


def test_exit_zero(cli: Cli) -> None:
    """--exit-zero holds for what is left."""
    assert cli("check", "a.txt", "--policy", "house.policy", "--fix", "--exit-zero").code == 0


def test_a_stream(cli: Cli) -> None:
    """The text goes to stdout and nothing else does; the report goes to stderr."""
    done = cli("check", "-", "--policy", "house.policy", "--fix", stdin="漢 utilize".encode())

    assert (done.code, done.out) == (1, "漢 use")
    assert done.err.splitlines()[0].startswith("<stdin>:1:1: Han “漢”")
    assert done.err.splitlines()[1].startswith("<stdin>: 1 replaced, 1 violation")


def test_a_stream_stands_alone(cli: Cli) -> None:
    """Two texts on one stdout would be one text."""
    done = cli("check", "-", "a.txt", "--policy", "house.policy", "--fix")

    assert done.code == 2
    assert "LC0020" in done.err


def test_json(cli: Cli) -> None:
    """What was replaced stands beside the report; of stdin the text, too."""
    done = cli("check", "a.txt", "b.txt", "--policy", "house.policy", "--fix", "--json")
    stream = cli("check", "-", "--policy", "house.policy", "--fix", "--json", stdin="a—b".encode())
    found, alone = json.loads(done.out), json.loads(stream.out)

    assert [(f["file"], f["replaced"], f["changed"], f["ok"]) for f in found["files"]] == [
        ("a.txt", 4, True, False),
        ("b.txt", 0, False, True),
    ]
    assert (found["total"]["replaced"], found["total"]["violation_count"]) == (4, 1)
    assert [(f["text"], f["replaced"]) for f in alone["files"]] == [("a-b", 1)]
    assert "replaced" not in json.loads(cli("check", "b.txt", "--policy", "house.policy", "--json").out)["total"]


def test_diff_writes_nothing(cli: Cli) -> None:
    """The diff alone goes to stdout; exit code 1 as long as something would change."""
    before = Path("a.txt").read_bytes()
    done = cli("check", "a.txt", "b.txt", "--policy", "house.policy", "--diff")

    assert Path("a.txt").read_bytes() == before
    assert done.code == 1
    assert done.out.splitlines() == [
        "--- a.txt",
        "+++ a.txt (mended)",
        "@@ -1,3 +1,3 @@",
        "-We utilize it—now<U+000D>",
        "-and 漢 —<U+200B>",
        "+We use it-now<U+000D>",
        "+and 漢 -",
        " ",
    ]
    assert done.err.splitlines()[0] == LEFT
    Path("a.txt").write_text("—", encoding="utf-8")
    assert cli("check", "a.txt", "--policy", "house.policy", "--diff").code == 1
    assert cli("check", "b.txt", "--policy", "house.policy", "--diff").code == 0


def test_a_faulty_file_stays_as_it_is(cli: Cli) -> None:
    """The others are mended all the same, as they are checked all the same."""
    Path("bad.txt").write_bytes(b"\xe2\x80\x94 \xff")
    done = cli("check", "bad.txt", "a.txt", "--policy", "house.policy", "--fix")

    assert done.code == 2
    assert "LC0004" in done.err
    assert Path("bad.txt").read_bytes() == b"\xe2\x80\x94 \xff"
    assert "use" in Path("a.txt").read_text(encoding="utf-8")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_cannot_be_written(cli: Cli) -> None:
    """Nothing is written then, and no report says that it was."""
    Path("a.txt").chmod(0o400)
    done = cli("check", "a.txt", "--policy", "house.policy", "--fix")

    assert (done.code, done.out) == (2, "")
    assert "LC0010" in done.err


def test_what_is_no_file(cli: Cli, tmp_path: Path) -> None:
    """A pipe cannot be mended in place."""
    read, write = os.pipe()
    os.write(write, "—".encode())
    os.close(write)
    done = cli("check", f"/dev/fd/{read}", "--policy", "house.policy", "--fix")
    os.close(read)

    assert done.code == 2
    assert "LC0010" in done.err
    assert "langc check --fix -" in done.err


def test_a_link_stays_a_link(cli: Cli) -> None:
    """The file that it leads to is mended, once, by whatever names it goes."""
    Path("link.txt").symlink_to("a.txt")
    done = cli("check", "link.txt", "a.txt", "--policy", "house.policy", "--fix")

    assert (done.code, done.err) == (1, "")
    assert Path("link.txt").is_symlink()
    assert "use" in Path("a.txt").read_text(encoding="utf-8")
