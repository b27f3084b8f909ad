"""Every case of the conformance table, by langc itself. What the engines say is in `test_table_by_engines.py`."""

from __future__ import annotations

import ast
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import langc
from langc import targets
from langc.compiler.checking.check import StreamChecker, check
from langc.compiler.checking.report import Figures
from langc.compiler.errors import LangcError
from langc.compiler.tokens.machine import DeadEndError
from langc.compiler.tokens.matcher import Matcher
from tests.conformance.judges import ACCEPT, JUDGES, PREFIX, has_residuals
from tests.conformance.table import cases, policy_of, verdicts_of, vocabulary_of
from tests.oracle.tokens import FORBIDDEN, TokenReferee
from tests.unit.tokens.toys import BYTES_AND_EOS

ROOT = Path(__file__).resolve().parents[2]
LEAST = {"text": 35, "tokens": 29, "stream": 5, "audit": 2, "refused": 6, "elsewhere": 6}


def by_id(kind: str) -> list[Any]:
    """The cases of a kind, named for the report."""
    return [pytest.param(case, id=case["id"], marks=marks_of(case)) for case in cases(kind)]


def marks_of(case: dict[str, Any]) -> list[pytest.MarkDecorator]:
    """Several kinds of regions with rules of their own make large automata."""
    return [pytest.mark.slow] if case["id"] in ("links-and-code", "quotes-and-code") else []


def judged() -> list[Any]:
    """Each text case with each judge; the referee on rules has nothing to say on what is made of no rules."""
    return [
        pytest.param(case, judge, id=f"{case['id']}-{judge}", marks=marks_of(case))
        for case in cases("text")
        for judge in JUDGES
        if judge != "rules" or not case.keys() & {"expression", "exempt"}
    ]


@pytest.mark.parametrize("kind", LEAST)
def test_the_table_is_whole(kind: str) -> None:
    """None of its parts was lost, and no two cases of a kind share a name."""
    found = cases(kind)

    assert len(found) >= LEAST[kind]
    assert len({case["id"] for case in found}) == len(found)


@pytest.mark.parametrize(("case", "judge"), judged())
def test_text(case: dict[str, Any], judge: str) -> None:
    """Accepted, refused at its offset, or valid so far."""
    policy, expected = policy_of(case), verdicts_of(case)

    assert {text: JUDGES[judge](policy, text) for text in expected} == expected


@pytest.mark.parametrize("case", [c for c in by_id("text") if "policy" in c.values[0]])
def test_the_first_violation_of_a_check(case: dict[str, Any]) -> None:
    """`check` finds none in what is accepted, and else the first where the table has it; ends cut short at the end."""
    policy, expected = policy_of(case), verdicts_of(case)
    found = {text: check(text, policy).violations for text in expected}
    places = {text: len(text) if at == PREFIX else at for text, at in expected.items()}

    assert {text: v[0].offset if v else ACCEPT for text, v in found.items()} == places


@pytest.mark.parametrize("case", by_id("text"))
def test_the_rule_that_is_to_blame(case: dict[str, Any]) -> None:
    """The first rule that takes the character away, as `langc fmt` prints it; and the character by its name."""
    policy = policy_of(case)
    named = [r for r in case["reject"] if "rule" in r]
    shown = [r for r in case["reject"] if "shown" in r]
    blamed = [check(r["text"], policy).violations[0].rule for r in named]
    alone = [policy.blame(ord(r["text"][r["at"]])) for r in named]

    assert blamed == [r["rule"] for r in named]
    assert all(rule is None or rule.text == r["rule"] for rule, r in zip(alone, named, strict=True))
    assert [check(r["text"], policy).violations[0].description for r in shown] == [r["shown"] for r in shown]


@pytest.mark.parametrize("case", by_id("tokens"))
def test_tokens(case: dict[str, Any]) -> None:
    """The whole mask after each history, by the matcher and by the referee; refused ids lead nowhere."""
    policy, vocabulary = policy_of(case), vocabulary_of(case)
    if "code" in case:
        with pytest.raises(LangcError, match=case["code"]):
            Matcher(policy, vocabulary, case.get("rows"))
        return
    referee = TokenReferee(policy, vocabulary) if has_residuals(policy) else None
    for walk in case["walks"]:
        matcher = Matcher(policy, vocabulary, case.get("rows"))
        assert matcher.sync(walk["ids"]) != walk.get("dead", False)
        if walk.get("dead"):
            with pytest.raises(DeadEndError):
                matcher.mask()
            continue
        assert np.flatnonzero(matcher.mask()).tolist() == walk["allowed"], walk
        if referee:
            assert [i for i, cost in enumerate(referee.bias(walk["ids"])) if cost != FORBIDDEN] == walk["allowed"]
        advanced = [i for i in range(-1, matcher.rows + 1) if matcher.fork().advance(i)]
        assert advanced == ([] if walk.get("ended") else walk["allowed"])


