"""`langc fmt`: policy files in their canonical form.

Invariant: nothing is written unless it reads back as the same rules with the same comments and policy hashes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from langc.compiler.cli.console import Console
from langc.compiler.cli.files import STREAM, shown, stdin, write_files
from langc.compiler.cli.options import color_option, json_option
from langc.compiler.cli.usage import wrong
from langc.compiler.errors import LangcError, PolicyError
from langc.compiler.source import Source
from langc.compiler.syntax.ast import Node, PolicyFile, Text


@click.command(
    epilog="""\b
Examples:
  langc fmt policies/*.policy
  langc fmt --check policies/*.policy      # for continuous integration
  langc fmt - < draft.policy
"""
)
@click.argument("files", nargs=-1, required=True, metavar="FILES...", type=click.Path())
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@click.option("--diff", is_flag=True, help="As --check, and show what would change.")
@json_option
@color_option
@click.pass_obj
def command(console: Console, files: tuple[str, ...], check: bool, diff: bool) -> int:
    """Rewrite policy FILES in the canonical form.

    FILES may be - to format stdin to stdout. All files are read before any is written. What they mean never changes.
    """
    if STREAM in files and len(files) > 1:
        raise LangcError(wrong("stdin (-) cannot be formatted together with other files", help="format it by itself"))
    results = [_format(name) for name in files]
    changed = [r for r in results if r.is_changed]
    if not (check or diff):
        _write(console, results, changed)
    elif not console.json:
        for result in changed:
            console.out(result.diff() if diff else f"would reformat {result.source.name}")
    if console.json:
        console.result({"files": [{"file": r.source.name, "changed": r.is_changed} for r in results]})
    return 1 if changed and (check or diff) else 0


@dataclass(frozen=True)
class _Result:
    """A file and its canonical form."""

    source: Source
    text: str

    @property
    def is_changed(self) -> bool:
        return self.source.bytes_before > 0 or self.text != self.source.text

    def diff(self) -> str:
        from difflib import unified_diff

        before, after = (text.splitlines(keepends=True) for text in (self.source.text, self.text))
        name = self.source.name
        return "".join(unified_diff(before, after, name, f"{name} (formatted)")).rstrip("\n")


def _format(name: str) -> _Result:
    from langc.compiler.syntax.parse import parse, parse_source
    from langc.compiler.syntax.print import format_file

    source = _read(name)
    file = parse_source(source).file
    text = format_file(file)
    if _meaning(parse(text, source.name)) != _meaning(file):
        raise RuntimeError(f"formatting {source.name} would change what it says; it was left as it is")
    return _Result(source, text)


def _read(name: str) -> Source:
    from langc.compiler.limits import MAX_POLICY_BYTES
    from langc.compiler.syntax.read import decode, read_source

    if name == STREAM:  # a text of one byte too many is refused by the parser
        return Source.of(shown(name), decode(shown(name), stdin().read(MAX_POLICY_BYTES + 1)))
    return read_source(Path(name))


def _write(console: Console, results: list[_Result], changed: list[_Result]) -> None:
    if results[0].source.name == shown(STREAM):
        console.data(results[0].text.encode())
        return
    write_files({Path(r.source.name): r.text.encode() for r in changed})
    for result in changed:
        console.note(f"reformatted {result.source.name}")


def _meaning(file: PolicyFile) -> tuple[Any, ...]:
    """What formatting must keep: the syntax tree, the comments, and the policy hashes where there are any."""
    return file, sorted(_comments(file)), _hashes(file)


def _comments(node: Node) -> Iterator[str]:
    """All comments of a file, which nodes leave out of comparisons."""
    for name, value in vars(node).items():
        if name in ("leading", "closing"):
            yield from filter(None, value)
        elif name == "above":
            yield from (line for lines in value for line in lines)
        elif name == "trailing" and value is not None:
            yield value
        elif name in ("policies", "surfaces", "items", "overrides"):
            for part in value or ():
                yield from _comments(part)


def _hashes(file: PolicyFile) -> list[str]:
    from langc.compiler.ir.lower import lower
    from langc.compiler.policy import Policy

    try:
        return [Policy(lower(decl, file.source, (), _unread)).hash for decl in file.policies]
    except PolicyError:  # an unknown script, say: the form can be mended before the meaning
        return []


def _unread(path: Text, _: Source) -> Source:
    """A file that a policy names, which formatting does not open: its name stands for what is in it."""
    return Source.of(path.value, path.value)
