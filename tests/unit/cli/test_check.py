"""`langc check`: what it prints and how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import langc
from tests.unit.cli.harness import Cli


def test_violations_are_located(cli: Cli) -> None:
    """One line a violation with place, script, text, code point and rule; then the figures."""
    Path("a.txt").write_text("좋은 날\n설정을 確認했어요 大韓x\n", encoding="utf-8")
    done = cli("check", "a.txt", "--policy", "ko.policy")

    assert (done.code, done.err) == (1, "")
    assert done.out.splitlines() == [
        "a.txt:2:5: Han “確認” (U+78BA CJK UNIFIED IDEOGRAPH-78BA, 2 characters): deny script Han",
        "a.txt:2:13: Han “大韓x” (U+5927 CJK UNIFIED IDEOGRAPH-5927, 3 characters, broken off): deny script Han",
        "a.txt: 2 violations, 4 of 14 letters denied (28.57%), 0 × U+FFFD, 50.00% of 2 lines pass",
    ]


def test_a_permitted_text(cli: Cli) -> None:
    """No violation is exit code 0; U+FFFD is counted and is no violation of its own."""
    done = cli("check", "-", "--policy", "ko.policy", stdin="大韓民國 \ufffd".encode())

    assert done.code == 0
    assert done.out == "<stdin>: no violations, 0 of 4 letters denied (0.00%), 1 × U+FFFD, 100.00% of 1 lines pass\n"


def test_exit_zero(cli: Cli) -> None:
    """--exit-zero reports the same and exits with 0."""
    plain = cli("check", "-", "--policy", "ko.policy", stdin="字".encode())
    zero = cli("check", "-", "--policy", "ko.policy", "--exit-zero", stdin="字".encode())

    assert (plain.code, zero.code) == (1, 0)
    assert plain.out == zero.out


def test_several_files_have_a_total(cli: Cli) -> None:
    """The last line adds up what the files' lines say."""
    Path("a.txt").write_text("字 한\n", encoding="utf-8")
    Path("b.txt").write_text("한글\nㅋ", encoding="utf-8")
    done = cli("check", "a.txt", "b.txt", "--policy", "ko.policy")

    assert done.code == 1
    assert done.out.splitlines()[-1] == (
        "total: 2 files, 1 with violations; 1 violation, 1 of 5 letters denied (20.00%), "
        "0 × U+FFFD, 66.67% of 3 lines pass"
    )


def test_json(cli: Cli) -> None:
    """The JSON holds the report of `langc.check` for every file, and the total."""
    Path("a.txt").write_text("字 한\n", encoding="utf-8")
    Path("b.txt").write_text("한글\n", encoding="utf-8")
    done = cli("check", "a.txt", "b.txt", "--policy", "ko.policy", "--json")
    found = json.loads(done.out)

    assert (done.code, done.err) == (1, "")
    assert found["files"][0] == {"file": "a.txt", **langc.check("字 한\n", "ko.policy").to_json()}
    assert found["files"][1]["ok"]
    assert (found["total"]["ok"], found["total"]["violation_count"], found["total"]["letters"]) == (False, 1, 4)
    assert found["policy_sha256"] == langc.load_policy("ko.policy").hash


def test_exempt_regions(cli: Cli) -> None:
    """What stands in exempt code is permitted."""
    text = "`字` 한\n".encode()

    assert cli("check", "-", "--policy", "ko.policy", stdin=text).code == 1
    assert cli("check", "-", "--policy", "ko.policy", "--exempt", "code", stdin=text).code == 0


def test_nothing_reaches_the_terminal_as_a_control(cli: Cli) -> None:
    """Texts come from models: escapes and direction marks are shown as code points, in file names too."""
    Path("strict.policy").write_text("policy strict { only [a-z]; }")
    Path("a\x1b[31m.txt").write_text("\x1b[2J\u202e\x07", encoding="utf-8")
    done = cli("check", "a\x1b[31m.txt", "--policy", "strict.policy")

    assert "a<U+001B>[31m.txt:1:1: Common “<U+001B>[2<U+004A>" not in done.out
    assert "<U+001B>[2J<U+202E><U+0007>" in done.out
    assert not {"\x1b", "\x07", "\u202e"} & set(done.out)


def test_long_violations_are_cut(cli: Cli) -> None:
    """A whole text of denied characters is one line of bearable length; the JSON has all of it."""
    text = ("字" * 100_000).encode()
    done = cli("check", "-", "--policy", "ko.policy", stdin=text)
    found = json.loads(cli("check", "-", "--policy", "ko.policy", "--json", stdin=text).out)

    assert "字…” (U+5B57 CJK UNIFIED IDEOGRAPH-5B57, 100,000 characters)" in done.out
    assert max(map(len, done.out.splitlines())) < 200
    assert len(found["files"][0]["violations"][0]["text"]) == 100_000
