"""The value of a set expression: an interval set of scalar values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError
from langc.compiler.source import Source
from langc.compiler.syntax import ast
from langc.compiler.unicode import encodings, properties
from langc.compiler.unicode.folding import COMPATIBLE
from langc.compiler.unicode.intervals import SCALARS, IntervalSet, union

Names = Mapping[str, IntervalSet]


ReadFile = Callable[[ast.Text, Source], Source]
"""Reads a file that is named in a source. Raises PolicyError or LimitError, blaming the place where it is named."""


def evaluate(expression: ast.SetExpr, names: Names, source: Source, read: ReadFile | None = None) -> IntervalSet:
    """The members of `expression`, given the values of the `let` names and a way to the files that it names.

    Raises PolicyError at the property or encoding that is unknown. A script after `only` does not come here:
    its meaning is the rule's (see `lower.py`).
    """
    return _Evaluator(names, source, read).of(expression)


@dataclass(frozen=True)
class _Evaluator:
    names: Names
    source: Source
    read: ReadFile | None

    def of(self, expression: ast.SetExpr) -> IntervalSet:
        match expression:
            case ast.SetName(name):
                return self.names[name]
            case ast.Negation(operand):
                return self.of(operand).complement()
            case ast.Union(operands):
                return union(map(self.of, operands))
            case ast.Difference(left, right):
                return self.of(left) - self.of(right)
            case ast.Intersection(left, right):
                return self.of(left) & self.of(right)
            case ast.Compat(operand):
                return decomposing_to(self.of(operand))
            case _:
                return self._leaf(expression)

    def _leaf(self, expression: ast.SetExpr) -> IntervalSet:
        match expression:
            case ast.Character(value):
                return IntervalSet(((value, value),))
            case ast.CharacterRange(low, high):
                return IntervalSet(((low.value, high.value),)) & SCALARS
            case ast.Text(value):
                return IntervalSet.of(value)
            case ast.Encodable(encoding):
                return _encodable(encoding, self.source)
            case ast.Characters(path):
                return self._in_file(path)
            case ast.ScriptSet(scripts):
                return union(_lookup("Script", s.name, s, self.source) for s in scripts)
            case ast.Property(name, value, negated):
                members = _lookup(name, value, expression, self.source)
                return members.complement() if negated else members
        raise AssertionError(f"{expression} is no set by itself")

    def _in_file(self, path: ast.Text) -> IntervalSet:
        """All characters of the lines that do not begin with `#`, line ends left out."""
        if self.read is None:
            raise ValueError("the policy names a file, which link() has to read")
        lines = (line.removesuffix("\r") for line in self.read(path, self.source).text.split("\n"))
        return IntervalSet.of(*(line for line in lines if not line.startswith("#")))


def decomposing_to(members: IntervalSet) -> IntervalSet:
    """The characters whose full compatibility decomposition is another text with a member in it."""
    found = (c for c in COMPATIBLE.changed if any(atom in members for atom in COMPATIBLE.atoms(c)))
    return IntervalSet.of(*found)


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
