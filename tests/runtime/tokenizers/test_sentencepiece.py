"""SentencePiece models against the sentencepiece library: every id of Mistral's models and of models trained here."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import langc
from langc.compiler.cli import run
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.assets import mistral_model, tekken
from tests.conftest import MEASURED
from tests.runtime.tokenizers.printed import differing, text_ids
from tests.runtime.tokenizers.saved import TEXTS
from tests.runtime.tokenizers.trained import KINDS, processor, train, trained
from tests.unit.tokens import sentencepiece_files as files

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("sentencepiece")]

VERSIONS = {"v1": 32_000, "v2": 32_768, "v3": 32_768, "v7": 32_768, "v7m1": 32_768}
versions = pytest.mark.parametrize("version", VERSIONS)
kinds = pytest.mark.parametrize("kind", KINDS)


@cache
def model(name: str) -> bytes:
    """The file of one of Mistral's models, or of a trained one."""
    return mistral_model(name).read_bytes() if name in VERSIONS else trained(name)


@cache
def loaded(name: str) -> Vocabulary:
    """Our vocabulary."""
    return langc.load_vocabulary(mistral_model(name) if name in VERSIONS else processor(model(name)))


@pytest.mark.parametrize("name", [*VERSIONS, *KINDS])
def test_every_id(name: str) -> None:
    """Text tokens print as their bytes do, byte tokens are their byte, unknown and control tokens are special."""
    vocabulary, library = loaded(name), processor(model(name))
    ids = range(library.get_piece_size())
    special = {i: library.id_to_piece(i) for i in ids if library.is_unknown(i) or library.is_control(i)}
    spelled = {library.id_to_piece(i): vocabulary.token_bytes(i) for i in ids if library.is_byte(i)}

    assert vocabulary.size == len(ids)
    assert dict(vocabulary.specials) == special
    assert vocabulary.special_ids == special.keys()
    assert spelled in ({}, {f"<0x{byte:02X}>": bytes([byte]) for byte in range(256)})
    assert differing(vocabulary, library.decode, text_ids(vocabulary)) == {}
    assert vocabulary.eos_ids == {library.eos_id(), *(i for i in special if special[i] == "<|im_end|>")}


@versions
def test_sizes(version: str) -> None:
    """Mistral's models have all bytes, and one end."""
    vocabulary = loaded(version)

    assert vocabulary.size == VERSIONS[version]
    assert all(vocabulary.ids_for_bytes(bytes([byte])) for byte in range(256))
    assert vocabulary.eos_ids == {2}


@pytest.mark.parametrize("name", ["v1", "v3", "unigram with bytes", "bpe with bytes and symbols", "no dummy prefix"])
@pytest.mark.parametrize("text", TEXTS[:5])
def test_encoded_text_is_its_bytes(name: str, text: str) -> None:
    """The bytes of an encoded text are its UTF-8 after normalisation, behind the dummy prefix."""
    vocabulary, library = loaded(name), processor(model(name))

    ids = library.encode(text)

    assert library.unk_id() not in ids
    assert b"".join(map(vocabulary.token_bytes, ids)).decode() == library.normalize(text).replace("▁", " ")


@kinds
def test_warning_about_the_start(kind: str) -> None:
    """There is a warning iff the library drops spaces at the start of a text."""
    vocabulary, library = loaded(kind), processor(model(kind))
    spaced = next(i for i in reversed(text_ids(vocabulary)) if vocabulary.token_bytes(i).startswith(b" "))

    dropped = not library.decode([spaced, spaced]).startswith(" ")

    assert [warning.code for warning in vocabulary.warnings] == (["LC0610"] if dropped else [])
    assert dropped == (kind != "no dummy prefix")


def test_the_library_reads_what_the_unit_tests_write() -> None:
    """The models of the unit tests are sound to the library. It prints unused pieces, which to us are special."""
    pieces: list[tuple[str | bytes, int]] = [
        *(("<unk>", files.UNKNOWN), ("<s>", files.CONTROL), ("</s>", files.CONTROL)),
        *(("a", files.NORMAL), ("▁b▁", files.NORMAL), ("▁▁x", files.USER_DEFINED), ("▁old", files.UNUSED)),
        *((f"<0x{byte:02X}>", files.BYTE) for byte in range(256)),
    ]
    content = files.sentencepiece(pieces, trainer=files.field(3, 2) + files.field(35, 1))
    library, vocabulary = processor(content), langc.load_vocabulary(processor(content))

    assert differing(vocabulary, library.decode, text_ids(vocabulary)) == {}
    assert [library.is_unused(i) for i in (5, 6, 7)] == [False, True, False]
    assert library.decode([3, 6, 3]) == "a olda"
    assert vocabulary.special_text(6) == "▁old"


def test_denormaliser(tmp_path: Path) -> None:
    """A model that rewrites what it decoded is refused: here the library prints a token `b` as `X`."""
    rules = tmp_path / "rules.tsv"
    rules.write_text("62\t58\n")
    content = train(model_type="char", vocab_size=60, denormalization_rule_tsv=str(rules))
    library = processor(content)

    assert library.decode([library.piece_to_id("b")]) == "X"
    with pytest.raises(langc.UnsupportedTokenizerError, match="denormaliser"):
        langc.load_vocabulary(library)


@pytest.mark.parametrize(("path", "bans"), [(lambda: mistral_model("v1"), (1_591, 1_601)), (tekken, (5_133, 5_537))])
def test_scan_on_the_command_line(
    path: Callable[[], Path], bans: tuple[int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    """`langc scan` takes the files of Mistral by path alone."""
    code = run(["scan", str(path()), "--policy", "ko", "--json"])
    report = json.loads(capsys.readouterr().out)

    assert code == 0
    assert report["vocabulary"]["end_of_sequence"] == ["2"]
    assert (report["static_bans"]["loose"], report["static_bans"]["tight"]) == bans


def test_load_time(record_property: Callable[[str, object], None]) -> None:
    """A model of 32,768 pieces is read in a fraction of a second."""
    start = time.process_time()
    vocabulary = langc.load_vocabulary(mistral_model("v3"))
    seconds = time.process_time() - start

    record_property(MEASURED, f"load {vocabulary.name}: {vocabulary.size:,} ids in {seconds:.2f} s of processor time")
    assert seconds < 2
