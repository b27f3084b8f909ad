"""Every fault seeded into an emitter is caught, by the means that can see it, and shown by a shortest witness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from langc import targets
from langc.compiler.automata import lower
from langc.compiler.tokens.portable import ArtifactError
from langc.compiler.verify.report import Masks, TargetReport, Verdict, Witness
from langc.targets import llguidance
from tests.mutation import biases, expressions, grammars, shared, strings, terminals, token_automata
from tests.mutation.cores import last_shorter
from tests.mutation.mutations import Mutation, result, value
from tests.mutation.notations import BORDER
from tests.mutation.token_automata import FORCED
from tests.mutation.unreadable import UNREADABLE, Unreadable
from tests.oracle.tokens import FORBIDDEN, FREE, TokenReferee

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("mutations")]

MUTATIONS = [
    *grammars.MUTATIONS,
    *expressions.MUTATIONS,
    *terminals.MUTATIONS,
    *token_automata.MUTATIONS,
    *biases.MUTATIONS,
    *strings.MUTATIONS,
    *shared.MUTATIONS,
]


def test_every_dialect_of_every_target_has_its_faults() -> None:
    """At least three each that are seen by what the artefact says, or by what the engine makes of it."""
    seeded = Counter(mutation.target for mutation in MUTATIONS)
    known = {f"{name}:{d}" if d else name for name in targets.names() for d in targets.get(name).dialects or (None,)}

    assert set(seeded) == known
    assert min(seeded.values()) >= 3
    assert len({mutation.id for mutation in MUTATIONS}) == len(MUTATIONS)
    assert len(MUTATIONS) >= 150


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.id)
def test_a_seeded_fault_is_caught(mutation: Mutation) -> None:
    """Without it nothing differs; with it the artefact differs, and each means shows the shortest sign, or none."""
    without, found = mutation.report_without, mutation.report

    assert without.unexplained == 0
    assert found.verdict is Verdict.DIFFERS
    assert _by_language(found, mutation) == (mutation.over, mutation.under)
    assert [_text(m.witness) for m in _caught(found)] == [mutation.engine] * len(_caught(found))
    assert bool(_caught(found)) == (mutation.engine is not None or mutation.error is not None)
    assert all((mutation.error or "") in (m.error or "") for m in _caught(found))


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.id)
def test_the_witness_tells_the_two_apart(mutation: Mutation) -> None:
    """What it says of the policy is true, by the policy itself or by the oracle over tokens."""
    found = mutation.report
    witnesses = [w for _, w in found.differences]
    expected = [w.passes == "policy" for w in witnesses]

    assert [_passes(mutation, w) for w in witnesses] == expected
    assert witnesses or mutation.error


def _caught(report: TargetReport) -> Sequence[Masks]:
    """The engines that object."""
    return [m for m in report.masks if m.unexplained or m.error]


def _by_language(report: TargetReport, mutation: Mutation) -> tuple[bytes | None, bytes | None]:
    """What is let through too much and too little, beside what the artefact admits anyhow."""
    assert report.language is not None
    over, under = _text(report.language.over), _text(report.language.under)
    return over, None if under == mutation.admitted else under


def _text(witness: Witness | None) -> bytes | None:
    return None if witness is None else witness.text


def _passes(mutation: Mutation, witness: Witness) -> bool:
    """Whether the policy lets the witness through; at no cost if others are said to let it through so."""
    if witness.tokens is None or (
        mutation.target.startswith("logit-bias") and witness.passes in ("policy", "artefact")
    ):
        return mutation.sound_policy().accepts(witness.text.decode())
    *history, last = witness.tokens
    cost = TokenReferee(mutation.judging_policy(), mutation.vocabulary).bias(history)[last]
    return cost > FORBIDDEN if witness.passes == "policy" else cost == FREE


@pytest.mark.parametrize("case", UNREADABLE, ids=str)
def test_a_fault_that_leaves_no_artefact_is_an_error(case: Unreadable) -> None:
    """The reader says what is wrong; it does not repair it."""
    without = case.mutation.report_without
    with pytest.raises(ArtifactError) as caught:
        _ = case.mutation.report
    (diagnostic,) = caught.value.diagnostics

    assert without.unexplained == 0
    assert diagnostic.code == "LC0530"
    assert case.message in diagnostic.message


@pytest.mark.parametrize("target", ["gbnf", "xgrammar", "llguidance", "regex:rust", "outlines:regex"])
def test_an_engine_shows_that_the_reference_is_wrong(target: str) -> None:
    """A fault in the lowering to bytes is in the masks that engines are compared with: U+007F seems denied."""
    seed = result(lower, "sequences", last_shorter)
    mutation = Mutation("byte-range-shorter", target, seed, BORDER, engine=b"\x7f")
    found = mutation.report

    assert found.verdict is Verdict.DIFFERS
    assert [(m.witness and (m.witness.text, m.witness.passes)) for m in found.masks] == [
        (b"\x7f", m.engine) for m in found.masks
    ]
    assert len(found.masks) == 1


def test_an_option_that_is_left_out_shows_as_a_fault_of_the_engine() -> None:
    """Without `no_forcing` llguidance offers one token where several spell what has to follow. That is explained."""
    mutation = Mutation(
        "no-forcing",
        "llguidance",
        value(llguidance, "OPTIONS", lambda _: ""),
        'only [x]; allow "abc";',
        b"",
        vocabulary=FORCED,
    )
    counted = [[dict(m.faults) for m in report.masks] for report in (mutation.report_without, mutation.report)]

    assert counted == [[{}], [{"forced": 5}]]
