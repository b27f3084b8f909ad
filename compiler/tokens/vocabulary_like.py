"""The part of a vocabulary that an engine is fed with, so that a toy will do where no tokenizer was read."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol


class VocabularyLike(Protocol):
    """See the module."""

    @property
    def size(self) -> int:
        """The number of ids."""

    @property
    def eos_ids(self) -> Collection[int]:
        """The ids that end a text."""

    def token_bytes(self, token: int) -> bytes:
        """The raw bytes of an id, empty for special ones."""

    def is_special(self, token: int) -> bool:
        """Whether an id is not text."""

    def special_text(self, token: int) -> str | None:
        """The spelling of a special token."""

    def __hash__(self) -> int: ...
