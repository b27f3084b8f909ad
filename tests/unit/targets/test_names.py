"""Names of targets, and other names of them."""

from __future__ import annotations

import pytest

from langc import targets
from langc.compiler.errors import UnsupportedError
from langc.compiler.pipeline import compile_policy
from tests.golden.test_golden import CASES, TOY


def test_an_alias_is_the_target_itself() -> None:
    """It is not listed beside it, and makes the same file."""
    assert set(targets.ALIASES) & set(targets.names()) == set()
    for alias, name in targets.ALIASES.items():
        assert targets.get(alias) is targets.get(name)
        made = [compile_policy(CASES["set"], each, TOY) for each in (alias, name)]
        assert made[0].content == made[1].content
        assert made[0].target == name


def test_a_name_that_is_none() -> None:
    """The error knows what may be meant."""
    with pytest.raises(UnsupportedError, match="there is no target 'gbmf'") as caught:
        targets.get("gbmf")
    assert caught.value.diagnostics[0].help == "did you mean `gbnf`?"
