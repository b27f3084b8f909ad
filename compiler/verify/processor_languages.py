"""Comparison of a file of target processor with its policy: both of its automata, and the phrases beside each.

Invariant: nothing that a processor goes by is left out. The automaton of the policy without its `stop before` lines
decides where a model is stopped, and the phrases are denied wherever the automaton beside them allows. Phrases are
compared with the policy's one by one: files that deny the same in another way count as different.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from langc.compiler.ir.stops import has_stop_before, without_stop_before
from langc.compiler.policy import Policy
from langc.compiler.tokens.phrases.stored import to_json
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.readers.json_text import fields, listed
from langc.compiler.verify.readers.nodes import DataError
from langc.compiler.verify.readers.processor import ProcessorFile
from langc.compiler.verify.report import Language, Witness
from langc.compiler.verify.token_languages import compare_tokens

BESIDE = "the difference is in the second automaton, that of the policy without its `stop before` lines"
_Key = tuple[str, str]
"""The options of a phrase in JSON, and its text."""


def compare_processor(policy: Policy, read: ProcessorFile, vocabulary: Vocabulary) -> Language:
    """Both differences; of the second automaton where the first has none. Raises as `compare_tokens`, and ReadError.

    A file without a second automaton stops nowhere, as if its second one were the first again.
    """
    found = _compare_one(policy, read, vocabulary)
    stops = policy.bias is None and has_stop_before(policy.lowered)
    if found.over or found.under or not (read.free or stops):
        return found
    beside = _compare_one(Policy(without_stop_before(policy.lowered), policy.bias), read.free or read, vocabulary)
    if not (beside.over or beside.under):
        return found
    return replace(found, over=beside.over, under=beside.under, notes=(*found.notes, BESIDE))


def _compare_one(policy: Policy, read: ProcessorFile, vocabulary: Vocabulary) -> Language:
    apart = policy.apart if read.phrases and policy.bias is None else None
    if apart is None:
        return compare_tokens(policy, read, vocabulary)
    found = compare_tokens(apart.rest, read, vocabulary)
    right, given = set(_keys(to_json(apart.phrases))), set(_keys(read.phrases))
    return replace(
        found,
        over=found.over or _witness(right - given, "artefact"),
        under=found.under or _witness(given - right, "policy"),
    )


def _keys(groups: Iterable[object]) -> Iterator[_Key]:
    for group in groups:
        (texts,) = fields(group, "a group of `phrases`", "texts")
        assert isinstance(group, dict)
        options = json.dumps({k: v for k, v in group.items() if k != "texts"}, sort_keys=True)
        for text in listed(texts, "`texts`"):
            if not isinstance(text, str):
                raise DataError("one of `texts` is no text")
            yield options, text


def _witness(keys: Iterable[_Key], passes: str) -> Witness | None:
    """The shortest of the texts."""
    found = min((text.encode("utf-8", "replace") for _, text in keys), key=lambda t: (len(t), t), default=None)
    return None if found is None else Witness(found, passes)
