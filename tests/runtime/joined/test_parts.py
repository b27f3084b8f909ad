"""The parts of xgrammar and llguidance: what they allow, how they go back, and what they refuse to be made of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import regex
import xgrammar
from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.tokens.joined.parts import Part
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime._xgrammar_tokens import tokenizer_info
from tests.unit.tokens.toys import toy

pytestmark = pytest.mark.engines

VOCABULARY = toy(b"a", b"b", b"ab", b"ba", b"c", b"bc", "<tool>", "", "<eos>")
END = 8
ROWS = 12

EXPRESSIONS = ("(ab|ba)*c?", "a{2,4}b*", "(a|b|c){3}", "ab|ac|b", "(a(b|c)){1,2}")
MAKERS = [langc.xgrammar.regex, langc.llguidance.regex]

Maker = Callable[[str, Vocabulary], Callable[[int], Part]]


def viable(expression: str, text: bytes) -> bool:
    """Whether a match begins so, by another implementation of regular expressions."""
    return regex.fullmatch(expression, text.decode(), partial=True) is not None


def expected(expression: str, text: bytes) -> list[bool]:
    """The mask over all rows."""
    row = [bool(token) and viable(expression, text + token) for token in VOCABULARY.tokens] + [False] * (ROWS - 9)
    row[END] = regex.fullmatch(expression, text.decode()) is not None
    return row


@pytest.mark.parametrize("make", MAKERS, ids=["xgrammar", "llguidance"])
@settings(deadline=None, max_examples=40)
@given(data=st.data(), expression=st.sampled_from(EXPRESSIONS))
def test_a_part_is_a_function_of_its_history(make: Maker, data: st.DataObject, expression: str) -> None:
    """Whatever was taken, refused, taken back and copied before: the mask is what may follow the text, no more."""
    part = _grammar(make, expression)(ROWS)
    history: list[int] = []
    kept: list[tuple[Part, list[int]]] = []
    for _ in range(data.draw(st.integers(1, 12))):
        match data.draw(st.sampled_from(["advance", "advance", "rollback", "fork", "swap"])):
            case "advance":
                token = data.draw(st.integers(0, 5))
                text = _written([*history, token])
                assert part.advance(token) == viable(expression, text)
                history = [*history, token] if viable(expression, text) else history
            case "rollback":
                count = data.draw(st.integers(0, len(history)))
                part.rollback(count)
                history = history[: len(history) - count]
            case "fork":
                kept.append((part.fork(), history))  # type: ignore[attr-defined]
            case "swap" if kept:
                part, history, kept[0] = *kept[0], (part, history)
        for held, ids in [(part, history), *kept]:
            assert held.mask().tolist() == expected(expression, _written(ids))
            assert held.accepting == expected(expression, _written(ids))[END]


_made: dict[tuple[object, str], Callable[[int], Part]] = {}


def _grammar(make: Maker, expression: str) -> Callable[[int], Part]:
    if (make, expression) not in _made:
        _made[make, expression] = make(expression, VOCABULARY)
    return _made[make, expression]


def _written(ids: list[int]) -> bytes:
    return b"".join(VOCABULARY.tokens[token] for token in ids)


@pytest.mark.parametrize("make", MAKERS, ids=["xgrammar", "llguidance"])
def test_half_a_character_is_no_end(make: Maker) -> None:
    """Where the vocabulary cannot finish a character there are no tokens, and one can go back and on."""
    vocabulary = toy(b"a", b"\xe4", b"\xb8", "<eos>")
    part = make("[a-z中]*", vocabulary)(4)

    assert part.advance(1)
    assert np.flatnonzero(part.mask()).tolist() == [2]
    assert part.advance(2)
    assert not part.mask().any()
    assert not part.accepting
    part.rollback(2)
    assert part.mask()[[0, 3]].all()
    assert part.advance(0)
    assert part.accepting


SCHEMA = {"type": "object", "properties": {"가": {"enum": ["나", "漢"]}}, "required": ["가"]}


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: langc.xgrammar.regex("(?<=a)b", VOCABULARY), "Lookbehind is not supported yet"),
        (lambda: langc.xgrammar.ebnf("root ::= x", VOCABULARY), 'Rule "x" is not defined'),
        (lambda: langc.xgrammar.json_schema("{", VOCABULARY), "Failed to parse JSON"),
        (lambda: langc.xgrammar.json_schema({"type": "foo"}, VOCABULARY), 'Unsupported type "foo"'),
        (lambda: langc.llguidance.regex("(", VOCABULARY), "unclosed group"),
        (lambda: langc.llguidance.lark("start: x", VOCABULARY), "x"),
        (lambda: langc.llguidance.json_schema("{", VOCABULARY), "the schema is no JSON value"),
        (lambda: langc.llguidance.json_schema("[]", VOCABULARY), "a schema is an object, or `true`"),
        (lambda: langc.llguidance.json_schema({"type": "foo"}, VOCABULARY), "Invalid type: foo"),
        (lambda: langc.llguidance.regex("a", toy(b"a")), "needs an end-of-sequence token"),
    ],
)
def test_what_an_engine_refuses(call: Callable[[], object], reason: str) -> None:
    """LC0663 with the engine's own words, on one line."""
    with pytest.raises(langc.JoinError) as caught:
        call()
    (found,) = caught.value.diagnostics

    assert found.code == "LC0663"
    assert reason in found.message
    assert "\n" not in found.message


@pytest.mark.parametrize("make", MAKERS, ids=["xgrammar", "llguidance"])
def test_too_few_rows(make: Maker) -> None:
    """A model narrower than the tokenizer."""
    with pytest.raises(langc.JoinError, match="LC0661"):
        make("a", VOCABULARY)(8)


def test_a_grammar_compiled_elsewhere() -> None:
    """It is taken if it was compiled for these tokens; a wider tokenizer is cut to the model's rows."""
    compiler = xgrammar.GrammarCompiler(tokenizer_info(VOCABULARY, ROWS), max_threads=1)
    compiled = compiler.compile_regex("ab")
    part = langc.xgrammar.of(compiled, VOCABULARY)(10)

    assert np.flatnonzero(part.mask()).tolist() == [0, 2]
    with pytest.raises(langc.JoinError, match=r"LC0663.*other tokens than those of toy: 1 differs"):
        langc.xgrammar.of(compiled, toy(b"a", b"x", b"ab", b"ba", b"c", b"bc", "<tool>", "", "<eos>"))


def test_padding_and_special_tokens_are_masked() -> None:
    """Even where the grammar takes any text."""
    for grammar in (langc.xgrammar.regex("[^x]*", VOCABULARY), langc.llguidance.regex("[^x]*", VOCABULARY)):
        assert np.flatnonzero(grammar(ROWS).mask()).tolist() == [0, 1, 2, 3, 4, 5, END]
