"""Portable processor files: what is written is what is read, and nothing unsound is used."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save

import langc
from langc.compiler.ir.apart import MANY_ATOMS
from langc.compiler.ir.phrases import Phrase, Side
from langc.compiler.limits import MAX_PHRASE_LENGTH, MAX_POLICY_BYTES
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.phrases.stored import from_json, to_json
from langc.compiler.tokens.phrases.tables import PhraseTables
from langc.compiler.tokens.portable import ArtifactError, _checksum, load
from langc.compiler.tokens.tables import TokenTables
from langc.compiler.unicode.confusables import Confusables
from langc.compiler.unicode.folding import Decomposition, Folding, Space

POLICY = langc.parse_policy(r'policy t { deny \p{Script=Han}; allow "漢江"; }')
Tensors = dict[str, Any]


@cache
def _vocabulary() -> langc.Vocabulary:
    tokens = {i: bytes([i]) for i in range(256)} | {256: b" \xe4", 257: "漢江".encode()}
    return langc.load_vocabulary({"tokens": tokens, "special": {"<eos>": 258}, "eos": [258]})


def _content() -> bytes:
    return langc.compile(POLICY, "processor", _vocabulary()).content


def _rewrite(path: Path, change: Callable[[dict[str, Any], Tensors], None], sign: bool) -> None:
    """A changed copy of a good file; `sign` gives it a checksum that matches."""
    path.write_bytes(_content())
    with safe_open(str(path), framework="numpy") as file:
        facts = json.loads(file.metadata()["langc"])
        tensors = {n: file.get_tensor(n).copy() for n in file.keys()}  # noqa: SIM118
    change(facts, tensors)
    if sign:
        facts["checksum"] = _checksum(tensors, facts)
    path.write_bytes(save(tensors, {"langc": json.dumps(facts)}))


def test_a_loaded_file_masks_as_the_policy_does(tmp_path: Path) -> None:
    """Same masks, same steps, same header, on a walk through every state."""
    path = tmp_path / "t.safetensors"
    path.write_bytes(_content())
    portable = load(path, _vocabulary())
    made, loaded = Matcher(POLICY, _vocabulary(), rows=300), Matcher.of(TokenMachine(portable.tables, 300))

    assert portable.header["policy"] == "t"
    assert portable.header["policy-sha256"] == POLICY.hash
    assert isinstance(portable.tables, TokenTables)
    for state in portable.tables.states():
        expected, actual = made._machine.masks[state], loaded._machine.masks[state]

        assert np.array_equal(expected, actual)


STOPPING = langc.parse_policy(
    r'policy t { deny \p{Script=Han}; stop before phrase "漢江b", "b\u{0101}" { boundary none; } allow "漢江"; }'
)


def test_a_file_knows_where_to_end(tmp_path: Path) -> None:
    """The tokens of `stop before` on random walks, and what end-of-sequence gets, are those of the policy."""
    path = tmp_path / "t.safetensors"
    path.write_bytes(langc.compile(STOPPING, "processor", _vocabulary()).content)
    made, loaded = Matcher(STOPPING, _vocabulary()), Matcher.of(TokenMachine(load(path).tables))
    random, met = np.random.default_rng(5), 0
    for _ in range(60):
        made.reset()
        loaded.reset()
        for _ in range(8):
            logits = random.normal(size=259)
            copy = logits.copy()
            made.raise_end(logits)
            loaded.raise_end(copy)
            assert (made.stopping(), made.bias().tolist()) == (loaded.stopping(), loaded.bias().tolist())
            assert logits.tolist() == copy.tolist()
            met += bool(made.stopping())
            likely = [t for t in (ord("b"), 0xC4, 0x81, 257) if made.allows(t)]
            token = random.choice(likely or np.flatnonzero(made.mask()))
            made.advance(token)
            loaded.advance(token)

    assert met >= 60


def test_a_file_with_stop_before_is_checked(tmp_path: Path) -> None:
    """Neither automaton may point outside itself, whatever its checksum says."""
    good = langc.compile(STOPPING, "processor", _vocabulary()).content
    for change in (_outside, _no_start, _no_object, _no_tensor):
        path = tmp_path / "t.safetensors"
        path.write_bytes(good)
        with safe_open(str(path), framework="numpy") as file:
            facts = json.loads(file.metadata()["langc"])
            tensors = {n: file.get_tensor(n).copy() for n in file.keys()}  # noqa: SIM118
        change(facts, tensors)
        facts["checksum"] = _checksum(tensors, facts)
        path.write_bytes(save(tensors, {"langc": json.dumps(facts)}))
        with pytest.raises(ArtifactError):
            load(path)


def test_automata_that_do_not_belong_together(tmp_path: Path) -> None:
    """A file that lies can mask wrong tokens; it cannot make a matcher fail."""
    path = tmp_path / "t.safetensors"
    path.write_bytes(langc.compile(STOPPING, "processor", _vocabulary()).content)
    with safe_open(str(path), framework="numpy") as file:
        facts = json.loads(file.metadata()["langc"])
        tensors = {n: file.get_tensor(n).copy() for n in file.keys()}  # noqa: SIM118
    tensors["free_table"][:] = 0
    facts["checksum"] = _checksum(tensors, facts)
    path.write_bytes(save(tensors, {"langc": json.dumps(facts)}))
    matcher = Matcher.of(TokenMachine(load(path).tables))

    assert all(matcher.advance(token) for token in b"abc")
    assert matcher.stopping() == ()


def _outside(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["free_table"][3, 65] = 2 * len(tensors["free_table"])


def _no_start(facts: dict[str, Any], _: Tensors) -> None:
    facts["free"]["start"] = 0


def _no_object(facts: dict[str, Any], _: Tensors) -> None:
    facts["free"] = [1]


def _no_tensor(_: dict[str, Any], tensors: Tensors) -> None:
    del tensors["free_live"]


def test_equal_inputs_give_equal_bytes() -> None:
    """The file is a function of the policy and the vocabulary."""
    assert _content() == _content()


def _out_of_table(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["table"][3, 65] = 2 * len(tensors["live"])


def _resurrect_the_dead(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["table"][0, 65] = 1


def _loop_in_trie(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["first_child"][0] = 0


def _climb_for_ever(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["parent"][5] = 5


def _other_parent(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["parent"][-1] -= 1


def _negative_parent(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["parent"][-1] = -(1 << 31)


def _far_parent(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["parent"][-1] = (1 << 31) - 1


def _children_that_wrap_around(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["first_child"][2:4] = (1 << 31) - 1, -(1 << 31)


def _foreign_id(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["ids"][0] = 10_000


def _negative_id(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["ids"][0] = -1


def _missing_tensor(_: dict[str, Any], tensors: Tensors) -> None:
    del tensors["live"]


def _wrong_dtype(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["table"] = tensors["table"].astype(np.int64)


def _short_flags(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["accepting"] = tensors["accepting"][:-1]


def _odd_table(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["table"] = tensors["table"][:-1]


def _start_outside(facts: dict[str, Any], _: Tensors) -> None:
    facts["start"] = 10_000


def _nan_cost(facts: dict[str, Any], _: Tensors) -> None:
    facts["costs"] = [float("nan")]


def _first_level_costs(facts: dict[str, Any], _: Tensors) -> None:
    facts["costs"] = [1.0]


def _no_costs(facts: dict[str, Any], _: Tensors) -> None:
    facts["costs"] = []


def _odd_levels(facts: dict[str, Any], tensors: Tensors) -> None:
    facts["costs"] = [0.0, 1.0]
    tensors["table"] = np.concatenate([tensors["table"], tensors["table"][:-1]])


def _descending_costs(facts: dict[str, Any], tensors: Tensors) -> None:
    facts["costs"] = [0.0, 2.0, 1.0]
    tensors["table"] = np.concatenate([tensors["table"]] * 3)


def _far_end_level(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["end_levels"][0] = 1


def _negative_end_level(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["end_levels"][0] = -1


def _short_end_levels(_: dict[str, Any], tensors: Tensors) -> None:
    tensors["end_levels"] = tensors["end_levels"][:-1]


def _foreign_eos(facts: dict[str, Any], _: Tensors) -> None:
    facts["eos_ids"] = [10_000]


def _other_format(facts: dict[str, Any], _: Tensors) -> None:
    facts["format"] = "langc-processor-0"


UNSOUND = [
    _out_of_table,
    _resurrect_the_dead,
    _loop_in_trie,
    _climb_for_ever,
    _other_parent,
    _negative_parent,
    _far_parent,
    _children_that_wrap_around,
    _foreign_id,
    _negative_id,
    _missing_tensor,
    _wrong_dtype,
    _short_flags,
    _odd_table,
    _start_outside,
    _nan_cost,
    _first_level_costs,
    _no_costs,
    _odd_levels,
    _descending_costs,
    _far_end_level,
    _negative_end_level,
    _short_end_levels,
    _foreign_eos,
    _other_format,
]


@pytest.mark.parametrize("change", UNSOUND)
def test_an_unsound_file_is_refused_even_with_a_good_checksum(
    change: Callable[[dict[str, Any], Tensors], None], tmp_path: Path
) -> None:
    """A stranger can sign what they like; nothing in the file is trusted."""
    path = tmp_path / "t.safetensors"
    _rewrite(path, change, sign=True)

    with pytest.raises(ArtifactError) as caught:
        load(path)

    assert caught.value.diagnostics[0].code == "LC0506"


def test_a_changed_mask_without_a_new_checksum_is_refused(tmp_path: Path) -> None:
    """Bit rot is noticed."""
    path = tmp_path / "t.safetensors"

    def flip(_: dict[str, Any], tensors: Tensors) -> None:
        tensors["live"][1] ^= 1

    _rewrite(path, flip, sign=False)

    with pytest.raises(ArtifactError, match="checksum"):
        load(path)


@pytest.mark.parametrize("content", [b"", b"\x00" * 7, b"\xff" * 64, b"{}", _content()[:-9], _content()[:40]])
def test_what_is_no_safetensors_file_is_refused(content: bytes, tmp_path: Path) -> None:
    """Empty, garbage and truncated files give the one error."""
    path = tmp_path / "t.safetensors"
    path.write_bytes(content)

    with pytest.raises(ArtifactError):
        load(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """A missing file gives the same error, not an OSError."""
    with pytest.raises(ArtifactError):
        load(tmp_path / "none.safetensors")


def test_a_file_for_another_tokenizer_is_refused(tmp_path: Path) -> None:
    """The tokenizer's hash is compared."""
    path = tmp_path / "t.safetensors"
    path.write_bytes(_content())
    other = langc.load_vocabulary({"tokens": {0: b"a"}, "special": {"<eos>": 1}, "eos": [1]})

    with pytest.raises(ArtifactError, match="another tokenizer"):
        load(path, other)


