"""Who judges texts with a surface in their regions: a reader that goes through a text once, and the surface by itself.

The reader (`tests/oracle/reader.py`) finds the regions, and shares no code with the automata. What the policy permits
with anything in them is its own business, tested elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import langc
from langc.compiler.policy import Policy
from langc.compiler.source import Source
from langc.compiler.surfaces.environment.names import Environment, Group
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.surfaces.policed.rules import PolicyRules
from langc.compiler.surfaces.syntax.read import read_surfaces
from tests.oracle.reader import Opening, Reader


@dataclass(frozen=True)
class World:
    """A policy with a surface in its regions, and what both are made of.

    `openings` are all regions of the policy; those of scope 1 hold the surface.
    """

    surface: str
    rules: str
    openings: tuple[Opening, ...]
    used: str = ""
    names: tuple[str, ...] = ("a", "b")

    @cached_property
    def policy(self) -> Policy:
        """The policy."""
        return langc.parse_policy(f"{self.surface}\n{self.used} policy p {{ {self.rules} }}", "p")

    @cached_property
    def free(self) -> Policy:
        """The policy with anything in its regions."""
        return self.policy.beside_surface

    @cached_property
    def plain(self) -> LoadedSurface:
        """The surface by itself."""
        surface = next(iter(read_surfaces(Source.of("s.policy", self.surface)).values()))
        return LoadedSurface(surface, Environment("toy", {"Name": Group.of_names("Name", self.names)}), surface.levels)

    @cached_property
    def loaded(self) -> LoadedSurface:
        """The surface in the regions of the policy."""
        return LoadedSurface(self.plain.surface, self.plain.environment, self.plain.levels, PolicyRules(self.policy))

    def accepts(self, text: str) -> bool:
        """Whether a text is permitted."""
        if not self.free.accepts(text):
            return False
        readings = Reader(self.openings).readings(text)
        return any(all(map(self.plain.accepts, self._contents(reading))) for reading in readings)

    def contents(self, text: str) -> list[str]:
        """What stands in the regions of a text that the policy permits."""
        return next(self._contents(reading) for reading in Reader(self.openings).readings(text))

    def _contents(self, reading: Sequence[tuple[int, str]]) -> list[str]:
        is_block = any(opening.kind == "fence" and opening.scope == 1 for opening in self.openings)
        held = [text for scope, text in reading if scope == 1]
        return [_without_line_end(text) for text in held] if is_block else held


def _without_line_end(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text


# --- small ones ---

_TOY = "sort Name; env toy; {skips} toy := {rule};"
LISTS = "surface toy { " + _TOY.format(skips="skip SPACE = pattern / +/;", rule='ref(Name) ("," ref(Name))*') + " }"
LINES = "surface toy { " + _TOY.format(skips=r"skip SPACE = pattern /[ \n]+/;", rule="ref(Name)+") + " }"
RETURNS = "surface toy { " + _TOY.format(skips=r"skip SPACE = pattern /[\r]/;", rule=r'ref(Name) "\n"?') + " }"
EMPTY = "surface toy { " + _TOY.format(skips=r"skip SPACE = pattern /\n/;", rule="ref(Name)*") + " }"
STRINGS = "surface toy { " + _TOY.format(skips=r"token S = pattern /'[^']*'/;", rule="S | ref(Name)") + " }"
TICKS = "surface toy { " + _TOY.format(skips=r"skip SPACE = pattern /\n/;", rule='("```" | ref(Name))+') + " }"
SIGN = "surface toy { " + _TOY.format(skips="", rule='"```" | ref(Name)') + " }"
TOKEN = "surface toy { " + _TOY.format(skips="token T = pattern /```|a/;", rule="T | ref(Name)") + " }"
BEHIND_RETURN = "surface toy { " + _TOY.format(skips="", rule='ref(Name) "\\r"') + " }"
QUOTED = "surface toy (quote = '[' ']') { " + _TOY.format(skips="", rule='ref(Name) (">" ref(Name))*') + " }"
SIGNS = "surface toy { " + _TOY.format(skips="", rule='ref(Name) ((">" | ">>" | "=") ref(Name))*') + " }"

SQL, CODE = Opening("fence", "q", unclosed=True), Opening("fence", scope=2, unclosed=True)
BLOCKS = 'deny [x]; region r = fence "q" { surface toy; } region c = fence { any }'


def between(opener: str, closer: str, unclosed: bool = False) -> Opening:
    """A region that holds the surface."""
    return Opening("between", opener, closer, unclosed=unclosed)


IN_MARKS = 'deny [x]; region r = between "<" ">" { surface toy; }'
WORLDS: dict[str, tuple[World, tuple[str, ...], int]] = {
    "blocks": (World(LISTS, BLOCKS, (SQL, CODE)), ("```", "q", "\n", "a", ",", "x"), 7),
    "all blocks": (
        World(LISTS, "deny [x]; region r = fence { surface toy; }", (Opening("fence", unclosed=True),)),
        ("```", "`", "\n", "a", "x", " "),
        7,
    ),
    "blocks that must close": (
        World(
            LINES,
            'unclosed r: forbid; deny [x]; region r = fence "q" { surface toy; }',
            (Opening("fence", "q"),),
        ),
        ("```q\n", "```", "\n", "a", "x", " "),
        6,
    ),
    "blocks of lines": (World(LINES, BLOCKS, (SQL, CODE)), ("```q", "```", "\n", "a", " ", "x"), 7),
    "blocks of nothing": (World(EMPTY, BLOCKS, (SQL, CODE)), ("```q", "```", "\n", "a", "x"), 7),
    "blocks of strings": (World(STRINGS, BLOCKS, (SQL, CODE)), ("```q\n", "```", "\n", "'", "x", "~"), 7),
    "blocks of backticks": (World(TICKS, BLOCKS, (SQL, CODE)), ("````q\n", "`", "```", "\n", "a"), 7),
    "blocks of tildes": (World(TICKS, BLOCKS, (SQL, CODE)), ("~~~q\n", "~~~", "```", "\n", "a", "\t"), 6),
    "returns": (World(RETURNS, BLOCKS, (SQL, CODE)), ("```q\r\n", "```", "\n", "a", "\r"), 7),
    "returns that are no part": (World(LISTS, BLOCKS, (SQL, CODE)), ("```q\n", "```", "\n", "a", "\r", "x"), 7),
    "returns that are needed": (World(BEHIND_RETURN, BLOCKS, (SQL, CODE)), ("```q\n", "```", "\n", "a", "\r"), 7),
    "blocks of a sign": (World(SIGN, BLOCKS, (SQL, CODE)), ("```q\n", "```", "`", "\n", "a"), 6),
    "blocks of a token": (World(TOKEN, BLOCKS, (SQL, CODE)), ("```q\n", "```", "`", "\n", "a"), 6),
    "marks": (World(LISTS, IN_MARKS, (between("<", ">"),)), tuple("<>ax, "), 6),
    "marks that may stay open": (
        World(LISTS, f"unclosed r: allow; {IN_MARKS}", (between("<", ">", unclosed=True),)),
        tuple("<>ax,"),
        6,
    ),
    "long marks": (
        World(SIGNS, 'deny [x]; region r = between "<<" ">>=" { surface toy; }', (between("<<", ">>="),)),
        tuple("<>=ax"),
        7,
    ),
    "marks that overlap": (
        World(LISTS, 'region r = between "<" ",,a" { surface toy; } deny [x];', (between("<", ",,a"),), names=("a",)),
        tuple("<,ax"),
        7,
    ),
    "names with the mark": (World(QUOTED, IN_MARKS, (between("<", ">"),), names=("a", "a>b", ">")), tuple("<>a[]b"), 6),
    "blocks and marks": (
        World(
            LISTS,
            f'{BLOCKS} region s = between "<" ">" {{ any }}',
            (SQL, CODE, Opening("between", "<", ">", scope=3)),
        ),
        ("```q\n", "```", "\n", "a", "x", "<", ">"),
        6,
    ),
    "other rules in it, too": (
        World(
            LISTS,
            f"use house; {BLOCKS}",
            (SQL, CODE),
            used='policy house { deny phrase "b", ",a"; }',
        ),
        ("```q\n", "```", "\n", "a", ",", "b"),
        6,
    ),
    "a phrase that ends the text": (
        World(LISTS, f'stop on phrase "b"; {BLOCKS}', (SQL, CODE)),
        ("```q\n", "```", "\n", "a", ",", "b"),
        6,
    ),
    "a region of the used policy": (
        World(LISTS, "use house; deny [y];", (SQL, CODE), used="policy house { " + BLOCKS + " }"),
        ("```q\n", "```", "\n", "a", "x", "y"),
        6,
    ),
}
"""Worlds, with pieces that their texts are made of, and how many of these."""
