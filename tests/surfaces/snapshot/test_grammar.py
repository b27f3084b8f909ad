"""Snapshots against the surface's own engine, read by a reader that tries every way."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler import limits
from langc.compiler.errors import LimitError
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.environment.names import Environment, Group
from langc.compiler.surfaces.snapshot import build
from langc.compiler.surfaces.snapshot.build import snapshot
from langc.compiler.surfaces.snapshot.grammar import Grammar, Row
from langc.compiler.surfaces.snapshot.lexemes import Lexeme, word_graph
from langc.compiler.surfaces.snapshot.witness import too_wide
from tests.examples import examples
from tests.surfaces.masks.toys import engines
from tests.surfaces.snapshot.reading import has, texts
from tests.surfaces.snapshot.toys import PLAIN, let, plain, walks

ALPHABET = "abxA1.,(' )"


def made(engine: Engine, exact: bool = True) -> Grammar:
    """The snapshot of an engine's surface."""
    return snapshot(engine.surface, engine.environment, exact)


@pytest.mark.parametrize("names", [(), ("a",), ("a", "ab", "x"), ("b", "A'")], ids=str)
def test_without_worlds_a_snapshot_is_exact(names: tuple[str, ...]) -> None:
    """Of all short texts it has those of the surface: white space where lexemes need it, guards of parameters."""
    engine = plain(*names)
    accepted = texts(engine, ALPHABET, 5)
    grammar = made(engine)
    short = ("".join(letters) for n in range(4) for letters in itertools.product(ALPHABET, repeat=n))

    assert len(accepted) > 20
    assert [text for text in accepted if not has(grammar, text)] == []
    assert [text for text in short if has(grammar, text) and text not in accepted] == []


def test_words_of_small_letters_alone_lose_nothing() -> None:
    """Where capitals fold but are no part of words, a word may end before one: nothing is certain there."""
    engine = plain("a", "ab", text=PLAIN.replace("[abxABX]", "[abx]"))
    grammar = made(engine)

    assert [text for text in texts(engine, ALPHABET, 5) if not has(grammar, text)] == []


def test_what_is_certain_is_a_part_of_what_is_exact() -> None:
    """Without `exact` nothing is lost; white space alone may be missing."""
    engine = plain("a", "ab")
    exact, certain = made(engine), made(engine, exact=False)
    short = ["".join(letters) for n in range(5) for letters in itertools.product("a1. (", repeat=n)]
    more = [text for text in short if has(certain, text) and not has(exact, text)]

    assert [text for text in short if has(exact, text) and not has(certain, text)] == []
    assert more
    assert [text for text in more if not any(has(exact, spaced) for spaced in _spaced(text))] == []


def _spaced(text: str) -> Iterator[str]:
    """A text with blanks in any of its gaps."""
    for blanks in itertools.product(("", " "), repeat=len(text) - 1):
        yield "".join(letter + blank for letter, blank in zip(text, (*blanks, ""), strict=True))


@settings(max_examples=examples(60), deadline=None)
@given(engines, st.integers(0, 1_000), st.booleans())
def test_a_snapshot_has_every_text_of_its_surface(engine: Engine, seed: int, exact: bool) -> None:
    """Random surfaces with declarations: what a walk comes to is in the snapshot."""
    grammar = made(engine, exact)
    for text in walks(engine, random.Random(seed), 4, 24):
        assert has(grammar, text.decode()), text


@pytest.mark.parametrize("exact", [True, False])
def test_names_that_can_be_declared_are_open_and_others_are_not(exact: bool) -> None:
    """Variables are declared, functions are Γ's."""
    grammar = made(let("sin", "print"), exact)

    assert has(grammar, "print sin(ghost);")
    assert has(grammar, "print 'print'(1);")
    assert not has(grammar, "print cos(1);")
    assert not has(grammar, "print print(1);")
    assert not has(grammar, "let and=1;")


