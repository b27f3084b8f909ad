"""SentencePiece models: roles by piece type, and every way in which the protobuf can be broken."""

import json
from pathlib import Path
from typing import Any

import pytest

import langc
from langc.compiler.errors import UnsupportedTokenizerError
from tests.unit.tokens.sentencepiece_files import (
    BYTE,
    CONTROL,
    NORMAL,
    PLAIN,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    field,
    piece,
    sentencepiece,
    varint,
)

PIECES: list[tuple[str | bytes, int]] = [
    ("<unk>", UNKNOWN),
    ("<s>", CONTROL),
    ("</s>", CONTROL),
    ("<0xE4>", BYTE),
    ("<0x0A>", BYTE),
    ("▁a▁", NORMAL),
    ("▁▁", USER_DEFINED),
    ("<sep>", USER_DEFINED),
    ("▁old", UNUSED),
    ("<0x41>", NORMAL),
    (b"\xe4\xb8", NORMAL),
    ("<0x>", BYTE),
]
WHOLE = sentencepiece(PIECES)


def write(folder: Path, content: bytes) -> Path:
    """A model file."""
    path = folder / "tokenizer.model"
    path.write_bytes(content)
    return path


def refusal(path: Path) -> UnsupportedTokenizerError:
    """The one short error that loading raises."""
    with pytest.raises(UnsupportedTokenizerError) as error:
        langc.load_vocabulary(path)
    assert len(error.value.diagnostics) == 1
    assert len(str(error.value)) < 300 + len(str(path))
    return error.value


def test_roles_by_piece_type(tmp_path: Path) -> None:
    """▁ is a space in normal and user-defined pieces; unknown, control and unused pieces are special."""
    vocabulary = langc.load_vocabulary(write(tmp_path, WHOLE))

    assert vocabulary.tokens == (
        *(b"", b"", b"", b"\xe4", b"\n"),
        *(b" a ", b"  ", b"<sep>", b"", b"<0x41>", b"\xe4\xb8", b""),
    )
    assert dict(vocabulary.specials) == {0: "<unk>", 1: "<s>", 2: "</s>", 8: "▁old"}
    assert vocabulary.eos_ids == {2}
    assert [(warning.code, warning.data.get("count")) for warning in vocabulary.warnings] == [("LC0608", 1)]
    assert vocabulary.name == "tokenizer.model"


def test_type_of_a_piece_is_normal_by_default(tmp_path: Path) -> None:
    """A piece whose type is not written down is normal."""
    content = piece("<unk>", UNKNOWN) + piece("▁b") + field(2, b"") + field(3, PLAIN)

    assert langc.load_vocabulary(write(tmp_path, content), eos=0).tokens == (b"", b" b")


def test_end_by_name(tmp_path: Path) -> None:
    """The trainer's settings name the end; one that does not exist is passed over."""
    pieces: list[tuple[str | bytes, int]] = [("a", NORMAL), ("[END]", CONTROL)]

    named = langc.load_vocabulary(write(tmp_path, sentencepiece(pieces, trainer=field(47, b"[END]"))))
    other = langc.load_vocabulary(write(tmp_path, sentencepiece(pieces, trainer=field(47, b"<eos>"))))

    assert (set(named.eos_ids), [warning.code for warning in named.warnings]) == ({1}, [])
    assert (set(other.eos_ids), [warning.code for warning in other.warnings]) == (set(), ["LC0609"])


@pytest.mark.parametrize(
    ("normalizer", "warned"),
    [
        (b"", True),
        (field(3, 0), True),
        (field(4, 0), True),
        (field(3, 0) + field(4, 0), False),
        (field(3, 1) + field(4, 1) + field(3, 0) + field(4, 0), False),
        (field(2, b"\x01\x02") + field(3, 0) + field(4, 0), False),
    ],
)
def test_spaces_at_the_start(tmp_path: Path, normalizer: bytes, warned: bool) -> None:
    """The decoder drops spaces at the start with a dummy prefix and with removal of spaces; both are on by default."""
    pieces: list[tuple[str | bytes, int]] = [("a", NORMAL), ("</s>", CONTROL)]

    vocabulary = langc.load_vocabulary(write(tmp_path, sentencepiece(pieces, normalizer=normalizer)))

    assert [warning.code for warning in vocabulary.warnings] == (["LC0610"] if warned else [])


