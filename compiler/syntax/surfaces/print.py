"""The canonical form of surfaces: what `langc fmt` writes.

Invariants as for policies: parsing what is printed gives an equal tree with the same comments, and printing that gives
the same text. What a reader could not see is printed as an escape.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import repeat

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
    marks = (quote.opener, *([quote.closer] if quote.closer else []))
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
    """An item on one line, or broken: a longer rule has a line for each choice, and braces at the ends of lines."""
    pieces = enclosed("", _item(item), ";")
    fits = width("".join(pieces)) + indent <= LINE_WIDTH
    if not isinstance(item, ast.RuleDecl) or (fits and not item.above):
        return wrapped(pieces, indent)
    room = LINE_WIDTH - indent - 1
    if not isinstance(item.body, ast.Choice):
        return _ended(_row(item.body, room, f"{item.name.text} := "), ";")
    first, *others = item.body.choices
    lines = _row(first, room, f"{item.name.text} := ")
    for choice, above in zip(others, item.above or repeat(()), strict=False):
        lines += _indented([f"# {line}".rstrip(" ") for line in above])
        lines += _indented(_row(choice, room - len(INDENT), "| "))
    return _ended(lines, ";")


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


# --- rules that are longer than a line --------------------------------------------------------------------------------


def _row(element: ast.Element, room: int, before: str = "") -> list[str]:
    """What stands side by side, on lines as full as may be; all but the first are indented.

    A scope whose opening brace still fits on a line goes on below it; another part that does not fit begins a line.
    """
    parts = element.parts if isinstance(element, ast.Sequence) and element.parts else (element,)
    lines: list[str] = []
    line, is_bare = before, True
    for part in parts:
        flat = "".join(_part(part))
        if width(line) + width(flat) + (not is_bare) <= room:
            line, is_bare = f"{line}{'' if is_bare else ' '}{flat}", False
            continue
        inner = _broken(part, room - len(INDENT))
        if is_bare or (isinstance(part, ast.Within) and width(line) + width(inner[0]) < room and len(inner) > 1):
            line = f"{line}{'' if is_bare else ' '}{inner[0]}"
            below = inner[1:]
            if lines or (before and is_bare and not isinstance(part, ast.Within)):
                below = _indented(below)
        else:
            lines.append(line)
            line, below = INDENT + inner[0], _indented(inner[1:])
        if below:
            lines += [line, *below[:-1]]
            line = below[-1]
        is_bare = False
    return [*lines, line]


def _broken(element: ast.Element, room: int) -> list[str]:
    """A part on several lines, if it can be broken and does not fit on one."""
    flat = "".join(_part(element))
    if width(flat) <= room or element == ast.Sequence(()):
        return [flat]
    match element:
        case ast.Within(scope, arguments, body):
            head = f"in {scope.text}" if arguments is None else "".join(_called(f"in {scope.text}", arguments))
            return [f"{head} {{", *_indented(_choices(body, room - len(INDENT))), "}"]
        case ast.Repeat(part, sign) if not isinstance(part, ast.Use | ast.Literal):
            inner = _broken(part, room) if isinstance(part, ast.Sequence | ast.Choice) else _grouped(part, room)
            return _ended(inner, sign)
        case ast.Sequence() | ast.Choice():
            return _grouped(element, room)
    return wrapped(_part(element), LINE_WIDTH - room)


def _grouped(element: ast.Element, room: int) -> list[str]:
    """In parentheses, which stand below each other with the signs between choices."""
    first, *others = element.choices if isinstance(element, ast.Choice) else (element,)
    lines = _row(first, room - 2, "")
    found = [f"( {lines[0]}", *(f"  {line}" for line in lines[1:])]
    for choice in others:
        found += _row(choice, room - 2, "| ")
    return [*found, ")"]


def _choices(element: ast.Element, room: int) -> list[str]:
    """What stands between braces."""
    first, *others = element.choices if isinstance(element, ast.Choice) else (element,)
    lines = _row(first, room)
    for choice in others:
        lines += _row(choice, room, "| ")
    return lines


def _indented(lines: Sequence[str]) -> list[str]:
    return [INDENT + line for line in lines]


def _ended(lines: list[str], end: str) -> list[str]:
    return [*lines[:-1], lines[-1] + end]
