"""What is recorded of a model's steps, and how the report shows it."""

from __future__ import annotations

import json
from math import exp, inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import langc
from langc.compiler.tokens.pressure.pressure import Pressure
from langc.compiler.tokens.pressure.report import PressureReport
from langc.targets.runtime.arrays import PolicyProcessor

TOKENS = (b"a", "中".encode(), b"b", b"\xe4", b"\xb8", b"\xad", b"\n", b"")
END = 7
VOCABULARY = langc.Vocabulary("toy", TOKENS, {END: "<end>"}, frozenset({END}))
POLICY = langc.parse_policy("policy p { deny script Han; }")
HAN, LATIN = [0, 5, 1, 0, 0, 0, 0, 0.0], [5, 0, 1, 0, 0, 0, 0, 0.0]
"""Logits of a model that wants 中, and of one that wants `a`."""


def processor(pressure: Pressure | None, policy: langc.Policy = POLICY) -> PolicyProcessor:
    """One for rows without a prompt."""
    return PolicyProcessor(policy, VOCABULARY, 0, pressure=pressure)


def ids(*rows: list[int]) -> Any:
    """Histories, int64 [B, T]."""
    return np.array(rows, dtype=np.int64).reshape(len(rows), -1)


def test_a_processor_records_its_calls() -> None:
    """By hand: 中 and its three bytes have exp(5) + 3 of exp(5) + exp(1) + 6."""
    pressure = Pressure()
    run = processor(pressure)
    run(ids([]), np.array([HAN]))
    run(ids([0]), np.array([LATIN]))
    total = exp(5) + exp(1) + 6
    first, second = pressure.report.worst

    assert first.mass == pytest.approx((exp(5) + 3) / total)
    assert second.mass == pytest.approx(4 / total)
    assert first.refused is not None
    assert first.allowed is not None
    assert (first.refused.text, first.refused.candidate.rank) == ("中", 1)
    assert (first.allowed.text, first.allowed.candidate.rank) == ("b", 2)
    assert first.allowed.candidate.probability == pytest.approx(exp(1) / total)
    assert (pressure.report.steps, pressure.report.top_refused, pressure.report.heavy) == (2, 1, 1)


def test_recording_changes_nothing() -> None:
    """The logits are those of a processor without it."""
    histories, logits = ids([0], [2]), np.array([HAN, LATIN])

    assert np.array_equal(processor(Pressure())(histories, logits), processor(None)(histories, logits))


def test_rows_that_have_ended_are_left_out() -> None:
    """Engines go on asking for padding: behind end-of-sequence nothing is forced."""
    pressure = Pressure()
    run = processor(pressure)
    run(ids([0], [0]), np.array([LATIN, LATIN]))
    run(ids([0, 0], [0, END]), np.array([HAN, HAN]))
    run(ids([0, 0, 0], [0, END, END]), np.array([HAN, HAN]))

    assert pressure.report.steps == 4
    assert [p.where for p in pressure.report.worst[:2]] == ["row 0, step 2", "row 0, step 3"]


def test_a_prompt_may_hold_an_end() -> None:
    """Chat templates end their turns with that token; only what was generated counts."""
    pressure = Pressure()
    run = PolicyProcessor(POLICY, VOCABULARY, pressure=pressure)
    run(ids([0, END]), np.array([HAN]))
    run(ids([0, END, 2]), np.array([HAN]))

    assert pressure.report.steps == 2


def test_from_a_file(tmp_path: Path) -> None:
    """As from a policy; without a vocabulary tokens are shown by their numbers."""
    path = tmp_path / "p.safetensors"
    path.write_bytes(langc.compile(POLICY, "processor", VOCABULARY).content)
    named, bare = Pressure(), Pressure()
    PolicyProcessor.from_file(path, VOCABULARY, 0, pressure=named)(ids([0]), np.array([HAN]))
    PolicyProcessor.from_file(path, prompt_length=0, pressure=bare)(ids([0]), np.array([HAN]))

    assert (named.report.worst[0].before, str(named.report.worst[0].refused)[:3]) == ("a", "“中”")
    assert (bare.report.worst[0].before, str(bare.report.worst[0].refused)[:5]) == ("<0>", "“<1>”")
    assert named.report.mean == bare.report.mean


