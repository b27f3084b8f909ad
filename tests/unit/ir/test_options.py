"""What the options of phrases and terms mean, and which go together."""

from __future__ import annotations

import pytest

from langc.compiler.errors import PolicyError
from langc.compiler.ir.options import PHRASE_OPTIONS, TERM_OPTIONS, Matching, matching
from langc.compiler.ir.phrases import Side
from langc.compiler.source import Source
from langc.compiler.syntax import ast
from langc.compiler.syntax.parse import parse_form
from langc.compiler.unicode.folding import Decomposition, Folding, Space


def read(options: str, known: str = "phrase") -> Matching:
    """The meaning of what stands between the braces, of a phrase or of a term."""
    source = Source("<test>", f'policy p {{ deny phrase "x" {{ {options} }} }}')
    rule = parse_form(source).file.policies[0].items[0]
    assert isinstance(rule, ast.DenyPhrases)
    return matching(rule.options, source, PHRASE_OPTIONS if known == "phrase" else TERM_OPTIONS)


def test_no_options() -> None:
    """Nothing in the braces is as good as no braces: the exact characters, anywhere, as late as possible."""
    assert matching(None, Source("<test>", "")) == read("") == Matching()


@pytest.mark.parametrize(
    ("options", "folding"),
    [
        ("ignore case", Folding(case=True)),
        ("ignore width;", Folding(width=True)),
        ("ignore space", Folding(space=Space.RUN)),
        ("ignore invisible", Folding(invisible=True)),
        ("ignore case, width, space, invisible", Folding(True, True, True, Space.RUN)),
        ("ignore case; ignore width", Folding(case=True, width=True)),
        ("space any", Folding(space=Space.ANY)),
        ("normalization nfc", Folding(decomposition=Decomposition.CANONICAL)),
        ("normalization nfd", Folding(decomposition=Decomposition.CANONICAL)),
        ("normalization nfkc", Folding(decomposition=Decomposition.COMPATIBILITY)),
        ("normalization nfkd; space any", Folding(space=Space.ANY, decomposition=Decomposition.COMPATIBILITY)),
    ],
)
def test_what_is_looked_through(options: str, folding: Folding) -> None:
    """Each option sets one thing."""
    assert read(options) == Matching(folding)


@pytest.mark.parametrize(
    ("options", "left", "right"),
    [
        ("boundary none", Side.OPEN, Side.OPEN),
        ("boundary left", Side.WORD, Side.OPEN),
        ("boundary right", Side.OPEN, Side.SCRIPT),
        ("boundary both", Side.WORD, Side.SCRIPT),
        ("boundary left word", Side.WORD, Side.OPEN),
        ("boundary left script", Side.SCRIPT, Side.OPEN),
        ("boundary right word", Side.OPEN, Side.WORD),
        ("boundary right script", Side.OPEN, Side.SCRIPT),
        ("boundary both word", Side.WORD, Side.WORD),
        ("boundary both script", Side.SCRIPT, Side.SCRIPT),
        ("boundary left, right", Side.WORD, Side.SCRIPT),
        ("boundary left script; boundary right word", Side.SCRIPT, Side.WORD),
    ],
)
@pytest.mark.parametrize("known", ["phrase", "term"])
def test_boundaries(options: str, left: Side, right: Side, known: str) -> None:
    """By default a word's on the left and a script's on the right, so that `admin이` ends at the particle."""
    assert read(options, known) == Matching(left=left, right=right)


@pytest.mark.parametrize(("options", "early"), [("early", True), ("late", False), ("early; ignore case", True)])
def test_strength(options: str, early: bool) -> None:
    """`late` is what goes without saying."""
    assert read(options).early == early


@pytest.mark.parametrize(
    "options",
    [
        "ignore case; ignore case",
        "ignore case, case",
        "boundary both; boundary left",
        "boundary right; boundary both",
        "normalization nfc; normalization nfd",
        "late; late",
    ],
)
def test_what_is_said_twice_alike_is_fine(options: str) -> None:
    """Two options that agree are no contradiction."""
    first = options.split(";")[0]

    assert read(options) in (read(first), read("boundary both"))


@pytest.mark.parametrize(
    "options",
    [
        "early; late",
        "ignore space; space any",
        "normalization nfc; normalization nfkc",
        "boundary none; boundary left",
        "boundary both script; boundary both word",
        "boundary left, left script",
    ],
)
def test_contradictions(options: str) -> None:
    """The second one is blamed, and the first one shown."""
    with pytest.raises(PolicyError) as caught:
        read(options)

    (found,) = caught.value.diagnostics
    assert found.code == "LC0331"
    assert len(found.secondary) == 1


@pytest.mark.parametrize(
    "options",
    [
        *("ignore", "ignore caes", "ignore case width", "space", "space run", "normalization", "normalization nfx"),
        *("boundary", "boundary both left", "boundary word", "early late", "confusables", "script"),
    ],
)
def test_unknown_options(options: str) -> None:
    """What has no meaning here is no option, whatever its first word."""
    with pytest.raises(PolicyError, match="LC0330"):
        read(options)


@pytest.mark.parametrize(
    "options", ["ignore space", "ignore invisible", "space any", "normalization nfc", "early", "late"]
)
def test_options_that_terms_have_not(options: str) -> None:
    """A term is given back character by character, so nothing in it can be passed over."""
    with pytest.raises(PolicyError, match="LC0330"):
        read(options, "term")


def test_terms_fold_case_and_width() -> None:
    """A character for each character."""
    assert read("ignore case, width", "term") == Matching(Folding(case=True, width=True))
