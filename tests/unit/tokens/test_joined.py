"""Joined matchers: what does not fit, what is said at a dead end, and what holds after the end."""

from __future__ import annotations

import numpy as np
import pytest

import langc
from langc.compiler.limits import MAX_LOOK_AHEAD_STEPS, MAX_LOOK_AHEAD_TOKENS
from langc.compiler.tokens.joined.matcher import JoinedMatcher
from langc.compiler.tokens.joined.parts import JoinError
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.unit.tokens.paths import Copied, Paths
from tests.unit.tokens.toys import BYTES_AND_EOS, toy

ABC = toy(b"a", b"b", b"c", "<eos>")
END = 3


def knows(*texts: str, vocabulary: Vocabulary = ABC, rows: int | None = None, kind: type[Paths] = Copied) -> Paths:
    """A part whose texts are these, over a vocabulary of single letters; `!` marks a row that is no whole text."""
    paths = {text: tuple(vocabulary.ids_for_bytes(c.encode())[0] for c in text if c != "!") for text in texts}
    whole = frozenset(path for text, path in paths.items() if "!" not in text)
    return kind(vocabulary, vocabulary.size if rows is None else rows, frozenset(paths.values()), whole)


def test_only_what_all_allow() -> None:
    """Three parts; the end needs all of them too."""
    matcher = JoinedMatcher(knows("ab", "b", "c"), knows("ab", "b", "a"), knows("abc", "ab", "b"))

    assert np.flatnonzero(matcher.mask()).tolist() == [0, 1]
    assert matcher.advance(2) is False
    assert matcher.advance(0)
    assert np.flatnonzero(matcher.mask()).tolist() == [1]
    assert (matcher.advance(1), matcher.accepting, matcher.ended) == (True, True, False)
    assert np.flatnonzero(matcher.mask()).tolist() == [END]


def test_after_the_end() -> None:
    """End-of-sequence is offered on and on, nothing is taken, padding may follow in a history."""
    matcher = JoinedMatcher(knows("a"), knows("a"))

    assert matcher.sync([0, END, 2, 2])
    assert (matcher.ended, matcher.accepting, matcher.dead_end) == (True, True, None)
    assert np.flatnonzero(matcher.mask()).tolist() == [END]
    assert matcher.bias().tolist() == [-np.inf] * 3 + [0]
    assert [matcher.advance(token) for token in range(-1, 5)] == [False] * 6
    matcher.rollback(3)
    assert (matcher.ids, matcher.ended, matcher.accepting) == ((0,), False, True)


def test_a_lost_history() -> None:
    """Behind a refused token nothing may follow, until it is taken back."""
    matcher = JoinedMatcher(knows("ab"), knows("ab"))

    assert not matcher.sync([0, 2, 1])
    assert not matcher.accepting
    with pytest.raises(langc.DeadEndError, match="LC0403"):
        matcher.mask()
    assert matcher.advance(END) is False
    matcher.rollback(2)
    assert np.flatnonzero(matcher.mask()).tolist() == [1]


def test_a_dead_end_says_what_each_part_would_allow() -> None:
    """The text so far, the numbers, and the tokens where there are few."""
    matcher = JoinedMatcher(knows("aba", "abb"), knows("abc"))
    matcher.sync([0, 1])
    with pytest.raises(langc.DeadEndError) as caught:
        matcher.mask()
    (found,) = caught.value.diagnostics

    assert found.code == "LC0660"
    assert found.message == (
        "nothing may follow “ab”: Copied alone allows 2 tokens, Copied alone allows 1 token, and none is allowed by all"
    )
    assert found.notes == ("Copied allows “a”, “b”", "Copied allows “c”")
    assert found.data == {"alone": [2, 1], "together": 0, "tokens": [0, 1], "way": []}
    assert matcher.dead_end == found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a<U+202E>b"),
        ("확認\n", "확認<U+000A>"),
        ("漢"[:1] + "字" * 50, "…" + "字" * 40),
        ("x" * 41, "…" + "x" * 40),
        ("x" * 40, "x" * 40),
    ],
)
def test_the_text_is_shown_so_that_it_can_be_read(text: str, shown: str) -> None:
    """Escapes for what cannot be seen, the end alone of what is long."""
    tokens = tuple(text.encode())
    paths = [Copied(BYTES_AND_EOS, 257, frozenset({(*tokens, next_)}), frozenset()) for next_ in (1, 2)]
    matcher = JoinedMatcher(*paths)

    assert matcher.sync(tokens)
    assert matcher.dead_end is not None
    assert f"nothing may follow “{shown}”: " in matcher.dead_end.message


