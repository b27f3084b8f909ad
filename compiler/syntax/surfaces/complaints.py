"""Puts into words where and why reading a surface stopped: exactly one diagnostic for each failure."""

from __future__ import annotations

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.source import Source, Span
from langc.compiler.suggest import closest
from langc.compiler.syntax.lalr import END, UNKNOWN, Unexpected
from langc.compiler.unicode import names

_CLOSERS = {"LSQB": "]", "LPAR": ")", "BODY": "}"}
_LOOK_ALIKES = {
    **dict.fromkeys("“”„‟«»＂「」‘’", '"'),
    **dict.fromkeys("；\u037e", ";"),
    **dict.fromkeys("，、､", ","),
    **dict(zip("［］｛｝（）｜＝＊＋？", "[]{}()|=*+?", strict=True)),
    "-": "_",
    ".": ".*",
    "!": "not",
    ">": "=>",
}
_NOUNS = {
    "NAME": "a name",
    "CALLED": "a name with `(` behind it",
    "STRING": "a string",
    "REGEX": "`/…/`",
    "INTEGER": "a number",
    END: "the end of the file",
}
_NAMES = frozenset(
    {
        *("SURFACE", "REFINES", "PATTERN", "MUNCH", "TOKEN", "SKIP", "KEYWORDS"),
        *("SORT", "OF", "ENV", "FROM", "SCOPE", "OPAQUE", "LEVEL"),
    }
)
"""Keywords that are names where a name fits."""
_ITEMS = frozenset({"TOKEN", "SKIP", "KEYWORDS", "SORT", "ENV", "SCOPE", "LEVEL"})
_ELEMENTS = frozenset({"STRING", "NAME", "CALLED", "LPAR", "LSQB", "IN", "ACTION"})
_MARKS = frozenset({"QMARK", "STAR", "PLUS"})


def complain(source: Source, place: Span, error: Unexpected) -> Diagnostic:
    """The diagnostic of a syntax error in the surface that stands at a place."""
    return _Complaint(source, place.start, error).diagnostic()


class _Complaint:
    def __init__(self, source: Source, offset: int, error: Unexpected) -> None:
        self.source, self.offset, self.error, self.token = source, offset, error, error.token
        self.acceptable = error.acceptable()

    def diagnostic(self) -> Diagnostic:
        if self.token.kind == UNKNOWN:
            return self._unknown()
        return self._unclosed() or self._missing_semicolon() or self._unexpected()

    def _label(self, span: Span, message: str = "") -> Label:
        return Label(self.source, Span(span.start + self.offset, span.end + self.offset), message)

    def _unknown(self) -> Diagnostic:
        sign = self.token.text
        if sign in ('"', "'"):
            return self._unclosed_string(sign)
        meant = _LOOK_ALIKES.get(sign)
        help_ = f"did you mean `{meant}`?" if meant else None
        if sign == "/":
            help_ = "a regular expression stands between slashes on one line; a comment begins with `#`"
        message = f"unexpected character {names.show(ord(sign))}"
        return Diagnostic("LC0105", message, self._label(self.token.span, f"expected {self._expected()}"), help=help_)

    def _unclosed_string(self, sign: str) -> Diagnostic:
        start = self.token.span.start
        end = self.source.text.find("\n", start + self.offset)
        end = (len(self.source.text) if end < 0 else end) - self.offset
        return Diagnostic(
            "LC0102",
            "this string is not closed on its line",
            self._label(Span(end, end), f"expected `{sign}`"),
            (self._label(Span(start, start + 1), "opened here"),),
            help=r"a line end inside a string is written `\n`",
        )

    def _unclosed(self) -> Diagnostic | None:
        """Something opened cannot go on, because the surface or the thing around it ends."""
        if self.token.kind not in (END, "SEMICOLON", "RBRACE"):
            return None
        opener = next(((symbol, span) for symbol, span in self.error.symbols() if symbol in _CLOSERS), None)
        if opener is None or (opener[0] == "BODY" and "RBRACE" not in self.acceptable):
            return None
        closer = _CLOSERS[opener[0]]
        before = " before this" if self.token.span.start < self.token.span.end else ""
        return Diagnostic(
            "LC0103",
            f"`{self.source.text[opener[1].start + self.offset]}` is never closed",
            self._label(self.token.span, f"expected `{closer}`{before}"),
            (self._label(opener[1], "opened here"),),
        )

    def _missing_semicolon(self) -> Diagnostic | None:
        """An item is whole, and what comes next begins another or ends the surface."""
        before = self.error.previous
        begins_anew = self.token.kind in (*_ITEMS, "RBRACE", "DEFINED_AS", END)
        if before is None or not begins_anew or "SEMICOLON" not in self.acceptable:
            return None
        place = Span(before.span.end, before.span.end)
        if self.token.kind == "DEFINED_AS":
            return Diagnostic(
                "LC0104",
                "a rule ends with `;`",
                self._label(self.token.span, "another rule begins here"),
                help="put a `;` before the name of the next rule",
            )
        return Diagnostic("LC0104", "an item of a surface ends with `;`", self._label(place, "expected `;`"))

    def _unexpected(self) -> Diagnostic:
        message = f"expected {self._expected()}, found {self._found()}"
        return Diagnostic("LC0101", message, self._label(self.token.span), help=self._help())

    def _expected(self) -> str:
        left = set(self.acceptable)
        phrases: list[str] = []
        for phrase, needed, implied in (
            ("an item", _ITEMS | {"NAME", "RBRACE"}, _NAMES),
            ("an element", _ELEMENTS, _NAMES),
            ("`?`, `*`, `+`", _MARKS, frozenset()),
            ("a name", frozenset({"NAME", "CALLED"}), _NAMES | {"IN", "NOT"}),
            ("a name", frozenset({"NAME"}), _NAMES | {"IN", "NOT"}),
        ):
            if needed <= left:
                phrases.append(phrase)
                left -= (needed | implied) - {"RBRACE"}
        phrases += sorted(self._noun(kind) for kind in left)
        return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"

    def _noun(self, kind: str) -> str:
        spelling = self.error.tables.spelling
        return f"`{spelling[kind]}`" if kind in spelling else _NOUNS[kind]

    def _found(self) -> str:
        kind, text = self.token.kind, self.token.text
        if kind in ("NAME", "CALLED"):
            return f"the name `{text}`" if len(text) < 40 else "a long name"
        return self._noun(kind)

    def _help(self) -> str | None:
        before = self.error.previous
        if [symbol for symbol, _ in self.error.symbols()][:2] == ["LPAR", "CALLED"]:
            return "arguments stand directly behind a name; for a group, put a blank before the parenthesis"
        if self.token.kind in ("NAME", "CALLED"):
            keywords = [self.error.tables.spelling[k] for k in self.acceptable & (_NAMES | {"IN", "NOT"})]
            meant = closest(self.token.text, keywords)
            return f"did you mean `{meant}`?" if meant else None
        if before is not None and before.kind == "NAME" and self.token.kind in ("EQUAL", "COLON"):
            return "a rule is written `name := …;`"
        if self.token.kind in ("IN", "NOT"):
            return f"`{self.token.text}` is a keyword and cannot be a name"
        if self.token.kind == "SEMICOLON" and before is not None and before.kind == "RBRACE":
            return "leave it out: no `;` stands behind `}`"
        return None
