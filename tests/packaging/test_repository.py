"""What a newcomer reads first is complete."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def test_every_test_folder_is_explained() -> None:
    """`tests/README.md` has a row for each folder beside it, and none for a folder that is gone."""
    folders = {path.name for path in TESTS.iterdir() if path.is_dir() and path.name != "__pycache__"}
    lines = (TESTS / "README.md").read_text(encoding="utf-8").splitlines()
    rows = {line.split("`")[1].rstrip("/") for line in lines if line.startswith("| `") and "/` |" in line}

    assert len(folders) >= 10
    assert rows == folders
