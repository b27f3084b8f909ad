"""A matcher as a sampler of llama.cpp: the callbacks of `llama_sampler_i` (llama.h) in Python, through ctypes.

Invariant: none of the candidates that `apply` leaves is refused by the matcher, whose history is what llama.cpp has let
the sampler accept since it was made or reset. No exception can pass through llama.cpp: it is kept, ctypes shows it on
the standard error stream, and only end-of-sequence is left, so that no text goes on unmasked.

llama.cpp frees samplers when it likes. What their callbacks need is kept until then, under a number that is the
sampler's context.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.tokens.joined.matcher import JoinedMatcher
from langc.compiler.tokens.machine import DeadEndError
from langc.compiler.tokens.matcher import Matcher

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
"""`llama_token_data`."""
_POINTER = ctypes.c_void_p
_NAME = ctypes.CFUNCTYPE(_POINTER, _POINTER)
_ACCEPT = ctypes.CFUNCTYPE(None, _POINTER, ctypes.c_int32)
_APPLY = ctypes.CFUNCTYPE(None, _POINTER, _POINTER)
_RESET = ctypes.CFUNCTYPE(None, _POINTER)
_CLONE = ctypes.CFUNCTYPE(_POINTER, _POINTER)
_FREE = ctypes.CFUNCTYPE(None, _POINTER)
_INIT = ctypes.CFUNCTYPE(_POINTER, _POINTER, _POINTER)


class _Interface(ctypes.Structure):
    """`llama_sampler_i`. New builds look for more functions behind these, all of which may be missing."""

    _fields_ = [
        ("name", _NAME),
        ("accept", _ACCEPT),
        ("apply", _APPLY),
        ("reset", _RESET),
        ("clone", _CLONE),
        ("free", _FREE),
        ("missing", _POINTER * 26),
    ]


class _Sampler(ctypes.Structure):
    """`llama_sampler`."""

    _fields_ = [("interface", _POINTER), ("context", _POINTER)]


class _Array(ctypes.Structure):
    """`llama_token_data_array`."""

    _fields_ = [
        ("data", _POINTER),
        ("size", ctypes.c_size_t),
        ("selected", ctypes.c_int64),
        ("sorted", ctypes.c_bool),
    ]


@dataclass
class _Text:
    """What one sampler writes, and for whom."""

    matcher: Matcher | JoinedMatcher
    owner: PolicySampler
    broken: bool = False
    """Whether a token could not be accepted."""


_texts: dict[int, _Text] = {}
_numbers = itertools.count(1)


class PolicySampler:
    """Samplers of llama.cpp that leave what a matcher permits, for `llama_sampler_chain_add`.

    In a chain they come first: of candidates that top-k and the like have dropped, none can be chosen any more.

    Args:
        matcher: a `Matcher`, `SurfaceMatcher` or `JoinedMatcher`. Each text begins where it is now; it is copied.
        llama_sampler_init: that function of the llama.cpp in use: of `llama_cpp` or another ctypes library, or its
            address.

    Raises:
        TypeError: the matcher cannot be copied.
        ValueError: it has no vocabulary.
    """

    error: BaseException | None = None
    """What was raised inside of llama.cpp, if anything was: the last of it. The text ended there."""

    def __init__(self, matcher: Matcher | JoinedMatcher, llama_sampler_init: Any) -> None:
        if matcher.vocabulary is None:
            raise ValueError("the matcher has no vocabulary that would tell what ends a text")
        self.eos_ids = sorted(matcher.vocabulary.eos_ids)
        self._start = matcher.fork()
        self._pointer = getattr(llama_sampler_init, "restype", None)
        is_number = isinstance(llama_sampler_init, int)
        self._init = _INIT(llama_sampler_init if is_number else ctypes.cast(llama_sampler_init, _POINTER).value or 0)

    def new(self) -> Any:
        """A sampler for one text; the chain that it is added to frees it.

        Returns:
            A `struct llama_sampler *`, of the type that `llama_sampler_init` gives, or its address.
        """
        address = self.made(self._start.fork())
        if isinstance(self._pointer, type) and issubclass(self._pointer, ctypes._Pointer):
            return ctypes.cast(address, self._pointer)
        return address

    def made(self, matcher: Matcher | JoinedMatcher) -> int:
        """The address of a sampler that goes on from where a matcher is."""
        number = next(_numbers)
        _texts[number] = _Text(matcher, self)
        return int(self._init(ctypes.addressof(_INTERFACE), number) or 0)

    def reset(self, text: _Text) -> None:
        """Begin again."""
        text.matcher, text.broken = self._start.fork(), False


def leave_end(logits: npt.NDArray[np.float32], ids: npt.NDArray[np.integer[Any]], eos_ids: Sequence[int]) -> bool:
    """Refuse all candidates but end-of-sequence, in place: [N] logits of as many ids. Whether it is among them."""
    is_end = np.isin(ids, eos_ids)
    logits[:] = np.where(is_end, np.float32(0), np.float32(-np.inf))
    return bool(is_end.any())


def _text_of(sampler: int) -> _Text:
    return _texts[_Sampler.from_address(sampler).context]


def _name(_: int) -> int:
    return ctypes.addressof(_OWN_NAME)


def _accept(sampler: int, token: int) -> None:
    text = _text_of(sampler)
    try:
        if not text.matcher.advance(token):
            text.matcher.sync((*text.matcher.ids, token))
    except BaseException as error:
        text.owner.error, text.broken = error, True
        raise


def _apply(sampler: int, candidates: int) -> None:
    text, array = _text_of(sampler), _Array.from_address(candidates)
    array.selected, array.sorted = -1, False
    rows = np.frombuffer((ctypes.c_char * (array.size * _CANDIDATE.itemsize)).from_address(array.data), _CANDIDATE)
    try:
        if not text.broken:
            _mask(rows["logit"], rows["id"], text.matcher)
            return
    except BaseException as error:
        text.owner.error = error
        _end(array, rows, text.owner.eos_ids)
        raise
    _end(array, rows, text.owner.eos_ids)


def _reset(sampler: int) -> None:
    text = _text_of(sampler)
    text.owner.reset(text)


def _clone(sampler: int) -> int:
    text = _text_of(sampler)
    new = text.owner.made(text.matcher.fork())
    _text_of(new).broken = text.broken
    return new


def _free(sampler: int) -> None:
    _texts.pop(_Sampler.from_address(sampler).context, None)


def _mask(logits: npt.NDArray[np.float32], ids: npt.NDArray[np.int32], matcher: Matcher | JoinedMatcher) -> None:
    """Add the matcher's bias to [N] logits of as many ids, in place. Raises DeadEndError if none is left."""
    row = np.full(max(matcher.rows, int(ids.max()) + 1), -np.inf, np.float32)
    row[ids] = logits
    matcher.raise_end(row[: matcher.rows])
    matcher.apply(row)
    logits[:] = row[ids]
    if not (logits > -np.inf).any():
        raise DeadEndError(
            Diagnostic(
                "LC0403",
                "none of the candidates may follow",
                help="add the sampler to its chain before those that drop candidates",
            )
        )


def _end(array: _Array, rows: npt.NDArray[np.void], eos_ids: Sequence[int]) -> None:
    """Leave end-of-sequence; where it was dropped, it takes the place of another candidate."""
    if not leave_end(rows["logit"], rows["id"], eos_ids) and eos_ids:
        rows[0] = (eos_ids[0], 0, 0)


_OWN_NAME = ctypes.create_string_buffer(b"langc")
_INTERFACE = _Interface(_NAME(_name), _ACCEPT(_accept), _APPLY(_apply), _RESET(_reset), _CLONE(_clone), _FREE(_free))
