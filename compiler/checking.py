"""Checking a finished text, or one that is still being written, against a policy.

A violation stands at the first code point after which no permitted text is left; the policy then starts
afresh behind that character, so one linear pass finds every violation. Adjacent violating characters that the
same rule takes away are one violation, which never goes past the end of a line.

Invariant: a `StreamChecker` reports the same however the text is cut, inside characters too: `check` is a stream
of one chunk. A violation's `text` is what stands in the checked text from `start` on.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from langc.compiler.automata.dfa import DEAD
from langc.compiler.automata.phrase_finder import PhraseFinder
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.ir.nodes import Rule
from langc.compiler.policy import Policy
from langc.compiler.unicode import names, properties
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

REPLACEMENT = "\ufffd"
LOOPS_KEPT = 4_096
"""States whose loops are remembered."""


@dataclass(frozen=True)
class Violation:
    """A stretch of text that the policy does not permit. Offsets count code points from 0.

    Where a permitted term was broken off, `start` lies before `offset` and `text` begins with the piece of the
    term; `offset` is the text's length if the text ended inside the term.
    """

    offset: int
    """The first code point after which no permitted text is left."""
    line: int
    """Of `offset`, from 1."""
    column: int
    """Of `offset` in its line, from 1, in code points."""
    start: int
    text: str
    rule: str
    """The rule that takes the first character away, as `langc fmt` prints it."""
    code_point: int
    """The first character of `text` that a rule takes away."""
    scripts: tuple[str, ...]
    """The scripts of the characters that a rule takes away, in order of appearance."""
    is_phrase: bool = False
    """Whether `text` is a phrase that must not occur. Its `offset` is then where it was certain."""

    @property
    def script(self) -> str:
        """The names of the scripts, with commas."""
        return ", ".join(self.scripts)

    @property
    def description(self) -> str:
        """`U+XXXX NAME` of the code point."""
        return names.describe(self.code_point)

    @property
    def end(self) -> int:
        """The offset behind `text`."""
        return self.start + len(self.text)

    @property
    def is_cut_short(self) -> bool:
        """Whether a permitted term or region began at `start` and was not completed."""
        return self.start < self.offset and not self.is_phrase

    def to_json(self) -> dict[str, object]:
        """The violation as JSON values."""
        return {
            "line": self.line,
            "column": self.column,
            "offset": self.offset,
            "start": self.start,
            "text": self.text,
            "rule": self.rule,
            "script": self.script,
            "code_point": f"U+{self.code_point:04X}",
            "description": self.description,
        }


@dataclass(frozen=True)
class Figures:
    """What was counted in a text, or in several: `a + b` counts both."""

    letters: int = 0
    """Code points of General_Category L."""
    denied: int = 0
    """The letters among the characters that a rule takes away."""
    replacement_chars: int = 0
    """U+FFFD, which decoders write for bytes that are no character."""
    lines: int = 0
    """Lines that hold anything but their line end."""
    failed_lines: int = 0
    """Those in which a violation stands."""
    by_rule: Mapping[str, int] = field(default_factory=dict)
    """How many characters each rule takes away, and how often each rule's phrases occur."""
    by_character: Mapping[str, int] = field(default_factory=dict)
    """How often each of these characters stands in the text."""

    @property
    def ratio(self) -> float:
        """Denied letters to all letters; 0 without letters."""
        return self.denied / self.letters if self.letters else 0.0

    @property
    def line_pass_rate(self) -> float:
        """The share of the lines without a violation; 1 without lines."""
        return 1 - self.failed_lines / self.lines if self.lines else 1.0

    def __add__(self, other: Figures) -> Figures:
        return Figures(
            self.letters + other.letters,
            self.denied + other.denied,
            self.replacement_chars + other.replacement_chars,
            self.lines + other.lines,
            self.failed_lines + other.failed_lines,
            Counter(self.by_rule) + Counter(other.by_rule),
            Counter(self.by_character) + Counter(other.by_character),
        )

    def to_json(self) -> dict[str, object]:
        """The figures as JSON values, the most frequent rules and characters first."""
        return {
            "letters": self.letters,
            "denied": self.denied,
            "ratio": self.ratio,
            "replacement_chars": self.replacement_chars,
            "lines": self.lines,
            "line_pass_rate": self.line_pass_rate,
            "by_rule": dict(Counter(self.by_rule).most_common()),
            "by_character": dict(Counter(self.by_character).most_common()),
        }


