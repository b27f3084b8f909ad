"""Policies and surfaces of one file are told apart."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.source import Source
from langc.compiler.syntax.ast import PolicyDecl, PolicyFile
from langc.compiler.syntax.blocks import surface_blocks, without
from langc.compiler.syntax.print import format_file
from langc.compiler.syntax.surfaces.ast import SurfaceDecl
from tests.examples import examples
from tests.property import strategies as policies
from tests.surfaces.syntax import strategies


def printed(block: PolicyDecl | SurfaceDecl) -> str:
    """The text of one block, with the comments above and behind it."""
    source = Source("<made>", "")
    if isinstance(block, SurfaceDecl):
        return format_file(PolicyFile((), (block,), source=source))
    return format_file(PolicyFile((block,), source=source))


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(policies.policies() | strategies.surfaces(), max_size=4))
def test_each_surface_is_a_block(blocks: list[PolicyDecl | SurfaceDecl]) -> None:
    """As many blocks as surfaces, each from its first word to its brace, and the policies left as they are."""
    text = "\n".join(map(printed, blocks))
    found = surface_blocks(text)
    surfaces = [printed(b) for b in blocks if isinstance(b, SurfaceDecl)]

    assert len(found) == len(surfaces)
    assert all(text[span.start : span.end] in whole for span, whole in zip(found, surfaces, strict=True))
    assert all(text.startswith("surface ", s.start) and text[s.end - 1] == "}" for s in found)
    rest = without(text, found)
    assert len(rest) == len(text)
    assert [i for i, c in enumerate(rest) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]
    assert all(printed(b).strip() in rest for b in blocks if isinstance(b, PolicyDecl))


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", []),
        ("policy surface { deny [a]; }", []),
        ('policy p { deny phrase "surface x {"; } surface s { }', ["surface s { }"]),
        (r'policy p { deny [\[\]"#]; } surface s { }', ["surface s { }"]),
        (r"policy p { deny \p{Script=Han}; } surface s { }", ["surface s { }"]),
        ("# surface a { }\nsurface s { } # }\nsurface t { }", ["surface s { }", "surface t { }"]),
        (r"""surface s { a := "}" '}' /}\/}/ # }""" + "\n}", [r"""surface s { a := "}" '}' /}\/}/ # }""" + "\n}"]),
        ("surface s (word = pattern /{/) { b := in S { } } x", ["surface s (word = pattern /{/) { b := in S { } }"]),
        ("surface s { a", ["surface s { a"]),
        ("surface", ["surface"]),
        ("x surface s { }", []),
        ("surfaces { } surface s { }", ["surface s { }"]),
    ],
)
def test_what_hides_a_brace(text: str, blocks: list[str]) -> None:
    """Strings, comments, brackets, properties and patterns; an open block goes on to the end."""
    assert [text[span.start : span.end] for span in surface_blocks(text)] == blocks
