"""The table of what engines get wrong (`skips.toml`) is true, complete, and of the installed engines."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import langc
from langc.compiler.pipeline import compile_policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.artefact import Readable
from langc.compiler.verify.engines.llamacpp import LlamaCpp, LlamaVocabulary
from langc.compiler.verify.engines.outlines_core import OutlinesCore
from langc.compiler.verify.engines.protocol import BYTES, Engine, Judge, Verdict, judge
from langc.compiler.verify.engines.registry import RUNNERS, Runner
from langc.compiler.verify.engines.xgrammar import XGrammar
from langc.compiler.verify.faults import FAULTS, Difference, explain
from langc.compiler.verify.reference import Reference

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("toy-engines")]

Entry = dict[str, Any]
TABLE = tomllib.loads((Path(__file__).parent / "skips.toml").read_text(encoding="utf-8"))
SKIPS: list[Entry] = TABLE["skip"]
AVOIDED: list[Entry] = TABLE["avoided"]
VERDICTS = {"accept": Verdict.ACCEPT, "prefix": Verdict.PREFIX, "reject": Verdict.REJECT}


def test_every_fault_has_its_case() -> None:
    """A predicate without a case, or a case without a predicate, proves nothing."""
    assert {(f.engine, f.name) for f in FAULTS} == {(e["engine"], e["name"]) for e in SKIPS}
    assert len(FAULTS) >= 12
    assert len(AVOIDED) >= 8


def test_no_case_stands_twice() -> None:
    """One entry a case."""
    cases = [{k: v for k, v in e.items() if k != "reason"} for e in SKIPS + AVOIDED]

    assert [c for i, c in enumerate(cases) if c in cases[:i]] == []


@pytest.mark.parametrize("engine", sorted({e["engine"] for e in SKIPS + AVOIDED}))
def test_the_versions_are_the_installed_ones(engine: str) -> None:
    """A new version of an engine is measured again before anything relies on it."""
    runner = next(r for runners in RUNNERS.values() for r in runners if r.name == engine)

    assert {e["version"] for e in SKIPS + AVOIDED if e["engine"] == engine} == {runner.version}


def _name(entry: Entry) -> str:
    return f"{entry['engine']}-{entry.get('name', entry.get('text'))}-{entry['says']}"


@pytest.mark.parametrize("entry", SKIPS, ids=_name)
def test_the_fault_still_shows(entry: Entry) -> None:
    """The engine says what the entry says, the reference the opposite, and the fault's predicate explains it."""
    difference = _difference(entry)

    assert difference.offered == (entry["says"] == "offered")
    assert bool(difference.reference.machine.masks[difference.place.state][entry["token"]]) != difference.offered
    assert explain(difference) == entry["name"]


def _difference(entry: Entry) -> Difference:
    vocabulary = _vocabulary(entry)
    policy = langc.parse_policy(entry["policy"]).with_(exempt=entry.get("exempt", ()))
    reference = Reference(policy, vocabulary)
    target, _, dialect = entry["target"].partition(":")
    artifact = compile_policy(policy, target, vocabulary, dialect=dialect or None, allow=["under"])
    engine = _runner(entry["engine"], target, dialect or None).load(Readable.of(artifact), vocabulary)
    place = reference.place(entry["prefix"])
    assert place is not None
    assert not isinstance(engine, Judge)
    offered = bool(engine.mask(entry["prefix"])[entry["token"]])
    return Difference(engine, reference, place, entry["token"], offered)


def _runner(engine: str, target: str, dialect: str | None) -> Runner:
    return next(r for r in RUNNERS[target, dialect] if r.name == engine)


def _vocabulary(entry: Entry) -> Vocabulary:
    tokens = [bytes.fromhex(t) for t in entry.get("tokens", ())] or [bytes([b]) for b in range(256)]
    special = {len(tokens) + i: text for i, text in enumerate(entry.get("special", ["<|end|>"]))}
    ends = entry.get("ends", ["<|end|>"])
    eos = frozenset(i for i, text in special.items() if text in ends)
    return Vocabulary("case", (*tokens, *[b""] * len(special)), special, eos)


@cache
def _llama_bytes() -> LlamaVocabulary:
    return LlamaVocabulary.of(BYTES)


ENGINES: dict[str, Callable[[str], Engine]] = {
    "llama.cpp": lambda grammar: LlamaCpp(grammar, _llama_bytes()),
    "xgrammar": lambda grammar: XGrammar(grammar, BYTES),
    "outlines-core": lambda grammar: OutlinesCore(grammar, BYTES),
}


@pytest.mark.parametrize("entry", AVOIDED, ids=_name)
def test_the_avoided_form_is_still_at_fault(entry: Entry) -> None:
    """The form that langc does not write gives the wrong verdict, and the one that it writes the right one."""
    text = bytes.fromhex(entry["text"])
    said = [judge(ENGINES[entry["engine"]](grammar), text) for grammar in (entry["grammar"], entry["instead"])]

    assert said == [VERDICTS[entry["says"]], VERDICTS[entry["right"]]]
    assert entry["says"] != entry["right"]
