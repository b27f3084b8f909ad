"""Which tokens a policy allows in which state, and where each leads.

Invariant: a token is allowed iff its bytes can be read *and* some sequence of this vocabulary's tokens still
leads from there to a place where the text may end. So no allowed token leads into a dead end, and a
vocabulary under which nothing can be finished is refused when the tables are built.

Special tokens are never allowed, but for end-of-sequence where the text may end (the matcher's business) and
for markers: special tokens spelled like a delimiter of the policy, which act as that text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from langc.compiler.automata.closure import closure
from langc.compiler.automata.soften import SoftDfa
from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError
from langc.compiler.policy import Policy
from langc.compiler.tokens.trie import IntArray, TokenTrie
from langc.compiler.tokens.vocabulary import Vocabulary

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
_MANY = 4_096
"""Tokens that are put in order by their ids faster than by a sort."""
_TOGETHER = 64
"""States whose tokens are looked for at a time."""
_NEAR = 32
"""Steps from an end."""


@dataclass(frozen=True)
class Edges:
    """The allowed tokens of one state, sorted by id; arrays [n]."""

    ids: IntArray
    targets: IntArray
    levels: IntArray
    """The level of the token's cost, see `TokenTables.costs`."""


@dataclass(frozen=True)
class TokenTables:
    """The automaton over the vocabulary's trie; the edges of a state are found when they are asked for."""

    trie: TokenTrie
    table: IntArray
    """int32 [L S, 256], see `walk_table`."""
    live: BoolArray
    """bool [S]: the states from which tokens lead to an end."""
    accepting: frozenset[int]
    """Where the text may end at no cost."""
    endable: frozenset[int]
    """Where the text may end at all: more than `accepting` only under soft rules."""
    start: int
    size: int
    """The number of ids of the vocabulary."""
    eos_ids: frozenset[int]
    costs: FloatArray
    """float64 [L], ascending: what a token of each level costs in logits. Level 0 costs nothing."""
    end_levels: IntArray
    """int32 [S]: the level of ending in a state."""

    def edges(self, state: int) -> Edges:
        """The allowed tokens of a living state. Not cached: a dense state takes milliseconds."""
        return _edges(self.trie, self.table, self.live, state)

    def mask(self, state: int) -> BoolArray:
        """bool [size]: the allowed tokens."""
        ids, ends = self.trie.walk(self.table, state)
        row = np.zeros(self.size, dtype=np.bool_)
        row[ids] = self._leads_on.take(ends)
        return row

    def target(self, state: int, token: int) -> int | None:
        """Where an allowed token leads, None for a refused one."""
        spelled = self.trie.token_bytes(token)
        flat, end = self._flat, state
        for byte in spelled:
            end = flat[end << 8 | byte]
        end %= len(self.live)
        return end if spelled and self._alive[end] else None

    @cached_property
    def _flat(self) -> memoryview:
        """The table as plain integers: reading one of these is much faster than indexing an array."""
        return self.table.data.cast("B").cast("i")

    @cached_property
    def _alive(self) -> bytes:
        return self.live.tobytes()

    @cached_property
    def _leads_on(self) -> BoolArray:
        """`live` for the rows of `table`, bool [L S]."""
        return np.tile(self.live, len(self.costs))

    def states(self) -> list[int]:
        """All states that token sequences can reach, in the order of a breadth-first search."""
        return [state for state, _, _ in self.walks()]

    def walks(self) -> Iterator[tuple[int, IntArray, BoolArray]]:
        """All states within reach, nearest first; with the tokens that can be read there, and which are allowed."""
        seen = np.zeros(len(self.live), dtype=np.bool_)
        seen[self.start] = True
        queue = [self.start]
        while queue:
            near, queue = queue[:_TOGETHER], queue[_TOGETHER:]
            for state, (ids, ends) in zip(near, self.trie.walks(self.table, near), strict=True):
                allowed = self._leads_on.take(ends)
                targets = np.zeros(len(self.live), dtype=np.bool_)
                targets[ends[allowed] % len(self.live)] = True
                queue += np.flatnonzero(targets & ~seen).tolist()
                seen |= targets
                yield state, ids, allowed


def build_tables(policy: Policy, vocabulary: Vocabulary) -> TokenTables:
    """The tables of a policy for a vocabulary.

    Raises:
        PolicyError: the vocabulary cannot write any permitted text but the empty one (LC0402).
        LimitError: the automaton is over its budget.
    """
    tables = automaton_tables(policy.soft_dfa, vocabulary, policy.markers)
    if not can_write(tables):
        raise PolicyError(nothing_to_write(policy, vocabulary))
    return tables


def can_write(tables: TokenTables) -> bool:
    """Whether there is a text but the empty one."""
    return bool(tables.live[tables.start]) and bool(tables.edges(tables.start).ids.size)


def automaton_tables(soft: SoftDfa, vocabulary: Vocabulary, markers: frozenset[str] = frozenset()) -> TokenTables:
    """The tables of an automaton for a vocabulary, whether or not that can write anything."""
    trie = _trie(vocabulary, markers)
    table = walk_table(soft)
    return TokenTables(
        trie,
        table,
        _live(trie, table, soft.dfa.size, soft.boundary),
        soft.dfa.accepting,
        soft.boundary,
        soft.dfa.start,
        vocabulary.size,
        vocabulary.eos_ids,
        np.array(soft.costs),
        _end_levels(soft),
    )


