"""`langc dump` with surfaces."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from langc.compiler.cli.surface_dump import dump_surface
from langc.compiler.errors import LangcError
from langc.compiler.source import Source
from langc.compiler.surfaces.syntax import read_surfaces
from langc.compiler.surfaces.syntax.dump import dump
from langc.compiler.syntax.ast import PolicyFile
from langc.compiler.syntax.dump import dump as dump_tree
from langc.compiler.syntax.parse import parse_form
from langc.compiler.syntax.print import format_file
from langc.compiler.syntax.surfaces.ast import SurfaceDecl
from tests.surfaces.syntax import strategies

TEXT = """surface s (case = ascii-fold, quote = '"') {
    sort Table; env db from sql("a.sql"); scope K; token T = pattern /a/ munch /a+/; keywords "AND"; level Table: open;
    text := in K(want = 1) { t=ref(Table, where p)* => mark(a, in = K) => mark(b) } | T [room];
}"""


def test_a_surface_as_text() -> None:
    """One line a declaration and one an element; what has no value is left out."""
    assert dump(read_surfaces(Source("<test>", TEXT))["s"]) == (
        "surface s\n"
        "start text\n"
        "case ascii-fold\n"
        'word "[A-Za-z_][A-Za-z0-9_]*"\n'
        'quote "\\"" "\\""\n'
        'keyword "and"\n'
        'token name="T" pattern="a" munch="a+"\n'
        'sort name="Table"\n'
        'scope name="K"\n'
        'level sort="Table" kind="open"\n'
        'provider name="db" kind="sql" arguments=["a.sql"]\n'
        "rule text\n"
        "  choice\n"
        '    within scope="K" options=[["want", "1"]]\n'
        "      sequence\n"
        "        repeat least=0\n"
        '          reference sort="Table" local="t" where=["p"]\n'
        '        action name="mark" arguments=[["flag", "a"], ["in", "K"]]\n'
        '        action name="mark" arguments=[["flag", "b"]]\n'
        "    sequence\n"
        '      tokenuse token="T"\n'
        '      guard name="room"\n'
    )


def test_layout_does_not_show() -> None:
    """The text of a surface is that of the surface as it is printed."""
    printed = format_file(PolicyFile((), parsed(TEXT), source=Source("<made>", "")))

    assert dump(read_surfaces(Source("<test>", printed))["s"]) == dump(read_surfaces(Source("<test>", TEXT))["s"])


def parsed(text: str) -> tuple[SurfaceDecl, ...]:
    """The trees of the surfaces of a text."""
    return parse_form(Source("<test>", text)).file.surfaces


@settings(max_examples=40, deadline=None)
@given(strategies.surfaces())
def test_every_tree_has_a_text(surface: SurfaceDecl) -> None:
    """The syntax tree of any surface can be dumped, in ASCII."""
    assert dump_tree(surface).isascii()


@pytest.mark.parametrize("stage", ["ast", "ir"])
def test_ready_surfaces_have_stages(stage: str) -> None:
    """The tree and the surface; other stages are those of policies."""
    assert dump_surface("sql", stage).count("\n") > 1000
    with pytest.raises(LangcError, match="no stage dfa"):
        dump_surface("sql", "dfa")
