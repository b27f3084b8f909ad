"""Every case that users met stands in the table: with its verdict, or waiting for the feature that it needs."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest

from langc import targets
from langc.compiler.cli import COMMANDS
from langc.compiler.syntax.words import RESERVED
from tests.conformance.table import cases

ALL = {
    "A": (1, 2, 4, 5, 6, 7, 9, 10, 11, 13, 15, 16, 17, 19, 20),
    "B": (1, 2, 4, 6, 8, 9, 11),
    "C": (1, 2, 4, 6, 7, 8, 10, 11, 12, 14, 15, 16, 18, 19, 20, 21, 23, 24),
    "D": (1, 3, 4, 5, 6, 8, 11, 12, 13, 14, 15, 16, 17),
    "E": (1, 2, 3, 5, 7, 8, 9, 10, 13),
    "F": (1, 3, 4, 6, 7, 9),
    "G": (1, 3, 4, 6, 7),
}
"""The cases by their letters: scripts, regions, engines, ends, phrases, names, tools."""
IDS = {f"{letter}{number:02}" for letter, numbers in ALL.items() for number in numbers}

NEEDED_NOW = {
    *("A01", "A02", "A04", "A05", "A06", "A07", "A09", "A10", "A15"),
    *("C01", "C04", "C06", "C10", "C14", "C16", "C20", "C21", "C23"),
    *("D01", "D06", "D08", "D14", "D16", "D17"),
}
"""Those that no later feature excuses."""

FIELDS = {"id", "rest", "shows", "waits_for", "until", "given", "accept", "prefix", "reject"}


def settled() -> set[str]:
    """The cases with a verdict that is tested; `C23-comment` is one more of C23."""
    kinds = ("text", "surface", "tokens", "stream", "audit", "refused", "elsewhere")
    found = (re.fullmatch(r"([A-G]\d\d)(-.*)?", case["id"]) for kind in kinds for case in cases(kind))
    return {match[1] for match in found if match}


def waiting(rest: bool) -> set[str]:
    """The cases that wait as a whole, or the rest of which does."""
    return {case["id"] for case in cases("waiting") if case.get("rest", False) == rest}


def test_no_case_is_lost() -> None:
    """Each is settled or waits, and only what is left of a case does both."""
    assert len(IDS) == 73
    assert settled() | waiting(False) == IDS
    assert settled() & waiting(False) == set()
    assert waiting(True) <= settled()
    assert settled() >= NEEDED_NOW
    assert len(cases("waiting")) == len(waiting(True)) + len(waiting(False))


@pytest.mark.parametrize("case", cases("waiting"), ids=lambda case: case["id"])
def test_the_feature_is_not_there_yet(case: dict[str, Any]) -> None:
    """As soon as it is, the case has to be turned on."""
    ((kind, name),) = case["until"].items()
    there = {"word": lambda: name not in RESERVED, "command": lambda: name in COMMANDS}
    there |= {"target": lambda: name in targets.names(), "attribute": lambda: _exists(name)}

    assert case.keys() <= FIELDS
    assert case["waits_for"]
    assert not there[kind](), f"turn {case['id']} on"


def _exists(name: str) -> bool:
    module, owner, attribute = name.split(".")
    return hasattr(getattr(importlib.import_module(module), owner), attribute)


def test_the_places_lie_within_their_texts() -> None:
    """What is written down already can be taken over as it is."""
    for case in [case for case in cases("waiting") if "reject" in case]:
        assert case["given"]
        assert [r for r in case["reject"] if not 0 <= r["at"] <= len(r["text"])] == []
        assert {r["text"] for r in case["reject"]} & {*case.get("accept", ()), *case.get("prefix", ())} == set()
