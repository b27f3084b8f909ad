"""No allowed token leads to where this vocabulary cannot finish, and none that could be finished is kept back.

Vocabularies here lack what others take for granted: tokens for single bytes, or for whole characters. The oracles are
a search over token sequences (`tests/oracle/tokens.py`), the enumeration of all short sequences, and, for real
vocabularies, a closure over every token in every state that shares nothing with the tables but the byte automaton.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.automata.dfa import DEAD
from langc.compiler.errors import PolicyError
from langc.compiler.policy import Policy
from langc.compiler.tokens.machine import DeadEndError
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.tables import build_tables
from langc.compiler.tokens.vocabulary import Vocabulary
from tests import assets
from tests.examples import examples
from tests.oracle.residual import Referee
from tests.oracle.tokens import TokenReferee
from tests.property.languages import POOL, policies, scope_policies
from tests.unit.tokens.toys import toy

# --- drawn vocabularies -------------------------------------------------------------------------


def _pieces(text: str) -> list[bytes]:
    """The beginnings and ends of the text's bytes, but no single byte of a longer character."""
    data = text.encode()
    cuts = {data[:n] for n in range(1, len(data) + 1)} | {data[n:] for n in range(len(data))}
    return sorted(piece for piece in cuts if len(piece) > 1 or piece < b"\x80")


@st.composite
def without_bytes(draw: st.DrawFn) -> Vocabulary:
    """Words, and halves of words; no byte of a longer character by itself. Half of them cannot end a text."""
    texts = draw(st.lists(st.text(st.sampled_from(POOL), min_size=1, max_size=3), min_size=1, max_size=3))
    pieces = sorted({piece for text in texts for piece in _pieces(text)})
    tokens = draw(st.lists(st.sampled_from(pieces), min_size=1, max_size=8, unique=True)) if pieces else [b"a"]
    return toy(*tokens, *(["<eos>"] if draw(st.booleans()) else []))


def permitted(policy: Policy, vocabulary: Vocabulary, most: int) -> Iterator[tuple[int, ...]]:
    """All rows of up to `most` tokens that write a permitted text, found by trying them all."""
    referee = Referee(policy.ir.language)
    ids = [token for token, spelled in enumerate(vocabulary.tokens) if spelled]
    for length in range(1, most + 1):
        for row in product(ids, repeat=length):
            try:
                text = b"".join(vocabulary.tokens[token] for token in row).decode()
            except UnicodeDecodeError:
                continue
            if referee.first_violation(text) is None:
                yield row


@settings(deadline=None, max_examples=examples(150))
@given(st.one_of(policies, scope_policies), without_bytes())
def test_every_short_text_can_be_written(policy: Policy, vocabulary: Vocabulary) -> None:
    """Every row of tokens whose text is permitted is allowed token by token, and may end."""
    rows = list(permitted(policy, vocabulary, 3))
    try:
        start = Matcher(policy, vocabulary)
    except PolicyError:
        assert rows == []
        return
    for row in rows:
        matcher = start.fork()

        assert [matcher.advance(token) for token in row] == [True] * len(row)
        assert matcher.accepting


@settings(deadline=None, max_examples=examples(150))
@given(st.data(), st.one_of(policies, scope_policies), without_bytes())
def test_every_walk_can_be_finished(data: st.DataObject, policy: Policy, vocabulary: Vocabulary) -> None:
    """After any allowed tokens some row of tokens leads to an end: the search says so, and the matcher finds it."""
    referee = TokenReferee(policy, vocabulary)
    try:
        matcher = Matcher(policy, vocabulary, on_dead_end="stop")
    except PolicyError:
        assert not any(referee.mask([])[token] for token, spelled in enumerate(vocabulary.tokens) if spelled)
        return
    text = b""
    for _ in range(data.draw(st.integers(0, 6))):
        allowed = [int(token) for token in np.flatnonzero(matcher.mask()) if token not in vocabulary.eos_ids]
        if not allowed:
            break
        token = data.draw(st.sampled_from(allowed))
        assert matcher.advance(token)
        text += vocabulary.tokens[token]

        assert referee.can_finish(text)
    assert _finish(matcher, vocabulary)


