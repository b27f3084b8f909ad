"""What adversarial samplers write in real vocabularies, judged by SQLite. `make ghosts` writes thousands."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import langc
from tests import assets
from tests.surfaces.samplers import KINDS, Sampler
from tests.surfaces.sql.judge import Judge
from tests.surfaces.sql.samples import SCHEMAS
from tests.surfaces.sql.walks import engine

pytestmark = [pytest.mark.engines, pytest.mark.slow]
SAMPLES = int(os.environ.get("LANGC_SAMPLES", "25"))
"""Texts a vocabulary and schema."""
GHOSTS = (b"title", b"usr", b"nmae", b"prodct", b"T9", b"count_all", b"customer", b"lenght", b"total_price", b"names")
VOCABULARIES = {"smollm2": assets.smollm2_gguf, "qwen151k": assets.qwen151k, "tekken": assets.tekken}


@pytest.mark.parametrize("schema", ["shop", "log", "odd"])
@pytest.mark.parametrize("vocabulary", list(VOCABULARIES))
def test_no_sampler_writes_what_sqlite_refuses(vocabulary: str, schema: str) -> None:
    """No name that is not there, no dead end, and nothing else that SQLite refuses before it runs a statement."""
    path: Callable[[], Path] = VOCABULARIES[vocabulary]
    sampler = Sampler(engine(SCHEMAS[schema]), langc.load_vocabulary(path()), GHOSTS, seed=SAMPLES)
    judge = Judge(SCHEMAS[schema])
    texts = [sampler.text(KINDS[number % len(KINDS)]) for number in range(SAMPLES)]
    faults = judge.faults(texts)
    assert not faults, (Counter(fault.kind for _, fault in faults), faults[:3])
    assert sampler.eager, "the sampler never came to write part of a ghost: it tries nothing"
