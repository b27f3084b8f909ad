"""The functions behind `import langc`: load, compile, check, verify.

Nothing heavy is imported here: the parser comes with the first policy, numpy with the first vocabulary, an
engine with its adapter. So `import langc` and `langc --help` start at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langc.compiler import ready
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import PolicyError
from langc.compiler.policy import Policy
from langc.compiler.suggest import did_you_mean

if TYPE_CHECKING:
    from langc.compiler.checking import CheckReport
    from langc.compiler.syntax.ast import PolicyDecl, PolicyFile
    from langc.compiler.target import Artifact
    from langc.compiler.tokens.scan import ScanReport
    from langc.compiler.tokens.vocabulary import Vocabulary
    from langc.compiler.verify.report import VerifyReport


def parse_policy(text: str, name: str | None = None) -> Policy:
    """The policy of a text that holds one, or the one called `name` out of several.

    The text is in no file, so what it uses must be ready policies or policies of the same text. Raises PolicyError,
    with every place that is at fault.
    """
    from langc.compiler.syntax.parse import parse

    return _select(parse(text), None, name)


def load_policy(path_or_name: str | os.PathLike[str]) -> Policy:
    """The policy of a file, `FILE:NAME` for one out of several, or a ready one by its bare name (`ko`).

    Raises PolicyError if there is no such file or policy, or if it is at fault.
    """
    path, name = _locate(os.fspath(path_or_name))
    return _select(_parse_file(path), path, name)


def load_policies(path_or_name: str | os.PathLike[str]) -> tuple[Policy, ...]:
    """All policies of a file, in its order. Raises as `load_policy`."""
    path, name = _locate(os.fspath(path_or_name))
    file = _parse_file(path)
    return (_select(file, path, name),) if name else tuple(_link(d, file, path) for d in file.policies)


@dataclass(frozen=True)
class ReadyPolicy:
    """A policy that comes with langc: `load_policy(name)` loads it."""

    name: str
    doc: str
    path: Path


def policies() -> tuple[ReadyPolicy, ...]:
    """The ready policies, by name."""
    files = {name: _parse_file(ready.path(name)) for name in ready.names()}
    return tuple(ReadyPolicy(n, f.policies[0].doc or "", ready.path(n)) for n, f in files.items())


def load_vocabulary(tokenizer: Any, **options: Any) -> Vocabulary:
    """The vocabulary of a tokenizer file, a mapping, or a tokenizer object (see docs/tokenizers.md).

    Raises UnsupportedTokenizerError if it cannot be read or its token bytes cannot be known.
    """
    from langc.compiler.tokens import loaders

    return loaders.load_vocabulary(tokenizer, **options)


def compile(
    policy: Policy | str | os.PathLike[str],
    target: str,
    vocabulary: Vocabulary | Any | None = None,
    *,
    allow: str | Collection[str] | None = (),
    dialect: str | None = None,
    **options: str | float | None,
) -> Artifact:
    """Compile a policy (or a path or ready name) to one target; see `langc.compiler.pipeline.compile_policy`.

    `vocabulary` may be anything that `load_vocabulary` takes; `allow` may be `"over,under"`.
    """
    from langc.compiler.pipeline import compile_policy

    chosen = policy if isinstance(policy, Policy) else load_policy(policy)
    return compile_policy(chosen, target, _vocabulary(vocabulary), allow=_flags(allow), dialect=dialect, **options)


def scan(vocabulary: Vocabulary | Any, policy: Policy | str) -> ScanReport:
    """What a vocabulary holds and what the policy would take from it."""
    from langc.compiler.tokens.scan import scan as run

    chosen = policy if isinstance(policy, Policy) else load_policy(policy)
    loaded = _vocabulary(vocabulary)
    assert loaded is not None
    return run(loaded, chosen)


def check(text: str, policy: Policy | str) -> CheckReport:
    """Every violation in a finished text."""
    from langc.compiler.checking import check as run

    return run(text, policy if isinstance(policy, Policy) else load_policy(policy))


def verify(
    policy: Policy | str | os.PathLike[str],
    vocabulary: Vocabulary | Any | None = None,
    *,
    targets: Iterable[str] | None = None,
    artefacts: Iterable[str | os.PathLike[str] | Artifact] = (),
    target: str | None = None,
    dialect: str | None = None,
    prefixes: int | None = None,
    tokenizer: str | os.PathLike[str] | None = None,
    allow: str | Collection[str] | None = "over,under",
    progress: Callable[[str, int, int], None] | None = None,
) -> VerifyReport:
    """Whether artefacts and engines permit what the policy permits; see `langc.compiler.verify.run.verify`.

    `policy`, `vocabulary` and `allow` may be what `compile` takes; a vocabulary that was read from a GGUF file is
    better run by llama.cpp if `tokenizer` says so. Without `artefacts` (paths of files, or what `compile` returned) the
    policy is compiled to `targets`, or to all of them.
    """
    from langc.compiler.verify import run

    read_from = vocabulary if tokenizer is None else tokenizer
    return run.verify(
        policy if isinstance(policy, Policy) else load_policy(policy),
        _vocabulary(vocabulary),
        targets=None if targets is None else tuple(targets),
        artefacts=tuple(artefacts),
        target=target,
        dialect=dialect,
        prefixes=prefixes,
        tokenizer=Path(read_from) if isinstance(read_from, (str, os.PathLike)) else None,
        allow=_flags(allow),
        progress=progress,
    )


def _flags(allow: str | Collection[str] | None) -> Collection[str]:
    return [f.strip() for f in allow.split(",") if f.strip()] if isinstance(allow, str) else allow or ()


def _vocabulary(given: Any) -> Vocabulary | None:
    if given is None:
        return None
    from langc.compiler.tokens.vocabulary import Vocabulary

    return given if isinstance(given, Vocabulary) else load_vocabulary(given)


def _locate(path_or_name: str) -> tuple[Path, str | None]:
    """The file, and the policy's name if one was given behind a colon."""
    if Path(path_or_name).exists():
        return Path(path_or_name), None
    stem, colon, name = path_or_name.rpartition(":")
    if colon and (Path(stem).exists() or stem in ready.names()):
        return _locate(stem)[0], name
    if path_or_name in ready.names():
        return ready.path(path_or_name), None
    if not _looks_like_path(path_or_name):
        help_ = did_you_mean(path_or_name, ready.names()) or f"ready policies are {', '.join(ready.names())}"
        raise PolicyError(Diagnostic("LC0008", f"there is no ready policy {path_or_name!r}", help=help_))
    return Path(path_or_name), None


