"""What is compared with what: engines, vocabularies, how many policies and prefixes, and what the run must reach.

Invariant: over every toy vocabulary each policy goes through each engine. Each real vocabulary takes every fourth
policy, another fourth each, and more prefixes of it; so all policies meet a real vocabulary too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.agreement.policies import Case, cases
from tests.agreement.vocabularies import REAL, TOYS

LEAST_MASKS = 1_000_000
LEAST_POLICIES = 200
LEAST_PREFIXES = 20_000
"""Of each engine over each vocabulary."""
LEAST_PREFIXES_LLAMACPP = 300
"""Over a real vocabulary, where one mask takes it up to a tenth of a second."""


@dataclass(frozen=True)
class Seat:
    """An engine, and the kind of artefact that it is given."""

    name: str
    target: str
    dialect: str | None = None


LLAMACPP = Seat("llama.cpp", "gbnf")
SEATS = (
    LLAMACPP,
    Seat("xgrammar", "xgrammar"),
    Seat("llguidance (Lark)", "llguidance"),
    Seat("llguidance (regex)", "regex", "rust"),
    Seat("outlines-core", "outlines", "regex"),
    Seat("outlines FSM", "outlines", "fsm"),
    Seat("processor", "processor"),
    Seat("logit_bias", "logit-bias", "llama.cpp"),
)
TEXTS = Seat("Python re", "regex", "python")
"""It judges whole texts, and needs no vocabulary."""
READ_BACK = (
    *(Seat(t, t) for t in ("gbnf", "xgrammar", "llguidance")),
    *(Seat(f"regex {d}", "regex", d) for d in ("python", "rust", "pcre2", "ecmascript")),
    Seat("outlines regex", "outlines", "regex"),
)
"""Text targets, which are read back and compared by language."""

REFUSES = {("outlines-core", "lacking")}
"""outlines-core takes no vocabulary that lacks what some text of the expression needs."""

Kind = str
MASKS, LANGUAGE, ORACLE = "masks", "language", "oracle"


@dataclass(frozen=True)
class Job:
    """One policy and one vocabulary, through all engines, or back to its language, or against the oracle."""

    kind: Kind
    vocabulary: str
    case: Case
    prefixes: int


_PREFIXES = {"bytes": 300, "split": 200, "crossing": 200, "lacking": 300, "smollm2": 1_000, "gemma262k": 850}
_OF_REAL, _OF_LLAMACPP = 650, 8
_ORACLE_TOYS, _ORACLE_REAL = 10, 6
"""Of a policy; over SmolLM2 the oracle takes a fifth of a second a mask, and over the others too long."""


def jobs(share: int = 1, vocabularies: tuple[str, ...] = (*REAL, *TOYS)) -> Iterator[Job]:
    """All jobs, the dear ones first; of one policy in `share`."""
    for name in vocabularies:
        for case in _policies(name, share):
            yield Job(MASKS, name, case, _PREFIXES.get(name, _OF_REAL))
    for name in (n for n in vocabularies if n in ("smollm2", *TOYS)):
        for case in (c for c in _policies(name, share) if not c.policy.lowered.regions):  # they have another referee
            yield Job(ORACLE, name, case, _ORACLE_TOYS if name in TOYS else _ORACLE_REAL)
    for case in cases()[::share]:
        yield Job(LANGUAGE, "bytes", case, _PREFIXES["bytes"])


def _policies(vocabulary: str, share: int) -> tuple[Case, ...]:
    if vocabulary in TOYS:
        return cases()[::share]
    return cases()[REAL.index(vocabulary) :: len(REAL)][::share]


def prefixes(job: Job, seat: Seat) -> int:
    """How many of the job's prefixes an engine is tried on."""
    return _OF_LLAMACPP if seat is LLAMACPP and job.vocabulary in REAL else job.prefixes


def least(engine: str, vocabulary: str) -> int:
    """How many distinct prefixes an engine must have been tried on over a vocabulary."""
    if (engine, vocabulary) in REFUSES:
        return 0
    is_slow = engine == LLAMACPP.name and vocabulary in REAL
    return LEAST_PREFIXES_LLAMACPP if is_slow else LEAST_PREFIXES
