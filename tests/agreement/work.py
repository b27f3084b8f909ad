"""One job of the agreement run: a policy and a vocabulary, made into artefacts and led through the engines.

Invariant: a job never raises for what an engine or a target does; that is a tally. All comparing is done by
`langc.compiler.verify`, as `langc verify` does it, but for the oracle, which shares no code with it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from langc.compiler.errors import LangcError
from langc.compiler.pipeline import compile_policy
from langc.compiler.target import Artifact
from langc.compiler.verify.artefact import Readable
from langc.compiler.verify.engines.protocol import GrammarRefusedError
from langc.compiler.verify.engines.registry import engines_for
from langc.compiler.verify.languages import measure
from langc.compiler.verify.masks import compare
from langc.compiler.verify.reference import Reference
from langc.compiler.verify.report import Masks
from langc.compiler.verify.walks import Walks, walks
from tests.agreement.plan import LANGUAGE, MASKS, READ_BACK, SEATS, TEXTS, Job, Seat, prefixes
from tests.agreement.tally import Tally
from tests.agreement.vocabularies import gguf, vocabulary
from tests.oracle.tokens import TokenReferee


def work(job: Job) -> list[Tally]:
    """Everything that the job finds."""
    return list({MASKS: _masks, LANGUAGE: _languages}.get(job.kind, _oracle)(job))


def _masks(job: Job) -> Iterator[Tally]:
    try:
        reference = Reference(job.case.policy, vocabulary(job.vocabulary))
    except LangcError as error:
        yield _tally(job, "all engines", refused=_reason(error))
        return
    every = walks(reference.tables, reference.vocabulary, job.prefixes)
    for seat in SEATS:
        yield _timed(_engine(job, seat, reference, every))


def _engine(job: Job, seat: Seat, reference: Reference, every: Walks) -> Iterator[Tally]:
    """One engine on its artefact, after as many prefixes as it has time for."""
    try:
        artifact = _compile(job, seat)
        (runner,) = engines_for(seat.target, seat.dialect)
        engine = runner.load(Readable.of(artifact), reference.vocabulary, tokenizer=gguf(job.vocabulary))
    except (LangcError, GrammarRefusedError) as error:
        yield _tally(job, seat.name, refused=_reason(error))
        return
    chosen = _some(every, prefixes(job, seat))
    found = compare(engine, reference, chosen, version=runner.version or "", fidelity=artifact.fidelity)
    yield _of_masks(job, seat, found)


def _some(every: Walks, most: int) -> Walks:
    """At even distances, so that walks into states and unfinished characters are among them."""
    step = max(1, len(every.rows) // most)
    return every if most >= len(every.rows) else replace(every, rows=every.rows[::step][:most])


def _languages(job: Job) -> Iterator[Tally]:
    """Each text target by language, and Python's `re` by texts."""
    for seat in READ_BACK:
        yield _timed(_language(job, seat))
    yield _timed(_texts(job))


def _language(job: Job, seat: Seat) -> Iterator[Tally]:
    try:
        artifact = _compile(job, seat)
        found = measure(job.case.policy, Readable.of(artifact), vocabulary(job.vocabulary))
    except LangcError as error:
        yield _tally(job, seat.name, refused=_reason(error))
        return
    claims = (artifact.fidelity.over, artifact.fidelity.under)
    wrong = [w for w, c in zip((found.over, found.under), claims, strict=True) if w is not None and c is None]
    yield _tally(job, seat.name, languages=1, unexplained=len(wrong), problem=str(wrong[0]) if wrong else None)


def _texts(job: Job) -> Iterator[Tally]:
    reference = Reference(job.case.policy, vocabulary(job.vocabulary))
    yield from _engine(job, TEXTS, reference, walks(reference.tables, reference.vocabulary, job.prefixes))


def _oracle(job: Job) -> Iterator[Tally]:
    """The matcher's rows against the oracle over code points."""
    yield _timed(_referee(job))


def _referee(job: Job) -> Iterator[Tally]:
    try:
        reference = Reference(job.case.policy, vocabulary(job.vocabulary))
    except LangcError as error:
        yield _tally(job, "oracle", refused=_reason(error))
        return
    referee = TokenReferee(job.case.policy, reference.vocabulary)
    chosen = _some(walks(reference.tables, reference.vocabulary, 20 * job.prefixes), job.prefixes)
    wrong = [
        walk.tokens for walk in chosen.rows if referee.mask(walk.tokens) != reference.machine.masks[walk.state].tolist()
    ]
    problem = f"the matcher and the oracle differ after {wrong[0]}" if wrong else None
    yield _tally(job, "oracle", prefixes=len(chosen.rows), unexplained=len(wrong), problem=problem)


def _compile(job: Job, seat: Seat) -> Artifact:
    """The artefact; only a fixed list of tokens and outlines' expression may be inexact, as their headers say."""
    allow = {"logit-bias": ("over", "under"), "outlines": ("under",)}.get(seat.target, ())
    known = vocabulary(job.vocabulary)
    return compile_policy(job.case.policy, seat.target, known, dialect=seat.dialect, allow=allow)


def _of_masks(job: Job, seat: Seat, found: Masks) -> Tally:
    problem = f"{found.error or 'a mask'}: {found.witness}" if found.unexplained or found.error else None
    return _tally(
        job,
        seat.name,
        prefixes=found.prefixes,
        texts=found.texts,
        faults=dict(found.faults),
        unexplained=found.unexplained or int(found.error is not None),
        problem=problem,
    )


def _tally(job: Job, engine: str, **facts: object) -> Tally:
    return Tally(job.kind, engine, job.vocabulary, job.case.name, **facts)  # type: ignore[arg-type]


def _reason(error: LangcError | GrammarRefusedError) -> str:
    """The code, or the first words."""
    if isinstance(error, LangcError):
        return error.diagnostics[0].code
    return str(error).partition(" '")[0][:60]


def _timed(found: Iterator[Tally]) -> Tally:
    before = time.process_time()
    (tally,) = found
    return replace(tally, seconds=time.process_time() - before)
