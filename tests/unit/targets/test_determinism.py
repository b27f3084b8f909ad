"""Artefacts are the same bytes from run to run, whatever the hash seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import langc
from langc import targets

CORPUS = Path(__file__).parents[2] / "corpus"
_PROGRAM = """
import hashlib, json, sys
from pathlib import Path
import langc
from langc import targets
tokens = {b: bytes([b]) for b in range(256)}
vocabulary = langc.load_vocabulary({"tokens": tokens, "special": {"<eos>": 256}, "eos": [256]})
made = {}
for path in sorted(Path(sys.argv[1]).glob("terms*.policy")):
    for name in targets.names():
        for dialect in targets.get(name).dialects or (None,):
            artefact = langc.compile(path, name, vocabulary, allow="over,under", dialect=dialect)
            made[f"{path.stem} {name} {dialect}"] = hashlib.sha256(artefact.content).hexdigest()
print(json.dumps(made))
"""


def run(seed: str) -> dict[str, str]:
    """The digests of all artefacts of some of the corpus, made by a fresh process."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", _PROGRAM, str(CORPUS)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    return dict(json.loads(done.stdout))


def test_the_hash_seed_changes_nothing() -> None:
    """Every target in every dialect gives equal bytes under three hash seeds, in processes of their own."""
    first, second, third = (run(seed) for seed in ("0", "1", "4711"))

    assert len(first) >= 5 * 10
    assert first == second == third


def test_a_second_call_gives_the_same() -> None:
    """Nothing that the first call left behind shows in the second."""
    path = CORPUS / "terms_that_overlap.policy"
    texts = [[langc.compile(path, name).text for name in ("gbnf", "regex", "xgrammar")] for _ in range(2)]

    assert texts[0] == texts[1]
    assert {"gbnf", "regex", "xgrammar"} <= set(targets.names())
