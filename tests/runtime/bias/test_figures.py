"""The static bias of policy ko on five real vocabularies.

The figures of banned tokens and lost characters were measured before this code was written, by other means. They
count a character as lost if it can be written nowhere, not even beside others. What is lost alone, and what leaks, is
counted here by slow ways that share nothing with the fast ones.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

import pytest

import langc
from langc.compiler.tokens.characters.kinds import EMOJI
from langc.compiler.unicode.intervals import IntervalSet
from langc.compiler.unicode.properties import script
from langc.compiler.verify.artefact import Readable
from langc.compiler.verify.languages import measure
from tests.property.static_bias.toys import spells
from tests.runtime.bias.vocabularies import FILES, vocabulary

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("static-bias")]

DENIED = script("Han") | script("Hiragana") | script("Katakana")
FIGURES = {
    "qwen151k": (27_739, 28_329, 26_532, 138),
    "qwen248k": (58_893, 59_240, 42_113, 1_080),
    "tekken": (5_133, 5_537, 45_785, 1_352),
    "smollm2": (88, 216, 43_177, 1_308),
    "gemma": (24_212, 24_222, 43_232, 268),
}
"""Tokens banned loose and tight; assigned characters lost anywhere under tight, and emoji of them."""
SHARES = {
    "qwen151k": {"0.5": (28_316, 23_931, 0, 921), "0.9": (28_312, 0, 0, 79_549), "1": (28_305, 0, 0, 83_581)},
    "qwen248k": {"0.5": (59_231, 36_609, 2, 872), "0.9": (59_229, 64, 0, 79_549), "1": (59_224, 0, 0, 83_581)},
    "tekken": {"0.5": (5_530, 39_524, 2, 871), "0.9": (5_527, 64, 0, 79_549), "1": (5_520, 0, 0, 83_581)},
    "smollm2": {"0.5": (210, 36_865, 2, 872), "0.9": (208, 64, 0, 79_549), "1": (205, 0, 0, 83_581)},
    "gemma": {"0.5": (24_220, 39_816, 261, 856), "0.9": (24_218, 64, 0, 79_549), "1": (24_217, 0, 0, 83_581)},
}
"""With a share: tokens banned, assigned characters lost anywhere, emoji of them, denied code points that leak."""
vocabularies = pytest.mark.parametrize("name", FILES)


@cache
def bias(name: str, **options: str) -> Any:
    """The artefact of ko."""
    return langc.compile("ko", "logit-bias", vocabulary(name), allow="over,under", **options)


def allowed(name: str, **options: str) -> set[bytes]:
    """The bytes of the text tokens that the artefact leaves."""
    banned = {pair[0] for pair in bias(name, **options).data}
    return {t for i, t in enumerate(vocabulary(name).tokens) if t and i not in banned}


def spelled(tokens: Collection[bytes], members: IntervalSet) -> set[int]:
    """The code points that are rows of tokens."""
    return {c for c in members if spells(tokens, chr(c))}


def test_ko_denies_what_was_measured() -> None:
    """104,061 code points of three scripts."""
    assert len(DENIED) == 104_061
    assert bias("smollm2").report["denied"] == 104_061


@vocabularies
def test_measured_figures(name: str) -> None:
    """Banned tokens and lost characters are those known from before."""
    report = bias(name).report
    lost = report["lost"]["anywhere"]

    assert (*report["banned"].values(), lost["assigned"], lost["emoji"]) == FIGURES[name]


@vocabularies
def test_what_is_lost_alone(name: str) -> None:
    """Emoji lost by themselves, one after another; no Hangul syllable is."""
    lost = bias(name).report["lost"]["alone"]
    text, left = {t for t in vocabulary(name).tokens if t}, allowed(name)

    assert lost["emoji"] == len(spelled(text, EMOJI) - spelled(left, EMOJI))
    assert lost["hangul_syllables"] == 0
    assert len(spelled(left, IntervalSet.of((0xAC00, 0xD7A3)))) == 11_172


@vocabularies
def test_tight_leaks_nothing(name: str) -> None:
    """No allowed token holds a denied character or leaves one begun, so no row of them can complete one."""
    begun = {e[:size] for e in (chr(c).encode() for c in DENIED) for size in range(1, len(e))}
    left = allowed(name)

    assert bias(name).report["leaked"]["anywhere"] == 0
    assert bias(name).fidelity.over is None
    assert not [t for t in left if any(ord(c) in DENIED for c in t.decode(errors="replace"))]
    assert not [t for t in left if any(t[-size:] in begun for size in (1, 2, 3))]


@vocabularies
def test_loose_leaks_everything(name: str) -> None:
    """Every vocabulary has the bytes, so each denied character can be put together."""
    artifact = bias(name, method="loose")

    assert artifact.report["leaked"]["alone"] == 104_061
    assert artifact.report["lost"]["alone"]["code_points"] == 0
    assert len(spelled(allowed(name, method="loose"), DENIED)) == 104_061
    assert (artifact.fidelity.over, artifact.fidelity.under) == ("⺀", None)


@vocabularies
@pytest.mark.parametrize("share", ["0.5", "0.9", "1"])
def test_a_share_of_fragments(name: str, share: str) -> None:
    """The figures of the page, and what they say of single characters is so when these are spelled one by one."""
    report = bias(name, fragments=share).report
    lost, left = report["lost"]["anywhere"], allowed(name, fragments=share)

    assert (report["entries"]["given"], lost["assigned"], lost["emoji"], report["leaked"]["alone"]) == SHARES[name][
        share
    ]
    assert len(spelled(left, DENIED)) == report["leaked"]["alone"]
    assert len(spelled(left, EMOJI)) == 1_435 - report["lost"]["alone"]["emoji"]
    assert len(spelled(left, IntervalSet.of((0xAC00, 0xD7A3)))) == 11_172


@vocabularies
def test_verify_agrees_about_a_share(name: str) -> None:
    """Read back, the artefact leaks a character and loses another, as it says of itself."""
    artifact = bias(name, fragments="0.5")
    language = measure(langc.load_policy("ko"), Readable.of(artifact), vocabulary(name))
    over, under = language.over, language.under

    assert over is not None
    assert under is not None
    assert [len(text) for text in (artifact.fidelity.over, artifact.fidelity.under)] == [1, 1]
    assert ord(over.text.decode()) in DENIED
    assert ord(under.text.decode()) not in DENIED


@vocabularies
def test_keep_emoji(name: str) -> None:
    """No emoji is lost, and of what is given up each is needed by one: it opens in the bytes of a lost emoji."""
    artifact = bias(name, keep="emoji")
    lost = spelled({t for t in vocabulary(name).tokens if t}, EMOJI) - spelled(allowed(name), EMOJI)

    assert artifact.report["lost"]["alone"]["emoji"] == 0
    assert len(spelled(allowed(name, keep="emoji"), EMOJI)) == 1_435
    assert artifact.report["keep"]["lost_before"] == bias(name).report["lost"]
    assert {chr(c).encode()[0] for c in lost} >= {
        chr(int(r[2:].split("..")[0].split()[0], 16)).encode()[0] for r in artifact.report["keep"]["given_up"]
    }


def test_qwen_keeps_its_emoji_for_one_character() -> None:
    """On Qwen 151k a single square Hiragana stands in the way of 138 emoji."""
    assert bias("qwen151k", keep="emoji").report["keep"]["given_up"] == ["U+1F200 SQUARE HIRAGANA HOKA"]
    assert bias("qwen151k", keep="emoji").fidelity.over == "\U0001f200"


@pytest.mark.parametrize("dialect", ["openai", "vllm"])
@pytest.mark.parametrize("name", ["qwen151k", "gemma"])
def test_servers_with_a_cap_refuse_the_whole_list(name: str, dialect: str) -> None:
    """Tens of thousands of entries do not fit; a budget does, and says that it covers next to nothing."""
    with pytest.raises(langc.UnsupportedError, match="LC0520"):
        bias(name, dialect=dialect)
    report = bias(name, dialect=dialect, budget="300").report

    assert report["entries"]["given"] == 300
    assert report["leaked"]["covered"] == 0.0
    assert report["leaked"]["with_own_token_without_bias"] - report["leaked"]["with_own_token"] == 300


def test_a_small_vocabulary_fits_into_a_cap() -> None:
    """SmolLM2 needs 216 entries."""
    assert len(bias("smollm2", dialect="openai").data) == 216