def test_denormalizer(tmp_path: Path) -> None:
    """A denormaliser with a character map is refused; an empty one, which every new model has, does nothing."""
    empty = write(tmp_path, sentencepiece(PIECES, denormalizer=field(1, b"") + field(2, b"")))
    assert langc.load_vocabulary(empty).size == len(PIECES)

    full = write(tmp_path, sentencepiece(PIECES, denormalizer=field(2, b"\x01")))
    assert refusal(full).diagnostics[0].code == "LC0604"


def test_settings_in_parts_and_unknown_fields(tmp_path: Path) -> None:
    """A message that comes in parts is merged, as protobuf has it; fields that nobody knows are passed over."""
    fixed = varint(200 << 3 | 1) + b"12345678" + varint(201 << 3 | 5) + b"1234"
    parts = field(2, b"") + field(3, field(3, 0)) + field(2, field(47, b"<s>")) + field(3, field(4, 0))
    content = b"".join(piece(text, kind) for text, kind in PIECES) + fixed + parts + field(250, b"\xff") + field(9, 7)

    vocabulary = langc.load_vocabulary(write(tmp_path, content))

    assert vocabulary.eos_ids == {1, 2}
    assert [warning.code for warning in vocabulary.warnings] == ["LC0608"]


def test_objects_are_read_by_what_they_offer() -> None:
    """Anything that writes itself as a model is read like the file."""

    class Processor:
        def serialized_model_proto(self) -> bytes:
            return WHOLE

    vocabulary = langc.load_vocabulary(Processor())

    assert (vocabulary.name, vocabulary.size, set(vocabulary.eos_ids)) == ("Processor", len(PIECES), {2})


def config(folder: Path, **content: Any) -> None:
    """A tokenizer_config.json beside the model."""
    (folder / "tokenizer_config.json").write_text(json.dumps(content))


def test_added_tokens_beside_the_model(tmp_path: Path) -> None:
    """Added tokens of a tokenizer_config.json come behind the pieces, by role; an end named there ends a text."""
    path = write(tmp_path, WHOLE)
    added = {
        "2": {"content": "</s>", "special": True},
        "6": {"content": "▁▁", "special": False},
        "12": {"content": "<|turn|>", "special": True},
        "13": {"content": "<think>", "special": False},
    }
    config(tmp_path, added_tokens_decoder=added, eos_token="<|turn|>", clean_up_tokenization_spaces=True)

    vocabulary = langc.load_vocabulary(path)

    assert vocabulary.tokens[12:] == (b"", b"<think>")
    assert vocabulary.special_text(12) == "<|turn|>"
    assert vocabulary.eos_ids == {2, 12}
    assert [warning.code for warning in vocabulary.warnings] == ["LC0610", "LC0608"]


def test_added_token_that_contradicts_a_piece(tmp_path: Path) -> None:
    """An added token with the id of another piece is an error."""
    path = write(tmp_path, WHOLE)
    config(tmp_path, added_tokens_decoder={"7": {"content": "<other>", "special": False}})

    assert refusal(path).diagnostics[0].code == "LC0605"


def test_every_cut_is_refused(tmp_path: Path) -> None:
    """A file that is cut short at any byte is an error, also between two pieces, where protobuf itself sees no cut."""
    found = set()
    for length in range(1, len(WHOLE)):
        found.add((length < 3, refusal(write(tmp_path, WHOLE[:length])).diagnostics[0].code))

    assert len(WHOLE) > 150
    assert found == {(True, "LC0602"), (False, "LC0603")}