@lru_cache(maxsize=2)  # many policies are often compiled for one vocabulary
def _trie(vocabulary: Vocabulary, markers: frozenset[str]) -> TokenTrie:
    found = _markers(vocabulary, markers)
    if not found:
        return TokenTrie.build(vocabulary.tokens)
    return TokenTrie.build([found.get(i, spelled) for i, spelled in enumerate(vocabulary.tokens)])


def readable_tokens(policy: Policy, vocabulary: Vocabulary) -> dict[int, bytes]:
    """The bytes of every token that may stand for text: text tokens, and the policy's markers. None ends a text."""
    return _readable(vocabulary, policy.markers)


def _readable(vocabulary: Vocabulary, markers: frozenset[str]) -> dict[int, bytes]:
    return {i: spelled for i, spelled in enumerate(vocabulary.tokens) if spelled} | _markers(vocabulary, markers)


def _markers(vocabulary: Vocabulary, markers: frozenset[str]) -> dict[int, bytes]:
    specials = vocabulary.specials.items()
    return {i: text.encode() for i, text in specials if text in markers and i not in vocabulary.eos_ids}


def _end_levels(soft: SoftDfa) -> IntArray:
    row = np.zeros(soft.dfa.size, dtype=np.int32)
    for state, level in soft.end_levels.items():
        row[state] = level
    return row


def walk_table(soft: SoftDfa) -> IntArray:
    """int32 [L S, 256]: state s where the bytes so far cost level l is number l S + s. Rows l S are dead."""
    dfa, size = soft.dfa, soft.dfa.size
    classes = np.empty(256, dtype=np.int64)
    for (low, high), number in zip(dfa.partition.ranges, dfa.partition.ids, strict=True):
        classes[low : high + 1] = number
    by_class = np.array(dfa.table, dtype=np.int32).reshape(size, -1)
    levels = np.zeros(by_class.shape, dtype=np.int32)
    for (state, number), level in soft.levels.items():
        levels[state, number] = level
    at_level = (np.maximum(levels, level) * size + by_class for level in range(len(soft.costs)))
    rows = [np.where(by_class == 0, 0, targets)[:, classes] for targets in at_level]
    return np.ascontiguousarray(np.concatenate(rows), dtype=np.int32)


def _edges(trie: TokenTrie, table: IntArray, live: BoolArray, state: int) -> Edges:
    ids, ends = trie.walk(table, state)
    if ids.size > _MANY:
        by_id = np.zeros(int(ids.max()) + 1, dtype=np.int32)
        by_id[ids] = ends
        ids = np.flatnonzero(by_id).astype(np.int32)
        ends = by_id[ids]
    else:
        order = np.argsort(ids)
        ids, ends = ids[order], ends[order]
    levels, targets = np.divmod(ends, np.int32(len(live)))
    kept = np.flatnonzero(live.take(targets))
    return Edges(ids[kept], targets[kept], levels[kept])


def _live(trie: TokenTrie, table: IntArray, size: int, endable: frozenset[int]) -> BoolArray:
    """bool [S]: the states from which some sequence of tokens leads to an end.

    Almost all are settled by the tokens of one byte alone, which need no walk. Only the states
    that these cannot finish are walked, each once, and settled by a second closure.
    """
    children = slice(int(trie.first_child[0]), int(trie.first_child[1]))
    has_token = trie.first_id[1:][children] > trie.first_id[:-1][children]
    by_byte = table[:size, trie.byte[children][has_token]] % size
    columns = {by_byte[:, column].tobytes(): column for column in range(by_byte.shape[1])}  # bytes that lead alike
    by_byte = by_byte[:, list(columns.values())]
    live = np.zeros(size, dtype=np.bool_)
    live[sorted(endable)] = True
    sources, which = np.nonzero(by_byte)
    _lead_to(live, sources, by_byte[sources, which])
    open_states = np.flatnonzero(~live)[1:]
    if open_states.size:
        targets = [np.unique(trie.walk(table, s)[1] % size) for s in open_states.tolist()]
        _lead_to(live, np.repeat(open_states, list(map(len, targets))), np.concatenate(targets))
    return live


def _lead_to(live: BoolArray, sources: npt.NDArray[np.int64], targets: IntArray) -> None:
    """Mark all states from which the edges lead to marked ones: the nearest ones together, far ones one by one."""
    for _ in range(_NEAR):
        is_open = ~live[sources]
        sources, targets = sources[is_open], targets[is_open]
        found = sources[live[targets]]
        if not found.size:
            return
        live[found] = True
    into: dict[int, list[int]] = {}
    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        into.setdefault(target, []).append(source)
    live[sorted(closure(np.flatnonzero(live).tolist(), lambda state: into.get(state, ())))] = True


def nothing_to_write(policy: Policy, vocabulary: Vocabulary) -> Diagnostic:
    """LC0402, with every rule."""
    rules = [r for scope in policy.lowered.scopes for r in scope.rules]
    labels = tuple(Label(r.source, r.span, f"`{r.text}`") for r in rules)
    return Diagnostic(
        "LC0402",
        f"policy {policy.name} permits no text that the tokenizer {vocabulary.name} can spell",
        labels[0] if labels else None,
        labels[1:],
        help="the tokenizer has no tokens for the permitted characters; widen the rules or take another tokenizer",
    )
