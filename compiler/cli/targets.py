"""`langc targets`: what each target is and what it can carry."""

from __future__ import annotations

from collections.abc import Sequence

import click

from langc import targets
from langc.compiler.cli.console import Console
from langc.compiler.cli.options import color_option, json_option
from langc.compiler.target import Feature, Target


@click.command(
    epilog="""\b
Examples:
  langc targets
  langc targets --json | jq '.targets[].name'
"""
)
@json_option
@color_option
@click.pass_obj
def command(console: Console) -> None:
    """List the targets and what each can express.

    A target that carries something with loss says so in the artefact, and needs `--allow`.
    """
    found = [targets.get(name) for name in targets.names()]
    if console.json:
        console.result({"targets": [_json(t) for t in found]})
        return
    console.out(table([_headings(), *map(_row, found)]))
    for target in found:
        console.out(f"\n{target.name}: {target.summary}")
        for option in target.options:
            choices = f" ({', '.join(option.choices)})" if option.choices else ""
            console.out(f"  --{option.name}: {option.help}{choices}")


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of ASCII cells as aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _headings() -> list[str]:
    return ["target", *(f.value for f in Feature), "tokenizer", "dialects"]


def _row(target: Target) -> list[str]:
    features = [target.features[f].value for f in Feature]
    needs = "needed" if target.needs_vocabulary else "-"
    return [target.name, *features, needs, ", ".join(target.dialects) or "-"]


def _json(target: Target) -> dict[str, object]:
    return {
        "name": target.name,
        "summary": target.summary,
        "suffix": target.suffix,
        "needs_vocabulary": target.needs_vocabulary,
        "dialects": list(target.dialects),
        "features": {f.value: target.features[f].value for f in Feature},
        "options": [
            {"name": o.name, "help": o.help, "choices": o.choices, "default": o.default} for o in target.options
        ],
    }
