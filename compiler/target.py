"""What a target is: one back end that turns a policy into an artefact an engine enforces.

Invariant: a target never approximates silently. What it loses or leaks is in the artefact's
`Fidelity`, each flag with its shortest witness; the pipeline refuses an inexact artefact unless the
user allowed that flag by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from langc.compiler.policy import Policy

if TYPE_CHECKING:
    from langc.compiler.surfaces.loaded import LoadedSurface
    from langc.compiler.tokens.vocabulary import Vocabulary


class Feature(Enum):
    """What a policy may ask of a target. The values head the columns of the README's table."""

    SETS = "character sets"
    TERMS = "permitted terms"
    PHRASES = "denied phrases"
    SOFT = "soft rules"
    EXEMPT = "regions"
    EVERY_TOKENIZER = "any tokenizer"


class Support(Enum):
    """How a target carries a feature."""

    EXACT = "exact"
    LOSSY = "with loss"
    NONE = "no"


@dataclass(frozen=True)
class Fidelity:
    """How an artefact's language differs from the policy's, on well-formed text.

    `over` is a shortest text that passes and should not, `under` one that is blocked and should pass;
    None means that there is none. `ill_formed` says that malformed UTF-8 can pass as well.
    """

    over: str | None = None
    under: str | None = None
    ill_formed: bool = False
    loose: bool = False
    """Whether it is `over` by the way it is made, though no text that shows it may be known."""

    @property
    def is_exact(self) -> bool:
        """Whether neither `over` nor `under` holds."""
        return self.over is None and self.under is None and not self.loose

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags that hold, or `exact`; `ill-formed` comes last."""
        is_over = self.over is not None or self.loose
        inexact = [n for n, holds in (("over", is_over), ("under", self.under is not None)) if holds]
        return (*(inexact or ["exact"]), *(["ill-formed"] if self.ill_formed else []))


EXACT = Fidelity()

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


@dataclass(frozen=True)
class Artifact:
    """What a target made.

    `text` is the whole file for a text format, its header included; `data` is what a program would
    use instead of the file: the JSON value for JSON formats, the bytes for binary ones, None else.
    """

    target: str
    dialect: str | None
    suffix: str
    header: Mapping[str, str]
    fidelity: Fidelity
    text: str | None = None
    data: object = None
    report: Mapping[str, Json] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Short: an artefact can have megabytes."""
        kind = self.target if self.dialect is None else f"{self.target}:{self.dialect}"
        return f"<Artifact {kind}, {', '.join(self.fidelity.flags)}, {len(self.content):,} bytes>"

    @property
    def content(self) -> bytes:
        """The bytes of the file that `langc compile -o` writes."""
        if self.text is not None:
            return self.text.encode()
        assert isinstance(self.data, bytes)
        return self.data


@dataclass(frozen=True)
class Option:
    """An option of one target, beyond the common ones; `choices` None takes any text."""

    name: str
    help: str
    choices: tuple[str, ...] | None = None
    default: str | None = None


@dataclass(frozen=True)
class Request:
    """One call of a target. `options` holds values for the target's own options, defaults filled in."""

    policy: Policy
    vocabulary: Vocabulary | None
    dialect: str | None
    options: Mapping[str, str | None]
    header: Mapping[str, str]
    """Everything the header must carry but the fidelity, which the target adds (`with_fidelity`)."""


@dataclass(frozen=True)
class SurfaceRequest:
    """One call of a target with a surface instead of a policy."""

    surface: LoadedSurface
    header: Mapping[str, str]
    """As that of `Request`."""


@runtime_checkable
class SurfaceTarget(Protocol):
    """A target that can carry surfaces too."""

    def emit_surface(self, request: SurfaceRequest) -> Artifact:
        """The artefact. Raises LimitError if it would be too large."""
        ...


@runtime_checkable
class RulesTarget(SurfaceTarget, Protocol):
    """A target whose artefact of a surface has the rules of a policy beside it as well."""

    carries_rules: bool


class Target(Protocol):
    """A back end. `targets/NAME.py` holds one as `TARGET`."""

    name: str
    suffix: str
    summary: str
    needs_vocabulary: bool
    dialects: tuple[str, ...]
    """The first is the default; empty when the format has no dialects."""
    features: Mapping[Feature, Support]
    options: tuple[Option, ...]

    def emit(self, request: Request) -> Artifact:
        """The artefact. Raises UnsupportedError when the policy has what the format cannot say."""
        ...


def with_fidelity(header: Mapping[str, str], fidelity: Fidelity) -> dict[str, str]:
    """The complete header; witnesses are JSON strings in ASCII, so that every comment syntax can hold them."""
    full = {**header, "fidelity": ",".join(fidelity.flags)}
    for flag, witness in (("over", fidelity.over), ("under", fidelity.under)):
        if witness is not None:
            full[f"witness-{flag}"] = json.dumps(witness)
    return full
