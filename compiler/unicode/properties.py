r"""Unicode properties by name: what `\p{…}` means.

Invariant: every set is one of Unicode 18.0, read from the committed `tables/`, and holds scalar values
only. Names are matched loosely (UAX #44, rule LM3); a table is loaded, and a value of it decoded, when it
is first asked for.

A bare value is looked up in this order (UTS #18, section 1.2): General_Category, Script, the binary
properties with Any, ASCII and Assigned, and last `InBLOCK`. No name is in two of the first three, so the order
never decides; a test holds that.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import Literal

from langc.compiler.suggest import closest
from langc.compiler.unicode import UNICODE_VERSION as UNICODE_VERSION
from langc.compiler.unicode import aliases, ranges, strings
from langc.compiler.unicode.aliases import loose
from langc.compiler.unicode.intervals import SCALARS, IntervalSet, union
from langc.compiler.unicode.tables.script import NAMES

SCRIPTS: tuple[str, ...] = tuple(sorted(NAMES.values()))
"""The long names of all scripts, as in `Old_Hungarian`."""

Kind = Literal["property", "value", "surrogate", "unsupported", "no value", "strings"]

_CODES: dict[Kind, str] = {
    "property": "LC0210",
    "value": "LC0211",
    "surrogate": "LC0212",
    "unsupported": "LC0213",
    "no value": "LC0214",
    "strings": "LC0216",
}


class UnknownProperty(LookupError):
    """A property or value that langc cannot give the members of; its text is the message for the user.

    `name` is the faulty part as it was written, `suggestions` what may have been meant, best first, and
    `property` the full name of the property that a faulty value was for.
    """

    def __init__(self, kind: Kind, name: str, suggestions: tuple[str, ...] = (), property: str | None = None) -> None:
        self.kind, self.name, self.suggestions, self.property = kind, name, suggestions, property
        self.code = _CODES[kind]
        super().__init__(self._message())

    def _message(self) -> str:
        name = self.name if len(self.name) <= 60 else self.name[:59] + "…"
        match self.kind:
            case "property":
                return f"no Unicode property is called `{name}`"
            case "value" if self.property in ("Script", "Script_Extensions"):
                return f"no script is called `{name}`"
            case "value" if self.property:
                return f"`{name}` is no value of {self.property}"
            case "value":
                return f"`{name}` is no General_Category, no Script and no binary property"
            case "surrogate":
                return f"`{name}` holds surrogates only, and they are no scalar values: no text can hold one"
            case "unsupported":
                return f"the Unicode property `{name}` is not supported"
            case "no value":
                return f"`{name}` needs a value, as in `{name}=…`"
            case "strings":
                return f"`{name}` is a property of strings: its members are texts, and no set of characters"


@lru_cache(maxsize=512)
def lookup(name: str | None, value: str) -> IntervalSet:
    r"""The members of `\p{name=value}`, or of `\p{value}` if `name` is None. Raises UnknownProperty."""
    if name is None:
        return _bare(value)
    found = _find(name, _enumerated())
    if found is not None:
        return _value(found, value)
    found = _find(name, _binary())
    if found is None:
        raise _no_property(name)
    return _yes_or_no(found, value)


def script(name: str) -> IntervalSet:
    """The code points whose Script is `name`, a long name or a four-letter code. Raises UnknownProperty."""
    return lookup("Script", name)


def script_extensions(name: str) -> IntervalSet:
    """The code points whose Script_Extensions contain the script `name`. Raises UnknownProperty."""
    return lookup("Script_Extensions", name)


def script_of(symbol: int) -> str:
    """The long name of the script of a scalar value, `Unknown` if it is not assigned. Raises ValueError."""
    if symbol not in SCALARS:
        raise ValueError(f"{symbol:#x} is no scalar value")
    starts, names = _script_map()
    return names[bisect_right(starts, symbol) - 1]


# --- one property after another -----------------------------------------------------------------------------------


def _bare(value: str) -> IntervalSet:
    for of in ("General_Category", "Script"):
        if _find(value, _values(of)) is not None:
            return _value(of, value)
    binary = _find(value, _binary())
    if binary is not None:
        return _members(binary)
    key = loose(value)
    if key.startswith("in") and _find(key[2:], _values("Block")) is not None:
        return _value("Block", key[2:])
    raise _no_bare_value(value)


def _value(of: str, value: str) -> IntervalSet:
    found = _find(value, _values(of))
    if found is None:
        raise UnknownProperty("value", value, _near(value, _values(of)), of)
    if found in _SURROGATES.get(of, ()):
        raise UnknownProperty("surrogate", value)
    if of == "General_Category" and found in aliases.CATEGORY_GROUPS:
        return union(_decode(of, member) for member in aliases.CATEGORY_GROUPS[found][1])
    return _decode(of, found)


def _yes_or_no(of: str, value: str) -> IntervalSet:
    if loose(value) in map(loose, aliases.YES):
        return _members(of)
    if loose(value) in map(loose, aliases.NO):
        return _members(of).complement()
    raise UnknownProperty("value", value, ("Yes", "No"), of)


def _members(binary: str) -> IntervalSet:
    match binary:
        case "Any":
            return SCALARS
        case "ASCII":
            return IntervalSet.of((0x00, 0x7F))
        case "Assigned":
            return _decode("General_Category", "Cn").complement()
        case _:
            return _decode("Binary", binary)


# --- names ------------------------------------------------------------------------------------------------------------

_SURROGATES: dict[str, tuple[str, ...]] = {
    "General_Category": ("Cs",),
    "Block": ("High Surrogates", "High Private Use Surrogates", "Low Surrogates"),
}


def _find(name: str, known: Mapping[str, str]) -> str | None:
    """The full name, with or without a leading `is`."""
    key = loose(name)
    return known.get(key) or known.get(key.removeprefix("is"))


def _keys(*tables: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """From every loosely spelt name to the name that is the key of its table."""
    return {loose(name): full for table in tables for full, others in table.items() for name in (full, *others)}


@cache
def _enumerated() -> dict[str, str]:
    return _keys(aliases.ENUMERATED)


@cache
def _binary() -> dict[str, str]:
    return _keys(aliases.SPECIAL, aliases.BINARY)


@cache
def _values(of: str) -> dict[str, str]:
    """The names of the values of an enumerated property."""
    match of:
        case "General_Category":
            return _keys(aliases.CATEGORIES, {g: others for g, (others, _) in aliases.CATEGORY_GROUPS.items()})
        case "Word_Break":
            return _keys(aliases.WORD_BREAKS)
        case "Block":
            from langc.compiler.unicode.tables.block import ALIASES

            blocks = (*_table("Block"), *_SURROGATES["Block"])
            return ALIASES | {loose(b): b for b in blocks}
        case _:
            codes = {loose(code): long for code, long in NAMES.items()}
            return codes | {loose(long): long for long in SCRIPTS} | {"qaac": "Coptic", "qaai": "Inherited"}


def _no_property(name: str) -> UnknownProperty:
    of_strings = strings.find(name)
    if of_strings is not None:
        return UnknownProperty("strings", of_strings)
    unsupported = _find(name, _keys(aliases.UNSUPPORTED))
    if unsupported is not None:
        return UnknownProperty("unsupported", unsupported)
    return UnknownProperty("property", name, _near(name, _enumerated() | _binary()))


def _no_bare_value(value: str) -> UnknownProperty:
    needs_value = _find(value, _enumerated())
    if needs_value is not None:
        return UnknownProperty("no value", value)
    of_strings = strings.find(value)
    if of_strings is not None:
        return UnknownProperty("strings", of_strings)
    unsupported = _find(value, _keys(aliases.UNSUPPORTED))
    if unsupported is not None:
        return UnknownProperty("unsupported", unsupported)
    block = _find(value, _values("Block"))
    if block is not None:
        return UnknownProperty("value", value, (f"Block={block}",))
    return UnknownProperty("value", value, _near(value, _values("General_Category") | _values("Script") | _binary()))


def _near(name: str, known: Mapping[str, str]) -> tuple[str, ...]:
    """What may have been meant: at most one full name."""
    meant = aliases.MEANT.get(loose(name))
    if meant is not None and meant in known.values():
        return (meant,)
    key = closest(loose(name), known)
    return (known[key],) if key is not None else ()


# --- tables -----------------------------------------------------------------------------------------------------------


def _table(of: str) -> dict[str, str]:
    ranges: dict[str, str] = import_module(f"{_TABLES}.{of.lower()}").RANGES
    return ranges


_TABLES = "langc.compiler.unicode.tables"


@lru_cache(maxsize=512)
def _decode(of: str, value: str) -> IntervalSet:
    """The set of one entry; values that no code point has are not in the tables."""
    return ranges.decode(_table(of).get(value, ""))


@cache
def _script_map() -> tuple[list[int], list[str]]:
    """Where each run of one script starts, and the run's script."""
    runs = sorted((low, value) for value in _table("Script") for low, _ in _decode("Script", value).ranges)
    return [low for low, _ in runs], [value for _, value in runs]
