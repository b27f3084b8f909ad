"""llguidance, given the terminals of target llguidance, offers what langc's own matcher offers: whole masks."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

import langc
from langc.compiler.automata.build import build_dfa
from langc.compiler.ir.language import Language
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.engines.llguidance import LlGuidance
from langc.compiler.verify.engines.protocol import Verdict, judge, unpack
from langc.compiler.verify.reference import Reference
from langc.compiler.verify.walks import walks
from tests import assets
from tests.conftest import MEASURED
from tests.property.languages import languages
from tests.unit.targets.policies import names, policies
from tests.unit.targets.samples import samples
from tests.unit.targets.test_outlines import BYTES
from tests.unit.verify.test_lark import BY_HAND

pytestmark = pytest.mark.engines

ENOUGH = 2_500
"""Walks over single bytes; no policy here has more states."""


def engine(policy: Policy, vocabulary: Vocabulary) -> LlGuidance:
    """llguidance with the artefact in it."""
    text = compile_policy(policy, "llguidance").text
    assert text is not None
    return LlGuidance(text, vocabulary, "lark")


def differences(policy: Policy, vocabulary: Vocabulary, most: int) -> tuple[int, list[tuple[bytes, list[int]]]]:
    """How many states were looked at, and the ids on which the engine and the matcher disagree in one."""
    reference, loaded = Reference(policy, vocabulary), engine(policy, vocabulary)
    chosen = walks(reference.tables, vocabulary, most)
    found = []
    for walk in chosen.rows:
        expected = unpack(reference.packed(walk.state), reference.rows)
        ids = np.flatnonzero(loaded.mask(walk.tokens) != expected).tolist()
        found += [(reference.spelled(walk.tokens), ids)] if ids else []
    return chosen.states, found


@pytest.mark.xdist_group("toy-engines")
@pytest.mark.parametrize("name", names())
def test_masks_over_bytes(name: str) -> None:
    """Every mask is exact, in every state of every policy, malformed text and exempt code included."""
    states, found = differences(policies()[name], BYTES, ENOUGH)

    assert found == []
    assert 0 < states < ENOUGH


@pytest.mark.xdist_group("toy-engines")
@given(languages.filter(lambda language: not build_dfa(language).is_empty))
@settings(deadline=None, max_examples=60)
def test_drawn_expressions(language: Language) -> None:
    """Whatever operators are drawn, the engine says what the policy says."""
    policy = Policy(PolicyIR("drawn", None, (), language))
    texts = samples(policy.dfa, most=60)
    drawn = engine(policy, BYTES)

    assert {t: policy.accepts(t) for t in texts} == {t: judge(drawn, t.encode()) is Verdict.ACCEPT for t in texts}


@pytest.mark.xdist_group("toy-engines")
@pytest.mark.parametrize(("body", "expected"), BY_HAND)
def test_terminals_by_hand(body: str, expected: Language) -> None:
    """The engine reads the grammars that people write as langc's reader does."""
    dfa = build_dfa(expected)
    loaded = LlGuidance(f"// a comment\n\nstart: TEXT\nTEXT: {body}\n", BYTES, "lark")
    texts = ["".join(t) for length in range(5) for t in product("abc\n/가" if length < 4 else "abc", repeat=length)]

    assert {t: dfa.accepts(map(ord, t)) for t in texts} == {
        t: judge(loaded, t.encode()) is Verdict.ACCEPT for t in texts
    }


def real_policies() -> dict[str, Policy]:
    """What people deny, with terms that overlap and begin as text, with exempt regions, and the largest ready one."""
    ko = langc.load_policy("ko")
    glossary = 'allow "한국(韓國)", "大韓民國", "漢江", "江漢";'
    terms = langc.parse_policy(f"policy ko-terms {{ deny script Han, Hiragana, Katakana; {glossary} }}")
    return {
        "ko": ko,
        "ko-terms": terms,
        "ko-think": ko.with_(exempt=["think"]),
        "ko-code": ko.with_(exempt=["code"]),
        "ko-terms-code-think": terms.with_(exempt=["code", "think"]),
        "no-invisible": langc.load_policy("no-invisible"),
    }


@cache
def qwen() -> Vocabulary:
    """151,851 ids."""
    return langc.load_vocabulary(assets.qwen151k())


@pytest.mark.xdist_group("qwen151k")
@pytest.mark.parametrize("name", list(real_policies()))
def test_masks_over_a_real_vocabulary(name: str, record_property: Callable[[str, object], None]) -> None:
    """All masks over 151,851 ids are those of the matcher, in up to 120 states."""
    policy = real_policies()[name]
    before = time.perf_counter()
    engine(policy, qwen())
    record_property(
        MEASURED, f"llguidance, {name} over Qwen 151k: compile {1000 * (time.perf_counter() - before):.0f} ms"
    )
    states, found = differences(policy, qwen(), 120)
    wrong = [(text, ids) for text, ids in found if not all(map(qwen().is_special, ids))]

    assert wrong == []
    assert states > 10
