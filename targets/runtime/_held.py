"""What the logits processors of engines share: a `PolicyProcessor` that does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from langc.compiler.tokens.joined.parts import PartMaker
from langc.compiler.tokens.pressure.pressure import Pressure
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime._sources import Given
from langc.targets.runtime.arrays import PolicyProcessor


class HeldProcessor:
    """Made as a `PolicyProcessor` is; what an engine calls is told by each."""

    _processor: PolicyProcessor

    def __init__(
        self,
        policy: Given,
        vocabulary: Vocabulary | Any,
        prompt_length: int | None = None,
        *,
        join: PartMaker | None = None,
        on_dead_end: str = "error",
        max_tokens: int | None = None,
        pressure: Pressure | None = None,
    ) -> None:
        self._processor = PolicyProcessor(
            policy,
            self._tokens(vocabulary),
            prompt_length,
            join=join,
            on_dead_end=on_dead_end,
            max_tokens=max_tokens,
            pressure=pressure,
        )

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        vocabulary: Vocabulary | None = None,
        prompt_length: int | None = None,
        *,
        max_tokens: int | None = None,
        pressure: Pressure | None = None,
    ) -> Self:
        """From what `langc compile --target processor` wrote. Raises as `PolicyProcessor.from_file`."""
        new = cls.__new__(cls)
        new._processor = PolicyProcessor.from_file(
            path, vocabulary, prompt_length, max_tokens=max_tokens, pressure=pressure
        )
        return new

    def reset(self) -> None:
        """Forget the prompt: the next call begins a generation."""
        self._processor.reset()

    @staticmethod
    def _tokens(vocabulary: Any) -> Any:
        """What `load_vocabulary` takes, for what an engine's users have at hand."""
        return vocabulary
