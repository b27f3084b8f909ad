"""What can be said in a rule beside what is read: actions, guards, the options of scopes and of slots, by name.

The world has the meaning of each; here is what arguments they take, for the reader to check and to name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from langc.compiler.surfaces.model import Guard


@dataclass(frozen=True)
class Signature:
    """The arguments of an action or a guard: those without a keyword in order, and those with one.

    What each holds: `local`, `local?` for one that may not have been kept (both may be one of `words` too), `sort`,
    `scope`, `flag`.
    """

    positional: tuple[tuple[str, str], ...] = ()
    """Pairs of the keyword that the argument gets and of what it holds."""
    keywords: Mapping[str, str] | None = None
    required: int = 0
    """How many of the positional ones there must be."""
    words: frozenset[str] = frozenset()
    """What may stand for a local."""


_IN = {"in": "scope"}

ACTIONS: Mapping[str, Signature] = {
    "bind": Signature(
        (("name", "local"), ("sort", "sort")),
        {**_IN, "members": "local", "called": "name"},
        2,
        frozenset({"last", "results", "none"}),
    ),
    "merge": Signature((("name", "local"),), _IN, 1, frozenset({"all"})),
    "separate": Signature((("scope", "scope"),), {}, 1),
    "export": Signature((("name", "local"), ("alias", "local?")), {**_IN, "of": "local"}, 0, frozenset({"all"})),
    "settle": Signature((("scope", "scope"),), {}, 1),
    "adopt": Signature(),
    "hide": Signature((("name", "local"), ("sort", "sort")), _IN, 2),
    "mark": Signature((("flag", "flag"),), _IN, 1),
    "unmark": Signature((("flag", "flag"),), _IN, 1),
}

GUARDS: Mapping[str, Signature] = {
    "marked": Signature((("flag", "flag"),), _IN, 1),
    "room": Signature((), _IN),
    "enough": Signature((), _IN),
    "merged": Signature((), _IN),
    "settled": Signature((), _IN),
    "satisfied": Signature((("attribute", "flag"),), _IN),
    "results": Signature((), _IN),
    "has": Signature((("name", "local"), ("attribute", "flag")), None, 2),
}


def asks_parameter(guard: Guard) -> bool:
    """Whether a guard asks for a parameter, and not for the world."""
    return guard.name not in GUARDS


def parameter_holds(guard: Guard, parameters: Iterable[tuple[str, str]]) -> bool:
    """Whether what a guard asks of a parameter is so, its negation left aside."""
    value, wanted = dict(parameters).get(guard.name, "no"), dict(guard.arguments).get("value")
    return value != "no" if wanted is None else value == wanted


SCOPE_OPTIONS: Mapping[str, str] = {"want": "number", "of": "local", "feeds": "scope or parameter", "merge": "may"}
"""`in Select(want = 1)`: a number, `last`, a local, or a parameter. `feeds`: a scope, or a parameter that names one.
`merge`: the word `may`.
"""

WANT_WORDS = frozenset({"last", "results", "outer"})
"""What `want` may be beside a number, a local and a parameter: as many as the scope closed last, this one's results, or
what the scope around it wants.
"""

REFERENCE_OPTIONS = ("of", "in", "unique", "defer", "once", "where", "feeds", "shared", "results", "shape")
FRESH_OPTIONS = ("shape", "not", "feeds", "as")
OPEN_OPTIONS = ("shape",)
