"""That llama-cpp-python and the library under it fit together; where they do not, other tests would mean nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.llama_cpp.loaded import load

pytestmark = pytest.mark.engines


def named(structure: Any) -> dict[str, Any]:
    """The members that are numbers and flags."""
    values = {name: getattr(structure, name) for name, _ in structure._fields_}
    return {name: value for name, value in values.items() if isinstance(value, int | float)}


def test_the_defaults_stand_where_they_are_declared() -> None:
    """Those of `llama_context_default_params` and `llama_model_default_params` in llama.cpp's sources."""
    llama_cpp = load()
    context = named(llama_cpp.llama_context_default_params())
    model = named(llama_cpp.llama_model_default_params())

    assert (context["n_ctx"], context["n_batch"], context["n_ubatch"], context["n_seq_max"]) == (512, 2048, 512, 1)
    assert (context["type_k"], context["type_v"], context["moe_cache_size"]) == (1, 1, 0)
    flags = ("embeddings", "offload_kqv", "no_perf", "op_offload", "swa_full", "kv_unified")
    assert [context[name] for name in flags] == [False, True, True, True, True, False]
    assert (context["n_samplers"], model["vocab_only"], model["check_tensors"]) == (0, False, False)
