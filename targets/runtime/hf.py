"""A policy as a logits processor of transformers (5.x): `model.generate(..., logits_processor=[processor])`."""

from __future__ import annotations

from langc.targets.runtime._needs import needs

with needs("transformers"):
    import torch
    from transformers import LogitsProcessor

from langc.compiler.tokens.stopping import Stopping
from langc.targets.runtime._ends import raise_end
from langc.targets.runtime._held import HeldProcessor


class PolicyLogitsProcessor(HeldProcessor, LogitsProcessor):
    """Masks (or, for a soft policy, lowers) what the policy does not permit, row by row.

    Args:
        policy: what may be written, a policy or a surface; or a policy's path or ready name, for `load_policy`.
        vocabulary: the tokens it is written in; or anything that `load_vocabulary` takes.
        prompt_length: how many ids at the start of each row, left padding included, are prompt. None takes
            the width of the first call; a later generation is noticed when its prompt differs.
        join: a grammar that the text obeys as well, of `langc.xgrammar` or `langc.llguidance`; see `PolicyProcessor`.
        on_dead_end: what to do where policy and grammar leave nothing: `error` raises DeadEndError, `stop` ends the
            row.
        max_tokens: the `max_new_tokens` of `generate`, if every row is to end in time; see `PolicyProcessor`.
        pressure: records what is taken from the scores of every call, see `Pressure`; nothing is recorded if not given.
    """

    # transformers passes exactly these two; a third parameter would be an error there.
    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """New scores, of the shape, dtype and device of `scores` [B, V]; `input_ids` int64 [B, T]."""
        ids, rows = input_ids.cpu().numpy(), scores.shape[-1]
        if self._processor.pressure is not None:
            self._processor.observe(ids, scores.float().cpu().numpy())
        if endings := self._processor.endings(ids, rows):
            scores = _ended(scores, endings, self._processor.eos_ids)
        # New ones: `generate` hands out the raw logits too if it is asked to.
        changed: torch.FloatTensor = self._processor.applied(ids, scores)
        return changed


def _ended(scores: torch.FloatTensor, endings: list[Stopping], eos_ids: list[int]) -> torch.FloatTensor:
    """A copy of the scores in which end-of-sequence has what a `stop before` takes from other tokens."""
    raised: torch.FloatTensor = scores.clone()
    for row, ending in zip(raised, endings, strict=True):
        raise_end(row, ending, eos_ids)
    return raised
