"""Vocabularies given as a mapping, and the options that hold for every source."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import langc
from langc.compiler.errors import UnsupportedTokenizerError


def code(error: pytest.ExceptionInfo[UnsupportedTokenizerError]) -> str:
    """The code of the error that was raised."""
    return error.value.diagnostics[0].code


def test_full_form() -> None:
    """Tokens by position as bytes, text, byte values or nothing; special tokens by spelling; the end by spelling."""
    given = {
        "tokens": [b"\xe4\xb8", "중", [0xAD, 0x0A], None, None],
        "special": {"<end>": 3},
        "eos": "<end>",
        "name": "toy",
    }

    vocabulary = langc.load_vocabulary(given)

    assert vocabulary.tokens == (b"\xe4\xb8", "중".encode(), b"\xad\n", b"", b"")
    assert dict(vocabulary.specials) == {3: "<end>"}
    assert vocabulary.eos_ids == {3}
    assert vocabulary.special_ids == {3, 4}
    assert (vocabulary.name, vocabulary.warnings) == ("toy", ())


def test_json_file_is_the_full_form(tmp_path: Path) -> None:
    """A JSON file with `tokens` says the same; ids as keys are decimal strings there."""
    path = tmp_path / "toy.json"
    path.write_text(json.dumps({"tokens": {"0": [228, 184], "2": "가"}, "special": {"<e>": 1}, "eos": [1]}), "utf-8")

    vocabulary = langc.load_vocabulary(path)

    assert vocabulary.tokens == (b"\xe4\xb8", b"", "가".encode())
    assert vocabulary.eos_ids == {1}
    assert vocabulary.name == "toy.json"


@pytest.mark.parametrize("given", [{b"a": 0, "나": 2}, {0: b"a", 2: "나"}], ids=["token to id", "id to token"])
def test_plain_dicts(given: dict[Any, Any]) -> None:
    """A plain dict in either direction; ids in between are holes; no end is a warning, not an error."""
    vocabulary = langc.load_vocabulary(given)

    assert vocabulary.tokens == (b"a", b"", "나".encode())
    assert [warning.code for warning in vocabulary.warnings] == ["LC0609"]
    assert vocabulary.eos_ids == frozenset()


def test_tokens_that_show_alike_are_both_kept() -> None:
    """Two tokens that decode to U+FFFD, and a third that is U+FFFD itself, stay three tokens (case C20)."""
    vocabulary = langc.load_vocabulary({b"\xe4": 0, b"\xe5": 1, "\ufffd": 2, b"\xe4\xb8": 3})

    assert vocabulary.tokens == (b"\xe4", b"\xe5", b"\xef\xbf\xbd", b"\xe4\xb8")


def test_duplicates_are_kept_and_empty_tokens_are_holes() -> None:
    """Duplicate bytes under two ids are no fault; a token that writes nothing is never allowed."""
    vocabulary = langc.load_vocabulary({0: b"a", 1: b"a", 2: b""}, eos=2)

    assert vocabulary.ids_for_bytes(b"a") == (0, 1)
    assert vocabulary.is_special(2)
    assert vocabulary.special_text(2) is None


def test_options_add_special_tokens_and_name_the_end() -> None:
    """`special_tokens` adds ids and turns a text token of the same spelling into a special one; `eos` names the end."""
    vocabulary = langc.load_vocabulary(
        {"a": 0, "<think>": 1}, special_tokens={"<think>": 1, "<bye>": 3}, eos=["<bye>", 1]
    )

    assert vocabulary.tokens == (b"a", b"", b"", b"")
    assert dict(vocabulary.specials) == {1: "<think>", 3: "<bye>"}
    assert vocabulary.eos_ids == {1, 3}


def test_well_known_spellings_end_a_text() -> None:
    """Special tokens such as <|im_end|> end a text without being named; text tokens of that spelling do not."""
    vocabulary = langc.load_vocabulary({"tokens": ["a", "</s>"], "special": {"<|im_end|>": 2, "<|endoftext|>": 3}})

    assert vocabulary.eos_ids == {2, 3}
    assert vocabulary.token_bytes(1) == b"</s>"


def test_end_of_message_is_no_end_in_harmony() -> None:
    """<|end|> ends a text in Phi, but only a message where <|return|> exists (gpt-oss)."""
    phi = langc.load_vocabulary({"tokens": ["a"], "special": {"<|end|>": 1}})
    harmony = langc.load_vocabulary({"tokens": ["a"], "special": {"<|end|>": 1, "<|return|>": 2, "<|call|>": 3}})

    assert phi.eos_ids == {1}
    assert harmony.eos_ids == {2, 3}


def test_the_option_eos_replaces_what_was_found() -> None:
    """With `eos=` only the named tokens end a text; a text token that is named becomes special."""
    vocabulary = langc.load_vocabulary({"tokens": ["a", "b"], "special": {"<|im_end|>": 2}}, eos="b")

    assert vocabulary.eos_ids == {1}
    assert vocabulary.special_text(1) == "b"
    assert vocabulary.token_bytes(1) == b""


def test_internal_spelling_is_pointed_out() -> None:
    """Strings that look like byte-level or SentencePiece spelling are taken literally, with a warning."""
    suspicious = [langc.load_vocabulary({token: 0}, eos=0).warnings for token in ("Ġthe", "▁the", "<0xE4>")]
    harmless = [langc.load_vocabulary({token: 0, b"x": 1}, eos=1).warnings for token in ("▁".encode(), "the", "<0xZZ>")]

    assert [[warning.code for warning in found] for found in suspicious] == [["LC0612"]] * 3
    assert harmless == [()] * 3


def test_loaded_vocabularies_pass_through() -> None:
    """A vocabulary is returned as it is, and takes no options."""
    vocabulary = langc.load_vocabulary({b"a": 0}, eos=0)

    assert langc.load_vocabulary(vocabulary) is vocabulary
    with pytest.raises(UnsupportedTokenizerError) as error:
        langc.load_vocabulary(vocabulary, eos=0)
    assert code(error) == "LC0606"


@pytest.mark.parametrize(
    ("given", "options", "expected"),
    [
        ({}, {}, "LC0603"),
        ({"tokens": []}, {}, "LC0603"),
        ({"tokens": [None, ""]}, {}, "LC0603"),
        ({0: b""}, {}, "LC0603"),
        ({b"a": 0, 1: b"b"}, {}, "LC0603"),
        ({0: 1.5}, {}, "LC0603"),
        ({0: "\ud800"}, {}, "LC0603"),
        ({"tokens": [[256]]}, {}, "LC0603"),
        ({"tokens": [[True]]}, {}, "LC0603"),
        ({"tokens": ["a"], "special": ["<e>"]}, {}, "LC0603"),
        ({"tokens": ["a"], "special": {"\udc00": 1}}, {}, "LC0603"),
        ({b"a": -1}, {}, "LC0605"),
        ({b"a": 1 << 22}, {}, "LC0605"),
        ({b"a": 10**5000}, {}, "LC0605"),
        ({b"a": True}, {}, "LC0605"),
        ({b"a": 0.0}, {}, "LC0605"),
        ({b"a": None}, {}, "LC0605"),
        ({b"a": 0, b"b": 0}, {}, "LC0605"),
        ({"tokens": {"1": "a", "01": "b"}}, {}, "LC0605"),
        ({"tokens": {"-1": "a"}}, {}, "LC0605"),
        ({"tokens": ["a", "b"], "special": {"<e>": 1}}, {}, "LC0605"),
        ({b"a": 0}, {"special_tokens": {"<e>": 0}}, "LC0605"),
        ({b"a": 0}, {"special_tokens": {"<e>": -1}}, "LC0605"),
        ({b"a": 0}, {"eos": 7}, "LC0606"),
        ({b"a": 0}, {"eos": "<e>"}, "LC0606"),
        ({b"a": 0, b"b": 1}, {"eos": ["a", "c"]}, "LC0606"),
        ({0: b"a", 1: b"a"}, {"eos": "a"}, "LC0606"),
        ({"tokens": ["a"], "eos": "<e>"}, {}, "LC0606"),
    ],
)
def test_bad_mappings(given: dict[Any, Any], options: dict[str, Any], expected: str) -> None:
    """Wrong shapes, ids and options are one error with its code."""
    with pytest.raises(UnsupportedTokenizerError) as error:
        langc.load_vocabulary(given, **options)

    assert code(error) == expected
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(("length", "fits"), [(65_535, True), (65_536, True), (65_537, False)])
def test_limit_on_one_token(length: int, fits: bool) -> None:
    """A token may have 65,536 bytes."""
    given = {0: b"x" * length, 1: b"y"}
    if fits:
        assert len(langc.load_vocabulary(given, eos=1).token_bytes(0)) == length
    else:
        with pytest.raises(UnsupportedTokenizerError) as error:
            langc.load_vocabulary(given, eos=1)
        assert code(error) == "LC0607"


@pytest.mark.parametrize(("highest", "fits"), [((1 << 22) - 2, True), ((1 << 22) - 1, True), (1 << 22, False)])
def test_limit_on_ids(highest: int, fits: bool) -> None:
    """The highest id is 4,194,303, and the ids below it that nobody names are holes."""
    given = {highest: b"a", 0: b"b"}
    if fits:
        assert langc.load_vocabulary(given, eos=0).size == highest + 1
    else:
        with pytest.raises(UnsupportedTokenizerError) as error:
            langc.load_vocabulary(given, eos=0)
        assert code(error) == "LC0605"


@pytest.mark.parametrize("source", [None, 3, object(), {b"a"}, b"tokenizer.json"])
def test_objects_that_are_no_tokenizer(source: object) -> None:
    """Anything else is refused with what can be given."""
    with pytest.raises(UnsupportedTokenizerError) as error:
        langc.load_vocabulary(source)

    assert code(error) == "LC0602"
    assert error.value.diagnostics[0].help is not None


def test_a_list_is_a_vocabulary_by_id() -> None:
    """Tokens in a row, as text or bytes, with the end of sequence by its well-known spelling."""
    vocabulary = langc.load_vocabulary(["a", b"\xe4", "</s>"])

    assert [vocabulary.token_bytes(i) for i in range(3)] == [b"a", b"\xe4", b""]
    assert vocabulary.eos_ids == {2}


def test_a_well_known_end_in_a_short_form_is_special() -> None:
    """`{token: id}` has no place to say so; as bytes the same spelling is text."""
    short = langc.load_vocabulary({"a": 0, "<eos>": 1})
    text = langc.load_vocabulary({b"a": 0, b"<eos>": 1})

    assert (short.eos_ids, short.is_special(1), short.special_text(1)) == (frozenset({1}), True, "<eos>")
    assert (text.eos_ids, text.is_special(1), text.token_bytes(1)) == (frozenset(), False, b"<eos>")


def test_ids_may_be_numpy_integers() -> None:
    """What comes out of an array is an integer like any other; a truth value is none."""
    assert langc.load_vocabulary({np.int64(0): b"a"}).token_bytes(0) == b"a"
    with pytest.raises(langc.UnsupportedTokenizerError):
        langc.load_vocabulary({True: b"a"})
