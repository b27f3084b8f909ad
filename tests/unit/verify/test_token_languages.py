"""Token automata out of files against the policy: each change comes out as a shortest row of tokens."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from langc import parse_policy
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.limits import MAX_COSTS
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify import token_languages
from langc.compiler.verify.artefact import Readable
from langc.compiler.verify.languages import measure
from langc.compiler.verify.readers.nodes import ReadError
from langc.compiler.verify.readers.processor import ProcessorFile, read_processor
from langc.compiler.verify.report import Language, Witness
from langc.compiler.verify.token_languages import compare_tokens
from tests.unit.targets.policies import policies
from tests.unit.targets.test_outlines import TOY

TERMS = policies()["terms"]
HALF = "漢".encode()[:1]
Row = tuple[bytes, tuple[int, ...]]


def fsm(**changes: Any) -> Readable:
    """The automaton of `TERMS` over `TOY`, with some keys of the file replaced.

    State 0 is text and reads {a 0, 대 2, 漢江 3, b 9}; the half of 漢 (4, and 8 behind an a) leads to state 1, the
    other half (5) to state 2, and 江 (7) back to 0. The end is 1.
    """
    artifact = compile_policy(TERMS, "outlines", TOY)
    assert isinstance(artifact.data, dict)
    return Readable.of(replace(artifact, text=json.dumps({**artifact.data, **changes})))


def over(language: Language) -> Row | None:
    """Text and tokens."""
    return _row(language.over, "artefact")


def under(language: Language) -> Row | None:
    """Text and tokens."""
    return _row(language.under, "policy")


def _row(witness: Witness | None, side: str) -> Row | None:
    if witness is None:
        return None
    assert witness.passes == side
    assert witness.tokens is not None
    return witness.text, witness.tokens


SETS = [[0, 1, 1, 2, 5, 1], [4, 1, 3, 1], [5, 1], [7, 1]]
STATES = [[[0, 0], [1, 1]], [[2, 2]], [[0, 3]]]


@pytest.mark.parametrize(
    ("changes", "more", "less"),
    [
        ({}, None, None),
        # An end too early, an end too few, another end.
        ({"final": [0, 1]}, (HALF, (4, 1)), None),
        ({"final": []}, None, (b"", (1,))),
        ({"final": [2]}, ("漢".encode(), (4, 5, 1)), (b"", (1,))),
        ({"eos": [6]}, (b"", (6,)), (b"", (1,))),
        # A token more, a token less, both, and one that the vocabulary does not have.
        ({"sets": [[0, 1, 1, 2, 3, 1, 1, 1], *SETS[1:]]}, ("江".encode(), (7,)), None),
        ({"sets": [[0, 1, 1, 2], *SETS[1:]]}, None, (b"b", (9,))),
        ({"sets": [[2, 2, 3, 1, 1, 1], *SETS[1:]]}, ("江".encode(), (7,)), (b"a", (0,))),
        ({"size": 12, "sets": [[0, 1, 1, 2, 5, 1, 1, 1], *SETS[1:]]}, (b"", (11,)), None),
        # A wrong target, an edge less, a dead end.
        ({"states": [STATES[0], [[0, 2]], STATES[2]]}, ("漢".encode(), (4, 5, 1)), ("漢江".encode(), (4, 5, 7))),
        ({"states": [[[0, 0]], *STATES[1:]]}, None, (HALF, (4,))),
        ({"states": [[[0, 0], [1, 1], [3, 2]], *STATES[1:], []]}, ("漢".encode()[1:], (5,)), None),
        # States that are no other: the same automaton with one state twice.
        ({"states": [[[3, 0], [1, 1]], *STATES[1:], [[0, 0], [1, 1]]], "final": [0, 3]}, None, None),
    ],
)
def test_a_changed_automaton(changes: dict[str, Any], more: Row | None, less: Row | None) -> None:
    """The row is shortest in tokens, and of those that disagree the last one has the fewest bytes."""
    language = measure(TERMS, fsm(**changes), TOY)

    assert (over(language), under(language)) == (more, less)


def test_states_are_counted_as_they_are_reached() -> None:
    """Three of the file as it is; one that nothing leads to does not count."""
    assert measure(TERMS, fsm(), TOY).states == 3
    assert measure(TERMS, fsm(states=[*STATES, [[0, 0]]]), TOY).states == 3


def test_another_policy_is_a_difference() -> None:
    """An edited policy is what verifying is for: the header's hashes decide nothing."""
    language = measure(policies()["no-cjk"], fsm(), TOY)

    assert (over(language), under(language)) == ((HALF, (4,)), None)


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "langc-fsm-2"},
        {"initial": 1},
        {"initial": False},
        {"size": 0},
        {"size": 1 << 40},
        {"size": 9},
        {"size": 10.0},
        {"eos": [10]},
        {"eos": [True]},
        {"eos": {}},
        {"final": [3]},
        {"final": ["0"]},
        {"sets": [*SETS[:3], [7]]},
        {"sets": [*SETS[:3], []]},
        {"sets": [*SETS[:3], [7, 0]]},
        {"sets": [*SETS[:3], [7, 4]]},
        {"sets": [*SETS[:3], [-7, 1]]},
        {"sets": [*SETS[:3], [1e400, 1]]},
        {"sets": 1},
        {"states": []},
        {"states": [[[0, 0], [1, 0]], *STATES[1:]]},
        {"states": [[[0, 4]], *STATES[1:]]},
        {"states": [[[3, 0]], *STATES[1:]]},
        {"states": [[[0]], *STATES[1:]]},
        {"states": [[0, 0], *STATES[1:]]},
    ],
)
def test_an_unsound_automaton_is_refused(changes: dict[str, Any]) -> None:
    """Whatever is wrong in a file, it is one error with a code."""
    with pytest.raises(LangcError) as caught:
        measure(TERMS, fsm(**changes), TOY)

    assert caught.value.diagnostics[0].code == "LC0530"


def test_the_comparison_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """State 0 allows six tokens, the others one each; all of them are counted on both sides."""
    monkeypatch.setattr(token_languages, "MAX_READ_EDGES", 16)
    measure(TERMS, fsm(), TOY)
    monkeypatch.setattr(token_languages, "MAX_READ_EDGES", 15)
    with pytest.raises(LimitError, match="15"):
        measure(TERMS, fsm(), TOY)


def processor(policy: Policy = TERMS) -> ProcessorFile:
    """The file of target processor, read."""
    return read_processor(compile_policy(policy, "processor", TOY).content)


def _flags(flags: Any, *numbers: int) -> Any:
    changed = flags.copy()
    changed[list(numbers)] ^= True
    return changed


def _table(file: ProcessorFile, state: int, byte: int, target: int) -> Any:
    changed = file.table.copy()
    changed[state, byte] = target
    return changed


def _after(file: ProcessorFile, *spelled: bytes) -> int:
    state = file.start
    for byte in b"".join(spelled):
        state = int(file.table[state, byte])
    return state


@pytest.mark.parametrize(
    ("change", "more", "less"),
    [
        (lambda f: {}, None, None),
        (lambda f: {"accepting": _flags(f.accepting, f.start)}, None, None),  # the price of a hard policy is none
        (lambda f: {"endable": _flags(f.endable, f.start)}, None, (b"", (1,))),
        (lambda f: {"endable": _flags(f.endable, _after(f, HALF))}, (HALF, (4, 1)), None),
        (lambda f: {"live": _flags(f.live, _after(f, HALF))}, None, (HALF, (4,))),
        (lambda f: {"table": _table(f, f.start, 0x62, 0)}, None, (b"b", (9,))),
        (lambda f: {"table": _table(f, f.start, 0xB1, f.start)}, None, None),  # no token begins with this byte
        (lambda f: {"table": _table(f, _after(f, HALF), 0xBC, 0)}, None, ("漢江".encode(), (3,))),
        (lambda f: {"eos_ids": frozenset({6})}, (b"", (6,)), (b"", (1,))),
    ],
)
def test_a_changed_processor(
    change: Callable[[ProcessorFile], dict[str, Any]], more: Row | None, less: Row | None
) -> None:
    """As for automata in JSON; what no token can reach makes no difference."""
    file = processor()
    language = compare_tokens(TERMS, replace(file, **change(file)), TOY)

    assert (over(language), under(language)) == (more, less)


def test_prices_of_a_soft_policy() -> None:
    """A violation that costs less than it should is `over`, one that costs more is `under`; the first is 江."""
    soft = TERMS.with_(mode="soft", bias=4.0)
    file = processor(soft)
    right, cheap, dear = (compare_tokens(soft, replace(file, costs=np.array([0.0, b])), TOY) for b in (4.0, 3.0, 5.0))

    assert (over(right), under(right)) == (None, None)
    assert (over(cheap), under(cheap)) == (("江".encode(), (7,)), None)
    assert (over(dear), under(dear)) == (None, ("江".encode(), (7,)))


def test_a_hard_file_is_too_strict_for_a_soft_policy() -> None:
    """What it refuses, the policy permits at a price."""
    language = measure(TERMS.with_(mode="soft", bias=4.0), fsm(), TOY)

    assert (over(language), under(language)) == (None, ("江".encode(), (7,)))


def test_as_many_costs_as_a_policy_may_have() -> None:
    """Beside the 0 of what is permitted."""
    lines = (f"discourage [{letter}] by {n};" for n, letter in enumerate("abcdefghijklmnop", 1))
    policy = parse_policy(f"policy p {{ {' '.join(lines)} }}")

    assert processor(policy).costs.tolist() == [float(n) for n in range(MAX_COSTS + 1)]


LETTERS = [f"{a}{b}{c}" for a in "abcde" for b in "abcde" for c in "abcde"]
"""So many that they are read beside the automaton."""
BYTES = Vocabulary("bytes", (*(bytes([b]) for b in range(256)), b""), {256: "<end>"}, frozenset({256}))


def _denying(words: list[str], kind: str = "deny phrase", more: str = "") -> Policy:
    quoted = ", ".join(f'"{word}"' for word in words)
    return parse_policy(f"policy p {{ {kind} {quoted}{more or ';'} }}")


@pytest.mark.parametrize(
    ("file", "policy", "more", "less"),
    [
        (LETTERS, LETTERS, None, None),
        (LETTERS, LETTERS[::-1], None, None),
        (LETTERS[1:], LETTERS, b"aaa", None),
        (LETTERS, LETTERS[:-1], None, b"eee"),
        (LETTERS[1:], LETTERS[:-1], b"aaa", b"eee"),
    ],
)
def test_phrases_beside_an_automaton(
    file: list[str], policy: list[str], more: bytes | None, less: bytes | None
) -> None:
    """One that is missing lets its own text through, one too many blocks it."""
    artifact = compile_policy(_denying(file), "processor", BYTES)
    found = measure(_denying(policy), Readable.of(artifact), BYTES)

    assert read_processor(artifact.content).phrases
    assert (found.over and found.over.text, found.under and found.under.text) == (more, less)


def test_other_options_of_the_phrases_beside_an_automaton() -> None:
    """The same texts are others then, in both directions."""
    artifact = compile_policy(_denying(LETTERS, more=" { ignore case; }"), "processor", BYTES)
    found = measure(_denying(LETTERS), Readable.of(artifact), BYTES)

    assert (found.over and found.over.text, found.under and found.under.text) == (b"aaa", b"aaa")


@pytest.mark.parametrize(
    ("file", "policy", "more", "less"),
    [
        ("stop before phrase", "stop before phrase", None, None),
        ("deny phrase", "deny phrase", None, None),
        ("deny phrase", "stop before phrase", None, b"bad"),
        ("stop before phrase", "deny phrase", b"bad", None),
    ],
)
def test_where_a_text_is_stopped(file: str, policy: str, more: bytes | None, less: bytes | None) -> None:
    """Both permit the same texts; the policy without `stop before` tells them apart."""
    artifact = compile_policy(_denying(["bad"], file), "processor", BYTES)
    found = measure(_denying(["bad"], policy), Readable.of(artifact), BYTES)

    assert (found.over and found.over.text, found.under and found.under.text) == (more, less)
    assert bool(found.notes) == (file != policy)


