"""JSON schemas and grammars of both engines beside `ko`, on SmolLM2's vocabulary: 49,152 ids, Han in byte pieces.

Walks choose among what the joined masks allow. Whatever they write is read by Python's `json`, checked with
`jsonschema`, and its characters are looked up in the Script property: nothing here trusts a matcher.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import jsonschema
import numpy as np
import pytest
from fontTools.unicodedata import script

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from tests import assets
from tests.unit.tokens.toys import toy

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("joined")]

DENIED = {"Hani", "Hira", "Kana"}

TREE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "이름": {"type": "string"},
                "수": {"type": ["integer", "null"]},
                "아이": {"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 2},
            },
            "required": ["이름", "수", "아이"],
            "additionalProperties": False,
        }
    },
    "$ref": "#/$defs/node",
}
"""A tree: no regular language, and keys that the tokenizer writes in byte pieces."""

Grammar = Callable[[int], Any]
REGEX: dict[str, Callable[[str, Vocabulary], Grammar]] = {
    "xgrammar": langc.xgrammar.regex,
    "llguidance": langc.llguidance.regex,
}


@cache
def vocabulary() -> Vocabulary:
    """SmolLM2's."""
    return langc.load_vocabulary(assets.smollm2_gguf())


@cache
def policy() -> langc.Policy:
    """Korean without Han and Kana, inside JSON strings."""
    return langc.load_policy("ko").with_(json_strings=True)


@cache
def matcher() -> langc.Matcher:
    """Made once; forked for each text."""
    return langc.Matcher(policy(), vocabulary())


@cache
def tree(engine: str) -> Any:
    """The schema, compiled."""
    if engine == "xgrammar":
        return langc.xgrammar.json_schema(TREE, vocabulary(), any_whitespace=False)
    return langc.llguidance.json_schema(TREE, vocabulary(), whitespace_flexible=False)


def joined(grammar: Grammar, with_policy: langc.Matcher | None = None, **options: str) -> langc.JoinedMatcher:
    """A fresh matcher of policy and grammar."""
    return langc.JoinedMatcher((with_policy or matcher()).fork(), grammar(vocabulary().size), **options)


def written(ids: tuple[int, ...]) -> bytes:
    """The bytes of the tokens."""
    return b"".join(vocabulary().token_bytes(i) for i in ids)


def take(text: str, of: langc.JoinedMatcher) -> bool:
    """Write a text in the longest tokens that are allowed; whether all of it was."""
    data = text.encode()
    while data:
        lengths = range(min(len(data), 16), 0, -1)
        pieces = (i for n in lengths for i in vocabulary().ids_for_bytes(data[:n]) if of.allows(i))
        token = next(pieces, None)
        if token is None:
            return False
        of.advance(token)
        data = data[len(vocabulary().token_bytes(token)) :]
    return True


def walk(of: langc.JoinedMatcher, seed: int, most: int = 400) -> None:
    """Tokens at random, those that close strings and begin escapes and Han more often than they come by themselves."""
    random = np.random.default_rng(seed)
    closing = {i for i, t in enumerate(vocabulary().tokens) if b'"' in t or b"]" in t}
    daring = {i for i, t in enumerate(vocabulary().tokens) if t[:1] == b"\\" or b"\xe4" <= t[:1] <= b"\xe9"}
    while not of.ended and len(of.ids) < most:
        ids = np.flatnonzero(of.mask())
        liked = [i for i in ids.tolist() if i in (closing if random.random() < 0.5 else daring)]
        end = [i for i in ids.tolist() if i in vocabulary().eos_ids]
        choice = end or (liked if liked and random.random() < 0.6 else ids)

        assert of.advance(int(random.choice(choice)))


@pytest.mark.parametrize("engine", ["xgrammar", "llguidance"])
def test_random_walks_write_the_schema_without_a_denied_character(engine: str) -> None:
    """Every finished text is JSON of the schema, in every string of which, keys too, nothing is denied."""
    finished = 0
    for seed in range(12):
        text = joined(tree(engine))
        walk(text, seed)
        if not text.ended:
            continue
        finished += 1
        value = json.loads(written(text.ids).decode())

        jsonschema.validate(value, TREE)
        assert text.accepting
        assert {script(c) for c in json.dumps(value, ensure_ascii=False)} & DENIED == set()

    assert finished >= 6


