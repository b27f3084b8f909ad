"""The tutorial works when it is copied: every policy is saved, every command is run, its output is compared."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from os import environ, pathsep
from pathlib import Path
from sys import executable
from typing import Any

import pytest

from langc.compiler.demo import TOKENIZER

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")

NOT_RUN = {
    "pip install": "tests use no network; the package is among the requirements of the tests",
    "llama-server": "its grammar is run in llama.cpp by tests/engines, with a model",
}
"""Commands that are left out, by how they begin, with the reason."""

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Fence:
    """A block of code, and the paragraph before it."""

    language: str
    text: str
    before: str


@dataclass
class Shell:
    """Runs commands one after the other; assignments and the last exit code stay, as in a shell."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    code: int = 0

    def run(self, command: str) -> str:
        """What a command prints, errors first, as langc writes them before anything else."""
        path = f"{Path(executable).parent}{pathsep}{environ['PATH']}"
        name, is_assignment = (command.partition("=")[0], bool(re.match(r"\w+=", command)))
        script = command.replace("$?", str(self.code)) + (f'; printf %s "${name}"' if is_assignment else "")
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env={**environ, **self.variables, "PATH": path, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.code = done.returncode
        if is_assignment:
            self.variables[name] = done.stdout
            return done.stderr
        return done.stderr + done.stdout


def _fences() -> list[Fence]:
    found = [Fence(m[1], m[2], PAGE[: m.start()].rstrip().rpartition("\n\n")[2]) for m in _FENCE.finditer(PAGE)]

    assert len(found) >= 12
    assert PAGE.count("```") == 2 * len(found)
    return found


def _commands(block: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that the page shows."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def _pattern(shown: str) -> str:
    """A regular expression: a line `…` stands for any lines, `…` within a line for anything in it."""
    lines = (r"(?:.*\n)*" if line == "…\n" else _line_pattern(line) for line in shown.splitlines(keepends=True))
    return "".join(lines)


def _line_pattern(line: str) -> str:
    return ".*".join(map(re.escape, line.split("…")))


def _expected_code(command: str, output: str, following: str | None) -> int | None:
    """0, or 2 if an error is shown; None if the page asks for the code itself in the next line."""
    if following == "echo $?":
        return None
    return 2 if output.startswith("error[") and command.startswith("langc ") else 0


@pytest.mark.slow
def test_the_tutorial(tmp_path: Path) -> None:
    """From the first block to the last, in one folder."""
    shell = Shell(tmp_path)
    run, left_out = [], []
    for fence in _fences():
        if fence.language == "policy":
            (name,) = re.findall(r"`(\w+\.policy)`:$", fence.before)
            (tmp_path / name).write_text(fence.text, "utf-8")
        elif fence.language == "console":
            commands = [*_commands(fence.text), ("", "")]
            for (command, output), (following, _) in pairwise(commands):
                if command.startswith(tuple(NOT_RUN)):
                    left_out.append(command)
                    continue
                printed = shell.run(command)
                run.append(command)

                assert re.fullmatch(_pattern(output), printed), f"$ {command}\n{printed}"
                assert _expected_code(command, output, following) in (shell.code, None), f"$ {command}\n{printed}"

    assert len(run) >= 15
    assert len(left_out) == len(NOT_RUN)


def test_every_fence_is_of_a_known_kind() -> None:
    """Nothing on the page is passed over but by the table at the top."""
    assert {fence.language for fence in _fences()} == {"policy", "console", "python"}


class _Model:
    """Takes the place of a model: remembers what `generate` was given."""

    given: dict[str, Any]

    def generate(self, **options: Any) -> None:
        self.given = options


@pytest.mark.engines
def test_the_python_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs as it stands, and the processor that reaches `generate` masks 漢 and leaves 뷁."""
    import torch
    from transformers import PreTrainedTokenizerFast

    policy, python = (next(f.text for f in _fences() if f.language == kind) for kind in ("policy", "python"))
    (tmp_path / "answers.policy").write_text(policy, "utf-8")
    monkeypatch.chdir(tmp_path)
    prompt = torch.tensor([[97]])
    model = _Model()
    exec(  # noqa: S102 - our own page
        python,
        {
            "tokenizer": PreTrainedTokenizerFast(tokenizer_file=str(TOKENIZER), eos_token="<|endoftext|>"),
            "model": model,
            "inputs": {"input_ids": prompt},
        },
    )
    (processor,) = model.given["logits_processor"]
    scores = processor(prompt, torch.zeros(1, 500))

    assert model.given["input_ids"] is prompt
    assert scores[0, "漢".encode()[0]] == -torch.inf
    assert scores[0, "뷁".encode()[0]] == 0
