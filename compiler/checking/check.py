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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from langc.compiler.automata.dfa import DEAD
from langc.compiler.checking.blame import ASKED, Blamer, Charge, reach_of
from langc.compiler.checking.held import HeldText
from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import LangcError
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
    """The rule that takes the first character away, as `langc fmt` prints it; `unclosed NAME: forbid` or `region NAME`
    for a region that is not closed; `policy NAME` if it is laid to no rule."""
    code_point: int
    """The first character of `text` that a rule takes away."""
    scripts: tuple[str, ...]
    """The scripts of the characters that a rule takes away, in order of appearance."""
    is_phrase: bool = False
    """Whether `text` is a phrase that must not occur. Its `offset` is then where it was certain."""
    policy: str = ""
    """The policy that the rule stands in: the checked one, or one that it uses."""
    region: str | None = None
    """The region whose rule it is, or that is not closed; None outside all regions."""
    place: Label | None = field(default=None, compare=False)
    """Where the rule is written."""

    @property
    def script(self) -> str:
        """The names of the scripts, with commas."""
        return ", ".join(self.scripts)

    @property
    def description(self) -> str:
        """`U+XXXX NAME` of the code point."""
        return names.describe(self.code_point)

    @property
    def rule_at(self) -> str | None:
        """`FILE:LINE:COLUMN` of the rule, if it is written anywhere."""
        if self.place is None:
            return None
        line, column = self.place.source.line_column(self.place.span.start)
        return f"{self.place.source.name}:{line}:{column}"

    @property
    def is_unclosed(self) -> bool:
        """Whether the text ends inside a region that must be closed."""
        return self.rule in (f"unclosed {self.region}: forbid", f"region {self.region}")

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
            "is_phrase": self.is_phrase,
            "rule": self.rule,
            "policy": self.policy,
            "region": self.region,
            "rule_at": self.rule_at,
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
    """How many characters each rule takes away, and how often each other rule is broken."""
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
        self._scanner = Scanner(policy)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._bytes = 0
        self._tally = _Tally()
        self._runs = _Runs()

    def feed(self, chunk: bytes) -> list[Violation]:
        """Read the next bytes; those of an incomplete character are held back.

        Raises LangcError (LC0004) at bytes that are not UTF-8; the checker is of no use afterwards.
        """
        return self.feed_text(self._decode(chunk, False))

    def feed_text(self, text: str) -> list[Violation]:
        """Read the next characters. Only for streams that were text from the beginning."""
        return self._take(text, self._scanner.feed(text))

    def finish(self) -> list[Violation]:
        """Take the text as ended. Raises LangcError (LC0004) if it ends inside a character."""
        found = self.feed_text(self._decode(b"", True))
        last = self._take("", self._scanner.finish())
        self._tally.close()
        return found + last

    def report(self) -> CheckReport:
        """The report on what was read so far."""
        return self._tally.report(self._runs.all())

    def _take(self, text: str, finds: list[Find]) -> list[Violation]:
        self._tally.feed(text, finds)
        self._runs.extend(finds)
        return [find.violation for find in finds]

    def _decode(self, chunk: bytes, final: bool) -> str:
        held = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            raise LangcError(malformed(self._name, self._bytes - held + error.start, error)) from None
        self._bytes += len(chunk)
        return text


def malformed(name: str, offset: int, error: UnicodeDecodeError) -> Diagnostic:
    """LC0004, at an offset in bytes."""
    return Diagnostic(
        "LC0004",
        f"{name} is not UTF-8: byte 0x{error.object[error.start]:02X} at offset {offset}",
        help="save it as UTF-8; if a model wrote it, it was cut inside a character",
        data={"file": name, "byte": offset},
    )


_Taken = tuple[str, Charge | None]
"""Characters, and what they are laid to."""


