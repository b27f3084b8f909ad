r"""How a text is written inside the quotes of a JSON string: each in exactly one way.

A character stands for itself, but for `"`, `\` and the control characters U+0000 to U+001F, which JSON (RFC 8259)
wants escaped: by the short escape where there is one, else by `\u00xx` in small letters. So nothing can hide behind
an escape that would not need one.

Invariant: the spelling is that of Python's `json.dumps(text, ensure_ascii=False)`, and no spelling of a character is
the beginning of another's.
"""

from __future__ import annotations

from langc.compiler.ir.language import (
    FAIL,
    Alternation,
    Class,
    Concat,
    Language,
    Repetition,
    alternation,
    class_,
    concat,
    literal,
    repetition,
)
from langc.compiler.unicode.intervals import IntervalSet

_SHORT = {'"': '"', "\\": "\\", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
SPELLINGS = {c: f"\\{letter}" for c, letter in _SHORT.items()} | {
    c: f"\\u{ord(c):04x}" for c in map(chr, range(0x20)) if c not in _SHORT
}
"""The escape of every character that has one."""
ESCAPED = IntervalSet.of("".join(SPELLINGS))
"""The characters that never stand for themselves."""
SIGNS = tuple(IntervalSet.of(c) for c in sorted({*SPELLINGS, *"".join(SPELLINGS.values())}))
"""The characters that an automaton must tell apart, one by one."""
QUOTE = literal('"')


def spelled(text: str) -> str:
    """What stands between the quotes."""
    return "".join(SPELLINGS.get(c, c) for c in text)


def quoted(text: str) -> Language:
    """A whole JSON string of one value."""
    return literal(f'"{spelled(text)}"')


def spelled_out(plain: Language) -> Language:
    """What the texts of an expression look like inside quotes, as an expression again.

    Only for plain expressions, which are made of classes, rows, alternatives and repetitions.
    """
    match plain:
        case Class(members):
            return _characters(members)
        case Concat(parts):
            return concat(*map(spelled_out, parts))
        case Alternation(parts):
            return alternation(*map(spelled_out, parts))
        case Repetition(part, least, most):
            return repetition(spelled_out(part), least, most)
    raise TypeError(f"a {type(plain).__name__} has to be written out first")


def _characters(members: IntervalSet) -> Language:
    """One character of a set. Escapes are written from their beginnings on, so that no engine has to go back."""
    short = IntervalSet.of("".join(letter for c, letter in _SHORT.items() if ord(c) in members))
    ways = [class_(short)] if short else []
    for tens in "01":
        digits = "".join(f"{ord(c):02x}"[1] for c in _long(members) if f"{ord(c):02x}"[0] == tens)
        ways += [concat(literal("u00" + tens), class_(IntervalSet.of(digits)))] if digits else []
    escapes = concat(literal("\\"), alternation(*ways)) if ways else FAIL
    raw = members - ESCAPED
    return alternation(*([class_(raw)] if raw else []), *([escapes] if ways else [])) if members else FAIL


def _long(members: IntervalSet) -> list[str]:
    return [c for c in map(chr, range(0x20)) if c not in _SHORT and ord(c) in members]


def json_text_of(strings: Language, outside: IntervalSet) -> Language:
    """Rows of characters of `outside`, with JSON strings of `strings` (what stands between the quotes) among them."""
    between = repetition(class_(outside))
    return concat(between, repetition(concat(QUOTE, strings, QUOTE, between))) if strings != FAIL else between


OUTSIDE = IntervalSet.of("{}[]:, \t\r\n+-.0123456789eE", *"truefalsenull")
"""What JSON has outside of strings: structure, white space, numbers, `true`, `false` and `null`."""
