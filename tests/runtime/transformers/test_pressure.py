"""What `langc.hf` records inside `generate`, against the scores that a processor before it saw."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import LogitsProcessor, LogitsProcessorList

import langc
from tests.runtime.transformers.test_hf import PADDED_ROWS, POLICY, PROMPT, _model, _vocabulary

pytestmark = pytest.mark.engines
END = 261


class Spy(LogitsProcessor):  # type: ignore[misc]  # transformers has no types here
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[list[int]], torch.Tensor]] = []

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        self.calls.append((input_ids[:, len(PROMPT) :].tolist(), scores.clone()))
        return scores


def masked_share(history: list[int], scores: torch.Tensor) -> float:
    """The probability of the tokens that a matcher refuses."""
    matcher = langc.Matcher(POLICY, _vocabulary(), rows=PADDED_ROWS)
    assert matcher.sync(history)
    refused = torch.from_numpy(~matcher.mask())
    return float(torch.softmax(scores.double(), -1)[refused].sum())


@pytest.mark.parametrize("options", [{}, {"do_sample": True, "temperature": 0.5, "top_k": 9}, {"num_beams": 3}])
def test_what_is_recorded(options: dict[str, Any]) -> None:
    """Every row of every call that has not ended, before temperature and top-k; the mass is what the mask takes."""
    spy, pressure = Spy(), langc.Pressure(worst=1_000)
    processor = langc.hf.PolicyLogitsProcessor(POLICY, _vocabulary(), len(PROMPT), pressure=pressure)
    ids = torch.tensor([PROMPT] * 4)
    torch.manual_seed(1)
    _model().generate(
        ids,
        attention_mask=torch.ones_like(ids),
        logits_processor=LogitsProcessorList([spy, processor]),
        max_new_tokens=20,
        **options,
    )
    rows = [(h, s) for histories, scores in spy.calls for h, s in zip(histories, scores, strict=True) if END not in h]
    expected = sorted((masked_share(h, s) for h, s in rows), reverse=True)
    found = pressure.report

    assert found.steps == len(rows)
    assert [p.mass for p in found.worst] == pytest.approx([m for m in expected if m > 0], rel=1e-6)
    assert found.mean == pytest.approx(sum(expected) / len(expected), rel=1e-6)


def test_half_precision_is_measured_as_it_is() -> None:
    """bfloat16 scores, which numpy does not have."""
    pressure = langc.Pressure()
    processor = langc.hf.PolicyLogitsProcessor(POLICY, _vocabulary(), 0, pressure=pressure)
    scores = torch.zeros(1, PADDED_ROWS, dtype=torch.bfloat16)
    scores[0, 259] = 8.0  # 漢江
    after = processor(torch.zeros((1, 0), dtype=torch.int64), scores)

    assert after.dtype == torch.bfloat16
    assert pressure.report.steps == 1
    assert 0 < pressure.report.mean < 0.1
    assert not pressure.report.top_refused
