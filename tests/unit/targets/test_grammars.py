"""The targets gbnf and xgrammar: right-linear grammars, read back from their text."""

from __future__ import annotations

import re

import pytest

import langc
from langc.compiler import limits
from langc.compiler.automata.graph import dfa_graph
from langc.compiler.errors import LimitError, PolicyError, UnsupportedError
from langc.compiler.ir.language import cover
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.verify.readers.bnf import GBNF, XGRAMMAR, Dialect, read_grammar, read_rules
from langc.compiler.verify.readers.nodes import Chars
from langc.targets import _grammar, xgrammar
from tests.unit.targets.policies import NO_CJK, names, policies

FORMATS = {"gbnf": GBNF, "xgrammar": XGRAMMAR}
formats = pytest.mark.parametrize(("target", "dialect"), FORMATS.items(), ids=FORMATS)


def grammar(policy: Policy, target: str) -> str:
    """The whole artefact."""
    text = compile_policy(policy, target).text
    assert text is not None
    return text


def rules(policy: Policy, target: str) -> list[str]:
    """The artefact without its header."""
    return [line for line in grammar(policy, target).splitlines() if not line.startswith("#")]


@formats
@pytest.mark.parametrize("name", names())
def test_the_text_says_exactly_the_policy(name: str, target: str, dialect: Dialect) -> None:
    """Read back from its text, the grammar has the very automaton of the policy."""
    policy = policies()[name]
    read = read_grammar(grammar(policy, target), dialect)

    assert policy.dfa == read


@formats
def test_a_set_is_a_loop_over_one_class(target: str, dialect: Dialect) -> None:
    """A policy without terms takes two rules, and its class as many ranges as the set."""
    text = grammar(policies()["no-cjk"], target)
    read = read_rules(text, dialect)
    escapes = re.findall(r"\\[xuU][0-9A-F]+", text)

    assert rules(policies()["no-cjk"], target)[0] == "root ::= text*"
    assert list(read) == ["root", "text"]
    assert read["text"] == Chars(NO_CJK)
    assert len(escapes) == sum(1 if low == high else 2 for low, high in NO_CJK.ranges)


@formats
def test_terms_read_as_literals(target: str, dialect: Dialect) -> None:
    """Each term is one alternative, written as it was in the policy, and leads back to the root."""
    root = rules(policies()["terms"], target)[0]

    assert root == 'root ::= text root | "大韓民國" root | "漢江" root | ""'


def test_xgrammar_has_classes_where_they_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shared rule would be entered at run time for every token; past the budget it is shared all the same."""
    policy = policies()["exempt-code"]
    ranges = sum(len(label.ranges) for edges in dfa_graph(policy.dfa).edges for label, _ in edges)
    monkeypatch.setattr(xgrammar, "MAX_XGRAMMAR_RANGES", ranges)
    written_out = rules(policy, "xgrammar")
    monkeypatch.setattr(xgrammar, "MAX_XGRAMMAR_RANGES", ranges - 1)
    shared = rules(policy, "xgrammar")

    assert not any(re.match("(set|text)", line) for line in written_out)
    assert any(re.match("(set|text)", line) for line in shared)


def test_equal_classes_are_one_rule() -> None:
    """No class of more than four ranges is written twice, and what two have in common is a rule of its own."""
    lines = rules(policies()["exempt-code"], "gbnf")
    classes = re.findall(r"\[(?:\\.|[^\]\\])*\]", "\n".join(lines))
    large = [c for c in classes if len(c) > 60]

    assert len(large) == 2  # what is denied outside of code, and what else is permitted everywhere
    assert len(set(large)) == len(large)


@formats
def test_a_thousand_terms_take_a_thousand_alternatives(target: str, dialect: Dialect) -> None:
    """The grammar grows with the terms, not with the square of their number, even where they begin as plain text."""
    terms = tuple(f"{chr(0xAC00 + 7 * n)}({chr(0x4E00 + n)})" for n in range(1000))
    text = "\n".join(rules(Policy(PolicyIR("many", None, (), cover(NO_CJK, terms))), target))

    assert text.count("|") == 1001
    assert len(text) < 30_000


@formats
def test_every_line_is_plain(target: str, dialect: Dialect) -> None:
    """Beside letters inside literals there is nothing but printable ASCII, and no class that engines disagree on."""
    found = [line for name in names() for line in rules(policies()[name], target)]
    literals = re.compile(r'"(?:\\.|[^"\\])*"')

    assert len(found) > 100
    assert all(line.isprintable() for line in found)
    assert all(literals.sub("", line).isascii() for line in found)
    assert not [line for line in found if "[]" in line or "[^" in line]
    assert not [line for line in found if r"\uD8" in line or r"\uDF" in line]


@pytest.mark.parametrize(("target", "joint", "other"), [("gbnf", "-", "_"), ("xgrammar", "_", "-")])
def test_names_are_in_the_format_s_own_style(target: str, joint: str, other: str) -> None:
    """llama.cpp takes no underscores in the names of rules; xgrammar's own grammars use them."""
    found = {line.partition(" ::=")[0] for line in rules(policies()["exempt-think"], target)}

    assert len(found) > 10
    assert all(re.fullmatch(rf"root|text|set{joint}\d+|state{joint}\d+", name) for name in found)
    assert not any(other in name for name in found)


