"""The functions and collations that SQLite itself brings, as the library that Python uses reports them.

`PRAGMA function_list` names each built-in function once for each number of arguments, -1 for any. How many a variadic
function really takes is not said there; `VARIADIC` has it from https://sqlite.org/lang_corefunc.html and the pages
beside it, and a variadic function that is not in it is left out. So are functions of extensions and of virtual tables
(they work only inside of a full text query), those that reach outside of SQL, and those that are keywords.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping

from langc.compiler.surfaces.environment.collector import Collector
from langc.compiler.surfaces.environment.names import Entry

MOST_ARGUMENTS = 127
"""SQLITE_MAX_FUNCTION_ARG as it is built by default."""
VARIADIC: Mapping[str, tuple[int, int]] = {
    "char": (0, MOST_ARGUMENTS),
    "coalesce": (2, MOST_ARGUMENTS),
    "concat": (1, MOST_ARGUMENTS),
    "concat_ws": (2, MOST_ARGUMENTS),
    "date": (0, MOST_ARGUMENTS),
    "datetime": (0, MOST_ARGUMENTS),
    "format": (1, MOST_ARGUMENTS),
    "json_array": (0, MOST_ARGUMENTS),
    "json_extract": (2, MOST_ARGUMENTS),
    "json_insert": (3, MOST_ARGUMENTS),
    "json_object": (0, MOST_ARGUMENTS - 1),
    "json_remove": (1, MOST_ARGUMENTS),
    "json_replace": (3, MOST_ARGUMENTS),
    "json_set": (3, MOST_ARGUMENTS),
    "julianday": (0, MOST_ARGUMENTS),
    "max": (2, MOST_ARGUMENTS),
    "min": (2, MOST_ARGUMENTS),
    "printf": (1, MOST_ARGUMENTS),
    "strftime": (1, MOST_ARGUMENTS),
    "time": (0, MOST_ARGUMENTS),
    "unixepoch": (0, MOST_ARGUMENTS),
}
PAIRED: Mapping[str, str] = {"json_object": "even"} | dict.fromkeys(("json_insert", "json_replace", "json_set"), "odd")
"""Whether the number of arguments is even or odd, for functions that take pairs."""
WINDOW_ONLY = frozenset(
    {
        "cume_dist",
        "dense_rank",
        "first_value",
        "lag",
        "last_value",
        "lead",
        "nth_value",
        "ntile",
        "percent_rank",
        "rank",
        "row_number",
    }
)
"""Reported like aggregates, but refused without OVER."""
LEFT_OUT = frozenset(
    {
        "load_extension",
        "match",
        "readfile",
        "writefile",
        "edit",
        "fts3_tokenizer",
        "sqlite_log",
        "likelihood",
        "likely",
        "unlikely",
        "sqlite_compileoption_get",
        "sqlite_compileoption_used",
        "sqlite_source_id",
        "subtype",
        "unistr_quote",
        "current_date",
        "current_time",
        "current_timestamp",
    }
)
"""`likelihood` wants a literal as its second argument, and a result `likely(x)` is named like x. The last three are
keywords and take no parentheses."""
RAISING = frozenset(
    {
        "json",
        "json_array_length",
        "json_extract",
        "json_group_object",
        "json_insert",
        "json_object",
        "json_patch",
        "json_remove",
        "json_replace",
        "json_set",
        "json_type",
        "like",
        "randomblob",
        "zeroblob",
    }
)
"""These end a statement with an error where a value does not suit them: text that is no JSON, a blob too large."""
_WORD = re.compile(r"[a-z_][a-z0-9_]*")
_KINDS = {"s": ("scalar",), "a": ("aggregate",), "w": ("aggregate", "window")}


def functions(connection: sqlite3.Connection, collector: Collector) -> list[Entry]:
    """The built-in functions, sorted by name: with `least` and `most`, and scalar, aggregate or window, raises, paired.

    Of a name that is both an aggregate and a scalar function (`max`) there are two entries.
    """
    arities: dict[tuple[str, tuple[str, ...]], set[tuple[int, int]]] = {}
    for name, attributes, count in _reported(connection):
        bounds = VARIADIC.get(name) if count < 0 else (count, count)
        if bounds is not None:
            arities.setdefault((name, attributes), set()).add(bounds)
    made = (
        collector.entry(name, "Function", attributes, _one_run(bounds))
        for (name, attributes), bounds in sorted(arities.items())
    )
    return [entry for entry in made if entry is not None]


def collations(connection: sqlite3.Connection, collector: Collector) -> list[Entry]:
    """The collating sequences, sorted by name."""
    return collector.entries(sorted(_text(row[1]) for row in connection.execute("PRAGMA collation_list")), "Collation")


def _reported(connection: sqlite3.Connection) -> Iterator[tuple[str, tuple[str, ...], int]]:
    for name, is_builtin, kind, _, count, _ in connection.execute("PRAGMA function_list"):
        word = _text(name)
        if is_builtin and _WORD.fullmatch(word) and word not in LEFT_OUT:
            attributes = ("window",) if word in WINDOW_ONLY else _KINDS[_text(kind)]
            raises = ("raises",) if word in RAISING else ()
            paired = (PAIRED[word],) if word in PAIRED else ()
            yield word, (*attributes, *raises, *paired), count


def _one_run(bounds: Iterable[tuple[int, int]]) -> dict[str, int]:
    """From the least number of arguments on, as far as there is no gap."""
    least, most = min(bounds)
    for low, high in sorted(bounds):
        if low <= most + 1:
            most = max(most, high)
    return {"least": least, "most": most}


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
