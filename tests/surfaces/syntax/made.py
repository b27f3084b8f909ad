"""Small surfaces as plain data, written out as text, and what is known of them by enumeration.

The referees here work on the data alone and share nothing with the compiler. An element is a tuple of a kind and its
parts: `lit` `tok` `open` `rule` hold a text, `keep` and `ask` a local, `seq` `alt` a list, `opt` `star` `plus` an
element, `act` `guard` nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from hypothesis import strategies as st

Element = tuple[Any, ...]
Rules = Mapping[str, Element]

PATTERNS = ("a|b", "[ab]+", "[0-9]+", "1", "[a-z0-9]+")
LEXEMES = ("a", "b", "ab", "1", "12", '"a"')
_SIGNS = {"opt": "?", "star": "*", "plus": "+"}


def written(element: Element) -> str:
    """An element in the notation of surfaces."""
    kind, *rest = element
    match kind:
        case "lit":
            return f'"{rest[0]}"'
        case "tok" | "rule":
            return str(rest[0])
        case "open":
            return "open(Name)"
        case "keep":
            return f"{rest[0]}=T0"
        case "ask":
            return f"=> export({rest[0]})"
        case "act":
            return "=> mark(seen)"
        case "guard":
            return "[room]"
        case "seq":
            return f"({' '.join(map(written, rest[0]))})"
        case "alt":
            return f"({' | '.join(map(written, rest[0]))})"
    return f"({written(rest[0])}){_SIGNS[kind]}"


def surface(name: str, rules: Rules, tokens: Mapping[str, str], refines: str = "") -> str:
    """A surface with these rules; the first one is what a text is."""
    head = f"surface {name} refines {refines}" if refines else f"surface {name}"
    settings = "" if refines else f" (quote = '\"', start = {next(iter(rules))})"
    sorts = "" if refines else "sort Name; "
    said = "".join(f"token {t} = pattern /{p}/; " for t, p in tokens.items())
    return f"{head}{settings} {{ {sorts}{said}{' '.join(f'{n} := {written(e)};' for n, e in rules.items())} }}\n"


# --- what is made -----------------------------------------------------------------------------------------------------


def leaves(rules: list[str], more: tuple[Element, ...] = ()) -> st.SearchStrategy[Element]:
    """Elements without parts."""
    known = [("lit", "a"), ("lit", "1"), ("tok", "T0"), ("tok", "T1"), ("open",), *(("rule", r) for r in rules), *more]
    return st.sampled_from(known)


def elements(rules: list[str], more: tuple[Element, ...] = ()) -> st.SearchStrategy[Element]:
    """Elements that name some rules."""
    return leaves(rules, more) | st.recursive(leaves(rules, more), _larger, min_leaves=3, max_leaves=7)


def _larger(parts: st.SearchStrategy[Element]) -> st.SearchStrategy[Element]:
    rows = st.lists(parts, min_size=2, max_size=3)
    return st.one_of(
        rows.map(lambda r: ("seq", r)),
        rows.map(lambda r: ("alt", r)),
        st.tuples(st.sampled_from(["opt", "star", "plus"]), parts),
    )


@st.composite
def changed(draw: st.DrawFn, element: Element, rules: list[str]) -> Element:
    """The element with some of its leaves replaced, and now and then with another form."""
    if draw(st.integers(0, 30)) == 0:
        return draw(elements(rules))
    kind, *rest = element
    if kind in ("seq", "alt"):
        parts = [draw(changed(part, rules)) for part in rest[0]]
        added: list[Element] = [("guard",), ("lit", "a")]
        first = draw(st.integers(0, 4)) if kind == "seq" else 4
        return (kind, [*added[first : first + 1], *parts])
    if kind in _SIGNS:
        return (kind, draw(changed(rest[0], rules)))
    if kind in ("tok", "open") and draw(st.booleans()):
        return draw(st.sampled_from([("lit", "a"), ("lit", "1"), ("tok", "T1")]))
    return draw(leaves(rules)) if draw(st.integers(0, 5)) == 0 else element


# --- what is known ----------------------------------------------------------------------------------------------------


def rows(rules: Rules, tokens: Mapping[str, str], longest: int = 3) -> dict[str, frozenset[tuple[str, ...]]]:
    """For each rule the rows of at most so many of `LEXEMES` that it is; guards hold, actions succeed."""
    known = {name: frozenset[tuple[str, ...]]() for name in rules}
    while True:
        more = {name: _rows(element, known, tokens, longest) for name, element in rules.items()}
        if more == known:
            return known
        known = more


def _rows(element: Element, known: Any, tokens: Mapping[str, str], longest: int) -> frozenset[tuple[str, ...]]:
    kind, *rest = element
    match kind:
        case "lit":
            return frozenset({(rest[0],)})
        case "tok":
            return frozenset((x,) for x in LEXEMES if re.fullmatch(tokens[rest[0]], x))
        case "open":
            return frozenset((x,) for x in LEXEMES if re.fullmatch(r"[A-Za-z_]\w*|\"[^\"]+\"", x))
        case "rule":
            found: frozenset[tuple[str, ...]] = known[rest[0]]
            return found
        case "act" | "guard":
            return frozenset({()})
        case "alt":
            return frozenset().union(*(_rows(part, known, tokens, longest) for part in rest[0]))
        case "seq":
            return _joined([_rows(part, known, tokens, longest) for part in rest[0]], longest)
    part = _rows(rest[0], known, tokens, longest)
    found = part if kind == "plus" else part | {()}
    if kind != "opt":
        for _ in range(longest):
            found |= _joined([found, part], longest)
    return found


def _joined(parts: list[frozenset[tuple[str, ...]]], longest: int) -> frozenset[tuple[str, ...]]:
    found = frozenset[tuple[str, ...]]({()})
    for part in parts:
        found = frozenset(a + b for a, b in product(found, part) if len(a) + len(b) <= longest)
    return found


def paths(element: Element) -> Iterator[list[str]]:
    """The ways through an element, as what they keep (`+x`) and ask for (`-x`); repetitions run at most twice."""
    kind, *rest = element
    match kind:
        case "keep":
            yield [f"+{rest[0]}"]
        case "ask":
            yield [f"-{rest[0]}"]
        case "alt":
            for part in rest[0]:
                yield from paths(part)
        case "seq":
            for ways in product(*(list(paths(part)) for part in rest[0])):
                yield [step for way in ways for step in way]
        case "opt" | "star" | "plus":
            inner = list(paths(rest[0]))
            if kind != "plus":
                yield []
            yield from inner
            if kind != "opt":
                yield from ([*a, *b] for a in inner for b in inner)
        case _:
            yield []
