"""Many replacements in one scope are looked at together."""

from __future__ import annotations

import pytest

import langc
from langc.compiler import replacements
from langc.compiler.errors import PolicyError


@pytest.mark.parametrize("what", ['replace [\\u{%X}] with "-%d";', 'replace phrase "%xq" with "-%d";'])
def test_a_scope_is_read_once(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many replacements are in it: its sets are united once, and its phrases put into tries twice."""
    made: list[str] = []
    permitted, finder = replacements.permitted, replacements.PhraseFinder
    monkeypatch.setattr(replacements, "permitted", lambda rules: made.append("set") or permitted(rules))
    monkeypatch.setattr(replacements, "PhraseFinder", lambda phrases: made.append("tries") or finder(phrases))
    langc.parse_policy(f"policy p {{ {' '.join(what % (0x4E00 + i, i) for i in range(50))} }}")

    assert made.count("set") == 1
    assert made.count("tries") <= 2


def test_the_rule_is_named_among_many() -> None:
    """The one whose phrase is in the replacement."""
    lines = [f'replace phrase "w{i}w" with "-";' for i in range(20)]
    with pytest.raises(PolicyError, match="LC0335") as caught:
        langc.parse_policy("policy p {\n" + "\n".join([*lines, 'replace [x] with "aw7wa";']) + "\n}")

    labels = caught.value.diagnostics[0].secondary
    assert [label.source.text[: label.span.start].count("\n") for label in labels] == [8]
