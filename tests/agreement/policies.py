r"""Policies for the agreement run, written as text in the policy language by a seeded generator.

Invariant: `cases()` is a pure function. All cases denote different languages, each with more in it than the empty
text, and each holds at least `LEAST_OPERATORS` operators. Their automata stay small (`MOST_STATES` over code points),
so that what an engine is put to is the language and not the size; the last few have regions, and some are larger.

**Operators** are counted on the syntax tree, of the policy and of those of the same file that it uses:

* each `deny`, `only`, `allow` and `use` line is one, so is each region that is exempt;
* each kind of a region is one;
* each `--`, `&&`, `!`, `^`, and each union (what stands side by side in brackets, or a chain of `|`) is one;
* each `\p{…}`, range, `encodable(…)` and list of scripts is one;
* each term of two or more characters and each sequence is one.

Single characters, names of sets, brackets around one member and `accept`/`reject` lines count nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, cached_property
from random import Random

import langc
from langc.compiler.errors import PolicyError
from langc.compiler.policy import Policy
from langc.compiler.syntax import ast
from langc.compiler.syntax.parse import parse

LEAST_OPERATORS = 5
MOST_STATES = 60
EACH = 22
"""Cases of a family; there are ten families and a few cases with regions."""

CHARACTERS = {
    "Han": "大韓民國漢江中一龥𠀀",
    "Hiragana": "あいのがん",
    "Katakana": "アカナンヴ",
    "Hangul": "가각한국힣ㄱ",
    "Latin": "azKéßđ",
    "Greek": "αβΩλ",
    "Cyrillic": "аяЖё",
    "Arabic": "ابمی",
    "Hebrew": "אבת",
    "Devanagari": "अकहम",
    "Thai": "กขฮะ",
    "Gothic": "𐌰𐌱𐌲",
}
"""Characters of scripts in one, two, three and four bytes; terms are written with them."""
PLAIN = "ab 1.(가나é"
"""Characters that few rules take away."""
BORDERS: tuple[int, ...] = (0x00, 0x1F, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000)
BORDERS += (0xFFFF, 0x10000, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF)
"""First and last scalar values of what one lead byte, or one row of the table of well-formed UTF-8, can begin."""
CATEGORIES = ("Lu", "Ll", "Lo", "L", "M", "Nd", "N", "P", "Ps", "S", "Sm", "So", "Zs", "Cc", "Cf", "Co", "Cn")
BINARY = ("Emoji", "Extended_Pictographic", "White_Space", "Default_Ignorable_Code_Point")
BLOCKS = ("Hangul Syllables", "CJK Unified Ideographs", "Cyrillic", "General Punctuation", "Emoticons")
ENCODINGS = ("big5", "cp932", "gb2312", "euc-kr", "shift_jis")


@dataclass(frozen=True)
class Case:
    """One policy: the text of a file, of whose policies the one called `main` is meant."""

    name: str
    text: str
    exempt: str = ""

    @cached_property
    def policy(self) -> Policy:
        """The policy. Raises PolicyError if it permits nothing."""
        loaded = langc.parse_policy(self.text, "main")
        return loaded.with_(exempt=self.exempt) if self.exempt else loaded

    @property
    def operators(self) -> int:
        """See the module's docstring."""
        regions = len([r for r in self.exempt.split(",") if r])
        return regions + sum(map(_weight, _nodes(parse(self.text).policies)))


_ONE_EACH: tuple[type, ...] = (ast.Use, ast.Deny, ast.Only, ast.Allow, ast.Negation, ast.Difference, ast.Intersection)
_ONE_EACH += (ast.Property, ast.CharacterRange, ast.Encodable, ast.ScriptSet, ast.Sequence, ast.RegionKind)


def _weight(node: object) -> int:
    if isinstance(node, ast.Union):
        return int(len(node.operands) > 1)
    if isinstance(node, ast.Text):
        return int(len(node.value) > 1)
    return int(isinstance(node, _ONE_EACH))


