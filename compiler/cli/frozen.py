"""`langc check --frozen`: whether artefacts were made from their sources as these are now.

What an artefact was made from stands in its header, so neither a tokenizer nor the options of a target are needed. The
rest of the file is not looked at: `langc compile --frozen` and `langc verify` do that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from langc.compiler.cli.console import Console
from langc.compiler.cli.files import shown
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy
from langc.compiler.render import visible

if TYPE_CHECKING:
    from langc.compiler.surfaces.loaded import LoadedSurface

_NAMES = {"policy", "surface"}
_SHOWN = 12
"""Digits of a digest that a line shows."""


def check_frozen(console: Console, files: Iterable[str], source: Policy | LoadedSurface, exit_zero: bool) -> int:
    """Reports on each artefact. 1 if one is stale. Raises LangcError for a file that has no header, or is none."""
    from langc.compiler.pipeline import made_from

    expected = made_from(source)
    found = {path: _differing(_header(path), expected) for path in dict.fromkeys(files)}
    ok = not any(found.values())
    if console.json:
        listed = [{"file": shown(path), "ok": not keys, "differs": keys} for path, keys in found.items()]
        console.result({"files": listed, "ok": ok})
    else:
        for path, keys in found.items():
            console.out(visible(f"{shown(path)} {_verdict(keys, source.name)}"))
    return int(not ok and not exit_zero)


def _differing(header: Mapping[str, str], expected: Mapping[str, str]) -> dict[str, dict[str, str | None]]:
    """What the header says otherwise than it would now, with both; None where it says nothing.

    Names alone make no difference.
    """
    found = {k: {"is": header.get(k), "now": v} for k, v in expected.items() if header.get(k) != v}
    return found if set(found) - _NAMES else {}


def _header(path: str) -> dict[str, str]:
    from langc.compiler.verify.artefact import header_of

    header = header_of(path)
    if not header:
        help_ = "FILES are artefacts with --frozen; compile this one anew, or leave it out"
        raise LangcError(Diagnostic("LC0531", f"{shown(path)} does not say what it was made from", help=help_))
    return header


def _verdict(differing: Mapping[str, Mapping[str, str | None]], name: str) -> str:
    if not differing:
        return "is up to date"
    said = [f"{key} {_short(both['is'])}, now {_short(both['now'])}" for key, both in differing.items()]
    return f"is not made from {name} as it is: {'; '.join(said)}"


def _short(value: str | None) -> str:
    if value is None:
        return "none"
    return value if len(value) <= _SHOWN else value[:_SHOWN] + "…"
