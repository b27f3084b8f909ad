"""Numbers against `decimal`, patterns against `re`, formats against the standard library."""

from __future__ import annotations

import ipaddress
import re
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.automata.build import build_dfa
from langc.compiler.json_schema.formats import FORMATS, format_language
from langc.compiler.json_schema.numbers import INTEGER_DIGITS, NUMBER_DIGITS, Bound, Interval, integers, numbers
from langc.compiler.json_schema.patterns import PatternError, pattern_language

pytestmark = pytest.mark.slow

_NUMBERS = "0 1 -1 0.5 -0.5 12 -3.25 100 99.9 0.001 -100 1e20 -1e30 1e-40 -1e-9 123.456 10 7 1e17 0e-50 999999999999999"
_decimals = st.sampled_from(_NUMBERS.split()).map(Decimal)
_bounds = st.one_of(st.none(), st.builds(Bound, _decimals, st.booleans()))
intervals = st.builds(Interval, _bounds, _bounds)
_wholes = st.one_of(st.integers(0, 130), st.sampled_from([999, 10**14, 10**15 - 1, 10**15, 10**18 - 1, 10**18]))
_DIGITS = "0 00 5 50 25 250 9 99 456 4561 455 001 0010 000000001"
_fractions = st.one_of(st.just(""), st.sampled_from(_DIGITS.split()))
texts = st.builds(
    lambda sign, whole, fraction: f"{sign}{whole}" + (f".{fraction}" if fraction else ""),
    st.sampled_from(["", "-"]),
    _wholes,
    _fractions,
)


def _is_in(value: Decimal, interval: Interval) -> bool:
    low, high = interval.low, interval.high
    above = low is None or (value > low.value if low.strict else value >= low.value)
    return above and (high is None or (value < high.value if high.strict else value <= high.value))


@given(intervals, st.lists(texts, min_size=10, max_size=20))
@settings(deadline=None)
def test_numbers(interval: Interval, written: list[str]) -> None:
    """A number is written iff it lies between the bounds and has no more digits than a float keeps apart."""
    dfa = build_dfa(numbers(interval))
    for text in written:
        value = Decimal(text)
        is_zero_below = text.startswith("-") and not value
        is_short = sum(c.isdigit() for c in text) <= NUMBER_DIGITS
        assert dfa.accepts(map(ord, text)) == (_is_in(value, interval) and is_short and not is_zero_below), text


@given(
    intervals, st.sampled_from([1, 2, 4, 5, 8, 10, 25, 100, 125, 500, 1000]), st.lists(texts, min_size=10, max_size=20)
)
@settings(deadline=None)
def test_integers(interval: Interval, step: int, written: list[str]) -> None:
    """The same for whole numbers and their multiples."""
    dfa = build_dfa(integers(interval, step))
    for text in written:
        value = Decimal(text)
        is_whole = "." not in text and len(text.lstrip("-")) <= INTEGER_DIGITS and text != "-0"
        assert dfa.accepts(map(ord, text)) == (is_whole and _is_in(value, interval) and int(value) % step == 0), text


_atoms = st.sampled_from(
    ["a", "b", "c", ".", "[ab]", "[^a]", "[a-c]", r"\d", r"\w", r"\.", "1", "-", r"[\d-]", r"\x61"]
)


def _larger(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    signs = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,1}", "*?", "{1,}", "??"])
    return st.one_of(
        st.builds("{}{}".format, parts, parts),
        st.builds("(?:{}|{})".format, parts, parts),
        st.builds("({}){}".format, parts, signs),
        st.builds("(?:{})".format, parts),
    )


_rows = st.builds(
    "{}{}{}".format, st.sampled_from(["", "^"]), st.recursive(_atoms, _larger, max_leaves=6), st.sampled_from(["", "$"])
)
patterns = st.lists(_rows, min_size=1, max_size=5).map("|".join)