def test_white_space_is_asked_for_between_words() -> None:
    """And nowhere else."""
    grammar = made(let("sin"))

    assert has(grammar, "let a=1;print a and 1;print sin(1)and 2;{ print 1 and a ; } ")
    for text in ("leta=1;", "print1;", "print a and1;", "print 1and 2;", "print aand 2;"):
        assert not has(grammar, text), text


def test_guards_of_parameters_are_kept() -> None:
    """`and` is for `print`, and brackets hand the parameter on."""
    grammar = made(let("sin"))

    assert has(grammar, "print sin(1 and 2);")
    assert not has(grammar, "let a=1 and 2;")
    assert not has(grammar, "let a=sin(1 and 2);")


def test_no_rule_comes_to_itself_before_it_reads() -> None:
    """Left recursion would take llama.cpp down."""
    grammar = made(let("sin"))
    empty: set[int] = set()
    for _ in grammar.rules:
        empty |= {rule for rule, rows in enumerate(grammar.rules) if any(empty.issuperset(row) for row in rows)}
    begins = {rule: {s for row in rows for s in _first(row, empty)} for rule, rows in enumerate(grammar.rules)}
    for _ in grammar.rules:
        begins = {rule: found.union(*(begins[one] for one in found)) for rule, found in begins.items()}

    assert [rule for rule, found in begins.items() if rule in found] == []


def _first(row: Row, empty: set[int]) -> Iterator[int]:
    """The rules that a row may begin with."""
    for symbol in row:
        if not isinstance(symbol, int):
            return
        yield symbol
        if symbol not in empty:
            return


def test_no_names_no_text() -> None:
    """An empty Γ prunes what needs a name, down to a grammar without rules."""
    engine = plain()
    only = Engine(engine.surface, Environment("names", {}))

    assert has(made(only), "1")
    assert not has(made(only), "a")


def test_sizes_are_linear_in_names() -> None:
    """Ten times the names are ten times the states, and the rules stay as they are."""
    small, large = (
        snapshot(plain().surface, Environment("n", {"Name": Group.of_names("Name", _names(count))}))
        for count in (300, 3_000)
    )
    states = [sum(len(lexeme.graph.edges) for lexeme in grammar.lexemes) for grammar in (small, large)]

    assert len(small.rules) == len(large.rules)
    assert states[1] < 12 * states[0]


def _names(count: int) -> list[str]:
    return [format(n, "b").replace("0", "a").replace("1", "x") for n in range(count)]


@given(st.lists(st.text("abB", min_size=1, max_size=4), max_size=8, unique=True), st.booleans())
def test_a_tree_of_words_has_these_words(words: list[str], fold_case: bool) -> None:
    """In either case if A-Z count as a-z."""
    kept = sorted({word.lower() if fold_case else word for word in words})
    lexeme = Lexeme("words", None, tuple(kept), fold_case)
    if not kept:
        return
    grammar = Grammar((((lexeme,),),), 0)
    for word in map("".join, itertools.chain.from_iterable(itertools.product("abB", repeat=n) for n in range(1, 4))):
        assert has(grammar, word) == ((word.lower() if fold_case else word) in kept)
    assert word_graph(kept, fold_case).edges


def test_a_witness_is_of_the_snapshot_and_not_of_the_surface() -> None:
    """The text that the fidelity shows."""
    engine = let("sin")
    grammar = made(engine)

    def accepts(text: str) -> bool:
        config = engine.start.run(text.encode())
        return config is not None and config.accepting

    witness = too_wide(grammar, accepts)

    assert witness is not None
    assert has(grammar, witness)
    assert not accepts(witness)
    assert too_wide(made(plain("a")), lambda _: True) is None


def test_too_many_rules_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """LC0701, and no endless run."""
    monkeypatch.setattr(build, "MAX_SNAPSHOT_RULES", 20)
    with pytest.raises(LimitError) as error:
        made(let("sin"))

    assert error.value.diagnostics[0].code == "LC0701"
    assert limits.MAX_SNAPSHOT_RULES > 20
