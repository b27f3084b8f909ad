"""The search for a lost text, and what bounds it."""

from __future__ import annotations

import numpy as np
import pytest

from langc.compiler.errors import LimitError
from langc.compiler.ir.language import Cover
from langc.compiler.tokens.characters.token_text import TokenText
from langc.compiler.tokens.static_bias import lost_text
from langc.compiler.tokens.static_bias.lost_text import shortest_lost
from langc.compiler.unicode.intervals import SCALARS

TOKENS = [b"a\xe1", b"\x80\x80", b"\x80", b"b", b"ab"]
ALLOWED = np.array([True, False, True, True, True])
"""Every character can still be written in some way, so the way of each text has to be followed."""


def lost() -> str | None:
    """The shortest text that is lost when `80 80` is banned and everything is permitted."""
    text = TokenText.of(dict(enumerate(TOKENS)))
    return shortest_lost(Cover(SCALARS, ()), text, ALLOWED)


def test_another_spelling_is_found() -> None:
    """Two continuation bytes one by one do the same, so nothing is lost."""
    assert lost() is None


def test_the_search_has_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the least number of states that is enough the answer is there; one less is an error that names the limit."""

    def ends(limit: int) -> bool:
        monkeypatch.setattr(lost_text, "MAX_SPELLING_STATES", limit)
        try:
            lost()
        except LimitError as error:
            return [d.code for d in error.diagnostics] != ["LC0701"]
        return True

    enough = next(limit for limit in range(1000) if ends(limit))

    assert enough > 1
    assert ends(enough)
    assert ends(enough + 1)
    assert not ends(enough - 1)