@given(patterns, st.lists(st.text(st.sampled_from("abc1-. _"), max_size=7), min_size=5, max_size=15))
@settings(deadline=None)
def test_patterns(pattern: str, found_in: list[str]) -> None:
    """Found anywhere, unless anchored, as Python finds it; on texts on which the two languages agree."""
    dfa = build_dfa(pattern_language(pattern))

    assert [dfa.accepts(map(ord, t)) for t in found_in] == [bool(re.search(pattern, t)) for t in found_in]


@given(st.text(st.sampled_from("ab^$.|()[]{}*+?\\-\\d1,<>=!:pu0041\\b"), max_size=10))
@settings(deadline=None)
def test_whatever_a_pattern_holds(pattern: str) -> None:
    """It is read or refused, at an offset in it."""
    try:
        pattern_language(pattern)
    except PatternError as error:
        offset = error.offset
    else:
        offset = 0
    assert 0 <= offset <= len(pattern)


def _is(make: object, text: str) -> bool:
    try:
        make(text)  # type: ignore[operator]
    except ValueError:
        return False
    return True


def _date(text: str) -> None:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        raise ValueError(text)
    date.fromisoformat(text)


def _uuid(text: str) -> None:
    if not re.fullmatch(r"[0-9a-fA-F-]{36}", text) or [len(p) for p in text.split("-")] != [8, 4, 4, 4, 12]:
        raise ValueError(text)
    UUID(text)


def _date_time(text: str) -> None:
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:[0-5]\d)", text, re.ASCII):
        raise ValueError(text)  # the library takes +00:60, which RFC 3339 does not
    datetime.fromisoformat(text)


JUDGES = {"date": _date, "uuid": _uuid, "ipv4": ipaddress.IPv4Address, "date-time": _date_time}
_numbers = st.one_of(st.integers(0, 99), st.sampled_from([12, 13, 23, 24, 29, 30, 31, 59, 60]))
_days = st.builds("{:04d}-{:02d}-{:02d}".format, st.integers(0, 9999), st.integers(0, 13), st.integers(0, 32))
_times = st.builds(
    "{}T{:02d}:{:02d}:{:02d}{}{}".format,
    _days,
    _numbers,
    _numbers,
    _numbers,
    st.sampled_from(["", ".5", ".123456789", "."]),
    st.one_of(
        st.sampled_from(["Z", "", "z"]), st.builds("{}{:02d}:{:02d}".format, st.sampled_from("+-"), _numbers, _numbers)
    ),
)
CANDIDATES = {
    "date": st.one_of(_days, st.text("0123456789-", max_size=11)),
    "uuid": st.one_of(st.uuids().map(str), st.uuids().map(lambda u: str(u).upper()), st.text("0a-", max_size=37)),
    "ipv4": st.lists(st.integers(-1, 300), min_size=3, max_size=5).map(lambda ns: ".".join(map(str, ns))),
    "date-time": _times,
}


@pytest.mark.parametrize("name", JUDGES)
@given(st.data())
@settings(deadline=None)
def test_formats(name: str, data: st.DataObject) -> None:
    """As the standard library reads them, in the form of the standards."""
    language = format_language(name)
    assert language is not None
    text = data.draw(CANDIDATES[name])

    assert build_dfa(language).accepts(map(ord, text)) == _is(JUDGES[name], text), text


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("a@b.c", True),
        ("a.b+c@d-e.f1.gh", True),
        ("x" * 64 + "@b.c", True),
        ("x" * 65 + "@b.c", False),
        ("a@" + "b" * 61 + ".c", True),
        ("a@" + "b" * 62 + ".c", False),
        *(
            (t, False)
            for t in ("a@b", "@b.c", "a..b@c.d", ".a@b.c", "a@-b.c", "a@b-.c", "a b@c.d", "a@b.c.", "a@b..c", "가@b.c")
        ),
    ],
)
def test_addresses(text: str, fine: bool) -> None:
    """The plain ones, with the lengths that the page names."""
    language = format_language("email")
    assert language is not None

    assert build_dfa(language).accepts(map(ord, text)) == fine


def test_every_format_has_a_judge() -> None:
    """`time` is the second half of `date-time`."""
    assert {*JUDGES, "time", "email"} == {*FORMATS}
