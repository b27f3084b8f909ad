"""No grammar that is fixed before a text is both sound and non-blocking; the engine is.

After Proposition 3 of gproj (arXiv 2607.18357). The surface has no nesting, so its grammars are regular and Python's
`re` is the referee; what a fixed grammar can say of names is a fixed list or any word.
"""

from __future__ import annotations

import re

import pytest

from langc.compiler.source import Source
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.syntax import read_surfaces

SURFACE = r"""
surface lets (word = pattern /[a-z]+/, start = text) {
    token NUMBER = pattern /[0-9]+/;
    skip SPACE = pattern / +/;
    sort Variable;
    env given;

    text := statement (";" statement)*;
    statement := "let" x=fresh(Variable) "=" value => bind(x, Variable) | "use" ref(Variable);
    value := NUMBER | ref(Variable);
}
"""
KNOWN = ("pi", "tau")
WORD = "(?!let|use)[a-z]+"


def engine() -> Engine:
    """The surface with two names in Γ."""
    names = Group.of(Entry(name, "Variable") for name in KNOWN)
    return Engine(read_surfaces(Source.of("lets.policy", SURFACE))["lets"], Environment("given", {"Variable": names}))


def accepts(text: str) -> bool:
    """Whether the engine takes a whole text."""
    config = engine().start.run(text.encode())
    return config is not None and config.accepting


def fixed(reference: str) -> re.Pattern[str]:
    """The grammar of the surface with this for every reference."""
    statement = rf"(?:let {WORD} = (?:[0-9]+|{reference})|use {reference})"
    return re.compile(rf"{statement}(?:; {statement})*")


RIGHT = "let fresh = 1; use fresh"
GHOST = "use fresh"
LATE = "use fresh; let fresh = 1"


def test_a_list_of_names_blocks_what_is_right() -> None:
    """However long it is: the text declares a name that is not on it."""
    assert not fixed("(?:pi|tau)").fullmatch(RIGHT)
    assert accepts(RIGHT)


@pytest.mark.parametrize("ghost", [GHOST, LATE, "let fresh = fresh"])
def test_any_word_lets_ghosts_through(ghost: str) -> None:
    """What takes the use behind the declaration takes it without one."""
    assert fixed(WORD).fullmatch(RIGHT)
    assert fixed(WORD).fullmatch(ghost)
    assert not accepts(ghost)


@pytest.mark.parametrize(
    ("before", "possible", "impossible"),
    [("let x = ", "pt0", "xl"), ("let x = 1; let y = ", "ptx9", "yl"), ("let x = 1; use ", "ptx", "uy0")],
)
def test_a_name_exists_from_its_declaration_on(before: str, possible: str, impossible: str) -> None:
    """In `let x = 1; let y = ` the slot takes x and not y; the next byte already knows."""
    config = engine().start.run(before.encode())
    assert config is not None
    assert all(config.step(ord(letter)) is not None for letter in possible)
    assert all(config.step(ord(letter)) is None for letter in impossible)


def test_a_longer_name_goes_on_where_a_shorter_one_ends() -> None:
    """Longest match: `pi` and then `pie`, once it is declared."""
    assert accepts("let pie = pi; use pie; use pi")
    assert not accepts("let pie = pi; use piex")
