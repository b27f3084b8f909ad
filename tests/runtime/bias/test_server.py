"""llama.cpp's real server takes the bias and obeys it: a wrong format would be skipped without a word."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.ir.language import cover
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import IntervalSet
from tests.assets import smollm2_gguf
from tests.engines.llama_server import LlamaServer
from tests.runtime.bias.vocabularies import vocabulary

pytestmark = [pytest.mark.models, pytest.mark.xdist_group("static-bias")]

GREEDY = {"temperature": 0, "n_predict": 8, "cache_prompt": False}
PROMPT = "The capital of France is"


@pytest.fixture(scope="module")
def server() -> LlamaServer:
    """SmolLM2 with one slot."""
    return LlamaServer(smollm2_gguf(), slots=1)


@pytest.fixture(scope="module")
def smollm2() -> Vocabulary:
    """Its vocabulary."""
    return vocabulary("smollm2")


def test_the_greedy_first_token_gives_way(server: LlamaServer, smollm2: Vocabulary) -> None:
    """A canary: deny the characters of the token that comes first, and it does not come."""
    first = server.complete(PROMPT, **GREEDY).tokens[0]
    text = smollm2.token_bytes(first).decode()
    letters = IntervalSet.of(text.replace(" ", ""))
    policy = Policy(PolicyIR("canary", None, (), cover(letters.complement())))
    bias = langc.compile(policy, "logit-bias", smollm2, allow="under")
    after = server.complete(PROMPT, **GREEDY, logit_bias=bias.data)

    assert [first, False] in bias.data  # type: ignore[operator]
    assert first not in after.tokens
    assert not set(map(chr, letters)) & set(after.text)


def test_a_soft_bias_is_a_number(server: LlamaServer, smollm2: Vocabulary) -> None:
    """With a strength beyond every logit the soft form keeps the token out as well; with a tiny one it stays."""
    first = server.complete(PROMPT, **GREEDY).tokens[0]
    text = smollm2.token_bytes(first).decode()
    policy = Policy(PolicyIR("canary", None, (), cover(IntervalSet.of(text.strip()).complement())))
    strong, weak = (
        langc.compile(policy.with_(bias=b), "logit-bias", smollm2, allow="under").data for b in (1000.0, 0.001)
    )

    assert server.complete(PROMPT, **GREEDY, logit_bias=strong).tokens[0] != first
    assert server.complete(PROMPT, **GREEDY, logit_bias=weak).tokens[0] == first
