"""The `fsm` of target outlines in outlines 1.3: `outlines.Generator(model, processor=FsmLogitsProcessor(fsm))`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langc.targets.runtime._needs import needs

with needs("outlines"):
    import torch
    from outlines.processors import OutlinesLogitsProcessor

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.tokens.portable import ArtifactError
from langc.targets._fsm import Fsm
from langc.targets.runtime.arrays import PolicyProcessor


class FsmLogitsProcessor(OutlinesLogitsProcessor):
    """Masks what the automaton refuses, row by row.

    States go by the tokens of a row, never by its place: rows may be reordered, repeated and taken back.

    Args:
        fsm: the artefact's `data`, or the JSON value of its file.
        prompt_length: how many ids at the start of each row, padding included, are prompt; None takes the width
            of the first call after a `reset`, which outlines makes before each generation.

    Raises:
        ArtifactError: `fsm` is unsound (LC0506).
    """

    def __init__(self, fsm: Mapping[str, Any], prompt_length: int | None = None) -> None:
        super().__init__("torch")
        self._processor = PolicyProcessor.from_tables(Fsm.load(fsm), prompt_length)

    @classmethod
    def from_file(cls, path: str | Path, prompt_length: int | None = None) -> FsmLogitsProcessor:
        """From what `langc compile --target outlines` wrote. Raises ArtifactError (LC0506) if it is unsound."""
        try:
            value = json.loads(Path(path).read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise ArtifactError(Diagnostic("LC0506", f"{path} cannot be read: {error}")) from error
        return cls(value, prompt_length)

    def reset(self) -> None:
        """Forget the histories: outlines is about to begin a generation."""
        self._processor.reset()

    def process_logits(self, input_ids: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
        """New logits, float [B, V], minus infinity where the automaton refuses; `input_ids` are integers [B, T].

        Raises UnsupportedTokenizerError (LC0650) if V is smaller than the vocabulary, DeadEndError (LC0403) if a
        row is outside the policy.
        """
        bias = self._processor.bias(input_ids.cpu().numpy(), logits.shape[-1])
        return logits + torch.from_numpy(bias).to(device=logits.device, dtype=logits.dtype)
