"""Real models under policy ko: where they want Han the pressure is high, in plain English there is none."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import torch
from fontTools.unicodedata import script

import langc
from langc.compiler.verify.engines.llamacpp import LlamaVocabulary
from tests import assets
from tests.conftest import MEASURED
from tests.models.test_generation import Model
from tests.models.trial import DENIED

pytestmark = [pytest.mark.models, pytest.mark.slow]

MODELS: dict[str, Callable[[], Path]] = {"smollm2": assets.smollm2_gguf, "gemma": assets.gemma_gguf}
HAN = "漢字 어휘: 학교(學校), 대학(大學), 선생(先生), 학생("
ENGLISH = "The capital of France is Paris. The capital of Germany is"
STEPS = 8

models = pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.xdist_group(n)) for n in MODELS], ids=list(MODELS)
)


@cache
def model(name: str) -> Model:
    """A model, loaded once."""
    return Model(name, MODELS[name]())


@cache
def report(name: str, policy: str, prompt: str) -> langc.PressureReport:
    """What the policy takes while the model writes `STEPS` tokens, the most probable one each time."""
    loaded = model(name)
    ids = torch.tensor([LlamaVocabulary(loaded.path).tokenize(prompt)])
    pressure = langc.Pressure(worst=STEPS)
    loaded.transformers.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        do_sample=False,
        max_new_tokens=STEPS,
        pad_token_id=0,
        logits_processor=[
            langc.hf.PolicyLogitsProcessor(policy, loaded.vocabulary, ids.shape[1], pressure=pressure),
        ],
    )
    return pressure.report


def wants_han(text: str) -> bool:
    """Whether a token has a denied character, or only bytes of one."""
    return "\\x" in text or any(script(c) in DENIED for c in text)


@models
def test_where_a_model_wants_han(name: str, record_property: Callable[[str, object], None]) -> None:
    """Behind `학생(` it wants 學生: most is taken at once, what is refused is Han, and what is left is far down."""
    found = report(name, "ko", HAN)
    worst = found.worst[0]
    record_property(MEASURED, f"pressure of ko on {name}: {found.mean:.3f} on average, {worst}")

    assert worst.where == "row 0, step 1"
    assert worst.mass > 0.8
    assert worst.before.endswith("학생(")
    assert worst.refused is not None
    assert worst.allowed is not None
    assert wants_han(worst.refused.text)
    assert not wants_han(worst.allowed.text)
    assert worst.allowed.candidate.rank > 3
    assert found.heavy >= 1
    assert found.top_refused >= 1


@models
def test_plain_english_is_left_alone(name: str) -> None:
    """The same policy takes next to nothing from a model that writes English."""
    found = report(name, "ko", ENGLISH)

    assert (found.top_refused, found.heavy) == (0, 0)
    assert found.mean < 0.001


@models
def test_a_policy_that_permits_it_takes_nothing(name: str) -> None:
    """Under a policy against invisible characters the same Han costs nothing: it is the policy, not the prompt."""
    found = report(name, "no-invisible", HAN)

    assert found.top_refused == 0
    assert found.mean < 0.01
