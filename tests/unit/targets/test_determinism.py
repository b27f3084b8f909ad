"""Artefacts are the same bytes from run to run, whatever the hash seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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
made, refused = {}, {}
paths = [*sorted(Path(sys.argv[1]).glob("terms*.policy")), Path(sys.argv[1]) / "phrases.policy"]
for path in paths:
    for name in targets.names():
        for dialect in targets.get(name).dialects or (None,):
            try:
                artefact = langc.compile(path, name, vocabulary, allow="over,under", dialect=dialect)
            except langc.LangcError as error:
                refused[f"{path.stem} {name} {dialect}"] = [d.code for d in error.diagnostics]
            else:
                made[f"{path.stem} {name} {dialect}"] = hashlib.sha256(artefact.content).hexdigest()
print(json.dumps([made, refused]))
"""


def run(seed: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The digests of all artefacts of some of the corpus, made by a fresh process, and the codes of what is refused."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", _PROGRAM, str(CORPUS)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    made, refused = json.loads(done.stdout)
    return made, refused


@pytest.mark.slow
def test_the_hash_seed_changes_nothing() -> None:
    """Every target in every dialect gives equal bytes under three hash seeds, in processes of their own."""
    first, second, third = (run(seed) for seed in ("0", "1", "4711"))
    made, refused = first

    assert first == second == third
    assert len(made) >= 5 * 10
    assert {name.split()[1] for name in made} == set(targets.names())
    # Terms are no list of phrases, and phrases no list of tokens.
    assert {(name.split()[1], *codes) for name, codes in refused.items()} == {
        ("banned-strings", "LC0525"),
        ("logit-bias", "LC0523"),
    }


def test_a_second_call_gives_the_same() -> None:
    """Nothing that the first call left behind shows in the second."""
    path = CORPUS / "terms_that_overlap.policy"
    texts = [[langc.compile(path, name).text for name in ("gbnf", "regex", "xgrammar")] for _ in range(2)]

    assert texts[0] == texts[1]
    assert {"gbnf", "regex", "xgrammar"} <= set(targets.names())
