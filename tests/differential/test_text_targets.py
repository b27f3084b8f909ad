"""The real engines, given langc's artefacts, offer what langc's own matcher offers: whole masks, in every state.

The matcher is the reference: its masks are held to the policy elsewhere. What an engine gets wrong by itself is
explained by `compiler/verify/faults.py`, whose cases are in `skips.toml`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings

import langc
from langc.compiler.errors import LimitError, UnsupportedError
from langc.compiler.ir.language import Language
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.artefact import Readable
from langc.compiler.verify.engines.llamacpp import LlamaCpp, LlamaVocabulary
from langc.compiler.verify.engines.protocol import Engine, Mask, NotRunError, Verdict, judge
from langc.compiler.verify.engines.registry import RUNNERS, Runner
from langc.compiler.verify.engines.xgrammar import XGrammar
from langc.compiler.verify.masks import compare
from langc.compiler.verify.reference import Reference
from langc.compiler.verify.report import Masks
from langc.compiler.verify.walks import Walks, walks
from tests import assets
from tests.conftest import MEASURED
from tests.property.test_text_targets import any_covers
from tests.unit.targets.policies import names, policies
from tests.unit.targets.samples import samples
from tests.unit.targets.test_outlines import BYTES

pytestmark = pytest.mark.engines

Format = tuple[str, str | None]
FORMATS: list[tuple[Format, Runner]] = [(f, runner) for f, runners in RUNNERS.items() for runner in runners]
ENOUGH = 250
"""Walks of one policy: more states than that have only the policies with exempt code."""
TOO_DEAR_FOR_OUTLINES_CORE = frozenset({"between"})
"""Its index of this one would take more than 15 GB of memory; see `compiler/verify/engines/ordered.py`."""


def masks(
    policy: Policy, found: Format, runner: Runner, reference: Reference, chosen: Walks, file: Path | None = None
) -> Masks:
    """What one engine makes of the artefact. Raises UnsupportedError, LimitError if there is none."""
    target, dialect = found
    vocabulary = reference.vocabulary
    artifact = compile_policy(policy, target, vocabulary, dialect=dialect, allow=["under", "over"])
    engine = runner.load(Readable.of(artifact), vocabulary, rows=reference.rows, tokenizer=file)
    return compare(engine, reference, chosen, fidelity=artifact.fidelity)


def wrong(found: Masks) -> tuple[int, object, str | None]:
    """All that must not be there."""
    return found.unexplained, found.witness, found.error


@pytest.mark.xdist_group("toy-engines")
@pytest.mark.parametrize("name", names())
def test_every_engine_over_bytes(name: str) -> None:
    """No mask of any engine differs without an explanation, in every state of every policy; eleven ids are padding."""
    policy = policies()[name]
    reference = Reference(policy, BYTES, BYTES.size + 11)
    chosen = walks(reference.tables, BYTES, ENOUGH)
    compared = {}
    for found, runner in FORMATS:
        try:
            compared[found] = masks(policy, found, runner, reference, chosen)
        except (UnsupportedError, LimitError):
            continue  # the target refuses the policy
        except NotRunError:
            assert (runner.name, name in TOO_DEAR_FOR_OUTLINES_CORE) == ("outlines-core", True)

    assert {f: wrong(m) for f, m in compared.items()} == dict.fromkeys(compared, (0, None, None))
    assert len(compared) >= 4
    assert all(m.prefixes == len(chosen.rows) or m.texts for m in compared.values())


@cache
def llama_bytes() -> LlamaVocabulary:
    """llama.cpp over single bytes."""
    return LlamaVocabulary.of(BYTES)


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


def text(policy: Policy, target: str, vocabulary: Vocabulary) -> str:
    """The artefact."""
    found = compile_policy(policy, target, vocabulary).text
    assert found is not None
    return found


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
FAST = ("xgrammar", "llguidance", "outlines-fsm", "processor", "logit-bias")
"""Engines with a mask of a real vocabulary in less than a millisecond."""


@cache
def qwen() -> Vocabulary:
    """151,851 ids; a model has 151,936 rows."""
    return langc.load_vocabulary(assets.qwen151k())


@cache
def qwen_reference(name: str) -> tuple[Reference, Walks]:
    """2,000 walks at most."""
    reference = Reference(real_policies()[name], qwen(), 151_936)
    return reference, walks(reference.tables, qwen(), 2_000)


@pytest.mark.xdist_group("qwen151k")
@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("engine", FAST)
def test_fast_engines_over_a_real_vocabulary(
    engine: str, name: str, record_property: Callable[[str, object], None]
) -> None:
    """All masks over 151,936 rows are those of the matcher, or explained."""
    found, runner = next((f, r) for f, r in FORMATS if r.name == engine and f[0] != "llguidance")
    reference, chosen = qwen_reference(name)
    before = time.perf_counter()
    try:
        compared = masks(reference.policy, found, runner, reference, chosen)
    except UnsupportedError:
        assert (engine, name) == ("logit-bias", "ko-think")
        return
    record_property(
        MEASURED,
        f"{engine}, {name} over Qwen 151k: {compared.prefixes:,} masks compared in "
        f"{time.perf_counter() - before:.1f} s, with loading",
    )

    assert wrong(compared) == (0, None, None)
    assert compared.states == compared.reachable
    assert compared.prefixes >= 400


@pytest.mark.slow
@pytest.mark.xdist_group("qwen151k")
@pytest.mark.parametrize("name", ["ko", "ko-terms"])
def test_outlines_core_over_a_real_vocabulary(name: str) -> None:
    """All masks are those of the matcher, but for the empty text and the second end token."""
    found, runner = next((f, r) for f, r in FORMATS if r.name == "outlines-core")
    compared = masks(real_policies()[name], found, runner, *qwen_reference(name))

    assert wrong(compared) == (0, None, None)
    assert compared.faults["empty-text"] == 1


@cache
def smollm2() -> Vocabulary:
    """49,152 ids, as langc reads them from the file that llama.cpp reads too."""
    return langc.load_vocabulary(assets.smollm2_gguf())


@pytest.mark.xdist_group("smollm2")
@pytest.mark.parametrize("name", REAL)
def test_llamacpp_over_a_real_vocabulary(name: str, record_property: Callable[[str, object], None]) -> None:
    """All masks over a vocabulary as llama.cpp itself reads it are those of the matcher, or explained."""
    found, runner = next((f, r) for f, r in FORMATS if r.name == "llama.cpp")
    reference = Reference(real_policies()[name], smollm2())
    chosen = walks(reference.tables, smollm2(), 150)
    before = time.perf_counter()
    compared = masks(reference.policy, found, runner, reference, chosen, assets.smollm2_gguf())
    record_property(
        MEASURED,
        f"llama.cpp, {name} over SmolLM2: {compared.prefixes:,} masks compared in "
        f"{time.perf_counter() - before:.1f} s, with loading",
    )

    assert wrong(compared) == (0, None, None)
    assert compared.states == compared.reachable


@pytest.mark.xdist_group("smollm2")
@pytest.mark.parametrize("name", ["ko", "ko-terms"])
def test_llamacpp_does_not_slow_down(name: str) -> None:
    """A right-linear grammar keeps llama.cpp's stacks as they are: time is linear in the text.

    The second text repeats two terms that overlap, so that it can be read in many ways.
    """
    vocabulary = smollm2()
    engine = LlamaCpp(text(real_policies()[name], "gbnf", vocabulary), LlamaVocabulary.at(assets.smollm2_gguf()))
    repeated = "漢江" if name == "ko-terms" else "한국"
    once = [vocabulary.ids_for_bytes(bytes([b]))[0] for b in repeated.encode()]
    short, long = (min(_seconds(engine, once * n) for _ in range(3)) for n in (100, 800))

    assert long < 3 * 8 * short


def _seconds(engine: Engine, prefix: Sequence[int]) -> float:
    before = time.process_time()
    mask: Mask = engine.mask(prefix)
    assert mask.any()
    return time.process_time() - before
