"""The real engines, given langc's artefacts, offer what langc's own matcher offers: whole masks, in every state.

The matcher is the reference: its masks are held to the policy elsewhere. What an engine gets wrong by itself is listed
here with the right verdict, and a list entry that no longer shows fails.
"""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

import langc
from langc.compiler.ir.language import Language
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.tables import TokenTables, build_tables
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.engines.llamacpp import LlamaCpp, LlamaVocabulary
from langc.compiler.verify.engines.llguidance import LlGuidance
from langc.compiler.verify.engines.outlines_core import OutlinesCore
from langc.compiler.verify.engines.protocol import Engine, Mask, Verdict, judge
from langc.compiler.verify.engines.xgrammar import XGrammar
from tests import assets
from tests.conftest import MEASURED
from tests.property.test_text_targets import any_covers
from tests.unit.targets.policies import TOO_LARGE_FOR_REGEX, names, policies
from tests.unit.targets.samples import samples
from tests.unit.targets.test_outlines import BYTES

pytestmark = pytest.mark.engines

Walk = tuple[int, ...]
ENOUGH = 250
"""Walks of one policy: more states than that have only the policies with exempt code."""


def text(policy: Policy, target: str, vocabulary: Vocabulary, dialect: str | None = None) -> str:
    """The artefact."""
    found = compile_policy(policy, target, vocabulary, dialect=dialect, allow=["under"]).text
    assert found is not None
    return found


def walks(tables: TokenTables) -> Iterator[tuple[Walk, int]]:
    """A shortest row of tokens into each state, up to `ENOUGH`."""
    ways: dict[int, Walk] = {tables.start: ()}
    for state in (queue := [tables.start]):
        yield ways[state], state
        edges = tables.edges(state)
        for target, token in dict(zip(edges.targets.tolist(), edges.ids.tolist(), strict=True)).items():
            if target not in ways and len(ways) < ENOUGH:
                ways[target] = (*ways[state], token)  # the last of those that lead there, so not NUL
                queue.append(target)


def differences(
    engine: Engine, policy: Policy, vocabulary: Vocabulary, without: bytes | None = None
) -> dict[Walk, list[int]]:
    """The ids on which the engine and the matcher disagree, for each walk with any; no walks over a byte `without`."""
    tables = build_tables(policy, vocabulary)
    machine = TokenMachine(tables)
    found = {}
    for walk, state in walks(tables):
        if without is not None and any(without in vocabulary.token_bytes(token) for token in walk):
            continue
        ids = np.flatnonzero(engine.mask(walk) != machine.masks[state]).tolist()
        if ids:
            found[walk] = ids
    return found


@pytest.mark.xdist_group("toy-engines")
@pytest.mark.parametrize("name", names())
def test_xgrammar_over_bytes(name: str) -> None:
    """xgrammar's masks are exact, in every state of every policy."""
    policy = policies()[name]

    assert differences(XGrammar(text(policy, "xgrammar", BYTES), BYTES), policy, BYTES) == {}


@cache
def llama_bytes() -> LlamaVocabulary:
    """llama.cpp over single bytes."""
    return LlamaVocabulary.of(BYTES)


@pytest.mark.xdist_group("toy-engines")
@pytest.mark.parametrize("name", names())
def test_llamacpp_over_bytes(name: str) -> None:
    """llama.cpp's masks are exact but for its two faults, in every state of every policy."""
    policy = policies()[name]
    found = differences(LlamaCpp(text(policy, "gbnf", BYTES), llama_bytes()), policy, BYTES, b"\0")

    assert [w for w, ids in found.items() for i in ids if not is_fault_of_llamacpp(w, i, BYTES)] == []


def is_fault_of_llamacpp(walk: Walk, token: int, vocabulary: Vocabulary) -> bool:
    """It writes no token that begins with NUL, and takes overlong encodings for what they would mean."""
    added = vocabulary.token_bytes(token)
    before = b"".join(map(vocabulary.token_bytes, walk))
    try:
        codecs.getincrementaldecoder("utf-8")().decode(before + added)
    except UnicodeDecodeError:
        return True
    return added.startswith(b"\0")


@pytest.mark.xdist_group("toy-engines")
def test_the_faults_of_llamacpp_are_still_there() -> None:
    """NUL is refused, and behind E0 and F0 begin the encodings that are too long: 82–9F, 80–84 and 8A–8F."""
    policy = policies()["no-cjk"]
    found = differences(LlamaCpp(text(policy, "gbnf", BYTES), llama_bytes()), policy, BYTES)

    assert found == {
        (): [0],
        (0xE0,): list(range(0x82, 0xA0)),
        (0xF0,): [*range(0x80, 0x85), *range(0x8A, 0x90)],
    }


TOO_DEAR_FOR_OUTLINES_CORE = frozenset({"between"})
"""It builds the whole automaton with the order of alternatives in its states: for this one past 15 GB of memory."""


@pytest.mark.xdist_group("toy-engines")
@pytest.mark.parametrize("name", [n for n in names() if n not in TOO_LARGE_FOR_REGEX | TOO_DEAR_FOR_OUTLINES_CORE])
def test_outlines_core_over_bytes(name: str) -> None:
    """outlines-core loses no token with the expression made for it; only the empty text is gone."""
    policy = policies()[name]
    found = differences(OutlinesCore(text(policy, "outlines", BYTES, "regex"), BYTES), policy, BYTES)
    expected = {(): [256]} if policy.accepts("") else {}

    assert expected == found


