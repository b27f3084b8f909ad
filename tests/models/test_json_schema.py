"""SmolLM2 fills in a JSON schema under `ko`: every text is JSON, valid, and holds nothing denied behind any escape.

The schema bounds every string, so that each text ends within `NEW_TOKENS`. What comes out is judged by Python's `json`,
by `jsonschema` and by the Script property.
"""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

import langc
from tests import assets
from tests.models.test_generation import COUNT, Model, Record, record
from tests.models.trial import Arm, Text, denied, generate, serve

pytestmark = [pytest.mark.models, pytest.mark.slow, pytest.mark.xdist_group("smollm2")]

__all__ = ["record"]

ENTRY = {
    "type": "object",
    "properties": {
        "낱말": {"type": "string", "minLength": 1, "maxLength": 6},
        "갈래": {"enum": ["이름씨", "動詞", "움직씨"]},
        "해": {"type": "integer", "minimum": 1, "maximum": 2100},
        "보기": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 6}, "maxItems": 2},
    },
    "required": ["낱말", "갈래"],
    "additionalProperties": False,
}
NEW_TOKENS = 200
"""More than the longest text can have: 18 characters in strings, of six tokens at most, and what stands around them."""

ANYTHING = langc.parse_policy(r"policy anything { deny [\u{10FFFF}]; }")
"""Shows what the schema alone lets through."""


@pytest.fixture(scope="module")
def model() -> Model:
    """SmolLM2."""
    return Model("smollm2", assets.smollm2_gguf())


def under_the_grammar(model: Model, policy: langc.Policy, name: str) -> Arm:
    """llama.cpp's server, with the GBNF of policy and schema."""
    grammar = langc.compile(policy.with_(json_schema=ENTRY), "gbnf").text
    return serve(model.name, model.path, model.server, name, COUNT, grammar=grammar, n_predict=NEW_TOKENS)


def assert_json(arm: Arm, texts: list[Text]) -> None:
    """Each text is a whole, valid JSON text, and decoding it brings nothing denied to light."""
    values = [json.loads(text.data.decode()) for text in texts]
    for value in values:
        jsonschema.validate(value, ENTRY)
    assert [denied(json.dumps(value, ensure_ascii=False)) for value in values] == [[]] * COUNT
    assert (arm.violating, arm.characters) == (0, 0)


def test_the_schema_alone_leaks(model: Model, record: Record) -> None:
    """Under the schema without a policy the model writes Han or Kana, or the trial shows nothing."""
    arm = record(under_the_grammar(model, ANYTHING, "llama.cpp schema"))

    assert sum(bool(denied(text.shown)) for text in arm.texts) >= COUNT / 10


def test_llamacpp_under_the_grammar(model: Model, record: Record) -> None:
    """The GBNF target: every text is ended, valid and clean."""
    arm = record(under_the_grammar(model, langc.load_policy("ko"), "llama.cpp schema, ko"))

    assert_json(arm, list(arm.texts))


def test_transformers_under_the_processor(model: Model, record: Record) -> None:
    """The processor: the same, and the model ended each text itself."""
    policy = langc.load_policy("ko").with_(json_schema=ENTRY)

    def processors(prompt_length: int) -> list[Any]:
        return [langc.hf.PolicyLogitsProcessor(policy, model.vocabulary, prompt_length=prompt_length)]

    arm = record(
        generate(
            model.name, model.path, model.transformers, "processor schema, ko", COUNT, processors, new_tokens=NEW_TOKENS
        )
    )

    assert all(text.ended for text in arm.texts)
    assert_json(arm, list(arm.texts))
