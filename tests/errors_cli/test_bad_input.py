"""Bad input, as whole processes: one clear error, exit code 2, nothing on stdout, no file left or changed."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.errors_cli.process import OK_POLICY, Outcome, files_in, langc

_HEAD = re.compile(r"^(?:[^\n:]+:\d+:\d+: )?error\[(LC\d{4})\]: ", re.MULTILINE)

POLICIES: Mapping[str, bytes] = {
    "ok.policy": OK_POLICY.encode(),
    "two.policy": b"policy a { deny script Han; }\npolicy b { deny script Thai; }\n",
    "latin1.policy": b'policy p { accept "caf\xe9"; }',
    "utf16.policy": OK_POLICY.encode("utf-16"),
    "nul.policy": b"policy p { deny script Han; \x00 }",
    "blank.policy": b"",
    "syntax.policy": b"policy p { deny script Han }",
    "script.policy": b"policy p { deny script Hna; }",
    "property.policy": b"policy p { deny \\p{Scrpt=Han}; }",
    "name.policy": b"policy p { let cjk = [a]; deny cjl; }",
    "nothing.policy": b"policy p { deny \\p{Any}; }",
    "clash.policy": b"policy p { only [a-z]; only [0-9]; }",
    "parentheses.policy": b"policy p { deny " + b"(" * 100_000 + b"[a]" + b")" * 100_000 + b"; }",
    "brackets.policy": b"policy p { deny " + b"[" * 100_000 + b"a" + b"]" * 100_000 + b"; }",
    "negations.policy": b"policy p { deny " + b"!" * 100_000 + b"[a]; }",
    "repeat.policy": b'policy p { allow "a"{0,1000000000}; }',
    "large.policy": b"# " + b"x" * (64 << 20) + b"\n" + OK_POLICY.encode(),
    "random.bin": bytes((i * 167 + 13) % 256 for i in range(4096)),
    "deep.schema": b'{"items":' * 100_000 + b"{}" + b"}" * 100_000,
    "laughs.schema": (
        b'{"$ref": "#/$defs/0", "$defs": {"20": {"const": 1}'
        + b"".join(
            b', "%d": {"prefixItems": [%s]}' % (n, b", ".join([b'{"$ref": "#/$defs/%d"}' % (n + 1)] * 9))
            for n in range(20)
        )
        + b"}}"
    ),
    "long.schema": b'{"type": "string", "maxLength": 1000000000}',
    "large.schema": b'{"title": "' + b"x" * (2 << 20) + b'", "type": "null"}',
    "twice.schema": b'{"type": "null", "type": "string"}',
    "cut.json": b'{"model": {"type": "BPE", "vocab": {"a": 0, "b',
    "cut.gguf": b"GGUF\x03\x00\x00\x00" + b"\x05",
    "empty.bin": b"",
    "cut.tiktoken": b"YQ== 0\nYg== 1\nYw",
    "latin1.txt": b"caf\xe9\n",
    "half.txt": "가나다".encode()[:-1],
    "ok.txt": "가나다".encode(),
    "words.policy": b"surface words { env names; sort Word; skip SPACE = pattern / +/; words := ref(Word)+; }",
    "names.json": b'{"Word": ["one", "two"]}',
    "nameless.json": b'{"Other": ["one"]}',
    "cut.surface.json": b'{"format":"langc-surface 1","header":{}',
    "wrong.surface.json": b'{"format":"langc-surface 1","header":{},"surface":{"is":"Rule"},'
    b'"levels":[],"environment":{"Word":["a"]}}',
}

CASES: Mapping[str, str] = {
    # JSON schemas
    "compile ok.policy --target gbnf --json-schema missing.schema": "LC0001",
    "compile ok.policy --target gbnf --json-schema folder": "LC0002",
    "compile ok.policy --target gbnf --json-schema latin1.txt": "LC0004",
    "compile ok.policy --target gbnf --json-schema random.bin": "LC0004",
    "compile ok.policy --target gbnf --json-schema empty.bin": "LC0361",
    "check ok.txt --policy ok.policy --json-schema cut.json": "LC0361",
    "compile ok.policy --target gbnf --json-schema twice.schema": "LC0361",
    "compile ok.policy --target gbnf --json-schema deep.schema": "LC0701",
    "compile ok.policy --target gbnf --json-schema laughs.schema": "LC0701",
    "compile ok.policy --target gbnf --json-schema long.schema": "LC0701",
    "compile ok.policy --target gbnf --json-schema large.schema": "LC0701",
    "compile ok.policy --target gbnf --json-schema twice.schema --json-strings": "LC0361",
    "compile ok.policy --target gbnf --json-strings --mode soft": "LC0360",
    # policies
    "test missing.policy": "LC0001",
    "test folder": "LC0002",
    "test no/such/folder/ko.policy": "LC0001",
    "compile kr --target gbnf": "LC0008",
    "compile two.policy --target gbnf": "LC0009",
    "compile two.policy:c --target gbnf": "LC0009",
    "compile latin1.policy --target gbnf": "LC0004",
    "compile utf16.policy --target gbnf": "LC0004",
    "compile nul.policy --target gbnf": "LC0006",
    "compile blank.policy --target gbnf": "LC0005",
    "compile syntax.policy --target gbnf": "LC0104",
    "compile script.policy --target gbnf": "LC0211",
    "compile property.policy --target gbnf": "LC0210",
    "compile name.policy --target gbnf": "LC0301",
    "compile nothing.policy --target gbnf": "LC0401",
    "compile clash.policy --target gbnf": "LC0401",
    "test parentheses.policy": "LC0701",
    "test brackets.policy": "LC0701",
    "test negations.policy": "LC0701",
    "test repeat.policy": "LC0101",
    "test large.policy": "LC0701",
    # tokenizers
    "compile ok.policy --target processor --tokenizer missing.json": "LC0601",
    "compile ok.policy --target processor --tokenizer folder": "LC0601",
    "compile ok.policy --target processor --tokenizer empty.bin": "LC0601",
    "compile ok.policy --target processor --tokenizer ok.policy": "LC0602",
    "compile ok.policy --target processor --tokenizer random.bin": "LC0602",
    "compile ok.policy --target processor --tokenizer cut.json": "LC0603",
    "compile ok.policy --target processor --tokenizer cut.gguf": "LC0603",
    "compile ok.policy --target processor --tokenizer cut.tiktoken": "LC0603",
    "scan random.bin --policy ok.policy": "LC0602",
    "dump ok.policy --stage tokens --tokenizer cut.json": "LC0603",
    # recorded answers
    "pressure ok.policy missing.json": "LC0001",
    "pressure ok.policy cut.json": "LC0570",
    "pressure ok.policy random.bin": "LC0004",
    "pressure ok.policy cut.json --tokenizer cut.json": "LC0603",
    "pressure ok.policy": "LC0020",
    "pressure ok.policy cut.json --worst 1001": "LC0020",
    # sources of names
    "env missing.db": "LC0001",
    "env folder": "LC0002",
    "env random.bin": "LC0901",
    "env sqlite:random.bin": "LC0903",
    "env sqlite:blank.policy": "LC0903",
    "env json:latin1.txt": "LC0004",
    "env cut.json": "LC0905",
    "env deep.schema": "LC0701",
    "env json:deep.schema": "LC0701",
    "env large.schema": "LC0905",
    "env no-such-package==1": "LC0909",
    "env": "LC0020",
    "env cut.json ok.txt": "LC0020",
    # targets and options
    "compile ok.policy --target gbfn": "LC0504",
    "compile ok.policy --target processor": "LC0502",
    "compile ok.policy --target gbnf --dialect rust": "LC0503",
    "compile ok.policy --target gbnf --allow over,all": "LC0503",
    "compile ok.policy --target gbnf --mode soft": "LC0505",
    "compile ok.policy --target gbnf --mode hrad": "LC0305",
    "compile ok.policy --target gbnf --bias nan": "LC0305",
    "compile ok.policy --target gbnf --exempt cod": "LC0306",
    # surfaces
    "compile words.policy --target gbnf": "LC0911",
    "compile words.policy --env names.json --target gbnf": "LC0501",
    "compile words.policy --env names.json --target regex --allow over": "LC0950",
    "compile words.policy --env names.json --target logit-bias --tokenizer cut.json": "LC0603",
    "compile words.policy --env names.json --target gbnf --dialect x --allow over": "LC0503",
    "compile words.policy --env names.json --target processor --mode soft": "LC0020",
    "compile words.policy --env nameless.json --target llguidance --allow over": "LC0951",
    "compile words.policy --env nameless.json --target processor": "LC0951",
    "compile ok.policy --env names.json --target gbnf": "LC0020",
    "check ok.txt --policy cut.surface.json": "LC0952",
    "check ok.txt --policy wrong.surface.json": "LC0952",
    # command lines
    "compile": "LC0020",
    "compile ok.policy": "LC0020",
    "compile --target gbnf": "LC0020",
    "compile ok.policy --target gbnf --forse": "LC0020",
    "compile ok.policy --target gbnf --method tight": "LC0020",
    "compile ok.policy --target gbnf extra": "LC0020",
    "compile ok.policy --target gbnf --target regex": "LC0020",
    "compile ok.policy --target gbnf --target regex -o missing": "LC0020",
    "compile ok.policy --target gbnf --bias much": "LC0020",
    "compile ok.policy --target gbnf --frozen": "LC0020",
    "cmpile ok.policy": "LC0020",
    "--colour never test ok.policy": "LC0020",
    "check ok.txt": "LC0020",
    "check ok.txt --policy ok.policy --policy ok.policy": "LC0020",
    "scan cut.json --policy ok.policy --policy ko": "LC0020",
    "dump ok.policy --stage graph": "LC0020",
    "dump ok.policy --stage tokens": "LC0020",
    "dump ok.policy --stage dfa --tokenizer cut.json": "LC0020",
    "completion tcsh": "LC0020",
    "explain LC9999": "LC0007",
    # output
    "compile ok.policy --target gbnf -o missing/ok.gbnf": "LC0010",
    "compile ok.policy --target gbnf -o folder": "LC0010",
    "compile ok.policy --target gbnf -o ok.txt/ok.gbnf": "LC0010",
    # texts
    "check missing.txt --policy ok.policy": "LC0001",
    "check folder --policy ok.policy": "LC0002",
    "check latin1.txt --policy ok.policy": "LC0004",
    "check half.txt --policy ok.policy": "LC0004",
    "check ok.txt --policy script.policy": "LC0211",
    "check ok.txt --policy ok.policy --frozen": "LC0531",
    "check missing.gbnf --policy ok.policy --frozen": "LC0001",
    "check ok.txt --policy ok.policy --frozen --fix": "LC0020",
    "fmt missing.policy": "LC0001",
    "fmt syntax.policy": "LC0104",
    "fmt ok.policy syntax.policy": "LC0104",
    "fmt - ok.policy": "LC0020",
}


HELPED = {"LC0001", "LC0002", "LC0004", "LC0020", "LC0531", "LC0903", "LC0908", "LC0952"}
"""Codes whose message always says what to do."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all the inputs; the cases must leave it as it is."""
    path = tmp_path_factory.mktemp("inputs")
    (path / "folder").mkdir()
    for name, content in POLICIES.items():
        (path / name).write_bytes(content)
    return path


