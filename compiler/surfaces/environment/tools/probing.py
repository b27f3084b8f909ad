"""Which options a command has, asked of its own argument parser.

A candidate is followed by two words that are certainly no options, `--langc-none-1 --langc-none-2`. Parsers read from
left to right and stop at the first word that they do not know, before the command acts. So the word that the parser
complains about says what it took the candidate for: itself (there is no such option), the first (the option takes no
value), or the second (the first was its value). A command whose parser only prints its usage is run instead, in a copy
of the directory, with operands that it needs (`Acting`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from langc.compiler.surfaces.environment.tools.sandbox import Answer, Sandbox

FIRST, SECOND = "--langc-none-1", "--langc-none-2"
PLAIN = ("%", "1", "50%")
"""Values that no row of letters begins with."""
VALUES = (
    *PLAIN, "HEAD", "always", "no", "all", "log", "short", "none", "true", "auto", "color", "plain", "sorted", "zip",
    "refs/heads/x", "x=HOME", ".", "blob:none", "=,1,1", "0,0", "1,1:f", "l", "sha1", "now", "tree", "merge",
    "print", "first",
)  # fmt: skip
"""Words that are tried as the value of an option that refuses the sentinels as its value."""
_COMPLAINT = re.compile(
    r"(unknown (?:option|switch)|unrecognized (?:argument|option)|invalid option):? *[`'\"]?-*([^\s'\"`]+)"
)
_USAGE = re.compile(r"^(?:usage:|error: unknown|fatal: unrecognized|fatal: unknown)", re.M)
_OTHER_WORDS = re.compile(r"cannot be used|in progress|incompatible|mutually exclusive|requires -|usable")
"""What is said of an option that exists and does not suit the other words."""


@dataclass(frozen=True)
class Taken:
    """How an option is written: alone, with a value joined to it, with a value as the next word."""

    alone: bool
    joined: bool
    apart: bool
    example: tuple[str, ...]
    """Words that the parser took."""


class Probe(Protocol):
    """One place where options may stand."""

    values: Sequence[str]
    """What is tried as an option's value."""

    def accepts(self, words: Sequence[str]) -> bool:
        """Whether these words are options, complete with their values."""

    def swallows(self, words: Sequence[str]) -> bool:
        """Whether the last of these words is an option that takes the next word as its value."""

    def knows(self, word: str) -> bool:
        """Whether a word may be an option at all, as far as a quick look says."""

    def wants(self, word: str) -> bool:
        """Whether the parser says that a value is missing."""

    def refuses(self, word: str) -> bool:
        """Whether the parser does not know this word, or says that its option has no value."""


def complaint(answer: Answer) -> str | None:
    """The word, without its dashes, that a parser did not know."""
    found = _COMPLAINT.search(answer.text)
    return found[2] if found else None


def is_usage(answer: Answer) -> bool:
    """Whether a run ended with the command's usage, as if its words were wrong."""
    return answer.code == 129 or _USAGE.search(answer.text) is not None


@dataclass
class Named:
    """A parser that names what it does not know."""

    sandbox: Sandbox
    before: tuple[str, ...]
    values: Sequence[str] = VALUES
    _answers: dict[tuple[str, ...], str | None] = field(default_factory=dict)

    def _complaint(self, words: Sequence[str]) -> str | None:
        key = tuple(words)
        if key not in self._answers:
            self._answers[key] = complaint(self.sandbox.run([*self.before, *words, FIRST, SECOND]))
        return self._answers[key]

    def accepts(self, words: Sequence[str]) -> bool:
        """See `Probe`."""
        return self._complaint(words) == FIRST[2:]

    def swallows(self, words: Sequence[str]) -> bool:
        """See `Probe`."""
        return self._complaint(words) == SECOND[2:]

    def knows(self, word: str) -> bool:
        """See `Probe`."""
        names = (word.lstrip("-"), word.removeprefix("--no-"))
        if self._complaint([word]) not in names:
            return True
        return word.startswith("--") and self._complaint([f"{word}=%"]) not in (*names, f"{names[0]}=%")

    def wants(self, word: str) -> bool:
        """See `Probe`."""
        return "requires a value" in self.sandbox.run([*self.before, word], fresh=True).text

    def refuses(self, word: str) -> bool:
        """See `Probe`."""
        answer = self.sandbox.run([*self.before, word, FIRST, SECOND])
        return "takes no value" in answer.text or complaint(answer) == word.lstrip("-")


@dataclass
class Acting:
    """A parser that only prints its usage: the command is run."""

    sandbox: Sandbox
    before: tuple[str, ...]
    behind: tuple[str, ...]
    valued: frozenset[str]
    """Options that are described with a value; no value is tried with others, because every try is a run."""
    fresh: bool = True
    """Whether it writes anything, so that each run needs a directory of its own."""
    values: Sequence[str] = (*PLAIN, "all", "HEAD~1")
    _answers: dict[tuple[str, ...], bool] = field(default_factory=dict)

    def accepts(self, words: Sequence[str]) -> bool:
        """See `Probe`."""
        key = tuple(words)
        if key not in self._answers:
            self._answers[key] = self._fits(self._run(words))
        return self._answers[key]

    @cached_property
    def _plain(self) -> Answer:
        return self._run(())

    def _run(self, words: Sequence[str]) -> Answer:
        whole = [*self.before, *words, *self.behind]
        return self.sandbox.run(whole, fresh=True) if self.fresh else self.sandbox.run_in(whole, self._own)

    @cached_property
    def _own(self) -> Path:
        return self.sandbox.copy()

    def _fits(self, answer: Answer) -> bool:
        if answer.code is None or is_usage(answer) or complaint(answer) is not None:
            return False
        like_plain = (answer.code, answer.err.splitlines()[:1]) == (self._plain.code, self._plain.err.splitlines()[:1])
        differs = answer.code == 1 and not answer.err
        return answer.code == 0 or differs or like_plain or _OTHER_WORDS.search(answer.err) is not None

    def swallows(self, words: Sequence[str]) -> bool:
        """See `Probe`."""
        return False

    def knows(self, word: str) -> bool:
        """See `Probe`."""
        return word in self.valued or self.accepts([word])

    def wants(self, word: str) -> bool:
        """See `Probe`."""
        return False

    def refuses(self, word: str) -> bool:
        """See `Probe`."""
        return False


def taken(probe: Probe, option: str) -> Taken | None:
    """How an option (with its dashes) is written; None if there is no such option."""
    if not probe.knows(option):
        return None
    mark = "=" if option.startswith("--") else ""
    alone = probe.accepts([option])
    joined = [option + mark + value for value in probe.values]
    tried = joined[: len(PLAIN)] if alone and not mark else joined
    if alone and probe.refuses(joined[0]):
        tried = []
    one = next((word for word in tried if probe.accepts([word])), None)
    apart = () if alone else _apart(probe, option)
    if not alone and one is None and not apart:
        wants = probe.wants(option)
        return Taken(False, True, True, ()) if wants else None
    return Taken(alone, one is not None, bool(apart), (option,) if alone else apart or (str(one),))


def _apart(probe: Probe, option: str) -> tuple[str, ...]:
    if probe.swallows([option]):
        return option, "%"
    value = next((value for value in probe.values if probe.accepts([option, value])), None)
    return () if value is None else (option, value)
