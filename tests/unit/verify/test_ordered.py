"""How large an engine's index would be: known for small expressions, and stopped early for those that explode."""

from __future__ import annotations

from itertools import pairwise

import pytest

from langc.compiler.verify.engines.ordered import MAX_ORDERED_STATES, ordered_states
from langc.compiler.verify.readers.regex import OUTLINES, read_expression


def states(expression: str, most: int = MAX_ORDERED_STATES) -> int:
    """The number of rows of places."""
    return ordered_states(read_expression(expression, OUTLINES), most)


@pytest.mark.parametrize(
    ("expression", "count"),
    [
        # Rows are written as what is left to be read; a match may start anew behind each character.
        ("a", 2),  # (a), (end a); behind any other letter nothing is left
        ("ab", 3),  # (ab), (b ab), (end ab)
        ("a*", 1),  # (a* end)
        ("a|b", 2),
        ("[ab]c", 3),
    ],
)
def test_small_expressions(expression: str, count: int) -> None:
    """Counted by hand, without the row in which nothing goes on."""
    assert states(expression) == count


def test_a_counted_part_that_holds_its_own_beginning() -> None:
    """Where each character read may begin another match, rows multiply; where none can, they are few."""
    grown = [states(rf"\([ -~]{{{n}}}\)") for n in (2, 4, 6, 8)]

    assert all(later >= 3 * earlier for earlier, later in pairwise(grown))
    assert states(r"\([*-~]{40}\)") <= 200


def test_the_count_stops() -> None:
    """Past the limit nothing is counted any more."""
    assert states(r"\([ -~]{38}\)") == MAX_ORDERED_STATES + 1
    assert states(r"\([ -~]{38}\)", most=10) == 11
