"""`langc env`: the names that a source holds, shown or written down."""

from __future__ import annotations

from pathlib import Path

import click

from langc.compiler.cli.console import Console, to_json
from langc.compiler.cli.files import write_files
from langc.compiler.cli.options import color_option, json_option


@click.command(
    epilog="""\b
Examples:
  langc env shop.db
  langc env shop.db -o shop.json
  langc env 'sql("schema.sql", "dialect=postgres")'
  langc env click==8.1.7 --json | jq .sorts
  langc env listing:help.txt
"""
)
@click.argument("source")
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Write the names as JSON, to be checked in.")
@click.option("--allow-run", is_flag=True, help="Let listing('run:TOOL --help') run the tool.")
@json_option
@color_option
@click.pass_obj
def command(console: Console, source: str, output: str | None, allow_run: bool) -> None:
    """Show the names that a SOURCE holds, by sort: tables and columns, functions, options…

    SOURCE is a file (a database of SQLite, SQL, JSON, YAML, Python, a C or C++ header, a help text, a wheel), KIND("…")
    or KIND:FILE to say what it is, or PACKAGE==VERSION. Nothing is run and no package is imported.
    """
    from langc.compiler.surfaces.environment.load import load_source

    environment = load_source(source, allow_run=allow_run)
    if output == "-":
        console.data(environment.to_json().encode())
        console.report(environment.warnings)
        return
    if output is not None:
        write_files({Path(output): environment.to_json().encode()})
    facts = {
        "kind": environment.kind,
        "version": environment.version,
        "origin": environment.origin,
        "digest": environment.digest,
    }
    if console.json:
        console.result(facts | {"sorts": environment.counts, "warnings": to_json(environment.warnings)})
        return
    console.report(environment.warnings)
    if output is not None:
        console.note(f"wrote {output}")
    width = max(map(len, (*facts, *environment.counts)))
    for key, fact in facts.items():
        if fact is not None:
            console.out(f"{key:<{width}}  {fact}")
    for sort, count in environment.counts.items():
        console.out(f"{sort:<{width}}  {count:,}")
