"""The table of real vocabularies in docs/tokenizers.md holds what is counted from their files."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.unicode.properties import script
from tests.assets import AssetMissingError
from tests.runtime.tokenizers import table

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("npm")]


@pytest.mark.parametrize("name", table.FILES)
def test_rows(name: str) -> None:
    """Each row is true: sizes, missing bytes, banned tokens and lost characters."""
    try:
        row = table.row(name)
    except AssetMissingError as error:
        pytest.skip(str(error))

    assert [line for line in table.in_the_docs() if line.startswith(f"| {name} |")] == [row]


@pytest.mark.parametrize("name", ["Mistral v1", "SmolLM2"])
def test_bans_counted_one_by_one(name: str) -> None:
    """Loose are the tokens that hold Han or Kana, tight also those that end in a beginning of their encodings."""
    tokens = [token for token in langc.load_vocabulary(table.FILES[name][1]()).tokens if token]
    denied = {chr(c) for c in script("Han") | script("Hiragana") | script("Katakana")}
    begun = {character.encode()[:size] for character in denied for size in range(1, len(character.encode()))}

    loose = {token for token in tokens if denied & set(token.decode(errors="replace"))}
    tight = loose | {token for token in tokens if any(token[-size:] in begun for size in (1, 2, 3))}

    cells = table.row(name).split(" | ")
    assert cells[4:6] == [f"{sum(token in banned for token in tokens):,}" for banned in (loose, tight)]


def test_every_row_is_checked() -> None:
    """The table has a row for each file, in this order, and no other."""
    lines = table.in_the_docs()

    assert lines[0] == table.line(table.HEAD)
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines[2:]] == list(table.FILES)
    assert len(lines) == 14
