"""What `langc verify` found, as values and as JSON.

Invariant: a verdict is computed from what was measured and never stored, so no report can contradict itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from langc.compiler.target import Fidelity, Json

BOTH = frozenset({"over", "under"})
"""The ways in which an artefact may be inexact."""


class Verdict(Enum):
    """Of one artefact. The values stand in the table and in JSON."""

    AGREES = "agrees"
    AS_CLAIMED = "as claimed"
    """Inexact, in exactly the ways that its header admits."""
    DIFFERS = "differs"
    REFUSED = "refused"
    """The target cannot carry the policy and said so; nothing was made that could differ."""


@dataclass(frozen=True)
class Witness:
    """The shortest row of bytes that one side lets through and the other does not."""

    text: bytes
    passes: str
    """Who lets it through: `policy`, `artefact`, or the name of an engine."""
    tokens: tuple[int, ...] | None = None
    """The token ids, where the vocabulary matters; the sides disagree on the last one."""

    def to_json(self) -> dict[str, Json]:
        """The witness as JSON values; bytes that are no UTF-8 are written as hexadecimal numbers too."""
        return {
            "text": self.text.decode("utf-8", errors="replace"),
            "bytes": self.text.hex(" "),
            "passes": self.passes,
            "tokens": None if self.tokens is None else list(self.tokens),
        }


@dataclass(frozen=True)
class Language:
    """What reading an artefact back shows, on well-formed text."""

    states: int
    """Of the canonical automaton that was read back, the dead one left out; of one over tokens, the states that were
    reached; 1 for a list that is the same at every step."""
    over: Witness | None = None
    """A shortest text that the artefact permits and the policy does not."""
    under: Witness | None = None
    """The other way round."""
    notes: tuple[str, ...] = ()
    """What the reader found odd, although it is no difference by language."""


@dataclass(frozen=True)
class Masks:
    """What running one engine shows."""

    engine: str
    version: str
    prefixes: int
    """How many distinct (state, unfinished character) prefixes were tried: one whole mask each."""
    states: int
    """How many states of the token automaton they lie in."""
    reachable: int
    """How many states it has."""
    faults: Mapping[str, int] = field(default_factory=dict)
    """Masks that differ by a known fault of the engine alone, counted by the fault's name."""
    unexplained: int = 0
    """Masks that differ otherwise."""
    witness: Witness | None = None
    """Of the unexplained differences, reduced to the shortest."""
    error: str | None = None
    """Why the engine does not take the artefact at all, or how it failed; that counts as a difference."""
    texts: int = 0
    """Whole texts judged, by an engine that knows no masks."""

    @property
    def title(self) -> str:
        """The engine with its version."""
        return f"{self.engine} {self.version}".strip()

    def to_json(self) -> dict[str, Json]:
        """What was measured, as JSON values."""
        return {
            "engine": self.engine,
            "version": self.version,
            "masks": self.prefixes,
            "texts": self.texts,
            "states": self.states,
            "reachable": self.reachable,
            "faults": dict(self.faults),
            "unexplained": self.unexplained,
            "witness": self.witness.to_json() if self.witness else None,
            "error": self.error,
        }


@dataclass(frozen=True)
class TargetReport:
    """One artefact: compiled for the purpose, or a file."""

    target: str
    dialect: str | None
    source: str | None
    """The path of the file; None for what was compiled."""
    fidelity: Fidelity | None
    """What the artefact claims; None if nothing was made."""
    language: Language | None = None
    masks: Sequence[Masks] = ()
    missing: Sequence[str] = ()
    """Engines that are not installed, or that refuse the artefact's kind of vocabulary, and why."""
    refusal: str | None = None
    """Why the target makes nothing of this policy."""
    notes: Sequence[str] = ()
    """What is odd about the artefact although it is no difference."""
    allowed: frozenset[str] = BOTH
    """The ways in which it may be inexact if it says so: `over`, `under`."""

    @property
    def compared(self) -> int:
        """Whole masks compared."""
        return sum(m.prefixes for m in self.masks)

    @property
    def unexplained(self) -> int:
        """Differences that neither the header nor a known fault of an engine explains."""
        return len(self._broken_claims) + sum(m.unexplained or m.error is not None for m in self.masks)

    @property
    def verdict(self) -> Verdict:
        """The word on this artefact."""
        if self.refusal is not None or self.fidelity is None:
            return Verdict.REFUSED
        if self.unexplained:
            return Verdict.DIFFERS
        return Verdict.AGREES if self.fidelity.is_exact else Verdict.AS_CLAIMED

    @property
    def witness(self) -> Witness | None:
        """The shortest sign of an unexplained difference."""
        return min((w for _, w in self.differences), key=lambda w: len(w.text), default=None)

    @property
    def differences(self) -> list[tuple[str, Witness]]:
        """A witness of each unexplained difference, and whose it is: `artefact`'s, by language, or an engine's."""
        by_engine = [(m.title, m.witness) for m in self.masks]
        return [*(("artefact", w) for w in self._broken_claims), *((who, w) for who, w in by_engine if w is not None)]

    def to_json(self) -> dict[str, Json]:
        """The artefact's report as JSON values."""
        return {
            "target": self.target,
            "dialect": self.dialect,
            "file": self.source,
            "fidelity": _fidelity(self.fidelity) if self.fidelity else None,
            "states": self.language.states if self.language else None,
            "masks": self.compared,
            "verdict": self.verdict.value,
            "witness": self.witness.to_json() if self.witness else None,
            "engines": [m.to_json() for m in self.masks],
            "refusal": self.refusal,
            "notes": [*self.notes, *self.missing],
        }

    @property
    def _broken_claims(self) -> list[Witness]:
        """Differences by language that the header does not admit."""
        if self.language is None or self.fidelity is None:
            return []
        measured = {"over": self.language.over, "under": self.language.under}
        admitted = self.allowed.intersection(self.fidelity.flags)
        if self.language.under is not None and self.language.under.text and self.fidelity.under == "":
            admitted -= {"under"}  # who admits the loss of the empty text admits no other
        return [w for flag, w in measured.items() if w is not None and flag not in admitted]


@dataclass(frozen=True)
class VerifyReport:
    """A policy, a vocabulary and all artefacts that were looked at."""

    policy: str
    policy_hash: str
    tokenizer: str
    targets: Sequence[TargetReport]
    eos_ids: frozenset[int] = frozenset()
    """The vocabulary's, so that the tokens of witnesses can be read."""

    @property
    def comparisons(self) -> int:
        """Whole masks compared, and one for each automaton that was read back."""
        return sum(t.compared + (t.language is not None) for t in self.targets)

    @property
    def unexplained(self) -> int:
        """Differences that nothing explains."""
        return sum(t.unexplained for t in self.targets)

    @property
    def ok(self) -> bool:
        """Whether everything agrees."""
        return not self.unexplained

    def to_json(self) -> dict[str, Json]:
        """The whole report as JSON values."""
        return {
            "policy": self.policy,
            "policy_sha256": self.policy_hash,
            "tokenizer": self.tokenizer,
            "comparisons": self.comparisons,
            "unexplained": self.unexplained,
            "ok": self.ok,
            "targets": [t.to_json() for t in self.targets],
        }


def _fidelity(fidelity: Fidelity) -> dict[str, Json]:
    return {"flags": list(fidelity.flags), "over": fidelity.over, "under": fidelity.under}
