"""From the AST of one policy to its IR.

The meaning of a scope (order of the rules does not matter): a character is permitted if no `deny` holds
it and every `only` holds it, or if an `allow` holds it, or if it lies inside a whole permitted term.
"""

from __future__ import annotations

from functools import reduce

from langc.compiler.errors import PolicyError
from langc.compiler.ir.language import Language, cover
from langc.compiler.ir.nodes import Example, PolicyIR, Rule, RuleKind
from langc.compiler.ir.sets import Names, evaluate, unknown_property
from langc.compiler.source import Source
from langc.compiler.syntax import ast
from langc.compiler.syntax.print import format_rule
from langc.compiler.unicode import properties
from langc.compiler.unicode.intervals import EMPTY_SET, SCALARS, IntervalSet, union
from langc.compiler.unicode.scripts import only_script

_KINDS = {ast.Deny: RuleKind.DENY, ast.Only: RuleKind.ONLY, ast.Allow: RuleKind.ALLOW}


def lower(decl: ast.PolicyDecl, source: Source) -> PolicyIR:
    """The IR of a checked policy. Raises PolicyError with every unknown property in it."""
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
    return PolicyIR(decl.name, decl.doc, tuple(rules), denote(rules), tuple(examples), (), source, decl.name_span)


def denote(rules: list[Rule]) -> Language:
    """The language of one scope."""
    denied = union(r.members for r in rules if r.kind is RuleKind.DENY)
    limited = reduce(lambda a, r: a & r.members, (r for r in rules if r.kind is RuleKind.ONLY), SCALARS)
    allowed = union(r.members for r in rules if r.kind is RuleKind.ALLOW)
    terms = tuple(t for r in rules if r.kind is RuleKind.ALLOW for t in r.terms)
    return cover((limited - denied) | allowed, terms)


def _rule(item: ast.Deny | ast.Only | ast.Allow, names: Names, source: Source) -> Rule:
    operands = item.operands if isinstance(item, ast.Allow) else item.sets
    terms = tuple(o.value for o in operands if isinstance(o, ast.Text) and len(o.value) > 1)
    sets = [o for o in operands if not (isinstance(o, ast.Text) and len(o.value) > 1)]
    members = union(_operand(o, isinstance(item, ast.Only), names, source) for o in sets)
    return Rule(_KINDS[type(item)], members & SCALARS, terms, format_rule(item), item.span)


def _operand(operand: ast.SetExpr, is_only: bool, names: Names, source: Source) -> IntervalSet:
    """`only script` goes by Script_Extensions, everything else by the plain value."""
    if not (is_only and isinstance(operand, ast.ScriptSet)):
        return evaluate(operand, names, source)
    try:
        return only_script([s.name for s in operand.names], operand.strictly)
    except properties.UnknownProperty as error:
        node = next((s for s in operand.names if s.name == error.name), operand)
        raise PolicyError(unknown_property(error, node, source)) from error
