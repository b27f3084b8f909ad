"""The real server enforces what it is sent, and refuses what it cannot read."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.verify.engines.llamacpp import LlamaVocabulary
from langc.compiler.verify.engines.protocol import GrammarRefusedError
from tests import assets
from tests.engines.llama_server import LlamaServer

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("smollm2")]

PROMPT = "The capital of France is"


@pytest.fixture(scope="module")
def server() -> LlamaServer:
    """SmolLM2 behind HTTP."""
    return LlamaServer(assets.smollm2_gguf(), slots=2)


@pytest.fixture(scope="module")
def pieces() -> LlamaVocabulary:
    """Its tokens."""
    return LlamaVocabulary(assets.smollm2_gguf())


def greedy(server: LlamaServer, **options: object) -> tuple[int, ...]:
    """The tokens of a deterministic continuation."""
    return server.complete(PROMPT, temperature=0.0, seed=0, **options).tokens


def test_a_grammar_is_enforced(server: LlamaServer) -> None:
    """A grammar of one text leaves nothing else to write: the canary of every other test here."""
    completion = server.complete(PROMPT, grammar='root ::= "6"', n_predict=8)

    assert completion.text == "6"


def test_a_broken_grammar_is_refused(server: LlamaServer) -> None:
    """It is not silently dropped."""
    with pytest.raises(GrammarRefusedError, match="grammar"):
        server.complete(PROMPT, grammar="root ::= [a-z", n_predict=8)


def test_a_bias_is_enforced(server: LlamaServer) -> None:
    """The token that would come first is gone from the whole text once it is banned."""
    (first, *_) = greedy(server, n_predict=8)
    banned = greedy(server, n_predict=8, logit_bias=[[first, False]])

    assert len(banned) > 0
    assert first not in banned


def test_a_rare_syllable_is_written_through_byte_pieces(server: LlamaServer, pieces: LlamaVocabulary) -> None:
    """A policy that permits 뷁 alone makes the model write it, and it has no token of its own for it."""
    policy = langc.parse_policy('policy rare "One rare syllable" { only [뷁]; }')
    grammar = langc.compile(policy, "gbnf").text
    completion = server.complete(PROMPT, grammar=grammar, n_predict=9, ignore_eos=True)
    written = [pieces.piece(token) for token in completion.tokens]

    assert completion.text == "뷁뷁뷁"
    assert written == [b"\xeb", b"\xb7", b"\x81"] * 3
