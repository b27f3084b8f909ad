"""Files of surfaces: read back as they were written, and refused when they are not."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.errors import LangcError
from langc.compiler.source import Span
from langc.compiler.surfaces.canonical import tree_of
from langc.compiler.surfaces.environment.names import Environment, Group
from langc.compiler.surfaces.loaded import LoadedSurface, load_surface
from langc.compiler.surfaces.model import Level
from langc.compiler.surfaces.portable import dumps, loads
from tests.examples import examples
from tests.surfaces.masks.toys import surface_of
from tests.surfaces.snapshot.toys import LET, PLAIN, surface

ROOT = Path(__file__).parents[3]
FILES = sorted(path.stem for path in (ROOT / "grammars").glob("*.policy") if "\nsurface " in path.read_text())


def loaded(text: str = LET) -> LoadedSurface:
    """A surface over two functions."""
    names = Environment("library", {"Function": Group.of_names("Function", ["sin", "Ω"])})
    return LoadedSurface(surface(text), names, {"Variable": Level("Variable", "shape", "NUMBER")})


def written(one: LoadedSurface) -> str:
    """Its file."""
    return dumps(one, {"surface-sha256": one.digest, "environment-sha256": one.environment.digest})


def test_a_surface_is_read_as_it_was_written() -> None:
    """With its names, its levels and its digest; and written again the same."""
    one = loaded()
    again = loads(written(one))

    assert again.surface == one.surface
    assert again.levels == one.levels
    assert (again.digest, again.environment.digest) == (one.digest, one.environment.digest)
    assert written(again) == written(one)


@pytest.mark.parametrize("name", FILES)
def test_ready_surfaces(name: str) -> None:
    """Every surface that comes with langc."""
    from langc.compiler.surfaces.syntax.choose import choose_surface

    found, _ = choose_surface(name)
    one = LoadedSurface(found, Environment("none", {"Table": Group.of_names("Table", ["t"])}), found.levels)

    assert loads(written(one)).surface == found


def test_there_are_ready_surfaces() -> None:
    """The folder is not read in vain."""
    assert "sql" in FILES


def test_the_digest_is_that_of_the_meaning() -> None:
    """Where something stands in a file makes no difference, what it says does."""
    one = loaded()
    moved = replace(one.surface, span=Span(3, 4), source=None)
    changed = replace(one.surface, keywords=one.surface.keywords | {"or"})

    assert replace(one, surface=moved).digest == one.digest
    assert replace(one, surface=changed).digest != one.digest
    assert loaded(PLAIN).digest != one.digest


def test_the_target_and_the_file(tmp_path: Path) -> None:
    """What target processor writes is what `load_surface` reads; other names can take the place of its own."""
    (tmp_path / "let.policy").write_text(LET)
    (tmp_path / "names.json").write_text('{"Function": ["sin"]}')
    (tmp_path / "others.json").write_text('{"Function": ["cos"]}')
    one = load_surface(tmp_path / "let.policy", tmp_path / "names.json")
    artifact = langc.compile(one, "processor")
    (tmp_path / "let.json").write_bytes(artifact.content)
    again = load_surface(tmp_path / "let.json")
    other = load_surface(tmp_path / "let.json", tmp_path / "others.json")

    assert artifact.fidelity.is_exact
    assert again.digest == one.digest == artifact.header["surface-sha256"]
    assert again.accepts("print sin(1);")
    assert not again.accepts("print cos(1);")
    assert other.accepts("print cos(1);")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in JSON with each of its keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from _places(inner)


@settings(max_examples=examples(300), deadline=None)
@given(
    st.integers(0, 1 << 30), st.sampled_from([None, 1, "x", "rule", [], {}, {"is": "Call", "rule": "x"}, ["x"], True])
)
def test_whatever_is_changed_is_noticed(seed: int, value: Any) -> None:
    """A file with one value changed or left out is refused by an error of langc's, or means the same."""
    whole = json.loads(written(loaded()))
    container, key = random.Random(seed).choice(list(_places(whole)))
    if seed % 2:
        del container[key]
    else:
        container[key] = value
    text = json.dumps(whole)
    try:
        again = loads(text)
    except LangcError:
        return

    assert again.digest == loaded().digest


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[]", b"[" * 100_000, b'{"format":"langc-surface 2"}'])
def test_what_is_no_such_file(data: bytes) -> None:
    """LC0952."""
    with pytest.raises(LangcError) as error:
        loads(data)

    assert error.value.diagnostics[0].code == "LC0952"


def test_left_recursion_does_not_get_in() -> None:
    """A file with a digest of its own is checked as a policy file is."""
    from langc.compiler.surfaces.model import Call, Literal, Sequence

    recursive = surface_of({"start": Sequence((Call("start"), Literal("a")))})
    one = LoadedSurface(recursive, Environment("n", {"Name": Group.of_names("Name", ["a"])}), {})
    with pytest.raises(LangcError) as error:
        loads(written(one))

    assert error.value.diagnostics[0].code == "LC0952"


def test_trees_tell_surfaces_apart() -> None:
    """Equal surfaces, and only those, have equal trees."""
    assert tree_of(surface(LET)) == tree_of(surface("\n\n" + LET))
    assert tree_of(surface(LET)) != tree_of(surface(PLAIN))
