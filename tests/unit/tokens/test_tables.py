"""Which tokens are allowed where: liveness, markers, ends."""

from __future__ import annotations

import numpy as np
import pytest

import langc
from langc.compiler.automata.boolean import universal
from langc.compiler.automata.soft_rule import SoftRule
from langc.compiler.automata.soften import soften
from langc.compiler.errors import LangcError, PolicyError
from langc.compiler.policy import Policy
from langc.compiler.tokens.tables import TokenTables, build_tables, readable_tokens, walk_table
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import SCALARS
from tests.unit.tokens.toys import BYTES_AND_EOS, split_bytes, toy

NO_HAN = langc.parse_policy("policy p { deny U+4E00..U+9FFF; }")
A_ONLY = langc.parse_policy("policy p { only [a]; }")


def at_start(policy: Policy, vocabulary: Vocabulary) -> list[int]:
    """The text tokens that are allowed first."""
    tables = build_tables(policy, vocabulary)
    found: list[int] = tables.edges(tables.start).ids.tolist()
    return found


def test_a_first_byte_that_this_vocabulary_cannot_finish() -> None:
    """Case D17: E4 B8 is denied whatever follows, and nothing else here follows E4."""
    assert at_start(NO_HAN, toy(b"a", *split_bytes("E4", "B8"), "<eos>")) == [0]


def test_it_is_allowed_as_soon_as_some_token_finishes_it() -> None:
    """E4 A5 BF is U+497F, outside the range."""
    assert at_start(NO_HAN, toy(b"a", *split_bytes("E4", "B8", "A5BF"), "<eos>")) == [0, 1]


def test_the_beginning_of_a_longer_character() -> None:
    """Whether the bytes that may follow are there decides, not whether the first byte begins a permitted character."""
    assert at_start(NO_HAN, toy(*split_bytes("61", "F0", "9F", "98"), eos=None)) == [0, 1]  # F0 9F 98 98, say
    assert at_start(NO_HAN, toy(*split_bytes("61", "F0", "8F", "C3"), eos=None)) == [0, 3]  # C3 8F, but not F0 8F
    assert at_start(NO_HAN, toy(*split_bytes("61", "F09F98", "C3"), eos=None)) == [0]


def test_liveness_needs_more_than_single_bytes() -> None:
    """Here no token has one byte, and each character needs two tokens that overlap the border of characters."""
    vocabulary = toy(*split_bytes("61C3", "A9C3", "A961"), "<eos>")  # a|é, é|é, é|a
    tables = build_tables(NO_HAN, vocabulary)
    behind_first = tables.target(tables.start, 0)
    assert behind_first is not None

    assert tables.edges(tables.start).ids.tolist() == [0]
    assert tables.edges(behind_first).ids.tolist() == [1, 2]
    assert at_start(NO_HAN, toy(*split_bytes("61C3", "62"), "<eos>")) == [1]


def test_an_end_that_is_far_away() -> None:
    """A text of a hundred letters, one token each: all on its way is alive, and nothing beside it."""
    tables = build_tables(langc.parse_policy(f'policy p {{ only [c]; allow "{"ab" * 50}"; }}'), toy(b"a", b"b", b"ab"))

    assert len(tables.states()) == 101  # one for each letter read, and the start
    assert tables.live[1:].all()
    assert not tables.live[0]


@pytest.mark.parametrize(
    "vocabulary",
    [
        toy(b"b", "<eos>"),
        toy("<eos>"),
        toy("", ""),
        Vocabulary("none", ()),
        toy("<a>", "a", "<eos>", eos=None),
        toy(*split_bytes("E4", "B8"), "<eos>"),
    ],
)
def test_a_vocabulary_that_can_write_nothing(vocabulary: Vocabulary) -> None:
    """It is refused with the rules that are to blame."""
    policy = langc.parse_policy("policy p { only [a]; deny [b]; }")
    with pytest.raises(PolicyError) as refused:
        build_tables(policy, vocabulary)
    (diagnostic,) = refused.value.diagnostics

    assert diagnostic.code == "LC0402"
    assert vocabulary.name in diagnostic.message
    assert diagnostic.primary
    assert [label.message for label in (diagnostic.primary, *diagnostic.secondary)] == ["`only [a]`", "`deny [b]`"]


