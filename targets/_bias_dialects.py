"""What each server takes as `logit_bias`: shape, range and number of entries.

docs/targets/logit-bias.md has the sources.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langc.compiler.target import Json

Value = float | int | bool


@dataclass(frozen=True)
class Dialect:
    """One server's form."""

    name: str
    ban: Value
    """The value that bans a token."""
    lowest: float | None
    """The lowest value that the server takes as it is; None if there is no such bound."""
    whole: bool
    """Whether values must be whole numbers."""
    cap: int | None
    """The most entries that one request may have; None if any number goes."""
    shape: Callable[[Sequence[int], Value], Json]


def _pairs(ids: Sequence[int], value: Value) -> Json:
    return [[i, value] for i in ids]


def _table(ids: Sequence[int], value: Value) -> Json:
    return {str(i): value for i in ids}


DIALECTS = {
    d.name: d
    for d in (
        # `false` is minus infinity; ids out of range are ignored, malformed entries skipped.
        Dialect("llama.cpp", False, None, False, None, _pairs),
        # The range and whole numbers are in the API reference; the cap of 300 is what users report.
        Dialect("openai", -100, -100, True, 300, _table),
        # Values are clamped to the same range; its own model runner refuses more than 1,024 entries.
        Dialect("vllm", -100.0, -100, False, 1024, _table),
    )
}
