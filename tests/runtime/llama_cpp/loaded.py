"""llama-cpp-python as it is released, over a llama.cpp that is built already.

Its own release would compile llama.cpp for half an hour. So only its Python is installed, and `LLAMA_CPP_LIB_PATH` has
it take the library of the package xllamacpp. That llama.cpp (b11549) is somewhat newer than the one that
llama-cpp-python 0.3.36 is made for. Their headers differ in one member of one structure, which is put in, and three
functions that have nothing to do with writing are not in the library.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Any
from unittest import mock

from tests import assets

MISSING = {"llama_max_parallel_sequences", "llama_model_quantize", "llama_model_quantize_default_params"}
NEW_MEMBER = ("moe_cache_size", ctypes.c_size_t)


class _Missing:
    """A function that is only missed when it is called."""

    def __call__(self, *_: object) -> object:
        raise NotImplementedError


class _Library(ctypes.CDLL):
    def __getattr__(self, name: str) -> Any:
        return _Missing() if name in MISSING else super().__getattr__(name)


@cache
def load() -> Any:
    """The module `llama_cpp`."""
    os.environ["LLAMA_CPP_LIB_PATH"] = str(assets.llama_library().parent)
    with mock.patch("ctypes.CDLL", _Library):
        import llama_cpp

    low = llama_cpp.llama_cpp
    fields = list(low.llama_context_params._fields_)
    fields.insert([name for name, _ in fields].index("abort_callback"), NEW_MEMBER)
    parameters = type("llama_context_params", (ctypes.Structure,), {"_fields_": fields})
    low.llama_context_default_params.restype = parameters
    low.llama_init_from_model.argtypes = [low.llama_init_from_model.argtypes[0], parameters]
    return llama_cpp


class Candidates:
    """A `llama_token_data_array` over memory of its own, in any order of ids."""

    def __init__(self, logits: dict[int, float], is_sorted: bool = False) -> None:
        llama_cpp = load()
        rows = [llama_cpp.llama_token_data(i, logit, 0.0) for i, logit in logits.items()]
        self._memory = (llama_cpp.llama_token_data * len(rows))(*rows)
        self.array = llama_cpp.llama_token_data_array(data=self._memory, size=len(rows), selected=-1, sorted=is_sorted)

    @property
    def pointer(self) -> Any:
        """As llama.cpp takes it."""
        return ctypes.pointer(self.array)

    @property
    def logits(self) -> dict[int, float]:
        """What is there now."""
        return {row.id: row.logit for row in self.array.data[: self.array.size]}

    @property
    def selected(self) -> int:
        """The chosen id."""
        assert 0 <= self.array.selected < self.array.size
        return int(self.array.data[self.array.selected].id)
