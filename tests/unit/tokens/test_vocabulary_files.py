"""Paths and files from strangers: whatever they hold, the answer is one error with a code, or a vocabulary."""

import gzip
import json
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import langc
from langc.compiler.errors import UnsupportedTokenizerError
from langc.compiler.tokens import loaders
from langc.compiler.tokens.loaders._errors import shown
from langc.compiler.tokens.loaders._file import TokenizerFile
from langc.compiler.tokens.loaders._spelling import BYTE_LEVEL, byte_level, fallback_byte
from tests.unit.tokens.gguf_files import gguf
from tests.unit.tokens.sentencepiece_files import sentencepiece
from tests.unit.tokens.tekken_files import document as tekken_document


def refusal(source: object) -> str:
    """The code of the one short error that loading raises."""
    with pytest.raises(UnsupportedTokenizerError) as error:
        langc.load_vocabulary(source)
    assert len(error.value.diagnostics) == 1
    assert len(str(error.value)) < 300 + len(str(source))
    return error.value.diagnostics[0].code


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    """A missing file, a folder, a device, a name with a zero byte and a name that is too long."""
    paths = [tmp_path / "none.json", tmp_path, Path("/dev/null"), "a\0b", "x" * 5000, "", "Qwen/Qwen3-8B"]

    assert [refusal(path) for path in paths] == ["LC0601"] * 7


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that the system does not let us open."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "t.json"
    path.write_text("{}")
    monkeypatch.setattr(Path, "open", refuse)

    assert refusal(path) == "LC0601"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "LC0601"),
        (b"\n", "LC0602"),
        (b"hello world", "LC0602"),
        (b"\x00" * 100, "LC0602"),
        (b"\x0a\x0e\x0a\x05<unk>", "LC0603"),
        (b"\x0a\x0e\x12\x05<unk>", "LC0602"),
        (gzip.compress(b"{}", mtime=0), "LC0602"),
        (b"PK\x03\x04", "LC0602"),
        (b"[1, 2]", "LC0602"),
        (b"{}", "LC0602"),
        (b'{"tokens": 3}', "LC0602"),
        (b'{"model": "BPE"}', "LC0602"),
        ('{"a": "ü'.encode("utf-16"), "LC0602"),
        (b'{"tokens": ["a"', "LC0603"),
        (b'{"tokens": ["\xff"]}', "LC0603"),
        (b'{"tokens": ["a"], "tokens": ["b"]}', "LC0603"),
        (b'{"model": {"vocab": {"a": 0, "a": 1}}}', "LC0603"),
        (b'{"tokens": [' + b"1" * 5000 + b"]}", "LC0603"),
        (b'{"tokens": ' + b"[" * 100_000, "LC0603"),
        (b'{"a":' * 100_000, "LC0603"),
        (b'{"model": {"type": "BPE", "vocab": {"a": 0}}, "decoder": ' + b'{"a":' * 400 + b"1" + b"}" * 401, "LC0604"),
        (b'{"model": {"type": "BPE", "vocab": {"a": NaN}}, "decoder": {"type": "ByteLevel"}}', "LC0605"),
    ],
)
def test_content_that_is_no_tokenizer(tmp_path: Path, content: bytes, code: str) -> None:
    """Other formats are not known (LC0602), cut or malformed JSON is broken (LC0603)."""
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)

    assert refusal(path) == code


def test_help_says_what_to_do(tmp_path: Path) -> None:
    """A compressed file is to be unpacked; beside a vocab.json there is a better file."""
    packed, vocab = tmp_path / "t.gz", tmp_path / "vocab.json"
    packed.write_bytes(gzip.compress(b"{}", mtime=0))
    vocab.write_text('{"a": 0}')
    helps = []
    for path in (packed, vocab):
        with pytest.raises(UnsupportedTokenizerError) as error:
            langc.load_vocabulary(path)
        helps.append(error.value.diagnostics[0].help)

    assert helps == ["unpack it first", "use the tokenizer.json instead"]


SAMPLES: dict[str, tuple[object, ...]] = {
    "gguf": (gguf({}),),
    "mapping": ({"tokens": ["a"]}, {b"a": 0}, {"a": 0}, {0: "a"}, {"tokens": ["a"], "vocab": [], "config": {}}),
    "sentencepiece_model": (
        sentencepiece([("a", 1)]),
        sentencepiece([("a" * 123, 1)]),
        sentencepiece([("a" * 999, 1)]),
    ),
    "tekken": (tekken_document([b"a"]),),
    "tiktoken_ranks": (b"YQ== 0\n", b"YQ== 0"),
    "tokenizer_json": ({"model": {"vocab": {}}, "vocab": [], "config": {}}, {"model": {}, "tokens": []}),
    "transformers_object": (),
}
"""By loader: the beginnings of files, and documents that are given as dicts and, if JSON knows them, as files."""