@formats
def test_the_header_is_comment_lines(target: str, dialect: Dialect) -> None:
    """Every fact about the artefact stands before the rules, one a line."""
    policy = policies()["hangul"]
    header = dict(line[2:].split(": ", 1) for line in grammar(policy, target).splitlines() if line.startswith("# "))

    assert list(header) == ["langc", "policy", "policy-sha256", "unicode", "target", "fidelity"]
    assert (header["policy"], header["policy-sha256"]) == ("hangul", policy.hash)
    assert (header["unicode"], header["target"]) == ("18.0.0", target)


def test_what_llamacpp_lets_through_is_flagged() -> None:
    """llama.cpp takes some overlong encodings under any class, so its artefact is exact on well-formed text only."""
    assert compile_policy(policies()["hangul"], "gbnf").fidelity.flags == ("exact", "ill-formed")
    assert compile_policy(policies()["hangul"], "xgrammar").fidelity.flags == ("exact",)


@formats
def test_a_soft_policy_is_refused(target: str, dialect: Dialect) -> None:
    """A grammar knows no price, and the message names the targets that do."""
    with pytest.raises(UnsupportedError) as caught:
        compile_policy(policies()["hangul"].with_(mode="soft"), target)
    [diagnostic] = caught.value.diagnostics

    assert diagnostic.code == "LC0505"
    assert diagnostic.data["targets"] == ["logit-bias", "processor"]


@formats
def test_the_size_is_bounded(target: str, dialect: Dialect, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many ranges as the limit are fine; one more is an error with the limit in it."""
    policy = policies()["every-other"]
    count = len(policy.dfa.partition.members[1].ranges)
    monkeypatch.setattr(_grammar, "MAX_GRAMMAR_SIZE", count)
    compile_policy(policy, target)
    monkeypatch.setattr(_grammar, "MAX_GRAMMAR_SIZE", count - 1)
    with pytest.raises(LimitError) as caught:
        compile_policy(policy, target)

    assert caught.value.diagnostics[0].code == "LC0701"
    assert f"{count - 1}" in caught.value.diagnostics[0].message
    assert limits.MAX_GRAMMAR_SIZE > 100_000


def test_what_xgrammar_would_compile_for_minutes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One transition below the limit, at it, and one beyond: the help names targets that can. Terms do not count."""
    policy = langc.parse_policy('policy p { deny phrase "as an AI", "delve"; }')
    count = sum(map(len, dfa_graph(policy.dfa).edges))
    for limit in (count + 1, count):
        monkeypatch.setattr(xgrammar, "MAX_XGRAMMAR_TRANSITIONS", limit)
        compile_policy(policy, "xgrammar")
    monkeypatch.setattr(xgrammar, "MAX_XGRAMMAR_TRANSITIONS", count - 1)
    with pytest.raises(LimitError) as caught:
        compile_policy(policy, "xgrammar")
    [diagnostic] = caught.value.diagnostics

    assert (diagnostic.code, f"{count - 1}" in diagnostic.message) == ("LC0701", True)
    assert diagnostic.help is not None
    assert "llguidance" in diagnostic.help
    compile_policy(policy, "gbnf")
    monkeypatch.setattr(xgrammar, "MAX_XGRAMMAR_TRANSITIONS", 1)
    compile_policy(policies()["hangul"], "xgrammar")


@pytest.mark.parametrize("target", ["gbnf", "xgrammar", "regex"])
def test_policies_that_leave_nothing_together_are_refused(target: str) -> None:
    """Each of the two permits a term; together they permit the empty text alone."""
    policy = langc.parse_policy('policy a { only [a]; allow "漢江"; } policy b { only [b]; allow "江漢"; use a; }', "b")
    with pytest.raises(PolicyError) as caught:
        compile_policy(policy, target)

    assert caught.value.diagnostics[0].code == "LC0401"
