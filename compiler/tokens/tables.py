"""Which tokens a policy allows in which state, and where each leads.

Invariant: a token is allowed iff its bytes can be read *and* some sequence of this vocabulary's tokens still
leads from there to a place where the text may end. So no allowed token leads into a dead end, and a
vocabulary under which nothing can be finished is refused when the tables are built.

Special tokens are never allowed, but for end-of-sequence where the text may end (the matcher's business) and
for markers: special tokens spelled like a delimiter of the policy, which act as that text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.soften import SoftDfa, soften
from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.limits import MAX_TOKEN_EDGES, over_limit
from langc.compiler.policy import Policy
from langc.compiler.tokens.trie import IntArray, TokenTrie
from langc.compiler.tokens.vocabulary import Vocabulary

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Edges:
    """The allowed tokens of one state, sorted by id; arrays [n]."""

    ids: IntArray
    targets: IntArray
    violates: BoolArray
    """Whether the token makes a violation of a soft policy unavoidable."""


@dataclass(frozen=True)
class TokenTables:
    """The living states that token sequences can reach, with their edges."""

    start: int
    accepting: frozenset[int]
    """Where the text may end at no cost."""
    endable: frozenset[int]
    """Where the text may end at all: more than `accepting` only under a soft policy."""
    edges: Mapping[int, Edges]
    size: int
    """The number of ids of the vocabulary."""
    eos_ids: frozenset[int]
    bias: float | None
    """The cost of a violation in logits; None under a hard policy."""


def build_tables(policy: Policy, vocabulary: Vocabulary) -> TokenTables:
    """The tables of a policy for a vocabulary.

    Raises:
        PolicyError: the vocabulary cannot write any permitted text but the empty one (LC0402).
        LimitError: more than `MAX_TOKEN_EDGES` allowed (state, token) pairs.
    """
    trie = TokenTrie.build(readable_tokens(policy, vocabulary))
    soft = soften(policy.dfa) if policy.bias is not None else _hard(policy.byte_dfa)
    edges = _trim(_explore(trie, soft), soft.boundary)
    start = soft.dfa.start
    if start not in edges or not edges[start].ids.size:
        raise PolicyError(_nothing_to_write(policy, vocabulary))
    return TokenTables(start, soft.dfa.accepting, soft.boundary, edges, vocabulary.size, vocabulary.eos_ids, policy.bias)


def readable_tokens(policy: Policy, vocabulary: Vocabulary) -> dict[int, bytes]:
    """The bytes of every token that may stand for text: text tokens, and the policy's markers."""
    tokens = {i: vocabulary.token_bytes(i) for i in range(vocabulary.size) if not vocabulary.is_special(i)}
    for i in vocabulary.special_ids:
        text = vocabulary.special_text(i)
        if text in policy.markers:
            tokens[i] = text.encode()
    return tokens


def _hard(dfa: Dfa) -> SoftDfa:
    return SoftDfa(dfa, dfa.accepting, frozenset())


def walk_table(soft: SoftDfa) -> IntArray:
    """int32 [2 S, 256]: state s after no violation, S + s after one. Rows 0 and S are dead."""
    dfa, size = soft.dfa, soft.dfa.size
    classes = np.empty(256, dtype=np.int64)
    for (low, high), number in zip(dfa.partition.ranges, dfa.partition.ids, strict=True):
        classes[low : high + 1] = number
    by_class = np.array(dfa.table, dtype=np.int32).reshape(size, -1)
    costs = np.zeros(by_class.shape, dtype=bool)
    for state, number in soft.violating:
        costs[state, number] = True
    after_one = np.where(by_class == 0, 0, by_class + size)
    first = np.where(costs, after_one, by_class)
    return np.concatenate([first, after_one])[:, classes].astype(np.int32)


def _explore(trie: TokenTrie, soft: SoftDfa) -> dict[int, Edges]:
    """The edges of every state that tokens can reach, before trimming."""
    table, size = walk_table(soft), soft.dfa.size
    edges: dict[int, Edges] = {}
    queue = [soft.dfa.start]
    seen = {soft.dfa.start}
    total = 0
    for state in queue:
        ids, ends = trie.walk(table, state)
        total += ids.size
        if total > MAX_TOKEN_EDGES:
            raise LimitError(over_limit("allowed (state, token) pairs", MAX_TOKEN_EDGES))
        order = np.argsort(ids)
        edges[state] = Edges(ids[order], ends[order] % size, ends[order] >= size)
        fresh = set(np.unique(edges[state].targets).tolist()) - seen
        seen |= fresh
        queue.extend(sorted(fresh))
    return edges


def _trim(edges: Mapping[int, Edges], endable: frozenset[int]) -> dict[int, Edges]:
    """Only the states from which tokens lead to an end, and only the tokens that stay among them."""
    sources: dict[int, list[int]] = {}
    for state, found in edges.items():
        for target in np.unique(found.targets).tolist():
            sources.setdefault(target, []).append(state)
    stack = [s for s in edges if s in endable]
    live = set(stack)
    while stack:
        fresh = [s for s in sources.get(stack.pop(), ()) if s not in live]
        live.update(fresh)
        stack.extend(fresh)
    return {s: _within(edges[s], live) for s in edges if s in live}


def _within(found: Edges, live: set[int]) -> Edges:
    keep = np.isin(found.targets, np.fromiter(live, dtype=np.int32))
    return Edges(found.ids[keep], found.targets[keep], found.violates[keep])


def _nothing_to_write(policy: Policy, vocabulary: Vocabulary) -> Diagnostic:
    rules = policy.lowered.rules
    source = policy.lowered.source
    labels = tuple(Label(source, r.span, f"`{r.text}`") for r in rules)
    return Diagnostic(
        "LC0402",
        f"policy {policy.name} permits no text that the tokenizer {vocabulary.name} can spell",
        labels[0] if labels else None,
        labels[1:],
        help="the tokenizer has no tokens for the permitted characters; widen the rules or take another tokenizer",
    )