def _nodes(value: object) -> Iterator[object]:
    """Every node below, each once; not the parts of a sequence, the name of an encoding, or the examples."""
    if isinstance(value, tuple):
        for member in value:
            yield from _nodes(member)
    elif is_dataclass(value) and not isinstance(value, ast.Accept | ast.Reject):
        yield value
        if not isinstance(value, ast.Sequence | ast.Encodable):
            for part in fields(value):
                yield from _nodes(getattr(value, part.name))


# --- sets ---------------------------------------------------------------------------------------


def _hex(symbol: int) -> str:
    return f"U+{symbol:04X}"


def _escape(symbol: int) -> str:
    return f"\\u{{{symbol:X}}}"


def _quoted(text: str) -> str:
    return '"' + "".join(c if c.isalnum() or c in " .(" else _escape(ord(c)) for c in text) + '"'


def _border_range(random: Random) -> tuple[int, int]:
    """A range that begins or ends at a border, or reaches a little over one; it never holds a surrogate."""
    border = random.choice(BORDERS)
    low = max(border - random.choice((0, 0, 1, 2, 63, 64)), 0)
    high = min(border + random.choice((0, 0, 1, 2, 63, 64)), 0x10FFFF)
    if low <= 0xDFFF and high >= 0xD800:
        return (low, 0xD7FF) if border < 0xD800 else (0xE000, high)
    return low, high


def _border(random: Random) -> str:
    low, high = _border_range(random)
    return f"{_hex(low)}..{_hex(high)}"


def _property(random: Random) -> str:
    sign = random.choice("pppP")
    return rf"\{sign}{{{random.choice((_category, _binary, _block, _script))(random)}}}"


def _category(random: Random) -> str:
    return random.choice(CATEGORIES)


def _binary(random: Random) -> str:
    return random.choice(BINARY)


def _block(random: Random) -> str:
    return f"Block={random.choice(BLOCKS)}"


def _script(random: Random) -> str:
    return f"{random.choice(('Script', 'scx'))}={random.choice(tuple(CHARACTERS))}"


def _bracket(random: Random) -> str:
    members = [_member(random) for _ in range(random.randint(2, 4))]
    negation = "^" if random.random() < 0.2 else ""
    without = f"--[{_member(random)}{_member(random)}]" if random.random() < 0.4 else ""
    return f"[{negation}{''.join(members)}{without}]"


def _member(random: Random) -> str:
    if random.random() < 0.3:
        return _property(random)
    if random.random() < 0.5:
        low, high = _border_range(random)
        return f"{_escape(low)}-{_escape(high)}"
    return _escape(ord(random.choice("".join(CHARACTERS.values()) + PLAIN)))


def _leaf(random: Random) -> str:
    return random.choice((_border, _property, _bracket))(random)


def _set(random: Random, depth: int = 2) -> str:
    """A set with operators outside brackets."""
    if depth == 0 or random.random() < 0.25:
        return _leaf(random)
    left, right = _set(random, depth - 1), _set(random, depth - 1)
    return random.choice((f"({left} | {right})", f"({left} -- {right})", f"({left} && {right})", f"!({left})"))


# --- terms --------------------------------------------------------------------------------------


def _word(random: Random, alphabet: str, least: int = 2, most: int = 4) -> str:
    return "".join(random.choice(alphabet) for _ in range(random.randint(least, most)))


def _overlapping(random: Random, alphabet: str) -> list[str]:
    """Terms of which one begins with the end of another, and one that begins another."""
    first = _word(random, alphabet, 3)
    second = first[-random.randint(1, 2) :] + _word(random, alphabet, 1, 2)
    return [first, second, first[:2]]


def _begun_as_text(random: Random, alphabet: str) -> list[str]:
    """Terms with permitted characters before the denied ones: where one begins is known late."""
    begin = _word(random, PLAIN, 1, 2)
    return [begin + _word(random, alphabet, 1, 2) + end for end in (")", random.choice(PLAIN))]


