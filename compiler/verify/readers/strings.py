"""A reader for lists of banned strings: JSON in, the automaton of the texts in which none of them stands.

* koboldcpp: letters of ASCII in either case are the same (`tolower` on bytes);
* tabbyapi: text and strings are put into lower case first, character by character as Python does it. What `Σ` becomes
  depends on what follows, so it counts as itself alone; a character whose lower case is two (`İ`) as well.

The list may stand alone, as in a request, or under the key `banned_strings`, as in an artefact of langc.
"""

from __future__ import annotations

from functools import cache

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.partition import Partition
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_READ_STEPS, over_limit
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.compiler.verify.readers.json_text import listed, read_json
from langc.compiler.verify.readers.nodes import DataError


def read_strings(text: str, dialect: str) -> Dfa:
    """The canonical automaton of what the list lets pass. Raises ReadError, and LimitError past a budget."""
    value = read_json(text)
    if isinstance(value, dict) and "banned_strings" in value:
        value = value["banned_strings"]
    strings = listed(value, "`banned_strings`")
    if not all(isinstance(s, str) and s for s in strings):
        raise DataError("an entry is no text, or an empty one")
    folded = {tuple(_fold(c, dialect) for c in str(s)) for s in strings}
    if sum(map(len, folded)) > MAX_READ_STEPS:
        raise LimitError(over_limit("characters in the strings", MAX_READ_STEPS))
    return minimize(_search(folded, dialect))


def _search(strings: set[tuple[str, ...]], dialect: str) -> Dfa:
    """Aho and Corasick's automaton (CACM 18, 1975), without the states behind a string."""
    states = {prefix for s in strings for prefix in (s[:n] for n in range(len(s) + 1))} or {()}
    letters = sorted({c for s in strings for c in s})
    sets = {c: _alike(c, dialect) for c in letters}
    partition = Partition.of(SCALARS, list(sets.values()))
    letter = [next((c for c in letters if m <= sets[c]), None) for m in partition.members]
    number = {s: n for n, s in enumerate(sorted(states), 1)}

    def after(state: tuple[str, ...], read: str | None) -> int:
        longest = (*state, read) if read is not None else ()
        suffixes = [longest[n:] for n in range(len(longest) + 1)]
        if any(s in strings for s in suffixes):
            return DEAD
        return number[next(s for s in suffixes if s in states)]

    rows = [tuple(after(s, read) for read in letter) for s in sorted(states)]
    table = ((DEAD,) * partition.size, *rows)
    return Dfa(partition, table, frozenset(number.values()), number[()])


def _fold(character: str, dialect: str) -> str:
    if dialect == "koboldcpp":
        return character.lower() if character.isascii() else character
    lowered = character.lower()
    return lowered if len(lowered) == 1 and character != "Σ" else character


def _alike(folded: str, dialect: str) -> IntervalSet:
    return IntervalSet.of(*_folds(dialect).get(folded, folded))


@cache
def _folds(dialect: str) -> dict[str, str]:
    """All characters that fold to one, where that is more than one."""
    found: dict[str, str] = {}
    for low, high in SCALARS.ranges:
        for character in map(chr, range(low, high + 1)):
            folded = _fold(character, dialect)
            if folded != character:
                found[folded] = found.get(folded, folded) + character
    return found
