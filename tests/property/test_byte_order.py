"""Sorting byte strings as arrays, against sorting them one by one."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from langc.compiler.tokens.byte_order import Strings

alike = st.lists(st.sampled_from([b"\x00", b"\x01", b"\xff", b"\x00" * 5, b"abcdefg", b"hijkl"]), max_size=6).map(
    b"".join
)
strings = st.lists(alike | st.binary(max_size=20), max_size=20)


@given(strings, st.data())
@example([b"", b"", b"\x00", b"\x00\x00", b"\x00" * 7, b"\x00" * 8, b"\x00" * 12, b"\x00" * 13], None)
def test_order_and_shared_beginnings(drawn: list[bytes], data: st.DataObject | None) -> None:
    """Shorter before longer, equal ones as they were given; zeros and ends of strings are told apart."""
    repeated = data.draw(st.lists(st.sampled_from(drawn), max_size=5)) if data and drawn else []
    given_ = [*drawn, *repeated]
    expected = sorted(range(len(given_)), key=lambda i: (given_[i], i))
    in_order = [given_[i] for i in expected]
    order, shared = Strings.of(given_).in_order()

    assert order.tolist() == expected
    assert shared.tolist() == [0][: len(given_)] + [alike_for(*pair) for pair in pairwise(in_order)]


def alike_for(left: bytes, right: bytes) -> int:
    """How many bytes two strings have in common at their beginnings."""
    return max(n for n in range(len(left) + 1) if right.startswith(left[:n]))


def test_many_long_strings() -> None:
    """Strings that differ behind hundreds of equal bytes, in many groups at a time."""
    given_ = [bytes([a]) * 300 + bytes([b]) * c for a in (7, 0, 255) for b in (9, 0, 8) for c in (2, 0, 400, 1)]
    expected = sorted(range(len(given_)), key=lambda i: (given_[i], i))

    assert Strings.of(given_).in_order()[0].tolist() == expected
