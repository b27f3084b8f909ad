"""What can be reached from some states."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def closure(seeds: Iterable[int], neighbours: Callable[[int], Iterable[int]]) -> set[int]:
    """The seeds, and all that steps to neighbours lead to. Each state is looked at once."""
    seen = set(seeds)
    stack = list(seen)
    while stack:
        fresh = set(neighbours(stack.pop())) - seen
        seen |= fresh
        stack.extend(fresh)
    return seen
