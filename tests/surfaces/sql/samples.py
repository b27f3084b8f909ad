"""Schemas and statements over them, one a line, in `statements/SCHEMA/`.

gold.sql      what SQLite accepts and people write
ghosts.sql    what SQLite refuses, most often for a name that is not there: `‹…›` is what must be refused. All before it
              can be written, and nothing beyond the byte behind it
under.sql     what SQLite accepts and the surface does not offer; docs/sql.md says why
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "statements"
SCHEMAS = {path.parent.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*/schema.sql"))}


def statements(kind: str) -> list[tuple[str, str]]:
    """The statements of a kind, each with the name of its schema."""
    paths = sorted(FOLDER.glob(f"*/{kind}.sql"))
    return [(path.parent.name, line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
