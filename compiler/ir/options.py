"""What the options of phrases and terms say: `{ ignore case, width; boundary left; confusables "FILE"; }`.

Invariant: every word is either understood or an error; two options never say different things of one matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError
from langc.compiler.ir.phrases import Side
from langc.compiler.source import Source
from langc.compiler.suggest import did_you_mean
from langc.compiler.syntax import ast
from langc.compiler.unicode import names
from langc.compiler.unicode.confusables import Confusables
from langc.compiler.unicode.folding import Decomposition, Folding, Space

_Values = Mapping[str, Any]
"""New values of fields of `Matching`, or of its folding."""

_IGNORE: dict[str, _Values] = {
    "case": {"case": True},
    "width": {"width": True},
    "space": {"space": Space.RUN},
    "invisible": {"invisible": True},
}
_NORMALIZATION: dict[str, _Values] = {
    "nfc": {"decomposition": Decomposition.CANONICAL},
    "nfd": {"decomposition": Decomposition.CANONICAL},
    "nfkc": {"decomposition": Decomposition.COMPATIBILITY},
    "nfkd": {"decomposition": Decomposition.COMPATIBILITY},
}
_BOUNDARY: dict[str, _Values] = {
    "none": {"left": Side.OPEN, "right": Side.OPEN},
    "left": {"left": Side.WORD},
    "left word": {"left": Side.WORD},
    "left script": {"left": Side.SCRIPT},
    "right": {"right": Side.SCRIPT},
    "right word": {"right": Side.WORD},
    "right script": {"right": Side.SCRIPT},
    "both": {"left": Side.WORD, "right": Side.SCRIPT},
    "both word": {"left": Side.WORD, "right": Side.WORD},
    "both script": {"left": Side.SCRIPT, "right": Side.SCRIPT},
}
_Known = Mapping[str, _Values]
"""The words behind the first word of an option."""
_FILE = "confusables"
"""The option with a string behind it, its file."""

PHRASE_OPTIONS: dict[str, _Known] = {
    "ignore": _IGNORE,
    "space": {"any": {"space": Space.ANY}},
    "normalization": _NORMALIZATION,
    "boundary": _BOUNDARY,
    "early": {"": {"early": True}},
    "late": {"": {"early": False}},
    _FILE: {},
}
TERM_OPTIONS: dict[str, _Known] = {
    "ignore": {word: _IGNORE[word] for word in ("case", "width")},
    "boundary": _BOUNDARY,
}
"""A term is given back character by character, so nothing in it can be passed over."""


@dataclass(frozen=True)
class Matching:
    """How phrases or terms are compared with a text."""

    folding: Folding = field(default_factory=Folding)
    left: Side = Side.OPEN
    right: Side = Side.OPEN
    early: bool = False


ReadTable = Callable[[ast.Text], Confusables]
"""Reads the file of an option. Raises PolicyError or LimitError."""


def matching(
    options: ast.Options | None,
    source: Source,
    known: Mapping[str, _Known] | None = None,
    read: ReadTable | None = None,
) -> Matching:
    """The matching that the options ask for.

    Args:
        options: as written; None is none.
        source: where they stand.
        known: the options that there are here; those of phrases if it is left out.
        read: a way to the files that they name.

    Raises:
        PolicyError: an option that there is none of (LC0330), or that contradicts another (LC0331); a file that is no
            table of confusable characters, or none under the other options (LC0336).
        ValueError: they name a file, and `read` is None.
    """
    reader = _Reader(source, PHRASE_OPTIONS if known is None else known, read)
    for option in options.options if options else ():
        for fields in reader.read(option):
            reader.take(fields, option)
    folding = replace(Folding(), **{k: v for k, v in reader.values.items() if hasattr(Folding, k)})
    _refuse_endless(folding, reader)
    return replace(Matching(folding), **{k: v for k, v in reader.values.items() if not hasattr(Folding, k)})


def _refuse_endless(folding: Folding, reader: _Reader) -> None:
    symbol = folding.endless
    if symbol is not None:
        message = f"what {names.describe(symbol)} is confused with has no end under these options"
        help_ = "its prototype leads back to it, or grows: mend the file, or leave out `ignore case` or `normalization`"
        place = Label(reader.source, reader.seen[_FILE].span)
        raise PolicyError(Diagnostic("LC0336", message, place, help=help_))


@dataclass
class _Reader:
    source: Source
    known: Mapping[str, _Known]
    read_table: ReadTable | None
    values: dict[str, Any] = field(default_factory=dict)
    seen: dict[str, ast.Option] = field(default_factory=dict)

    def read(self, option: ast.Option) -> list[_Values]:
        """The fields that an option sets: its first word says what about, the commas part what it says."""
        head, *rest = option.parts[0].words
        if head not in self.known:
            raise self._wrong(option, head, list(self.known))
        texts = [part.text for part in option.parts if part.text is not None]
        if head == _FILE:
            return [{_FILE: self._table(option, texts)}]
        if texts:
            message, help_ = "only `confusables` has a file behind it", "leave the string out"
            raise PolicyError(Diagnostic("LC0330", message, Label(self.source, texts[0].span), help=help_))
        words = [" ".join(rest), *(" ".join(part.words) for part in option.parts[1:])]
        return [self._meaning(head, word, option) for word in words]

    def _table(self, option: ast.Option, texts: list[ast.Text]) -> Confusables:
        if option != ast.Option((ast.Words((_FILE,), texts[0] if texts else None),)) or not texts:
            message = "`confusables` is written with the file of the data behind it, and nothing else"
            help_ = '`confusables "confusables.txt";` with the file that Unicode publishes for UTS #39'
            raise PolicyError(Diagnostic("LC0330", message, Label(self.source, option.span), help=help_))
        if self.read_table is None:
            raise ValueError("the policy names a file, which link() has to read")
        return self.read_table(texts[0])

    def _meaning(self, head: str, word: str, option: ast.Option) -> _Values:
        known = self.known[head]
        if word not in known:
            raise self._wrong(option, f"{head} {word}".strip(), [f"{head} {k}".strip() for k in known])
        return known[word]

    def take(self, fields: _Values, option: ast.Option) -> None:
        """Keep the values, which no other option may gainsay."""
        for name, value in fields.items():
            if self.values.setdefault(name, value) != value:
                raise PolicyError(
                    Diagnostic(
                        "LC0331",
                        "these options contradict each other",
                        Label(self.source, option.span),
                        (Label(self.source, self.seen[name].span, "said otherwise here"),),
                        help="keep one of them",
                    )
                )
            self.seen.setdefault(name, option)

    def _wrong(self, option: ast.Option, word: str, known: list[str]) -> PolicyError:
        listed = ", ".join(f"`{k}`" for k in known)
        near = None if all(k.startswith(f"{word} ") for k in known) else did_you_mean(word, known)
        help_ = near or f"options here are {listed}"
        return PolicyError(
            Diagnostic("LC0330", f"there is no option `{word}` here", Label(self.source, option.span), help=help_)
        )