def _finish(start: Matcher, vocabulary: Vocabulary) -> bool:
    """Whether the matcher can be led to an end, breadth first over its own masks."""
    queue, seen = [start.fork()], set[int]()
    for matcher in queue:
        if matcher.accepting:
            return True
        state = matcher._states[-1]
        if state not in seen:
            seen.add(state)
            for token in np.flatnonzero(matcher.mask()):
                following = matcher.fork()
                if following.advance(int(token)):
                    queue.append(following)
    return False


# --- the two ways to stop, and the two errors ---------------------------------------------------

NO_HAN = "policy p { deny script Han; }"


@pytest.mark.parametrize("on_dead_end", ["error", "stop"])
def test_the_choice_for_dead_ends_changes_no_mask_on_the_way(on_dead_end: str) -> None:
    """Liveness leaves nothing to choose: a dead end can only be reached by a token that was refused."""
    vocabulary = toy(b"a", b"\xe4", b"\xb8", b"\xea\xb0", b"\x80", "<eos>")
    matcher = Matcher(langc.parse_policy(NO_HAN), vocabulary, on_dead_end=on_dead_end)
    masks = [np.flatnonzero(matcher.mask()).tolist()]
    for token in (3, 4):
        assert matcher.advance(token)
        masks.append(np.flatnonzero(matcher.mask()).tolist())

    assert masks == [[0, 3, 5], [2, 4], [0, 3, 5]]  # E4 and B8 or 80 would only ever be Han


def test_a_refused_token_is_a_dead_end() -> None:
    """`error` raises LC0403 from then on, `stop` offers the end; going back mends both."""
    vocabulary = toy(b"a", b"\xe4", b"\xb8\xad", "<eos>")
    error, stop = (Matcher(langc.parse_policy(NO_HAN), vocabulary, on_dead_end=choice) for choice in ("error", "stop"))
    assert not error.sync([0, 1])
    assert not stop.sync([0, 1])

    with pytest.raises(DeadEndError, match="LC0403"):
        error.mask()
    assert np.flatnonzero(stop.mask()).tolist() == [3]
    for matcher in (error, stop):
        assert matcher.sync([0])
        assert np.flatnonzero(matcher.mask()).tolist() == [0, 3]


@pytest.mark.parametrize("target", ["processor", "outlines"])
def test_what_no_token_can_write_is_an_error_that_names_the_rules(target: str) -> None:
    """LC0402, at compile time, with the rules of used policies among them."""
    text = "policy p { use q; only [가-힣]; } policy q { deny [b]; }"
    vocabulary = toy(b"a", b"\xea", b"\xb0", "<eos>")  # no third byte: B0 B0 would end U+AC30, so there is no EA B0
    policy = langc.parse_policy(text, "p")
    assert Matcher(policy, vocabulary).allows(1)
    with pytest.raises(PolicyError) as refused:
        langc.compile(policy, target, toy(b"a", b"\xea", b"\x41", "<eos>"))
    (diagnostic,) = refused.value.diagnostics
    labels = [*diagnostic.secondary, *([diagnostic.primary] if diagnostic.primary else [])]

    assert diagnostic.code == "LC0402"
    assert {label.message for label in labels} == {"`only [가-힣]`", "`deny [b]`"}


# --- real vocabularies --------------------------------------------------------------------------

BYTES_GONE = "without single bytes beyond ASCII"


@cache
def real(name: str) -> Vocabulary:
    """SmolLM2 has no tokens for F1 and F2, Gemma has one for each byte; or one of them robbed of these."""
    stem, _, rest = name.partition(" ")
    vocabulary = langc.load_vocabulary(assets.smollm2_gguf() if stem == "smollm2" else assets.gemma_gguf())
    if not rest:
        return vocabulary
    assert rest == BYTES_GONE
    kept = tuple(b"" if len(spelled) == 1 and spelled >= b"\x80" else spelled for spelled in vocabulary.tokens)
    return Vocabulary(name, kept, vocabulary.specials, vocabulary.eos_ids)


