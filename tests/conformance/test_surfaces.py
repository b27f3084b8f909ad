"""The cases of languages whose names come from an environment, byte by byte."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

import langc
from langc.compiler.errors import LangcError
from tests.conformance.table import cases


def loaded(case: dict[str, Any], folder: Path) -> langc.LoadedSurface:
    """The surface of a case with its names."""
    where: str | Path = case["surface"]
    if case["surface"].startswith("surface "):
        where = folder / "case.policy"
        where.write_text(case["surface"], encoding="utf-8")
    env = None
    if "environment" in case:
        env = folder / "names.json"
        env.write_text(case["environment"], encoding="utf-8")
    if "schema" in case:
        env = folder / "names.db"
        with sqlite3.connect(env) as connection:
            connection.executescript(case["schema"])
    return langc.load_surface(where, env)


@pytest.mark.parametrize("case", cases("surface"), ids=lambda case: case["id"])
def test_texts_of_surfaces(case: dict[str, Any], tmp_path: Path) -> None:
    """What is let pass is, what can go on can, and what is refused is refused at its place."""
    if "code" in case:
        with pytest.raises(LangcError) as caught:
            loaded(case, tmp_path)
        assert case["code"] in {diagnostic.code for diagnostic in caught.value.diagnostics}
        return
    surface = loaded(case, tmp_path)
    assert case["accept"]
    assert case["reject"]
    assert {text: surface.refused_at(text) for text in case["accept"]} == dict.fromkeys(case["accept"])
    assert {t: surface.refused_at(t) for t in case["prefix"]} == {t: len(t) for t in case["prefix"]}
    assert [surface.refused_at(one["text"]) for one in case["reject"]] == [one["at"] for one in case["reject"]]