@dataclass(frozen=True)
class Find:
    """A violation, and what the scanner knows of it."""

    violation: Violation
    pieces: tuple[_Taken, ...]
    """The text of the violation; a phrase is one piece."""
    taken: tuple[tuple[str, str], ...] = ()
    """Rules, each with the characters that it takes away: none if the whole violation counts once."""
    run: Charge | None = None
    """What the characters behind it are laid to, if they can belong to it."""
    joins: Charge | None = None
    """What it is laid to, if it can belong to the one that it adjoins."""
    safe: int = 0
    """The last place before it where the text could have ended, if the scanner holds back."""

    @property
    def is_sure(self) -> bool:
        """Whether a rule is known for some of its text: not where it is a line's end that shows what is in regions."""
        return any(charge for _, charge in self.pieces)

    def broken(self) -> Violation:
        """The violation without the rest of a run, which depends on how the text was cut."""
        found = self.violation
        text = found.text if found.is_phrase else found.text[: found.offset - found.start + 1]
        if len(text) == len(found.text):
            return found
        pieces = "".join(piece for piece, charge in self.pieces if charge)
        return replace(found, text=text, scripts=_scripts(pieces[: len(pieces) - len(found.text) + len(text)]))


class Scanner:
    """Runs the automaton over the text and starts it afresh behind each violation.

    If it `holds` back, it knows how much of the text can still become part of a violation.
    """

    def __init__(self, policy: Policy, holds: bool = False) -> None:
        self._policy = policy
        self._reader = policy.reader
        self._reach = reach_of(policy)
        self._state = self._settled = self._reader.start
        """Where the text stands, and where it stood before what is pending."""
        self._pending: list[str] = []
        """What was read since the text could last have ended: a permitted term in progress."""
        self._place = _Place()
        self._alone = lru_cache(ASKED)(self._charge_alone)
        self._loops = lru_cache(LOOPS_KEPT)(self._self_loop)
        self._recent = ""
        """What was read before the current piece, since the last violation and as far as phrases reach back."""
        self._history = ""
        """The same, violations or not: a stop phrase stops behind them, too."""

        self._held = HeldText(policy) if holds else None
        self._safe = 0

    @cached_property
    def _blamer(self) -> Blamer:
        """Made at the first violation: most texts have none."""
        return Blamer(self._policy)

    def feed(self, text: str) -> list[Find]:
        """The violations that the text makes certain, those at its very end included."""
        finds: list[Find] = []
        settled = at = afresh = 0
        while at < len(text):
            target = self._reader.step(self._state, ord(text[at]))
            if target == DEAD:
                find, self._state, at = self._break(text, settled, afresh, at)
                if self._held:
                    safe = self._held.break_off(find.violation.start, self._place.base + at, find.is_sure)
                    find = replace(find, safe=safe)
                finds.append(find)
                settled = afresh = at
                self._settled = self._state
                self._recent = ""
                self._pending.clear()
                continue
            first, at = at + 1, self._skip(target, text, at + 1)
            self._state = target
            if target in self._reader.accepting:
                self._pending.clear()
                settled, self._settled = at, target
                if self._held:
                    self._held.settle(self._place.base + first, self._place.base + at)
            elif self._held:
                self._held.unsettle(self._place.base + first, text, self._place.base)
        if settled < len(text):
            self._pending.append(text[settled:])
        self._recent = self._before(text, afresh, len(text))
        self._history = self._ever(text, len(text))
        if self._held:
            self._safe = self._held.safe(text, self._place.base)
        self._place.advance(text)
        return finds

    def safe(self) -> int:
        """How many characters no violation can reach back to any more, whatever follows."""
        return self._safe

    def settled(self) -> int:
        """How many characters could have been a text, or end where the policy started afresh."""
        assert self._held is not None
        return self._held.settled

    def finish(self) -> list[Find]:
        """The violation at the end of the text, if it ends where no permitted text does."""
        finds = self._at_the_end()
        if self._held is None:
            return finds
        return [replace(f, safe=self._held.settled_before(f.violation.start, f.is_sure)) for f in finds]

    def _at_the_end(self) -> list[Find]:
        if self._state in self._reader.accepting:
            return []
        if phrase := self._phrase("", 0, 0):
            return [phrase]
        text = "".join(self._pending)
        if not text:
            return []
        if unclosed := self._blamer.unclosed(self._state):
            return [self._find("", 0, [(text, None)], unclosed)]
        pending = self._replayed(text) or [(text, None)]
        named = None if any(c for _, c in pending) else self._blamer.in_line(self._recent)
        return [self._find("", 0, pending, named)]

    # --- what breaks ----------------------------------------------------------------------------------------------

    def _break(self, text: str, settled: int, afresh: int, at: int) -> tuple[Find, int, int]:
        """The violation at text[at], the state behind it, and where the text goes on."""
        behind = self._blamer.after(self._state, text[at])
        if phrase := self._phrase(text, afresh, at):
            if phrase.violation.end == self._place.base + at:  # what bars it no longer is read again
                return phrase, self._blamer.afresh(self._state), at
            return phrase, behind, at + 1
        if over := self._blamer.structure(self._state, self._ever(text, at), text[at]):
            return self._find(text, at, [], over, text[at]), behind, at + 1
        return self._refused(text, settled, afresh, at)

    def _refused(self, text: str, settled: int, afresh: int, at: int) -> tuple[Find, int, int]:
        """The violation of a character, with those behind it that the same rule takes away."""
        charge = self._blamer.character(self._state, text[at])
        pending = self._replayed("".join(self._pending) + text[settled:at])
        broken_off = next((c for _, c in pending if c), None)
        if charge is None and broken_off is None:
            named = self._blamer.in_line(self._before(text, afresh, at) + text[at].rstrip("\n"))
            return self._find(text, at, pending, named, text[at]), self._blamer.after(self._state, text[at]), at + 1
        if charge is not None and broken_off is None:  # an open region, or a phrase that was about to be complete
            pending = []
        end, state = at + 1, self._blamer.after(self._state, text[at])
        extends = charge is not None and broken_off in (None, charge)
        while extends and end < len(text) and text[end - 1] != "\n" and self._alone(state, text[end]) == charge:
            state = self._blamer.after(state, text[end])
            end += 1
        return self._find(text, at, pending, None, text[at:end], charge, extends), state, end

    def _find(
        self,
        text: str,
        at: int,
        before: list[_Taken],
        named: Charge | None = None,
        whole: str = "",
        charge: Charge | None = None,
        extends: bool = False,
    ) -> Find:
        """The violation at text[at], where `whole` begins, with what is pending before it.

        It is laid to what is `named`, or else to the first rule that takes a character away.
        """
        pieces = [*before, (whole, charge)]
        pending = "".join(piece for piece, _ in before)
        offset, line, column = self._place.of(text, at)
        denied = dict.fromkeys("".join(piece for piece, c in pieces if c) or pending + whole)
        blamed = named or next((c for _, c in pieces if c), None) or Charge(f"policy {self._policy.name}", "")
        taken = ((named.rule, ""),) if named else tuple((c.rule, piece) for piece, c in pieces if c)
        return Find(
            Violation(
                offset,
                line,
                column,
                offset - len(pending),
                pending + whole,
                blamed.rule,
                ord(next(iter(denied))),
                _scripts(denied),
                policy=blamed.policy or self._policy.name,
                region=blamed.region,
                place=blamed.place,
            ),
            tuple(pieces),
            taken,
            charge if extends else None,
            None if before else charge,
        )

    def _phrase(self, text: str, afresh: int, at: int) -> Find | None:
        """The phrase that text[at], or the end, makes certain; `afresh` is where the policy started again."""
        recent, following = self._before(text, afresh, at), text[at : at + 1]
        found = self._blamer.phrase(self._state, recent, following) if self._reach else None
        if found is None:
            return None
        occurrence, charge = found
        offset, line, column = self._place.of(text, at)
        whole = (recent + following)[occurrence.start : occurrence.end]
        return Find(
            Violation(
                offset,
                line,
                column,
                offset - len(recent) + occurrence.start,
                whole,
                charge.rule,
                ord(whole[0]),
                _scripts(whole),
                True,
                charge.policy,
                charge.region,
                charge.place,
            ),
            ((whole, charge),),
            ((charge.rule, ""),),
        )

    def _before(self, text: str, afresh: int, at: int) -> str:
        """What was read before text[at], since the policy started afresh and as far as phrases reach back."""
        return (self._recent + text[afresh:at])[-self._reach :] if self._reach else ""

    def _ever(self, text: str, at: int) -> str:
        """What was read before text[at], as far as phrases reach back."""
        return (self._history + text[max(0, at - self._reach) : at])[-self._reach :] if self._reach else ""

    def _replayed(self, pending: str) -> list[_Taken]:
        """What is pending, from where no rule of a region was in progress on; each character by itself."""
        state, taken = self._settled, list[_Taken]()
        if not pending:
            return taken
        for character in pending:
            if self._blamer.is_fresh(state):
                taken.clear()
            taken.append((character, self._blamer.character(state, character)))
            state = self._reader.step(state, ord(character))
        return [] if self._blamer.is_fresh(state) else taken

    def _charge_alone(self, state: int, character: str) -> Charge | None:
        """What a character is laid to if it is a violation right behind another one."""
        dies = self._reader.step(state, ord(character)) == DEAD
        if not dies or self._blamer.phrase(state, "", character) or self._blamer.is_over(state, character):
            return None
        return self._blamer.character(state, character)

    def _skip(self, state: int, text: str, at: int) -> int:
        """Where the characters from `at` on that leave the automaton in `state` end: most text is passed over so."""
        run = self._loops(state).match(text, at)
        return run.end() if run else at

    def _self_loop(self, state: int) -> re.Pattern[str]:
        """Matches a run of characters on which the state leads back to itself."""
        spans = [f"{re.escape(chr(low))}-{re.escape(chr(high))}" for low, high in self._reader.staying(state).ranges]
        return re.compile(f"[{''.join(spans)}]*" if spans else "")