@pytest.mark.xdist_group("toy-engines")
@pytest.mark.parametrize("name", [n for n in names() if n not in TOO_LARGE_FOR_REGEX])
def test_llguidance_over_bytes(name: str) -> None:
    """llguidance takes the dialect rust, header and all, and its masks are exact."""
    policy = policies()[name]

    assert differences(LlGuidance(text(policy, "regex", BYTES, "rust"), BYTES), policy, BYTES) == {}


@pytest.mark.xdist_group("toy-engines")
@given(any_covers)
@settings(deadline=None, max_examples=60)
def test_engines_on_drawn_policies(language: Language) -> None:
    """Whatever sets and terms are drawn, the engines say what the policy says; llama.cpp refuses all texts with NUL."""
    policy = Policy(PolicyIR("drawn", None, (), language))
    texts = samples(policy.dfa, most=120)
    expected = {t: policy.accepts(t) for t in texts}
    llama = LlamaCpp(text(policy, "gbnf", BYTES), llama_bytes())
    xgrammar = XGrammar(text(policy, "xgrammar", BYTES), BYTES)

    assert expected == {t: judge(xgrammar, t.encode()) is Verdict.ACCEPT for t in texts}
    assert {t: v and "\0" not in t for t, v in expected.items()} == {
        t: judge(llama, t.encode()) is Verdict.ACCEPT for t in texts
    }


def real_policies() -> dict[str, Policy]:
    """The ready Korean policies, and one with terms that begin as plain text and overlap."""
    ko = langc.load_policy("ko")
    glossary = 'allow "한국(韓國)", "大韓民國", "漢江", "江漢";'
    return {
        "ko": ko,
        "ko-strict": langc.load_policy("ko-strict"),
        "ko-terms": langc.parse_policy(f"policy ko-terms {{ deny script Han, Hiragana, Katakana; {glossary} }}"),
        "ko-think": ko.with_(exempt=["think"]),
    }


REAL = ["ko", "ko-strict", "ko-terms", "ko-think"]


@cache
def qwen() -> Vocabulary:
    """151,851 ids."""
    return langc.load_vocabulary(assets.qwen151k())


@pytest.mark.xdist_group("qwen151k")
@pytest.mark.parametrize("name", REAL)
def test_xgrammar_over_a_real_vocabulary(name: str, record_property: Callable[[str, object], None]) -> None:
    """All masks over 151,851 ids are those of the matcher."""
    policy = real_policies()[name]
    grammar = text(policy, "xgrammar", qwen())
    before = time.perf_counter()
    engine = XGrammar(grammar, qwen())
    record_property(
        MEASURED,
        f"xgrammar, {name} over Qwen 151k: {len(grammar):,} characters, set-up and compile "
        f"{1000 * (time.perf_counter() - before):.0f} ms",
    )

    assert differences(engine, policy, qwen()) == {}


@pytest.mark.slow
@pytest.mark.xdist_group("qwen151k")
@pytest.mark.parametrize("name", ["ko", "ko-terms"])
def test_outlines_core_over_a_real_vocabulary(name: str) -> None:
    """All masks over 151,851 ids are those of the matcher, but for the empty text and the second end token."""
    policy = real_policies()[name]
    engine = OutlinesCore(text(policy, "outlines", qwen(), "regex"), qwen())
    first, second = sorted(qwen().eos_ids)
    found = differences(engine, policy, qwen())

    assert found.pop(()) == [first, second]
    assert len(found) < 10
    assert all(ids == [second] for ids in found.values())


@cache
def smollm2() -> tuple[Vocabulary, LlamaVocabulary]:
    """49,152 ids, as langc and as llama.cpp read them from the same file."""
    return langc.load_vocabulary(assets.smollm2_gguf()), LlamaVocabulary(assets.smollm2_gguf())


@pytest.mark.xdist_group("smollm2")
@pytest.mark.parametrize("name", REAL)
def test_llamacpp_over_a_real_vocabulary(name: str, record_property: Callable[[str, object], None]) -> None:
    """All masks over the text tokens of a real model are those of the matcher, but for llama.cpp's two faults."""
    policy = real_policies()[name]
    vocabulary, own = smollm2()
    grammar = text(policy, "gbnf", vocabulary)
    before = time.perf_counter()
    engine = LlamaCpp(grammar, own)
    record_property(
        MEASURED,
        f"llama.cpp, {name}: {len(grammar):,} characters, loaded in {1000 * (time.perf_counter() - before):.1f} ms",
    )
    found = differences(engine, policy, vocabulary)
    wrong = [
        (walk, token)
        for walk, ids in found.items()
        for token in ids
        if not vocabulary.is_special(token) and not is_fault_of_llamacpp(walk, token, vocabulary)
    ]

    assert wrong == []


@pytest.mark.xdist_group("smollm2")
@pytest.mark.parametrize("name", ["ko", "ko-terms"])
def test_llamacpp_does_not_slow_down(name: str) -> None:
    """A right-linear grammar keeps llama.cpp's stacks as they are: time is linear in the text.

    The second text repeats two terms that overlap, so that it can be read in many ways.
    """
    vocabulary, own = smollm2()
    engine = LlamaCpp(text(real_policies()[name], "gbnf", vocabulary), own)
    repeated = "漢江" if name == "ko-terms" else "한국"
    once = [vocabulary.ids_for_bytes(bytes([b]))[0] for b in repeated.encode()]
    short, long = (min(_seconds(engine, once * n) for _ in range(3)) for n in (100, 800))

    assert long < 3 * 8 * short


def _seconds(engine: Engine, prefix: Sequence[int]) -> float:
    before = time.process_time()
    mask: Mask = engine.mask(prefix)
    assert mask.any()
    return time.process_time() - before
