"""From one rule line to a `Rule`: its characters, terms, sequences and phrases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from langc.compiler.diagnostics import Diagnostic, Label, Severity
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.ir.language import Pattern
from langc.compiler.ir.nodes import LEAST_COST, MOST_COST, Rule, RuleKind
from langc.compiler.ir.options import TERM_OPTIONS, Matching, matching
from langc.compiler.ir.phrases import Phrase
from langc.compiler.ir.read_confusables import read_confusables
from langc.compiler.ir.sets import Names, ReadFile, evaluate, unknown_property
from langc.compiler.limits import MAX_PHRASE_LENGTH, MAX_SET_RANGES, MAX_TERM_LENGTH, over_limit
from langc.compiler.source import Source, Span
from langc.compiler.syntax import ast
from langc.compiler.syntax.print import format_rule
from langc.compiler.unicode import properties, strings
from langc.compiler.unicode.confusables import Confusables
from langc.compiler.unicode.intervals import EMPTY_SET, SCALARS, IntervalSet, union
from langc.compiler.unicode.scripts import only_script

_KINDS = {
    ast.Discourage: RuleKind.DISCOURAGE,
    ast.Deny: RuleKind.DENY,
    ast.Replace: RuleKind.DENY,
    ast.Only: RuleKind.ONLY,
    ast.Allow: RuleKind.ALLOW,
}


@dataclass
class Context:
    """What an item is lowered in: the values of the names, its source, and the budget of the whole policy."""

    names: Names
    source: Source
    budget: Budget
    read: ReadFile | None
    warnings: list[Diagnostic] = field(default_factory=list)
    """What was noticed so far, of all items."""

    def at(self, item: ast.Item) -> Context:
        """The context of an item, which may stand in another source."""
        return replace(self, source=item.source or self.source)

    def evaluate(self, expression: ast.SetExpr) -> IntervalSet:
        """The members of a set. Raises PolicyError as `sets.evaluate`."""
        return evaluate(expression, self.names, self.source, self.read)

    def table(self, named: ast.Text) -> Confusables:
        """The confusable characters in a file. Raises PolicyError (LC0336) if it is none of those."""
        if self.read is None:
            raise ValueError("the policy names a file, which link() has to read")
        return read_confusables(self.read(named, self.source))

    def spend(self, members: IntervalSet, node: ast.Node) -> IntervalSet:
        """The set itself. Raises LimitError at `node` past `MAX_SET_RANGES`."""
        self.budget.spent += len(members.ranges)
        if self.budget.spent > MAX_SET_RANGES:
            place = Label(self.source, node.span)
            raise LimitError(over_limit("ranges in the sets of the policy", MAX_SET_RANGES, place))
        return members


@dataclass
class Budget:
    """Counts the ranges of the sets that a policy writes down."""

    spent: int = 0


def lower_rule(item: ast.RuleItem | ast.StopOn | ast.StopBefore, context: Context) -> Rule:
    """The rule of an item. Raises PolicyError for what it cannot mean, LimitError past a budget."""
    match item:
        case ast.DenyPhrases():
            return _phrase_rule(RuleKind.DENY, item, context)
        case ast.DiscouragePhrases(_, cost):
            return replace(_phrase_rule(RuleKind.DISCOURAGE, item, context), cost=_cost(cost, context.source))
        case ast.Discourage(_, cost):
            return replace(_set_rule(item, context), cost=_cost(cost, context.source))
        case ast.Replace(_, text):
            return replace(_set_rule(item, context), replacement=text.value)
        case ast.ReplacePhrases(_, text):
            return replace(_phrase_rule(RuleKind.DENY, item, context), replacement=text.value)
        case ast.StopOn():
            return _phrase_rule(RuleKind.STOP, item, context)
        case ast.StopBefore():
            return _phrase_rule(RuleKind.STOP_BEFORE, item, context)
        case ast.AllowFrom(terms):
            return _terms_rule(_texts_of(terms, context), item, context.source)
        case ast.Allow(_, ast.Options()):
            return _terms_rule(list(_only_terms(item, context.source)), item, context.source)
        case _:
            return _set_rule(item, context)


def _cost(cost: ast.Cost, source: Source) -> float:
    """The number. Raises PolicyError (LC0334) if a float32 has no such cost."""
    if not LEAST_COST <= cost.value <= MOST_COST:
        help_ = "take a number above 0; more than the difference of two logits is as good as a ban"
        raise PolicyError(Diagnostic("LC0334", "this cost does not fit", Label(source, cost.span), help=help_))
    return cost.value


def _set_rule(item: ast.Deny | ast.Replace | ast.Only | ast.Allow | ast.Discourage, context: Context) -> Rule:
    kind = _KINDS[type(item)]
    operands = item.operands if isinstance(item, ast.Allow) else item.sets
    parts: list[_Meaning] = []
    for operand in operands:
        parts.append(_operand(operand, kind, context))
        context.spend(parts[-1].members, operand)
    return Rule(
        kind,
        union(p.members for p in parts) & SCALARS,
        tuple(t for p in parts for t in p.terms),
        tuple(t for p in parts for t in p.patterns),
        most=item.up_to if isinstance(item, ast.Only) else None,
        text=format_rule(item),
        span=item.span,
        source=context.source,
    )


# --- terms and phrases ------------------------------------------------------------------------------------------

_Texts = list[tuple[str, Label]]
"""Texts, each with its place."""


def _terms_rule(texts: _Texts, item: ast.Allow | ast.AllowFrom, source: Source) -> Rule:
    """Terms under options. Without any, those of one character are members."""
    for text, label in texts:
        if len(text) > MAX_TERM_LENGTH:
            raise LimitError(over_limit("characters in a permitted term", MAX_TERM_LENGTH, label))
    how = matching(item.options, source, TERM_OPTIONS)
    made = _texts(t for t, _ in texts) if how == Matching() else _Meaning()
    phrases = () if how == Matching() else tuple(Phrase(t, how.folding, how.left, how.right) for t, _ in texts)
    return Rule(
        RuleKind.ALLOW,
        made.members,
        made.terms,
        phrases=phrases,
        text=format_rule(item),
        span=item.span,
        source=source,
    )


def _only_terms(item: ast.Allow, source: Source) -> Iterator[tuple[str, Label]]:
    """The terms before options. Raises PolicyError (LC0333) if there is anything else among them."""
    for operand in item.operands:
        label = Label(source, operand.span)
        if not isinstance(operand, ast.Text):
            help_ = "put the sets into an `allow` of their own"
            raise PolicyError(Diagnostic("LC0333", "options go with terms, and this is none", label, help=help_))
        yield operand.value, label


_PhraseItem = ast.DenyPhrases | ast.DiscouragePhrases | ast.ReplacePhrases | ast.StopOn | ast.StopBefore


def _phrase_rule(kind: RuleKind, item: _PhraseItem, context: Context) -> Rule:
    how = matching(item.options, context.source, read=context.table)
    texts = _texts_of(item.phrases, context)
    phrases = tuple(_phrase(text, how, label) for text, label in texts)
    text = format_rule(item)
    return Rule(kind, EMPTY_SET, phrases=phrases, text=text, span=item.span, source=context.source)


def _phrase(text: str, how: Matching, label: Label) -> Phrase:
    if len(text) > MAX_PHRASE_LENGTH:
        raise LimitError(over_limit("characters in a phrase", MAX_PHRASE_LENGTH, label))
    phrase = Phrase(text, how.folding, how.left, how.right, how.early)
    if not phrase.atoms:
        message = "nothing is left of this phrase: all of it is ignored" if text else "the phrase is empty"
        help_ = "it would be everywhere: leave it out, or ignore less"
        raise PolicyError(Diagnostic("LC0332", message, label, help=help_))
    return phrase


def _texts_of(named: ast.Texts | ast.TextFile, context: Context) -> _Texts:
    """The texts of a rule. Those of a file are its lines but for empty ones and comments."""
    if isinstance(named, ast.Texts):
        return [(t.value, Label(context.source, t.span)) for t in named.texts]
    if context.read is None:
        raise ValueError("the policy names a file, which link() has to read")
    found = list(_lines(context.read(named.path, context.source)))
    if not found:
        context.warnings.append(_empty_file(Label(context.source, named.path.span)))
    return found


def _empty_file(label: Label) -> Diagnostic:
    help_ = "write one a line; empty lines do not count, nor do those that begin with `#`"
    message = "there is nothing in this file: the line changes nothing"
    return Diagnostic("LC0337", message, label, help=help_, severity=Severity.WARNING)


def _lines(file: Source) -> Iterator[tuple[str, Label]]:
    start = 0
    for line in file.text.split("\n"):
        text = line.removesuffix("\r")
        if text and not text.startswith("#"):
            yield text, Label(file, Span(start, start + len(text)))
        start += len(line) + 1


# --- operands -----------------------------------------------------------------------------------------------------


class _Meaning(NamedTuple):
    """What an operand adds to its rule."""

    members: IntervalSet = EMPTY_SET
    terms: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()


def _operand(operand: ast.Operand, kind: RuleKind, context: Context) -> _Meaning:
    """`only script` goes by Script_Extensions; terms, sequences and properties of strings are for `allow` alone."""
    match operand:
        case ast.ScriptSet() if kind is RuleKind.ONLY:
            return _Meaning(_only_script(operand, context.source))
        case ast.Sequence(parts):
            return _sequence(parts, context)
        case ast.Text(value) if len(value) > MAX_TERM_LENGTH:
            place = Label(context.source, operand.span)
            raise LimitError(over_limit("characters in a permitted term", MAX_TERM_LENGTH, place))
        case ast.Text(value) if len(value) > 1:
            return _Meaning(terms=(value,))
        case ast.Property(None, value, False) if kind is RuleKind.ALLOW and (of_strings := strings.find(value)):
            return _texts(strings.members(of_strings))
        case _:
            return _Meaning(context.evaluate(operand))


def _texts(texts: Iterable[str]) -> _Meaning:
    """Texts of one code point are members, longer ones terms."""
    found = list(texts)
    return _Meaning(IntervalSet.of(*(t for t in found if len(t) == 1)), tuple(t for t in found if len(t) > 1))


def _sequence(parts: Iterable[ast.SetExpr], context: Context) -> _Meaning:
    """A pattern with a set for each character of the text; a term if each set is of one."""
    pattern: list[IntervalSet] = []
    for part in parts:
        if isinstance(part, ast.Text):
            pattern += [IntervalSet.of(c) for c in part.value]
        else:
            pattern.append(context.evaluate(part))
    if all(len(members) == 1 for members in pattern):
        return _Meaning(terms=("".join(chr(members.first()) for members in pattern),))
    return _Meaning(patterns=(tuple(pattern),))


def _only_script(operand: ast.ScriptSet, source: Source) -> IntervalSet:
    try:
        return only_script([s.name for s in operand.names], operand.strictly)
    except properties.UnknownProperty as error:
        node = next((s for s in operand.names if s.name == error.name), operand)
        raise PolicyError(unknown_property(error, node, source)) from error
