"""Every case of the conformance table, by every judge."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import langc
from langc.compiler.errors import LangcError, PolicyError
from langc.compiler.policy import Policy
from langc.compiler.tokens.machine import DeadEndError
from langc.compiler.tokens.matcher import Matcher
from tests.conformance.judges import ACCEPT, JUDGES, PREFIX, has_residuals
from tests.conformance.table import cases, vocabulary_of
from tests.oracle.tokens import FORBIDDEN, TokenReferee

ROOT = Path(__file__).resolve().parents[2]


def by_id(kind: str) -> list[Any]:
    """The cases of a kind, named for the report."""
    return [pytest.param(case, id=case["id"]) for case in cases(kind)]


def test_the_table_is_whole() -> None:
    """None of its parts was lost, and no two cases of a kind share a name."""
    counts = {kind: len(cases(kind)) for kind in ("text", "tokens", "refused", "elsewhere")}

    assert {kind: counts[kind] >= least for kind, least in (("text", 14), ("tokens", 14), ("refused", 2))} == {
        "text": True,
        "tokens": True,
        "refused": True,
    }
    for kind in counts:
        assert len({case["id"] for case in cases(kind)}) == counts[kind]


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("case", by_id("text"))
def test_text(case: dict[str, Any], judge: str) -> None:
    """Accepted, refused at its offset, or valid so far."""
    policy = langc.parse_policy(case["policy"], case.get("name"))
    expected = dict.fromkeys(case["accept"], ACCEPT)
    expected |= dict.fromkeys(case.get("prefix", []), PREFIX)
    expected |= {r["text"]: PREFIX if r["at"] == len(r["text"]) else r["at"] for r in case["reject"]}

    assert {text: JUDGES[judge](policy, text) for text in expected} == expected


@pytest.mark.parametrize("case", by_id("text"))
def test_the_rule_that_is_to_blame(case: dict[str, Any]) -> None:
    """The first rule that takes the character away, as `langc fmt` prints it."""
    policy = langc.parse_policy(case["policy"], case.get("name"))
    named = [r for r in case["reject"] if "rule" in r]
    blamed = [policy.blame(ord(r["text"][r["at"]])) for r in named]

    assert [rule.text if rule else None for rule in blamed] == [r["rule"] for r in named]


@pytest.mark.parametrize("case", by_id("tokens"))
def test_tokens(case: dict[str, Any]) -> None:
    """The whole mask after each history, by the matcher and by the referee; refused ids lead nowhere."""
    policy, vocabulary = langc.parse_policy(case["policy"], case.get("name")), vocabulary_of(case)
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


@pytest.mark.parametrize("case", by_id("refused"))
def test_refused(case: dict[str, Any]) -> None:
    """One error that names the rules that clash."""
    with pytest.raises(PolicyError) as refused:
        _language(langc.parse_policy(case["policy"], case.get("name")))
    (diagnostic,) = refused.value.diagnostics
    labels = [*diagnostic.secondary, *([diagnostic.primary] if diagnostic.primary else [])]

    assert diagnostic.code == case["code"]
    assert [label.message.strip("`") for label in labels] == case["rules"]


def _language(policy: Policy) -> object:
    return policy.ir.language


@pytest.mark.parametrize("case", by_id("elsewhere"))
def test_elsewhere(case: dict[str, Any]) -> None:
    """The test that holds the case is there."""
    path, name = case["test"].split("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))

    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
