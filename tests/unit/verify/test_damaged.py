"""Damaged artefacts: whatever happens to a file, reading it is a comparison or an error with a code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from langc import parse_policy
from langc.compiler import explain
from langc.compiler.errors import LangcError
from langc.compiler.pipeline import compile_policy
from langc.compiler.verify.artefact import open_artefact
from langc.compiler.verify.languages import BOUND, TEXTS, measure
from langc.compiler.verify.readers.nodes import ReadError
from langc.compiler.verify.readers.processor import read_processor
from langc.compiler.verify.report import Language
from langc.compiler.verify.token_languages import compare_tokens
from tests.unit.targets.policies import policies
from tests.unit.targets.test_outlines import TOY
from tests.unit.verify.test_token_languages import TERMS, _rewritten

pytestmark = pytest.mark.slow

POLICY = policies()["overlapping"]
"""Over few characters, which makes static biases quick to decide."""
PHRASES = parse_policy('policy p { deny phrase "bad", "漢江"; }')
"""For the target that carries nothing else."""
FORMATS = [*TEXTS, *BOUND]
PLACES = 25


@cache
def content(target: str, dialect: str | None) -> bytes:
    """A good file."""
    policy = PHRASES if target == "banned-strings" else POLICY
    return compile_policy(policy, target, TOY, allow=("over", "under"), dialect=dialect).content


def damaged(good: bytes) -> Iterator[bytes]:
    """Cut short, with bits turned over, with a sign put in, with a piece twice, with a piece left out."""
    for number in range(PLACES):
        at = len(good) * number // PLACES
        yield good[:at]
        yield good[at:]
        yield good[:at] + bytes([good[at] ^ 1 << number % 8]) + good[at + 1 :]
        yield good[:at] + b'"[]{}(){|\\-^#9\xff\0\n'[number % 17 :][:1] + good[at + 1 :]
        yield good[:at] + good[at : at + 9] + good[at:]
        yield good[:at] + good[at + 5 :]


@pytest.mark.parametrize(("target", "dialect"), FORMATS)
@pytest.mark.parametrize("named", [False, True], ids=["by its header", "by name"])
def test_a_damaged_file_has_an_answer(target: str, dialect: str | None, named: bool, tmp_path: Path) -> None:
    """Whether its header is believed or not. Some damage does no harm, most is noticed."""
    path = tmp_path / "file"
    answers: list[object] = []
    for changed in damaged(content(target, dialect)):
        path.write_bytes(changed)
        try:
            read = open_artefact(path, target, dialect) if named else open_artefact(path)
            read.fidelity  # noqa: B018
            answers.append(measure(POLICY, read, TOY))
        except LangcError as error:
            answers.append(error.diagnostics[0].code)
    codes = {a for a in answers if not isinstance(a, Language)}

    assert len(answers) == 6 * PLACES
    assert codes <= set(explain.codes())
    assert len([a for a in answers if not isinstance(a, Language)]) > PLACES


def test_a_signed_processor_with_any_number_changed() -> None:
    """Past the checksum, every tensor is turned over at a few dozen places; nothing indexes out of bounds or loops."""
    from safetensors.numpy import load

    sizes = {name: t.size for name, t in load(_rewritten(lambda *_: None)).items()}
    answers: list[object] = []
    for name, size in sizes.items():
        for number in range(PLACES):
            place, bit = size * number // PLACES, (1, 2, 0x40, 0x80)[number % 4]

            def change(_: object, tensors: dict, name: str = name, place: int = place, bit: int = bit) -> None:  # type: ignore[type-arg]
                tensors[name].reshape(-1)[place] ^= bit

            try:
                answers.append(compare_tokens(TERMS, read_processor(_rewritten(change)), TOY))
            except ReadError as error:
                answers.append(error.message)

    assert len(answers) == len(sizes) * PLACES
    assert PLACES < len([a for a in answers if isinstance(a, Language)]) < 8 * PLACES


@pytest.mark.parametrize(("target", "dialect"), FORMATS)
def test_one_file_is_not_another(target: str, dialect: str | None, tmp_path: Path) -> None:
    """A file read as what it is not is an error or a language: expressions are much alike."""
    path = tmp_path / "file"
    for other in FORMATS:
        path.write_bytes(content(*other))
        bare = path.read_bytes().replace(b"langc=", b"x=").replace(b"# langc", b"# x").replace(b"// langc", b"// x")
        path.write_bytes(bare.replace(b'"langc"', b'"other"'))
        try:
            answer: object = measure(POLICY, open_artefact(path, target, dialect), TOY)
        except LangcError as error:
            answer = error.diagnostics[0].code

        assert isinstance(answer, Language) or answer in ("LC0530", "LC0532")
