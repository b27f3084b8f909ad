"""The canonical form of surfaces: what `langc fmt` writes.

Invariants as for policies: parsing what is printed gives an equal tree with the same comments, and printing that gives
the same text. What a reader could not see is printed as an escape.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from langc.compiler.syntax import escapes
from langc.compiler.syntax.layout import INDENT, LINE_WIDTH, Page, Pieces, enclosed, joined, wrapped
from langc.compiler.syntax.surfaces import ast
from langc.compiler.unicode import glyphs
from langc.compiler.unicode.glyphs import width

_ESCAPED = re.compile(r"\\(.)")
_IN_SLASHES = re.compile(r"(?:[^\\]|\\.)+", re.DOTALL)
_SLASH = re.compile(r"(\\.)|/", re.DOTALL)


def put_surface(page: Page, surface: ast.SurfaceDecl) -> None:
    """Adds the lines of a surface to a page."""
    page.comments(surface.leading)
    *first, last = wrapped([*_head(surface), "{"], len(page.indent))
    for line in first:
        page.put(line)
    page.open(last)
    for item in surface.items:
        page.comments(item.leading)
        for line in _item_lines(item, len(page.indent)):
            page.put(line)
        page.behind(item.trailing)
    page.comments(surface.closing)
    page.close("}")
    page.behind(surface.trailing)


def _head(surface: ast.SurfaceDecl) -> Pieces:
    refines = f"refines {surface.refines.text} " if surface.refines else ""
    settings = joined(map(_setting, surface.settings), after=", ")
    return [f"surface {surface.name.text} {refines}", *(enclosed("(", settings, ") ") if settings else [])]


def _setting(setting: ast.Setting) -> Pieces:
    match setting.value:
        case ast.Word(text):
            return [f"{setting.name.text} = {text}"]
        case ast.Pattern(text):
            return [f"{setting.name.text} = pattern {_pattern(text)}"]
        case tuple(quotes):
            return enclosed(
                f"{setting.name.text} = ", joined(([_quote(q)] for q in quotes), before="| ", after=" "), ""
            )


def _quote(quote: ast.Quote) -> str:
    marks = (quote.opening, *([quote.closing] if quote.closing else []))
    return " ".join(_string(mark.value) for mark in marks)


def _string(text: str) -> str:
    """In the quotes that it does not hold."""
    quoted = escapes.quote(text)
    if '"' not in text or "'" in text:
        return quoted
    inner = _ESCAPED.sub(lambda found: found[1] if found[1] == '"' else found[0], quoted[1:-1])
    return f"'{inner}'"


def _pattern(text: str) -> str:
    """Between slashes, unless it holds what could not be seen there or be read back."""
    between = _SLASH.sub(lambda found: found[1] or r"\/", text)
    if _IN_SLASHES.fullmatch(text) and all(c == " " or glyphs.is_plain(ord(c)) for c in between):
        return f"/{between}/"
    return escapes.quote(text)


# --- items ------------------------------------------------------------------------------------------------------------


def _item_lines(item: ast.SurfaceItem, indent: int) -> list[str]:
    """An item on one line; a longer rule has a line for each choice."""
    pieces = enclosed("", _item(item), ";")
    is_long = width("".join(pieces)) + indent > LINE_WIDTH
    if not (is_long and isinstance(item, ast.RuleDecl) and isinstance(item.body, ast.Choice)):
        return wrapped(pieces, indent)
    first, *others = item.body.choices
    lines = wrapped(enclosed(f"{item.name.text} := ", _sequence(first), ""), indent)
    for choice in others:
        more = wrapped(enclosed("| ", _sequence(choice), ""), indent + len(INDENT))
        lines += [INDENT + line for line in more]
    return [*(line.rstrip(" ") for line in lines[:-1]), f"{lines[-1].rstrip(' ')};"]


def _item(item: ast.SurfaceItem) -> Pieces:
    match item:
        case ast.TokenDecl(name, pattern, munch, skipped):
            pieces = [f"{'skip' if skipped else 'token'} {name.text} = pattern {_pattern(pattern.text)}"]
            return joined([pieces, [f"munch {_pattern(munch.text)}"]], after=" ") if munch else pieces
        case ast.KeywordsDecl(words):
            return ["keywords ", *joined(([_string(w.value)] for w in words), after=", ")]
        case ast.SortDecl(name, owner):
            return [f"sort {name.text}{f' of {owner.text}' if owner else ''}"]
        case ast.EnvDecl(name, kind, arguments):
            if kind is None:
                return [f"env {name.text}"]
            texts = joined(([_string(a.value)] for a in arguments), after=", ")
            return [f"env {name.text} ", *enclosed(f"from {kind.text}(", texts, ")")]
        case ast.ScopeDecl(name, opaque):
            return [f"scope {name.text}{' opaque' * opaque}"]
        case ast.LevelDecl(sort, level, token):
            return [f"level {sort.text}: {level.text}{f' {token.text}' if token else ''}"]
        case ast.RuleDecl(name, body):
            return enclosed(f"{name.text} := ", _choice(body), "")


# --- what a rule is made of -------------------------------------------------------------------------------------------


def _choice(element: ast.Element) -> Pieces:
    """An element where choices need no parentheses."""
    if isinstance(element, ast.Choice):
        return joined(map(_sequence, element.choices), before="| ", after=" ")
    return _sequence(element)


def _sequence(element: ast.Element) -> Pieces:
    """An element where parts side by side need no parentheses."""
    if isinstance(element, ast.Sequence) and element.parts:
        return joined([_part(p) for p in element.parts], after=" ")
    return _part(element)


def _part(element: ast.Element) -> Pieces:
    match element:
        case ast.Literal(text):
            return [_string(text)]
        case ast.Use(name, arguments, local):
            kept = f"{local.text}=" if local else ""
            return [f"{kept}{name.text}"] if arguments is None else _called(f"{kept}{name.text}", arguments)
        case ast.Sequence(()):
            return ["()"]
        case ast.Sequence() | ast.Choice():
            return enclosed("(", _choice(element), ")")
        case ast.Repeat(part, sign):
            is_group = isinstance(part, ast.Repeat | ast.Guard | ast.Action)
            return enclosed("(" * is_group, _part(part), ")" * is_group + sign)
        case ast.Guard():
            return _guard(element)
        case ast.Action(name, arguments):
            return _called(f"=> {name.text}", arguments)
        case ast.Within(scope, arguments, body):
            head = [f"in {scope.text}"] if arguments is None else _called(f"in {scope.text}", arguments)
            return joined([enclosed("", head, " {"), _choice(body), ["}"]], after=" ")


def _guard(guard: ast.Guard) -> Pieces:
    opening = f"[{'not ' * guard.negated}{guard.name.text}"
    if guard.arguments is not None:
        return [f"{''.join(_called(opening, guard.arguments))}]"]
    return [f"{opening}{f' = {guard.value.text}' if guard.value else ''}]"]


def _called(name: str, arguments: Sequence[ast.Argument]) -> Pieces:
    return enclosed(f"{name}(", joined(([_argument(a)] for a in arguments), after=", "), ")")


def _argument(argument: ast.Argument) -> str:
    key = f"{argument.key.text} = " if argument.key else ""
    otherwise = f" ?? {argument.otherwise.text}" if argument.otherwise else ""
    return key + " ".join(w.text for w in argument.words) + ".*" * argument.anywhere + otherwise
