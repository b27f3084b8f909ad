"""Regions by reading: a scanner that goes through a text once, left to right, as a person would.

It shares no code with the automata. `outer_stretches` gives the stretches outside all regions, or None if the
text is refused for its regions alone (an unclosed `<think>`).
"""

from __future__ import annotations

import re

THINK, END_THINK = "<think>", "</think>"
_FENCE = re.compile(r" {0,3}(?:(`{3,8})(?!`)[^`\n]*|(~{3,8})(?!~)[^\n]*)(?=\n|\Z)")
MAX_SPAN = 3


def outer_stretches(text: str, code: bool, think: bool) -> list[str] | None:
    """The stretches outside all regions, empty ones included."""
    stretches, start, at = [], 0, 0
    while at < len(text):
        end = _region_end(text, at, start, code, think)
        if end is None:
            return None
        if end == at:
            at += _plain_length(text, at, code)
            continue
        stretches.append(text[start:at])
        start = at = end
    stretches.append(text[start:])
    return stretches


def _plain_length(text: str, at: int, code: bool) -> int:
    """Runs of backticks are read whole."""
    run = re.compile("`+").match(text, at)
    return len(run[0]) if code and run else 1


def _region_end(text: str, at: int, start: int, code: bool, think: bool) -> int | None:
    """Where the region that opens at `at` ends; `at` itself if none opens, None if one never closes."""
    if code and (at == 0 or text[at - 1] == "\n"):
        fence = _FENCE.match(text, at)
        if fence:
            return _fence_end(text, fence)
    if think and text.startswith(THINK, at):
        if code and _is_behind_fence_run(text, at, start):
            return None
        closer = text.find(END_THINK, at + len(THINK))
        return None if closer < 0 else closer + len(END_THINK)
    if code and text[at] == "`":
        return _span_end(text, at, think)
    return at


def _fence_end(text: str, fence: re.Match[str]) -> int:
    run = fence[1] or fence[2]
    closer = re.compile(rf"\n {{0,3}}{re.escape(run[0])}{{{len(run)},}}[ \t]*\r?(?:\n|\Z)")
    found = closer.search(text, fence.end())
    return found.end() if found else len(text)


def _is_behind_fence_run(text: str, at: int, start: int) -> bool:
    """The line began like a fence but is none: what follows on it holds a backtick."""
    line = text.rfind("\n", 0, at) + 1
    return line >= start and re.fullmatch(r" {0,3}`{3,8}[^`\n]*", text[line:at]) is not None


def _span_end(text: str, at: int, think: bool) -> int:
    run = re.compile("`+").match(text, at)
    assert run is not None
    line_end = text.find("\n", at)
    line = text[run.end() : line_end if line_end >= 0 else len(text)]
    if think:  # an opener goes first: no span reaches over it
        line = line.split(THINK, 1)[0]
    if len(run[0]) > MAX_SPAN:
        return at
    closer = re.search(rf"(?<!`){run[0]}(?!`)", line)
    return at if closer is None else run.end() + closer.end()
