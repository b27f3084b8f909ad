"""The pinned character database for what needs no table: names, categories of single code points, normalisation.

Invariant: whoever has imported `UCD` has the data of Unicode 18.0. Never take these functions from the
interpreter's `unicodedata` (Python 3.11 has Unicode 14) nor from fontTools, which falls back to it silently.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.unicode import UNICODE_VERSION


def load(module: str = "unicodedata2") -> ModuleType:
    """The database module. Raises LangcError (LC0215) if it is missing or of another Unicode version."""
    try:
        found = import_module(module)
    except ImportError:
        raise _wrong("is not installed", module) from None
    if found.unidata_version != UNICODE_VERSION:
        raise _wrong(f"has Unicode {found.unidata_version}", module)
    return found


def _wrong(what: str, module: str) -> LangcError:
    message = f"langc needs the character data of Unicode {UNICODE_VERSION}, but {module} {what}"
    return LangcError(Diagnostic("LC0215", message, help=f"install unicodedata2=={UNICODE_VERSION}"))


UCD = load()