def test_every_source_has_one_loader(tmp_path: Path) -> None:
    """Loaders are found by listing their folder, and no two of them claim the same source."""
    modules = [module.name for module in pkgutil.iter_modules(loaders.__path__) if not module.name.startswith("_")]
    known = {name: import_module(f"{loaders.__name__}.{name}") for name in modules}
    claims: list[tuple[str, list[str]]] = []
    for name, samples in SAMPLES.items():
        for sample in samples:
            if isinstance(sample, bytes) or (isinstance(sample, dict) and {"model", "tokens", "vocab"} & sample.keys()):
                path = tmp_path / "source"
                path.write_bytes(sample if isinstance(sample, bytes) else json.dumps(sample).encode())
                claims.append((name, [k for k in known if known[k].recognises(TokenizerFile.open(path))]))
            if not isinstance(sample, bytes):
                claims.append((name, [k for k in known if known[k].recognises(sample)]))

    assert known.keys() == SAMPLES.keys()
    assert len(claims) >= 14
    assert [claim for claim in claims if claim[1] != [claim[0]]] == []


def test_every_cut_of_a_json_file_is_refused(tmp_path: Path) -> None:
    """A tokenizer.json that is cut short at any byte is an error."""
    whole = json.dumps({"decoder": {"type": "ByteLevel"}, "model": {"type": "BPE", "vocab": {"a": 0, "ä¸Ń": 1}}})
    path = tmp_path / "tokenizer.json"
    found = set()
    for length in range(1, len(whole)):
        path.write_text(whole[:length])
        found.add(refusal(path))

    assert found == {"LC0603"}


@pytest.mark.parametrize(("extra", "fits"), [(-1, True), (0, True), (1, False)])
def test_limit_on_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extra: int, fits: bool) -> None:
    """A file may be as large as the limit and not one byte larger."""
    path = tmp_path / "t.json"
    path.write_text('{"tokens": ["a"]}')
    monkeypatch.setattr("langc.compiler.tokens.loaders._file.MAX_TOKENIZER_BYTES", path.stat().st_size - extra)

    if fits:
        assert langc.load_vocabulary(path).size == 1
    else:
        assert refusal(path) == "LC0607"


@pytest.mark.parametrize(("extra", "fits"), [(-1, True), (0, True), (1, False)])
def test_limit_on_lists_and_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extra: int, fits: bool) -> None:
    """So many brackets may be opened in a JSON file and not one more."""
    path = tmp_path / "t.json"
    path.write_text('{"tokens": [[97], [98], [99]]}')
    monkeypatch.setattr("langc.compiler.tokens.loaders._file.MAX_JSON_CONTAINERS", 5 - extra)

    if fits:
        assert langc.load_vocabulary(path).tokens == (b"a", b"b", b"c")
    else:
        assert refusal(path) == "LC0607"


HEADS = st.sampled_from(
    [
        *(b"", b"GGUF\x03\0\0\0", b"YQ== 0\n", b'{"tokens": [', b'{"model": {"vocab": {'),
        *(b'{"config": {}, "vocab": [', b"\x0a\x08\x0a\x01a\x15\0\0\0\0"),
    ]
)


@given(HEADS, st.binary(max_size=200))
def test_random_content(tmp_path_factory: pytest.TempPathFactory, head: bytes, tail: bytes) -> None:
    """Random bytes, also behind a head that some loader recognises, never end in another exception."""
    path = tmp_path_factory.getbasetemp() / "random"
    path.write_bytes(head + tail)
    try:
        outcome = str(langc.load_vocabulary(path).size)
    except UnsupportedTokenizerError as error:
        outcome = error.diagnostics[0].code

    assert outcome.startswith("LC06") or int(outcome) > 0


def test_byte_level_alphabet() -> None:
    """The alphabet is the published one: 256 characters, printable ASCII as itself, then U+0100 to U+0143 in order."""
    decoded = {chr(c): byte for c in BYTE_LEVEL if (byte := byte_level(chr(c))) is not None}

    assert sorted(decoded.values()) == [bytes([byte]) for byte in range(256)]
    assert [decoded[c] for c in "!~Āġ¡ÿĠĊŃ"] == [b"!", b"~", b"\0", b"\x7f", b"\xa1", b"\xff", b" ", b"\n", b"\xad"]
    assert [byte_level(c) for c in (" ", "\n", "\x7f", "\x80", "\xa0", "\xad", "ń", "中", "\U0010ffff")] == [None] * 9


@given(st.integers(0, 255))
def test_fallback_bytes(byte: int) -> None:
    """<0xNN> is that byte in either case; anything else is no byte token."""
    assert fallback_byte(f"<0x{byte:02X}>") == fallback_byte(f"<0x{byte:02x}>") == bytes([byte])
    others = (f"<0x{byte:03X}>", f"<0x{byte:X} >", f"0x{byte:02X}", f"<0x{byte:02X}>\n", "<0x  >", "<0x١٢>")
    assert [fallback_byte(text) for text in others] == [None] * 6


@given(st.one_of(st.text(), st.binary(), st.integers(), st.none(), st.lists(st.integers()), st.floats()))
def test_shown_values_are_short_ascii(value: object) -> None:
    """Whatever stands in a stranger's file, a message shows a short piece of ASCII of it."""
    assert shown(value).isascii()
    assert shown(value).isprintable()
    assert len(shown(value)) <= 100
