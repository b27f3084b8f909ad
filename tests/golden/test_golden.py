"""What every target makes of every policy in `tests/corpus/`, byte for byte.

Golden files say that nothing has changed, not that it is right: for that the artefacts are read back and run in the
engines. They are made by `pytest tests/golden --update-golden` and read as a reviewer reads a diff.

A file is `TARGET/POLICY[.DIALECT]SUFFIX`. A refusal is `.refused`, its code and message; a binary artefact is
`.digest`, its header and a SHA-256.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import langc
from langc import targets
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy
from langc.compiler.target import Artifact
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.conftest import Golden

GOLDEN = Path(__file__).parent
CORPUS = sorted((GOLDEN.parent / "corpus").glob("*.policy"))

_PIECES = ("한국", "大韓", "大", "漢江", "江", " a", "ab", "])")
_HALVES = ("漢".encode()[:1], "漢".encode()[1:], "가".encode()[:2], b"a" + "大".encode()[:2], "👨".encode()[:3])
TOY = Vocabulary(
    "toy",
    (*(bytes([b]) for b in range(256)), *(p.encode() for p in _PIECES), *_HALVES, b"", b"", b""),
    {269: "<eos>", 270: "<think>"},
    frozenset({269}),
)
"""All single bytes, whole and half characters, an end token, another special one, and a hole."""


def cases() -> dict[str, Policy]:
    """The corpus, and two policies as a caller can change them."""
    assert len(CORPUS) >= 12
    found = {p.stem: langc.load_policy(p) for p in CORPUS}
    found["set+soft"] = found["set"].with_(mode="soft", bias=4.0)
    found["set+think"] = found["set"].with_(exempt=["think"])
    return found


CASES = cases()


def outcomes(target: str, policy: Policy) -> Iterator[tuple[str, str]]:
    """For each dialect the end of the golden file's name, and its content."""
    chosen = targets.get(target)
    for dialect in chosen.dialects or (None,):
        infix = f".{dialect}" if dialect else ""
        try:
            artifact = langc.compile(policy, target, TOY, allow="over,under", dialect=dialect)
        except LangcError as error:
            yield f"{infix}.refused", "".join(f"{d.code}: {d.message}\n" for d in error.diagnostics)
        else:
            yield infix + (artifact.suffix if artifact.text is not None else ".digest"), _shown(artifact)


def _shown(artifact: Artifact) -> str:
    if artifact.text is not None:
        return artifact.text
    facts = "".join(f"{key}: {value}\n" for key, value in artifact.header.items())
    return f"{facts}{len(artifact.content)} bytes, sha256 {hashlib.sha256(artifact.content).hexdigest()}\n"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("target", targets.names())
def test_artefacts(target: str, case: str, golden: Golden) -> None:
    """The artefact, or the refusal, is what it was."""
    for end, content in outcomes(target, CASES[case]):
        golden(GOLDEN / target / f"{case}{end}", content)


def test_every_target_has_a_golden_folder() -> None:
    """Adding a target means adding its folder, and a folder goes with its target."""
    folders = {p.name for p in GOLDEN.iterdir() if p.is_dir() and p.name != "__pycache__"}

    assert len(folders) >= 6
    assert folders == set(targets.names())


@pytest.mark.parametrize("target", targets.names())
def test_no_golden_file_is_left_over(target: str) -> None:
    """Every file belongs to a policy of the corpus and a dialect of the target."""
    made = {f"{case}{end}" for case, policy in CASES.items() for end, _ in outcomes(target, policy)}
    there = {p.name for p in (GOLDEN / target).iterdir()}

    assert there == made


def test_every_policy_of_the_corpus_says_what_it_shows() -> None:
    """The first line of each file is a comment."""
    assert all(p.read_text(encoding="utf-8").startswith("# ") for p in CORPUS)
