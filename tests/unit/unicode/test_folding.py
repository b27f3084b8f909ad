"""What phrases look through: the atoms of each character, by examples and against other sources."""

from __future__ import annotations

from itertools import product
from unicodedata import category, normalize

import pytest

from langc.compiler.unicode.folding import SPACE, Decomposition, Folding, Space
from langc.compiler.unicode.intervals import SCALARS

PLAIN = Folding()
CASE = Folding(case=True)
WIDTH = Folding(width=True)
INVISIBLE = Folding(invisible=True)
CANONICAL = Folding(decomposition=Decomposition.CANONICAL)
COMPATIBILITY = Folding(decomposition=Decomposition.COMPATIBILITY)
EVERYTHING = Folding(True, True, True, Space.RUN, Decomposition.COMPATIBILITY)


def folded(folding: Folding, text: str) -> str:
    """The atoms of a text in a row, as a text."""
    return "".join(chr(atom) for c in text for atom in folding.atoms(ord(c)))


@pytest.mark.parametrize("text", ["Aßé", "Ａｶ", "\u200b\u3000", "가각", "ﬁ①"])
def test_nothing_changes_by_itself(text: str) -> None:
    """Without options every character is its own atom."""
    assert folded(PLAIN, text) == text
    assert not PLAIN.changed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AI ai", "ai ai"),
        ("ΣΑΣΣ ς", "σασσ σ"),
        ("STRASSE ẞ ß", "strasse ss ss"),
        ("I", "i"),  # not the dotless ı of Turkish
        ("İ", "i\u0307"),
        ("ı", "ı"),
        ("\u212a", "k"),  # the sign of Kelvin
        ("ﬁ", "fi"),
        ("ſ", "s"),
        ("ǅ", "ǆ"),
        ("가漢", "가漢"),
    ],
)
def test_case(text: str, expected: str) -> None:
    """Full case folding: one character can become several."""
    assert folded(CASE, text) == expected


def test_case_is_that_of_python() -> None:
    """A second source; characters that this Python does not know are left out."""
    known = [c for c in SCALARS if category(chr(c)) != "Cn"]
    different = [c for c in known if (chr(c).casefold() != chr(c)) != (c in CASE.changed)]

    assert different == []
    assert [c for c in known if c in CASE.changed and folded(CASE, chr(c)) != chr(c).casefold()] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ａｂ０！", "Ab0!"),
        ("ｶﾞ", "カ\u3099"),  # a mark of its own: half-width ga is not the one character ガ
        ("ﾡ", "\u3131"),  # the letter ㄱ as people type it, and no part of a syllable
        ("￣", "¯"),
        ("￦", "₩"),
        ("\u3000", " "),
        ("㍿①ﬁé", "㍿①ﬁé"),
    ],
)
def test_width(text: str, expected: str) -> None:
    """Wide and narrow forms alone, and no other compatibility."""
    assert folded(WIDTH, text) == expected


@pytest.mark.parametrize("symbol", [0xAD, 0x034F, 0x115F, 0x180B, 0x200B, 0x200D, 0x202E, 0x2060, 0x3164, 0xFE0F])
def test_invisible(symbol: int) -> None:
    """Default ignorable characters have no atoms."""
    assert INVISIBLE.atoms(symbol) == ()


@pytest.mark.parametrize("symbol", [0x20, 0xA0, 0x0301, 0x0600, 0xFFFC])
def test_what_is_seen_is_not_invisible(symbol: int) -> None:
    """Blanks, marks, visible format characters and objects stay."""
    assert INVISIBLE.atoms(symbol) == (symbol,)


@pytest.mark.parametrize("symbol", [0x09, 0x0A, 0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2003, 0x2028, 0x3000])
def test_white_space(symbol: int) -> None:
    """Each is a blank where runs are one, and nothing where words may stand together."""
    assert Folding(space=Space.RUN).atoms(symbol) == (SPACE,)
    assert Folding(space=Space.ANY).atoms(symbol) == ()


