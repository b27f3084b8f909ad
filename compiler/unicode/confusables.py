"""Characters that look alike, as UTS #39 lists them: each has a prototype, a text that it is confused with.

Invariant: a table is what its SHA-256 says, so it is compared and hashed by that alone. Whether the prototypes of
prototypes come to an end depends on what else is folded, so `Folding.endless` tells.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from langc.compiler.unicode.intervals import IntervalSet

Prototypes = Mapping[int, tuple[int, ...]]
"""The code points of the prototype of each source."""


@dataclass(frozen=True)
class Confusables:
    """A table of prototypes. Make it with `of`."""

    digest: str
    """SHA-256 in hex over the pairs in the order of their sources; comments and layout of a file do not change it."""
    prototypes: Prototypes = field(compare=False, repr=False)

    @classmethod
    def of(cls, prototypes: Prototypes) -> Confusables:
        """The table with these prototypes."""
        lines = (f"{source:04X}>{' '.join(f'{t:04X}' for t in prototypes[source])}\n" for source in sorted(prototypes))
        return cls(hashlib.sha256("".join(lines).encode()).hexdigest(), dict(prototypes))

    @cached_property
    def sources(self) -> IntervalSet:
        """The characters that have a prototype."""
        return IntervalSet.of(*self.prototypes)
