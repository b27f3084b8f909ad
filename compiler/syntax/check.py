"""Checks an AST for names and for rules that cannot be meant.

Nothing is looked up in Unicode here: whether a property or script exists is decided when the AST is
lowered. Nothing here recurses: `refuse_depth` is what makes recursion safe elsewhere.

What stands behind `use … with` is checked as part of the policy that it changes, by `check_policy`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from langc.compiler.diagnostics import Diagnostic, Label, Severity
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SET_DEPTH, over_limit
from langc.compiler.source import Source, Span
from langc.compiler.suggest import did_you_mean
from langc.compiler.syntax import ast

Findings = Iterator[Diagnostic]


def check(file: ast.PolicyFile) -> list[Diagnostic]:
    """All errors and warnings about a file."""
    return [*_check_file(file), *(d for policy in file.policies for d in check_policy(policy, file.source))]


def check_policy(policy: ast.PolicyDecl, source: Source) -> list[Diagnostic]:
    """All errors and warnings about one policy; `source` is where the items stand that do not say otherwise."""
    return [found for rule in _POLICY_CHECKS for found in rule(policy, source)]


def children(expression: ast.Operand) -> tuple[ast.SetExpr, ...]:
    """The sets that a set or a sequence is made of."""
    match expression:
        case ast.Sequence(parts):
            return parts
        case ast.Negation(operand) | ast.Compat(operand):
            return (operand,)
        case ast.Union(operands):
            return operands
        case ast.Difference(left, right) | ast.Intersection(left, right):
            return left, right
    return ()


def walk(expression: ast.Operand) -> Iterator[tuple[ast.Operand, int]]:
    """An operand and all sets in it in the order of the text, each with the number of operators around it."""
    stack: list[tuple[ast.Operand, int]] = [(expression, 0)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        parts = children(node)
        if parts:
            stack += [(child, depth + 1) for child in reversed(parts)]


def flat(items: Sequence[ast.PolicyItem]) -> Iterator[ast.PolicyItem]:
    """The items in the order of the text, each region before the rules in it; what changes others is left out."""
    for item in items:
        yield item
        if isinstance(item, ast.Region):
            yield from item.items


def operands(item: ast.PolicyItem) -> tuple[ast.Operand, ...]:
    """The sets, terms and sequences that stand in an item."""
    match item:
        case ast.Let(value=value):
            return (value,)
        case ast.Deny(sets) | ast.Only(sets) | ast.Discourage(sets) | ast.Replace(sets):
            return sets
        case ast.Region(kinds=kinds):
            return tuple(kind.after for kind in kinds if kind.after)
        case ast.Allow(operands=terms):
            return terms
    return ()


def refuse_depth(file: ast.PolicyFile) -> None:
    """Raises LimitError for a set with too many operators inside one another."""
    items = [item for policy in file.policies for item in policy.items]
    overrides = [item for use in items if isinstance(use, ast.Use) for item in use.overrides or ()]
    for item in flat([*items, *overrides]):
        for node, depth in (found for operand in operands(item) for found in walk(operand)):
            if depth > MAX_SET_DEPTH:
                label = Label(file.source, node.span)
                raise LimitError(over_limit("operators inside one another", MAX_SET_DEPTH, label))


# --- the file -----------------------------------------------------------------------------------


def _check_file(file: ast.PolicyFile) -> Findings:
    if not file.policies and not file.surfaces:
        help_ = "a policy is written `policy NAME { deny …; }`"
        start = Label(file.source, Span(0, 0))
        yield Diagnostic("LC0005", "there is no policy in this file", start, help=help_)
    first: dict[str, ast.PolicyDecl] = {}
    for policy in file.policies:
        earlier = first.setdefault(policy.name, policy)
        if earlier is not policy:
            yield Diagnostic(
                "LC0310",
                f"there are two policies `{policy.name}`",
                Label(file.source, policy.name_span, "named again here"),
                (Label(file.source, earlier.name_span, "first named here"),),
            )


_RULES = ast.Use | ast.Region | ast.StopOn | ast.StopBefore | ast.InSurface | ast.RuleItem

# --- one policy ---------------------------------------------------------------------------------


def _check_rules(policy: ast.PolicyDecl, source: Source) -> Findings:
    if not any(isinstance(item, _RULES) for item in policy.items):
        yield Diagnostic(
            "LC0311",
            f"policy `{policy.name}` has no rules",
            Label(source, policy.name_span),
            help="add a `deny` or an `only`: without either, everything is permitted",
        )
    elif all(map(_says_nothing, policy.items)):
        yield Diagnostic(
            "LC0353",
            f"policy `{policy.name}` permits everything: no rule stands outside or inside its regions",
            Label(source, policy.name_span),
            help="say what is denied outside them: `deny …;` or `only …;`",
            severity=Severity.WARNING,
        )


def _says_nothing(item: ast.PolicyItem) -> bool:
    """Whether an item restricts no text but by the end of a region."""
    return not isinstance(item, _RULES) or (isinstance(item, ast.Region) and not item.items)


def _check_definitions(policy: ast.PolicyDecl, source: Source) -> Findings:
    """Each name is defined once, before its first use, and used."""
    later = {item.name: item for item in reversed(policy.items) if isinstance(item, ast.Let)}
    defined: dict[str, ast.Let] = {}
    used: set[str] = set()
    for item in flat(policy.items):
        for name in names_in(item):
            used.add(name.name)
            if name.name not in defined:
                yield _undefined(name, item, later, source)
        if isinstance(item, ast.Let):
            first = defined.setdefault(item.name, item)
            if first is not item:
                yield _defined_twice(item, first, source)
    for let in defined.values():
        if let.name not in used:
            yield _unused(let, source)


def _at(item: ast.PolicyItem, span: Span, source: Source, message: str = "") -> Label:
    """A place in an item, in the source that it stands in."""
    return Label(item.source or source, span, message)


def names_in(item: ast.PolicyItem) -> Iterator[ast.SetName]:
    """The names of sets in the operands of an item."""
    for operand in operands(item):
        yield from (node for node, _ in walk(operand) if isinstance(node, ast.SetName))


_FOR_WORDS = {
    "phrases": 'phrases are `phrase "…", "…"` or `phrases from "FILE"`',
    "terms": 'terms stand there without a word, `allow "…", "…";`, or in a file, `allow terms from "FILE";`',
}
"""What helps with names that are words of the language where something else follows them."""


def _undefined(name: ast.SetName, item: ast.PolicyItem, known: dict[str, ast.Let], source: Source) -> Diagnostic:
    if name.name in known:
        let = known[name.name]
        return Diagnostic(
            "LC0303",
            f"`{name.name}` is used before it is defined",
            _at(item, name.span, source),
            (_at(let, let.name_span, source, "defined here"),),
            help="move the `let` up; a set cannot contain itself",
        )
    return Diagnostic(
        "LC0301",
        f"no set is named `{name.name}`",
        _at(item, name.span, source),
        help=did_you_mean(name.name, known)
        or _FOR_WORDS.get(name.name)
        or f"define it with `let {name.name} = …;`; a script is `script NAME`",
    )


def _defined_twice(let: ast.Let, first: ast.Let, source: Source) -> Diagnostic:
    return Diagnostic(
        "LC0302",
        f"`{let.name}` is defined twice",
        _at(let, let.name_span, source, "defined again here"),
        (_at(first, first.name_span, source, "first defined here"),),
    )


def _unused(let: ast.Let, source: Source) -> Diagnostic:
    return Diagnostic(
        "LC0304",
        f"`{let.name}` is never used",
        _at(let, let.name_span, source),
        severity=Severity.WARNING,
    )


def _check_scripts(policy: ast.PolicyDecl, source: Source) -> Findings:
    """A list of scripts takes in the names behind it, and has a strict form after `only` alone."""
    lets = {item.name: item for item in policy.items if isinstance(item, ast.Let)}
    for item in flat(policy.items):
        for operand in operands(item):
            if not isinstance(operand, ast.ScriptSet):
                continue
            if operand.strictly and not isinstance(item, ast.Only):
                help_ = "a `deny` or `allow` of a script means its own characters, and no others, anyway"
                place = _at(item, operand.span, source)
                yield Diagnostic("LC0316", "`strictly` goes with `only`", place, help=help_)
            for name in operand.names[1:]:
                if name.name in lets:
                    let = lets[name.name]
                    labels = _at(item, name.span, source), _at(let, let.name_span, source, "the set")
                    yield _set_among_scripts(name, *labels)


def _set_among_scripts(name: ast.ScriptName, place: Label, the_set: Label) -> Diagnostic:
    return Diagnostic(
        "LC0315",
        f"`{name.name}` is read as a script here, not as the set of that name",
        place,
        (the_set,),
        help=f"for the set, write it before `script`, or as `({name.name})`",
    )


def _check_strings(policy: ast.PolicyDecl, source: Source) -> Findings:
    """A string is a set only if it is one code point; `allow` takes longer ones, as terms and in sequences."""
    for item in flat(policy.items):
        for operand in operands(item):
            if isinstance(operand, ast.Sequence) and not isinstance(item, ast.Allow):
                yield _misplaced_sequence(_at(item, operand.span, source))
                continue
            depth_of_terms = int(isinstance(operand, ast.Sequence))
            for node, depth in walk(operand):
                if isinstance(node, ast.Text) and len(node.value) != 1:
                    place = _at(item, node.span, source)
                    if isinstance(item, ast.Allow) and depth <= depth_of_terms:
                        yield from _empty_term(node, place)
                    else:
                        yield _not_a_character(node, place)


def _check_names_in_brackets(policy: ast.PolicyDecl, source: Source) -> Findings:
    """A name in brackets is its letters: probably not what was meant where a set has that name."""
    lets = {item.name: item for item in policy.items if isinstance(item, ast.Let) and len(item.name) > 2}
    for item in flat(policy.items) if lets else ():
        for node, _ in (found for operand in operands(item) for found in walk(operand)):
            for run in _letters(node):
                name = "".join(chr(letter.value) for letter in run)
                if name in lets:
                    let, place = lets[name], _at(item, run[0].span.to(run[-1].span), source)
                    yield _letters_of_a_name(name, place, _at(let, let.name_span, source, "the set"))


def _letters(node: ast.Operand) -> list[list[ast.Character]]:
    """The runs of single characters among the members of a union."""
    runs: list[list[ast.Character]] = [[]]
    for member in node.operands if isinstance(node, ast.Union) else ():
        if isinstance(member, ast.Character):
            runs[-1].append(member)
        else:
            runs.append([])
    return runs


def _letters_of_a_name(name: str, place: Label, the_set: Label) -> Diagnostic:
    return Diagnostic(
        "LC0207",
        f"in brackets `{name}` is its letters, not the set of that name",
        place,
        (the_set,),
        help="names stand outside brackets, with `|`, `--` and `&&`",
        severity=Severity.WARNING,
    )


KINDS = ("fence", "inline_code", "url", "quotes", "json")
_NAMED_KINDS = ("json",)
_PERHAPS_NAMED = ("fence",)
_NO_WORD = " \t\r\n`"
"""What no word of an info string holds."""
_CHOICES = ("allow", "forbid")


def _check_regions(policy: ast.PolicyDecl, source: Source) -> Findings:
    """Each region is named once, of kinds that there are, and ends somewhere."""
    regions: dict[str, ast.Region] = {}
    for item in policy.items:
        if isinstance(item, ast.Region):
            first = regions.setdefault(item.name, item)
            if first is not item:
                yield _named_twice(item, first, source)
            for kind in item.kinds:
                yield from _check_kind(kind, item.source or source)
            if not all(kind.delimiters for kind in item.kinds):
                yield from _check_lengths(item.items, source)
    yield from _check_openers(list(regions.values()), source)
    for item in policy.items:
        if isinstance(item, ast.Unclosed):
            yield from _check_unclosed(item, regions, source)
    yield from _check_lengths(policy.items, source)


def _check_openers(regions: Sequence[ast.Region], source: Source) -> Findings:
    """No region has the opener of an earlier one: what several of them could be is the first."""
    known: dict[tuple[str | None, str], tuple[ast.Region, ast.RegionKind]] = {}
    for region in regions:
        for kind in region.kinds:
            first, earlier = known.setdefault(_opener(kind), (region, kind))
            if kind.name == "fence":  # one without a word opens with all of them
                first, earlier = known.get(("fence", ""), (first, earlier))
            if earlier is not kind and kind.after is None:
                yield Diagnostic(
                    "LC0352",
                    f"this never opens: region `{first.name}` has the same opener, and comes first",
                    _at(region, kind.span, source),
                    (Label(first.source or source, earlier.span, "it opens here"),),
                    help="take another delimiter, or drop one of the two",
                    severity=Severity.WARNING,
                )


def _opener(kind: ast.RegionKind) -> tuple[str | None, str]:
    """What tells openers apart; those `after` a character also stand in different places, so each is its own."""
    if kind.after is not None:
        return ("after", str(kind.span))
    written = kind.delimiters[0].value if kind.delimiters else kind.field.value if kind.field else ""
    return (kind.name, "".join(c.lower() if c.isascii() else c for c in written) if kind.name == "fence" else written)


def _closes_in_line(region: ast.Region) -> bool:
    """Whether it is a region only if it closes on its line, so that the end of a text never stands in it."""
    return all(kind.after is not None or kind.name in ("inline_code", "quotes") for kind in region.kinds)


def _check_kind(kind: ast.RegionKind, source: Source) -> Findings:
    place = Label(source, kind.span)
    if kind.delimiters is None and kind.name not in KINDS:
        help_ = (
            did_you_mean(kind.name or "", KINDS)
            or "kinds are `between`, `fence`, `inline_code`, `url`, `quotes` and `json`"
        )
        yield Diagnostic("LC0341", f"there is no kind of region `{kind.name}`", place, help=help_)
    elif kind.name in _PERHAPS_NAMED and kind.field is not None:
        yield from _check_word(kind.field, source)
    elif kind.delimiters is None and (kind.field is not None) != (kind.name in _NAMED_KINDS):
        yield _with_or_without_name(kind, place)
    elif kind.delimiters is not None and kind.name not in (None, "start"):
        help_ = "before `between` stands nothing, `start`, or `after` with a set"
        yield Diagnostic("LC0341", f"`{kind.name}` does not say where a region begins", place, help=help_)
    for text in kind.delimiters or ():
        if not text.value:
            yield Diagnostic(
                "LC0342",
                "a delimiter is empty",
                Label(source, text.span),
                help="write what opens and what closes the region",
            )


def _check_word(word: ast.Text, source: Source) -> Findings:
    """What stands behind `fence` can be the first word of an info string."""
    if not word.value or set(word.value) & set(_NO_WORD):
        message = "no code block begins with this word"
        help_ = 'write one word without blanks and backticks, as it stands behind the backticks: `fence "sql"`'
        yield Diagnostic("LC0354", message, Label(source, word.span), help=help_)


def _with_or_without_name(kind: ast.RegionKind, place: Label) -> Diagnostic:
    if kind.field is None:
        help_ = f'write `{kind.name} "NAME"`: the region is the value of the member of that name'
        return Diagnostic("LC0347", f"`{kind.name}` asks for the name of a member", place, help=help_)
    return Diagnostic("LC0347", f"`{kind.name}` takes no name", place, help="drop the string")


def _check_lengths(items: Sequence[ast.PolicyItem], source: Source) -> Findings:
    for item in items:
        if isinstance(item, ast.Only) and item.up_to is not None:
            message = "`up to` bounds what stands between two delimiters, and here are none"
            help_ = "drop it, or write the rule inside `region … = between … { }`"
            yield Diagnostic("LC0343", message, _at(item, item.span, source), help=help_)


def _check_unclosed(item: ast.Unclosed, regions: dict[str, ast.Region], source: Source) -> Findings:
    if item.region not in regions:
        help_ = did_you_mean(item.region, regions)
        place = _at(item, item.name_span, source)
        yield Diagnostic("LC0344", f"no region is named `{item.region}`", place, help=help_)
    elif _closes_in_line(regions[item.region]):
        yield Diagnostic(
            "LC0351",
            f"this changes nothing: `{item.region}` is a region only where it closes",
            _at(item, item.span, source),
            help="drop the line; what does not close is plain text",
            severity=Severity.WARNING,
        )
    if item.choice not in _CHOICES:
        help_ = "it is `allow` or `forbid`"
        place = _at(item, item.span, source)
        yield Diagnostic("LC0345", f"`unclosed` cannot be `{item.choice}`", place, help=help_)


def _check_surfaces(policy: ast.PolicyDecl, source: Source) -> Findings:
    """A policy names one surface at most: for its texts, or in one region or several, and that alone."""
    whole = [item for item in policy.items if isinstance(item, ast.InSurface)]
    regions = [item for item in policy.items if isinstance(item, ast.Region)]
    within = [item for region in regions for item in region.items if isinstance(item, ast.InSurface)]
    named = [*whole, *within]
    others = [*whole[1:], *(item for item in within if whole or item.name != within[0].name)]
    for region in regions:
        yield from _check_contents(region, source)
    for item in others:
        yield Diagnostic(
            "LC0942",
            "a policy has one surface",
            _at(item, item.name_span, source, "a second one"),
            (_at(named[0], named[0].name_span, source, "the first"),),
            help="what two surfaces have in common is no surface; write one that refines the other",
        )


def _check_contents(region: ast.Region, source: Source) -> Findings:
    """A surface stands alone in its region, between delimiters that are always there."""
    named = next((item for item in region.items if isinstance(item, ast.InSurface)), None)
    if named is None:
        return
    place = _at(region, named.span, source)
    if len(region.items) > 1:
        beside = next(item for item in region.items if item is not named)
        yield Diagnostic(
            "LC0944",
            "what stands in a region is a text of a surface, or what its rules permit",
            place,
            (_at(region, beside.span, source, "this stands beside it"),),
            help="leave one out; rules for the whole text, code included, stand in a policy of its own that is used",
        )
    wrong = next((kind for kind in region.kinds if not _may_hold_surface(kind)), None)
    if wrong is not None:
        yield Diagnostic(
            "LC0944",
            "no surface stands in a region of this kind",
            _at(region, wrong.span, source),
            (_at(region, named.span, source, "the surface"),),
            help='take `fence`, `fence "WORD"` or `between "A" "B"`',
        )


def _may_hold_surface(kind: ast.RegionKind) -> bool:
    return kind.name == "fence" if kind.delimiters is None else kind.after is None


def _named_twice(region: ast.Region, first: ast.Region, source: Source) -> Diagnostic:
    return Diagnostic(
        "LC0340",
        f"there are two regions `{region.name}`",
        _at(region, region.name_span, source, "named again here"),
        (_at(first, first.name_span, source, "first named here"),),
    )


def _misplaced_sequence(place: Label) -> Diagnostic:
    return Diagnostic(
        "LC0317",
        "sets side by side are a sequence, and only `allow` takes one",
        place,
        help="separate operands with commas, or unite sets with `|`",
    )


def _empty_term(text: ast.Text, place: Label) -> Findings:
    if not text.value:
        yield Diagnostic("LC0313", "an empty term permits nothing", place, help="leave it out")


def _not_a_character(text: ast.Text, place: Label) -> Diagnostic:
    size = f"{len(text.value)} code points" if text.value else "nothing in it"
    return Diagnostic(
        "LC0312",
        f"a string that stands for a set holds one character; this one has {size}",
        place,
        help="the characters one by one go in brackets, `[…]`; words to ban are phrases: `deny phrase …`",
    )


_POLICY_CHECKS: tuple[Callable[[ast.PolicyDecl, Source], Findings], ...] = (
    _check_rules,
    _check_definitions,
    _check_scripts,
    _check_strings,
    _check_names_in_brackets,
    _check_regions,
    _check_surfaces,
)