def test_half_a_character_is_shown_in_bytes() -> None:
    """So is a token that is one."""
    paths = [Copied(BYTES_AND_EOS, 257, frozenset({(0xE4, next_)}), frozenset()) for next_ in (0xB8, 0xB9)]
    matcher = JoinedMatcher(*paths)
    matcher.sync([0xE4])

    assert matcher.dead_end is not None
    assert "“\\xe4”" in matcher.dead_end.message
    assert matcher.dead_end.notes == ("Copied allows “\\xb8”", "Copied allows “\\xb9”")


def test_stop_offers_the_end_and_says_why() -> None:
    """The text ends there, but is not accepted; the reason stays readable and goes with the token."""
    matcher = JoinedMatcher(knows("aba"), knows("abb"), on_dead_end="stop")
    matcher.sync([0, 1])

    assert np.flatnonzero(matcher.mask()).tolist() == [END]
    assert matcher.bias().tolist() == [-np.inf] * 3 + [0]
    assert (matcher.advance(0), matcher.advance(END)) == (False, True)
    assert (matcher.ended, matcher.accepting) == (True, False)
    assert matcher.dead_end is not None
    assert matcher.dead_end.code == "LC0660"
    matcher.rollback(2)
    assert (matcher.ids, matcher.ended) == ((0,), False)
    assert matcher.dead_end is None


def test_a_part_that_is_stuck_by_itself_is_named() -> None:
    """The help says which."""
    matcher = JoinedMatcher(knows("ab", kind=Copied), knows("a!", kind=Paths))
    matcher.sync([0])

    assert matcher.dead_end is not None
    assert matcher.dead_end.help is not None
    assert matcher.dead_end.help.startswith("Paths is stuck by itself")


def test_the_last_exit_is_taken() -> None:
    """Two tokens are common; behind one, two steps on, nothing is. It is closed at once."""
    trap = JoinedMatcher(knows("abca", "c"), knows("abcb", "c"))

    assert np.flatnonzero(trap.mask()).tolist() == [2]


def test_a_trap_without_an_exit_is_said_where_it_begins() -> None:
    """Of two common tokens neither leads on."""
    trap = JoinedMatcher(knows("aba", "baa"), knows("abb", "bab"))

    assert trap.dead_end is not None
    assert trap.dead_end.message == (
        "nothing may follow “”, as the 2 tokens that all allow lead nowhere: behind “ab”, "
        "Copied alone allows 1 token, Copied alone allows 1 token, and none is allowed by all"
    )
    assert trap.dead_end.notes == ("Copied allows “a”", "Copied allows “b”")
    assert trap.dead_end.data == {"alone": [1, 1], "together": 2, "tokens": [], "way": [0, 1]}


def test_one_token_is_not_looked_behind() -> None:
    """There is no other to turn to."""
    matcher = JoinedMatcher(knows("ab"), knows("ac"))

    assert np.flatnonzero(matcher.mask()).tolist() == [0]


@pytest.mark.parametrize("count", [MAX_LOOK_AHEAD_TOKENS - 1, MAX_LOOK_AHEAD_TOKENS, MAX_LOOK_AHEAD_TOKENS + 1])
def test_how_many_are_tried(count: int) -> None:
    """With one token more than the limit none is: the trap stays open, and is said when it is reached."""
    vocabulary = toy(*(bytes([33 + i]) for i in range(90)), "<eos>")
    texts = [(token, 0) for token in range(1, count)]
    left = Copied(vocabulary, 91, frozenset([(0, 1), *texts]), frozenset(texts))
    right = Copied(vocabulary, 91, frozenset([(0, 2), *texts]), frozenset(texts))
    matcher = JoinedMatcher(left, right)

    assert matcher.mask()[0] == (count > MAX_LOOK_AHEAD_TOKENS)
    assert matcher.mask().sum() == (count if count > MAX_LOOK_AHEAD_TOKENS else count - 1)


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_how_far_is_looked(extra: int) -> None:
    """Each of two tokens has half of the steps: a row of so many that leads nowhere is found out, one more is not."""
    steps = MAX_LOOK_AHEAD_STEPS // 2
    row = (0,) * (steps + extra)
    left = Copied(ABC, 4, frozenset([(*row, 1), (1,)]), frozenset([(1,)]))
    right = Copied(ABC, 4, frozenset([(*row, 2), (1,)]), frozenset([(1,)]))
    matcher = JoinedMatcher(left, right)

    assert np.flatnonzero(matcher.mask()).tolist() == ([0, 1] if extra > 0 else [1])


