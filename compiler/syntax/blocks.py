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
from dataclasses import dataclass
from itertools import islice

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_POLICY_TOKENS, MAX_SURFACES, over_limit
from langc.compiler.source import Span

_COMMENT = r"#[^\n]*"
_STRING = r'"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"?'
_OTHER_STRING = r"'[^'\\\n]*(?:\\[^\n][^'\\\n]*)*'?"
_PATTERN = r"/[^/\\\n]*(?:\\[^\n][^/\\\n]*)*/?"
_SIGNS = r"(?P<open>\{)|(?P<close>\})"
_AT_TOP = re.compile(rf"(?P<blank>(?:[ \t\r\n]+|{_COMMENT})+)|(?P<word>[A-Za-z_][A-Za-z0-9_-]*)|.", re.DOTALL)
_IN_POLICY = re.compile(
    rf"{_COMMENT}|{_STRING}|\\[pP]\{{[^{{}}\"\n]*\}}|(?P<bracket>\[)|{_SIGNS}|[^\"#\\\[{{}}]+|.", re.DOTALL
)
_IN_BRACKETS = re.compile(r"(?:\\[pPux]\{[^{}\n]*\}|\\.|[^\\\[\]]+)+|(?P<open>\[)|(?P<close>\])|.", re.DOTALL)
_IN_SURFACE = re.compile(
    rf"{_COMMENT}|{_STRING}|{_OTHER_STRING}|{_PATTERN}|{_SIGNS}|[^\"'#/{{}}]+|.",
    re.DOTALL,
)
_MOST_STEPS = 4 * MAX_POLICY_TOKENS
"""What is between two things that hide a brace is one step, so a file that may be read takes fewer."""
_NOT_LINE_END = re.compile(r"[^\n]")


def surface_blocks(text: str) -> tuple[Span, ...]:
    """The places of the surfaces of a file, from the word `surface` to the closing brace. Linear time.

    Raises LimitError if the file has more of them than `MAX_SURFACES`, or is more than its parsers would read.
    """
    found = tuple(islice(_blocks(text), MAX_SURFACES + 1)) if "surface" in text else ()
    if len(found) > MAX_SURFACES:
        raise LimitError(over_limit("surfaces in one file", MAX_SURFACES))
    return found


def without(text: str, blocks: tuple[Span, ...]) -> str:
    """The text with blanks for the blocks."""
    parts, at = [], 0
    for block in blocks:
        parts += [text[at : block.start], _NOT_LINE_END.sub(" ", text[block.start : block.end])]
        at = block.end
    return "".join([*parts, text[at:]])


def _blocks(text: str) -> Iterator[Span]:
    scan = _Scan(text)
    while scan.at < len(text):
        match = scan.next(_AT_TOP)
        if match["word"] == "surface":
            scan.skip_block(_IN_SURFACE)
            yield Span(match.start(), scan.at)
        elif match.lastgroup != "blank":  # a policy; or nothing that may stand here, which its parser says
            scan.at = match.start()
            scan.skip_block(_IN_POLICY)


@dataclass
class _Scan:
    text: str
    at: int = 0
    steps: int = 0

    def next(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """What comes next, which is passed."""
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise LimitError(over_limit("words, characters and comments in one policy file", MAX_POLICY_TOKENS))
        match = pattern.match(self.text, self.at)
        assert match is not None, "the last alternative takes anything"
        self.at = match.end()
        return match

    def skip_block(self, pattern: re.Pattern[str]) -> None:
        """Passes the first block in braces, or all of the text if it has none. Brackets hide the braces in them."""
        depth = 0
        while self.at < len(self.text):
            kind = self.next(pattern).lastgroup
            if kind == "bracket":
                self._skip_brackets()
            depth += (kind == "open") - (kind == "close")
            if depth <= 0 and kind in ("open", "close"):
                return

    def _skip_brackets(self) -> None:
        depth = 1
        while self.at < len(self.text) and depth:
            kind = self.next(_IN_BRACKETS).lastgroup
            depth += (kind == "open") - (kind == "close")
