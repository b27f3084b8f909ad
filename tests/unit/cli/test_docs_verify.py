"""The page about verifying: what it shows is what happens, and it leaves nothing out."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import langc
from langc.compiler.verify.engines.registry import RUNNERS
from langc.compiler.verify.report import Verdict
from tests.unit.cli.harness import Cli

PAGE = (Path(__file__).parents[3] / "docs" / "verify.md").read_text(encoding="utf-8")
BY_HAND = r"[^\u3040-\u30FF\u4E00-\u9FFF]*"


def _shown_json() -> str:
    return PAGE.split("```json\n")[1].split("```")[0]


def test_the_example_on_the_command_line(cli: Cli) -> None:
    """The table and both witnesses."""
    shown = re.search(
        r"\$ langc verify ko by-hand.txt --target regex --dialect ecmascript\n(.*?)\$ echo", PAGE, re.DOTALL
    )
    assert shown is not None
    Path("by-hand.txt").write_text(BY_HAND)
    done = cli("verify", "ko", "by-hand.txt", "--target", "regex", "--dialect", "ecmascript")

    assert "printf '" + BY_HAND.replace("\\", "\\\\") + "' > by-hand.txt" in PAGE
    assert (done.code, done.out) == (1, shown[1])


def test_the_example_in_json(cli: Cli) -> None:
    """The same result for programs."""
    Path("by-hand.txt").write_text(BY_HAND)

    done = cli("verify", "ko", "by-hand.txt", "--target", "regex", "--dialect", "ecmascript", "--json")

    assert json.loads(done.out) == json.loads(_shown_json())


def test_every_field_is_documented() -> None:
    """Of the report, of a target, of an engine and of a witness."""
    keys = set(re.findall(r'"(\w+)":', _shown_json()))
    engine = {"engine", "version", "masks", "texts", "states", "reachable", "faults", "unexplained", "witness", "error"}
    from langc.compiler.verify.report import Masks

    assert set(Masks("a", "1", 0, 0, 0).to_json()) == engine
    assert {k for k in engine if f"`{k}`" not in PAGE} == set()
    assert len(keys) >= 20


def test_every_verdict_is_documented() -> None:
    """A row for each."""
    assert {v for v in Verdict if f"| `{v.value}` |" not in PAGE} == set()


def test_every_engine_is_documented() -> None:
    """The table has the targets that engines run, and the packages to install."""
    packages = {r.package for runners in RUNNERS.values() for r in runners} - {None}

    assert len(packages) >= 4
    assert {p for p in packages if f"| `{p}` |" not in PAGE} == set()
    assert {target for target, _ in RUNNERS if f"`{target}`" not in PAGE} == set()


def test_the_example_in_python() -> None:
    """Each claim behind `#` is true."""
    code = PAGE.split("```python\n")[1].split("```")[0]
    names: dict[str, object] = {}
    first, second = code.split("\n\nwide = ")
    exec(first, names)  # noqa: S102 - our own page
    (ok, _), (verdicts, words) = (line.split("  #") for line in first.splitlines()[-2:])

    assert eval(ok, names)  # noqa: S307
    assert eval(verdicts, names) == eval(words.split(":")[0])  # noqa: S307
    exec("wide = " + second, names)  # noqa: S102
    *_, last = second.strip().splitlines()
    witness, expected = last.split("  #")
    assert eval(witness, names) == eval(expected)  # noqa: S307
    assert isinstance(names["policy"], langc.Policy)


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_the_filters_for_continuous_integration() -> None:
    """The first names what differs, the second fails if an engine was not run."""
    differs, was_run = re.findall(r"jq -[re] '([^']*)' agreement", PAGE)
    report = json.loads(_shown_json())

    assert _jq("-r", differs, report) == (0, "by-hand.txt\t⺀\tartefact\n")
    assert _jq("-e", was_run, report) == (1, "null\n")
    report["targets"][0]["engines"] = [{"engine": "llama.cpp"}, {"engine": "xgrammar"}]
    assert _jq("-e", was_run, report) == (0, "1\n")


def _jq(flag: str, program: str, value: object) -> tuple[int, str]:
    done = subprocess.run(
        ["jq", flag, program],
        input=json.dumps(value),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout
