"""The target outlines: the token automaton as JSON, and the expression that loses no token in outlines-core."""

from __future__ import annotations

import json
from typing import Any

import pytest

from langc.compiler.automata.boolean import difference
from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.equivalence import only_in
from langc.compiler.automata.minimize import minimize
from langc.compiler.errors import LimitError, UnsupportedError
from langc.compiler.ir.language import EMPTY
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.portable import ArtifactError
from langc.compiler.tokens.tables import build_tables
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.readers.fsm import read_fsm
from langc.compiler.verify.readers.regex import read_regex
from langc.targets import _fsm
from langc.targets._fsm import Fsm
from tests.unit.targets.policies import TOO_LARGE_FOR_REGEX, names, policies

BYTES = Vocabulary("bytes", (*(bytes([b]) for b in range(256)), b""), {256: "<eos>"}, frozenset({256}))
TOY = Vocabulary(
    "toy",
    (
        b"a",
        b"",
        "대".encode(),
        "漢江".encode(),
        "漢".encode()[:1],
        "漢".encode()[1:],
        b"",
        "江".encode(),
        b"a\xe6",
        b"b",
    ),
    {1: "<eos>", 6: "<note>"},
    frozenset({1}),
)
"""Ids 0 a, 2 대, 3 漢江, 4 and 5 the halves of 漢, 7 江, 8 a and the first half, 9 b."""


def fsm(policy: Policy, vocabulary: Vocabulary) -> tuple[str, dict[str, Any]]:
    """The text and the data of the artefact."""
    artifact = compile_policy(policy, "outlines", vocabulary)
    assert artifact.text is not None
    assert isinstance(artifact.data, dict)
    return artifact.text, artifact.data


@pytest.mark.parametrize("name", names())
def test_the_automaton_over_bytes_says_exactly_the_policy(name: str) -> None:
    """Over the 256 single bytes the file, read by its description alone, is the policy's own byte automaton."""
    policy = policies()[name]
    read = read_fsm(fsm(policy, BYTES)[0])

    assert policy.byte_dfa == read


def test_the_file_by_hand() -> None:
    """Terms over a small vocabulary: every state, set and target as worked out on paper.

    In state 0 `a`, 대 and the whole term stay; the first half of 漢 leads inside, and so does `a` with that half.
    Behind the halves 江 must come. `b` would be permitted as text.
    """
    text, data = fsm(policies()["terms"], TOY)

    assert data["format"] == "langc-fsm-1"
    assert (data["size"], data["eos"], data["initial"], data["final"]) == (10, [1], 0, [0])
    assert data["sets"] == [[0, 1, 1, 2, 5, 1], [4, 1, 3, 1], [5, 1], [7, 1]]
    assert data["states"] == [[[0, 0], [1, 1]], [[2, 2]], [[0, 3]]]
    assert json.loads(text) == data


@pytest.mark.parametrize("vocabulary", [BYTES, TOY], ids=["bytes", "toy"])
@pytest.mark.parametrize("name", ["terms", "overlapping", "begin-as-text", "exempt-think", "no-cjk"])
def test_the_loaded_automaton_gives_the_masks_of_the_tables(name: str, vocabulary: Vocabulary) -> None:
    """In every state that tokens reach, the machine over the file and the one over the tables allow the same ids."""
    policy = policies()[name]
    tables = build_tables(policy, vocabulary)
    ours, theirs = TokenMachine(tables), TokenMachine(Fsm.load(json.loads(fsm(policy, vocabulary)[0])))
    pairs = {(ours.start, theirs.start)}
    queue = list(pairs)
    for mine, other in queue:
        assert ours.masks[mine].tolist() == theirs.masks[other].tolist()
        for token in tables.edges(mine).ids.tolist():
            after = ours.follow(mine, token), theirs.follow(other, token)
            if after not in pairs:
                pairs.add(after)
                queue.append(after)

    assert len(pairs) == len(tables.states())


@pytest.mark.parametrize("name", [n for n in names() if n not in TOO_LARGE_FOR_REGEX])
def test_the_expression_loses_the_empty_text_alone(name: str) -> None:
    """Without its final anchor the expression says the policy but for the empty text, which the fidelity names."""
    policy = policies()[name]
    artifact = compile_policy(policy, "outlines", BYTES, dialect="regex", allow=["under"])
    assert artifact.text is not None
    body = artifact.text.removesuffix("$")
    read = read_regex(body, "rust")

    assert body + "$" == artifact.text
    assert not read.accepts(())
    assert minimize(difference(policy.dfa, _empty_text())) == read
    assert artifact.fidelity.under == ("" if policy.accepts("") else None)


def _empty_text() -> Dfa:
    from langc.compiler.automata.build import build_dfa

    return build_dfa(EMPTY)


def test_losing_the_empty_text_has_to_be_allowed() -> None:
    """Without `--allow under` the expression is refused, with the empty text as the witness."""
    with pytest.raises(UnsupportedError) as caught:
        compile_policy(policies()["hangul"], "outlines", BYTES, dialect="regex")
    [diagnostic] = caught.value.diagnostics

    assert diagnostic.code == "LC0501"
    assert diagnostic.data["under"] == ""
    assert only_in(policies()["hangul"].dfa, read_regex(r"[\x{AC00}-\x{D7A3}]+", "rust")) == ()


def test_the_witness_stands_in_the_header() -> None:
    """The expression's header says what is lost; the empty text has a word, since it could not be seen."""
    policy = policies()["hangul"]
    lossy = compile_policy(policy, "outlines", BYTES, dialect="regex", allow=["under"])
    exact = compile_policy(policies()["not-empty"], "outlines", BYTES, dialect="regex")

    assert "fidelity=under witness-under=empty){0}" in (lossy.text or "")
    assert "fidelity=exact){0}" in (exact.text or "")


def test_a_soft_policy_is_refused() -> None:
    """The automaton has no prices."""
    with pytest.raises(UnsupportedError) as caught:
        compile_policy(policies()["hangul"].with_(bias=3.0), "outlines", BYTES)

    assert caught.value.diagnostics[0].code == "LC0505"


def test_the_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many runs of ids as the limit are fine; one more is an error with the limit in it."""
    policy = policies()["terms"]
    count = 6 + 4 + 2 + 2  # of the file by hand
    monkeypatch.setattr(_fsm, "MAX_FSM_RUNS", count)
    compile_policy(policy, "outlines", TOY)
    monkeypatch.setattr(_fsm, "MAX_FSM_RUNS", count - 1)
    with pytest.raises(LimitError, match=f"{count - 1}"):
        compile_policy(policy, "outlines", TOY)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", "langc-fsm-2"),
        ("size", 0),
        ("size", 9),
        ("size", 1 << 40),
        ("size", "many"),
        ("eos", [10]),
        ("eos", [-1]),
        ("eos", None),
        ("initial", 1),
        ("final", [3]),
        ("sets", [[0, 1, 1, 2, 5, 1], [4, 1, 3, 1], [5, 1]]),
        ("sets", [[0, 1, 1, 2, 5, 1], [4, 1, 3, 1], [5, 1], [7]]),
        ("sets", [[0, 1, 1, 2, 5, 1], [4, 1, 3, 1], [5, 1], [-7, 1]]),
        ("sets", [[0, 1, 1, 2, 5, 1], [4, 1, 0, 1], [5, 1], [7, 1]]),
        ("sets", [[0, 1, 1, 2, 5, 1], [4, 1, 3, 1], [5, 1], [7, 9]]),
        ("sets", "none"),
        ("states", [[[0, 0], [1, 1]], [[2, 2]], [[3, 3]]]),
        ("states", [[[0, 0], [1, 1]], [[2, 2]], [[0, 4]]]),
        ("states", []),
        ("states", [[0, 1]]),
        ("langc", None),
    ],
)
def test_an_unsound_file_is_refused(key: str, value: object) -> None:
    """Whatever is wrong in a file, it is one error with a code, and nothing indexes out of bounds later."""
    _, data = fsm(policies()["terms"], TOY)
    with pytest.raises(ArtifactError) as caught:
        Fsm.load({**data, key: value})

    assert caught.value.diagnostics[0].code == "LC0506"


@pytest.mark.parametrize("value", [None, [], "langc-fsm-1", {"format": "langc-fsm-1"}])
def test_any_other_json_is_refused(value: object) -> None:
    """What is not of the format at all gives the same error."""
    with pytest.raises(ArtifactError):
        Fsm.load(value)
