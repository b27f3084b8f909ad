"""Every fault seeded into the core is caught by a comparison with the referee."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.mutation import cores
from tests.mutation.cores import MUTATIONS, CoreMutation

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("compare", [cores.worlds, cores.intersections, cores.hard_tokens, cores.soft_tokens])
def test_without_a_fault_the_referee_agrees(compare: Callable[[], int]) -> None:
    """Otherwise what follows would prove nothing."""
    compared = compare()

    assert compared >= 1_000


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_a_fault_in_the_core_is_caught(mutation: CoreMutation, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict differs from the referee's, which is computed on expressions and shares no code with automata."""
    mutation.seed(monkeypatch)

    with pytest.raises(AssertionError):
        mutation.compare()
