"""Lines of printed files: blocks and their indents, comments, and where a long line is broken.

What is printed is given as pieces, texts between which a line may be broken; a piece ends with a blank if one stands
there on an unbroken line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from langc.compiler.syntax.ast import CommentLines
from langc.compiler.unicode.glyphs import width

LINE_WIDTH = 100
"""In terminal columns. Only a single string or escape makes a longer line, or a comment behind one."""
INDENT = " " * 4

Pieces = list[str]


@dataclass
class Page:
    """Lines as they grow. No blank line comes first in a block, last in it, or after another."""

    lines: list[str] = field(default_factory=list)
    indent: str = ""
    fresh: bool = True

    def put(self, line: str) -> None:
        """Adds a line."""
        self.lines.append(f"{self.indent}{line}")
        self.fresh = False

    def blank(self) -> None:
        """Adds a blank line, where one may stand."""
        if not self.fresh:
            self.lines.append("")
            self.fresh = True

    def comments(self, lines: CommentLines) -> None:
        """Adds comment lines."""
        for line in lines:
            if line is None:
                self.blank()
            else:
                self.put(f"# {line}".rstrip(" "))

    def behind(self, comment: str | None) -> None:
        """Adds a comment to the last line."""
        if comment is not None:
            self.lines[-1] += f"  # {comment}".rstrip(" ")

    def open(self, line: str) -> None:
        """Adds a line behind which a block begins."""
        self.put(line)
        self.indent, self.fresh = self.indent + INDENT, True

    def close(self, line: str) -> None:
        """Ends the block."""
        self._unblank()
        self.indent = self.indent.removesuffix(INDENT)
        self.put(line)

    def text(self) -> str:
        """All lines."""
        self._unblank()
        return "".join(f"{line}\n" for line in self.lines)

    def _unblank(self) -> None:
        if self.lines and not self.lines[-1]:
            self.lines.pop()


def wrapped(pieces: Pieces, indent: int) -> list[str]:
    """The pieces on as few lines as fit between the indent and `LINE_WIDTH`; all but the first are indented."""
    lines = [""]
    room = LINE_WIDTH - indent
    for piece in pieces:
        size = width(piece.rstrip(" "))
        if size > room and lines[-1].strip():
            lines[-1] = lines[-1].rstrip(" ")
            lines.append(INDENT)
            room = LINE_WIDTH - indent - len(INDENT)
        lines[-1] += piece
        room -= width(piece)
    return lines


def joined(parts: Iterable[Pieces], *, before: str = "", after: str = "") -> Pieces:
    """All pieces, with `after` behind each part but the last and `before` in front of each but the first."""
    out: Pieces = []
    for part in parts:
        if out:
            out[-1] += after
            part = [before + part[0], *part[1:]]
        out += part
    return out


def enclosed(opening: str, pieces: Pieces, closing: str) -> Pieces:
    """The pieces with a text before and one behind, from which no line is broken off."""
    inner = pieces or [""]
    inner = [opening + inner[0], *inner[1:]]
    return [*inner[:-1], inner[-1] + closing]
