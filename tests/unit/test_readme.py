"""The README: its table of targets is the code's, and its Python example runs."""

from __future__ import annotations

import re
from pathlib import Path

from langc import targets
from langc.compiler.target import Feature

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def _table() -> str:
    """The table as Markdown, one row a target."""
    head = ["target", "what it is", *(f.value for f in Feature)]
    rows = [head, ["---"] * len(head)]
    for name in targets.names():
        target = targets.get(name)
        page = f"[`{name}`](docs/targets/{name}.md)"
        rows.append([page, target.summary, *(target.features[f].value for f in Feature)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def test_the_table_of_targets_is_what_the_targets_say() -> None:
    """The block between the marks is made from the code."""
    found = re.search(r"<!-- targets:[^\n]*-->\n(.*?)<!-- end -->", README, re.DOTALL)

    assert found is not None
    assert _table() + "\n" == found[1]


def test_every_target_has_a_page() -> None:
    """The links of the table lead somewhere."""
    pages = Path(__file__).parents[2] / "docs" / "targets"

    assert sorted(targets.names()) == sorted(p.stem for p in pages.glob("*.md"))


def test_the_python_example_runs() -> None:
    """Each claim behind `#` in the example is true."""
    example = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert example is not None
    names: dict[str, object] = {}
    exec(example[1], names)  # noqa: S102 - our own README
    policy = names["policy"]

    assert policy.accepts("한강(漢江)")  # type: ignore[attr-defined]
    assert policy.first_violation("설정을 確認") == 4  # type: ignore[attr-defined]
    assert str(names["grammar"]).startswith("# langc")