@dataclass(frozen=True)
class CheckReport(Figures):
    """All violations of a text, in order, and its figures."""

    violations: tuple[Violation, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the policy permits the text."""
        return not self.violations

    def to_json(self) -> dict[str, object]:
        """The report as JSON values."""
        return {"ok": self.ok, **super().to_json(), "violations": [v.to_json() for v in self.violations]}


def check(text: str, policy: Policy) -> CheckReport:
    """Every violation in a finished text. Time and memory are linear in the text."""
    checker = StreamChecker(policy)
    checker.feed_text(text)
    checker.finish()
    return checker.report()


class StreamChecker:
    """Checks a text while it arrives; `name` is what errors call it.

    What a call returns are the violations that its chunk makes certain; a run of violating characters that goes on
    in the next chunk comes as one violation from each, and as one in the report.
    """

    def __init__(self, policy: Policy, name: str = "the text") -> None:
        self._name = name
        self._scanner = _Scanner(policy)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._bytes = 0
        self._tally = _Tally()
        self._runs = _Runs(self._scanner)

    def feed(self, chunk: bytes) -> list[Violation]:
        """Read the next bytes; those of an incomplete character are held back.

        Raises LangcError (LC0004) at bytes that are not UTF-8; the checker is of no use afterwards.
        """
        return self.feed_text(self._decode(chunk, False))

    def feed_text(self, text: str) -> list[Violation]:
        """Read the next characters. Only for streams that were text from the beginning."""
        found = self._scanner.feed(text)
        self._tally.feed(text, found)
        self._runs.extend(found)
        return found

    def finish(self) -> list[Violation]:
        """Take the text as ended. Raises LangcError (LC0004) if it ends inside a character."""
        found = self.feed_text(self._decode(b"", True)) + self._scanner.finish()
        self._tally.finish(found)
        self._runs.extend(found)
        return found

    def report(self) -> CheckReport:
        """The report on what was read so far."""
        return self._tally.report(self._scanner.blame, self._runs.all())

    def _decode(self, chunk: bytes, final: bool) -> str:
        held = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            raise LangcError(_malformed(self._name, self._bytes - held + error.start, error)) from None
        self._bytes += len(chunk)
        return text


def _malformed(name: str, offset: int, error: UnicodeDecodeError) -> Diagnostic:
    return Diagnostic(
        "LC0004",
        f"{name} is not UTF-8: byte 0x{error.object[error.start]:02X} at offset {offset}",
        help="save it as UTF-8; if a model wrote it, it was cut inside a character",
        data={"file": name, "byte": offset},
    )


class _Scanner:
    """Runs the automaton over the text and starts it afresh behind each violation."""

    def __init__(self, policy: Policy) -> None:
        self._reader = policy.reader
        self._name = policy.name
        self._recovery = policy.recovery
        self._state = self._reader.start
        self._pending: list[str] = []
        """What was read since the text could last have ended: a permitted term in progress."""
        self._place = _Place()
        self.blame = cache(lambda character: policy.blame(ord(character)))
        self._alone = cache(self._rule_against)
        self._loops = lru_cache(LOOPS_KEPT)(self._self_loop)
        owned = ((rule, p) for scope in policy.lowered.scopes for rule in scope.denials for p in rule.phrases)
        self._phrases: PhraseFinder[Rule] = PhraseFinder(owned)
        self._recent = ""
        """What was read before the current piece, since the last violation and as far as phrases reach back."""

    def feed(self, text: str) -> list[Violation]:
        """The violations that the text makes certain, those at its very end included."""
        found: list[Violation] = []
        settled = at = afresh = 0
        while at < len(text):
            target = self._reader.step(self._state, ord(text[at]))
            if target == DEAD:
                found.append(self._phrase(text, afresh, at) or self._violation(text, settled, at))
                settled = afresh = max(found[-1].end - self._place.base, 0)
                self._state = self._resume(text, at, settled)
                at = settled
                self._recent = ""
                self._pending.clear()
                continue
            at = self._skip(target, text, at + 1)
            self._state = target
            if target in self._reader.accepting:
                self._pending.clear()
                settled = at
        if settled < len(text):
            self._pending.append(text[settled:])
        self._recent = (self._recent + text[afresh:])[-self._phrases.reach :] if self._phrases.reach else ""
        self._place.advance(text)
        return found

    def finish(self) -> list[Violation]:
        """The violation at the end of the text, if it ends where no permitted text does."""
        if self._state in self._reader.accepting:
            return []
        if phrase := self._phrase("", 0, 0):
            return [phrase]
        text = "".join(self._pending)
        if not text:
            return []
        offset, line, column = self._place.of("", 0)
        return [self.describe(offset, line, column, offset - len(text), text)]

    def describe(self, offset: int, line: int, column: int, start: int, text: str) -> Violation:
        """A violation with its rule and scripts."""
        distinct = dict.fromkeys(text)
        denied = [c for c in distinct if self.blame(c) is not None] or list(distinct)
        rule = self.blame(denied[0])
        scripts = tuple(dict.fromkeys(map(_script, denied)))
        named = rule.text if rule else f"policy {self._name}"
        return Violation(offset, line, column, start, text, named, ord(denied[0]), scripts)

    def _phrase(self, text: str, afresh: int, at: int) -> Violation | None:
        """The phrase that text[at], or the end, makes certain; `afresh` is where the policy started again."""
        recent = (self._recent + text[afresh:at])[-self._phrases.reach :]
        occurrence = self._phrases.ending(recent, text[at : at + 1]) if self._phrases.reach else None
        if occurrence is None:
            return None
        offset, line, column = self._place.of(text, at)
        start = offset - len(recent) + occurrence.start
        whole = (recent + text[at : at + 1])[occurrence.start : occurrence.end]
        scripts = tuple(dict.fromkeys(map(_script, whole)))
        return Violation(offset, line, column, start, whole, occurrence.owner.text, ord(whole[0]), scripts, True)

    def _resume(self, text: str, at: int, end: int) -> int:
        """The state behind the violation at `at`; one that a whole phrase ends before is as the text before it was."""
        state = self._recovery.after(self._state, ord(text[at])) if end > at else self._recovery.afresh(self._state)
        for character in text[at + 1 : end]:
            state = self._recovery.after(state, ord(character))
        return state

    def _violation(self, text: str, settled: int, at: int) -> Violation:
        """The one at text[at], with the characters behind it that the same rule takes away."""
        pending = "".join(self._pending) + text[settled:at]
        end = at + 1
        rule = self.blame(text[at])
        broken_off = next(filter(None, map(self.blame, pending)), None)
        if rule is not None and broken_off is None:  # an open region, or a phrase that was about to be complete
            pending = ""
        if broken_off in (None, rule):
            while rule and end < len(text) and text[end - 1] != "\n" and self._alone(text[end]) is rule:
                end += 1
        offset, line, column = self._place.of(text, at)
        return self.describe(offset, line, column, offset - len(pending), pending + text[at:end])

    def _rule_against(self, character: str) -> Rule | None:
        """The rule to blame if the character is a violation by itself."""
        dies = self._reader.step(self._reader.start, ord(character)) == DEAD
        return self.blame(character) if dies else None

    def _skip(self, state: int, text: str, at: int) -> int:
        """Where the characters from `at` on that leave the automaton in `state` end: most text is passed over so."""
        run = self._loops(state).match(text, at)
        return run.end() if run else at

    def _self_loop(self, state: int) -> re.Pattern[str]:
        """Matches a run of characters on which the state leads back to itself."""
        spans = [f"{re.escape(chr(low))}-{re.escape(chr(high))}" for low, high in self._reader.staying(state).ranges]
        return re.compile(f"[{''.join(spans)}]*" if spans else "")


def _script(character: str) -> str:
    return properties.script_of(ord(character)) if ord(character) in SCALARS else "Unknown"


@dataclass
class _Place:
    """Line and column while the text goes by in pieces."""

    base: int = 0
    """The offset of the current piece in the whole text."""
    _line: int = 1
    _line_start: int = 0
    _seen: int = 0

    def of(self, text: str, at: int) -> tuple[int, int, int]:
        """Offset, line and column of text[at]; `at` never goes back within a piece."""
        ends = text.count("\n", self._seen, at)
        if ends:
            self._line += ends
            self._line_start = self.base + text.rindex("\n", self._seen, at) + 1
        self._seen = at
        offset = self.base + at
        return offset, self._line, offset - self._line_start + 1

    def advance(self, text: str) -> None:
        """Go on to the piece behind `text`."""
        self.of(text, len(text))
        self.base += len(text)
        self._seen = 0


class _Runs:
    """The violations so far, with those put together again that only a cut between chunks divides."""

    def __init__(self, scanner: _Scanner) -> None:
        self._scanner = scanner
        self._done: list[Violation] = []
        self._open: list[Violation] = []
        """The pieces of the last one."""

    def extend(self, found: list[Violation]) -> None:
        """Add violations in order."""
        for violation in found:
            if self._open and not self._continues(violation):
                self._done.append(self._joined())
                self._open.clear()
            self._open.append(violation)

    def all(self) -> tuple[Violation, ...]:
        """Every violation, each in one piece."""
        return (*self._done, self._joined()) if self._open else ()

    def _continues(self, violation: Violation) -> bool:
        last = self._open[-1]
        rule = self._scanner.blame(last.text[-1])
        if last.is_phrase or violation.is_phrase:
            return False
        adjacent = violation.start == violation.offset == last.end and not last.text.endswith("\n")
        return adjacent and rule is not None and rule.text == last.rule == violation.rule

    def _joined(self) -> Violation:
        first = self._open[0]
        if len(self._open) == 1:
            return first
        text = "".join(v.text for v in self._open)
        return self._scanner.describe(first.offset, first.line, first.column, first.start, text)


class _Tally:
    """Counts characters and lines while the text goes by in pieces."""

    def __init__(self) -> None:
        self._characters: Counter[str] = Counter()
        self._violating: Counter[str] = Counter()
        self._line = 1
        self._has_text = self._fails = False
        """Of the current line."""
        self._lines = self._failed = 0

    def feed(self, text: str, found: list[Violation]) -> None:
        """Count a piece and the violations in it."""
        self._characters.update(text)
        self._add(found)
        failing = {v.line for v in found}
        *whole, rest = text.split("\n")
        for line in whole:
            self._take(line, failing)
            self._close_line()
        self._take(rest, failing)

    def finish(self, found: list[Violation]) -> None:
        """Count what stands at the end of the text."""
        self._add(found)
        self._take("", {v.line for v in found})
        self._close_line()

    def report(self, blame: Callable[[str], Rule | None], violations: tuple[Violation, ...]) -> CheckReport:
        """The report on the lines that are complete."""
        by_character: Counter[str] = Counter()
        by_rule: Counter[str] = Counter()
        for character, count in self._violating.items():
            if (rule := blame(character)) is not None:
                by_character[character] = count
                by_rule[rule.text] += count
        by_rule.update(v.rule for v in violations if v.is_phrase)
        letters = properties.lookup("General_Category", "L")
        return CheckReport(
            _count(self._characters, letters),
            _count(by_character, letters),
            self._characters[REPLACEMENT],
            self._lines,
            self._failed,
            by_rule,
            by_character,
            violations,
        )

    def _add(self, found: list[Violation]) -> None:
        for violation in found:
            if not violation.is_phrase:
                self._violating.update(violation.text)

    def _take(self, piece: str, failing: set[int]) -> None:
        self._has_text |= bool(piece.strip("\r"))
        self._fails |= self._line in failing

    def _close_line(self) -> None:
        self._lines += self._has_text or self._fails
        self._failed += self._fails
        self._has_text = self._fails = False
        self._line += 1


def _count(characters: Mapping[str, int], members: IntervalSet) -> int:
    return sum(n for c, n in characters.items() if ord(c) in members)
