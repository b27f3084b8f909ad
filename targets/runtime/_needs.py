"""What an adapter imports beside langc, and what to say if it is not there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError


class MissingPackageError(LangcError, ModuleNotFoundError):
    """An optional package is not installed; what `import` would have raised, with a diagnostic."""


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Around the imports that `pip install langc[EXTRA]` makes possible. Raises MissingPackageError (LC0012)."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            Diagnostic(
                "LC0012",
                f"this adapter needs the package {error.name}, which is not installed",
                help=f"`pip install langc[{extra}]` brings it",
            )
        ) from error
