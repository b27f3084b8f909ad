"""A policy in llama.cpp: a logits processor of llama-cpp-python (0.3), and a sampler of llama.cpp's own interface.

`llama(prompt, logits_processor=LogitsProcessorList([PolicyLogitsProcessor(policy, llama)]))`; for chains of samplers
there is `PolicySampler`. Neither imports `llama_cpp`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from langc.targets.runtime._held import HeldProcessor
from langc.targets.runtime._llama_sampler import PolicySampler, leave_end

__all__ = ["PolicyLogitsProcessor", "PolicySampler"]


class PolicyLogitsProcessor(HeldProcessor):
    """Masks (or, for a soft policy, lowers) what the policy does not permit.

    llama-cpp-python calls it inside of llama.cpp, where an exception would be shown and forgotten, and the text go on
    unmasked. So before anything is raised all scores but those of end-of-sequence are refused, and the text ends.

    Args:
        policy: what may be written, a policy or a surface; or a policy's path or ready name, for `load_policy`.
        vocabulary: the `Llama`; or the path of its GGUF file, or whatever else `load_vocabulary` takes.
        prompt_length: how many ids are prompt. None takes the width of the first call; a later generation is noticed
            when its prompt differs.
        join: a grammar that the text obeys as well, of `langc.xgrammar` or `langc.llguidance`; see `PolicyProcessor`.
        on_dead_end: what to do where policy and grammar leave nothing: `error` raises DeadEndError, `stop` ends the
            text.
        max_tokens: the `max_tokens` of the call, if every text is to end in time; see `PolicyProcessor`.
        pressure: records what is taken from the scores of every call, see `Pressure`; nothing is recorded if not given.

    Raises:
        ValueError: the `Llama` has a draft model: it hands out drafted tokens as if they had been written.
    """

    error: BaseException | None = None
    """What was raised last, if anything was; the text ended there."""

    def reset(self) -> None:
        """Forget the prompt, and what was raised: the next call begins a generation."""
        self.error = None
        super().reset()

    def __call__(self, input_ids: npt.NDArray[np.intc], scores: npt.NDArray[np.single]) -> npt.NDArray[np.single]:
        """New scores, float32 [V] as `scores`; `input_ids` [T] are all ids so far. Raises as `PolicyProcessor`."""
        try:
            return self._processor(input_ids, np.ascontiguousarray(scores, np.float32))
        except BaseException as error:
            self.error = error
            leave_end(scores, np.arange(len(scores)), self._processor.eos_ids)
            raise

    @staticmethod
    def _tokens(vocabulary: Any) -> Any:
        """In place of a `Llama`, the path of its file."""
        path = getattr(vocabulary, "model_path", None)
        if path is None:
            return vocabulary
        if getattr(vocabulary, "draft_model", None) is not None:
            raise ValueError("with a draft model llama-cpp-python hands out drafted tokens as if they had been written")
        return path
