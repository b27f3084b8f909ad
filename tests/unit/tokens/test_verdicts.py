"""Never, always, or depending on the place: what a policy says to each token."""

from __future__ import annotations

import pytest
from hypothesis import given

from langc.compiler.ir.language import cover
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.policy import Policy
from langc.compiler.tokens import verdicts as module
from langc.compiler.tokens.verdicts import verdicts
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import IntervalSet
from tests.property.static_bias.toys import denied_sets, vocabularies


def judged(tokens: list[bytes], denied: str, *terms: str) -> dict[str, list[str]]:
    """The tokens of each verdict in hexadecimal, under a policy that denies some characters outside of terms."""
    policy = Policy(PolicyIR("toy", None, (), cover(IntervalSet.of(denied).complement(), terms)))
    found = verdicts(policy, Vocabulary("toy", tuple(tokens)))
    assert found is not None
    return {
        name: [t.hex() for t, yes in zip(tokens, mask.tolist(), strict=True) if yes]
        for name, mask in vars(found).items()
    }


def test_bytes_inside_a_character_depend_on_the_place() -> None:
    """中 is E4 B8 AD: AD is refused behind E4 B8 and allowed behind E4 AD; B8 and E4 are allowed wherever they fit."""
    assert judged([b"a", b"\xe4", b"\xb8", b"\xad"], "中") == {
        "never": [],
        "always": ["61", "e4", "b8"],
        "dynamic": ["ad"],
    }


def test_a_token_that_can_only_become_denied_is_never_allowed() -> None:
    """With AD as the only byte to finish it, E4 B8 leads nowhere."""
    assert judged([b"a", b"\xe4\xb8", b"\xad"], "中") == {"never": ["e4b8"], "always": ["61"], "dynamic": []}


def test_terms_depend_on_the_place() -> None:
    """Behind 中 only 国 may come, and elsewhere anything but 国."""
    tokens = [b"a", "中".encode(), "国".encode(), "中国".encode()]

    assert judged(tokens, "中国", "中国") == {"never": [], "always": [], "dynamic": [t.hex() for t in tokens]}


def test_bytes_of_no_text_have_no_verdict() -> None:
    """FF is not the policy's business."""
    assert judged([b"a", b"\xff", b"a\xc0"], "") == {"never": [], "always": ["61"], "dynamic": []}


def test_too_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the budget there is no verdict rather than a wrong one."""
    policy = Policy(PolicyIR("toy", None, (), cover(IntervalSet.of("中").complement())))
    vocabulary = Vocabulary("toy", (b"a", b"b", b"c"))

    monkeypatch.setattr(module, "MAX_VERDICTS", 3)
    assert verdicts(policy, vocabulary) is not None
    monkeypatch.setattr(module, "MAX_VERDICTS", 2)
    assert verdicts(policy, vocabulary) is None


@given(vocabularies, denied_sets)
def test_no_verdict_is_given_twice(tokens: list[bytes], denied: frozenset[str]) -> None:
    """And a token that holds a denied character is never allowed."""
    tokens = sorted({b"b", *tokens})  # something can always be written
    found = judged(tokens, "".join(denied))
    whole = {t.hex() for t in tokens if any(c.encode() in t for c in denied)}

    assert sum(map(len, found.values())) == len(set().union(*found.values()))
    assert not whole & {*found["always"], *found["dynamic"]}