def test_without_an_end_nothing_is_dropped() -> None:
    """A tokenizer without end-of-sequence: where a text is complete cannot be seen from the tokens."""
    vocabulary = toy(b"a", b"b")
    matcher = JoinedMatcher(
        knows("a", "b", vocabulary=vocabulary), knows("a", "b", vocabulary=vocabulary), on_dead_end="stop"
    )

    assert matcher.mask().tolist() == [True, True]
    assert matcher.advance(0)
    assert matcher.accepting
    assert not matcher.mask().any()
    assert matcher.dead_end is not None
    assert matcher.dead_end.message.startswith("the text is complete, and the tokenizer has no end-of-sequence")


def test_an_engine_that_takes_back_what_it_allowed() -> None:
    """The token is refused, and no part keeps it."""

    class Fickle(Copied):
        def advance(self, token: int) -> bool:
            return token != 0 and super().advance(token)

    steady = knows("ab", "bc")
    matcher = JoinedMatcher(steady, knows("ab", "bc", kind=Fickle))

    assert np.flatnonzero(matcher.mask()).tolist() == [1], "looking ahead has found it out"
    assert (matcher.advance(0), steady.history, matcher.ids) == (False, (), ())
    alone = JoinedMatcher(knows("ab"), knows("ab", kind=Fickle))
    assert (alone.advance(0), alone.ids) == (False, ())


@pytest.mark.parametrize("wrong", [True, "1", 1.0, None])
def test_what_is_no_id(wrong: object) -> None:
    """As for any matcher."""
    matcher = JoinedMatcher(knows("a"))
    for call in (matcher.allows, matcher.advance, lambda token: matcher.sync([token])):
        with pytest.raises(TypeError):
            call(wrong)  # type: ignore[arg-type]


def test_rollback_is_bounded() -> None:
    """Neither less than none nor more than there is."""
    matcher = JoinedMatcher(knows("ab"))
    matcher.advance(0)
    for count in (-1, 2):
        with pytest.raises(ValueError, match="cannot take back"):
            matcher.rollback(count)


def test_what_cannot_be_copied() -> None:
    """A part without `fork` makes a matcher without."""
    matcher = JoinedMatcher(knows("ab"), knows("ab", kind=Paths))

    assert not matcher.can_fork
    with pytest.raises(TypeError, match=r"Paths has no fork\(\)"):
        matcher.fork()


def _with_history() -> Paths:
    matcher = langc.Matcher(langc.parse_policy("policy t { only [ab]; }"), ABC)
    matcher.advance(0)
    return matcher  # type: ignore[return-value]


def _twice() -> tuple[Paths, Paths]:
    part = knows("a")
    return part, part


OTHER = toy(b"x", b"y", b"z", "<eos>")
OTHER_END = Vocabulary("other end", ABC.tokens, {3: "<eos>"}, frozenset())


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((), "there is nothing to join"),
        (_twice(), "one matcher is joined with itself"),
        ((_with_history(),), "Matcher has a history already"),
        ((knows("a"), knows("a", rows=5)), "the parts have different numbers of rows: Copied 4, Copied 5"),
        ((knows("a"), knows("x", vocabulary=OTHER)), "the parts are over different tokenizers, toy and toy"),
        (
            (knows("a"), knows("a", vocabulary=OTHER_END)),
            "the parts have different end-of-sequence tokens, [3] and []",
        ),
        (
            (langc.Matcher.of(langc.Matcher(langc.parse_policy("policy t { only [ab]; }"), ABC)._machine),),
            "no part knows its vocabulary",
        ),
    ],
)
def test_what_does_not_fit(parts: tuple[Paths, ...], message: str) -> None:
    """LC0661 with the reason."""
    with pytest.raises(JoinError) as caught:
        JoinedMatcher(*parts)

    assert [d.code for d in caught.value.diagnostics] == ["LC0661"]
    assert caught.value.diagnostics[0].message == message