def assert_one_error(outcome: Outcome, code: str) -> None:
    """Exactly one error, which is all that is said."""
    codes = _HEAD.findall(outcome.err)

    assert (outcome.code, outcome.out, codes) == (2, b"", [code])
    assert _HEAD.match(outcome.err)
    assert "= help: " in outcome.err or code not in HELPED
    assert "Traceback" not in outcome.err
    assert max(map(len, outcome.err.splitlines())) <= 400


@pytest.mark.slow
@pytest.mark.parametrize(("line", "code"), CASES.items(), ids=CASES)
def test_bad_input(line: str, code: str, folder: Path) -> None:
    """One error with its code, and the files are as they were."""
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*")}
    outcome = langc(*shlex.split(line), folder=folder)

    assert_one_error(outcome, code)
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*")} == before


@pytest.mark.parametrize(
    "line", ["compile script.policy --target gbnf", "compile ok.policy --forse", "test missing.policy"]
)
def test_errors_as_json(line: str, folder: Path) -> None:
    """With --json the error is one JSON object on stderr, and stdout stays empty."""
    outcome = langc(*shlex.split(line), "--json", folder=folder)
    (diagnostic,) = json.loads(outcome.err)["diagnostics"]

    assert (outcome.code, outcome.out) == (2, b"")
    assert diagnostic["severity"] == "error"
    assert re.fullmatch(r"LC\d{4}", diagnostic["code"])


