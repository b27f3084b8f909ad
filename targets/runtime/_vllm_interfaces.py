"""The generations of vLLM's interface for logits processors, as data, and which of them a release has.

`RELEASES` is what was read: the sources of vLLM 0.12, 0.16, 0.20, 0.24, 0.28, 0.30, 0.31 and 0.32. A release within a
range is taken to have what both of its ends have, and what is installed is compared with the table method by method.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError

Version = tuple[int, int]


@dataclass(frozen=True)
class Generation:
    """One interface: where its base class is, and the parameters of its methods after the first."""

    name: str
    module: str
    methods: Mapping[str, tuple[str, ...]]


V1 = Generation(
    "V1",
    "vllm.v1.sample.logits_processor",
    {
        "__init__": ("vllm_config", "device", "is_pin_memory"),
        "validate_params": ("sampling_params",),
        "is_argmax_invariant": (),
        "update_state": ("batch_update",),
        "apply": ("logits",),
    },
)
V2 = Generation(
    "V2",
    "vllm.v1.worker.gpu.sample.logits_processor",
    {
        "__init__": ("vllm_config", "req_states"),
        "validate_params": ("sampling_params",),
        "add_request": ("req_idx", "sampling_params"),
        "apply_staged_writes": (),
        "apply": ("logits", "ctx"),
    },
)


@dataclass(frozen=True)
class Releases:
    """Releases, the last included, whose runners have these generations."""

    first: Version
    last: Version
    generations: tuple[Generation, ...]


RELEASES = (
    Releases((0, 12), (0, 30), (V1,)),
    Releases((0, 31), (0, 32), (V1, V2)),
)


class InterfaceError(LangcError):
    """vLLM's interface is not one that langc knows."""


def generations_of(version: str) -> tuple[Generation, ...]:
    """The generations of a release such as `0.32.0`. Raises InterfaceError (LC0670) if it is not in the table."""
    found = _major_minor(version)
    for releases in RELEASES:
        if found is not None and releases.first <= found <= releases.last:
            return releases.generations
    raise InterfaceError(_unknown(f"vLLM {version} is not a release that langc knows"))


def bases_of(version: str) -> tuple[type, ...]:
    """The installed base classes that a processor of this release is derived from.

    Raises InterfaceError (LC0670) if the release is unknown, or what is installed differs from what the table says.
    """
    return tuple(_base(generation, version) for generation in generations_of(version))


def _base(generation: Generation, version: str) -> type:
    try:
        base: type = import_module(generation.module).LogitsProcessor
    except (ImportError, AttributeError) as error:
        message = f"vLLM {version} is installed without the interface {generation.name}: {error}"
        raise InterfaceError(_unknown(message)) from error
    abstract: frozenset[str] = getattr(base, "__abstractmethods__", frozenset())
    wrong = sorted(abstract - generation.methods.keys())
    wrong += [name for name, known in generation.methods.items() if _parameters(base, name) != known]
    if wrong:
        message = f"the interface {generation.name} of vLLM {version} has another `{wrong[0]}` than langc knows"
        raise InterfaceError(_unknown(message))
    return base


def _parameters(base: type, method: str) -> tuple[str, ...] | None:
    """The parameters of a method without the object or class; None if there is no such method."""
    found = inspect.getattr_static(base, method, None)
    if found is None:
        return None
    names = inspect.signature(found.__func__ if isinstance(found, classmethod) else found).parameters
    return tuple(names)[1:]


def _major_minor(version: str) -> Version | None:
    parts = version.split(".")
    return (int(parts[0]), int(parts[1])) if len(parts) > 1 and all(p.isdecimal() for p in parts[:2]) else None


def _unknown(message: str) -> Diagnostic:
    return Diagnostic(
        "LC0670",
        message,
        help="install one of these releases, or name the one whose interface yours has: "
        f"langc.vllm.adapter_for({_written(RELEASES[-1].last)!r})",
        notes=tuple(map(_row, RELEASES)),
    )


def _row(known: Releases) -> str:
    names = " and ".join(generation.name for generation in known.generations)
    return f"vLLM {_written(known.first)} to {_written(known.last)}: runner {names}"


def _written(version: Version) -> str:
    return ".".join(map(str, version))
