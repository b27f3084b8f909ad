"""SmolLM2 and Gemma write under each enforced target: nothing denied comes out; without, it does.

`make test` takes 20 texts an arm, `make test-models` 200 (environment variable `LANGC_GENERATIONS`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import langc
from tests import assets
from tests.conftest import MEASURED
from tests.engines.llama_server import LlamaServer
from tests.models.trial import HEAD, Arm, generate, row, serve, write
from tests.runtime.llama_cpp.loaded import load as load_llama_cpp

COUNT = int(os.environ.get("LANGC_GENERATIONS", "20"))
POLICY = "ko"

pytestmark = [pytest.mark.models, pytest.mark.slow]


class Model:
    """A model with all that is loaded for it, each part when it is first used."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path

    @cached_property
    def server(self) -> LlamaServer:
        """llama.cpp's server."""
        return LlamaServer(self.path)

    @cached_property
    def llama(self) -> Any:
        """llama-cpp-python's model."""
        kind = load_llama_cpp().Llama
        return kind(str(self.path), n_ctx=512, n_threads=1, n_threads_batch=1, verbose=False)

    @cached_property
    def transformers(self) -> Any:
        """The same weights in transformers, read from the GGUF file once and kept as safetensors."""
        from transformers import AutoModelForCausalLM

        folder = assets.make_once(f"{self.name}-float32", self._convert)
        return AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)

    @cached_property
    def vocabulary(self) -> langc.Vocabulary:
        """langc's view of the tokens."""
        return langc.load_vocabulary(self.path)

    def _convert(self, folder: Path) -> None:
        import torch
        from transformers import AutoModelForCausalLM

        model = AutoModelForCausalLM.from_pretrained(self.path.parent, gguf_file=self.path.name, dtype=torch.float32)
        del model.config.quantization_config  # the weights are plain numbers now, but the loader still marks them
        AutoModelForCausalLM.from_config(model.config, dtype=torch.float32).save_pretrained(
            folder, state_dict=model.state_dict()
        )


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(("smollm2", assets.smollm2_gguf), id="smollm2", marks=pytest.mark.xdist_group("smollm2")),
        pytest.param(("gemma", assets.gemma_gguf), id="gemma", marks=pytest.mark.xdist_group("gemma")),
    ],
)
def model(request: pytest.FixtureRequest) -> Model:
    """The model under trial."""
    name, path = request.param
    return Model(name, path())


Record = Callable[[Arm], Arm]


@pytest.fixture
def record(record_property: Callable[[str, object], None]) -> Record:
    """Puts the figures of an arm on the closing list."""

    def put(arm: Arm) -> Arm:
        record_property(MEASURED, HEAD)
        record_property(MEASURED, row(arm))
        return arm

    return put


def assert_clean(arm: Arm) -> None:
    """Nothing denied, neither shown nor spelled by the bytes, and the model did write."""
    assert (arm.violating, arm.characters) == (0, 0)
    assert len(arm.texts) == COUNT
    assert arm.tokens >= 5 * COUNT


def test_llamacpp_without_policy_violates(model: Model, record: Record) -> None:
    """Left alone in llama.cpp, the model writes Han or Kana in at least one text of ten, or the trial shows nothing."""
    arm = record(serve(model.name, model.path, model.server, "llama.cpp alone", COUNT))

    assert arm.violating >= COUNT / 10


def test_llamacpp_under_the_grammar_is_clean(model: Model, record: Record) -> None:
    """The GBNF target keeps every text clean."""
    grammar = langc.compile(POLICY, "gbnf").text
    arm = record(serve(model.name, model.path, model.server, "llama.cpp grammar", COUNT, grammar=grammar))

    assert_clean(arm)


def test_llamacpp_under_tight_bias_is_clean(model: Model, record: Record) -> None:
    """The tight static bias keeps every text clean, joined fragments included."""
    bias = langc.compile(POLICY, "logit-bias", model.vocabulary, dialect="llama.cpp", allow="under").data
    arm = record(serve(model.name, model.path, model.server, "llama.cpp tight bias", COUNT, logit_bias=bias))

    assert_clean(arm)


def test_llamacpp_under_the_processor_is_clean(model: Model, record: Record) -> None:
    """The logits processor keeps every text clean in llama-cpp-python, one processor for all texts."""
    processor = langc.llama_cpp.PolicyLogitsProcessor(POLICY, model.llama)
    arm = record(write(model.name, model.path, model.llama, "llama.cpp processor", COUNT, processor))

    assert processor.error is None
    assert_clean(arm)


def test_transformers_without_policy_violates(model: Model, record: Record) -> None:
    """Left alone in transformers, the model violates as well."""
    arm = record(
        generate(model.name, model.path, model.transformers, "transformers alone", COUNT, lambda prompt_length: [])
    )

    assert arm.violating >= COUNT / 10


def test_transformers_under_the_processor_is_clean(model: Model, record: Record) -> None:
    """The logits processor keeps every text clean, with many rows in a batch."""
    policy = langc.load_policy(POLICY)

    def processors(prompt_length: int) -> list[Any]:
        return [langc.hf.PolicyLogitsProcessor(policy, model.vocabulary, prompt_length=prompt_length)]

    arm = record(generate(model.name, model.path, model.transformers, "transformers processor", COUNT, processors))

    assert_clean(arm)
