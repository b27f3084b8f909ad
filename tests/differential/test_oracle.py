"""The referee against itself: two definitions that share nothing must agree before either is believed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.ir.language import Cover, cover
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from tests.oracle.encoding import candidates, split
from tests.oracle.residual import Referee
from tests.oracle.scope import first_violation
from tests.oracle.spans import member
from tests.oracle.worlds import languages, texts
from tests.property import languages as draw

pytestmark = pytest.mark.slow

HAN = IntervalSet.of((0x4E00, 0x9FFF))
NO_HAN = cover(SCALARS - HAN, ("大韓民國", "漢江"), ((IntervalSet.of("[("), HAN, HAN), (HAN, IntervalSet.of("]"))))


def test_membership_by_spans_and_by_residuals() -> None:
    """Every expression of up to three nodes on every text of up to two boundary characters."""
    compared = 0
    for size in (1, 2, 3):
        for language in languages(size):
            referee = Referee(language)
            for text in texts(2):
                compared += 1
                assert member(language, text) == referee.accepts(text), (language, text)

    assert compared >= 10_000


@settings(deadline=None)
@given(st.data())
def test_membership_of_drawn_languages(data: st.DataObject) -> None:
    """The same on larger expressions."""
    language = data.draw(draw.languages)
    text = data.draw(draw.texts_near(language))

    assert member(language, text) == Referee(language).accepts(text)


def test_viability_by_residuals_and_by_trying() -> None:
    """A beginning is viable iff some extension by up to three characters, one of each kind, is a member."""
    compared = 0
    for size in (1, 2):
        for language in languages(size):
            referee = Referee(language)
            extensions = [""]
            for length in range(4):
                extensions += [e + c for e in extensions if len(e) == length for c in referee.alphabet]
            for text in texts(1):
                compared += 1
                tried = any(member(language, text + extension) for extension in extensions)
                assert tried == referee.viable(text), (language, text)

    assert compared >= 300


@settings(deadline=None)
@given(draw.covers, draw.texts)
def test_violations_of_a_scope_by_residuals_and_by_marking(language: Cover, text: str) -> None:
    """The definition by occurrences, complete or begun, and the one by residuals."""
    assert first_violation(language, text) == Referee(language).first_violation(text)


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("", None),
        ("가", None),
        ("漢", 1),
        ("漢江", None),
        ("中", 1),
        ("a中", 2),
        ("大韓x", 2),
        ("大大", 1),
        ("漢江漢", 3),
        ("漢]", None),
        ("中]", None),
        ("[中", 2),
        ("[中江", None),
        ("[中江x", None),
        ("[中x", 2),
        ("[中]江]", None),
        ("中江]", 1),
        ("[大韓民國]", None),
    ],
)
def test_offsets(text: str, offset: int | None) -> None:
    """Worked by hand from the definition."""
    assert isinstance(NO_HAN, Cover)
    assert Referee(NO_HAN).first_violation(text) == offset
    assert first_violation(NO_HAN, text) == offset
    assert member(NO_HAN, text) is (offset is None)


def test_a_surrogate_is_in_no_language() -> None:
    """Not even in a complement."""
    everything = cover(SCALARS)

    assert not member(everything, "\ud800")
    assert Referee(everything).first_violation("a\udfff") == 1


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        (b"", ("", b"")),
        (b"a\xe4\xb8", ("a", b"\xe4\xb8")),
        (b"\xe4\xb8\xad", ("中", b"")),
        (b"\xf0\x9f\x98", ("", b"\xf0\x9f\x98")),
        (b"\xed\xa0", None),
        (b"\xf4\x90", None),
        (b"\xc0", None),
        (b"\x80", None),
        (b"\xe4a", None),
        (b"\xff", None),
    ],
)
def test_split(data: bytes, parts: tuple[str, bytes] | None) -> None:
    """Whole characters and a beginning, or malformed."""
    assert split(data) == parts


@pytest.mark.parametrize(
    ("rest", "bounds"),
    [
        (b"\xc2", (0x80, 0xBF)),
        (b"\xe0", (0x800, 0xFFF)),
        (b"\xed", (0xD000, 0xD7FF)),
        (b"\xee", (0xE000, 0xEFFF)),
        (b"\xf4", (0x100000, 0x10FFFF)),
        (b"\xf0\x90", (0x10000, 0x10FFF)),
        (b"\xf0\x9f\x98", (0x1F600, 0x1F63F)),
        (b"\xc1", None),
        (b"\xf5", None),
        (b"\xed\xa0", None),
    ],
)
def test_candidates(rest: bytes, bounds: tuple[int, int] | None) -> None:
    """What a beginning can become, by RFC 3629."""
    assert candidates(rest) == bounds
