"""Writes `tables/`: python -m langc.compiler.unicode.generate

Sources, all of Unicode 18.0: fontTools for Script, Script_Extensions and Block; unicodedata2 for
General_Category; the regex package for the binary properties, Word_Break and the aliases of blocks; the
emoji package for the emoji sequences (Emoji 18.0). The repertoires of encodings are those of Python's codecs.
The tables are committed, so that langc needs none of these data at run time, and a new release of a
source cannot change what a policy means; a test runs the generator and compares.

A table maps each value to its ranges, in hexadecimal and separated by blanks: `41-5A AA B5`. Surrogates
are left out. Whoever generates from other versions changes `UNICODE_VERSION` first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from langc.compiler.unicode import UNICODE_VERSION, aliases, encodings, strings
from langc.compiler.unicode.intervals import MAX_SYMBOL, SCALARS, IntervalSet
from langc.compiler.unicode.ranges import encode
from langc.compiler.unicode.ucd import UCD

FOLDER = Path(__file__).parent / "tables"
_COMMAND = "python -m langc.compiler.unicode.generate"
_WIDTH = 110

Table = Mapping[str, IntervalSet]


def render() -> dict[str, str]:
    """The text of every table, by file name."""
    scripts, names = _scripts()
    blocks = _blocks()
    return {
        "general_category.py": _file("General_Category", "unicodedata2", [("RANGES", _encode(_categories()))]),
        "script.py": _file("Script", "fonttools", [("RANGES", _encode(scripts)), ("NAMES", names)]),
        "script_extensions.py": _file("Script_Extensions", "fonttools", [("RANGES", _encode(_extensions(scripts)))]),
        "block.py": _file("Block", "fonttools", [("RANGES", _encode(blocks)), ("ALIASES", _block_aliases(blocks))]),
        "word_break.py": _file("Word_Break", "regex", [("RANGES", _encode(_word_breaks()))]),
        "binary.py": _file("Binary properties", "regex", [("RANGES", _encode(_binary()))]),
        "emoji_sequences.py": _file("Emoji sequences", "emoji", [("SEQUENCES", _sequences())]),
        "case_folding.py": _file("Full case folding", "regex", [("FOLDS", {"full": _case_folds()})]),
        "decomposition.py": _file("Decomposition", "unicodedata2", [("RANGES", _encode(_decomposable()))]),
        **_repertoires(),
    }


def main() -> None:
    """Write the files."""
    for name, text in render().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


# --- the properties -----------------------------------------------------------------------------------------------


def _categories() -> Table:
    runs = groupby(range(MAX_SYMBOL + 1), key=lambda c: str(UCD.category(chr(c))))
    return _by_value((cells[0], cells[-1], value) for value, run in runs for cells in [list(run)])


def _scripts() -> tuple[Table, dict[str, str]]:
    """The ranges by long name, and the long name of each four-letter code."""
    from fontTools.unicodedata import Scripts

    names = {code: Scripts.NAMES[code] for code in sorted(Scripts.NAMES)}
    pieces = _pieces(Scripts.RANGES, Scripts.VALUES)
    return _by_value((low, high, names[code]) for low, high, code in pieces), names


def _extensions(scripts: Table) -> Table:
    """The file lists the exceptions; all others have their script as the only value."""
    from fontTools.unicodedata import ScriptExtensions, Scripts

    exceptions = [(low, high, v) for low, high, v in _pieces(ScriptExtensions.RANGES, ScriptExtensions.VALUES) if v]
    excepted = IntervalSet(tuple((low, high) for low, high, _ in exceptions))
    listed = _by_value((low, high, Scripts.NAMES[code]) for low, high, codes in exceptions for code in codes)
    values = sorted({*scripts, *listed})
    return {v: (scripts.get(v, IntervalSet()) - excepted) | listed.get(v, IntervalSet()) for v in values}


def _blocks() -> Table:
    from fontTools.unicodedata import Blocks

    return _by_value((low, high, name) for low, high, name in _pieces(Blocks.RANGES, Blocks.VALUES))


def _block_aliases(blocks: Table) -> dict[str, str]:
    """The full name of a block by each of its other names, as `aliases.loose` spells them."""
    from regex import _regex_core

    numbers = _regex_core.PROPERTIES["BLOCK"][1]
    full = {numbers[aliases.loose(name).upper()]: name for name in blocks if aliases.loose(name).upper() in numbers}
    found = {key.lower(): full[number] for key, number in sorted(numbers.items()) if number in full}
    return {key: name for key, name in found.items() if key != aliases.loose(name)}


def _word_breaks() -> Table:
    return {value: _matching(f"Word_Break={value}") for value in sorted(aliases.WORD_BREAKS)}


def _binary() -> Table:
    return {name: _matching(name) for name in sorted(aliases.BINARY)}


def _matching(what: str) -> IntervalSet:
    import regex

    every = "".join(map(chr, range(MAX_SYMBOL + 1)))
    found = regex.finditer(rf"\p{{{what}}}+", every)
    return IntervalSet(tuple((m.start(), m.end() - 1) for m in found)) & SCALARS


def _case_folds() -> str:
    """Pairs `DF=73+73`. The regex package leaves the two letters that Turkish folds in its own way as they are."""
    import regex
    from regex import _regex

    flags = int(regex.FULLCASE | regex.IGNORECASE | regex.UNICODE)
    folds = {c: _regex.fold_case(flags, chr(c)) for c in SCALARS} | {0x49: "i", 0x130: "i\u0307"}
    return " ".join(f"{c:X}={'+'.join(f'{ord(f):X}' for f in text)}" for c, text in folds.items() if text != chr(c))


def _decomposable() -> Table:
    """The characters with a decomposition, by its kind: canonical, narrow and wide, or other compatibility."""
    kinds: dict[str, list[tuple[int, int]]] = {"canonical": [], "width": [], "compatibility": []}
    for c in SCALARS:
        mapping = UCD.decomposition(chr(c))
        if mapping:
            word = mapping.partition(" ")[0]
            kinds[
                "width" if word in ("<wide>", "<narrow>") else "compatibility" if word[0] == "<" else "canonical"
            ].append((c, c))
    return {kind: IntervalSet(tuple(found)) for kind, found in kinds.items()}


# --- sequences and encodings ----------------------------------------------------------------------------------------


def _sequences() -> dict[str, str]:
    """The fully qualified sequences and the components, by property of strings (UTS #51, definitions 20 to 27)."""
    from emoji import EMOJI_DATA, STATUS

    kept = (STATUS["fully_qualified"], STATUS["component"])
    found: dict[str, list[str]] = {name: [] for name in strings.PARTS}
    for text in sorted(text for text, data in EMOJI_DATA.items() if data["status"] in kept):
        found[_sequence_kind(text)].append("-".join(f"{ord(c):X}" for c in text))
    return {name: " ".join(words) for name, words in found.items()}


def _sequence_kind(text: str) -> str:
    last = ord(text[-1])
    if "\u200d" in text:
        return "RGI_Emoji_ZWJ_Sequence"
    if last == 0xE007F:
        return "RGI_Emoji_Tag_Sequence"
    if last == 0x20E3:
        return "Emoji_Keycap_Sequence"
    if len(text) == 2 and 0x1F1E6 <= last <= 0x1F1FF:
        return "RGI_Emoji_Flag_Sequence"
    if len(text) == 2 and 0x1F3FB <= last <= 0x1F3FF:
        return "RGI_Emoji_Modifier_Sequence"
    return "Basic_Emoji"


def _repertoires() -> dict[str, str]:
    """The module of each encoding. One that encodes what an earlier one does takes its table from there."""
    first: dict[IntervalSet, str] = {}
    modules = {}
    for name in encodings.NAMES:
        members = _repertoire(name)
        same = first.setdefault(members, name)
        body = f"\nRANGES: str = {_literal(encode(members), '')}\n"
        if same != name:
            body = f"\nfrom langc.compiler.unicode.tables.encodings.{same} import RANGES as RANGES\n"
        title = f"The code points that {name} encodes. Generated: do not edit."
        modules[f"encodings/{name}.py"] = _module(title, f"the codec {name} of CPython", body)
    return modules


def _repertoire(encoding: str) -> IntervalSet:
    """The code points that a codec encodes. Whole blocks that it has nothing of are passed over."""
    blocks = (SCALARS & IntervalSet.of((low, low + 0xFF)) for low in range(0, MAX_SYMBOL, 0x100))
    used = [b for b in blocks if "".join(map(chr, b)).encode(encoding, "ignore")]
    return IntervalSet.of(*(c for b in used for c in b if chr(c).encode(encoding, "ignore")))


# --- shaping and printing -------------------------------------------------------------------------------------------


def _pieces(starts: list[int], values: list[str]) -> Iterator[tuple[int, int, str]]:
    ends = [start - 1 for start in starts[1:]] + [MAX_SYMBOL]
    return zip(starts, ends, values, strict=True)


def _by_value(pieces: Iterable[tuple[int, int, str]]) -> Table:
    """The scalar values that have each value, by name; values that none has are left out."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    for low, high, value in pieces:
        ranges.setdefault(value, []).append((low, high))
    sets = {value: IntervalSet(tuple(found)) & SCALARS for value, found in sorted(ranges.items())}
    return {value: members for value, members in sets.items() if members}


def _encode(table: Table) -> dict[str, str]:
    return {name: encode(members) for name, members in table.items()}


def _file(title: str, source: str, tables: list[tuple[str, dict[str, str]]]) -> str:
    title = f"{title} of Unicode {UNICODE_VERSION}. Generated: do not edit."
    source = f"{source} {version(source)}. Data © Unicode, Inc., see LICENSE-UNICODE in this folder"
    return _module(title, source, "".join(f"\n{name}: dict[str, str] = {{\n{_rows(t)}}}\n" for name, t in tables))


def _module(title: str, source: str, body: str) -> str:
    return f'''"""{title}

Generator: {_COMMAND}
Source: {source}.
"""
{body}'''


def _rows(table: dict[str, str]) -> str:
    return "".join(f'    "{key}": {_literal(value, "    ")},\n' for key, value in table.items())


def _literal(value: str, indent: str) -> str:
    """A string; a long one is cut into adjacent literals, so that a change shows as a few lines."""
    lines = [""]
    for word in value.split(" "):
        if len(lines[-1]) + len(word) > _WIDTH:
            lines.append("")
        lines[-1] += word + " "
    lines[-1] = lines[-1][:-1]
    if len(lines) == 1:
        return f'"{lines[0]}"'
    return "(\n" + "".join(f'{indent}    "{line}"\n' for line in lines) + f"{indent})"


if __name__ == "__main__":
    main()
