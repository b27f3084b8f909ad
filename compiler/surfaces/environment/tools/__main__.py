"""`python -m langc.compiler.surfaces.environment.tools git`: prints the environment of a tool as JSON.

The tool is run, in a directory of its own that is deleted afterwards; it takes minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from langc.compiler.surfaces.environment.canonical import FACTS, FORMAT, from_tree, to_json
from langc.compiler.surfaces.environment.tools import ffmpeg, git

USAGE = "usage: python -m langc.compiler.surfaces.environment.tools git | ffmpeg [PROGRAM]"


def main(words: Sequence[str]) -> int:
    """The exit status of a run with these words."""
    match words:
        case ["git"]:
            made = git.environment()
        case ["ffmpeg"] | ["ffmpeg", _]:
            made = ffmpeg.environment(*words[1:])
        case _:
            sys.stderr.write(f"{USAGE}\n")
            return 2
    sys.stdout.write(as_json(words[0], made))
    return 0


def as_json(tool: str, made: tuple[str, dict[str, list[object]]]) -> str:
    """An environment file of what was found."""
    version, groups = made
    facts = {"format": FORMAT, "name": tool, "kind": "tool", "version": version, "origin": tool}
    return to_json(from_tree({FACTS: facts, **groups}, tool, tool, "tool"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
