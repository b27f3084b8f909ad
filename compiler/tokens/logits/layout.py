"""Logits of any library as numpy arrays over the same memory, and how −∞ looks in them.

Invariant: a view shares its memory with the logits. Floats of 16 bits are seen as integers: numpy has no bfloat16,
and its arithmetic on float16 is slow. torch is never imported here but for a tensor that somebody has made with it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Layout:
    """A floating-point format."""

    name: str
    view: str
    """The numpy dtype that rows are worked on in: the format itself, or integers as wide."""
    bits: int | None = None
    """−∞, where the view is one of integers."""

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of views."""
        return np.dtype(self.view)

    @cached_property
    def lowest(self) -> Any:
        """−∞ as a scalar of the view."""
        return self.dtype.type(-np.inf if self.bits is None else self.bits)


FLOAT16 = Layout("float16", "uint16", 0xFC00)
BFLOAT16 = Layout("bfloat16", "uint16", 0xFF80)
FLOAT32 = Layout("float32", "float32")
FLOAT64 = Layout("float64", "float64")
LAYOUTS = {layout.name: layout for layout in (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)}
_OF_NUMPY = {np.dtype(name): LAYOUTS[name] for name in ("float16", "float32", "float64")}


def is_tensor(logits: object) -> bool:
    """Whether this is a tensor of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(logits, torch.Tensor)


def is_mlx(logits: object) -> bool:
    """Whether this is an array of mlx. It shares its memory with nothing, so it has no layout here."""
    mlx = sys.modules.get("mlx.core")
    return mlx is not None and isinstance(logits, mlx.array)


def find_layout(logits: Any) -> Layout | None:
    """The format of an array or tensor of floats of 16, 32 or 64 bits; None for anything else."""
    if isinstance(logits, np.ndarray):
        return _OF_NUMPY.get(logits.dtype)  # nothing is found in the other byte order
    return LAYOUTS.get(str(logits.dtype).removeprefix("torch.")) if is_tensor(logits) else None


def layout_of(logits: Any) -> Layout:
    """The format of an array or tensor. Raises TypeError where `find_layout` finds none."""
    found = find_layout(logits)
    if found is not None:
        return found
    if isinstance(logits, np.ndarray) or is_tensor(logits):
        raise TypeError(f"logits are float16, bfloat16, float32 or float64, not {logits.dtype}")
    raise TypeError(f"logits are a numpy array, a torch tensor or an array of mlx, not {type(logits).__name__}")


def view_of(logits: Any, layout: Layout) -> Array:
    """The logits as an array of the layout's dtype, over the same memory; a tensor must be on the CPU."""
    if isinstance(logits, np.ndarray):
        return logits if layout.bits is None else logits.view(layout.dtype)
    tensor = logits.detach()
    if layout.bits is not None:
        tensor = tensor.view(sys.modules["torch"].int16)
    array: Array = tensor.numpy()
    return array if layout.bits is None else array.view(layout.dtype)
