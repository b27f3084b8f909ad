"""The Python files of one version of a package: installed, in a wheel, or in a source archive.

Invariant: nothing is written or imported, and no file outside of the distribution is opened, whatever its list of
files says. Of Python files no more than `MAX_ENVIRONMENT_BYTES` are read in all, and no more than four times that is
unpacked on the way to them.
"""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PurePosixPath

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.limits import MAX_ARCHIVE_FILES, MAX_ENVIRONMENT_BYTES, MAX_SOURCE_BYTES, over_limit
from langc.compiler.surfaces.environment.opened import read_bytes, require_file

_HEADER = re.compile(r"^(Name|Version):[ \t]*(.*?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_PYTHON = (".py", ".pyi")
_NOT_INSTALLED = frozenset({"tests", "test", "docs", "doc", "examples", "example", "benchmarks", "tools", "scripts"})
"""Folders of a source archive that are hardly ever installed."""


@dataclass(frozen=True)
class Distribution:
    """One version of a package and its Python files by path."""

    name: str
    version: str
    where: str
    files: dict[str, bytes]
    too_large: tuple[str, ...] = ()
    """Files past `MAX_SOURCE_BYTES`, which are not read."""


def installed(name: str, version: str, folder: Path | None) -> Distribution:
    """A distribution beside langc, or in a folder. Raises LangcError (LC0909), LimitError (LC0701)."""
    found = _distribution(name, folder)
    if found is None:
        help_ = f'install it, or name an archive: `package("{name}=={version}", "file=…")`'
        raise LangcError(Diagnostic("LC0909", f"the package {name} is not installed", help=help_))
    require_version(name, version, found.version, "is installed")
    reader = _Reader(f"{name} {found.version}")
    files = found.files or []
    reader.listed(len(files))
    for file in files:
        path = PurePosixPath(file.as_posix())
        if path.suffix in _PYTHON and not path.is_absolute() and ".." not in path.parts:
            reader.read_path(str(path), Path(str(found.locate_file(file))))
    if not reader.files:
        message = f"{name} {found.version} is installed without Python files of its own"
        raise LangcError(Diagnostic("LC0909", message, help="it may be installed as editable; name an archive of it"))
    return reader.distribution(name, found.version)


def archived(path: Path, name: str | None, version: str | None) -> Distribution:
    """What a wheel or a source archive holds. Raises LangcError (LC0001 to LC0003, LC0909), LimitError (LC0701)."""
    require_file(path)
    try:
        found = _zip(path) if zipfile.is_zipfile(path) else _tar(path)
    except (
        OSError,
        tarfile.TarError,
        zipfile.BadZipFile,
        EOFError,
        zlib.error,
        NotImplementedError,
        RuntimeError,
    ) as e:
        raise LangcError(Diagnostic("LC0909", f"{path} cannot be read as a package: {e}")) from None
    if name is not None and _normal(name) != _normal(found.name):
        raise LangcError(Diagnostic("LC0909", f"{path} is the package {found.name}, not {name}"))
    if version is not None:
        require_version(found.name, version, found.version, f"is in {path}")
    return found


def require_version(name: str, wanted: str, found: str, where: str) -> None:
    """Raise LangcError (LC0909) unless both versions are one."""
    if _release(wanted) != _release(found):
        help_ = f"write `{name}=={found}` if that is the version to be used"
        raise LangcError(Diagnostic("LC0909", f"{name} {wanted} is asked for, and {found} {where}", help=help_))


def _distribution(name: str, folder: Path | None) -> metadata.Distribution | None:
    if folder is None:
        try:
            return metadata.distribution(name)
        except (metadata.PackageNotFoundError, ValueError):
            return None
    return next(iter(metadata.distributions(name=name, path=[str(folder)])), None)


@dataclass
class _Reader:
    """Files of a package as they are read, within the budgets."""

    where: str

    def __post_init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.too_large: list[str] = []
        self.read = 0

    def listed(self, count: int) -> None:
        if count > MAX_ARCHIVE_FILES:
            raise LimitError(over_limit(f"files in {self.where}", MAX_ARCHIVE_FILES))

    def read_path(self, name: str, path: Path) -> None:
        if path.is_file():
            if path.stat().st_size > MAX_SOURCE_BYTES:
                self.too_large.append(name)
            else:
                self.keep(name, read_bytes(path, MAX_SOURCE_BYTES))

    def keep(self, name: str, content: bytes) -> None:
        self.spend(content)
        self.files[name] = content

    def spend(self, content: bytes) -> None:
        self.read += len(content)
        if self.read > MAX_ENVIRONMENT_BYTES:
            raise LimitError(over_limit(f"bytes of Python in {self.where}", MAX_ENVIRONMENT_BYTES))

    def distribution(self, name: str, version: str) -> Distribution:
        return Distribution(name, version, self.where, self.files, tuple(self.too_large))


def _zip(path: Path) -> Distribution:
    reader = _Reader(str(path))
    facts = ""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        reader.listed(len(members))
        for member in members:
            is_facts = _is_facts(member.filename)
            if is_facts or member.filename.endswith(_PYTHON):
                with archive.open(member) as file:  # the size that the archive states may be wrong
                    content = file.read(MAX_SOURCE_BYTES + 1)
                if len(content) > MAX_SOURCE_BYTES:
                    reader.spend(content)
                    reader.too_large.append(member.filename)
                elif is_facts:
                    reader.spend(content)
                    facts = facts or content.decode("utf-8", "replace")
                else:
                    reader.keep(member.filename, content)
    return _named(reader, facts, path)


def _tar(path: Path) -> Distribution:
    import gzip

    reader = _Reader(str(path))
    facts = ""
    count = 0
    with gzip.open(path) as unpacked, tarfile.open(fileobj=_Bounded(unpacked, path), mode="r|") as archive:
        for member in archive:
            count += 1
            reader.listed(count)
            is_facts = _is_facts(member.name)
            if not member.isreg() or not (is_facts or member.name.endswith(_PYTHON)):
                continue
            if member.size > MAX_SOURCE_BYTES:
                reader.too_large.append(member.name)
                continue
            file = archive.extractfile(member)
            content = file.read() if file else b""
            if is_facts:
                facts = facts or content.decode("utf-8", "replace")
            else:
                reader.keep(member.name, content)
    return _named(reader, facts, path)


class _Bounded(io.RawIOBase):
    """A stream that ends with LimitError when too much was unpacked."""

    def __init__(self, inner: io.BufferedIOBase, path: Path) -> None:
        super().__init__()
        self._inner, self._path, self._left = inner, path, 4 * MAX_ENVIRONMENT_BYTES

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content = self._inner.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise LimitError(over_limit(f"bytes unpacked of {self._path}", 4 * MAX_ENVIRONMENT_BYTES))
        return content


def _is_facts(name: str) -> bool:
    """Whether a file states name and version: METADATA of a wheel, PKG-INFO at the root of a source archive."""
    parts = PurePosixPath(name).parts
    return len(parts) == 2 and ((parts[0].endswith(".dist-info") and parts[1] == "METADATA") or parts[1] == "PKG-INFO")


def _named(reader: _Reader, facts: str, path: Path) -> Distribution:
    stated = {key.lower(): value for key, value in reversed(_HEADER.findall(facts.partition("\n\n")[0]))}
    if "name" not in stated or "version" not in stated:
        raise LangcError(Diagnostic("LC0909", f"{path} does not say which version of which package it is"))
    if path.name.endswith((".whl",)):
        return reader.distribution(stated["name"], stated["version"])
    reader.files = dict(_without_root(reader.files))
    return reader.distribution(stated["name"], stated["version"])


def _without_root(files: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """The files of a source archive as they will be installed: those below `src`, or else the packages at the top."""
    inside = {"/".join(PurePosixPath(name).parts[1:]): content for name, content in files.items()}
    in_source = {name[4:]: content for name, content in inside.items() if name.startswith("src/")}
    if in_source:
        yield from in_source.items()
        return
    packages = {name.partition("/")[0] for name in inside if name.count("/") == 1 and "/__init__.py" in name}
    for name, content in inside.items():
        top, sign, _ = name.partition("/")
        if (sign and top in packages - _NOT_INSTALLED) or (not sign and top not in ("setup.py", "conftest.py")):
            yield name, content


def _normal(name: str) -> str:
    """As PEP 503 compares names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _release(version: str) -> str:
    """A version as it is compared: without `v`, and 1.0 is 1 (PEP 440)."""
    plain = version.strip().lower().removeprefix("v")
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)*)(.*)", plain)
    return re.sub(r"(\.0+)+$", "", match[1]) + match[2] if match else plain
