"""What a tokenizer can write: the raw bytes of every token id.

Invariant: each id in `range(size)` has exactly one of three roles.

* *text*: `token_bytes` is not empty. It is what the tokenizer's decoder puts out for this id, which need not be
  whole characters;
* *special*: no bytes, but a spelling such as `<|im_end|>`. Decoders drop these tokens or print them as markers;
* *hole*: no bytes and no spelling. Nothing is known of the id, or it writes nothing, so it is never allowed.

Holes count as special. `eos_ids` is a subset of `special_ids`. Two ids may well have the same bytes. Rows that a model
has beyond the last id (padding) are no part of a vocabulary.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from reprlib import Repr
from types import MappingProxyType

from langc.compiler.diagnostics import Diagnostic


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """An immutable table from token ids to bytes and roles; `load_vocabulary` makes one from a tokenizer."""

    name: str
    tokens: tuple[bytes, ...]
    """The bytes of every id; empty for special ids and holes."""
    specials: Mapping[int, str] = field(default_factory=dict)
    """The spelling of every special token that is not a hole."""
    eos_ids: frozenset[int] = frozenset()
    """The ids that end a text."""
    warnings: tuple[Diagnostic, ...] = ()
    """What was found that may make printed text differ from the bytes, or lose tokens."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "specials", MappingProxyType(dict(sorted(self.specials.items()))))
        for token_id in (*self.specials, *self.eos_ids):
            if self._at(token_id):
                raise ValueError(f"token {token_id} is text and special at once")

    def __repr__(self) -> str:
        """Short, whatever the size: of a large vocabulary only the first tokens."""
        few = Repr()
        few.maxtuple = 16
        parts = (few.repr(p) for p in (self.name, self.tokens, dict(self.specials), self.eos_ids))
        return f"Vocabulary({', '.join(parts)}, size={self.size})"

    def __reduce__(self) -> tuple[object, ...]:
        # A read-only mapping can be neither pickled nor copied.
        return type(self), (self.name, self.tokens, dict(self.specials), self.eos_ids, self.warnings)

    @property
    def size(self) -> int:
        """The number of ids: the highest one plus 1."""
        return len(self.tokens)

    @cached_property
    def special_ids(self) -> frozenset[int]:
        """All ids that are not text: special tokens and holes."""
        return frozenset(token_id for token_id, token in enumerate(self.tokens) if not token)

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes that the token writes; empty for special ids. Raises IndexError outside `range(size)`."""
        return self._at(token_id)

    def is_special(self, token_id: int) -> bool:
        """Whether the token writes no text. Raises IndexError outside `range(size)`."""
        return not self._at(token_id)

    def special_text(self, token_id: int) -> str | None:
        """The spelling of a special token; None for text and holes. Raises IndexError outside `range(size)`."""
        self._at(token_id)
        return self.specials.get(token_id)

    def ids_for_bytes(self, token: bytes) -> tuple[int, ...]:
        """All ids of text tokens with exactly these bytes, in order; none for the empty string."""
        return self._ids.get(token, ())

    @cached_property
    def hash(self) -> str:
        """A sha256 in hex over ids, bytes, roles and spellings, independent of the file format it was read from.

        Which special tokens end a text is left out: it depends on the model's settings, not on the tokenizer.
        """
        return hashlib.sha256(b"".join(self._canonical())).hexdigest()

    @cached_property
    def _ids(self) -> dict[bytes, tuple[int, ...]]:
        index: dict[bytes, tuple[int, ...]] = {}  # Python's collections of garbage walk lists of numbers, and no tuples
        for token_id, token in enumerate(self.tokens):
            if token:
                index[token] = (*index.get(token, ()), token_id)
        return index

    def _canonical(self) -> Iterator[bytes]:
        yield b"langc vocabulary 1\n"
        for token_id, token in enumerate(self.tokens):
            if token:
                yield b"t%d:%b" % (len(token), token)
            elif token_id in self.specials:
                spelling = self.specials[token_id].encode()
                yield b"s%d:%b" % (len(spelling), spelling)
            else:
                yield b"-"

    def _at(self, token_id: int) -> bytes:
        if not 0 <= token_id < len(self.tokens):
            raise IndexError(f"token id {token_id} is outside the vocabulary of {len(self.tokens)} ids")
        return self.tokens[token_id]
