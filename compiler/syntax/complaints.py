"""Puts into words where and why the parser stopped: exactly one diagnostic for each failure."""

from __future__ import annotations

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.source import Source, Span
from langc.compiler.suggest import closest
from langc.compiler.syntax import words
from langc.compiler.syntax.lalr import END, UNKNOWN, Unexpected
from langc.compiler.unicode import names

_CLOSERS = {"_OPEN": "]", "OPEN_NOT": "]", "LPAR": ")", "BODY": "}"}

_LOOK_ALIKES = {
    **dict.fromkeys("“”„‟«»＂「」'‘’", '"'),
    **dict.fromkeys("；\u037e", ";"),
    **dict.fromkeys("，、､", ","),
    **dict(zip("［］｛｝（）｜！＝＆－", "[]{}()|!=&-", strict=True)),
    "&": "&&",
    "-": "--",
    ".": "..",
    ":": "=",
    "/": "#",
}
"""What a character that begins no terminal was probably typed for."""


def complain(source: Source, error: Unexpected) -> Diagnostic:
    """The diagnostic of a syntax error."""
    kind = error.token.kind
    if kind == "RESERVED":
        return _reserved(source, error)
    if kind != UNKNOWN and (inner := _inner_surface(source, error)):
        return inner
    if kind == UNKNOWN:
        return _unknown(source, error)
    return _unclosed(source, error) or _missing_semicolon(source, error) or _unexpected(source, error)


def _reserved(source: Source, error: Unexpected) -> Diagnostic:
    word = error.token.text
    return Diagnostic(
        "LC0106",
        f"{words.RESERVED[word]} not in this version of langc",
        Label(source, error.token.span, f"`{word}` is a word of a later version"),
        help="a name of your own must be another word" if _wants_name(error) else None,
    )


def _inner_surface(source: Source, error: Unexpected) -> Diagnostic | None:
    """A surface that is written out inside of a policy, where only its name may stand."""
    symbols = [symbol for symbol, _ in zip((s for s, _ in error.symbols()), range(2), strict=False)]
    opener = next((span for symbol, span in error.symbols() if symbol == "BODY"), None)
    if symbols != ["NAME", "SURFACE"] or opener is None or error.token.text not in ("{", "(", "refines"):
        return None
    return Diagnostic(
        "LC0101",
        f"expected `;`, found `{error.token.text}`",
        Label(source, error.token.span),
        (Label(source, opener, "inside this policy"),),
        help="a surface is written out beside the policies of a file, and named in them: `surface NAME;`",
    )


def _wants_name(error: Unexpected) -> bool:
    """Whether nothing but a name would do: the parser stands behind `policy`, `let` or `script`."""
    return error.acceptable() == {"NAME"}


# --- a character that begins no terminal --------------------------------------------------------


def _unknown(source: Source, error: Unexpected) -> Diagnostic:
    at, character = error.token.span.start, error.token.text
    opener = _open_bracket(error)
    if opener:
        return _unknown_in_brackets(source, error, opener)
    if character == '"':
        return _unclosed_string(source, at)
    if character == "[":
        return _posix_class(source, at)
    if character == "\\":
        return _backslash(source, error)
    meant = _LOOK_ALIKES.get(character)
    return Diagnostic(
        "LC0105",
        f"unexpected character {names.show(ord(character))}",
        Label(source, error.token.span, f"expected {_expected(error)}"),
        help=f"did you mean `{meant}`?" if meant else None,
    )


def _open_bracket(error: Unexpected) -> Span | None:
    """The innermost bracket, if the parser is inside one."""
    for symbol, span in error.symbols():
        if symbol in ("_OPEN", "OPEN_NOT"):
            return span
        if symbol in _CLOSERS:
            return None
    return None


def _unclosed_string(source: Source, start: int) -> Diagnostic:
    end = source.text.find("\n", start)
    end = len(source.text) if end < 0 else end
    return Diagnostic(
        "LC0102",
        "this string is not closed on its line",
        Label(source, Span(end, end), 'expected `"`'),
        (Label(source, Span(start, start + 1), "opened here"),),
        help=r"a line end inside a string is written `\n`",
    )


def _backslash(source: Source, error: Unexpected) -> Diagnostic:
    at = error.token.span.start
    if source.text[at + 1 : at + 2] in ("p", "P"):
        help_ = r"for example `\p{Script=Han}`"
        return Diagnostic("LC0109", "a property is not closed by `}`", Label(source, Span(at, at + 2)), help=help_)
    help_ = r"outside brackets there are `\p{…}` and `\P{…}`; other escapes go in brackets or strings"
    return Diagnostic("LC0105", "unexpected backslash", Label(source, error.token.span), help=help_)


def _posix_class(source: Source, start: int) -> Diagnostic:
    return Diagnostic(
        "LC0110",
        "`[:` does not begin a set",
        Label(source, Span(start, start + 2)),
        help=r"a class such as `[:alpha:]` is written `\p{Alphabetic}`; a colon that comes first is written `\:`",
    )


def _unknown_in_brackets(source: Source, error: Unexpected, opener: Span) -> Diagnostic:
    at = error.token.span.start
    if error.token.text == "[":
        return _posix_class(source, at)
    if source.line_column(at)[0] > source.line_column(opener.start)[0] and error.token.text in "{}":
        return _never_closed(source, opener, error.token.span, "]")
    text, help_ = _bracket_trap(source.text, at)
    place = Label(source, Span(at, at + len(text)))
    return Diagnostic("LC0110", f"`{text}` does not stand for itself inside brackets", place, help=help_)