@pytest.mark.parametrize("symbol", [0x200B, 0x2060, 0xFEFF])
def test_zero_width_space_is_no_white_space(symbol: int) -> None:
    """It is invisible instead."""
    assert Folding(space=Space.ANY).atoms(symbol) == (symbol,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("é", "e\u0301"),
        ("ế", "e\u0302\u0301"),  # by two mappings in a row
        ("각", "\u1100\u1161\u11a8"),
        ("Å\u212b", "A\u030aA\u030a"),
        ("\uf900", "豈"),
        ("①ﬁ", "①ﬁ"),
        ("e\u0301\u0327", "e\u0301\u0327"),  # the marks are not put in order
    ],
)
def test_canonical(text: str, expected: str) -> None:
    """Each character is taken apart where it stands."""
    assert folded(CANONICAL, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("①ﬁ²", "1fi2"),
        ("Ａ", "A"),
        ("㈎", "(\u1100\u1161)"),
        ("\u3131", "\u1100"),
        ("𝐀", "A"),
        ("é", "e\u0301"),
        ("\ufdfa", "صلى الله عليه وسلم"),
    ],
)
def test_compatibility(text: str, expected: str) -> None:
    """Canonical, wide and narrow forms among it."""
    assert folded(COMPATIBILITY, text) == expected


@pytest.mark.parametrize(("folding", "form"), [(CANONICAL, "NFD"), (COMPATIBILITY, "NFKD")])
def test_decomposition_is_that_of_python(folding: Folding, form: str) -> None:
    """A second source; a single character has no marks to put in order."""
    known = [chr(c) for c in SCALARS if category(chr(c)) != "Cn"]
    changed = [c for c in known if normalize(form, c) != c]  # type: ignore[arg-type]

    assert [c for c in changed if folded(folding, c) != normalize(form, c)] == []  # type: ignore[arg-type]
    assert [c for c in known if ord(c) in folding.changed] == changed


@pytest.mark.parametrize(
    ("folding", "text", "expected"),
    [
        (Folding(case=True, decomposition=Decomposition.COMPATIBILITY), "𝐀ℌ", "ah"),
        (Folding(case=True, width=True), "Ａ", "a"),
        (Folding(case=True, decomposition=Decomposition.CANONICAL), "É\u212b", "e\u0301a\u030a"),
        (Folding(space=Space.RUN, decomposition=Decomposition.COMPATIBILITY), "\xa0", " "),
        (Folding(space=Space.ANY, width=True), "\u3000", ""),
        (Folding(space=Space.ANY, decomposition=Decomposition.COMPATIBILITY), "\ufdfa", "صلىاللهعليهوسلم"),
        (Folding(invisible=True, width=True), "\uffa0", ""),  # the half-width filler, invisible itself
    ],
)
def test_what_a_step_brings_up_is_folded_again(folding: Folding, text: str, expected: str) -> None:
    """A character that decomposes to a capital is the small letter."""
    assert folded(folding, text) == expected


FLAGS = (False, True)


@pytest.mark.parametrize("case", FLAGS)
@pytest.mark.parametrize(("space", "decomposition"), list(product(Space, Decomposition)))
def test_folding_twice_is_folding_once(case: bool, space: Space, decomposition: Decomposition) -> None:
    """Atoms are their own atoms, but for runs, which are taken together elsewhere."""
    folding = Folding(case, case, not case, space, decomposition)
    atoms = {atom for symbol in folding.changed for atom in folding.atoms(symbol)}

    assert [a for a in atoms if folding.atoms(a) != (a,)] == []


@pytest.mark.parametrize("folding", [CASE, WIDTH, INVISIBLE, CANONICAL, COMPATIBILITY, EVERYTHING])
def test_what_is_not_among_the_changed_is_its_own_atom(folding: Folding) -> None:
    """The set is what automata are built from: nothing outside of it folds."""
    others = list(SCALARS - folding.changed)[::29]

    assert len(others) > 30_000
    assert [c for c in others if folding.atoms(c) != (c,)] == []