def _phrases_content() -> bytes:
    words = ", ".join(f'"w{number:03}"' for number in range(MANY_ATOMS))
    policy = langc.parse_policy(f"policy t {{ deny phrase {words} {{ ignore case; boundary both word; }} deny [x]; }}")
    return langc.compile(policy, "processor", _vocabulary()).content


def test_phrases_are_kept_as_data(tmp_path: Path) -> None:
    """A policy with very many keeps them beside its tables, and refuses the same when it is loaded."""
    path = tmp_path / "t.safetensors"
    path.write_bytes(_phrases_content())
    tables = load(path, _vocabulary()).tables
    matcher = Matcher.of(TokenMachine(tables))

    assert isinstance(tables, PhraseTables)
    assert len(tables.phrases) == MANY_ATOMS
    assert matcher.sync(b"so W007")
    assert "".join(chr(i) for i in range(32, 127) if not matcher.allows(i)) == " !\"#$%&'()*+,-./:;<=>?@[\\]^`x{|}~"
    assert not matcher.accepting


Phrases = list[dict[str, Any]]


def _set(**values: object) -> Callable[[Phrases], object]:
    return lambda groups: groups[0].update(values)


UNSOUND_TABLES: list[object] = [
    *(None, {}, [], {"ab": "c"}, {"": "c"}, {"a": ""}, {"a": 1}, {"a": "x" * 65}, {"a": "\ud800"}),
    *({"a": "b", "b": "a"}, {"a": "aa"}, {"b": "A", "a": "B"}),
]
"""Of confusable characters: in another form, or without an end."""

