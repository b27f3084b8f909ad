"""What a program may hand to `import langc` beside the plainest form, and what comes back from it."""

from __future__ import annotations

import copy
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import langc

BYTES = langc.load_vocabulary(
    {"tokens": [bytes([i]) for i in range(256)], "special": {"<eos>": 256}, "eos": "<eos>"},
)
POLICY = langc.parse_policy(r"policy p { deny script Han; }")


def test_options_may_be_numbers() -> None:
    """`budget=3` is `budget="3"`, and what does not fit is the same error."""
    few = langc.compile(POLICY, "logit-bias", BYTES, allow="over,under", budget=3, cap=5, value=2.5)

    assert (
        few.text
        == langc.compile(POLICY, "logit-bias", BYTES, allow=["over", "under"], budget="3", cap="5", value="2.5").text
    )
    with pytest.raises(langc.UnsupportedError, match="LC0521"):
        langc.compile(POLICY, "logit-bias", BYTES, allow="over,under", budget=-1)
    with pytest.raises(langc.UnsupportedError, match="LC0503"):
        langc.compile(POLICY, "regex", header=1)


def test_allow_may_be_none() -> None:
    """As if it had not been given."""
    assert langc.compile(POLICY, "regex", allow=None).fidelity.is_exact
    with pytest.raises(langc.UnsupportedError, match="LC0501"):
        langc.compile(POLICY, "logit-bias", BYTES, allow=None)


def test_exempt_may_be_a_list_in_a_text() -> None:
    """As on the command line, and a wrong name is named whole."""
    assert POLICY.with_(exempt="code, think").hash == POLICY.with_(exempt=["think", "code"]).hash
    assert POLICY.with_(exempt="").hash == POLICY.hash
    with pytest.raises(langc.PolicyError, match="no region 'cod'"):
        POLICY.with_(exempt="cod")


@pytest.mark.parametrize("bias", [1e39, 1e-50])
def test_bias_beyond_float32(bias: float) -> None:
    """It would mask, or cost nothing, in the logits of any engine."""
    with pytest.raises(langc.PolicyError, match="LC0305"):
        POLICY.with_(bias=bias)


@pytest.mark.parametrize("bias", [3.4e38, 1.2e-38])
def test_bias_at_the_ends_of_float32(bias: float) -> None:
    """A violation is allowed, and costs something."""
    matcher = langc.Matcher(POLICY.with_(bias=bias), BYTES)
    assert matcher.advance(0xE4)

    costs = np.unique(matcher.bias()[matcher.mask()])
    assert np.isfinite(costs).all()
    assert (costs < 0).any()


@pytest.mark.parametrize("special", [["<eos>"], "<eos>", 3])
def test_special_tokens_need_ids(special: Any) -> None:
    """A list of spellings does not say which id is which."""
    with pytest.raises(langc.UnsupportedTokenizerError, match="LC0606"):
        langc.load_vocabulary({"a": 0, "<eos>": 1}, special_tokens=special)


def test_errors_can_be_copied() -> None:
    """By the protocol that pickle uses too, so they come out of a pool of processes as they are."""
    with pytest.raises(langc.PolicyError) as caught:
        langc.parse_policy("policy p {")

    again = copy.deepcopy(caught.value)
    assert type(again) is langc.PolicyError
    assert again.diagnostics == caught.value.diagnostics
    assert str(again) == str(caught.value)


def test_star_import_needs_no_torch() -> None:
    """`langc.hf` comes when it is asked for by name."""
    program = "import sys; sys.modules['torch'] = None; from langc import *; compile('ko', 'gbnf')"

    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_the_repr_of_an_artefact_is_short() -> None:
    """Target, dialect, fidelity and size."""
    artifact = langc.compile("ko", "regex", dialect="rust")

    assert repr(artifact) == f"<Artifact regex:rust, exact, {len(artifact.content):,} bytes>"
