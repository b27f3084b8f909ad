"""The functions behind `import langc`: load, compile, check, verify.

Nothing heavy is imported here: the parser comes with the first policy, numpy with the first vocabulary, an
engine with its adapter. So `import langc` and `langc --help` start at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langc.compiler import ready
from langc.compiler.loading import as_policy, parse_file
from langc.compiler.loading import load_policies as load_policies
from langc.compiler.loading import load_policy as load_policy
from langc.compiler.loading import parse_policy as parse_policy
from langc.compiler.policy import Policy

if TYPE_CHECKING:
    from langc.compiler.checking.report import CheckReport
    from langc.compiler.surfaces.loaded import LoadedSurface
    from langc.compiler.target import Artifact
    from langc.compiler.tokens.scan import ScanReport
    from langc.compiler.tokens.vocabulary import Vocabulary
    from langc.compiler.verify.report import VerifyReport


@dataclass(frozen=True)
class ReadyPolicy:
    """A policy that comes with langc: `load_policy(name)` loads it."""

    name: str
    doc: str
    path: Path


def policies() -> tuple[ReadyPolicy, ...]:
    """The ready policies, by name."""
    files = {name: parse_file(ready.path(name)) for name in ready.names()}
    return tuple(ReadyPolicy(n, f.policies[0].doc or "", ready.path(n)) for n, f in files.items())


def load_vocabulary(tokenizer: Any, **options: Any) -> Vocabulary:
    """The vocabulary of a tokenizer file, a mapping, or a tokenizer object (see docs/tokenizers.md).

    Raises UnsupportedTokenizerError if it cannot be read or its token bytes cannot be known.
    """
    from langc.compiler.tokens import loaders

    return loaders.load_vocabulary(tokenizer, **options)


def compile(
    policy: Policy | LoadedSurface | str | os.PathLike[str],
    target: str,
    vocabulary: Vocabulary | Any | None = None,
    *,
    allow: str | Collection[str] | None = (),
    dialect: str | None = None,
    **options: str | float | None,
) -> Artifact:
    """Compile a policy (or a path or ready name) to one target; see `langc.compiler.pipeline.compile_policy`.

    `vocabulary` may be anything that `load_vocabulary` takes; `allow` may be `"over,under"`. A loaded surface needs no
    vocabulary, and has no options but `allow`.
    """
    from langc.compiler.pipeline import compile_policy, compile_surface

    if not isinstance(policy, (Policy, str, os.PathLike)):
        return compile_surface(policy, target, allow=_flags(allow), dialect=dialect)
    chosen = as_policy(policy)
    return compile_policy(chosen, target, _vocabulary(vocabulary), allow=_flags(allow), dialect=dialect, **options)


def scan(vocabulary: Vocabulary | Any, policy: Policy | str) -> ScanReport:
    """What a vocabulary holds and what the policy would take from it."""
    from langc.compiler.tokens.scan import scan as run

    chosen = as_policy(policy)
    loaded = _vocabulary(vocabulary)
    assert loaded is not None
    return run(loaded, chosen)


def check(text: str, policy: Policy | str) -> CheckReport:
    """Every violation in a finished text."""
    from langc.compiler.checking.check import check as run

    return run(text, as_policy(policy))


def verify(
    policy: Policy | str | os.PathLike[str],
    vocabulary: Vocabulary | Any | None = None,
    *,
    targets: str | Iterable[str] | None = None,
    artefacts: str | os.PathLike[str] | Artifact | Iterable[str | os.PathLike[str] | Artifact] = (),
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
    policy is compiled to `targets`, or to all of them. One of either may stand without a list.

    Raises:
        ValueError: `prefixes` is less than 1.
    """
    from langc.compiler.target import Artifact
    from langc.compiler.verify import run

    if prefixes is not None and prefixes < 1:
        raise ValueError(f"prefixes is {prefixes}, and is to be 1 at least")
    read_from = vocabulary if tokenizer is None else tokenizer
    return run.verify(
        as_policy(policy),
        _vocabulary(vocabulary),
        targets=(targets,) if isinstance(targets, str) else None if targets is None else tuple(targets),
        artefacts=(artefacts,) if isinstance(artefacts, (str, os.PathLike, Artifact)) else tuple(artefacts),
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
