"""From the AST of one policy to its IR.

The meaning of a scope (order of the rules does not matter): a character is permitted if no `deny` holds
it and every `only` holds it, or if an `allow` holds it, or if it lies inside a whole permitted term.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from langc.compiler.errors import PolicyError
from langc.compiler.ir.language import Language, Pattern, cover
from langc.compiler.ir.nodes import Example, PolicyIR, Rule, RuleKind, permitted
from langc.compiler.ir.sets import Names, evaluate, unknown_property
from langc.compiler.source import Source
from langc.compiler.syntax import ast
from langc.compiler.syntax.print import format_rule
from langc.compiler.unicode import properties, strings
from langc.compiler.unicode.intervals import EMPTY_SET, SCALARS, IntervalSet, union
from langc.compiler.unicode.scripts import only_script

_KINDS = {ast.Deny: RuleKind.DENY, ast.Only: RuleKind.ONLY, ast.Allow: RuleKind.ALLOW}


def lower(decl: ast.PolicyDecl, source: Source, used: tuple[PolicyIR, ...] | None = None) -> PolicyIR:
    """The IR of a checked policy, given those that it uses.

    Raises PolicyError with every unknown property in it, and ValueError if it has `use` lines and `used` is None.
    """
    if used is None and any(isinstance(item, ast.Use) for item in decl.items):
        raise ValueError(f"policy {decl.name} uses others, which link() has to find")
    names: dict[str, IntervalSet] = {}
    rules: list[Rule] = []
    examples: list[Example] = []
    errors: list[PolicyError] = []
    for item in decl.items:
        try:
            match item:
                case ast.Let(name, value):
                    names[name] = EMPTY_SET
                    names[name] = evaluate(value, names, source)
                case ast.Deny() | ast.Only() | ast.Allow():
                    rules.append(_rule(item, names, source))
                case ast.Accept(text):
                    examples.append(Example(text.value, True, None, item.span))
                case ast.Reject(text, at):
                    examples.append(Example(text.value, False, at, item.span))
        except PolicyError as error:
            errors.append(error)
    if errors:
        raise PolicyError(d for e in errors for d in e.diagnostics)
    return PolicyIR(
        decl.name, decl.doc, tuple(rules), denote(rules), tuple(examples), (), used or (), source, decl.name_span
    )


def denote(rules: list[Rule]) -> Language:
    """The language of one scope."""
    terms = tuple(t for r in rules if r.kind is RuleKind.ALLOW for t in r.terms)
    patterns = tuple(p for r in rules if r.kind is RuleKind.ALLOW for p in r.patterns)
    return cover(permitted(rules), terms, patterns)


class _Meaning(NamedTuple):
    """What an operand adds to its rule."""

    members: IntervalSet = EMPTY_SET
    terms: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()


def _rule(item: ast.Deny | ast.Only | ast.Allow, names: Names, source: Source) -> Rule:
    kind = _KINDS[type(item)]
    operands = item.operands if isinstance(item, ast.Allow) else item.sets
    parts = [_operand(o, kind, names, source) for o in operands]
    return Rule(
        kind,
        union(p.members for p in parts) & SCALARS,
        tuple(t for p in parts for t in p.terms),
        tuple(t for p in parts for t in p.patterns),
        text=format_rule(item),
        span=item.span,
        source=source,
    )


def _operand(operand: ast.Operand, kind: RuleKind, names: Names, source: Source) -> _Meaning:
    """`only script` goes by Script_Extensions; terms, sequences and properties of strings are for `allow` alone."""
    match operand:
        case ast.ScriptSet() if kind is RuleKind.ONLY:
            return _Meaning(_only_script(operand, source))
        case ast.Sequence(parts):
            return _sequence(parts, names, source)
        case ast.Text(value) if len(value) > 1:
            return _Meaning(terms=(value,))
        case ast.Property(None, value, False) if kind is RuleKind.ALLOW and (of_strings := strings.find(value)):
            return _texts(strings.members(of_strings))
        case _:
            return _Meaning(evaluate(operand, names, source))


def _texts(texts: Iterable[str]) -> _Meaning:
    """Texts of one code point are members, longer ones terms."""
    found = list(texts)
    return _Meaning(IntervalSet.of(*(t for t in found if len(t) == 1)), tuple(t for t in found if len(t) > 1))


def _sequence(parts: Iterable[ast.SetExpr], names: Names, source: Source) -> _Meaning:
    """A pattern with a set for each character of the text; a term if each set is of one."""
    pattern: list[IntervalSet] = []
    for part in parts:
        if isinstance(part, ast.Text):
            pattern += [IntervalSet.of(c) for c in part.value]
        else:
            pattern.append(evaluate(part, names, source))
    if all(len(members) == 1 for members in pattern):
        return _Meaning(terms=("".join(chr(members.first()) for members in pattern),))
    return _Meaning(patterns=(tuple(pattern),))


def _only_script(operand: ast.ScriptSet, source: Source) -> IntervalSet:
    try:
        return only_script([s.name for s in operand.names], operand.strictly)
    except properties.UnknownProperty as error:
        node = next((s for s in operand.names if s.name == error.name), operand)
        raise PolicyError(unknown_property(error, node, source)) from error
