"""Reports as text: nested values as indented lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

_MOST = 12
"""Items of a list that are shown."""


def outline(report: Mapping[str, object], indent: str = "") -> Iterator[str]:
    """One line a value; mappings below their key, lists on the line of theirs and cut when long."""
    for key, value in report.items():
        label = f"{indent}{key.replace('_', ' ')}:"
        if isinstance(value, Mapping):
            yield label
            yield from outline(value, indent + "  ")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield from _list(label, value, indent)
        else:
            yield f"{label} {_scalar(value)}"


def _list(label: str, items: Sequence[object], indent: str) -> Iterator[str]:
    if any(isinstance(i, Mapping) for i in items):
        for item in items:
            assert isinstance(item, Mapping)
            yield label
            yield from outline(item, indent + "  ")
        return
    more = f" … ({len(items):,} in all)" if len(items) > _MOST else ""
    yield f"{label} {', '.join(map(_scalar, items[:_MOST]))}{more}" if items else f"{label} none"


def _scalar(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return f"{value:,}" if isinstance(value, int) else str(value)