def _bracket_trap(text: str, at: int) -> tuple[str, str]:
    """What begins at `at` and means something else in brackets, with what to write."""
    character = text[at]
    if character == "U":
        digits = next((n for n in range(6, 3, -1) if _is_hex(text[at + 2 : at + 2 + n], n)), 4)
        code = text[at : at + 2 + digits]
        return code, rf"inside brackets write `\u{{{code[2:]}}}`; `{code}` stands outside"
    if character == ".":
        return "..", r"inside brackets a range is written `a-z`, and two dots are `\.`"
    if character in "|~":
        instead = "leave it out: sets side by side unite" if character == "|" else "use `--`, `&&` and nested brackets"
        return character * 2, instead
    if character == "&":
        return "&", r"the intersection is `&&`; for the character write `\&`"
    if character == "^":
        return "^", r"it negates directly after `[` only; for the character write `\^`"
    return character, f"for the character write `\\{character}`"


def _is_hex(text: str, length: int) -> bool:
    return len(text) == length and all(c in "0123456789ABCDEFabcdef" for c in text)


# --- a terminal in the wrong place --------------------------------------------------------------


def _unclosed(source: Source, error: Unexpected) -> Diagnostic | None:
    """Something opened cannot go on, because the file or the thing around it ends."""
    if error.token.kind not in (END, "SEMICOLON", "RBRACE") or _is_needless(error):
        return None
    opener = next(((symbol, span) for symbol, span in error.symbols() if symbol in _CLOSERS), None)
    if opener is None or (opener[0] == "BODY" and "RBRACE" not in error.acceptable()):
        return None
    return _never_closed(source, opener[1], error.token.span, _CLOSERS[opener[0]])


def _is_needless(error: Unexpected) -> bool:
    """Whether it is a semicolon behind a brace that has closed."""
    return error.token.kind == "SEMICOLON" and error.previous is not None and error.previous.kind == "RBRACE"


def _never_closed(source: Source, opener: Span, place: Span, closer: str) -> Diagnostic:
    opening = source.text[opener.start : opener.end]
    return Diagnostic(
        "LC0103",
        f"`{opening}` is never closed",
        Label(source, place, f"expected `{closer}` before this" if place.start < place.end else f"expected `{closer}`"),
        (Label(source, opener, "opened here"),),
    )


def _missing_semicolon(source: Source, error: Unexpected) -> Diagnostic | None:
    """The rule is whole, and what comes next begins another or ends the policy."""
    before = error.previous
    begins_anew = error.token.text in (*words.RULE_KEYWORDS, "policy", "}") or error.token.kind == END
    if before is None or not begins_anew or "SEMICOLON" not in error.acceptable():
        return None
    place = Span(before.span.end, before.span.end)
    return Diagnostic("LC0104", "a rule ends with `;`", Label(source, place, "expected `;`"))


def _unexpected(source: Source, error: Unexpected) -> Diagnostic:
    token = error.token
    if _wants_name(error) and token.kind in _keywords(error):
        return Diagnostic(
            "LC0107",
            f"`{token.text}` is a keyword and cannot be a name",
            Label(source, token.span),
        )
    return Diagnostic(
        "LC0101",
        f"expected {_expected(error)}, found {_found(error)}",
        Label(source, token.span),
        help=_help(error),
    )


def _keywords(error: Unexpected) -> frozenset[str]:
    """The terminals that are keywords."""
    return frozenset(error.tables.modes[0].keywords.values())


def _expected(error: Unexpected) -> str:
    return words.expectation(error.acceptable(), error.tables.spelling)


def _found(error: Unexpected) -> str:
    kind, text = error.token.kind, error.token.text
    if kind in _keywords(error):
        return f"the keyword `{text}`"
    if kind == "NAME":
        return f"the name `{text}`" if len(text) < 40 else "a long name"
    return words.noun(kind, error.tables.spelling)


def _help(error: Unexpected) -> str | None:
    acceptable, token = error.acceptable(), error.token
    if token.kind == "NAME":
        meant = closest(token.text, [error.tables.spelling[k] for k in acceptable & _keywords(error)])
        return f"did you mean `{meant}`?" if meant else None
    if _is_needless(error):
        return "leave it out: no `;` stands behind `}`"
    if token.text in words.RULE_KEYWORDS and acceptable <= {"POLICY", END}:
        return "rules stand inside `policy NAME { … }`"
    if token.kind == "SURFACE":
        return "a surface begins behind the `}` of the block before it"
    if _follows_script(error):
        return r"a list of scripts takes no operators: write `\p{Script=…}` instead"
    if token.kind == "SCRIPT":
        return r"as part of a set, a script is written `\p{Script=…}`"
    if "MINUS" in (token.kind, error.previous and error.previous.kind):
        return r"for the character `-` write `\-`"
    return None


def _follows_script(error: Unexpected) -> bool:
    symbols = [s for s, _ in zip((s for s, _ in error.symbols()), range(3), strict=False)]
    return error.token.kind in ("DIFFERENCE", "INTERSECTION", "VBAR") and "SCRIPT" in symbols