@pytest.mark.parametrize("case", [c for c in by_id("tokens") if "code" not in c.values[0]])
def test_one_by_one_or_as_a_list(case: dict[str, Any]) -> None:
    """A history that is fed token by token leads where the whole list does, the end-of-sequence among its tokens."""
    policy, vocabulary = policy_of(case), vocabulary_of(case)
    for walk in case["walks"]:
        by_list, by_one = (Matcher(policy, vocabulary, case.get("rows"), "stop") for _ in range(2))
        by_list.sync(walk["ids"])
        ids = walk["ids"][: next((n + 1 for n, i in enumerate(walk["ids"]) if i in vocabulary.eos_ids), None)]
        taken = [by_one.advance(token) for token in ids]

        assert all(taken) != walk.get("dead", False), walk
        if all(taken):
            assert (by_one.mask().tolist(), by_one.ended) == (by_list.mask().tolist(), by_list.ended)


@pytest.mark.parametrize("case", [c for c in by_id("tokens") if "banned" in c.values[0]])
def test_a_list_of_banned_tokens_holds_them(case: dict[str, Any]) -> None:
    """By their bytes; the list may have to ban more, as it says in its header."""
    artifact = langc.compile(policy_of(case), "logit-bias", vocabulary_of(case), allow="over,under")
    entries: Any = artifact.data

    assert {token for token, _ in entries} >= set(case["banned"])
    assert artifact.fidelity.over is None


@pytest.mark.parametrize("case", by_id("stream"))
def test_stream(case: dict[str, Any]) -> None:
    """Each chunk reports what it makes certain, and nothing that could still become something else."""
    checker = StreamChecker(policy_of(case))
    found = [[v.offset for v in checker.feed(bytes.fromhex(chunk))] for chunk in case["chunks"]]
    found.append([v.offset for v in checker.finish()])

    assert found == case["found"]


@pytest.mark.parametrize("case", by_id("stream"))
def test_a_stream_and_its_whole_text(case: dict[str, Any]) -> None:
    """However the bytes are cut, the report is that of the finished text."""
    data, policy = bytes.fromhex("".join(case["chunks"])), policy_of(case)
    whole = check(data.decode(), policy)
    for size in range(1, len(data) + 1):
        checker = StreamChecker(policy)
        for start in range(0, len(data), size):
            checker.feed(data[start : start + size])
        checker.finish()

        assert checker.report() == whole


@pytest.mark.parametrize("case", by_id("audit"))
def test_audit(case: dict[str, Any]) -> None:
    """The figures of several texts add up."""
    reports = [check(text, policy_of(case)) for text in case["texts"]]
    total = reduce(add, reports, Figures())
    fields = case.keys() - {"id", "shows", "policy", "texts", "violations"}

    assert len(fields) == 7
    assert {name: dict(value) if isinstance(value := getattr(total, name), dict) else value for name in fields} == {
        name: case[name] for name in fields
    }
    assert sum(len(report.violations) for report in reports) == case["violations"]


@pytest.mark.parametrize("case", by_id("refused"))
def test_refused(case: dict[str, Any]) -> None:
    """One error that names the rules that clash, or the limit."""
    with pytest.raises(LangcError) as refused:
        _ = policy_of(case).dfa
    (diagnostic,) = refused.value.diagnostics
    labels = [*diagnostic.secondary, *([diagnostic.primary] if diagnostic.primary else [])]

    assert diagnostic.code == case["code"]
    assert sorted(label.message.strip("`") for label in labels) == sorted(case["rules"])
    assert case.get("limit", "") in diagnostic.message


@pytest.mark.parametrize("case", [c for c in by_id("refused") if c.values[0].get("everywhere", True)])
@pytest.mark.parametrize("target", targets.names())
def test_refused_by_every_target(case: dict[str, Any], target: str) -> None:
    """No target makes anything of a policy that permits nothing, or that is too large."""
    with pytest.raises(LangcError) as refused:
        langc.compile(policy_of(case), target, BYTES_AND_EOS, allow="over,under")

    assert [diagnostic.code for diagnostic in refused.value.diagnostics] == [case["code"]]


@pytest.mark.parametrize("case", by_id("elsewhere"))
def test_elsewhere(case: dict[str, Any]) -> None:
    """The test that holds the case is there."""
    path, name = case["test"].split("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))

    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
