"""The file of confusable characters: what is read of it, and what is wrong in it."""

from __future__ import annotations

from pathlib import Path

import pytest

import langc
from langc.compiler.errors import PolicyError
from langc.compiler.ir.phrases import Phrase
from langc.compiler.ir.read_confusables import read_confusables
from langc.compiler.limits import MAX_DIAGNOSTICS, MAX_PROTOTYPE_LENGTH
from langc.compiler.policy import Policy
from langc.compiler.source import Source
from langc.compiler.syntax.read import read_source
from langc.compiler.unicode.confusables import Confusables
from langc.compiler.unicode.folding import Folding, Space
from tests.oracle.phrases import CONFUSABLES

TABLE = read_confusables(read_source(CONFUSABLES))
PUBLISHED = CONFUSABLES.read_text("utf-8")


def read(text: str) -> Confusables:
    """The table in a text."""
    return read_confusables(Source.of("confusables.txt", text))


def spelled(text: str, folding: Folding) -> str:
    """The atoms of a text as text."""
    return "".join(chr(atom) for c in text for atom in folding.atoms(ord(c)))


def policy(folder: Path, options: str, phrase: str = "paypal", data: str = PUBLISHED) -> Policy:
    """A policy that denies a phrase, beside its data."""
    (folder / "data.txt").write_text(data, "utf-8")
    (folder / "p.policy").write_text(f'policy p {{ deny phrase "{phrase}" {{ {options} }} }}', "utf-8")
    return langc.load_policy(folder / "p.policy")


def test_the_published_form() -> None:
    """Every line but comments, the byte order mark skipped, sources of any plane, targets of several characters."""
    assert PUBLISHED.startswith("\ufeff#")
    assert len(TABLE.prototypes) == 34
    assert TABLE.prototypes[0x6D] == (0x72, 0x6E)
    assert TABLE.prototypes[0x1D400] == (0x41,)
    assert len(TABLE.prototypes[0xFDFA]) == 18


@pytest.mark.parametrize(
    ("text", "prototypes"),
    [
        ("0061;0062;MA", {0x61: (0x62,)}),
        (" 0061\t; 0062  0063 ;MA\r\n\r\n#0064 ; 0065 ; MA\n10FFFF ; 0000 ; MA # x ; y", {}),
        ("\ufeff0061 ; 0062 ; MA\n", {0x61: (0x62,)}),
        ("00aF ; 00bE ; MA", {0xAF: (0xBE,)}),
    ],
)
def test_layout_does_not_matter(text: str, prototypes: dict[int, tuple[int, ...]]) -> None:
    """Blanks, line ends, small letters, comments."""
    expected = prototypes or {0x61: (0x62, 0x63), 0x10FFFF: (0,)}

    assert read(text).prototypes == expected
    assert read(text) == Confusables.of(expected)


def test_tables_are_compared_by_their_pairs() -> None:
    """Order and comments do not matter, every pair does."""
    one, other = read("0061 ; 0062 ; MA\n0063 ; 0064 ; MA"), read("# x\n0063 ; 0064 ; MA\n0061 ; 0062 ; MA # y")

    assert one == other
    assert hash(one) == hash(other)
    assert len({one.digest, read("0061 ; 0062 ; MA").digest, read("0061 ; 0062 0063 ; MA").digest}) == 3


