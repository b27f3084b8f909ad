"""The target on the page about adding one is a target: it compiles, and its artefact has the policy's language."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import langc
from langc import targets
from langc.compiler.errors import UnsupportedError
from langc.compiler.policy import Policy
from langc.compiler.target import Target

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "add-a-target.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def target(monkeypatch: pytest.MonkeyPatch) -> Target:
    """The target of the page, found as if its file lay in the folder."""
    names: dict[str, Target] = {}
    (source,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    exec(source, names)  # noqa: S102 - our own page
    added = names["TARGET"]
    real = targets.get
    monkeypatch.setattr(targets, "get", lambda name: added if name == added.name else real(name))
    return added


def _accepts(document: str, text: str) -> bool:
    """What a program that walks the JSON does."""
    automaton = json.loads(document)
    state = automaton["start"]
    for character in text:
        steps = [
            to for source, first, last, to in automaton["edges"] if source == state and first <= ord(character) <= last
        ]
        if not steps:
            return False
        (state,) = steps
    return state in automaton["accepting"]


@pytest.mark.parametrize(
    "policy", [langc.load_policy("ko"), langc.parse_policy(r'policy t { deny \p{Han}; allow "漢江"; }')]
)
def test_it_says_what_the_policy_says(policy: Policy) -> None:
    """On the policy's own examples, and around a permitted term."""
    made = langc.compile(policy, "automaton").text
    texts = [example.text for example in policy.lowered.examples] + ["", "漢", "漢江", "漢江漢", "뷁 漢江 😀", "江"]

    assert made is not None
    assert [_accepts(made, text) for text in texts] == [policy.accepts(text) for text in texts]


def test_it_is_the_same_every_time() -> None:
    """Byte for byte, with the header."""
    first, second = (langc.compile("ko", "automaton").content for _ in range(2))

    assert first == second
    assert json.loads(first)["langc"]["fidelity"] == "exact"


def test_it_refuses_what_it_cannot_carry() -> None:
    """A soft policy has prices, the automaton has none."""
    with pytest.raises(UnsupportedError):
        langc.compile(langc.load_policy("ko").with_(mode="soft"), "automaton")


def test_it_has_all_that_a_target_has(target: Target) -> None:
    """`langc targets` can show it beside the real ones."""
    optional = {"emit_surface"}  # of targets that carry surfaces too
    wanted = {name for name in dir(targets.get("gbnf")) if not name.startswith("_")} - optional

    assert wanted <= {name for name in dir(target) if not name.startswith("_")}
