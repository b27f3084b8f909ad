"""`langc check --frozen`: artefacts are up to date or stale, by the digests of what they were made from."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pytest

from langc import targets
from tests.unit.cli.harness import Cli

RULES = """\
policy ko "Korean" {
    deny script Han;
}
"""
PHRASES = "banned-strings"
"""The target that carries denied phrases and no sets."""
SURFACE = """\
surface pick {
    sort Table;
    env db;
    skip SPACE = pattern / +/;
    pick := "pick" ref(Table);
}

policy house {
    surface pick;
    deny phrase "others";
}
"""
WITH_NAMES = ("--policy", "pick.policy:pick", "--env", "names.json", "--frozen")


@pytest.fixture
def made(cli: Cli) -> list[str]:
    """`ko.policy` compiled to every target that carries sets, and to each of its dialects."""
    Path("ko.policy").write_text(RULES, encoding="utf-8")
    Path("tiny.tiktoken").write_text("".join(f"{b64encode(bytes([b])).decode()} {b}\n" for b in range(256)))
    able = [name for name in targets.names() if name != PHRASES]
    lines = [(name, dialect) for name in able for dialect in targets.get(name).dialects or ("",)]
    files = []
    for name, dialect in lines:
        files.append(f"{name}-{dialect}.out")
        asked = ["--dialect", dialect] if dialect else []
        tokenizer = ["--tokenizer", "tiny.tiktoken"] if targets.get(name).needs_vocabulary else []
        given = ["-o", files[-1], "--allow", "over,under", *asked, *tokenizer]
        done = cli("compile", "ko.policy", "--target", name, *given)
        assert done.code == 0, done.err
    return files


def test_stale_after_a_change(cli: Cli, made: list[str]) -> None:
    """The artefacts of all targets are up to date until the rules change; a comment is no change."""
    line = ["check", *made, "--policy", "ko.policy", "--frozen"]
    assert len(made) >= len(targets.names()) - 1
    assert (cli(*line).code, cli(*line).out) == (0, "".join(f"{file} is up to date\n" for file in made))

    Path("ko.policy").write_text(RULES + "# a comment\n", encoding="utf-8")
    assert cli(*line).code == 0

    Path("ko.policy").write_text(RULES.replace("Han", "Thai"), encoding="utf-8")
    done = cli(*line)
    assert done.code == 1
    assert all(f"{file} is not made from ko as it is: policy-sha256 " in done.out for file in made)
    assert cli(*line, "--exit-zero").code == 0


def test_banned_strings(cli: Cli) -> None:
    """The target that the others' policy is not for."""
    rules = 'policy words { deny phrase "ab"; }'
    Path("words.policy").write_text(rules, encoding="utf-8")
    made = cli("compile", "words.policy", "--target", PHRASES, "--allow", "over,under", "-o", "words.json")
    line = ("check", "words.json", "--policy", "words.policy", "--frozen")
    assert (made.code, cli(*line).code) == (0, 0)

    Path("words.policy").write_text(rules.replace("ab", "ac"), encoding="utf-8")
    assert cli(*line).code == 1


def test_what_changes_the_policy_is_compared(cli: Cli, made: list[str]) -> None:
    """The command line's own changes of the policy count as they did when the file was made."""
    line = ["check", "gbnf-.out", "--policy", "ko.policy", "--frozen"]
    assert cli(*line, "--exempt", "code").code == 1
    cli("compile", "ko.policy", "--target", "gbnf", "-o", "gbnf-.out", "--exempt", "code")
    assert cli(*line, "--exempt", "code").code == 0
    assert cli(*line).code == 1


def test_another_policy(cli: Cli, made: list[str]) -> None:
    """That a file is of another policy is said."""
    Path("zh.policy").write_text("policy zh { deny script Thai; }", encoding="utf-8")
    done = cli("check", "gbnf-.out", "--policy", "zh.policy", "--frozen")
    assert done.code == 1
    assert "policy ko, now zh; policy-sha256 " in done.out


def test_json(cli: Cli, made: list[str]) -> None:
    """What differs is there in full."""
    line = ["check", "gbnf-.out", "--policy", "ko.policy", "--frozen", "--json"]
    assert json.loads(cli(*line).out) == {"files": [{"file": "gbnf-.out", "ok": True, "differs": {}}], "ok": True}
    Path("gbnf-.out").write_text(Path("gbnf-.out").read_text("utf-8").replace("# unicode: ", "# unicode: 1"), "utf-8")
    (found,) = json.loads(cli(*line).out)["files"]
    assert list(found["differs"]) == ["unicode"]
    assert found["differs"]["unicode"]["is"] == "1" + found["differs"]["unicode"]["now"]


@pytest.mark.parametrize("target", ["processor", "gbnf", "xgrammar", "llguidance"])
def test_surfaces(cli: Cli, target: str) -> None:
    """Of a surface its own digest and that of the names are compared."""
    Path("pick.policy").write_text(SURFACE, encoding="utf-8")
    Path("names.json").write_text('{"Table": ["orders", "customers"]}', encoding="utf-8")
    given = ("--env", "names.json", "--target", target, "--allow", "over", "-o", "made.json")
    assert cli("compile", "pick.policy:pick", *given).code == 0
    line = ("check", "made.json", *WITH_NAMES)
    assert (cli(*line).code, cli(*line).out) == (0, "made.json is up to date\n")

    Path("names.json").write_text('{"Table": ["orders", "customer"]}', encoding="utf-8")
    done = cli(*line)
    assert done.code == 1
    assert "environment-sha256" in done.out

    Path("names.json").write_text('{"Table": ["orders", "customers"]}', encoding="utf-8")
    Path("pick.policy").write_text(SURFACE.replace('"pick" ref', '"take" ref'), encoding="utf-8")
    done = cli(*line)
    assert done.code == 1
    assert "surface-sha256" in done.out
    assert "environment-sha256" not in done.out


def test_a_policy_beside_a_surface(cli: Cli) -> None:
    """Its rules are compared as well, and an artefact of the surface alone is none of both."""
    Path("pick.policy").write_text(SURFACE, encoding="utf-8")
    Path("names.json").write_text('{"Table": ["orders", "others"]}', encoding="utf-8")
    given = ("--env", "names.json", "--target", "processor", "-o")
    assert cli("compile", "pick.policy:house", *given, "both.json").code == 0
    assert cli("compile", "pick.policy:pick", *given, "alone.json").code == 0
    line = ("check", "both.json", "--policy", "pick.policy:house", "--env", "names.json", "--frozen")
    assert cli(*line).code == 0
    alone = cli("check", "alone.json", *line[2:])
    assert alone.code == 1
    assert "policy-sha256 none" in alone.out

    Path("pick.policy").write_text(SURFACE.replace('phrase "others"', 'phrase "other"'), encoding="utf-8")
    done = cli(*line)
    assert done.code == 1
    assert "policy-sha256" in done.out


@pytest.mark.parametrize("content", ["", "abc", "# target: gbnf\n", '{"format":"langc-surface 1","header":{', "{}"])
def test_files_without_a_header(cli: Cli, content: str) -> None:
    """They are errors, however they begin."""
    Path("file").write_text(content)
    done = cli("check", "file", "--policy", "ko.policy", "--frozen")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[LC0531]: file does not say what it was made from\n  = help: ")


def test_texts_are_no_artefacts(cli: Cli) -> None:
    """`--fix` and `--diff` have nothing to mend in an artefact."""
    for option in ("--fix", "--diff"):
        assert "LC0020" in cli("check", "file", "--policy", "ko.policy", "--frozen", option).err
