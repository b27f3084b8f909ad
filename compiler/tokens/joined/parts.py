"""What can be joined: a matcher of any kind over the tokens of one vocabulary.

Invariant of a part: what it says is a function of the tokens that it has taken. A token that it refuses changes
nothing, and `rollback` undoes `advance`. End-of-sequence is asked for (in `mask`) but never handed to a part: whether
the text has ended is the joined matcher's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.tokens.machine import DeadEndError
from langc.compiler.tokens.vocabulary import Vocabulary

BoolArray = npt.NDArray[np.bool_]


class JoinError(LangcError):
    """Matchers that cannot be joined, or a grammar that its engine does not take."""


class Part(Protocol):
    """A matcher with no history yet; whoever joins it owns it from then on."""

    @property
    def vocabulary(self) -> Vocabulary | None:
        """The tokens, if they are known; one part of those that are joined must know them."""

    @property
    def rows(self) -> int:
        """The width of `mask()`."""

    @property
    def accepting(self) -> bool:
        """Whether the text so far is a whole one."""

    def mask(self) -> BoolArray:
        """bool [rows]: the tokens that may come next; if there are none, all False, or DeadEndError is raised."""

    def advance(self, token: int) -> bool:
        """Take a token; False if it is refused."""

    def rollback(self, count: int) -> None:
        """Take back the last `count` tokens."""


@runtime_checkable
class Weighted(Protocol):
    """A part that prefers some tokens to others."""

    def bias(self) -> npt.NDArray[np.float32]:
        """float32 [rows]: what to add to the logits."""


@runtime_checkable
class Forkable(Protocol):
    """A part that can be copied, history and all."""

    def fork(self) -> Part:
        """An independent part with the same history."""


class PartMaker(Protocol):
    """Makes a fresh part for a model whose logits have so many rows; the grammars of `langc.xgrammar` are such."""

    def __call__(self, rows: int, /) -> Part:
        """A part with no history."""


def writes_json(part: object) -> bool:
    r"""Whether the part, or what the maker makes, says that its texts are JSON, where `\uXXXX` is a character."""
    return bool(getattr(part, "writes_json", False))


def row_of(part: Part) -> BoolArray:
    """The part's mask, False everywhere where it says that nothing may come next."""
    try:
        return part.mask()
    except DeadEndError:
        return np.zeros(part.rows, dtype=np.bool_)


def common_row(parts: Sequence[Part]) -> BoolArray:
    """bool [rows], new: what every part allows."""
    row = row_of(parts[0]).copy()
    for part in parts[1:]:
        row &= row_of(part)
    return row


def advance_all(parts: Sequence[Part], token: int) -> bool:
    """Hand a token to every part, or to none: if one refuses it, those before it take it back."""
    for number, part in enumerate(parts):
        if not part.advance(token):
            for taken in parts[:number]:
                taken.rollback(1)
            return False
    return True


def check_parts(parts: Sequence[Part]) -> Vocabulary:
    """The vocabulary that they share. Raises JoinError (LC0661) if they do not fit together."""
    if not parts:
        raise _misfit("there is nothing to join", "hand over a matcher at least")
    if len({id(part) for part in parts}) < len(parts):
        raise _misfit("one matcher is joined with itself", "each part needs a history of its own: `fork()` it")
    for part in parts:
        if getattr(part, "ids", ()):
            raise _misfit(f"{kind(part)} has a history already", "join new matchers, or `reset()` them first")
    widths = {part.rows for part in parts}
    if len(widths) > 1:
        found = ", ".join(f"{kind(part)} {part.rows:,}" for part in parts)
        raise _misfit(f"the parts have different numbers of rows: {found}", "give each `rows`, the model's width")
    return _shared_vocabulary([part.vocabulary for part in parts])


def _shared_vocabulary(given: Sequence[Vocabulary | None]) -> Vocabulary:
    known = [vocabulary for vocabulary in given if vocabulary is not None]
    if not known:
        raise _misfit("no part knows its vocabulary", "hand one over where the matcher is made")
    first = known[0]
    for other in known[1:]:
        if other is not first and other.hash != first.hash:
            raise _misfit(
                f"the parts are over different tokenizers, {first.name} and {other.name}",
                "make all of them with one vocabulary",
            )
        if other.eos_ids != first.eos_ids:
            ends = " and ".join(str(sorted(v.eos_ids)) for v in (first, other))
            raise _misfit(f"the parts have different end-of-sequence tokens, {ends}", "make them with one vocabulary")
    return first


def kind(part: object) -> str:
    """The part's name in messages."""
    return type(part).__name__


def _misfit(message: str, help_: str) -> JoinError:
    return JoinError(Diagnostic("LC0661", message, help=help_))
