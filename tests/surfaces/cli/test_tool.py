"""The command line of a tool of one's own, with its table in JSON: examples/cli."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.cli import run
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.ghosts import find_ghosts
from tests.surfaces.cli.walks import KINDS, ROOT, Walker, engine, refused_at

FOLDER = ROOT / "examples" / "cli"
TABLE = {command["name"]: command for command in json.loads((FOLDER / "tool.json").read_text())["Command"]}


@cache
def tool() -> Engine:
    """The surface over its table."""
    return engine(FOLDER / "tool.policy", "tool", FOLDER / "tool.json")


@pytest.mark.parametrize(
    ("line", "offset"),
    [
        ("tool run --forse", 14),
        ("tool run file", 9),
        ("tool run --target=x", 19),
        ("tool run --target x --force --force file", 30),
        ("tool list file", 10),
        ("tool list --force", 12),
        ("tool remove --yes", 17),
        ("tool ran", 6),
        ("tool run --target=x a b c", 23),
        ("tool run --target=x a;b", 21),
    ],
)
def test_is_refused_at_its_place(line: str, offset: int) -> None:
    """What the table does not allow is refused where it shows."""
    assert refused_at(tool(), line) == offset


@pytest.mark.parametrize(
    "line",
    [
        "tool run --target=x file",
        "tool run -f --verbose --verbose --target x 'a b' c",
        "tool run --define=a --define=b --color --target=t file",
        "tool list",
        "tool list --all",
        "tool remove --yes a b c d",
    ],
)
def test_is_let_pass(line: str) -> None:
    """What it allows is let pass."""
    assert refused_at(tool(), line) is None


def is_right(line: str) -> bool:
    """The table's rules again, by hand, for words without quotes."""
    name, command, *words = line.split(" ")
    if name != "tool" or command not in TABLE:
        return False
    options = {
        ("--" if "long" in option["attributes"] else "-") + option["name"]: set(option["attributes"])
        for option in TABLE[command]["members"]["Option"]
    }
    used: Counter[str] = Counter()
    while words and words[0].startswith("-"):
        option, equals, value = words.pop(0).partition("=")
        attributes = options.get(option)
        if attributes is None or (equals and (not value or "flag" in attributes)):
            return False
        if "value" in attributes and not equals:
            if not words:
                return False
            words.pop(0)
        used[option] += 1
    numbers = TABLE[command].get("numbers", {})
    return (
        all(used[option] < 2 or "repeat" in options[option] for option in used)
        and all(used[option] for option, attributes in options.items() if "required" in attributes)
        and numbers.get("least", 0) <= len(words) <= numbers.get("most", len(words))
        and not any(word.startswith("-") for word in words)
    )


names = sorted({option["name"] for command in TABLE.values() for option in command["members"]["Option"]})
words = st.one_of(
    st.sampled_from(["a", "b.c", "x=y", "run"]),
    st.sampled_from(names).map(lambda name: f"--{name}"),
    st.sampled_from(names).map(lambda name: f"--{name}=v"),
    st.sampled_from(["-f", "--forse", "--targe", "--target"]),
)


@given(st.sampled_from([*TABLE, "ran"]), st.lists(words, max_size=6))
def test_a_line_is_let_pass_if_and_only_if_the_table_allows_it(command: str, rest: list[str]) -> None:
    """The surface agrees with the rules written out by hand."""
    line = " ".join(["tool", command, *rest])
    assert (refused_at(tool(), line) is None) == is_right(line)


@given(st.data())
def test_what_is_missing_is_said_where_the_line_ends(data: st.DataObject) -> None:
    """A line that ends too soon is told the required options that it lacks, and no others."""
    command = data.draw(st.sampled_from(list(TABLE)))
    options = {option["name"]: option["attributes"] for option in TABLE[command]["members"]["Option"]}
    long = sorted(name for name in options if "long" in options[name])
    chosen = data.draw(st.lists(st.sampled_from(long), unique=True))
    words = [f"--{name}" + "=v" * ("value" in options[name]) for name in chosen]
    needed = {name for name in options if "required" in options[name]}.difference(chosen)
    findings = find_ghosts(tool(), " ".join(["tool", command, *words]))
    has_operands = TABLE[command].get("numbers", {}).get("least", 0) == 0
    assert [finding.kind for finding in findings] == ["end"] * bool(needed or not has_operands)
    assert {name for finding in findings for name in finding.required} == needed


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tool run", "1:9: the text is not complete; “target” must come first; expected SP"),
        ("tool run file", "1:10: “file” cannot stand here; “target” must come first; expected -, --"),
        ("tool remove --yes", "1:18: the text is not complete; expected SP"),
        ("tool run --target=x a b c", "1:24: “ ” cannot stand here; expected the end of the text"),
    ],
)
def test_the_command_says_what_is_missing(
    line: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In words, and as JSON."""
    (tmp_path / "line").write_text(line + "\n")
    arguments = ["check", str(tmp_path / "line"), "--policy", str(FOLDER / "tool.policy")]
    assert run(arguments) == 1
    assert said in capsys.readouterr().out
    assert run([*arguments, "--json"]) == 1
    (report,) = json.loads(capsys.readouterr().out)["files"]
    assert report["findings"][0]["required"] == (["target"] if "target" in said else [])


@given(st.integers(0, 1 << 32), st.sampled_from(KINDS))
def test_whatever_can_be_written_is_right_and_can_be_ended(seed: int, kind: str) -> None:
    """Whatever is written is allowed by the rules written out by hand."""
    walker = Walker(tool(), ["forse", "targets", "ran", "yess"], seed, b"abcdefghijklmnopqrstuvwxyz-= ")
    line = walker.line(kind)
    assert is_right(" ".join(line.split())), line
