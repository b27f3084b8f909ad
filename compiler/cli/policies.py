"""`langc policies`: the policies that come with langc."""

from __future__ import annotations

import click

from langc.compiler.cli.console import Console
from langc.compiler.cli.options import color_option, json_option


@click.command(
    epilog="""\b
Examples:
  langc policies
  langc policies --json | jq -r '.policies[].path'
"""
)
@json_option
@color_option
@click.pass_obj
def command(console: Console) -> None:
    """List the ready policies.

    Each is used by its bare name in place of a POLICY, and in a policy file by `use NAME;`.
    """
    from langc.compiler.api import policies

    found = policies()
    if console.json:
        console.result({"policies": [{"name": p.name, "doc": p.doc, "path": str(p.path)} for p in found]})
        return
    width = max(len(p.name) for p in found)
    for p in found:
        console.out(f"{p.name:<{width}}  {p.doc}")