@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("0061", "0061"),
        ("0061 ; 0062", "0061 ; 0062"),
        ("0061 ; 0062 ; MA ; x # y", "0061 ; 0062 ; MA ; x"),
        ("0061 ; 0062 ; SL", "SL"),
        ("0061 ; 0062 ;", ""),
        ("0061 ; ; MA", ""),
        ("; 0062 ; MA", ""),
        ("0061 0062 ; 0063 ; MA", "0061 0062"),
        ("61 ; 0062 ; MA", "61"),
        ("U+0061 ; 0062 ; MA", "U+0061"),
        ("0061 ; 0062 xyzt ; MA", "0062 xyzt"),
        ("D800 ; 0062 ; MA", "D800"),
        ("110000 ; 0062 ; MA", "110000"),
        ("0061 ; " + "0062 " * (MAX_PROTOTYPE_LENGTH + 1) + "; MA", ("0062 " * (MAX_PROTOTYPE_LENGTH + 1)).strip()),
        ("0058 ; 0062 ; MA", "0058 ; 0062 ; MA"),
    ],
)
def test_malformed_lines(line: str, at: str) -> None:
    """The field at fault is shown, in its line."""
    text = f"# head\n0058 ; 0059 ; MA\n{line}\n"
    with pytest.raises(PolicyError) as caught:
        read(text)

    (found,) = caught.value.diagnostics
    assert found.code == "LC0336"
    assert found.primary is not None
    assert found.primary.source.text[found.primary.span.start : found.primary.span.end] == at
    assert found.primary.source.line_column(found.primary.span.start)[0] == 3


@pytest.mark.parametrize("text", ["", "# nothing\n\n", "\n" * 3])
def test_a_file_without_prototypes(text: str) -> None:
    """It is the wrong one."""
    with pytest.raises(PolicyError, match="LC0336"):
        read(text)


def test_not_every_fault_is_shown() -> None:
    """A file that is something else altogether has a line for each."""
    with pytest.raises(PolicyError) as caught:
        read("deny [a];\n" * 1_000)

    assert len(caught.value.diagnostics) == MAX_DIAGNOSTICS


# --- folding ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folding", "text", "expected"),
    [
        (Folding(confusables=TABLE), "раураl", "paypal"),
        (Folding(confusables=TABLE), "modern", "rnodern"),
        (Folding(confusables=TABLE), "é\u0340", "e\u0301\u0300"),
        (Folding(confusables=TABLE), "그", "\u1100ー"),
        (Folding(confusables=TABLE), "Мℳ", "Мℳ"),
        (Folding(confusables=TABLE, case=True), "МIꝹβ0", "мiꝺsso"),
        (Folding(confusables=TABLE, space=Space.ANY), "a\u2001b\u00a0", "ab"),
    ],
)
def test_skeletons(folding: Folding, text: str, expected: str) -> None:
    """Decomposed, mapped, decomposed, and folded again by the other steps."""
    assert spelled(text, folding) == expected


@pytest.mark.parametrize("case", [False, True])
@pytest.mark.parametrize("space", list(Space))
def test_folding_twice_is_folding_once(case: bool, space: Space) -> None:
    """Atoms are their own atoms, and what is not among the changed is its own."""
    folding = Folding(case, case, not case, space, confusables=TABLE)
    atoms = {atom for symbol in folding.changed for atom in folding.atoms(symbol)}

    assert folding.endless is None
    assert [a for a in atoms if folding.atoms(a) != (a,)] == []
    assert [c for c in range(0x3000) if c not in folding.changed and folding.atoms(c) != (c,)] == []


def test_a_prototype_of_a_prototype() -> None:
    """A user's own table may lead on; the last one counts."""
    folding = Folding(confusables=read("0061 ; 0062 ; MA\n0062 ; 0063 0064 ; MA\n0064 ; 00E9 ; MA"))

    assert spelled("a", folding) == "cé".replace("é", "e\u0301")


@pytest.mark.parametrize(
    ("data", "options", "character"),
    [
        ("0061 ; 0062 ; MA\n0062 ; 0061 ; MA", "", "U+0061"),
        ("0061 ; 0061 0061 ; MA", "", "U+0061"),
        ("0062 ; 0041 ; MA\n0061 ; 0042 ; MA", "ignore case;", "U+0062"),
        ("\n".join(f"{0x4E00 + n:04X} ; {0x4E01 + n:04X} ; MA" for n in range(2_000)), "", "U+4E00"),
        ("\n".join(f"{0x4E00 + n:04X} ; {' '.join([f'{0x4E01 + n:04X}'] * 9)} ; MA" for n in range(30)), "", "U+4E00"),
    ],
)
def test_mappings_without_an_end(tmp_path: Path, data: str, options: str, character: str) -> None:
    """Circles, growth and long chains are one error at the option."""
    with pytest.raises(PolicyError) as caught:
        policy(tmp_path, f'{options} confusables "data.txt";', data=data)

    (found,) = caught.value.diagnostics
    assert found.code == "LC0336"
    assert character in found.message
    assert found.primary is not None
    assert found.primary.source.text[found.primary.span.start : found.primary.span.end] == 'confusables "data.txt"'


