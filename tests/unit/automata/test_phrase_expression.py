"""Phrases as an expression and as an automaton are one language, made in two ways."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.phrase_expression import without_phrases
from langc.compiler.ir.language import phrase_free

RULES = {
    "plain": 'deny phrase "ab", "aab", "b";',
    "case": 'deny phrase "Straße", "ǅ" { ignore case; }',
    "blanks in runs": 'deny phrase "a  b", " c" { ignore space; boundary both; }',
    "no blanks": 'deny phrase "x y" { space any; }',
    "invisible": 'deny phrase "ab" { ignore invisible; boundary right; }',
    "an ignored letter that bars": 'deny phrase "ab" { ignore invisible; boundary both word; }',
    "width": 'deny phrase "ｶﾞ", "A1" { ignore width, case; boundary right word; }',
    "decomposed": 'deny phrase "금지", "é" { normalization nfd; boundary left; }',
    "compatible": 'deny phrase "㈱", "a ̈" { normalization nfkc; ignore space; }',
    "early": 'deny phrase "ab" { boundary both; early; }',
    "several ways": 'deny phrase "ab" { ignore case; } deny phrase "ab c" { boundary both script; }',
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_both_forms_are_one_language(rules: str) -> None:
    """The complement of all occurrences is what the subset construction makes."""
    policy = langc.parse_policy(f"policy p {{ {rules} }}")
    phrases = [phrase for rule in policy.lowered.rules for phrase in rule.phrases]

    assert build_dfa(without_phrases(phrases)) == build_dfa(phrase_free(phrases))