UNSOUND_PHRASES: list[Callable[[Phrases], object]] = [
    _set(texts=["\ud800"]),
    _set(texts=["a" * (MAX_PHRASE_LENGTH + 1)]),
    _set(texts=["a", "a"]),
    _set(texts=["\u200b"], invisible=True),
    _set(texts=[""]),
    _set(texts="a"),
    _set(texts=[1]),
    _set(case=1),
    _set(left="nowhere"),
    _set(space=None),
    _set(more=True),
    lambda groups: groups[0].pop("early"),
    *(_set(confusables=table) for table in UNSOUND_TABLES),
    lambda groups: groups.append([]),  # type: ignore[arg-type]
    lambda groups: groups.extend({**groups[0], "texts": ["a" * 999 + str(n)]} for n in range(MAX_POLICY_BYTES // 1000)),
]


@pytest.mark.parametrize("change", UNSOUND_PHRASES)
def test_unsound_phrases_are_refused(change: Callable[[Phrases], object], tmp_path: Path) -> None:
    """Texts, options, and their number are checked."""
    path = tmp_path / "t.safetensors"
    groups = to_json([Phrase("ab", Folding(case=True))])
    change(groups)
    _rewrite(path, lambda facts, _: facts.update(phrases=groups), sign=True)

    with pytest.raises(ArtifactError, match="phrases"):
        load(path)


def test_phrases_beside_costs_are_refused(tmp_path: Path) -> None:
    """Nothing costs where phrases are kept as data."""
    path = tmp_path / "t.safetensors"

    def change(facts: dict[str, Any], tensors: Tensors) -> None:
        facts.update(phrases=to_json([Phrase("ab")]), costs=[0.0, 1.0])
        tensors["table"] = np.concatenate([tensors["table"]] * 2)

    _rewrite(path, change, sign=True)

    with pytest.raises(ArtifactError, match="phrases"):
        load(path)


def test_phrases_as_json_and_back() -> None:
    """Every option survives."""
    phrases = {
        Phrase("a", Folding(True, False, True, Space.ANY, Decomposition.COMPATIBILITY), Side.WORD, Side.SCRIPT, True),
        Phrase("b", Folding(False, True, False, Space.RUN, Decomposition.CANONICAL)),
        Phrase("c"),
        Phrase("d"),
        Phrase("e", Folding(True, confusables=Confusables.of({0x6D: (0x72, 0x6E), 0x1D400: (0x41,)}))),
    }

    assert set(from_json(json.loads(json.dumps(to_json(phrases))))) == phrases