def test_malformed_stdin(folder: Path) -> None:
    """Stdin is held to the same rule as a file."""
    assert_one_error(langc("check", "-", "--policy", "ok.policy", folder=folder, stdin=b"ab\xff"), "LC0004")
    assert_one_error(langc("fmt", "-", folder=folder, stdin=b"policy p { \xff }"), "LC0004")


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A file system that refuses is one clear error. To root only the kernel's own folders are closed."""
    closed = Path("/sys") if os.geteuid() == 0 else tmp_path / "closed"
    if os.geteuid() != 0:
        closed.mkdir(mode=0o555)
    (tmp_path / "ok.policy").write_text(OK_POLICY)
    outcome = langc("compile", "ok.policy", "--target", "gbnf", "-o", closed / "ok.gbnf", folder=tmp_path)

    assert_one_error(outcome, "LC0010")
    assert list(closed.glob("*ok.gbnf*")) == []


def test_a_failure_keeps_the_old_file(tmp_path: Path) -> None:
    """What was there before a failed run is there afterwards."""
    (tmp_path / "clash.policy").write_bytes(POLICIES["clash.policy"])
    (tmp_path / "out.gbnf").write_text("the old one")
    before = files_in(tmp_path)
    outcome = langc("compile", "clash.policy", "--target", "gbnf", "-o", "out.gbnf", folder=tmp_path)

    assert_one_error(outcome, "LC0401")
    assert files_in(tmp_path) == before


def test_of_several_targets_none_is_written(tmp_path: Path) -> None:
    """The second target fails, so the first one's file is not written either."""
    (tmp_path / "ok.policy").write_text(OK_POLICY)
    (tmp_path / "out").mkdir()
    line = "compile ok.policy --target gbnf --target processor -o out"

    assert_one_error(langc(*shlex.split(line), folder=tmp_path), "LC0502")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_bad_file_beside_good_ones(folder: Path) -> None:
    """Every file that can be read is checked; the one that cannot decides the exit code."""
    outcome = langc("check", "ok.txt", "missing.txt", "--policy", "ok.policy", folder=folder)

    assert outcome.code == 2
    assert outcome.out.startswith(b"ok.txt: no violations")
    assert _HEAD.findall(outcome.err) == ["LC0001"]
