"""The engine without names against a reader that knows nothing of networks: it writes all short texts out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.environment.names import Environment
from langc.compiler.surfaces.model import (
    Call,
    Choice,
    Element,
    Literal,
    Repeat,
    Rule,
    Sequence,
    Surface,
    Token,
    TokenUse,
)

WORDS = ("a", "b", "ab")
SIGNS = ("(", ",")
LONGEST = 4

Row = tuple[str, ...]


def surface_of(**rules: Element) -> Surface:
    """A surface of words and signs, with blanks skipped."""
    return Surface(
        name="toy",
        start="start",
        rules={name: Rule(name, body) for name, body in rules.items()},
        tokens={"SPACE": Token("SPACE", " +", skipped=True)},
        sorts={},
        scopes={},
        word="[a-z]+",
    )


def rows(element: Element, rules: dict[str, Element], most: int) -> frozenset[Row]:
    """All rows of at most `most` lexemes that an element can be."""

    @cache
    def of(name: str, most: int) -> frozenset[Row]:
        return written(rules[name], most)

    def written(element: Element, most: int) -> frozenset[Row]:
        match element:
            case Literal(text):
                return frozenset({(text,)}) if most else frozenset()
            case Call(rule):
                return of(rule, most)
            case Choice(choices):
                return frozenset().union(*(written(choice, most) for choice in choices))
            case Sequence(parts):
                found: frozenset[Row] = frozenset({()})
                for part in parts:
                    found = frozenset(one + two for one in found for two in written(part, most - len(one)))
                return found
            case Repeat(part, least, upper):
                highest = most + least if upper is None else upper
                return frozenset().union(
                    *(written(Sequence((part,) * times), most) for times in range(least, highest + 1))
                )
        raise AssertionError(element)

    return written(element, most)


def texts(row: Row) -> Iterator[str]:
    """All ways to write a row: a blank between two words, a blank or none elsewhere."""
    gaps = [(" ",) if one in WORDS and two in WORDS else ("", " ") for one, two in itertools.pairwise(row)]
    for blanks in itertools.product(("", " "), *gaps, ("", " ")):
        yield (
            blanks[0] + "".join(word + blank for word, blank in zip(row, blanks[1:], strict=True)) if row else blanks[0]
        )


leaves = st.sampled_from([Literal(text) for text in WORDS + SIGNS])
guarded_call = st.builds(
    lambda before, rule: Sequence((before, Call(rule))), leaves, st.sampled_from(["start", "other"])
)


def elements(children: st.SearchStrategy[Element]) -> st.SearchStrategy[Element]:
    """Rows, choices and repetitions of smaller elements."""
    few = st.lists(children, min_size=1, max_size=3).map(tuple)
    times = st.sampled_from([(0, 1), (0, None), (1, None)])
    return st.one_of(
        st.builds(Sequence, few),
        st.builds(Choice, few),
        st.builds(lambda part, bounds: Repeat(part, *bounds), children, times),
    )


bodies = st.recursive(st.one_of(leaves, guarded_call), elements, max_leaves=5)


@settings(max_examples=150, deadline=None)
@given(start=bodies, other=bodies)
def test_the_texts_are_those_that_can_be_written_out(start: Element, other: Element) -> None:
    """A text is accepted iff it is written out, and is alive iff it begins one that is (as far as these are long)."""
    rules = {"start": start, "other": other}
    accepted = {text for row in rows(start, rules, LONGEST) for text in texts(row)}
    begun = {text[:end] for text in accepted for end in range(len(text) + 1)}
    config = Engine(surface_of(**rules), Environment("none", {})).start
    for text in begun:
        reached = config.run(text.encode())
        assert reached is not None, text
        short = sum(text.count(sign) for sign in SIGNS) + len(text.replace("(", " ").replace(",", " ").split())
        if short <= LONGEST:
            assert reached.accepting == (text in accepted or text.rstrip(" ") in accepted), text
    alphabet = "ab(, "
    for size in range(1, 4):
        for letters in itertools.product(alphabet, repeat=size):
            text = "".join(letters)
            squeezed = " ".join(text.split(" ")) if "  " not in text else None
            if squeezed is None or text in begun:
                continue
            reached = config.run(text.encode())
            assert reached is None or not reached.accepting, text


def test_a_word_goes_on_as_long_as_letters_do() -> None:
    """`ab` is never `a` and `b`, and `abc` is nothing."""
    config = Engine(surface_of(start=Sequence((Literal("a"), Literal("b")))), Environment("none", {})).start
    assert config.run(b"ab") is None
    reached = config.run(b"a b")
    assert reached is not None
    assert reached.accepting
    assert config.run(b"a bc") is None


@pytest.mark.parametrize(
    ("text", "alive"), [(b"<", True), (b"<=", True), (b"< =", False), (b"<b", True), (b"<=b", True)]
)
def test_a_sign_ends_where_no_longer_one_is_expected(text: bytes, alive: bool) -> None:
    """`<` before `=` is `<=` where both may stand."""
    choice = Choice((Literal("<"), Literal("<=")))
    config = Engine(surface_of(start=Sequence((choice, Literal("b")))), Environment("none", {})).start
    assert (config.run(text) is not None) == alive


def test_where_words_may_come_a_token_goes_on_as_far_as_one() -> None:
    """Whatever word it is: a token of letters ends where a word would."""
    unit = TokenUse("UNIT")
    words = Repeat(
        Choice((Sequence((Literal("in"), unit)), Sequence((Literal("("), unit, unit, Literal(")"))), unit)), 1, 9
    )
    surface = replace(surface_of(start=words), tokens={"UNIT": Token("UNIT", "px|em"), **surface_of().tokens})
    start = Engine(surface, Environment("none", {})).start
    assert start.run(b"px in em") is not None
    assert start.run(b"pxin") is None
    assert start.run(b"pxem") is None
    assert start.run(b"(pxem)") is not None  # no word may come here


def test_and_where_they_may_come_at_another_place() -> None:
    """The same where the word would be read by another thread than the token."""
    unit = TokenUse("UNIT")
    either = Choice((Sequence((Literal("("), Literal("in"))), Sequence((Literal("("), unit, unit))))
    surface = replace(surface_of(start=either), tokens={"UNIT": Token("UNIT", "px|em"), **surface_of().tokens})
    start = Engine(surface, Environment("none", {})).start
    assert start.run(b"(in") is not None
    assert start.run(b"(px em") is not None
    assert start.run(b"(pxem") is None
