"""The value of a set expression: an interval set of scalar values."""

from __future__ import annotations

from collections.abc import Mapping

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError
from langc.compiler.source import Source
from langc.compiler.syntax import ast
from langc.compiler.unicode import encodings, properties
from langc.compiler.unicode.intervals import SCALARS, IntervalSet, union

Names = Mapping[str, IntervalSet]


def evaluate(expression: ast.SetExpr, names: Names, source: Source) -> IntervalSet:
    """The members of `expression`, given the values of the `let` names.

    Raises PolicyError at the property or encoding that is unknown. A script after `only` does not come here:
    its meaning is the rule's (see `lower.py`).
    """
    match expression:
        case ast.Character(value):
            return IntervalSet(((value, value),))
        case ast.CharacterRange(low, high):
            return IntervalSet(((low.value, high.value),)) & SCALARS
        case ast.Text(value):
            return IntervalSet.of(value)
        case ast.SetName(name):
            return names[name]
        case ast.Encodable(encoding):
            return _encodable(encoding, source)
        case ast.Negation(operand):
            return evaluate(operand, names, source).complement()
        case ast.Union(operands):
            return union(evaluate(o, names, source) for o in operands)
        case ast.Difference(left, right):
            return evaluate(left, names, source) - evaluate(right, names, source)
        case ast.Intersection(left, right):
            return evaluate(left, names, source) & evaluate(right, names, source)
        case ast.ScriptSet(scripts):
            return union(_lookup("Script", s.name, s, source) for s in scripts)
        case ast.Property(name, value, negated):
            members = _lookup(name, value, expression, source)
            return members.complement() if negated else members


def _lookup(name: str | None, value: str, node: ast.Node, source: Source) -> IntervalSet:
    try:
        return properties.lookup(name, value)
    except properties.UnknownProperty as error:
        raise PolicyError(unknown_property(error, node, source)) from error


def _encodable(encoding: ast.Text, source: Source) -> IntervalSet:
    try:
        return encodings.encodable(encoding.value)
    except encodings.UnknownEncoding as error:
        known = f"encodings are {', '.join(encodings.NAMES)}"
        help_ = f"did you mean `{error.suggestions[0]}`?" if error.suggestions else known
        raise PolicyError(Diagnostic("LC0217", str(error), Label(source, encoding.span), help=help_)) from error


def unknown_property(error: properties.UnknownProperty, node: ast.Node, source: Source) -> Diagnostic:
    """The diagnostic of a property or value that does not exist."""
    help_ = f"did you mean `{error.suggestions[0]}`?" if error.suggestions else None
    if error.kind == "strings":
        help_ = rf"it stands alone, after `allow`: `allow \p{{{error.name}}};`"
    return Diagnostic(error.code, str(error), Label(source, node.span), help=help_)