def _looks_like_path(text: str) -> bool:
    return "/" in text or os.sep in text or "." in text


def _parse_file(path: Path) -> PolicyFile:
    from langc.compiler.syntax.parse import parse_source
    from langc.compiler.syntax.read import read_source

    return parse_source(read_source(path)).file


def _link(decl: PolicyDecl, file: PolicyFile, path: Path | None) -> Policy:
    from langc.compiler.link import link

    return Policy(link(decl, file, path))


def _select(file: PolicyFile, path: Path | None, name: str | None) -> Policy:
    known = {d.name: d for d in file.policies}
    if name is None and len(known) == 1:
        return _link(file.policies[0], file, path)
    if name is None or name not in known:
        raise PolicyError(_ambiguous(file, name, known))
    return _link(known[name], file, path)


def _ambiguous(file: PolicyFile, name: str | None, known: Mapping[str, PolicyDecl]) -> Diagnostic:
    names = ", ".join(f"`{file.source.name}:{n}`" for n in known)
    if name is None:
        return Diagnostic("LC0009", f"{file.source.name} holds {len(known)} policies", help=f"name one: {names}")
    return Diagnostic(
        "LC0009", f"{file.source.name} has no policy {name!r}", help=did_you_mean(name, known) or f"it has {names}"
    )
