"""`langc pressure` on what the real llama.cpp server answers, against the mask over its whole distribution."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import langc
from langc.compiler.cli import run
from langc.compiler.tokens.pressure.measure import measure
from langc.compiler.tokens.vocabulary import Vocabulary
from tests import assets
from tests.engines.llama_server import TIMEOUT_SECONDS, LlamaServer

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("smollm2")]

HAN = "漢字 어휘: 학교(學校), 대학(大學), 선생(先生), 학생("
ENGLISH = "The capital of France is Paris. The capital of Germany is"
CHAT = {"messages": [{"role": "user", "content": "Repeat after me: 你好, hello, 안녕."}], "temperature": 0}


@pytest.fixture(scope="module")
def server() -> LlamaServer:
    """SmolLM2 with one slot."""
    return LlamaServer(assets.smollm2_gguf(), slots=1)


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    """Its tokens."""
    return langc.load_vocabulary(assets.smollm2_gguf())


def ask(server: LlamaServer, path: str, **body: Any) -> dict[str, Any]:
    """One request."""
    request = urllib.request.Request(server.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as reply:
        return dict(json.load(reply))


def completion(server: LlamaServer, prompt: str, tokens: int, listed: int) -> dict[str, Any]:
    """The most probable continuation, with so many alternatives."""
    return ask(server, "/completion", prompt=prompt, n_predict=tokens, n_probs=listed, temperature=0, seed=1)


@pytest.fixture
def report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """What the command says of a response."""

    def call(response: object, *options: str) -> dict[str, Any]:
        path = tmp_path / "answer.json"
        path.write_text(json.dumps(response), encoding="utf-8")
        assert run(["pressure", "ko", str(path), "--json", *options]) == 0
        return dict(json.loads(capsys.readouterr().out)["total"])

    return call


@pytest.mark.parametrize(("prompt", "tokens"), [(HAN, 1), (ENGLISH, 3)])
def test_a_whole_distribution(
    server: LlamaServer, vocabulary: Vocabulary, report: Any, prompt: str, tokens: int
) -> None:
    """With every token listed, the bound is what the mask takes but for special tokens, which are not judged."""
    response = completion(server, prompt, tokens, vocabulary.size)
    found = report(response, "--tokenizer", str(assets.smollm2_gguf()))
    matcher = langc.Matcher("ko", vocabulary)
    exact, masked = 0.0, 0.0
    for entry in response["completion_probabilities"]:
        logits = np.full(vocabulary.size, -np.inf)
        for alternative in entry["top_logprobs"]:
            logits[alternative["id"]] = alternative["logprob"]
        exact += measure(logits, matcher.bias()).mass
        judged = ~np.isin(np.arange(vocabulary.size), list(vocabulary.special_ids - vocabulary.eos_ids))
        masked += float(np.exp(logits[judged & ~matcher.mask()]).sum())
        matcher.advance(entry["id"])

    assert found["steps"] == tokens
    assert found["mean_listed"] == pytest.approx(1, abs=1e-3)
    assert found["mean_pressure"] * tokens == pytest.approx(masked, rel=1e-9)
    assert found["mean_pressure"] * tokens == pytest.approx(exact, abs=1e-3)  # the server rounds as it normalises
    assert (found["mean_pressure"] > 0.8) == (prompt == HAN)


def test_more_alternatives_raise_the_bound(server: LlamaServer, report: Any) -> None:
    """The same answer with 5, 50 and 500 of them; where it wants Han it is refused at once."""
    found = [report(completion(server, HAN, 12, listed)) for listed in (5, 50, 500)]

    assert found[0]["mean_pressure"] < found[1]["mean_pressure"] < found[2]["mean_pressure"]
    assert found[0]["mean_listed"] < found[1]["mean_listed"] < found[2]["mean_listed"] <= 1
    assert found[0]["steps"] == found[2]["steps"] >= 3
    assert found[1]["top_refused"] >= 1
    assert found[1]["skipped"] == 0


def test_chat_completions(server: LlamaServer, report: Any) -> None:
    """The same in the other format."""
    response = ask(server, "/v1/chat/completions", **CHAT, max_tokens=16, logprobs=True, top_logprobs=20)
    found = report(response)

    assert found["steps"] + found["skipped"] == len(response["choices"][0]["logprobs"]["content"]) >= 3
    assert 0 < found["mean_pressure"] < 1
    assert 0.5 < found["mean_listed"] <= 1


def test_an_answer_without_probabilities(server: LlamaServer, tmp_path: Path) -> None:
    """What the same server answers if nobody asked for them, or asked for those after sampling."""
    for options in ({}, {"n_probs": 3, "post_sampling_probs": True}):
        path = tmp_path / "answer.json"
        path.write_text(json.dumps(ask(server, "/completion", prompt="a", n_predict=2, **options)), encoding="utf-8")
        assert run(["pressure", "ko", str(path)]) == 2
