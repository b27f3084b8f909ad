"""From the AST of one policy to its IR.

The meaning of a scope (order of the rules does not matter): a character is permitted if no `deny` holds
it and every `only` holds it, or if an `allow` holds it, or if it lies inside a whole permitted term; and no denied
phrase occurs. The policy's own rules are one scope, those of each region another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from langc.compiler.diagnostics import Label
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.ir.kinds import Between, Fence, InlineCode, JsonValue, Kind, Quotes, Url
from langc.compiler.ir.language import ANY_TEXT, Language, bounded_cover, intersection, phrase_free
from langc.compiler.ir.nodes import Example, PolicyIR, Region, Rule, RuleKind, permitted
from langc.compiler.ir.phrases import Phrase
from langc.compiler.ir.rules import Budget, Context, lower_rule
from langc.compiler.ir.sets import ReadFile
from langc.compiler.limits import MAX_SEQUENCE_LENGTH, MAX_SEQUENCE_SETS, over_limit
from langc.compiler.source import Source
from langc.compiler.syntax import ast
from langc.compiler.unicode.intervals import EMPTY_SET, IntervalSet


def lower(
    decl: ast.PolicyDecl, source: Source, used: tuple[PolicyIR, ...] | None = None, read: ReadFile | None = None
) -> PolicyIR:
    """The IR of a checked policy, given those that it uses, and a way to the files of texts that it names.

    `source` is where the policy stands; items that `use … with` has changed may stand elsewhere.

    Raises PolicyError with every unknown property in it, LimitError for too many sequences, and ValueError if it has
    `use` lines and `used` is None.
    """
    if used is None and any(isinstance(item, ast.Use) for item in decl.items):
        raise ValueError(f"policy {decl.name} uses others, which link() has to find")
    names: dict[str, IntervalSet] = {}
    context = Context(names, source, Budget(), read)
    rules: list[Rule] = []
    regions: list[Region] = []
    examples: list[Example] = []
    errors: list[PolicyError] = []
    for item in decl.items:
        here = context.at(item)
        try:
            match item:
                case ast.Let(name, value):
                    names[name] = EMPTY_SET
                    names[name] = here.spend(here.evaluate(value), item)
                case ast.Accept(text):
                    examples.append(Example(text.value, True, None, item.span))
                case ast.Reject(text, at):
                    examples.append(Example(text.value, False, at, item.span))
                case ast.Region():
                    regions.append(_region(item, here))
                case ast.Use() | ast.Unclosed() | ast.InSurface():
                    pass  # the linker's, and `_closed`'s
                case _:
                    rules.append(lower_rule(item, here))
        except PolicyError as error:
            errors.append(error)
    if errors:
        raise PolicyError(d for e in errors for d in e.diagnostics)
    _refuse_sequences([*rules, *(rule for region in regions for rule in region.rules)])
    return PolicyIR(
        decl.name,
        decl.doc,
        tuple(rules),
        denote(rules),
        tuple(examples),
        _closed(regions, decl.items, source),
        surface=next((item.name for item in decl.items if isinstance(item, ast.InSurface)), None),
        used=used or (),
        warnings=tuple(context.warnings),
        source=source,
        span=decl.name_span,
    )


def _refuse_sequences(rules: Iterable[Rule]) -> None:
    """Raises LimitError for a sequence that is too long, or for too many of them."""
    total = 0
    for rule in rules:
        label = Label(rule.source, rule.span)
        if any(len(pattern) > MAX_SEQUENCE_LENGTH for pattern in rule.patterns):
            raise LimitError(over_limit("characters in a sequence", MAX_SEQUENCE_LENGTH, label))
        total += sum(map(len, rule.patterns))
        if total > MAX_SEQUENCE_SETS:
            raise LimitError(over_limit("sets in the sequences of a policy", MAX_SEQUENCE_SETS, label))


def denote(rules: Sequence[Rule]) -> Language:
    """The language of one scope."""
    allows = [r for r in rules if r.kind is RuleKind.ALLOW]
    terms = (*(Phrase(t) for r in allows for t in r.terms), *(p for r in allows for p in r.phrases))
    scope = bounded_cover(permitted(rules), terms, tuple(p for r in allows for p in r.patterns))
    phrases = [p for r in rules if r.kind is RuleKind.DENY for p in r.phrases]
    return intersection(scope, phrase_free(phrases)) if phrases else scope


# --- regions --------------------------------------------------------------------------------------------------------


_PLAIN_KINDS: dict[str, Callable[[], Kind]] = {"fence": Fence, "inline_code": InlineCode, "url": Url, "quotes": Quotes}


def _region(item: ast.Region, context: Context) -> Region:
    rules = tuple(lower_rule(rule, context) for rule in item.items if not isinstance(rule, ast.InSurface))
    surface = next((named.name for named in item.items if isinstance(named, ast.InSurface)), None)
    lengths = [rule.up_to for rule in item.items if isinstance(rule, ast.Only) and rule.up_to is not None]
    kinds = tuple(_kind(kind, min(lengths, default=None), context) for kind in item.kinds)
    language = denote(rules) if rules else ANY_TEXT
    return Region(item.name, kinds, rules, language, surface=surface, span=item.name_span, source=context.source)


def _kind(kind: ast.RegionKind, most: int | None, context: Context) -> Kind:
    if kind.field is not None:
        return Fence(_small(kind.field.value)) if kind.name == "fence" else JsonValue(kind.field.value)
    if kind.delimiters is None:
        return _PLAIN_KINDS[kind.name or ""]()
    opener, closer = (text.value for text in kind.delimiters)
    if kind.after is None:
        return Between(opener, closer, at_start=kind.name == "start", most=most)
    after = context.spend(context.evaluate(kind.after), kind.after)
    return Between(opener, closer, after, most=most)


def _small(word: str) -> str:
    """With small letters, as far as they are ASCII."""
    return "".join(c.lower() if c.isascii() else c for c in word)


def _closed(regions: Iterable[Region], items: Iterable[ast.PolicyItem], source: Source) -> tuple[Region, ...]:
    """The regions with what `unclosed` says of each."""
    lines = {item.region: item for item in items if isinstance(item, ast.Unclosed)}
    said = {n: (line.choice == "allow", Label(line.source or source, line.span)) for n, line in lines.items()}
    choices = ((region, said.get(region.name, (None, None))) for region in regions)
    return tuple(replace(region, unclosed=choice, unclosed_at=place) for region, (choice, place) in choices)