def _apart(random: Random, alphabet: str) -> list[str]:
    """Two terms that have nothing to do with one another, but by chance."""
    return [_word(random, alphabet) for _ in range(2)]


_KINDS: tuple[Callable[[Random, str], list[str]], ...] = (_overlapping, _begun_as_text, _apart)


def _terms(random: Random, alphabet: str) -> str:
    found = [t for kind in random.sample(_KINDS, 2) for t in kind(random, alphabet)]
    return ", ".join(_quoted(t) for t in dict.fromkeys(found))


def _scripts(random: Random, count: int) -> tuple[list[str], str]:
    """Names of scripts, and their characters."""
    chosen = random.sample(tuple(CHARACTERS), count)
    return chosen, "".join(CHARACTERS[name] for name in chosen)


# --- families -----------------------------------------------------------------------------------


def _borders(random: Random) -> str:
    """Ranges at the borders of the encoding, taken away and given back, and terms out of their first members."""
    ranges = [_border_range(random) for _ in range(3)]
    denied = ", ".join(f"{_hex(low)}..{_hex(high)}" for low, high in ranges)
    ends = "".join(chr(end) for low, high in ranges for end in (low, high))
    return f"deny {denied}; deny {_border(random)} -- {_border(random)}; allow {_terms(random, ends)};"


def _last_byte(random: Random) -> str:
    """Sets of one row of 64 characters, which differ in nothing but the last byte."""
    row = random.choice((0xC0, 0x400, 0xFC0, 0x4E00, 0xAC00, 0xD7C0, 0xFFC0, 0x10000, 0x1F600, 0x10FFC0))
    places = sorted(random.sample(range(64), 6))
    pairs = [f"{_escape(row + a)}-{_escape(row + b)}" for a, b in zip(places[::2], places[1::2], strict=True)]
    word = "".join(chr(row + p) for p in random.sample(places, 3))
    rule = random.choice(("deny", "only"))
    rest = "" if rule == "deny" else f", U+0020..U+007E, {_border(random)}"
    return f"{rule} [{''.join(pairs)}]{rest}; deny {_hex(row + 63)}; allow {_terms(random, word)};"


def _first_byte(random: Random) -> str:
    """The same last bytes behind different lead bytes."""
    offset, size = random.randrange(64), random.choice((1, 3, 64))
    leads = random.sample((0x400, 0x800, 0x1000, 0x2000, 0x3000, 0x4000, 0xA000, 0xE000, 0x10000, 0x40000, 0x100000), 4)
    starts = [min(lead + offset, lead | 0x3F) for lead in leads]
    ranges = [f"{_hex(s)}..{_hex(s + size)}" for s in starts]
    word = "".join(map(chr, starts))
    return f"deny {' | '.join(ranges[:3])}; deny {ranges[3]}; allow {_terms(random, word)};"


def _denied_scripts(random: Random) -> str:
    """A few scripts taken away by name, and words of them permitted."""
    names, alphabet = _scripts(random, random.randint(1, 3))
    extra = _leaf(random)
    return f"deny script {', '.join(names)}; deny {extra}; allow {_terms(random, alphabet)};"


def _only_scripts(random: Random) -> str:
    """A few scripts permitted, strictly or not, and words of another."""
    names, _ = _scripts(random, random.randint(1, 3))
    _, alphabet = _scripts(random, 1)
    strictly = random.choice(("", " strictly"))
    extra = _leaf(random)
    return (
        f"only script {', '.join(names)}{strictly}, ({extra}); deny {_leaf(random)}; allow {_terms(random, alphabet)};"
    )


def _properties(random: Random) -> str:
    """Sets by property, with every operator, and no terms: what differs is the classes."""
    return f"let s = {_set(random)}; deny s && {_set(random, 1)}; deny {_set(random, 1)}; allow {_leaf(random)};"


