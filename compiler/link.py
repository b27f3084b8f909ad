"""Linking: from a policy with `use` lines to one IR that has the used policies beside its own rules.

A name means a policy of the same file, or else a ready one. A string is a path relative to the folder of the
file that it stands in, perhaps with `:NAME` behind it. Every fault is shown at the `use` that leads to it.

Invariant: `used` of the IR holds each policy once, in the order of first use, depth first. Intersection neither
minds the order nor the repetition, so that is all that there is to know of who uses whom. A policy that comes back
to itself is refused all the same: it is a mistake. A policy that a `use` changes is another one than itself unchanged;
what it uses in turn stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from langc.compiler import ready
from langc.compiler.diagnostics import Diagnostic, Label, Severity
from langc.compiler.errors import LangcError, LimitError, PolicyError
from langc.compiler.ir.lower import lower
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.ir.sets import ReadFile
from langc.compiler.limits import MAX_DIAGNOSTICS, MAX_POLICY_BYTES, MAX_USE_DEPTH, MAX_USED_POLICIES, over_limit
from langc.compiler.replacements import refuse_replacements
from langc.compiler.source import Source, Span
from langc.compiler.suggest import did_you_mean
from langc.compiler.syntax import ast
from langc.compiler.syntax.check import check_policy, flat
from langc.compiler.syntax.override import changed
from langc.compiler.syntax.parse import parse_source
from langc.compiler.syntax.read import read_source


def link(decl: ast.PolicyDecl, file: ast.PolicyFile, path: Path | None = None) -> PolicyIR:
    """The IR of a policy of `file`, which was read from `path` (None: a text that is in no file).

    Its `warnings` are those about what the policy changes in others, and about files that it names. Raises PolicyError
    for what is wrong in the policy or in one that it uses, and LimitError for too many of them.
    """
    _check_surface(decl, file)
    linker = _Linker(_Unit(decl, file, path))
    used = linker.used()
    lowered = lower(decl, file.source, used, linker.reader(linker.root))
    _refuse_surfaces(lowered)
    refuse_replacements(lowered)
    found = (*lowered.warnings, *linker.warnings)
    return replace(lowered, warnings=tuple(d for d in found if d.primary and d.primary.source is file.source))


_Place = tuple[str | None, str]
_Key = tuple[_Place, _Place | None, tuple[ast.Override, ...] | None]


@dataclass(frozen=True)
class _Unit:
    """A policy and where it stands, perhaps as the `use` of another one changes it."""

    decl: ast.PolicyDecl
    file: ast.PolicyFile
    path: Path | None
    change: tuple[_Unit, ast.Use] | None = None

    @property
    def place(self) -> _Place:
        return (None if self.path is None else _identity(self.path), self.decl.name)

    @property
    def key(self) -> _Key:
        """What policies are told apart by. The same change means other files where it stands elsewhere."""
        if self.change is None:
            return self.place, None, None
        user, use = self.change
        return self.place, user.place, use.overrides

    def changed(self, use: ast.Use, user: _Unit) -> _Unit:
        """The policy as the `use` of `user` changes it."""
        if not use.overrides:
            return self
        decl = changed(self.decl, self.file.source, use, user.file.source)
        return replace(self, decl=decl, change=(user, use))

    def naming(self, source: Source) -> _Unit:
        """The unit that a path in this source is relative to."""
        return self.change[0] if self.change and source is not self.file.source else self

    def uses(self) -> Iterator[ast.Use]:
        return (item for item in self.decl.items if isinstance(item, ast.Use))


_Step = tuple[_Unit, Label]
"""A policy and the `use` that led on from it."""


class _Linker:
    """One run; a file is read once."""

    def __init__(self, root: _Unit) -> None:
        self.root = root
        self._files = {_identity(root.path): root.file} if root.path else {}
        self._texts: dict[Path, Source] = {}
        self._found: dict[_Key, PolicyIR] = {}
        self._bytes = 0
        self.warnings: list[Diagnostic] = []

    def used(self) -> tuple[PolicyIR, ...]:
        self._follow(self.root, ())
        return tuple(self._found.values())

    def _follow(self, unit: _Unit, trail: tuple[_Step, ...]) -> None:
        for use in unit.uses():
            label = Label(unit.file.source, use.policy.span)
            step = (*trail, (unit, label))
            if len(step) > MAX_USE_DEPTH:
                raise LimitError(over_limit("policies that use one another in a row", MAX_USE_DEPTH, label))
            found = self._resolve(use.policy, unit, label)
            _refuse_cycle(found, step)
            self._add(found.changed(use, unit), label, step)

    def _add(self, unit: _Unit, label: Label, trail: tuple[_Step, ...]) -> None:
        if unit.key in self._found:
            return
        if len(self._found) == MAX_USED_POLICIES:
            raise LimitError(over_limit("used policies", MAX_USED_POLICIES, label))
        with _blaming(label, unit.change and unit.change[1].span):
            self.warnings += _check(unit)
            _check_surface(unit.decl, unit.file)
            self._found[unit.key] = lower(unit.decl, unit.file.source, (), self.reader(unit))
            self.warnings += self._found[unit.key].warnings
        self._follow(unit, trail)

    # --- finding files -------------------------------------------------------------------------------

    def reader(self, unit: _Unit) -> ReadFile:
        """Reads the files of texts that a policy names, relative to the file that names them."""

        def read(named: ast.Text, source: Source) -> Source:
            label = Label(source, named.span)
            with _blaming(label):
                return self._text(_folder(unit.naming(source), label) / named.value)

        return read

    def _text(self, path: Path) -> Source:
        """A file of texts, which is read once, however often it is named."""
        if path not in self._texts:
            self._texts[path] = self._bounded(read_source(path))
        return self._texts[path]

    # --- finding a policy -----------------------------------------------------------------------

    def _resolve(self, named: ast.PolicyName | ast.Text, unit: _Unit, label: Label) -> _Unit:
        if isinstance(named, ast.Text):
            return self._by_path(named.value, unit, label)
        known = {d.name: d for d in unit.file.policies}
        if named.name in known:
            return _Unit(known[named.name], unit.file, unit.path)
        if named.name in ready.names():
            return self._in_file(ready.path(named.name), named.name, named.name, label)
        names = (*known, *ready.names())
        help_ = did_you_mean(named.name, names) or 'a policy of another file is used by its path: `use "FILE";`'
        raise PolicyError(Diagnostic("LC0320", f"no policy is named `{named.name}`", label, help=help_))

    def _by_path(self, written: str, unit: _Unit, label: Label) -> _Unit:
        folder = _folder(unit, label)
        stem, colon, name = written.rpartition(":")
        if colon and not os.path.exists(folder / written):  # noqa: PTH110 -- Path.exists raises on names too long
            return self._in_file(folder / stem, stem, name, label)
        return self._in_file(folder / written, written, None, label)

    def _in_file(self, path: Path, written: str, name: str | None, label: Label) -> _Unit:
        file = self._read(path, label)
        known = {d.name: d for d in file.policies}
        if name is None and len(known) == 1:
            return _Unit(file.policies[0], file, path)
        if name is not None and name in known:
            return _Unit(known[name], file, path)
        raise PolicyError(_which(written, name, tuple(known), label))

    def _read(self, path: Path, label: Label) -> ast.PolicyFile:
        key = _identity(path)
        if key not in self._files:
            with _blaming(label):
                self._files[key] = parse_source(self._bounded(read_source(path))).file
        return self._files[key]

    def _bounded(self, source: Source) -> Source:
        self._bytes += len(source.text.encode())
        if self._bytes > MAX_POLICY_BYTES:
            raise LimitError(over_limit("bytes in used files", MAX_POLICY_BYTES))
        return source


def _folder(unit: _Unit, label: Label) -> Path:
    if unit.path is None:
        help_ = "save the text to a file; ready policies and those of the same text are used by name: `use ko;`"
        message = "a policy that is in no file has no folder to look in"
        raise PolicyError(Diagnostic("LC0322", message, label, help=help_))
    return unit.path.parent


def _refuse_cycle(unit: _Unit, trail: tuple[_Step, ...]) -> None:
    places = [step.place for step, _ in trail]
    if unit.place not in places:
        return
    circle = trail[places.index(unit.place) :]
    names = [step.decl.name for step, _ in circle]
    labels = [
        replace(label, message=f"`{user}` uses `{used}`")
        for (_, label), user, used in zip(circle, names, [*names[1:], names[0]], strict=True)
    ]
    hides = len(circle) == 1 and unit.decl.name in ready.names()
    raise PolicyError(
        Diagnostic(
            "LC0321",
            f"policy `{unit.decl.name}` uses itself{' by way of others' * (len(circle) > 1)}",
            labels[-1],
            tuple(labels[:-1]),
            help="it hides the ready policy of that name: give it another" if hides else None,
        )
    )


def _which(written: str, name: str | None, known: tuple[str, ...], label: Label) -> Diagnostic:
    listed = ", ".join(f'`use "{written}:{n}";`' for n in known)
    if name is None:
        return Diagnostic("LC0009", f"{written} holds {len(known)} policies", label, help=f"name one: {listed}")
    help_ = did_you_mean(name, known) or f"it has {listed}"
    return Diagnostic("LC0009", f"{written} has no policy {name!r}", label, help=help_)


def _check_surface(decl: ast.PolicyDecl, file: ast.PolicyFile) -> None:
    """Raises PolicyError if a policy names a surface that there is none of, in its file or among the ready ones."""
    known = {*(surface.name.text for surface in file.surfaces), *ready.surfaces()}
    for item in flat(decl.items):
        if isinstance(item, ast.InSurface) and item.name not in known:
            label = Label(item.source or file.source, item.name_span)
            help_ = did_you_mean(item.name, known) or "a surface is written `surface NAME { … }`, beside the policies"
            raise PolicyError(Diagnostic("LC0937", f"no surface is named `{item.name}`", label, help=help_))


def _refuse_surfaces(lowered: PolicyIR) -> None:
    """Raises PolicyError if a policy and those that it uses name several surfaces, or one of them one in a region."""
    named = [scope for scope in lowered.scopes if scope.own_surfaces]
    others = (scope for scope in named[1:] if scope.own_surfaces != named[0].own_surfaces or scope.surface is None)
    other = next(others, None)
    if other is not None:
        first = named[0]
        labels = [Label(scope.source, scope.span, f"this one names {_named(scope)}") for scope in (first, other)]
        raise PolicyError(
            Diagnostic(
                "LC0942",
                f"policies that are obeyed together name two surfaces, {_named(first)} and {_named(other)}",
                labels[0],
                (labels[1],),
                help="what two surfaces have in common is no surface; write one that refines the other",
            )
        )


def _named(scope: PolicyIR) -> str:
    where = "" if scope.surface else f" in region `{scope.surface_regions[0].name}`"
    return f"`{scope.own_surfaces[0]}`{where}"


# --- what a `use` changes ---------------------------------------------------------------------------------------


def _check(unit: _Unit) -> list[Diagnostic]:
    """The warnings about what changes a policy. Raises PolicyError for what is wrong in it as it is changed."""
    if unit.change is None:
        return []
    user, use = unit.change
    source = user.file.source
    found = check_policy(unit.decl, unit.file.source)
    errors = [_with_scope(d, user) for d in found if d.severity is Severity.ERROR]
    if errors:
        raise PolicyError(sorted(errors, key=_place)[:MAX_DIAGNOSTICS])
    lets = [item for item in unit.decl.items if isinstance(item, ast.Let)]
    names = [let.name for let in lets if let.source is not source or not _is_in(let.span, use.span)]
    own = (d for d in found if d.primary and d.primary.source is source and _is_in(d.primary.span, use.span))
    return [_with_names(d, names) for d in own]


def _with_scope(found: Diagnostic, user: _Unit) -> Diagnostic:
    """The finding; an unknown set may be one of the policy that uses, whose names do not count in the braces."""
    if found.code != "LC0301" or _words(found) not in {i.name for i in user.decl.items if isinstance(i, ast.Let)}:
        return found
    return replace(found, help="in the braces the sets of the used policy count: put the `let` into them")


def _with_names(found: Diagnostic, names: Collection[str]) -> Diagnostic:
    """The finding; a set that is never used may have been meant to replace one of these."""
    return replace(found, help=did_you_mean(_words(found), names)) if found.code == "LC0304" else found


def _words(found: Diagnostic) -> str:
    label = found.primary
    return label.source.text[label.span.start : label.span.end] if label else ""


def _place(found: Diagnostic) -> int:
    return found.primary.span.start if found.primary else 0


def _is_in(span: Span, outer: Span) -> bool:
    return outer.start <= span.start and span.end <= outer.end


# --- blame ------------------------------------------------------------------------------------------------------


@contextmanager
def _blaming(label: Label, change: Span | None = None) -> Iterator[None]:
    """Adds to the errors raised inside that a `use` led there; `change` is its span if it changes what it uses."""
    try:
        yield
    except LangcError as error:
        raise type(error)(_blamed(d, label, change) for d in error.diagnostics) from None


def _blamed(found: Diagnostic, label: Label, change: Span | None) -> Diagnostic:
    if found.primary is None:
        written = label.source.text[label.span.start : label.span.end].strip('"')
        bare = f"a ready policy is used by its bare name: `use {written};`" if written in ready.names() else None
        return replace(found, primary=label, help=bare or found.help)
    is_own = change is not None and found.primary.source is label.source and _is_in(found.primary.span, change)
    message = "as it is changed here" if is_own else "used here"
    return replace(found, secondary=(*found.secondary, replace(label, message=message)))


def _identity(path: Path) -> str:
    """The path without links, so that a file is one file under all its names."""
    try:
        return os.path.realpath(path)
    except ValueError:  # a zero byte: whoever reads it says so
        return str(path)