def _scripts(characters: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_script, characters)))


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

    def __init__(self) -> None:
        self._done: list[Violation] = []
        self._open: list[Find] = []
        """The pieces of the last one."""

    def extend(self, finds: list[Find]) -> None:
        """Add violations in order."""
        for find in finds:
            if self._open and not self._continues(find):
                self._done.append(self._joined())
                self._open.clear()
            self._open.append(find)

    def all(self) -> tuple[Violation, ...]:
        """Every violation, each in one piece."""
        return (*self._done, self._joined()) if self._open else ()

    def _continues(self, find: Find) -> bool:
        last = self._open[-1]
        adjacent = find.violation.start == last.violation.end and not last.violation.text.endswith("\n")
        return adjacent and last.run is not None and last.run == find.joins

    def _joined(self) -> Violation:
        pieces = [find.violation for find in self._open]
        if len(pieces) == 1:
            return pieces[0]
        scripts = dict.fromkeys(script for piece in pieces for script in piece.scripts)
        return replace(pieces[0], text="".join(piece.text for piece in pieces), scripts=tuple(scripts))


class _Tally:
    """Counts characters and lines while the text goes by in pieces."""

    def __init__(self) -> None:
        self._characters: Counter[str] = Counter()
        self._by_rule: Counter[str] = Counter()
        self._by_character: Counter[str] = Counter()
        self._line = 1
        self._has_text = self._fails = False
        """Of the current line."""
        self._lines = self._failed = 0

    def feed(self, text: str, finds: list[Find]) -> None:
        """Count a piece and the violations in it."""
        self._characters.update(text)
        for rule, taken in (pair for find in finds for pair in find.taken):
            self._by_rule[rule] += len(taken) or 1
            self._by_character.update(taken)
        failing = {find.violation.line for find in finds}
        *whole, rest = text.split("\n")
        for line in whole:
            self._take(line, failing)
            self.close()
        self._take(rest, failing)

    def close(self) -> None:
        """Take the line as ended."""
        self._lines += self._has_text or self._fails
        self._failed += self._fails
        self._has_text = self._fails = False
        self._line += 1

    def report(self, violations: tuple[Violation, ...]) -> CheckReport:
        """The report on the lines that are complete."""
        letters = properties.lookup("General_Category", "L")
        return CheckReport(
            _count(self._characters, letters),
            _count(self._by_character, letters),
            self._characters[REPLACEMENT],
            self._lines,
            self._failed,
            self._by_rule.copy(),
            self._by_character.copy(),
            violations,
        )

    def _take(self, piece: str, failing: set[int]) -> None:
        self._has_text |= bool(piece.strip("\r"))
        self._fails |= self._line in failing


def _count(characters: Mapping[str, int], members: IntervalSet) -> int:
    return sum(n for c, n in characters.items() if ord(c) in members)
