"""The canonical form of policy files: what `langc fmt` writes.

Invariants, for every AST that the parser can make: parsing what is printed gives an equal AST with the same
comments, and printing that gives the same text. What a reader could not see is printed as an escape.

A set is printed as pieces, between which a line may be broken (see `layout.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from langc.compiler.syntax import ast, escapes
from langc.compiler.syntax.layout import INDENT, LINE_WIDTH, Page, Pieces, enclosed, joined, wrapped
from langc.compiler.syntax.surfaces.ast import SurfaceDecl
from langc.compiler.syntax.surfaces.print import put_surface
from langc.compiler.unicode.glyphs import width

_LOOSE, _TIGHT, _PREFIX, _PRIMARY = range(4)
"""How tightly operators outside brackets bind: `|`, then `--` and `&&`, then `!`; a part of a sequence has none."""

_SIGNS = {ast.Difference: "--", ast.Intersection: "&&"}


def format_file(file: ast.PolicyFile) -> str:
    """The whole text of a file. Comments and single blank lines are kept, above the item they were nearest to.

    Policies and surfaces come in the order of their spans; those without one, policies first.
    """
    page = Page()
    for block in sorted((*file.policies, *file.surfaces), key=lambda b: b.span.start):
        page.blank()
        if isinstance(block, SurfaceDecl):
            put_surface(page, block)
        elif isinstance(block, ast.PolicyDecl):
            _put_policy(page, block)
    page.comments(file.closing)
    return page.text()


def format_rule(item: ast.PolicyItem) -> str:
    """An item on one line, without its comments and its semicolon."""
    return "".join(_item(item))


def _put_policy(page: Page, policy: ast.PolicyDecl) -> None:
    page.comments(policy.leading)
    doc = "" if policy.doc is None else f" {escapes.quote(policy.doc)}"
    page.open(f"policy {policy.name}{doc} {{")
    _put_items(page, policy.items)
    page.comments(policy.closing)
    page.close("}")
    page.behind(policy.trailing)


def _put_items(page: Page, items: Sequence[ast.PolicyItem]) -> None:
    for item in items:
        page.comments(item.leading)
        if isinstance(item, ast.Region | ast.Use) and _needs_lines(item):
            page.open(_head(item))
            _put_items(page, _inner(item))
            page.comments(item.closing)
            page.close("}")
        else:
            for line in wrapped(_ended(item), len(page.indent)):
                page.put(line)
        page.behind(item.trailing)


def _head(block: ast.Region | ast.Use) -> str:
    """An item with braces up to the opening one."""
    if isinstance(block, ast.Use):
        return f"{''.join(_item(replace(block, overrides=None)))} with {{"
    return "".join(_item(replace(block, items=()))).removesuffix("any }").rstrip(" ")


def _inner(block: ast.Region | ast.Use) -> tuple[ast.PolicyItem, ...]:
    """The items between the braces."""
    return (block.overrides or ()) if isinstance(block, ast.Use) else block.items


def _needs_lines(block: ast.Region | ast.Use) -> bool:
    """A region or an override with one short rule and no comments stands on one line."""
    inner = _inner(block)
    lines = (*block.closing, *(line for i in inner for line in (*i.leading, i.trailing)))
    bare = all(line is None for line in lines) and not any(isinstance(i, ast.Region) and _needs_lines(i) for i in inner)
    return not (bare and len(inner) < 2 and width(format_rule(block)) + 2 * len(INDENT) <= LINE_WIDTH)


def _ended(item: ast.PolicyItem) -> Pieces:
    """With a semicolon behind, unless options in braces are the end."""
    has_braces = isinstance(item, ast.Region) or any(
        getattr(item, part, None) is not None for part in ("options", "overrides")
    )
    return _item(item) if has_braces else enclosed("", _item(item), ";")


def _item(item: ast.PolicyItem) -> Pieces:
    match item:
        case ast.Use(policy, overrides):
            named = policy.name if isinstance(policy, ast.PolicyName) else escapes.quote(policy.value)
            return [f"use {named}", *([] if overrides is None else _block(" with { ", overrides))]
        case ast.Let(name, value):
            return [f"let {name} = ", *_outside(value)]
        case ast.Region(name, kinds, items):
            head = [f"region {name} = ", *joined(map(_kind, kinds), before="| ", after=" ")]
            return [*head, *(_block(" { ", items) if items else [" { ", "any", " }"])]
        case ast.Unclosed(region, choice):
            return [f"unclosed {region}: {choice}"]
        case ast.InSurface(name):
            return [f"surface {name}"]
        case ast.Accept(text):
            return [f"accept {escapes.quote(text.value)}"]
        case ast.Reject(text, at):
            return [f"reject {escapes.quote(text.value)}{'' if at is None else f' at {at}'}"]
        case _:
            return _rule(item)


def _block(opening: str, items: Sequence[ast.PolicyItem]) -> Pieces:
    """Items on one line, in braces."""
    return [opening, *joined((_ended(i) for i in items), after=" "), " }" if items else "}"]


def _rule(item: ast.RuleItem | ast.StopOn | ast.StopBefore) -> Pieces:
    match item:
        case ast.Deny(sets):
            return ["deny ", *_operands(sets)]
        case ast.Only(sets, up_to):
            return ["only ", *_operands(sets), "" if up_to is None else f" up to {up_to}"]
        case ast.Allow(operands, options):
            return ["allow ", *_operands(operands), *_options(options)]
        case ast.AllowFrom(ast.TextFile(path), options):
            return [f"allow terms from {escapes.quote(path.value)}", *_options(options)]
        case ast.DenyPhrases(phrases, options):
            return ["deny ", *_phrases(phrases), *_options(options)]
        case ast.Discourage(sets, cost):
            return ["discourage ", *_operands(sets), f" by {cost.digits}"]
        case ast.DiscouragePhrases(phrases, cost, options):
            return ["discourage ", *_phrases(phrases), f" by {cost.digits}", *_options(options)]
        case ast.Replace(sets, text):
            return ["replace ", *_operands(sets), f" with {escapes.quote(text.value)}"]
        case ast.ReplacePhrases(phrases, text, options):
            return ["replace ", *_phrases(phrases), f" with {escapes.quote(text.value)}", *_options(options)]
        case ast.StopOn(phrases, options):
            return ["stop on ", *_phrases(phrases), *_options(options)]
        case ast.StopBefore(phrases, options):
            return ["stop before ", *_phrases(phrases), *_options(options)]


def _kind(kind: ast.RegionKind) -> Pieces:
    if kind.delimiters is None:
        return [kind.name or "", *([f" {escapes.quote(kind.field.value)}"] if kind.field else [])]
    opener, closer = kind.delimiters
    before = enclosed("after ", _outside(kind.after), " ") if kind.after else [f"{kind.name} "] if kind.name else []
    return [*before, f"between {escapes.quote(opener.value)} ", escapes.quote(closer.value)]


def _phrases(phrases: ast.Texts | ast.TextFile) -> Pieces:
    if isinstance(phrases, ast.TextFile):
        return [f"phrases from {escapes.quote(phrases.path.value)}"]
    return ["phrase ", *joined(([escapes.quote(t.value)] for t in phrases.texts), after=", ")]


def _options(options: ast.Options | None) -> Pieces:
    if options is None:
        return []
    written = (", ".join(map(_words, option.parts)) for option in options.options)
    return [" { ", *(f"{text}; " for text in written), "}"]


def _words(words: ast.Words) -> str:
    return " ".join([*words.words, *([escapes.quote(words.text.value)] if words.text else [])])


def _operands(operands: Sequence[ast.Operand]) -> Pieces:
    """The operands with commas. A name that would be read as one more script is put into parentheses."""
    parts: list[Pieces] = []
    in_scripts = False
    for operand in operands:
        pieces = _operand(operand)
        parts.append(enclosed("(", pieces, ")") if in_scripts and isinstance(operand, ast.SetName) else pieces)
        in_scripts = isinstance(operand, ast.ScriptSet) and not operand.strictly
    return joined(parts, after=", ")


def _operand(operand: ast.Operand) -> Pieces:
    if isinstance(operand, ast.Sequence):
        return joined(_apart([_outside(part, _PRIMARY) for part in operand.parts]), after=" ")
    return _outside(operand)


_SPLIT_WORDS = {("up", "to"), ("stop", "on"), ("stop", "before"), ("terms", "from"), ("phrases", "from")}
_FUNCTIONS = ("characters", "compat")


def _apart(parts: list[Pieces]) -> Iterator[Pieces]:
    """The parts of a sequence; a name that would be something else with what follows it is put in parentheses."""
    for part, following in zip(parts, [*parts[1:], [""]], strict=True):
        word, behind = part[0], following[0]
        is_other = (word, behind) in _SPLIT_WORDS or (word in _FUNCTIONS and behind.startswith("("))
        yield [f"({word})"] if is_other else part


# --- sets outside brackets ----------------------------------------------------------------------


def _outside(expression: ast.SetExpr, tightness: int = _LOOSE) -> Pieces:
    """A set where only operators that bind at least as tightly as `tightness` need no parentheses."""
    match expression:
        case ast.Character(value):
            return [f"U+{value:04X}"]
        case ast.CharacterRange(low, high):
            return [f"U+{low.value:04X}..U+{high.value:04X}"]
        case ast.Property():
            return [_property(expression)]
        case ast.SetName(name):
            return [name]
        case ast.Text(value):
            return [escapes.quote(value)]
        case ast.ScriptSet(names, strictly):
            scripts = joined(([n.name] for n in names), after=", ")
            return enclosed("script ", scripts, " strictly" if strictly else "")
        case ast.Encodable() | ast.Characters() | ast.Compat():
            return _function(expression)
        case ast.Negation(operand):
            if _stands_in_brackets(operand):
                return _inside(expression, "")
            negation = enclosed("!", _outside(operand, _PREFIX), "")
            return enclosed("(", negation, ")") if tightness > _PREFIX else negation
    if _stands_in_brackets(expression):
        return _inside(expression, "")
    return _operation(expression, tightness)


def _function(expression: ast.Encodable | ast.Characters | ast.Compat) -> Pieces:
    match expression:
        case ast.Encodable(encoding):
            return [f"encodable({escapes.quote(encoding.value)})"]
        case ast.Characters(path):
            return [f"characters({escapes.quote(path.value)})"]
        case ast.Compat(operand):
            return enclosed("compat(", _outside(operand), ")")


def _operation(expression: ast.Union | ast.Difference | ast.Intersection, tightness: int) -> Pieces:
    if isinstance(expression, ast.Union):
        own, parts = _LOOSE, [_outside(o, _TIGHT) for o in expression.operands]
        pieces = joined(parts, before="| ", after=" ")
    else:
        own, parts = _TIGHT, [_outside(expression.left, _TIGHT), _outside(expression.right, _PREFIX)]
        pieces = joined(parts, before=f"{_SIGNS[type(expression)]} ", after=" ")
    return enclosed("(", pieces, ")") if own < tightness else pieces


def _stands_in_brackets(expression: ast.SetExpr) -> bool:
    """Whether brackets are the form to print: as a union was written, and to show characters as themselves."""
    match expression:
        case ast.Union(operands):
            return (expression.brackets or len(operands) < 2) and _fits_in_brackets(expression)
        case ast.Difference(left, right) | ast.Intersection(left, right):
            return _shows_characters(left, right) and _fits_in_brackets(expression)
    return False


def _shows_characters(left: ast.SetExpr, right: ast.SetExpr) -> bool:
    return any(isinstance(o, ast.Character | ast.CharacterRange) for o in (left, right)) or (
        isinstance(left, ast.Difference | ast.Intersection) and _shows_characters(left.left, left.right)
    )


def _fits_in_brackets(expression: ast.SetExpr) -> bool:
    """Whether the set can be written inside brackets: it has no names, strings, scripts or `!`."""
    match expression:
        case ast.Character() | ast.CharacterRange() | ast.Property():
            return True
        case ast.Union(operands):
            return all(map(_fits_in_brackets, operands))
        case ast.Difference(left, right) | ast.Intersection(left, right):
            return _fits_in_brackets(left) and _fits_in_brackets(right)
        case ast.Negation(operand):
            is_bracket = isinstance(operand, ast.Union | ast.Difference | ast.Intersection)
            return is_bracket and _fits_in_brackets(operand)
    return False


# --- sets inside brackets -----------------------------------------------------------------------


def _inside(expression: ast.SetExpr, before: str) -> Pieces:
    """A set as a member of brackets, behind the character `before`."""
    match expression:
        case ast.Character(value):
            return [escapes.member(value, before)]
        case ast.CharacterRange(low, high):
            return [f"{escapes.member(low.value, before)}-{escapes.member(high.value, '-')}"]
        case ast.Property():
            return [_property(expression)]
        case ast.Negation(operand):
            return enclosed("[^", _content(operand, "^"), "]")
    return enclosed("[", _content(expression, "["), "]")


def _content(expression: ast.SetExpr, before: str) -> Pieces:
    """What stands between brackets, behind the character `before`."""
    match expression:
        case ast.Union(operands):
            pieces: Pieces = []
            for operand in operands:
                pieces += _inside(operand, pieces[-1][-1] if pieces else before)
            return pieces
        case ast.Difference(left, right) | ast.Intersection(left, right):
            chained = isinstance(left, ast.Difference | ast.Intersection)
            first = _content(left, before) if chained else _inside(left, before)
            sign = _SIGNS[type(expression)]
            return [*first, *enclosed(sign, _inside(right, sign[-1]), "")]
    raise AssertionError(f"{expression} does not stand between brackets")


def _property(node: ast.Property) -> str:
    letter = "P" if node.negated else "p"
    name = "" if node.name is None else f"{node.name}="
    return f"\\{letter}{{{name}{node.value}}}"
