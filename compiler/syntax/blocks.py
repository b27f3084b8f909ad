r"""Where the surfaces of a file stand, between its policies.

Policies and surfaces have grammars of their own. One pass over the text tells them apart: it knows what hides a brace
(strings, comments, brackets, properties, regular expressions) and nothing else of either language. A block that is not
closed goes on to the end of the text, so that its own parser says what is missing.

Invariant: the blocks are in order and disjoint, each begins with the word `surface`, and what is left without them has
the same length and the same line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from langc.compiler.source import Span

_WORD = r"(?P<word>[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*)"
_HIDDEN = r'(?P<blank>[ \t\r\n]+|#[^\n]*)|"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"'
_SIGNS = r"(?P<open>\{)|(?P<close>\})"
_IN_POLICY = re.compile(rf"{_HIDDEN}|\\[pP]\{{[^{{}}\"\n]*\}}|(?P<bracket>\[)|{_SIGNS}|{_WORD}|.", re.DOTALL)
_IN_BRACKETS = re.compile(r"\\[pPux]\{[^{}\n]*\}|\\.|(?P<open>\[)|(?P<close>\])|[^\\\[\]]+|.", re.DOTALL)
_IN_SURFACE = re.compile(
    rf"{_HIDDEN}|'[^'\\\n]*(?:\\[^\n][^'\\\n]*)*'|/(?:[^/\\\n]|\\[^\n])+/|{_SIGNS}|{_WORD}|.", re.DOTALL
)
_NOT_LINE_END = re.compile(r"[^\n]")


def surface_blocks(text: str) -> tuple[Span, ...]:
    """The places of the surfaces of a file, from the word `surface` to the closing brace. Linear time."""
    return tuple(_blocks(text)) if "surface" in text else ()


def without(text: str, blocks: tuple[Span, ...]) -> str:
    """The text with blanks for the blocks."""
    parts, at = [], 0
    for block in blocks:
        parts += [text[at : block.start], _NOT_LINE_END.sub(" ", text[block.start : block.end])]
        at = block.end
    return "".join([*parts, text[at:]])


def _blocks(text: str) -> Iterator[Span]:
    at, begins = 0, True
    while at < len(text):
        match = _next(_IN_POLICY, text, at)
        at = match.end()
        if begins and match["word"] == "surface":
            at = _end(_IN_SURFACE, text, at)
            yield Span(match.start(), at)
        elif match.lastgroup == "open":
            at, begins = _behind_policy(text, at), True
        elif match.lastgroup == "bracket":
            at = _behind(_IN_BRACKETS, text, at)
        elif match.lastgroup != "blank":
            begins = False


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """The end of the first block in braces."""
    while at < len(text):
        match = _next(pattern, text, at)
        at = match.end()
        if match.lastgroup == "open":
            return _behind(pattern, text, at)
    return at


def _behind_policy(text: str, at: int) -> int:
    """The end of the policy whose brace was opened before `at`; brackets hide the braces in them."""
    depth = 1
    while at < len(text) and depth:
        match = _next(_IN_POLICY, text, at)
        at = match.end()
        if match.lastgroup == "bracket":
            at = _behind(_IN_BRACKETS, text, at)
        depth += (match.lastgroup == "open") - (match.lastgroup == "close")
    return at


def _behind(pattern: re.Pattern[str], text: str, at: int) -> int:
    """The end of what was opened before `at`."""
    depth = 1
    while at < len(text) and depth:
        match = _next(pattern, text, at)
        at = match.end()
        depth += (match.lastgroup == "open") - (match.lastgroup == "close")
    return at


def _next(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str]:
    match = pattern.match(text, at)
    assert match is not None, "the last alternative takes anything"
    return match