def test_an_unknown_choice() -> None:
    """As for any matcher."""
    with pytest.raises(langc.PolicyError, match="LC0307"):
        JoinedMatcher(knows("a"), on_dead_end="relax")


class Json(Copied):
    """A part that says it writes JSON."""

    writes_json = True


def json_part() -> Json:
    """Over bytes, any text of up to one letter."""
    return Json(BYTES_AND_EOS, 257, frozenset({(0x22, 0x22)}), frozenset({(0x22, 0x22)}))


def test_a_plain_policy_beside_json_is_refused() -> None:
    """It would not see what an escape spells; a policy for JSON strings does, and a soft one bars nothing anyway."""
    policy = langc.load_policy("ko")
    with pytest.raises(JoinError, match="LC0662"):
        JoinedMatcher(langc.Matcher(policy, BYTES_AND_EOS), json_part())
    for fit in (policy.with_(json_strings=True), policy.with_(mode="soft")):
        matcher = JoinedMatcher(langc.Matcher(fit, BYTES_AND_EOS), json_part())

        assert [matcher.advance(token) for token in (0x22, 0x22, 256)] == [True] * 3


def test_joined_matchers_can_be_joined() -> None:
    """A joined matcher is a part: its dead ends are dead ends of the whole."""
    inner = JoinedMatcher(knows("aba", "c"), knows("abb", "c"))
    outer = JoinedMatcher(inner, knows("aba", "abb", "c"))

    assert np.flatnonzero(outer.mask()).tolist() == [2]
    deep = JoinedMatcher(JoinedMatcher(knows("ab"), knows("ac")), knows("ab"))
    assert deep.sync([0])
    assert deep.dead_end is not None
    assert "JoinedMatcher alone allows 0 tokens" in deep.dead_end.message


def test_stop_before_of_a_part() -> None:
    """What would complete the phrase gives its logit to the end only if the other part allows it, and an end."""
    policy = langc.parse_policy('policy t { stop before phrase "b" { boundary none; } }')
    vocabulary = toy(b"a", b"b", b"c", "<eos>")

    def joined(*texts: str) -> JoinedMatcher:
        return JoinedMatcher(langc.Matcher(policy, vocabulary), knows(*texts, vocabulary=vocabulary))

    assert joined("", "b", "a").ending().ids.tolist() == [1]
    assert joined("", "c", "a").ending().ids.tolist() == []
    assert joined("c", "b", "a").ending().ids.tolist() == []
    assert joined("", "b", "a").ending().bias.tolist() == [-1.0]


def test_other_forms_of_the_mask() -> None:
    """Logits in place, and bits; both say what `mask` and `bias` say."""
    matcher = JoinedMatcher(knows("a", "b"), knows("a", "c", "b"))
    logits = np.array([1.0, 2.0, np.nan, 3.0, 4.0], dtype=np.float32)
    bitmask = np.full((2, 1), -1, dtype=np.int32)
    matcher.fill_token_bitmask(bitmask, 1)

    assert matcher.apply(logits) is logits
    assert logits.tolist() == [1.0, 0.0, -np.inf, -np.inf, -np.inf]
    assert bitmask.tolist() == [[-1], [0b11]]


def test_the_end_gets_the_logit_of_what_stop_before_refuses() -> None:
    """If the other part would have let it through."""
    policy = langc.parse_policy('policy t { stop before phrase "b" { boundary none; } }')
    matcher = JoinedMatcher(langc.Matcher(policy, ABC), Paths(ABC, 4, frozenset({(1,), (0,)}), frozenset({(), (0,)})))
    logits = np.array([0.0, 7.0, 9.0, 1.0], dtype=np.float32)
    matcher.raise_end(logits)

    assert logits.tolist() == [0.0, 7.0, 9.0, 7.0]
