"""What is kept within a budget of bytes."""

from __future__ import annotations

from langc.compiler.tokens.rows import KeptRows


class Growing:
    """Something that holds more memory after it has been kept than before."""

    def __init__(self) -> None:
        self.nbytes = 10


def test_a_value_that_grows_counts_as_it_was_kept() -> None:
    """Else each that goes would make room for more than it took, and the budget would be no limit."""
    rows: KeptRows[int, Growing] = KeptRows(lambda _: Growing(), budget=50)
    for key in range(100):
        rows[key].nbytes = 25
    assert len(rows._rows) == 5


def test_the_value_used_longest_ago_goes_first() -> None:
    """A use is noted once half of the budget is used."""
    made: list[int] = []

    def make(key: int) -> Growing:
        made.append(key)
        return Growing()

    rows: KeptRows[int, Growing] = KeptRows(make, budget=30)
    for key in (0, 1, 0, 2, 3, 0, 1):
        rows[key]
    assert made == [0, 1, 2, 3, 1]
