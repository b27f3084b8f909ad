"""tekken.json: which entries are used, which ids are special, what is refused. All bytes are worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

import langc
from langc.compiler.errors import UnsupportedTokenizerError
from tests.unit.tokens.tekken_files import SPECIALS, document, tekken

TOKENS = [b"a", b" b", b"\xe4\xb8", "중".encode(), b"unused"]


def refusal(source: object) -> str:
    """The code of the one short error that loading raises."""
    with pytest.raises(UnsupportedTokenizerError) as error:
        langc.load_vocabulary(source)
    assert len(error.value.diagnostics) == 1
    assert len(str(error.value)) < 300 + len(str(source))
    return error.value.diagnostics[0].code


def test_used_entries_and_special_ids(tmp_path: Path) -> None:
    """Five special ids come first, the first four entries follow, and the fifth is cut off by the vocabulary's size."""
    path = tmp_path / "tekken.json"
    path.write_bytes(tekken(TOKENS, default_vocab_size=9))

    vocabulary = langc.load_vocabulary(path)

    assert vocabulary.tokens == (*[b""] * 5, b"a", b" b", b"\xe4\xb8", "중".encode())
    assert dict(vocabulary.specials) == {0: "<unk>", 1: "</s>", 2: "[THINK]", 3: "<SPECIAL_3>", 4: "<SPECIAL_4>"}
    assert vocabulary.eos_ids == {1}
    assert vocabulary.warnings == ()


def test_parsed_document() -> None:
    """The dict read from the file is the same vocabulary as the file."""
    parsed = langc.load_vocabulary(document(TOKENS))

    assert (parsed.size, parsed.token_bytes(9), set(parsed.eos_ids)) == (10, b"unused", {1})


@pytest.mark.parametrize("version", ["v3", "v7"])
def test_special_tokens_of_old_files(version: str) -> None:
    """Files up to version 7 do not name their special tokens: the first twenty are known, </s> has the id 2."""
    vocabulary = langc.load_vocabulary(
        document(TOKENS, None, version=version, default_num_special_tokens=22, default_vocab_size=24)
    )

    assert [vocabulary.special_text(i) for i in (0, 1, 2, 3, 19, 20, 21)] == [
        *("<unk>", "<s>", "</s>", "[INST]", "[TOOL_CONTENT]", "<SPECIAL_20>", "<SPECIAL_21>")
    ]
    assert vocabulary.eos_ids == {2}


def test_settings_beside_the_file(tmp_path: Path) -> None:
    """An end that generation_config.json names counts as well."""
    path = tmp_path / "tekken.json"
    path.write_bytes(tekken(TOKENS))
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [1, 2]}')

    assert langc.load_vocabulary(path).eos_ids == {1, 2}


def changed(place: int, **entry: Any) -> dict[str, Any]:
    """The document with other values in one entry of `vocab`."""
    made = document(TOKENS)
    made["vocab"][place] |= entry
    return made


def special(*entries: object) -> dict[str, Any]:
    """The document with these special tokens."""
    return document(TOKENS, list(entries))


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (document(TOKENS, default_vocab_size=11), "LC0603"),
        (document(TOKENS, default_vocab_size=4), "LC0603"),
        (document(TOKENS, default_vocab_size=5), "LC0603"),
        (document(TOKENS, default_vocab_size="9"), "LC0603"),
        (document(TOKENS, default_vocab_size=True), "LC0603"),
        (document(TOKENS, default_num_special_tokens=None), "LC0603"),
        (document(TOKENS, default_num_special_tokens=-1), "LC0603"),
        (document(TOKENS, default_num_special_tokens=65_537, default_vocab_size=65_538), "LC0607"),
        (document(TOKENS, None), "LC0603"),
        (document(TOKENS, None, version="v3"), "LC0603"),
        (document(TOKENS, None, version=None, default_num_special_tokens=22, default_vocab_size=23), "LC0603"),
        (document(TOKENS, {"a": 1}), "LC0603"),
        (changed(1, rank=2), "LC0605"),
        (changed(1, rank=None), "LC0605"),
        (changed(1, token_bytes=None), "LC0603"),
        (changed(1, token_bytes="YQ"), "LC0603"),
        (changed(1, token_bytes="한국"), "LC0603"),
        (changed(1, token_bytes="YQ==\n"), "LC0603"),
        (special({"rank": 0}), "LC0603"),
        (special("<s>"), "LC0603"),
        (special({"rank": 5, "token_str": "<s>"}), "LC0605"),
        (special({"rank": -1, "token_str": "<s>"}), "LC0605"),
        (special({"rank": "1", "token_str": "<s>"}), "LC0605"),
        (special(*SPECIALS, {"rank": 1, "token_str": "<s>"}), "LC0605"),
        (special({"rank": 1, "token_str": "\ud800"}), "LC0603"),
    ],
)
def test_broken_documents(broken: dict[str, Any], expected: str) -> None:
    """Counts that do not fit, ranks out of order and entries of the wrong shape are one error each."""
    assert refusal(broken) == expected


@pytest.mark.parametrize(("count", "fits"), [(65_535, True), (65_536, True), (65_537, False)])
def test_limit_on_special_tokens(count: int, fits: bool) -> None:
    """A file of a few bytes cannot ask for millions of special tokens."""
    source = document(TOKENS, default_num_special_tokens=count, default_vocab_size=count + 1)

    if fits:
        assert langc.load_vocabulary(source).size == count + 1
    else:
        assert refusal(source) == "LC0607"


def test_every_cut_is_refused(tmp_path: Path) -> None:
    """A file that is cut short at any byte is an error."""
    whole = tekken(TOKENS[:2], SPECIALS[:2])
    path = tmp_path / "tekken.json"
    found = set()
    for length in range(1, len(whole)):
        path.write_bytes(whole[:length])
        found.add(refusal(path))

    assert found == {"LC0603"}


def test_every_changed_byte_is_survived(tmp_path: Path) -> None:
    """Whatever byte is changed, the file is read or refused with a code."""
    whole = tekken(TOKENS[:2], SPECIALS[:2])
    path = tmp_path / "tekken.json"
    outcomes: set[object] = set()
    for place in range(len(whole)):
        for value in (0x30, 0x7B, 0xFF):
            path.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
            try:
                outcomes.add(langc.load_vocabulary(path).size > 0)
            except UnsupportedTokenizerError as error:
                outcomes.add(error.diagnostics[0].code)

    assert {True, "LC0602", "LC0603", "LC0605"} <= outcomes <= {True, "LC0602", "LC0603", "LC0605", "LC0607"}


def test_hash_survives_re_serialisation(tmp_path: Path) -> None:
    """Another order of keys, other spacing, unused entries and their text make no difference to the hash."""
    given = document(TOKENS, default_vocab_size=9)
    turned = dict(reversed(given.items())) | {"vocab": [entry | {"token_str": None} for entry in given["vocab"][:4]]}
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps(turned, indent=1, ensure_ascii=False), "utf-8")

    assert langc.load_vocabulary(path).hash == langc.load_vocabulary(given).hash