def by_closure(policy: Policy, vocabulary: Vocabulary) -> dict[int, npt.NDArray[np.bool_]]:
    """The allowed text tokens of each state of the byte automaton, from following every token in every state."""
    dfa = policy.byte_dfa
    tokens = [(token, spelled) for token, spelled in enumerate(vocabulary.tokens) if spelled]
    after = {state: {t: dfa.run(spelled, state) for t, spelled in tokens} for state in range(dfa.size) if state != DEAD}
    sources: dict[int, set[int]] = {}
    for state, ends in after.items():
        for end in set(ends.values()) - {DEAD}:
            sources.setdefault(end, set()).add(state)
    live = set(dfa.accepting)
    stack = list(live)
    while stack:
        fresh = sources.get(stack.pop(), set()) - live
        live |= fresh
        stack.extend(fresh)
    masks = {}
    for state, ends in after.items():
        masks[state] = np.zeros(vocabulary.size, np.bool_)
        masks[state][[token for token, end in ends.items() if end in live]] = True
    return masks


SMALL = {
    "hangul": "policy p { only [가-힣]; }",
    "an unwritable term": r'policy p { only [b-z\ ]; allow "a\u{50000}b", "ac"; }',
    "planes": "policy p { only U+40000..U+BFFFF, [a]; }",
    "terms": 'policy p { only [가-힣\\ ]; allow "漢江", "뷁龘"; }',
}


@pytest.mark.engines
@pytest.mark.parametrize("name", ["smollm2", f"smollm2 {BYTES_GONE}", "gemma", f"gemma {BYTES_GONE}"])
@pytest.mark.parametrize("policy", SMALL)
def test_real_vocabularies(name: str, policy: str) -> None:
    """The tokens that the tables allow in each state are those that some row of tokens finishes."""
    chosen, vocabulary = langc.parse_policy(SMALL[policy]), real(name)
    expected = by_closure(chosen, vocabulary)
    tables = build_tables(chosen, vocabulary)
    reachable = tables.states()

    assert len(reachable) >= 1
    for state in reachable:
        assert tables.edges(state).ids.tolist() == np.flatnonzero(expected[state]).tolist()


@pytest.mark.engines
def test_what_smollm2_cannot_write() -> None:
    """No token holds F1 or F2: a term with such a character is never begun, and a policy of them alone is refused."""
    vocabulary = real("smollm2")
    holders = [spelled for spelled in vocabulary.tokens if b"\xf1" in spelled or b"\xf2" in spelled]
    matcher = Matcher(langc.parse_policy(SMALL["an unwritable term"]), vocabulary)
    begun = [token for token in np.flatnonzero(matcher.mask()) if vocabulary.tokens[token].startswith(b"a")]
    with pytest.raises(PolicyError, match="LC0402"):
        Matcher(langc.parse_policy("policy p { only U+40000..U+BFFFF; }"), vocabulary)

    assert holders == []
    assert {vocabulary.tokens[token][:2] for token in begun} == {b"a", b"ac"}


@pytest.mark.engines
def test_what_gemma_cannot_write_without_its_bytes() -> None:
    """A syllable that has no token of its own can be written in bytes; without them it is not begun."""
    vocabulary, robbed = real("gemma"), real(f"gemma {BYTES_GONE}")
    own = set(vocabulary.tokens)
    rare = next(chr(c) for c in range(0xAC00, 0xD7A4) if chr(c).encode() not in own)
    policy = langc.parse_policy(f"policy p {{ only [{rare}가]; }}")
    first, first_robbed = (
        {v.tokens[t] for t in np.flatnonzero(Matcher(policy, v).mask())} for v in (vocabulary, robbed)
    )

    assert rare.encode()[:1] in first
    assert {spelled.decode()[:1] for spelled in first_robbed} == {"가", ""}  # nothing is written at the end
