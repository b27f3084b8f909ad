"""SmolLM2 writes JSON of a recursive schema under `ko`: every finished text is JSON, and no string of it leaks.

The schema is the engine's business, the characters are the policy's; what comes out is judged by Python's `json`, by
`jsonschema` and by the Script property.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

import langc
from tests import assets
from tests.conftest import MEASURED
from tests.models.test_generation import COUNT, Model, Record, record
from tests.models.trial import Arm, Text, denied, generate

pytestmark = [pytest.mark.models, pytest.mark.slow, pytest.mark.xdist_group("smollm2")]

__all__ = ["record"]

TREE = {
    "$defs": {
        "word": {
            "type": "object",
            "properties": {
                "낱말": {"type": "string", "minLength": 1, "maxLength": 16},
                "짝": {"type": "array", "items": {"$ref": "#/$defs/word"}, "maxItems": 2},
            },
            "required": ["낱말", "짝"],
            "additionalProperties": False,
        }
    },
    "$ref": "#/$defs/word",
}

PROMPTS = (
    '{"漢字": "學校", "짝": [{"漢字": "大學", "짝": []}]}\n',
    '日本語: {"낱말": "学生", "짝": [{"낱말": "先生", "짝": []}]}\n日本語: ',
    '{"낱말": "\\u6f22\\u5b57", "짝": []}\n{"낱말": "\\u5927\\u5b78", "짝": []}\n',
    "한국어 단어와 한자: 국가(國家), 사회(社會), 경제(經濟)\nJSON: ",
)
"""After each of them the model goes on in Han or Kana under the schema alone, after the third in escapes."""

NEW_TOKENS = 96

ANYTHING = langc.parse_policy(r"policy anything { deny [\u{10FFFF}]; }")


@pytest.fixture(scope="module")
def model() -> Model:
    """SmolLM2."""
    return Model("smollm2", assets.smollm2_gguf())


def grammar(engine: str, vocabulary: langc.Vocabulary) -> Any:
    """The schema, compiled."""
    if engine == "xgrammar":
        return langc.xgrammar.json_schema(TREE, vocabulary, any_whitespace=False)
    return langc.llguidance.json_schema(TREE, vocabulary, whitespace_flexible=False)


def write(model: Model, engine: str, policy: langc.Policy, name: str) -> Arm:
    """One arm. A dead end would raise, with its reason."""
    joined = grammar(engine, model.vocabulary)

    def processors(prompt_length: int) -> list[Any]:
        return [langc.hf.PolicyLogitsProcessor(policy, model.vocabulary, prompt_length=prompt_length, join=joined)]

    return generate(
        model.name, model.path, model.transformers, f"{engine} {name}", COUNT, processors, PROMPTS, NEW_TOKENS
    )


def leaks(text: Text) -> list[str]:
    """The denied characters of a text as a reader of the JSON sees them; of one that was cut off, as it stands."""
    shown = json.dumps(json.loads(text.data), ensure_ascii=False) if text.ended else text.shown
    return denied(shown)


def escaped(text: Text) -> str:
    r"""The last in Unicode's order of the characters that are spelled `\uXXXX`; only control characters need to be."""
    escapes = re.findall(r"\\(?:u([0-9A-Fa-f]{4})|.)", text.shown)  # `\\` is an escape too
    return max((chr(int(digits, 16)) for digits in escapes if digits), default="")


def test_the_schema_alone_leaks(model: Model, record: Record) -> None:
    """Left to the schema, the model writes Han or Kana, or the trial shows nothing."""
    soft = ANYTHING.with_(mode="soft", bias=0.5)  # a soft policy reads no strings and bars no escape
    arm = record(write(model, "xgrammar", soft, "JSON alone"))

    assert sum(bool(leaks(text)) for text in arm.texts) >= COUNT / 10


@pytest.mark.parametrize("engine", ["xgrammar", "llguidance"])
def test_schema_and_policy_together(
    model: Model, record: Record, record_property: Callable[[str, object], None], engine: str
) -> None:
    """No dead end; what the model ended is JSON of the schema; nothing denied, spelled or escaped, in any text."""
    arm = record(write(model, engine, langc.load_policy("ko"), "JSON and ko"))
    ended = [text for text in arm.texts if text.ended]
    record_property(MEASURED, f"{arm.name}: {len(ended)} of {COUNT} ended, the others were cut off")

    assert (arm.violating, arm.characters) == (0, 0)
    assert [leaks(text) for text in arm.texts] == [[]] * COUNT
    for text in ended:
        jsonschema.validate(json.loads(text.data.decode()), TREE)
    assert [escaped(text) for text in arm.texts if escaped(text) >= " "] == []
    assert len(ended) >= COUNT / 10, "when the model closes its lists is its own affair, but some texts must be whole"
