"""Numbers as JSON texts: whole ones and decimal fractions between bounds.

A number is written without exponent and not as `-0`. Whole numbers have at most `INTEGER_DIGITS` digits. Fractions have
at most `NUMBER_DIGITS` digits in all: so many survive a double-precision float, and their order does too, so whoever
reads them as floats finds them on the same side of a bound that has no more digits itself. Zeros at the end of a
fraction are as good as none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from langc.compiler.ir.language import (
    FAIL,
    Language,
    alternation,
    class_,
    concat,
    intersection,
    literal,
    repetition,
)
from langc.compiler.unicode.intervals import IntervalSet

INTEGER_DIGITS = 18
NUMBER_DIGITS = 15
_POINT = literal(".")


@dataclass(frozen=True)
class Bound:
    """A least or largest value; `strict` leaves the value itself out."""

    value: Decimal
    strict: bool = False

    def __neg__(self) -> Bound:
        return Bound(self.value.copy_negate(), self.strict)


@dataclass(frozen=True)
class Interval:
    """The numbers from `low` to `high`; None is without bound."""

    low: Bound | None = None
    high: Bound | None = None

    def __contains__(self, value: Decimal | int) -> bool:
        above = self.low is None or value > self.low.value or (value == self.low.value and not self.low.strict)
        below = self.high is None or value < self.high.value or (value == self.high.value and not self.high.strict)
        return above and below

    def within(self, other: Interval) -> Interval:
        """What is in both."""
        lows = [b for b in (self.low, other.low) if b is not None]
        highs = [b for b in (self.high, other.high) if b is not None]
        return Interval(
            max(lows, key=lambda b: (b.value, b.strict), default=None),
            min(highs, key=lambda b: (b.value, not b.strict), default=None),
        )

    def __neg__(self) -> Interval:
        return Interval(None if self.high is None else -self.high, None if self.low is None else -self.low)


EVERYWHERE = Interval()


def integers(interval: Interval, step: int = 1) -> Language:
    """The whole numbers of an interval that are multiples of `step`, which divides a power of ten."""
    most = 10**INTEGER_DIGITS - 1
    low = -most if interval.low is None else max(-most, _first_above(interval.low))
    high = most if interval.high is None else min(most, -_first_above(-interval.high))
    ways = []
    if low < 0:
        ways.append(concat(literal("-"), _between(max(1, -high), -low)))
    if high >= 0:
        ways.append(_between(max(0, low), high))
    whole = alternation(*ways)
    return whole if step == 1 else intersection(whole, _multiples(step))


def numbers(interval: Interval) -> Language:
    """The numbers of an interval, whole or with a fraction."""
    positive = Interval(Bound(Decimal(0), True))
    ways = []
    below = (-interval).within(positive)
    if interval.low is None or interval.low.value < 0:
        ways.append(concat(literal("-"), _magnitudes(below)))
    if interval.high is None or interval.high.value >= 0:
        ways.append(_magnitudes(interval.within(Interval(Bound(Decimal(0))))))
    return alternation(*ways)


def fits(value: Decimal) -> bool:
    """Whether the order of a bound and of the numbers written here survives floats."""
    return len("".join(map(str, value.as_tuple().digits)).strip("0")) <= NUMBER_DIGITS


def divides_a_power_of_ten(step: int) -> bool:
    """Whether the multiples can be told by their last digits, and by few of them."""
    return 0 < step <= 1000 and 1000 % step == 0


def spelled(value: Decimal | int) -> str | None:
    """The number of an `enum`, written as numbers are here; None if it is too long for that."""
    number = Decimal(value)
    if not number:
        return "0"
    if abs(number.adjusted()) > INTEGER_DIGITS:
        return None
    if number == number.to_integral_value():
        whole = str(int(number))
        return whole if len(whole.lstrip("-")) <= INTEGER_DIGITS else None
    return f"{number.normalize():f}" if fits(number) else None


# --- whole numbers ----------------------------------------------------------------------------------------------------


def _first_above(bound: Bound) -> int:
    """The least whole number that the bound lets pass. Bounds far off are not written out."""
    if abs(bound.value.adjusted()) > 2 * INTEGER_DIGITS and bound.value:
        far = 10 ** (2 * INTEGER_DIGITS)
        return (far if bound.value > 0 else -far) if bound.value.adjusted() > 0 else int(bound.value > 0)
    least = ceil(bound.value)
    return least + 1 if bound.strict and least == bound.value else least


def _digits(low: int = 0, high: int = 9) -> Language:
    return class_(IntervalSet.of((ord("0") + low, ord("0") + high))) if low <= high else FAIL


def _some(least: int, most: int | None = None) -> Language:
    return repetition(_digits(), least, most)


def _between(low: int, high: int) -> Language:
    """The numbers from `low` to `high`, not below 0, without zeros in front."""
    if low > high:
        return FAIL
    lengths = range(len(str(low)), len(str(high)) + 1)
    rows = ((max(low, 10 ** (n - 1) if n > 1 else 0), min(high, 10**n - 1)) for n in lengths)
    return alternation(*(_of_one_length(str(a), str(b)) for a, b in rows))


def _of_one_length(low: str, high: str) -> Language:
    """The rows of digits between two of one length."""
    if low == high:
        return literal(low)
    rest = len(low) - 1
    if set(low[1:]) <= {"0"} and set(high[1:]) <= {"9"}:
        return concat(_digits(int(low[0]), int(high[0])), _some(rest, rest))
    if low[0] == high[0]:
        return concat(literal(low[0]), _of_one_length(low[1:], high[1:]))
    first = concat(literal(low[0]), _of_one_length(low[1:], "9" * rest))
    last = concat(literal(high[0]), _of_one_length("0" * rest, high[1:]))
    between = concat(_digits(int(low[0]) + 1, int(high[0]) - 1), _some(rest, rest))
    return alternation(first, between, last)


def _multiples(step: int) -> Language:
    """The numbers that are multiples of a divisor of 1,000: by their last digits."""
    size = next(n for n in (1, 2, 3) if 10**n % step == 0)
    endings = [f"{n:0{size}d}" for n in range(0, 10**size, step)]
    short = [str(n) for n in range(0, 10**size, step)]
    minus = repetition(literal("-"), 0, 1)
    return concat(
        minus,
        alternation(
            *map(literal, short),
            concat(_digits(1, 9), _some(0), alternation(*map(literal, endings))),
        ),
    )


# --- fractions --------------------------------------------------------------------------------------------------------


def _magnitudes(interval: Interval) -> Language:
    """The numbers without sign; the interval has a lower bound that is not below 0."""
    bounds = [_above(interval.low)] if interval.low and (interval.low.value or interval.low.strict) else []
    if interval.high is not None:
        bounds.append(_below(interval.high))
    return intersection(_shape(), *bounds)


def _shape() -> Language:
    whole = [*([_digits()]), *(concat(_digits(1, 9), _some(n - 1, n - 1)) for n in range(2, NUMBER_DIGITS + 1))]
    mixed = (concat(w, _POINT, _some(1, NUMBER_DIGITS - n)) for n, w in enumerate(whole, 1) if n < NUMBER_DIGITS)
    return alternation(*whole, *mixed)


def _parts(value: Decimal) -> tuple[int, str]:
    """The whole number, and the digits behind the point without zeros at the end."""
    if not value:
        return 0, ""
    value = min(value, Decimal(10**NUMBER_DIGITS))
    text = f"{value.normalize():f}" if value.adjusted() > -2 * NUMBER_DIGITS else f"0.{'0' * NUMBER_DIGITS}1"
    whole, _, fraction = text.partition(".")
    return int(whole), fraction.rstrip("0")


_FRACTION = repetition(concat(_POINT, _some(1)), 0, 1)
_SOMETHING = concat(_POINT, repetition(literal("0")), _digits(1, 9), _some(0))
"""A fraction that is not zero."""
_ZERO = repetition(concat(_POINT, repetition(literal("0"), 1)), 0, 1)


def _above(bound: Bound) -> Language:
    whole, fraction = _parts(bound.value)
    more = concat(_between(whole + 1, 10**NUMBER_DIGITS), _FRACTION)
    if not fraction:
        return alternation(more, concat(literal(str(whole)), _SOMETHING if bound.strict else _FRACTION))
    equal = [] if bound.strict else [concat(literal(fraction), repetition(literal("0")))]
    behind = alternation(*_greater(fraction), *equal)
    return alternation(more, concat(literal(f"{whole}."), behind))


def _greater(fraction: str) -> Iterator[Language]:
    """The rows of digits that are greater than a fraction, digit by digit."""
    for at, digit in enumerate(fraction):
        if digit != "9":
            yield concat(literal(fraction[:at]), _digits(int(digit) + 1), _some(0))
    yield concat(literal(fraction), repetition(literal("0")), _digits(1, 9), _some(0))


def _below(bound: Bound) -> Language:
    whole, fraction = _parts(bound.value)
    less = concat(_between(0, whole - 1), _FRACTION) if whole else FAIL
    if not fraction:
        return less if bound.strict else alternation(less, concat(literal(str(whole)), _ZERO))
    equal = [] if bound.strict else [concat(literal(fraction), repetition(literal("0")))]
    behind = alternation(*_smaller(fraction), *equal)
    return alternation(less, literal(str(whole)), concat(literal(f"{whole}."), behind))


def _smaller(fraction: str) -> Iterator[Language]:
    for at, digit in enumerate(fraction):
        if at:
            yield literal(fraction[:at])
        if digit != "0":
            yield concat(literal(fraction[:at]), _digits(0, int(digit) - 1), _some(0))
