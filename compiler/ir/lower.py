"""From the AST of one policy to its IR.

The meaning of a scope (order of the rules does not matter): a character is permitted if no `deny` holds
it and every `only` holds it, or if an `allow` holds it, or if it lies inside a whole permitted term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.ir.language import Language, Pattern, bounded_cover, intersection, phrase_free
from langc.compiler.ir.nodes import Example, PolicyIR, Rule, RuleKind, permitted
from langc.compiler.ir.options import TERM_OPTIONS, Matching, matching
from langc.compiler.ir.phrases import Phrase
from langc.compiler.ir.sets import Names, evaluate, unknown_property
from langc.compiler.limits import (
    MAX_PHRASE_LENGTH,
    MAX_SEQUENCE_LENGTH,
    MAX_SEQUENCE_SETS,
    MAX_SET_RANGES,
    MAX_TERM_LENGTH,
    over_limit,
)
from langc.compiler.source import Source, Span
from langc.compiler.syntax import ast
from langc.compiler.syntax.print import format_rule
from langc.compiler.unicode import properties, strings
from langc.compiler.unicode.intervals import EMPTY_SET, SCALARS, IntervalSet, union
from langc.compiler.unicode.scripts import only_script

_KINDS = {ast.Deny: RuleKind.DENY, ast.Only: RuleKind.ONLY, ast.Allow: RuleKind.ALLOW}


ReadFile = Callable[[ast.Text], Source]
"""Reads a file that a policy names. Raises PolicyError or LimitError, blaming the place where it is named."""


def lower(
    decl: ast.PolicyDecl, source: Source, used: tuple[PolicyIR, ...] | None = None, read: ReadFile | None = None
) -> PolicyIR:
    """The IR of a checked policy, given those that it uses, and a way to the files of texts that it names.

    Raises PolicyError with every unknown property in it, LimitError for too many sequences, and ValueError if it has
    `use` lines and `used` is None.
    """
    if used is None and any(isinstance(item, ast.Use) for item in decl.items):
        raise ValueError(f"policy {decl.name} uses others, which link() has to find")
    names: dict[str, IntervalSet] = {}
    budget = _Budget(source)
    rules: list[Rule] = []
    examples: list[Example] = []
    errors: list[PolicyError] = []
    for item in decl.items:
        try:
            match item:
                case ast.Let(name, value):
                    names[name] = EMPTY_SET
                    names[name] = budget.spend(evaluate(value, names, source), item)
                case ast.Deny() | ast.Only() | ast.Allow():
                    rules.append(_rule(item, names, source, budget))
                case ast.DenyPhrases():
                    rules.append(_phrase_rule(item, source, read))
                case ast.AllowFrom():
                    rules.append(_terms_rule(item, source, read))
                case ast.Accept(text):
                    examples.append(Example(text.value, True, None, item.span))
                case ast.Reject(text, at):
                    examples.append(Example(text.value, False, at, item.span))
        except PolicyError as error:
            errors.append(error)
    if errors:
        raise PolicyError(d for e in errors for d in e.diagnostics)
    _refuse_sequences(rules)
    return PolicyIR(
        decl.name, decl.doc, tuple(rules), denote(rules), tuple(examples), (), used or (), source, decl.name_span
    )


def _refuse_sequences(rules: list[Rule]) -> None:
    """Raises LimitError for a sequence that is too long, or for too many of them."""
    total = 0
    for rule in rules:
        label = Label(rule.source, rule.span)
        if any(len(pattern) > MAX_SEQUENCE_LENGTH for pattern in rule.patterns):
            raise LimitError(over_limit("characters in a sequence", MAX_SEQUENCE_LENGTH, label))
        total += sum(map(len, rule.patterns))
        if total > MAX_SEQUENCE_SETS:
            raise LimitError(over_limit("sets in the sequences of a policy", MAX_SEQUENCE_SETS, label))


def denote(rules: list[Rule]) -> Language:
    """The language of one scope."""
    allows = [r for r in rules if r.kind is RuleKind.ALLOW]
    terms = (*(Phrase(t) for r in allows for t in r.terms), *(p for r in allows for p in r.phrases))
    scope = bounded_cover(permitted(rules), terms, tuple(p for r in allows for p in r.patterns))
    phrases = [p for r in rules if r.kind is RuleKind.DENY for p in r.phrases]
    return intersection(scope, phrase_free(phrases)) if phrases else scope


def _terms_rule(item: ast.AllowFrom, source: Source, read: ReadFile | None) -> Rule:
    texts = _texts_of(item.terms, source, read)
    for text, label in texts:
        if len(text) > MAX_TERM_LENGTH:
            raise LimitError(over_limit("characters in a permitted term", MAX_TERM_LENGTH, label))
    return _allow([t for t, _ in texts], item, source)


def _only_terms(item: ast.Allow, source: Source) -> list[str]:
    """The terms before options. Raises PolicyError (LC0333) if there is anything else among them."""
    for operand in item.operands:
        if not isinstance(operand, ast.Text):
            raise PolicyError(
                Diagnostic(
                    "LC0333",
                    "options go with terms, and this is none",
                    Label(source, operand.span),
                    help="put the sets into an `allow` of their own",
                )
            )
    return [operand.value for operand in item.operands if isinstance(operand, ast.Text)]


def _allow(texts: Iterable[str], item: ast.Allow | ast.AllowFrom, source: Source) -> Rule:
    """The rule of terms under the options of a line; without any, terms of one character are members."""
    how = matching(item.options, source, TERM_OPTIONS)
    if how == Matching():
        found = _texts(texts)
        return Rule(RuleKind.ALLOW, found.members, found.terms, text=format_rule(item), span=item.span, source=source)
    phrases = tuple(Phrase(t, how.folding, how.left, how.right) for t in texts)
    return Rule(RuleKind.ALLOW, EMPTY_SET, phrases=phrases, text=format_rule(item), span=item.span, source=source)


def _phrase_rule(item: ast.DenyPhrases, source: Source, read: ReadFile | None) -> Rule:
    how = matching(item.options, source)
    texts = _texts_of(item.phrases, source, read)
    phrases = tuple(Phrase(t, how.folding, how.left, how.right, how.early) for t, _ in texts)
    for phrase, (_, label) in zip(phrases, texts, strict=True):
        _check_phrase(phrase, label)
    return Rule(RuleKind.DENY, EMPTY_SET, phrases=phrases, text=format_rule(item), span=item.span, source=source)


def _texts_of(named: ast.Texts | ast.TextFile, source: Source, read: ReadFile | None) -> list[tuple[str, Label]]:
    """The texts of a rule, each with its place. Those of a file are its lines but for empty ones and comments."""
    if isinstance(named, ast.Texts):
        return [(t.value, Label(source, t.span)) for t in named.texts]
    if read is None:
        raise ValueError("the policy names a file, which link() has to read")
    file = read(named.path)
    return list(_lines(file))


def _lines(file: Source) -> Iterator[tuple[str, Label]]:
    start = 0
    for line in file.text.split("\n"):
        text = line.removesuffix("\r")
        if text and not text.startswith("#"):
            yield text, Label(file, Span(start, start + len(text)))
        start += len(line) + 1


def _check_phrase(phrase: Phrase, label: Label) -> None:
    if len(phrase.text) > MAX_PHRASE_LENGTH:
        raise LimitError(over_limit("characters in a phrase", MAX_PHRASE_LENGTH, label))
    if not phrase.atoms:
        raise PolicyError(
            Diagnostic(
                "LC0332",
                "nothing is left of this phrase: all of it is ignored" if phrase.text else "the phrase is empty",
                label,
                help="it would be everywhere: leave it out, or ignore less",
            )
        )


class _Meaning(NamedTuple):
    """What an operand adds to its rule."""

    members: IntervalSet = EMPTY_SET
    terms: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()


@dataclass
class _Budget:
    """Counts the ranges of the sets that a policy writes down."""

    source: Source
    spent: int = 0

    def spend(self, members: IntervalSet, node: ast.Node) -> IntervalSet:
        """The set itself. Raises LimitError at `node` past `MAX_SET_RANGES`."""
        self.spent += len(members.ranges)
        if self.spent > MAX_SET_RANGES:
            place = Label(self.source, node.span)
            raise LimitError(over_limit("ranges in the sets of the policy", MAX_SET_RANGES, place))
        return members


def _rule(item: ast.Deny | ast.Only | ast.Allow, names: Names, source: Source, budget: _Budget) -> Rule:
    if isinstance(item, ast.Allow) and item.options is not None:
        return _allow(_only_terms(item, source), item, source)
    kind = _KINDS[type(item)]
    operands = item.operands if isinstance(item, ast.Allow) else item.sets
    parts: list[_Meaning] = []
    for operand in operands:
        parts.append(_operand(operand, kind, names, source))
        budget.spend(parts[-1].members, operand)
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
        case ast.Text(value) if len(value) > MAX_TERM_LENGTH:
            place = Label(source, operand.span)
            raise LimitError(over_limit("characters in a permitted term", MAX_TERM_LENGTH, place))
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