@pytest.mark.parametrize("engine", ["xgrammar", "llguidance"])
def test_an_escape_is_a_leak_unless_the_policy_reads_strings(engine: str) -> None:
    r"""`\u4e2d` passes a policy for plain text; one for JSON strings takes neither it nor the character itself."""
    grammar: Any
    if engine == "xgrammar":
        grammar = langc.xgrammar.json_schema({"type": "string"}, vocabulary())
    else:  # llguidance allows such escapes only if it is told to
        options = {"json_allow_general_unicode_escapes": True}
        grammar = langc.llguidance.json_schema({"type": "string"}, vocabulary(), **options)
    plain = langc.Matcher("ko", vocabulary())
    leak = joined(replace(grammar, writes_json=False), plain)

    assert take('"\\u4e2d"', leak)
    assert leak.accepting
    with pytest.raises(langc.JoinError, match="LC0662"):
        joined(grammar, plain)
    for denied in ("\\u4e2d", "中"):
        closed = joined(grammar)

        assert take('"한', closed)
        assert not take(denied, closed)


@pytest.mark.parametrize("engine", [langc.xgrammar, langc.llguidance], ids=["xgrammar", "llguidance"])
def test_of_two_choices_one_is_left(engine: Any) -> None:
    """An enumeration of a permitted and a denied word: the denied one cannot even be begun."""
    grammar = engine.json_schema({"enum": ["한글", "漢字", "한漢"]}, vocabulary())
    texts = []
    for seed in range(4):
        text = joined(grammar)
        walk(text, seed)
        texts.append(written(text.ids).decode())

    assert set(texts) == {'"한글"'}


@pytest.mark.parametrize("engine", ["xgrammar", "llguidance"])
def test_a_dead_end_is_said(engine: str) -> None:
    """A grammar that wants a Han character: the message has the text, and how many tokens each part allows alone."""
    make = REGEX[engine]
    kind = {"xgrammar": "XGrammarPart", "llguidance": "LLGuidancePart"}[engine]
    text = joined(make("이름: [가-힣]{2} 漢", vocabulary()), langc.Matcher("ko", vocabulary()))
    for byte in "이름: 서울 ".encode():
        if text.dead_end is None:
            assert text.advance(vocabulary().ids_for_bytes(bytes([byte]))[0])
    with pytest.raises(langc.DeadEndError) as caught:
        text.mask()
    (found,) = caught.value.diagnostics
    alone = found.data["alone"]

    assert found.code == "LC0660"
    assert found.message.startswith("nothing may follow “이름: 서")
    assert isinstance(alone, list)
    assert alone[0] > 1000, "the policy could go on"
    assert 1 <= alone[1] <= 5, "the grammar wants the one character"
    assert f"{kind} alone allows {alone[1]} token" in found.message
    assert any(note.startswith(f"{kind} allows “") for note in found.notes)


@pytest.mark.parametrize("engine", ["xgrammar", "llguidance"])
def test_the_way_around_a_dead_end_is_taken(engine: str) -> None:
    """漢 or 한글 behind a blank: the blank that is joined with the first byte of 漢 is not offered either."""
    make = REGEX[engine]
    texts = []
    for seed in range(6):
        text = joined(make("이름: (漢|한글|漢字한)", vocabulary()), langc.Matcher("ko", vocabulary()))
        walk(text, seed)
        texts.append(written(text.ids).decode())

    assert set(texts) == {"이름: 한글"}


@pytest.mark.parametrize("engine", ["xgrammar", "llguidance"])
def test_half_a_character_that_the_vocabulary_cannot_finish(engine: str) -> None:
    """Neither engine looks ahead in the vocabulary. Joined, even alone, it does where few tokens are left."""
    small = toy(b"a", b"\xe4", b"\xb8", "<eos>")
    make = REGEX[engine]
    part = make("[a-z中]*", small)(4)

    assert np.flatnonzero(part.mask()).tolist() == [0, 1, 3], "the trap is open"
    assert np.flatnonzero(langc.JoinedMatcher(part).mask()).tolist() == [0, 3]
