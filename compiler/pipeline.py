"""The compile function: policy and vocabulary in, artefact out.

Invariant: an artefact that leaves here is exact, or inexact in ways the caller allowed by name.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from langc import targets
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LimitError, PolicyError, UnsupportedError
from langc.compiler.policy import Policy
from langc.compiler.suggest import did_you_mean
from langc.compiler.target import (
    Artifact,
    Fidelity,
    Option,
    Request,
    RulesTarget,
    SurfaceRequest,
    SurfaceTarget,
    Target,
)
from langc.compiler.unicode import UNICODE_VERSION
from langc.compiler.unicode.names import show_text
from langc.compiler.version import VERSION

if TYPE_CHECKING:
    from langc.compiler.surfaces.loaded import LoadedSurface
    from langc.compiler.tokens.vocabulary import Vocabulary

FLAGS = ("over", "under")


def compile_policy(
    policy: Policy,
    target: str,
    vocabulary: Vocabulary | None = None,
    *,
    allow: Collection[str] = (),
    dialect: str | None = None,
    **options: str | float | None,
) -> Artifact:
    """Compile a policy to one target.

    Args:
        policy: what may be written.
        target: a name out of `langc.targets.names()`.
        vocabulary: the tokenizer's tokens; required by vocabulary-bound targets.
        allow: the ways in which the artefact may be inexact: `over`, `under`.
        dialect: one of the target's dialects; the first is the default.
        options: the target's own options, as on the command line; a number may stand for its text.

    Raises:
        UnsupportedError: no such target, dialect or option; the policy has what the target cannot say;
            or the artefact is inexact in a way that `allow` does not name.
        PolicyError: the policy permits nothing.
        LimitError: a budget is spent; the help says what carries the policy, or what makes it large.
    """
    chosen = targets.get(target)
    check_allow(allow)
    request = Request(
        policy,
        _needed(chosen, vocabulary),
        dialect_of(chosen, dialect),
        _options(chosen, options),
        _header(chosen, policy, vocabulary, dialect_of(chosen, dialect)),
    )
    artifact = _emitted(chosen, request)
    _check_fidelity(chosen, artifact.fidelity, allow)
    return artifact


def compile_surface(
    surface: LoadedSurface,
    target: str,
    *,
    allow: Collection[str] = (),
    dialect: str | None = None,
) -> Artifact:
    """Compile a surface, with the names of its environment as they are now, to one target.

    Raises:
        UnsupportedError: no such target, or one that cannot carry a surface (LC0950), or not with a policy (LC0943); or
            the artefact is inexact in a way that `allow` does not name.
        PolicyError: no text of the surface can be written with these names (LC0951).
        LimitError: a budget is spent.
    """
    chosen = targets.get(target)
    check_allow(allow)
    if surface.rules is not None and not isinstance(chosen, RulesTarget):
        raise UnsupportedError(_no_rules(chosen, surface))
    if not isinstance(chosen, SurfaceTarget):
        raise UnsupportedError(_no_surfaces(chosen, surface.name))
    if not surface.engine.start.point.live:
        raise PolicyError(surface.nothing_to_write())
    artifact = chosen.emit_surface(SurfaceRequest(surface, _surface_header(chosen, surface, dialect)))
    _check_fidelity(chosen, artifact.fidelity, allow, "this surface")
    return artifact


def _surface_header(target: Target, surface: LoadedSurface, dialect: str | None) -> dict[str, str]:
    if dialect is not None:
        raise UnsupportedError(_unknown("dialect", dialect, target, ()))
    return {"langc": VERSION, **made_from(surface), "target": target.name}


def made_from(source: Policy | LoadedSurface) -> dict[str, str]:
    """The lines of a header that say what an artefact was made from."""
    if isinstance(source, Policy):
        return {"policy": source.name, "policy-sha256": source.hash, "unicode": UNICODE_VERSION}
    rules = source.rules
    return {
        "surface": source.surface.name,
        "surface-sha256": source.digest,
        "environment-sha256": source.environment.digest,
        **({} if rules is None else {"policy": rules.name, "policy-sha256": rules.hash}),
        "unicode": UNICODE_VERSION,
    }


def _no_surfaces(target: Target, surface: str) -> Diagnostic:
    able = [n for n in targets.names() if isinstance(targets.get(n), SurfaceTarget)]
    return Diagnostic(
        "LC0950",
        f"target {target.name} cannot carry surface `{surface}`: its format has no rules that nest",
        help=f"take {', '.join(able[:-1])} or {able[-1]}",
        data={"targets": able},
    )


def _no_rules(target: Target, surface: LoadedSurface) -> Diagnostic:
    assert surface.rules is not None
    name = surface.surface.name
    return Diagnostic(
        "LC0943",
        f"target {target.name} cannot carry surface `{name}` together with policy `{surface.rules.name}`",
        help=f"take target processor; or compile `{name}` alone, and have `langc check` look at finished texts",
    )


def _emitted(target: Target, request: Request) -> Artifact:
    try:
        return target.emit(request)
    except LimitError as error:
        from langc.compiler.way_out import with_way_out  # hardly ever needed

        raise with_way_out(error, request.policy, target.name) from error


def _header(target: Target, policy: Policy, vocabulary: Vocabulary | None, dialect: str | None) -> dict[str, str]:
    header = {"langc": VERSION, **made_from(policy), "target": target.name}
    if dialect is not None:
        header["dialect"] = dialect
    if target.needs_vocabulary and vocabulary is not None:
        header |= {"tokenizer-sha256": vocabulary.hash}
    return header


def _needed(target: Target, vocabulary: Vocabulary | None) -> Vocabulary | None:
    if target.needs_vocabulary and vocabulary is None:
        raise UnsupportedError(
            Diagnostic(
                "LC0502",
                f"target {target.name} is bound to a vocabulary and none was given",
                help="give the model's tokenizer with `--tokenizer PATH`",
            )
        )
    return vocabulary


def dialect_of(target: Target, dialect: str | None) -> str | None:
    """The dialect asked for, or the first; None if there are none. Raises UnsupportedError (LC0503)."""
    if dialect is None:
        return target.dialects[0] if target.dialects else None
    if dialect not in target.dialects:
        raise UnsupportedError(_unknown("dialect", dialect, target, target.dialects))
    return dialect


def _options(target: Target, given: dict[str, str | float | None]) -> dict[str, str | None]:
    known: dict[str, Option] = {o.name: o for o in target.options}
    values = {o.name: o.default for o in target.options}
    for name, value in given.items():
        option = known.get(name)
        if option is None:
            raise UnsupportedError(_unknown("option", name, target, tuple(known)))
        if value is not None:
            text = str(value)
            if option.choices is not None and text not in option.choices:
                raise UnsupportedError(_unknown(f"{name}", text, target, option.choices))
            values[name] = text
    return values


def _unknown(kind: str, value: str, target: Target, known: Collection[str]) -> Diagnostic:
    has = f"it has {', '.join(known)}" if known else f"it has no {kind}s"
    return Diagnostic("LC0503", f"target {target.name} has no {kind} {value!r}", help=did_you_mean(value, known) or has)


def check_allow(allow: Collection[str]) -> None:
    """Raises UnsupportedError (LC0503) if there is no such flag."""
    for flag in allow:
        if flag not in FLAGS:
            raise UnsupportedError(
                Diagnostic("LC0503", f"there is no fidelity flag {flag!r}", help="flags are `over` and `under`")
            )


def _check_fidelity(target: Target, fidelity: Fidelity, allow: Collection[str], what: str = "this policy") -> None:
    refused = [f for f in fidelity.flags if f in FLAGS and f not in allow]
    if not refused:
        return
    notes = tuple(_note(flag, fidelity) for flag in refused)
    raise UnsupportedError(
        Diagnostic(
            "LC0501",
            f"target {target.name} cannot carry {what} exactly: the artefact would be {' and '.join(refused)}",
            notes=notes,
            help=f"accept that with `--allow {','.join(refused)}`, or take an exact target",
            data={"over": fidelity.over, "under": fidelity.under},
        )
    )


def _note(flag: str, fidelity: Fidelity) -> str:
    if flag == "over" and fidelity.over is None:
        return "texts may pass that should not, though none is known"
    if flag == "over":
        return f"this text would pass and should not: {show_text(fidelity.over or '')}"
    return f"this text would be blocked and should pass: {show_text(fidelity.under or '')}"
