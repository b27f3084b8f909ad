"""An artefact as a file holds it: its bytes, and what its own header says of it.

Invariant: the target and the dialect are what the header says, or what the caller says of a file without one. They are
never guessed, neither from the text nor from the file's name. A file may come from a stranger: whatever is wrong with
one is a `LangcError`, and reading it costs no more than its size allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.limits import MAX_ARTIFACT_BYTES, over_limit
from langc.compiler.source import Source, Span
from langc.compiler.target import Artifact, Fidelity
from langc.compiler.tokens.portable import ArtifactError
from langc.compiler.verify.header import HeaderError, claimed, read_header
from langc.compiler.verify.readers.nodes import DataError, ReadError


@dataclass(frozen=True)
class Readable:
    """What can be read back."""

    target: str
    dialect: str | None
    header: Mapping[str, str]
    """What the file says of itself; empty if it has no header."""
    data: bytes
    """The whole file."""
    name: str
    """What messages call it: the path, or the target that made it."""

    @classmethod
    def of(cls, artifact: Artifact) -> Readable:
        """What a target has just made, as `open_artefact` would find it on a disk."""
        return _readable(artifact.content, f"<{artifact.target}>", artifact.target, artifact.dialect)

    @cached_property
    def text(self) -> str | None:
        """The file as text; None if it is no UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError:
            return None

    @cached_property
    def fidelity(self) -> Fidelity:
        """What the header admits; a file that admits nothing claims to be exact. Raises ArtifactError (LC0530)."""
        try:
            return claimed(self.header)
        except HeaderError as error:
            raise self.unreadable(str(error)) from None

    def unreadable(self, why: str, offset: int | None = None) -> ArtifactError:
        """The error that the file cannot be read back, at a place of its text if that is known."""
        label = None
        if offset is not None and self.text is not None:
            at = min(offset, len(self.text))
            label = Label(Source(self.name, self.text), Span(at, min(at + 1, len(self.text))))
        what = self.name if label is None else "this"
        message = f"{what} cannot be read back as {self._kind}: {why}"
        return ArtifactError(Diagnostic("LC0530", message, label))

    def misread(self, error: ReadError) -> ArtifactError:
        """The error of a reader, drawn in the text."""
        return self.unreadable(error.message, None if isinstance(error, DataError) else error.offset)

    @property
    def _kind(self) -> str:
        return self.target if self.dialect is None else f"{self.target}, dialect {self.dialect}"


def open_artefact(path: str | Path, target: str | None = None, dialect: str | None = None) -> Readable:
    """The artefact in a file.

    Args:
        path: the file.
        target: the target of a file that has no header; one that has a header must not contradict it.
        dialect: likewise; the first of the target's dialects unless something is said.

    Raises:
        LangcError: there is no such file, or it cannot be read (LC0001, LC0002, LC0003); it does not say which target
            it is for (LC0531), or says something else than the caller (LC0532); its header is damaged (LC0530).
        UnsupportedError: there is no such target (LC0504) or dialect (LC0503).
        LimitError: it is too large (LC0701).
    """
    return _readable(_content(str(path)), str(path), target, dialect)


def header_of(path: str) -> dict[str, str]:
    """What a file says of itself; empty if it says nothing.

    Raises LangcError: it cannot be read (LC0001, LC0002, LC0003), or its header is damaged (LC0530).
    """
    return _header(_content(path), path)


def _content(path: str) -> bytes:
    from langc.compiler.cli.files import read_chunks

    content = bytearray()
    for chunk in read_chunks(path):
        content += chunk
        if len(content) > MAX_ARTIFACT_BYTES:
            raise LimitError(over_limit(f"bytes in {path}", MAX_ARTIFACT_BYTES))
    return bytes(content)


def _readable(data: bytes, name: str, target: str | None, dialect: str | None) -> Readable:
    header = _header(data, name)
    target = _agreed(name, "target", header.get("target"), target)
    if target is None:
        raise _unnamed(name)
    dialect = _agreed(name, "dialect", header.get("dialect"), dialect)
    return Readable(target, _known(target, dialect), header, data, name)


def _header(data: bytes, name: str) -> dict[str, str]:
    try:
        return read_header(data)
    except HeaderError as error:
        raise ArtifactError(Diagnostic("LC0530", f"{name} cannot be read back: {error}")) from None


def _known(target: str, dialect: str | None) -> str | None:
    """The dialect. Raises UnsupportedError if there is no such target (LC0504) or dialect (LC0503)."""
    from langc import targets
    from langc.compiler.pipeline import dialect_of

    return dialect_of(targets.get(target), dialect)


def _agreed(name: str, what: str, said: str | None, asked: str | None) -> str | None:
    if said is not None and asked is not None and said != asked:
        raise LangcError(
            Diagnostic(
                "LC0532",
                f"{name} is for {what} {said!r}, as its header says, and not for {asked!r}",
                help=f"leave out the {what}, or take the line out of the header",
            )
        )
    return said if asked is None else asked


def _unnamed(name: str) -> LangcError:
    from langc import targets

    return LangcError(
        Diagnostic(
            "LC0531",
            f"{name} does not say which target it is for",
            help=f"it has no header of langc; name the target with `--target`: {', '.join(targets.names())}",
        )
    )
