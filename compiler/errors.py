"""The exceptions of langc. Each carries diagnostics, so that every front end can show them alike."""

from __future__ import annotations

from collections.abc import Iterable

from langc.compiler.diagnostics import Diagnostic


class LangcError(Exception):
    """Base of all errors that the input, not langc, is to blame for."""

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic]) -> None:
        found = (diagnostics,) if isinstance(diagnostics, Diagnostic) else tuple(diagnostics)
        self.diagnostics: tuple[Diagnostic, ...] = found
        super().__init__("; ".join(f"[{d.code}] {d.message}" for d in found))

    def __reduce__(self) -> tuple[type[LangcError], tuple[tuple[Diagnostic, ...]]]:
        return type(self), (self.diagnostics,)


class PolicyError(LangcError):
    """The policy cannot be read, or means nothing that a model could write."""


class UnsupportedTokenizerError(LangcError):
    """The tokenizer cannot be read, or its token bytes cannot be known."""


class UnsupportedError(LangcError):
    """The target cannot express the policy; the diagnostic has the feature and a witness."""


class LimitError(LangcError):
    """A budget on states, sizes or time is spent; the diagnostic has the limit's number."""
