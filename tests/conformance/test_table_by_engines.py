"""Every case of the conformance table, by every engine, on what langc makes for it.

What an engine gets wrong is explained token by token by a known fault (`compiler/verify/faults.py`), and `faults.toml`
says which engine shows which fault in which case: no fewer, and no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from langc.compiler.errors import LangcError, LimitError, UnsupportedError
from langc.compiler.verify.engines.protocol import Engine, GrammarRefusedError, NotRunError, PrefixRefusedError
from langc.compiler.verify.faults import FAULTS, Difference, explain
from langc.compiler.verify.reference import Reference
from tests.conformance.engine_judges import BY_TOKENS, ENGINES, JUDGES, PROCESSORS, STATIC, Processor
from tests.conformance.table import cases, policy_of, verdicts_of, vocabulary_of

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("conformance")]


def faults(kind: str, case: dict[str, Any], engine: str) -> set[str]:
    """The faults that the table names."""
    entries = [f for f in cases("fault") if f["kind"] == kind and case["id"] in f["cases"] and engine in f["engines"]]
    return {name for entry in entries for name in entry["faults"]}


def with_judges(kind: str, judges: Any) -> list[Any]:
    """Each case of a kind with each judge."""
    return [pytest.param(case, judge, id=f"{case['id']}-{judge}") for case in cases(kind) for judge in judges]


@pytest.mark.parametrize(("case", "judge"), with_judges("text", JUDGES))
def test_text(case: dict[str, Any], judge: str) -> None:
    """Accepted, refused at its offset, or valid so far; but for what the artefact admits, and for known faults."""
    expected = verdicts_of(case)
    try:
        ruling = JUDGES[judge](policy_of(case), list(expected))
    except UnsupportedError as refused:
        code = refused.diagnostics[0].code
        if (judge in STATIC and code == "LC0523") or ("discourage" in case["policy"] and code == "LC0505"):
            return  # a list of tokens knows nothing of what stands before, and most formats have no costs
        raise
    except (LimitError, NotRunError):
        assert faults("text", case, judge) == {"refused"}
        return
    found = {text: ruling(text) for text in expected}
    wrong = [text for text, right in expected.items() if not found[text].agrees(text, right)]

    assert {_fault_of(judge, text) for text in wrong} == faults("text", case, judge), wrong


def _fault_of(judge: str, text: str) -> str:
    """The one fault that a whole text can show over single bytes."""
    return "nul" if "\0" in text and judge.startswith("llama.cpp") else f"unexplained: {text!r}"


def walked() -> list[Any]:
    """The token cases with walks, by each engine."""
    return [p for p in with_judges("tokens", BY_TOKENS) if "walks" in p.values[0]]


@pytest.mark.parametrize(("case", "engine"), walked())
def test_tokens(case: dict[str, Any], engine: str) -> None:
    """The whole mask after each history, padding rows and special ids included, and what is refused."""
    policy, vocabulary = policy_of(case), vocabulary_of(case)
    rows = case.get("rows", vocabulary.size)
    try:
        running = ENGINES[engine](policy, vocabulary, rows)
    except (GrammarRefusedError, LimitError):
        assert faults("tokens", case, engine) == {"refused"}
        return
    observer = Observer(running.engine, Reference(policy, vocabulary, rows))
    found = {name for walk in case["walks"] for name in observer.shown(walk)}
    claimed = {"empty-text"} if running.artifact.fidelity.under == "" else set()

    assert found - claimed == faults("tokens", case, engine)


@pytest.mark.parametrize("case", [c for c in cases("tokens") if "code" in c], ids=lambda case: case["id"])
@pytest.mark.parametrize("engine", [name for name in BY_TOKENS if "fsm" in name or "processor" in name])
def test_vocabularies_that_are_refused(case: dict[str, Any], engine: str) -> None:
    """What is made for one vocabulary and one width of logits says so before anything is written."""
    policy, vocabulary = policy_of(case), vocabulary_of(case)
    with pytest.raises(LangcError, match=case["code"]):
        ENGINES[engine](policy, vocabulary, case.get("rows", vocabulary.size)).engine.mask([])


@dataclass(frozen=True)
class Observer:
    """Leads an engine along the walks of a case, and names the faults that it shows."""

    engine: Engine
    reference: Reference
    """Where to look a fault up; the right masks are those of the table."""

    def shown(self, walk: dict[str, Any]) -> Iterator[str]:
        """The names of the faults; what has no name is told in full."""
        ids = walk["ids"]
        if walk.get("dead"):
            return self._refusal(ids)
        if walk.get("ended"):
            return self._end(ids, walk["allowed"])
        return self._mask(ids, walk["allowed"])

    def _mask(self, prefix: list[int], allowed: list[int]) -> Iterator[str]:
        try:
            offered = set(np.flatnonzero(self.engine.mask(prefix)).tolist())
        except PrefixRefusedError as refused:
            yield self._name(prefix[: refused.position], prefix[refused.position], False)
            return
        for token in sorted(offered.symmetric_difference(allowed)):
            yield self._name(prefix, token, token in offered)

    def _refusal(self, ids: list[int]) -> Iterator[str]:
        wrong = next(n for n in range(len(ids)) if self.reference.place(ids[: n + 1]) is None)
        if ids[wrong] >= self.reference.vocabulary.size:  # no engine knows it: that it is not offered must do
            return self._mask(ids[:wrong], self._before(ids[:wrong]))
        return self._taken(ids, wrong)

    def _taken(self, ids: list[int], wrong: int) -> Iterator[str]:
        try:
            self.engine.mask(ids[: wrong + 1])
        except PrefixRefusedError as refused:
            if refused.position < wrong:
                yield self._name(ids[: refused.position], ids[refused.position], False)
            return
        except RuntimeError:  # it took the token, and then knew nothing more
            pass
        yield self._name(ids[:wrong], ids[wrong], True)

    def _end(self, ids: list[int], allowed: list[int]) -> Iterator[str]:
        """Nothing but ends is taken behind an end, and nothing fails."""
        ends = self.reference.vocabulary.eos_ids
        place = next(n for n, token in enumerate(ids) if token in ends)
        yield from self._mask(ids[:place], self._before(ids[:place]))
        others = [token for token in range(self.reference.vocabulary.size) if token not in ends]
        try:
            if any(self.engine.taken_after_end(ids[:place], ids[place], others)):
                yield f"it goes on behind {ids}"
        except PrefixRefusedError:
            yield f"the end behind {ids[:place]} cannot be taken"
        if isinstance(self.engine, Processor) and np.flatnonzero(self.engine.mask(ids)).tolist() != allowed:
            yield f"it offers other tokens behind {ids}"

    def _before(self, prefix: list[int]) -> list[int]:
        place = self.reference.place(prefix)
        assert place is not None
        allowed: list[int] = np.flatnonzero(self.reference.machine.masks[place.state]).tolist()
        return allowed

    def _name(self, prefix: list[int], token: int, offered: bool) -> str:
        place = self.reference.place(prefix)
        assert place is not None
        name = explain(Difference(self.engine, self.reference, place, token, offered))
        return name or f"{token} behind {prefix} is {'offered' if offered else 'refused'}"


def test_faults_are_of_cases() -> None:
    """No entry speaks of a case or an engine that is not there, and a fault without a name has its reason beside it."""
    entries = cases("fault")
    ids = {kind: {case["id"] for case in cases(kind)} for kind in ("text", "tokens")}
    names = {fault.name for fault in FAULTS}

    assert len(entries) >= 10
    assert [f for f in entries if not (set(f["cases"]) <= ids[f["kind"]] and set(f["engines"]) <= JUDGES.keys())] == []
    assert [f for f in entries if "why" not in f and not set(f["faults"]) <= names] == []


def test_who_judges() -> None:
    """The engines of the registry, the processors in their runtimes, and Python's `re`."""
    assert {"llama.cpp on gbnf", "xgrammar on xgrammar", "llguidance on regex rust"} <= JUDGES.keys()
    assert {
        "outlines-core on outlines regex",
        "outlines-fsm on outlines fsm",
        "processor on processor",
    } <= JUDGES.keys()
    assert len(PROCESSORS) == len(STATIC) == 3
    assert len(JUDGES) >= 13


def test_lists_of_tokens_are_no_idle_judges() -> None:
    """Over the characters of a case's texts most lists are exact, so that their verdicts must be right."""
    claims = {}
    for case in (c for c in cases("text") if "policy" in c and "exempt" not in c):
        texts = list(verdicts_of(case))
        with suppress(UnsupportedError):  # phrases, regions and costs
            claims[case["id"]] = JUDGES[STATIC[0]](policy_of(case), texts)(texts[0]).claims

    assert len(claims) >= 25
    assert sum(claim.is_exact for claim in claims.values()) >= 20
