"""Where a text stands in the rules: threads, and the rules that they return to.

Invariant: both are immutable and compared by content. A thread has a world in which all that was read before it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple, TypeAlias

from langc.compiler.surfaces.engine.network import Parameters, Read
from langc.compiler.surfaces.world.values import Text, Value, names_in
from langc.compiler.surfaces.world.world import World

Locals: TypeAlias = tuple[tuple[str, Value], ...]
"""Names and values, in order of name."""


class Frame:
    """A rule to return to. The hash is made once.

    Args:
        is_unhindered: whether the rule ends without a name of Γ from here on (see `Network.unhindered`).
        first: the bytes that a lexeme may begin with here, or behind the rule, whatever the world says; bit b for b.
    """

    __slots__ = ("_hash", "first", "locals", "parameters", "parent", "state", "unhindered")

    def __init__(
        self,
        state: int,
        locals_: Locals,
        parameters: Parameters,
        parent: Frame | None,
        is_unhindered: bool,
        first: int,
    ) -> None:
        self.state, self.locals, self.parameters, self.parent = state, locals_, parameters, parent
        self.unhindered: bool = is_unhindered and (parent is None or parent.unhindered)
        """The same of all rules that are returned to from here on."""
        self.first = first
        self._hash = hash((state, locals_, parameters, parent))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Frame)
            and self._hash == other._hash
            and (self.state, self.locals, self.parameters) == (other.state, other.locals, other.parameters)
            and self.parent == other.parent
        )


class Thread(NamedTuple):
    """A place in a rule, how it was come to, and what is known there."""

    state: int
    locals: Locals
    parameters: Parameters
    stack: Frame | None
    world: World


Item: TypeAlias = tuple[Read, Thread]
"""An edge that reads a lexeme, and the thread that stands before it."""


def written(kernel: Iterable[Thread]) -> frozenset[bytes] | None:
    """The names that were written before some threads and that they know, besides those of Γ; None if it may be any."""
    found: set[bytes] = set()
    for thread in kernel:
        found.update(*(frame.names for frame in thread.world.frames))
        for locals_ in all_locals(thread):
            if any(isinstance(value, Text) for _, value in locals_):
                return None
            found.update(*(names_in(value) for _, value in locals_))
    return frozenset(found)


def all_locals(thread: Thread) -> Iterator[Locals]:
    """Those of its rule, and of the rules that are returned to."""
    yield thread.locals
    stack = thread.stack
    while stack is not None:
        yield stack.locals
        stack = stack.parent


def kept(locals_: Locals, live: Set[str]) -> Locals:
    """Those of some locals that are asked for later."""
    return tuple(pair for pair in locals_ if pair[0] in live) if locals_ else locals_