def test_every_changed_byte_is_survived(tmp_path: Path) -> None:
    """Whatever byte is changed, the file is read or refused: no other exception, no endless loop, no huge memory."""
    outcomes: set[object] = set()
    for place in range(len(WHOLE)):
        for value in (0x00, 0x0A, 0xFF):
            path = write(tmp_path, WHOLE[:place] + bytes([value]) + WHOLE[place + 1 :])
            try:
                outcomes.add(langc.load_vocabulary(path).size == len(PIECES))
            except UnsupportedTokenizerError as error:
                outcomes.add(error.diagnostics[0].code)

    assert {True, "LC0602", "LC0603"} <= outcomes <= {True, False, "LC0602", "LC0603", "LC0604", "LC0605"}


HUGE = varint((1 << 63) - 1)
FIRST = piece("a")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (FIRST, "trainer"),
        (FIRST + field(2, b""), "normaliser"),
        (FIRST + field(3, b""), "trainer"),
        (FIRST + b"\x0a" + HUGE, "cut short"),
        (FIRST + b"\x0a", "cut short"),
        (FIRST + b"\x0a\x80", "cut short"),
        (FIRST + b"\x09\0\0", "cut short"),
        (FIRST + b"\xff" * 9 + b"\x80\x01", "ten bytes"),
        (FIRST + b"\x00\x00", "number 0"),
        (FIRST + b"\x0b", "wire type 3"),
        (FIRST + b"\x0c", "wire type 4"),
        (FIRST + b"\x0f", "wire type 7"),
        (FIRST + field(1, 7), "field 1"),
        (FIRST + field(2, 7), "field 2"),
        (FIRST + field(1, field(1, 7)), "field 1"),
        (FIRST + field(2, field(47, 7)) + field(3, b""), "field 47"),
        (FIRST + piece(""), "piece 1 is empty"),
        (FIRST + field(1, b""), "piece 1 is empty"),
        (FIRST + piece("b", 0), "piece 1 has no known type"),
        (FIRST + piece("b", 7), "piece 1 has no known type"),
        (FIRST + field(1, field(1, b"b") + field(3, b"\x01")), "piece 1 has no known type"),
        (sentencepiece([("<s>", CONTROL)]), "no token that writes text"),
    ],
)
def test_broken_files(tmp_path: Path, content: bytes, words: str) -> None:
    """Absurd lengths, unknown wire types and missing parts are one error with its place."""
    error = refusal(write(tmp_path, content))

    assert error.diagnostics[0].code == "LC0603"
    assert words in str(error)


@pytest.mark.parametrize(("count", "fits"), [(3, True), (4, True), (5, False)])
def test_limit_on_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, fits: bool) -> None:
    """So many pieces may be there and not one more."""
    monkeypatch.setattr("langc.compiler.tokens.loaders.sentencepiece_model.MAX_TOKEN_IDS", 4)
    path = write(tmp_path, sentencepiece([("a", NORMAL)] * count))

    if fits:
        assert langc.load_vocabulary(path).size == count
    else:
        assert refusal(path).diagnostics[0].code == "LC0607"


@pytest.mark.parametrize(("extra", "fits"), [(-1, True), (0, True), (1, False)])
def test_limit_on_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extra: int, fits: bool) -> None:
    """A model may be as large as the limit and not one byte larger."""
    monkeypatch.setattr("langc.compiler.tokens.loaders.sentencepiece_model._MAX_BYTES", len(WHOLE) - extra)
    path = write(tmp_path, WHOLE)

    if fits:
        assert langc.load_vocabulary(path).size == len(PIECES)
    else:
        assert refusal(path).diagnostics[0].code == "LC0607"


@pytest.mark.parametrize(("length", "fits"), [(65_535, True), (65_536, True), (65_537, False)])
def test_limit_on_one_piece(tmp_path: Path, length: int, fits: bool) -> None:
    """A piece may be as long as any token."""
    path = write(tmp_path, sentencepiece([("a" * length, NORMAL)]))

    if fits:
        assert langc.load_vocabulary(path).tokens == (b"a" * length,)
    else:
        assert refusal(path).diagnostics[0].code == "LC0607"


def test_json_with_a_line_end_in_front(tmp_path: Path) -> None:
    """A JSON file that happens to begin like a model is JSON."""
    assert langc.load_vocabulary(write(tmp_path, b'\n{\n"tokens": ["a"]}')).tokens == (b"a",)
