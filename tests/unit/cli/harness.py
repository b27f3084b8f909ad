"""What the fixture `cli` is and returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

POLICY = """\
policy ko "Korean" {
    deny script Han;  # not a character of it
    allow "大韓民國";
    accept "大韓民國 만세";
    reject "확認" at 1;
}
"""


@dataclass(frozen=True)
class Outcome:
    """What a command line did."""

    code: int
    out: str
    err: str


class Cli(Protocol):
    """The fixture `cli`."""

    def __call__(self, *arguments: str | Path, stdin: bytes = b"") -> Outcome:
        """Run a command line."""
