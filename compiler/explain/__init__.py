"""The long form of every diagnostic: one page a code, `LCxxxx.md` in this folder.

Invariant: a page exists for every code that the compiler can report, and for no other; a test compares.
"""

from __future__ import annotations

from pathlib import Path

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import PolicyError

_PAGES = Path(__file__).parent


def codes() -> tuple[str, ...]:
    """All codes, sorted."""
    return tuple(sorted(page.stem for page in _PAGES.glob("LC[0-9][0-9][0-9][0-9].md")))


def page(code: str) -> str:
    """The page of a code in Markdown; letter case is ignored. Raises PolicyError for a code that does not exist."""
    wanted = code.strip().upper()
    if wanted not in codes():
        kin = [known for known in codes() if known[:4] == wanted[:4]]
        help_ = f"there are {', '.join(kin)}" if kin else f"codes go from {codes()[0]} to {codes()[-1]}"
        raise PolicyError(Diagnostic("LC0007", f"there is no code {code!r}", help=help_))
    return (_PAGES / f"{wanted}.md").read_text(encoding="utf-8")
