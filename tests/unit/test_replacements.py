"""Many replacements in one scope are looked at together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import langc
from langc.compiler import replacements
from langc.compiler.errors import PolicyError


@pytest.mark.parametrize("what", ['replace [\\u{%X}] with "-%d";', 'replace phrase "%xq" with "-%d";'])
def test_a_scope_is_read_once(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many replacements are in it: its sets are united once, and its phrases put into tries twice."""
    made: list[str] = []
    for name in ("permitted", "PhraseFinder"):
        monkeypatch.setattr(replacements, name, _counted(made, name))
    langc.parse_policy(f"policy p {{ {' '.join(what % (0x4E00 + i, i) for i in range(50))} }}")

    assert made.count("permitted") == 1
    assert made.count("PhraseFinder") <= 2


def _counted(made: list[str], name: str) -> Callable[..., Any]:
    """What the module calls by a name, with a note of each call."""
    right = getattr(replacements, name)

    def call(*arguments: Any) -> Any:
        made.append(name)
        return right(*arguments)

    return call


def test_the_rule_is_named_among_many() -> None:
    """The one whose phrase is in the replacement."""
    lines = [f'replace phrase "w{i}w" with "-";' for i in range(20)]
    with pytest.raises(PolicyError, match="LC0335") as caught:
        langc.parse_policy("policy p {\n" + "\n".join([*lines, 'replace [x] with "aw7wa";']) + "\n}")

    labels = caught.value.diagnostics[0].secondary
    assert [label.source.text[: label.span.start].count("\n") for label in labels] == [8]