def test_the_two_formats_say_the_same_of_tokens() -> None:
    """Read by the one reader and by the other, every state allows the same ids."""
    for name in ("terms", "overlapping", "exempt-think", "everything"):
        policy = policies()[name]
        read = processor(policy)
        language = measure(policy, Readable.of(compile_policy(policy, "outlines", TOY)), TOY)
        again = compare_tokens(policy, read, TOY)

        assert (language.over, language.under, again.over, again.under) == (None,) * 4


def test_the_bytes_of_tokens_are_read_from_the_trie() -> None:
    """Each id has the bytes that the vocabulary gives it."""
    tokens = processor(policies()["everything"]).tokens
    spelled = {int(i): tokens.token(n) for n, i in enumerate(tokens.ids)}

    assert spelled == {i: b for i, b in enumerate(TOY.tokens) if b}


def _rewritten(change: Callable[[dict[str, Any], dict[str, Any]], None], sign: bool = True) -> bytes:
    """A changed copy of a good file, with a checksum that matches unless `sign` is false."""
    from safetensors.numpy import load, save

    from langc.compiler.tokens.portable import _checksum

    content = compile_policy(TERMS, "processor", TOY).content
    tensors = {name: t.copy() for name, t in load(content).items()}
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    facts = json.loads(header["__metadata__"]["langc"])
    change(facts, tensors)
    if sign:
        facts["checksum"] = _checksum(tensors, facts)
    changed: bytes = save(tensors, {"langc": json.dumps(facts)})
    return changed


def _set(name: str, place: Any, value: int) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def change(_: dict[str, Any], tensors: dict[str, Any]) -> None:
        tensors[name][place] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _set("table", (1, 65), 10_000),
        _set("table", (1, 65), -1),
        _set("table", (0, 65), 1),
        _set("live", 1, 2),
        _set("parent", 5, 5),
        _set("parent", 5, -1),
        _set("first_child", 0, 0),
        _set("first_child", 3, 1),
        _set("first_id", 0, 1),
        _set("first_id", 4, 10_000),
        _set("ids", 0, 10_000),
        _set("ids", 0, -1),
        lambda _, t: t["ids"].__setitem__(0, t["ids"][1]),
        lambda _, t: t.pop("live"),
        lambda _, t: t.update(more=t["live"]),
        lambda _, t: t.update(table=t["table"].astype(np.int64)),
        lambda _, t: t.update(table=t["table"][:-1]),
        lambda _, t: t.update(table=t["table"].reshape(-1)),
        lambda _, t: t.update(live=t["live"][:-1]),
        lambda _, t: t.update(byte=t["byte"][:-1]),
        lambda f, _: f.update(format="langc-processor-1"),
        lambda f, _: f.update(start=0),
        lambda f, _: f.update(start=10_000),
        lambda f, _: f.update(size=0),
        lambda f, _: f.update(size=True),
        lambda f, _: f.update(costs=[]),
        lambda f, _: f.update(costs=[0.0, -1.0]),
        lambda f, _: f.update(costs=[0]),
        lambda f, _: f.update(costs=[1.0]),
        lambda f, _: f.update(eos_ids=[10_000]),
        lambda f, _: f.pop("size"),
    ],
)
def test_an_unsound_processor_is_refused(change: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Also with a good checksum: a stranger can sign what they like."""
    with pytest.raises(ReadError):
        read_processor(_rewritten(change))


def test_bytes_behind_the_tensors_are_refused() -> None:
    """As the loaders do."""
    with pytest.raises(ReadError, match="belong to no tensor"):
        read_processor(_rewritten(lambda *_: None) + b"x")


def test_a_change_without_a_new_checksum_is_refused() -> None:
    """As the loaders do."""
    with pytest.raises(ReadError, match="checksum"):
        read_processor(_rewritten(_set("live", 1, 0), sign=False))
    assert read_processor(_rewritten(lambda *_: None)).size == TOY.size
