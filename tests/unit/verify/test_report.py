"""What a report of `langc verify` concludes from what was measured."""

from __future__ import annotations

import pytest

from langc.compiler.target import EXACT, Fidelity
from langc.compiler.verify.report import BOTH, Language, Masks, TargetReport, Verdict, VerifyReport, Witness

OVER = Witness("中".encode(), "artefact")
UNDER = Witness(b"a", "policy")
OF_ENGINE = Witness(b"\xe4", "engine", (228,))


def _target(
    fidelity: Fidelity | None = EXACT,
    language: Language | None = None,
    masks: tuple[Masks, ...] = (),
    allowed: frozenset[str] = BOTH,
) -> TargetReport:
    return TargetReport("gbnf", None, None, fidelity, language, masks, allowed=allowed)


@pytest.mark.parametrize(
    ("claim", "over", "under", "verdict", "unexplained"),
    [
        (EXACT, None, None, Verdict.AGREES, 0),
        (EXACT, OVER, None, Verdict.DIFFERS, 1),
        (EXACT, OVER, UNDER, Verdict.DIFFERS, 2),
        (Fidelity(ill_formed=True), None, None, Verdict.AGREES, 0),
        (Fidelity(over="中"), OVER, None, Verdict.AS_CLAIMED, 0),
        (Fidelity(over="中"), None, None, Verdict.AS_CLAIMED, 0),
        (Fidelity(over="中"), OVER, UNDER, Verdict.DIFFERS, 1),
        (Fidelity(under="가"), None, UNDER, Verdict.AS_CLAIMED, 0),
        (Fidelity(under=""), None, UNDER, Verdict.DIFFERS, 1),  # it admits the loss of the empty text alone
        (Fidelity(over="中", under="가"), OVER, UNDER, Verdict.AS_CLAIMED, 0),
    ],
)
def test_verdict_by_language(
    claim: Fidelity, over: Witness | None, under: Witness | None, verdict: Verdict, unexplained: int
) -> None:
    """A direction that the header admits explains a difference in that direction, and no other."""
    report = _target(claim, Language(3, over, under))

    assert (report.verdict, report.unexplained) == (verdict, unexplained)


def test_a_claim_that_is_not_allowed_explains_nothing() -> None:
    """`allowed` is what the user accepts."""
    report = _target(Fidelity(over="中"), Language(3, OVER), allowed=frozenset({"under"}))

    assert (report.verdict, report.witness) == (Verdict.DIFFERS, OVER)


def test_faults_of_engines_are_no_differences() -> None:
    """Only masks that no known fault explains count."""
    known = _target(masks=(Masks("xgrammar", "0.2.9", 100, 5, 5, {"surrogates": 7}),))
    unknown = _target(masks=(Masks("xgrammar", "0.2.9", 100, 5, 5, {"surrogates": 7}, 2, OF_ENGINE),))

    assert (known.verdict, known.unexplained) == (Verdict.AGREES, 0)
    assert (unknown.verdict, unknown.unexplained, unknown.witness) == (Verdict.DIFFERS, 2, OF_ENGINE)


def test_an_engine_that_fails() -> None:
    """It would refuse the request of every user, so it is a difference, though without a witness."""
    report = _target(masks=(Masks("llama.cpp", "1", 0, 0, 9, error="cannot parse the grammar"),))

    assert (report.verdict, report.unexplained, report.witness) == (Verdict.DIFFERS, 1, None)


def test_refused() -> None:
    """A target that made nothing is no difference."""
    report = TargetReport("gbnf", None, None, None, refusal="LC0505: soft")

    assert (report.verdict, report.unexplained, report.compared) == (Verdict.REFUSED, 0, 0)


def test_the_witness_is_the_shortest() -> None:
    """In bytes, of those by language and those of engines."""
    masks = (Masks("a", "1", 1, 1, 1, {}, 1, OF_ENGINE), Masks("b", "2", 1, 1, 1, {}, 1, Witness(b"", "b", (0,))))
    report = _target(language=Language(3, OVER), masks=masks)

    assert report.witness == Witness(b"", "b", (0,))
    assert report.differences == [("artefact", OVER), ("a 1", OF_ENGINE), ("b 2", Witness(b"", "b", (0,)))]


def test_sums() -> None:
    """A comparison is a whole mask, or a whole automaton that was read back."""
    masks = (Masks("a", "1", 300, 5, 5), Masks("b", "1", 20, 5, 5, {}, 1, OF_ENGINE))
    made = (_target(language=Language(3), masks=masks), TargetReport("regex", "rust", None, None, refusal="LC0701"))
    report = VerifyReport("ko", "00ff", "bytes", made)

    assert (report.comparisons, report.unexplained, report.ok) == (321, 1, False)
    assert VerifyReport("ko", "00ff", "bytes", made[1:]).ok


def test_json() -> None:
    """Everything is a JSON value; bytes that are no text are there as numbers."""
    masks = Masks("xgrammar", "0.2.9", 100, 4, 5, {"surrogates": 7}, 2, OF_ENGINE)
    target = TargetReport("xgrammar", None, "a.ebnf", EXACT, Language(3), [masks], ["no llguidance"], notes=["old"])
    witness = {"text": "\ufffd", "bytes": "e4", "passes": "engine", "tokens": [228]}

    assert VerifyReport("ko", "00ff", "bytes", [target]).to_json() == {
        "policy": "ko",
        "policy_sha256": "00ff",
        "tokenizer": "bytes",
        "comparisons": 101,
        "unexplained": 2,
        "ok": False,
        "targets": [
            {
                "target": "xgrammar",
                "dialect": None,
                "file": "a.ebnf",
                "fidelity": {"flags": ["exact"], "over": None, "under": None},
                "states": 3,
                "masks": 100,
                "verdict": "differs",
                "witness": witness,
                "engines": [
                    {
                        "engine": "xgrammar",
                        "version": "0.2.9",
                        "masks": 100,
                        "texts": 0,
                        "states": 4,
                        "reachable": 5,
                        "faults": {"surrogates": 7},
                        "unexplained": 2,
                        "witness": witness,
                        "error": None,
                    }
                ],
                "refusal": None,
                "notes": ["old", "no llguidance"],
            }
        ],
    }
