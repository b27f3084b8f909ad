"""`format`: the formats of strings that are regular, exactly or as narrow as said here.

* `date`, `time`, `date-time` as RFC 3339 has them, in capitals, years from 0001, with up to nine digits of a second and
  no leap second;
* `uuid` in either case; `ipv4` without zeros in front;
* `email`: an atom or several with dots between them before the `@`, a host name of two labels or more behind it; at
  most 64 characters before and 63 behind.
"""

from __future__ import annotations

from functools import cache

from langc.compiler.ir.language import (
    ANY_CHARACTER,
    Language,
    alternation,
    class_,
    concat,
    intersection,
    literal,
    repetition,
)
from langc.compiler.unicode.intervals import IntervalSet

_DIGIT_SET = IntervalSet.of((0x30, 0x39))
_DIGIT = class_(_DIGIT_SET)
_LETTERS = IntervalSet.of((0x41, 0x5A), (0x61, 0x7A))
_HEX = class_(_DIGIT_SET | IntervalSet.of((0x41, 0x46), (0x61, 0x66)))


@cache
def format_language(name: str) -> Language | None:
    """The language of a format; None if it is none of those above."""
    made = {
        "date": _date,
        "time": _time,
        "date-time": lambda: concat(_date(), literal("T"), _time()),
        "uuid": _uuid,
        "ipv4": _ipv4,
        "email": _email,
    }
    return made[name]() if name in made else None


FORMATS = ("date", "time", "date-time", "uuid", "ipv4", "email")


def _digits(count: int) -> Language:
    return repetition(_DIGIT, count, count)


def _numbers(least: int, most: int, width: int = 2) -> Language:
    """Numbers with zeros in front."""
    return alternation(*(literal(f"{n:0{width}d}") for n in range(least, most + 1)))


def _date() -> Language:
    year = intersection(_digits(4), alternation(*(concat(_digits(n), _nonzero(), _digits(3 - n)) for n in range(4))))
    of_30 = alternation(*(literal(f"{n:02d}") for n in (4, 6, 9, 11)))
    of_31 = alternation(*(literal(f"{n:02d}") for n in (1, 3, 5, 7, 8, 10, 12)))
    dash = literal("-")
    days = alternation(
        concat(of_31, dash, _numbers(1, 31)),
        concat(of_30, dash, _numbers(1, 30)),
        concat(literal("02-"), _numbers(1, 28)),
    )
    return alternation(concat(year, dash, days), concat(_leap_years(), literal("-02-29")))


def _nonzero() -> Language:
    return class_(IntervalSet.of((0x31, 0x39)))


def _leap_years() -> Language:
    """The years from 0004 on that 4 divides, but of full centuries those alone that 400 divides."""
    fourth = [f"{n:02d}" for n in range(0, 100, 4)]
    in_century = concat(_digits(2), alternation(*(literal(f) for f in fourth if f != "00")))
    return alternation(in_century, concat(alternation(*(literal(f) for f in fourth if f != "00")), literal("00")))


def _time() -> Language:
    minutes = concat(_numbers(0, 23), literal(":"), _numbers(0, 59))
    fraction = repetition(concat(literal("."), repetition(_DIGIT, 1, 9)), 0, 1)
    offset = alternation(literal("Z"), concat(class_(IntervalSet.of("+-")), minutes))
    return concat(minutes, literal(":"), _numbers(0, 59), fraction, offset)


def _uuid() -> Language:
    groups = [repetition(_HEX, n, n) for n in (8, 4, 4, 4, 12)]
    return concat(groups[0], *(part for group in groups[1:] for part in (literal("-"), group)))


def _ipv4() -> Language:
    part = alternation(*(literal(str(n)) for n in range(256)))
    return concat(part, repetition(concat(literal("."), part), 3, 3))


def _email() -> Language:
    atom = repetition(class_(_LETTERS | _DIGIT_SET | IntervalSet.of("!#$%&'*+-/=?^_`{|}~")), 1)
    local = concat(atom, repetition(concat(literal("."), atom)))
    alphanumeric = class_(_LETTERS | _DIGIT_SET)
    label = concat(alphanumeric, repetition(concat(repetition(literal("-")), alphanumeric)))
    domain = concat(label, repetition(concat(literal("."), label), 1))
    return concat(_up_to(local, 64), literal("@"), _up_to(domain, 63))


def _up_to(language: Language, most: int) -> Language:
    return intersection(language, repetition(ANY_CHARACTER, 0, most))
