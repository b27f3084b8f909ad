"""A share of the agreement run, small enough for the suite; and what the run says when something is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agreement import run
from tests.agreement.plan import LANGUAGE, LLAMACPP, MASKS, ORACLE, READ_BACK, REFUSES, SEATS, TEXTS, jobs, least
from tests.agreement.policies import cases
from tests.agreement.tally import Tally, Totals
from tests.agreement.vocabularies import REAL, TOYS
from tests.agreement.work import work

SHARE = 20
"""One policy in so many: every family is among them."""


def totals_of(kind: str, name: str) -> Totals:
    """The jobs of one kind over one vocabulary."""
    totals = Totals()
    for job in jobs(SHARE, (name,)):
        if job.kind == kind:
            totals.add(work(job))
    return totals


def problems(totals: Totals) -> list[str | None]:
    """In words."""
    return [tally.problem for tally in totals.problems]


@pytest.mark.engines
@pytest.mark.xdist_group("toy-engines")
@pytest.mark.parametrize("name", TOYS)
def test_all_engines_over_toy_vocabularies(name: str) -> None:
    """No whole mask differs but by a known fault of its engine, in a thousand distinct places each."""
    totals = totals_of(MASKS, name)
    found = {seat.name: totals.rows[MASKS, seat.name, name].prefixes for seat in SEATS}

    assert problems(totals) == []
    assert len(totals.policies) >= 10
    assert [e for e, prefixes in found.items() if prefixes < 1_000 and (e, name) not in REFUSES] == []


@pytest.mark.engines
@pytest.mark.xdist_group("smollm2")
def test_all_engines_over_a_real_vocabulary() -> None:
    """The same over 49,152 ids, of which 21 single bytes are missing; llama.cpp takes its time there."""
    totals = totals_of(MASKS, "smollm2")
    found = {seat.name: totals.rows[MASKS, seat.name, "smollm2"].prefixes for seat in SEATS if seat != LLAMACPP}

    assert problems(totals) == []
    assert [engine for engine, prefixes in found.items() if prefixes < 1_000] == []
    assert totals.rows[MASKS, LLAMACPP.name, "smollm2"].prefixes >= 20


@pytest.mark.engines
@pytest.mark.xdist_group("toy-engines")
@pytest.mark.parametrize("name", TOYS)
def test_the_matcher_and_the_oracle(name: str) -> None:
    """The matcher's masks, which engines are compared with, are those of the oracle over code points."""
    totals = totals_of(ORACLE, name)

    assert problems(totals) == []
    assert totals.masks >= 100


def test_all_text_targets_by_language() -> None:
    """What is read back from each artefact is the policy's language, exactly."""
    totals = totals_of(LANGUAGE, "bytes")
    found = {seat.name: totals.rows[LANGUAGE, seat.name, "bytes"].languages for seat in READ_BACK}

    assert problems(totals) == []
    assert [seat for seat, languages in found.items() if languages < 10] == []
    assert totals.rows[LANGUAGE, TEXTS.name, "bytes"].texts >= 1_000


def test_every_policy_meets_a_real_vocabulary_and_all_toys() -> None:
    """The plan leaves no policy out."""
    planned = {(j.vocabulary, j.case.name) for j in jobs() if j.kind == MASKS}

    assert {name for vocabulary, name in planned if vocabulary in REAL} == {c.name for c in cases()}
    assert {pair for pair in planned if pair[0] in TOYS} == {(v, c.name) for v in TOYS for c in cases()}


def test_bars() -> None:
    """Twenty thousand places for each engine and vocabulary; llama.cpp has its own bar where it is slow."""
    assert least("xgrammar", "gemma262k") == 20_000
    assert least("llama.cpp", "bytes") == 20_000
    assert least("llama.cpp", "gemma262k") == 300


def test_a_run_that_falls_short_says_where() -> None:
    """Too few masks in all, too few policies, and each engine and vocabulary with too few places."""
    totals = Totals()
    totals.add([Tally(MASKS, "xgrammar", "bytes", "one", prefixes=20_000)])
    short = list(run.shortfalls(totals))

    assert short[:2] == ["20,000 masks, not 1,000,000", "1 policies, not 200"]
    assert "xgrammar over split: 0 prefixes, not 20,000" in short
    assert len(short) == 2 + len(SEATS) * len((*TOYS, *REAL)) - len(REFUSES) - 1


def test_a_difference_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1, the policy and the witness on the screen, and the same in the JSON file."""
    wrong = Tally(MASKS, "xgrammar", "bytes", cases()[0].name, prefixes=7, unexplained=1, problem="it is wrong")
    monkeypatch.setattr(run, "work", lambda job: [wrong])
    path = tmp_path / "figures" / "agreement.json"
    code = run.main(["--share", "1000", "--vocabularies", "bytes", "--workers", "1", "--json", str(path)])
    said = capsys.readouterr().out

    assert code == 1
    assert "masks, xgrammar over bytes, borders-000: it is wrong" in said
    assert "policy main {" in said
    assert json.loads(path.read_text())["unexplained"] == 3  # one for each of the three jobs


def test_a_share_that_agrees_passes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0: the bars are for whole runs."""
    monkeypatch.setattr(run, "work", lambda job: [Tally(job.kind, "xgrammar", "bytes", "one", prefixes=7)])
    code = run.main(["--share", "1000", "--vocabularies", "bytes", "--workers", "1"])

    assert code == 0
    assert "21 whole masks" in capsys.readouterr().out