def test_a_soft_policy_takes_less() -> None:
    """With 3 logits off 中 stays on top; with 30 it is as good as masked, and only E4, which may begin it, is free."""
    reports = []
    for policy in (POLICY.with_(bias=3), POLICY.with_(bias=30), POLICY):
        pressure = Pressure()
        processor(pressure, policy)(ids([0]), np.array([HAN]))
        reports.append(pressure.report)

    assert [r.top_refused for r in reports] == [0, 1, 1]
    assert 0.1 < reports[0].mean < reports[1].mean < reports[2].mean
    assert reports[2].mean - reports[1].mean == pytest.approx(1 / (exp(5) + exp(1) + 6))


def test_a_loop_of_ones_own() -> None:
    """One row or several, with what was chosen, and only some rows."""
    pressure = Pressure(VOCABULARY)
    mask = [0.0 if t in (b"a", b"b") else -inf for t in TOKENS]
    [one] = pressure.observe(HAN, mask, 2, before=[0, 3])
    many = pressure.observe([HAN, LATIN, HAN], [mask] * 3, [0, 0, 2], before=[[1], [2], [END]], rows=[0, 2])

    assert one.chosen == 2
    assert [s.chosen for s in many] == [0, 2]
    assert [(p.where, p.before, p.written) for p in pressure.report.worst] == [
        ("step 1", "a\\xe4", "b"),
        ("row 0, step 2", "中", "a"),
        ("row 2, step 2", "<end>", "b"),
    ]


@pytest.mark.parametrize(
    ("logits", "mask", "chosen", "before"),
    [
        ([[HAN]], [[HAN]], None, None),
        (5.0, 0.0, None, None),
        (HAN, [HAN], None, None),
        ([HAN, HAN], [[0.0] * 8] * 2, [1], None),
        ([HAN, HAN], [[0.0] * 8] * 2, None, [[1], [1], [2]]),
    ],
)
def test_shapes_that_do_not_fit(logits: Any, mask: Any, chosen: Any, before: Any) -> None:
    """An error, and nothing is recorded."""
    pressure = Pressure()
    with pytest.raises(ValueError, match=r"shape|reshape"):
        pressure.observe(logits, mask, chosen, before=before)

    assert pressure.report == PressureReport()


def test_the_report_as_text_and_as_json() -> None:
    """A line break in the text does not break the line."""
    pressure = Pressure(worst=1)
    processor(pressure)(ids([0, 6]), np.array([HAN]))
    processor(pressure)(ids([0, 0]), np.array([LATIN]))
    lines = str(pressure.report).splitlines()
    value = json.loads(json.dumps(pressure.report.to_json()))

    assert lines[:5] == [
        "steps: 2",
        f"mean pressure: {pressure.report.mean:.4f}",
        "top token refused: 1 of 2 (50.0%)",
        "more than half taken: 1 of 2 (50.0%)",
        "worst steps:",
    ]
    assert lines[5:] == [
        "  0.964  row 0, step 1: “a<U+000A>” refused “中” (0.945, rank 1), best allowed “b” (0.0173, rank 2)"
    ]
    assert (value["steps"], value["bound"], value["top_refused_share"], value["mean_listed"]) == (2, "exact", 0.5, None)
    assert value["worst"][0]["refused"] == {
        "id": 1,
        "text": "中",
        "probability": pytest.approx(exp(5) / (exp(5) + exp(1) + 6)),
        "rank": 1,
    }
    assert value["worst"][0]["before"] == "a\n"


def test_the_loop_on_the_page() -> None:
    """What the page shows can be run, and gives what its comments say."""
    page = (Path(__file__).parents[3] / "docs" / "pressure.md").read_text(encoding="utf-8")
    [code] = [block.split("```")[0] for block in page.split("```python\n") if "pressure.observe(" in block]
    matcher = langc.Matcher(POLICY, VOCABULARY)
    other = Pressure()
    other.observe(LATIN, matcher.bias())
    names: dict[str, Any] = {"langc": langc, "vocabulary": VOCABULARY, "matcher": matcher, "other": other}
    names |= {"logits": HAN, "chosen": 0, "ids": [0]}
    exec(code, names)  # noqa: S102 - our own page

    assert names["steps"][0].top_refused
    assert names["total"].steps == 2


def test_forgetting() -> None:
    """A reset leaves nothing of the steps before."""
    pressure = Pressure()
    processor(pressure)(ids([0]), np.array([HAN]))
    pressure.reset()

    assert pressure.report == PressureReport()
    assert (pressure.report.mean, pressure.report.to_json()["heavy_share"]) == (0.0, 0.0)
