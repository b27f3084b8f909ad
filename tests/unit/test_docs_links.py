"""Links between the documents lead somewhere, headings included, and every document can be found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").glob("*.md")])
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def _without_code(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


def _links(page: Path) -> list[str]:
    return [link for link in _LINK.findall(_without_code(page)) if not link.startswith(("http://", "https://"))]


def _anchors(page: Path) -> set[str]:
    """The anchors of the headings, made as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", _without_code(page), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """To a file in the repository, and to a heading of it if one is named."""
    broken = []
    for link in _links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            broken.append(link)

    assert broken == []


def test_there_are_links() -> None:
    """The loop above has something to follow."""
    assert len(PAGES) >= 15
    assert sum(len(_links(page)) for page in PAGES) >= 60


def test_every_page_is_in_the_index() -> None:
    """docs/index.md leads to each page of the folder."""
    docs = ROOT / "docs"
    linked = {(docs / link.partition("#")[0]).resolve() for link in _links(docs / "index.md")}
    missing = {page for page in docs.rglob("*.md") if page.resolve() not in linked} - {docs / "index.md"}

    assert missing == set()
