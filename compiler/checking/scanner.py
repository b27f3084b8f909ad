"""Where a text breaks a policy, found in one linear pass.

A violation stands at the first code point after which no permitted text is left; the policy then starts afresh behind
that character. Adjacent violating characters that the same rule takes away are one violation, which never goes past the
end of a line.

Invariant: what is found does not depend on how the text is cut, but for runs that a cut divides: `tally.Runs` puts them
together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from langc.compiler.automata.dfa import DEAD
from langc.compiler.checking.blame import ASKED, Blamer, Charge, reach_of
from langc.compiler.checking.held import HeldText
from langc.compiler.checking.report import Violation
from langc.compiler.policy import Policy
from langc.compiler.unicode import properties
from langc.compiler.unicode.intervals import SCALARS

LOOPS_KEPT = 4_096
"""States whose loops are remembered."""

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
