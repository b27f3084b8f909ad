"""The pages about the command line and the check are complete, and what they show is what happens."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import click
import pytest

import langc
from langc.compiler.checking.check import StreamChecker
from langc.compiler.checking.report import CheckReport, Violation
from langc.compiler.cli import COMMANDS, cli
from langc.compiler.cli.dump import STAGES, TOKENS
from tests.unit.cli.harness import Cli

DOCS = Path(__file__).parents[3] / "docs"
CLI_PAGE = (DOCS / "cli.md").read_text(encoding="utf-8")
CHECK_PAGE = (DOCS / "check.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    """Nothing can be added to the command line without a word about it."""
    ctx = click.Context(cli)
    command = cli.get_command(ctx, name)
    assert command is not None
    options = {flag for p in command.params for flag in p.opts if flag.startswith("-")}

    assert f"| `langc {name}" in CLI_PAGE
    assert {o for o in options if not re.search(rf"{o}\b", CLI_PAGE + CHECK_PAGE)} == set()


def test_every_stage_is_documented() -> None:
    """The table of `dump` has all stages."""
    assert all(f"| `{stage}` |" in CLI_PAGE for stage in (*STAGES, TOKENS))


def test_every_field_is_documented() -> None:
    """The tables of a report have all keys that JSON readers get."""
    report = langc.check("字", "ko")
    keys = {*report.to_json(), *report.violations[0].to_json()} - {"violations"}

    assert {k for k in keys if f"`{k}`" not in CHECK_PAGE} == set()
    assert {f.name for f in dataclasses.fields(Violation)} >= {"line", "column", "offset", "rule", "text"}
    assert isinstance(report, CheckReport)


def test_the_example_on_the_command_line(cli: Cli) -> None:
    """What the page shows is what is printed."""
    shown = re.search(r"\$ langc check answer.txt --policy ko\n(.*?)\$ echo", CHECK_PAGE, re.DOTALL)
    assert shown is not None
    Path("answer.txt").write_text("설정 파일을 確認했어요\n", encoding="utf-8")
    done = cli("check", "answer.txt", "--policy", "ko")

    assert (done.code, done.out) == (1, shown[1])


def test_the_example_with_a_region(cli: Cli) -> None:
    """The region and its place are shown."""
    shown = re.search(r"\$ langc check answer.txt --policy chat.policy\n(.*?)```", CHECK_PAGE, re.DOTALL)
    assert shown is not None
    region = 'region think = between "<think>" "</think>" { deny [y] }'
    Path("chat.policy").write_text(f"policy chat {{\n    deny [x];\n    {region}\n}}\n", encoding="utf-8")
    Path("answer.txt").write_text("a <think>y</think>\na <think>", encoding="utf-8")

    assert cli("check", "answer.txt", "--policy", "chat.policy").out == shown[1]


def test_the_examples_in_python() -> None:
    """Each claim behind `#` is true."""
    report = langc.check("설정 파일을 確認했어요", "ko")
    checker = StreamChecker(langc.load_policy("ko"))
    found = [checker.feed(chunk) for chunk in ("안녕".encode(), b"\xe6", b"\x9d\x8e")]

    assert (report.ok, report.violations[0].offset, report.violations[0].text, report.ratio) == (False, 7, "確認", 0.2)
    assert [[(v.offset, v.text) for v in f] for f in found] == [[], [], [(2, "李")]]
    assert checker.finish() == []
    assert checker.report() == langc.check("안녕李", "ko")