def test_specials_and_holes_are_never_text() -> None:
    """A special token spelled `a` is not the letter."""
    vocabulary = toy(b"a", "a", "", "<think>", "<eos>")

    assert at_start(A_ONLY, vocabulary) == [0]
    assert readable_tokens(A_ONLY, vocabulary) == {0: b"a"}


def test_a_marker_acts_as_its_text() -> None:
    """With `think` exempt, the special token `<think>` opens the region as its spelling does."""
    vocabulary = toy(b"a", "<think>", "</think>", *split_bytes("E4", "B8", "AD"), "<eos>", b"b")
    tables = build_tables(A_ONLY.with_(exempt=["think"]), vocabulary)
    inside = tables.target(tables.start, 1)
    assert inside is not None
    outside = tables.target(inside, 2)
    assert outside is not None

    assert tables.edges(tables.start).ids.tolist() == [0, 1]
    assert tables.edges(inside).ids.tolist() == [0, 1, 2, 3, 7]  # `<think>` inside is plain text
    assert inside not in tables.endable
    assert tables.edges(outside).ids.tolist() == [0, 1]


def test_an_end_of_sequence_is_no_marker() -> None:
    """Even if it is spelled like one: it ends the text, and closes no region."""
    vocabulary = toy(b"a", "<think>", "</think>", eos="</think>")
    policy = A_ONLY.with_(exempt=["think"])

    assert readable_tokens(policy, vocabulary) == {0: b"a", 1: b"<think>"}
    assert at_start(policy, vocabulary) == [0]


def test_target_and_edges_agree() -> None:
    """For every state and every id; ids that do not exist lead nowhere."""
    policy = langc.parse_policy('policy p { deny U+4E00..U+9FFF; allow "大韓"; }')
    tables = build_tables(policy, BYTES_AND_EOS)
    states = tables.states()

    assert len(states) >= 10
    for state in states:
        edges = tables.edges(state)
        found = dict(zip(edges.ids.tolist(), edges.targets.tolist(), strict=True))
        assert {i: t for i in range(-2, 260) if (t := tables.target(state, i)) is not None} == found
        assert set(found.values()) <= set(states)
        assert all(tables.live[t] for t in found.values())


def test_walk_table_doubles_the_states() -> None:
    """State s after no violation, S + s after one; rows 0 and S are dead."""
    soft = soften(universal(SCALARS), [SoftRule(3.0, NO_HAN.dfa)])
    table = walk_table(soft)
    size = soft.dfa.size
    han = 1
    for byte in "漢".encode():
        han = int(table[han, byte])

    assert table.shape == (2 * size, 256)
    assert table.dtype == np.int32
    assert table.flags.c_contiguous
    assert not table[0].any()
    assert not table[size].any()
    assert han == size + soft.dfa.start
    assert table[han, ord("a")] == size + soft.dfa.start  # a violation is remembered to the token's end


def test_a_soft_token_costs_once_however_often_it_violates() -> None:
    """One, two and no Han in a token; and one that violates in its middle."""
    vocabulary = toy("漢".encode(), "漢字".encode(), b"a", "a漢b".encode(), *split_bytes("E6", "BCA2"), "<eos>")
    tables: TokenTables = build_tables(NO_HAN.with_(mode="soft", bias=3), vocabulary)
    edges = tables.edges(tables.start)
    behind = tables.target(tables.start, 4)
    assert behind is not None

    assert tables.costs.tolist() == [0, 3]
    assert dict(zip(edges.ids.tolist(), edges.levels.tolist(), strict=True)) == {0: 1, 1: 1, 2: 0, 3: 1, 4: 1}
    assert tables.edges(behind).ids.tolist() == [5]
    assert tables.edges(behind).levels.tolist() == [0]  # E6 was charged already


def test_soft_rules_are_woven_in_once() -> None:
    """For several vocabularies, and not at all for a target that refuses them."""
    policy = langc.parse_policy('policy p { discourage phrase "word" by 4; }')
    with pytest.raises(LangcError, match="LC0505"):
        langc.compile(policy, "gbnf")

    assert "soft_rules" not in vars(policy)
    build_tables(policy, BYTES_AND_EOS)
    woven = policy.soft_dfa
    build_tables(policy, toy(b"a", "<eos>"))
    assert policy.soft_dfa is woven
    assert policy.is_soft
    assert policy.has_costs
    assert not NO_HAN.is_soft
    assert (NO_HAN.with_(bias=2).is_soft, NO_HAN.with_(bias=2).has_costs) == (True, False)
