"""`langc fmt`: the canonical form, written only when it means the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from langc.compiler.syntax import print as printer
from tests.unit.cli.harness import POLICY, Cli

MESSY = '# head\npolicy  ko "x" {deny   script Han;# why\n  accept "a" ; }'
NEAT = '# head\npolicy ko "x" {\n    deny script Han;  # why\n    accept "a";\n}\n'


def test_files_are_rewritten(cli: Cli) -> None:
    """What is not canonical is rewritten and named; what is canonical is not touched."""
    Path("messy.policy").write_text(MESSY)
    before = Path("ko.policy").stat().st_mtime_ns
    done = cli("fmt", "messy.policy", "ko.policy")

    assert (done.code, done.out, done.err) == (0, "", "reformatted messy.policy\n")
    assert Path("messy.policy").read_text() == NEAT
    assert Path("ko.policy").stat().st_mtime_ns == before
    assert cli("fmt", "messy.policy").err == ""


def test_stdin(cli: Cli) -> None:
    """`-` reads stdin and writes stdout."""
    assert cli("fmt", "-", stdin=MESSY.encode()).out == NEAT


def test_check(cli: Cli) -> None:
    """--check writes nothing and exits with 1 if something would change."""
    Path("messy.policy").write_text(MESSY)
    done = cli("fmt", "--check", "messy.policy", "ko.policy")

    assert (done.code, done.out) == (1, "would reformat messy.policy\n")
    assert Path("messy.policy").read_text() == MESSY
    assert cli("fmt", "--check", "ko.policy").code == 0


def test_diff(cli: Cli) -> None:
    """--diff shows a unified diff and writes nothing."""
    Path("messy.policy").write_text(MESSY)
    done = cli("fmt", "--diff", "messy.policy")

    assert done.code == 1
    assert done.out.splitlines()[:2] == ["--- messy.policy", "+++ messy.policy (formatted)"]
    assert "+    deny script Han;  # why" in done.out
    assert Path("messy.policy").read_text() == MESSY


def test_json(cli: Cli) -> None:
    """Which files changed."""
    Path("messy.policy").write_text(MESSY)

    assert json.loads(cli("fmt", "messy.policy", "ko.policy", "--json").out) == {
        "files": [{"file": "messy.policy", "changed": True}, {"file": "ko.policy", "changed": False}]
    }


@pytest.mark.parametrize("content", ["\ufeff" + POLICY, POLICY.replace("\n", "\r\n"), POLICY.rstrip("\n")])
def test_the_form_of_the_file(cli: Cli, content: str) -> None:
    """A byte order mark, CRLF and a missing line end at the end are not canonical."""
    Path("ko.policy").write_bytes(content.encode())

    assert cli("fmt", "--check", "ko.policy").code == 1
    assert cli("fmt", "ko.policy").code == 0
    assert Path("ko.policy").read_bytes() == POLICY.encode()


def test_faulty_meaning_is_no_obstacle(cli: Cli) -> None:
    """A policy with an unknown script has a form already."""
    Path("draft.policy").write_text("policy p {deny script Hna;}")

    assert cli("fmt", "draft.policy").code == 0
    assert Path("draft.policy").read_text() == "policy p {\n    deny script Hna;\n}\n"


@pytest.mark.parametrize(
    "wrong",
    [
        NEAT.replace("Han", "Thai"),
        NEAT.replace("  # why", ""),
        NEAT.replace('    accept "a";\n', ""),
        "policy p {",
    ],
)
def test_a_faulty_formatter_writes_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    """If the form would say something else, or lose a comment, langc owns up and leaves the file alone."""
    Path("messy.policy").write_text(MESSY)
    monkeypatch.setattr(printer, "format_file", lambda _: wrong)
    done = cli("fmt", "messy.policy")

    assert done.code != 0
    assert Path("messy.policy").read_text() == MESSY
