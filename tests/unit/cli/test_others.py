"""`langc targets`, `dump`, `explain` and `completion`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from langc import targets
from langc.compiler import explain
from langc.compiler.target import Feature
from tests.conftest import Golden
from tests.unit.cli.harness import Cli

GOLDEN = Path(__file__).parent / "golden"


def test_targets(cli: Cli) -> None:
    """Every target is a row of the table, and every feature a column."""
    heading, *lines = cli("targets").out.splitlines()

    assert [line.split()[0] for line in lines[: len(targets.names())]] == list(targets.names())
    assert all(feature.value in heading for feature in Feature)
    assert len(targets.names()) >= 4


def test_targets_as_json(cli: Cli) -> None:
    """The same, with the options."""
    found = {t["name"]: t for t in json.loads(cli("targets", "--json").out)["targets"]}

    assert list(found) == list(targets.names())
    assert found["gbnf"]["features"]["character sets"] == "exact"
    assert found["regex"]["dialects"] == ["python", "rust", "pcre2", "ecmascript"]
    assert found["processor"]["needs_vocabulary"]


@pytest.mark.parametrize("stage", ["ast", "ir", "nfa", "dfa", "bytes"])
def test_dump(cli: Cli, golden: Golden, stage: str) -> None:
    """Every stage of a small policy is text that a reviewer can follow."""
    Path("small.policy").write_text(
        '# two rules\npolicy small {\n    only [a-c é];  # few\n    allow "xy";\n}\n', "utf-8"
    )
    done = cli("dump", "small.policy", "--stage", stage)

    assert (done.code, done.err) == (0, "")
    golden(GOLDEN / f"small.{stage}", done.out)


REGIONS = """policy own {
    use other;
    deny phrase "as an AI", "no" { ignore case, space; boundary left; }
    allow "漢江" { boundary both word; }
    discourage [a b] by 2.5;
    stop on phrase "END" { early; }
    region code = fence | inline_code { any }
    region gloss = after [가-나] between "(" ")" { only [c] up to 12; }
    unclosed code: forbid;
}
policy other { deny [x]; region think = start between "<" ">" { deny phrase "y" } }
"""


@pytest.mark.parametrize("stage", ["ast", "ir"])
def test_dump_of_phrases_and_regions(cli: Cli, golden: Golden, stage: str) -> None:
    """Options, costs and borders are there by name; the structure of regions, which they decide, is not."""
    Path("regions.policy").write_text(REGIONS, "utf-8")
    done = cli("dump", "regions.policy:own", "--stage", stage)

    assert (done.code, done.err) == (0, "")
    golden(GOLDEN / f"regions.{stage}", done.out)


def test_dump_tokens(cli: Cli, golden: Golden) -> None:
    """The tokens of each state by id, for a vocabulary that writes é in two pieces."""
    from base64 import b64encode

    tokens = [b"a", b"b", b"c", b"d", b"x", b"y", b"ab", b"xy", b"\xc3", b"\xa9", b"a\xc3", "é".encode()]
    Path("t.tiktoken").write_text("".join(f"{b64encode(t).decode()} {i}\n" for i, t in enumerate(tokens)))
    Path("small.policy").write_text('policy small { only [a-c é]; allow "xy"; }', "utf-8")
    done = cli("dump", "small.policy", "--stage", "tokens", "--tokenizer", "t.tiktoken")

    assert done.code == 0
    golden(GOLDEN / "small.tokens", done.out)


def test_scan(cli: Cli) -> None:
    """The report as JSON, and the same as indented lines."""
    from base64 import b64encode

    tokens = [bytes([b]) for b in range(256)] + ["한".encode(), "中".encode()]
    Path("t.tiktoken").write_text("".join(f"{b64encode(t).decode()} {i}\n" for i, t in enumerate(tokens)))
    told = cli("scan", "t.tiktoken", "--policy", "ko.policy")
    found = json.loads(cli("scan", "t.tiktoken", "--policy", "ko.policy", "--json").out)

    assert told.code == 0
    assert found["tokens_by_script"]["Han"] == 1
    assert found["static_bans"]["loose"] == 1
    assert "tokens by script:\n" in told.out
    assert "  Han: 1\n" in told.out
    assert [w["code"] for w in found["warnings"]] == re.findall(r"warning\[(LC\d+)\]", told.err)


def test_explain(cli: Cli) -> None:
    """The page of a code, in either case of letters."""
    assert cli("explain", "lc0801").out == explain.page("LC0801")
    assert json.loads(cli("explain", "LC0801", "--json").out)["text"] == explain.page("LC0801")


def test_explain_lists_the_codes(cli: Cli) -> None:
    """Without a code all are listed with their titles."""
    lines = cli("explain").out.splitlines()

    assert [line.split()[0] for line in lines] == list(explain.codes())
    assert all(len(line.split()) > 2 for line in lines)
    assert json.loads(cli("explain", "--json").out)["codes"]["LC0001"] == "There is no such file"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(cli: Cli, shell: str) -> None:
    """The script asks langc by the variable that click answers to."""
    done = cli("completion", shell)

    assert done.code == 0
    assert "_LANGC_COMPLETE" in done.out