def _several_only(random: Random) -> str:
    """Lines of `only` that intersect."""
    _, alphabet = _scripts(random, 2)
    first, second = f"{_set(random, 1)} | U+0020..U+007E", f"!({_leaf(random)}) | [a-z]"
    return f"only {first}; only {second}; allow {_terms(random, alphabet)};"


def _sequences(random: Random) -> str:
    """Sets in a row."""
    names, alphabet = _scripts(random, 2)
    joiner = random.choice((r"\u{200D}", r"\u{301}", "-", ":"))
    row = f'[{alphabet[:3]}] "{joiner}" [{alphabet[3:6]}]'
    return (
        f'deny script {", ".join(names)}; deny "{joiner}"; allow {row}; '
        f"allow [{alphabet[:2]}] [{alphabet[1:4]}], {_quoted(_word(random, alphabet))};"
    )


def _encodings(random: Random) -> str:
    """The repertoires of old standards: thousands of short ranges, made coarser so that they stay cheap."""
    name = random.choice(ENCODINGS)
    low = random.randrange(0x4E00, 0x9E00, 0x40)
    return (
        f'deny {_hex(low)}..{_hex(low + 0x1FF)} -- encodable("{name}"); deny script Hiragana; '
        f"allow {_terms(random, CHARACTERS['Hiragana'] + chr(low))};"
    )


def _mixed(random: Random) -> str:
    """Anything."""
    _, alphabet = _scripts(random, 2)
    given = ", ".join(_quoted(c) for c in random.sample(alphabet, 2))
    return f"deny {_set(random, 1)}, [{alphabet}]; allow {given}; allow {_terms(random, alphabet)};"


_FAMILIES: dict[str, Callable[[Random], str]] = {
    "borders": _borders,
    "last-byte": _last_byte,
    "first-byte": _first_byte,
    "denied-scripts": _denied_scripts,
    "only-scripts": _only_scripts,
    "properties": _properties,
    "several-only": _several_only,
    "sequences": _sequences,
    "encodings": _encodings,
    "mixed": _mixed,
}


def _file(random: Random, family: str) -> str:
    """One policy; every fifth obeys another one as well."""
    body = _FAMILIES[family](random)
    if random.random() < 0.2:
        used = f"policy used {{ {_denied_scripts(random)} }}\n"
        return f"{used}policy main {{ use used; {body} }}\n"
    return f"policy main {{ {body} }}\n"


_REGIONS = ("think", "code", "code,think")
_RULED = ("url { deny [\\p{Lu}]; }", "quotes { any }", 'json "n" { deny [\\p{Nd}]; allow "1가"; }')


def _candidates(family: str) -> Iterator[Case]:
    for number in range(10 * EACH):
        yield Case(f"{family}-{number:03}", _file(Random(f"{family} {number}"), family))


def _is_fit(case: Case) -> bool:
    """Whether the policy permits a text, takes something away, and is of a fitting size."""
    try:
        dfa = case.policy.dfa
    except PolicyError:
        return False
    cells = sum(len(set(row)) for row in dfa.table)
    return dfa.size <= MOST_STATES and cells > 2 and case.operators >= LEAST_OPERATORS


@cache
def cases() -> tuple[Case, ...]:
    """All cases, family by family."""
    found: dict[object, Case] = {}
    for family in _FAMILIES:
        wanted = len(found) + EACH
        for case in _candidates(family):
            if len(found) < wanted and _is_fit(case):
                found.setdefault(case.policy.dfa, case)
    return (*found.values(), *_with_regions())


def _with_regions() -> Iterator[Case]:
    """A few policies with regions: some of their automata are larger, whatever the rules."""
    rules = "deny script Han, Hiragana; deny [\\p{Emoji}--[0-9]]; allow [\\u{4E00}\\u{AC00}];"
    for number, exempt in enumerate(_REGIONS):
        yield Case(f"regions-{number}", f"policy main {{ {rules} }}\n", exempt)
    for kind in _RULED:
        yield Case(f"region-{kind.split()[0]}", f"policy main {{ {rules} region r = {kind} }}\n")
