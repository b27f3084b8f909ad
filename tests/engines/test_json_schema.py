"""The artefacts of policies with a JSON schema in the real engines: a table of texts, and whole answers of a server."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import jsonschema
import pytest

import langc
from langc.compiler.policy import Policy
from langc.compiler.verify.engines.llamacpp import LlamaCpp, LlamaVocabulary
from langc.compiler.verify.engines.llguidance import LlGuidance
from langc.compiler.verify.engines.protocol import BYTES, Engine, Verdict, judge
from langc.compiler.verify.engines.xgrammar import XGrammar
from tests import assets
from tests.engines.full_match import python_re, rust_regex
from tests.engines.llama_server import LlamaServer

pytestmark = [pytest.mark.engines, pytest.mark.slow, pytest.mark.xdist_group("smollm2")]

PERSON: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "이름": {"type": "string", "minLength": 1, "maxLength": 12},
        "age": {"type": "integer", "minimum": 0, "maximum": 130},
        "rôle": {"enum": ["관리자", "管理者", None]},
        "tags": {"type": "array", "items": {"type": "string", "pattern": "^[가-힣]+$", "maxLength": 4}, "maxItems": 2},
        "score": {"type": "number", "exclusiveMinimum": 0, "maximum": 9.5},
    },
    "required": ["이름"],
}
KO = langc.load_policy("ko")
PHRASES = langc.parse_policy(
    """policy phrases {
        deny script Han;
        deny phrase "as an AI" { ignore case; }
        allow "漢江";
        region gloss = after [가-힣] between "(" ")" { only script Han up to 3 }
    }"""
)
ONE_STRING: Mapping[str, Any] = {"type": "string"}

Case = tuple[Policy, str, bool]
CASES: Sequence[Case] = [
    *(
        (KO.with_(json_schema=PERSON), text, fine)
        for text, fine in [
            ('{"이름":"김"}', True),
            ('{"이름": "김구", "age": 73, "rôle": "관리자", "tags": ["가", "나다"], "score": 9.5}', True),
            ('{"이름":"a\\"b\\\\\\n\\u0001"}', True),
            ('{"이름":"김","rôle":null,"score":0.000001}', True),
            ('{"이름":"中"}', False),
            ('{"이름":"\\u4e2d"}', False),
            ('{"이름":"\\u0041"}', False),
            ('{"이름":"\\ud83d\\ude00"}', False),
            ('{"이름":"😀"}', True),
            ('{"이름":"a\\/"}', False),
            ('{"이름":"\\u000a"}', False),
            ('{"이름":""}', False),
            ('{"이름":"1234567890123"}', False),
            ('{"이름":"김","rôle":"管理者"}', False),
            ('{"이름":"김","age":131}', False),
            ('{"이름":"김","age":-1}', False),
            ('{"이름":"김","age":007}', False),
            ('{"이름":"김","score":0}', False),
            ('{"이름":"김","score":9.51}', False),
            ('{"이름":"김","tags":["가a"]}', False),
            ('{"이름":"김","tags":["가","나","다"]}', False),
            ('{"age":1}', False),
            ('{"age":1,"이름":"김"}', False),
            ('{"이름":"김","이름":"김"}', False),
            ('{"이름":"김","x":1}', False),
            ('{"이름":"김",  "age":1}', False),
            ('{"이름":"김"} ', False),
            ("null", False),
            ("", False),
        ]
    ),
    *(
        (PHRASES.with_(json_schema=ONE_STRING), text, fine)
        for text, fine in [
            ('"漢江"', True),
            ('"漢"', False),
            ('"한국(韓國)"', True),
            ('"한국(abc)"', True),
            ('"한국(韓國"', False),
            ('"I as an A"', True),
            ('"As An AI"', False),
            ('"(韓國)"', False),
            ('"a\\n漢江"', True),
        ]
    ),
    *(
        (KO.with_(json_strings=True), text, fine)
        for text, fine in [
            ('{"가":[1,{"b":"\\n"}],\n "c":true}', True),
            ('{"中":1}', False),
            ('"\\u4e2d"', False),
            ('"a" 中', False),
            ('"a', False),
        ]
    ),
]


@cache
def llama_bytes() -> LlamaVocabulary:
    """llama.cpp over single bytes."""
    return LlamaVocabulary.of(BYTES)


def _text(policy: Policy, target: str) -> str:
    return langc.compile(policy, target).text or ""


TARGETS: Mapping[str, Callable[[Policy], Engine]] = {
    "llama.cpp": lambda policy: LlamaCpp(_text(policy, "gbnf"), llama_bytes()),
    "xgrammar": lambda policy: XGrammar(_text(policy, "xgrammar"), BYTES),
    "llguidance": lambda policy: LlGuidance(_text(policy, "llguidance"), BYTES, "lark"),
}


@pytest.mark.parametrize("name", TARGETS)
def test_engines_take_what_the_policy_takes(name: str) -> None:
    """Text by text; a policy is compiled once."""
    engines = {id(policy): TARGETS[name](policy) for policy in {id(p): p for p, _, _ in CASES}.values()}
    wrong = [(t, f) for p, t, f in CASES if (judge(engines[id(p)], t.encode()) is Verdict.ACCEPT) != f]

    assert wrong == []


@pytest.mark.parametrize(("dialect", "match"), [("python", python_re), ("rust", rust_regex)])
def test_expressions_match_what_the_policy_takes(
    dialect: str, match: Callable[[str, Sequence[str]], list[bool]]
) -> None:
    """The same for regular expressions."""
    for policy in {id(p): p for p, _, _ in CASES}.values():
        texts = [(t, f) for p, t, f in CASES if p is policy]
        expression = langc.compile(policy, "regex", dialect=dialect).text or ""

        assert match(expression, [t for t, _ in texts]) == [f for _, f in texts]


def test_the_table_is_what_json_and_jsonschema_say() -> None:
    """The permitted texts of the schema are valid; the refused ones are not, or are as the documentation lists."""
    policy = CASES[0][0]
    for text in (t for p, t, fine in CASES if p is policy and fine):
        jsonschema.validate(json.loads(text), PERSON)


def test_a_real_server_writes_valid_json() -> None:
    """SmolLM2 at temperature 1 behind llama.cpp's server: whatever it writes is valid and ends."""
    policy = KO.with_(json_schema=PERSON)
    server = LlamaServer(assets.smollm2_gguf(), slots=4)
    asked = [
        {"prompt": "中国的首都是北京。JSON: ", "seed": seed, "temperature": 1.0, "n_predict": 220} for seed in range(8)
    ]
    answers = server.complete_all({**request, "grammar": _text(policy, "gbnf")} for request in asked)

    for answer in answers:
        jsonschema.validate(json.loads(answer.text), PERSON)
        assert policy.accepts(answer.text)