# --- phrases ----------------------------------------------------------------------------------------------------


def test_phrases_that_look_alike(tmp_path: Path) -> None:
    """The phrase is mapped as well, whole characters on both sides."""
    made = policy(tmp_path, 'confusables "data.txt";', "modern")
    texts = "modern rnodern modem rnodem mоdern MODERN moder rn"

    assert [t for t in texts.split() if not made.accepts(t)] == ["modern", "rnodern", "modem", "rnodem"]


def test_what_is_written_in_another_script(tmp_path: Path) -> None:
    """The violation is the character that completes the phrase, or behind it while a mark may follow."""
    made = policy(tmp_path, 'confusables "data.txt"; ignore case, invisible;')

    assert [made.first_violation(t) for t in ("раypal.", "Pа\u200bYPAL!", "раура1 ", "paypal\u0301", "paуpaĺ")] == [
        *(6, 7, 6),
        *(None, None),
    ]


def test_a_phrase_of_which_nothing_is_left(tmp_path: Path) -> None:
    """As without prototypes: a blank that looks like nothing is no phrase."""
    with pytest.raises(PolicyError, match="LC0332"):
        policy(tmp_path, 'confusables "data.txt"; space any;', "\\u{2001}")


def test_the_hash_takes_in_the_data(tmp_path: Path) -> None:
    """Another prototype anywhere is another policy; a comment is not."""
    hashes = [
        policy(tmp_path, 'confusables "data.txt";', data=data).hash
        for data in (PUBLISHED, PUBLISHED + "# more\n", PUBLISHED + "0078 ; 0079 ; MA\n")
    ]

    assert hashes[0] == hashes[1]
    assert hashes[0] != hashes[2]
    assert f"confusables={TABLE.digest}" in Phrase("a", Folding(confusables=TABLE)).key


def test_two_files_contradict_each_other(tmp_path: Path) -> None:
    """Unless they say the same."""
    (tmp_path / "more.txt").write_text("0061 ; 0062 ; MA", "utf-8")
    policy(tmp_path, 'confusables "data.txt"; confusables "data.txt";')
    with pytest.raises(PolicyError, match="LC0331"):
        policy(tmp_path, 'confusables "data.txt"; confusables "more.txt";')


@pytest.mark.parametrize(
    "options",
    [
        *("confusables", 'confusables "data.txt", case', 'confusables any "data.txt"', 'confusables "data.txt" , "x" '),
        *('ignore case "data.txt"', 'early "data.txt"', 'normalization nfc "x"'),
    ],
)
def test_how_it_is_written(tmp_path: Path, options: str) -> None:
    """The file belongs to this option, and this option has one file."""
    with pytest.raises(PolicyError, match=r"LC0330|LC0101"):
        policy(tmp_path, options)


def test_a_text_in_no_file_names_none() -> None:
    """There is no folder to look in."""
    with pytest.raises(PolicyError, match="LC0322"):
        langc.parse_policy('policy p { deny phrase "a" { confusables "data.txt"; } }')


def test_terms_look_through_nothing(tmp_path: Path) -> None:
    """A term is given back as it stands."""
    (tmp_path / "p.policy").write_text('policy p { allow "ab" { confusables "data.txt"; } }', "utf-8")
    with pytest.raises(PolicyError, match="LC0330"):
        langc.load_policy(tmp_path / "p.policy")
