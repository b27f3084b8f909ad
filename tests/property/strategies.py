"""Hypothesis strategies for policy syntax: whole files from their parts, each part a strategy of its own.

Everything made here is an AST that the parser can make too (`check` may still object to names). Sizes are
kept small on purpose: a law that fails at all fails on a small example.
"""

from __future__ import annotations

from hypothesis import strategies as st

from langc.compiler.source import Source
from langc.compiler.syntax import ast
from langc.compiler.syntax.words import RESERVED

KEYWORDS = frozenset({"policy", "use", "let", "deny", "only", "allow", "accept", "reject", "at", "script", "strictly"})
KEYWORDS |= {"encodable", "phrase", "discourage", "by", "region", "between", "after", "any", "unclosed"}
KEYWORDS |= {"replace", "with", "surface"}

AWKWARD = "\0\t\n\r \"#&'()+,-.:;<=>[\\]^`{|}~\x7f\x85\xa0\xad\u0301\u034f\u0600\u1100\u1161\u11a8\u200b\u200d\u202e"
AWKWARD += "\u2028\u3000\u3164\u4e2d\uac00\ue000\ufe0f\ufeff\uffa0\uffff\U0001f468\U000e0061\U0010ffff"
"""Characters that a printer of policies may get wrong: signs, blanks, the invisible, the joining, the unassigned."""


HALF_WORDS = ("up", "to", "stop", "on", "before", "terms", "phrases", "from", "characters", "compat", "fence", "start")
"""Names that mean something before or behind others."""


def scalars() -> st.SearchStrategy[int]:
    """Any scalar value, the awkward ones and ASCII often."""
    anything = st.integers(0, 0xD7FF) | st.integers(0xE000, 0x10FFFF)
    return st.sampled_from(AWKWARD).map(ord) | st.integers(0x20, 0x7E) | anything


def texts(max_size: int = 6) -> st.SearchStrategy[str]:
    """Text over all scalar values."""
    return st.text(scalars().map(chr), max_size=max_size)


def names() -> st.SearchStrategy[str]:
    """Names of sets and policies: few, so that they meet."""
    chosen = st.sampled_from(["a", "cjk", "ko-strict", "_x1", "U", "Han", "only-this", "denycjk", *HALF_WORDS])
    spelled = st.text("adeghilnoprstuy_AU", min_size=1, max_size=6)
    return chosen | spelled.filter(lambda name: name not in KEYWORDS and name not in RESERVED)


# --- sets ---------------------------------------------------------------------------------------


def characters() -> st.SearchStrategy[ast.Character]:
    """One code point."""
    return scalars().map(ast.Character)


def character_ranges() -> st.SearchStrategy[ast.CharacterRange]:
    """Two ends in order, perhaps equal."""
    return st.tuples(characters(), characters()).map(
        lambda ends: ast.CharacterRange(*sorted(ends, key=lambda c: c.value))
    )


def properties() -> st.SearchStrategy[ast.Property]:
    """Real properties and values in several spellings, so that most of them can be lowered."""
    written = st.sampled_from(
        [
            *((None, value) for value in ("Han", "Lu", "Emoji", "Letter", "White_Space", "Nd")),
            *(("Script", "Hangul"), ("sc", "Hira"), ("scx", "Kana"), ("gc", "Mn"), ("Block", "CJK Unified Ideographs")),
        ]
    )
    return st.builds(lambda w, negated: ast.Property(w[0], w[1], negated), written, st.booleans())


def class_members() -> st.SearchStrategy[ast.SetExpr]:
    """What may stand between brackets, brackets in brackets included."""
    leaves = st.one_of(characters(), character_ranges(), properties())
    return st.recursive(leaves, _class_operations, max_leaves=6)


def _class_operations(members: st.SearchStrategy[ast.SetExpr]) -> st.SearchStrategy[ast.SetExpr]:
    pairs = st.one_of(st.builds(ast.Difference, members, members), st.builds(ast.Intersection, members, members))
    unions = st.lists(members, max_size=4).map(lambda m: ast.Union(tuple(m)))
    return st.one_of(pairs, unions, st.builds(ast.Negation, pairs | unions))


def brackets() -> st.SearchStrategy[ast.SetExpr]:
    """`[…]` and `[^…]`."""
    unions = st.lists(class_members(), max_size=6).map(lambda m: ast.Union(tuple(m)))
    return unions | st.builds(ast.Negation, unions)


def set_names() -> st.SearchStrategy[ast.SetName]:
    """A use of a `let` name."""
    return names().map(ast.SetName)


def one_character_texts() -> st.SearchStrategy[ast.Text]:
    """A string that stands for a set."""
    return scalars().map(lambda symbol: ast.Text(chr(symbol)))


def encodables() -> st.SearchStrategy[ast.Encodable]:
    """`encodable("…")`, of an encoding or of none."""
    return (st.sampled_from(["big5", "Shift-JIS 2004"]) | texts()).map(lambda name: ast.Encodable(ast.Text(name)))


def files_of_characters() -> st.SearchStrategy[ast.Characters]:
    """`characters("…")`."""
    return texts().map(lambda path: ast.Characters(ast.Text(path)))


def set_expressions(leaves: st.SearchStrategy[ast.SetExpr] | None = None) -> st.SearchStrategy[ast.SetExpr]:
    """Any set outside brackets, with operators; by default over all leaves, names and strings among them."""
    named = (set_names(), one_character_texts(), brackets())
    anything = st.one_of(characters(), character_ranges(), properties(), encodables(), files_of_characters(), *named)
    base = anything if leaves is None else leaves
    return st.recursive(base, _operations, max_leaves=5)


def _operations(sets: st.SearchStrategy[ast.SetExpr]) -> st.SearchStrategy[ast.SetExpr]:
    unions = st.builds(
        lambda operands, written: ast.Union(tuple(operands), brackets=written),
        st.lists(sets, min_size=2, max_size=4),
        st.booleans(),
    )
    return st.one_of(
        unions,
        st.builds(ast.Compat, sets),
        st.builds(ast.Negation, sets),
        st.builds(ast.Difference, sets, sets),
        st.builds(ast.Intersection, sets, sets),
    )


def nameless_sets() -> st.SearchStrategy[ast.SetExpr]:
    """Sets without `let` names, which can be lowered alone."""
    return set_expressions(st.one_of(characters(), character_ranges(), properties(), brackets()))


# --- items --------------------------------------------------------------------------------------


def script_sets(strictly: st.SearchStrategy[bool]) -> st.SearchStrategy[ast.ScriptSet]:
    """`script Hangul, Latn`."""
    scripts = st.sampled_from(["Han", "Hangul", "Latn", "Hira", "Old_Italic"]).map(ast.ScriptName)
    return st.builds(ast.ScriptSet, st.lists(scripts, min_size=1, max_size=3).map(tuple), strictly)


def sequences() -> st.SearchStrategy[ast.Sequence]:
    """Two sets or more side by side, and strings among them."""
    parts = set_expressions() | texts().filter(bool).map(ast.Text)
    return st.lists(parts, min_size=2, max_size=4).map(lambda found: ast.Sequence(tuple(found)))


def rule_operands(strictly: st.SearchStrategy[bool]) -> st.SearchStrategy[tuple[ast.Operand, ...]]:
    """The operands of a `deny` or `only`."""
    operands = st.one_of(set_expressions(), script_sets(strictly), sequences())
    return st.lists(operands, min_size=1, max_size=4).map(tuple)


def term_operands() -> st.SearchStrategy[tuple[ast.Operand, ...]]:
    """The operands of an `allow`: terms of any length, sets and sequences."""
    terms = texts().filter(bool).map(ast.Text)
    operands = st.one_of(terms, set_expressions(), script_sets(st.just(False)), sequences())
    return st.lists(operands, min_size=1, max_size=4).map(tuple)


def uses() -> st.SearchStrategy[ast.Use]:
    """`use name;` and `use "file";`, and with items in braces."""
    changed = st.none() | st.lists(overrides(), max_size=2).map(tuple)
    return st.builds(ast.Use, names().map(ast.PolicyName) | texts().map(ast.Text), changed)


def overrides() -> st.SearchStrategy[ast.Override]:
    """What may stand behind `with`."""
    return st.one_of(lets(), rules(), regions(), unclosed_lines(), stops())


def lets() -> st.SearchStrategy[ast.Let]:
    """`let name = set;`"""
    return st.builds(ast.Let, names(), set_expressions())


def rules() -> st.SearchStrategy[ast.RuleItem]:
    """A rule of any kind, of those that may stand in a region, too."""
    return st.one_of(
        st.builds(ast.Deny, rule_operands(st.just(False))),
        st.builds(ast.Only, rule_operands(st.booleans()), st.none() | st.integers(0, 10**9)),
        st.builds(ast.Allow, term_operands(), endings()),
        st.builds(ast.AllowFrom, text_files(), endings()),
        st.builds(ast.Discourage, rule_operands(st.just(False)), costs()),
        st.builds(ast.DenyPhrases, phrases(), endings()),
        st.builds(ast.DiscouragePhrases, phrases(), costs(), endings()),
        st.builds(ast.Replace, rule_operands(st.just(False)), texts().map(ast.Text)),
        st.builds(ast.ReplacePhrases, phrases(), texts().map(ast.Text), endings()),
    )


def text_files() -> st.SearchStrategy[ast.TextFile]:
    """What stands behind `from`."""
    return texts().map(lambda path: ast.TextFile(ast.Text(path)))


def phrases() -> st.SearchStrategy[ast.Texts | ast.TextFile]:
    """`phrase "a", "b"` and `phrases from "file"`."""
    written = st.lists(texts().map(ast.Text), min_size=1, max_size=3).map(lambda found: ast.Texts(tuple(found)))
    return written | text_files()


def costs() -> st.SearchStrategy[ast.Cost]:
    """Whole numbers and decimal fractions, some of which no rule can cost."""
    return st.from_regex(r"[0-9]{1,4}(\.[0-9]{1,4})?", fullmatch=True, alphabet="0123456789.").map(ast.Cost)


def endings() -> st.SearchStrategy[ast.Options | None]:
    """No options, or some: real ones, and any words in a row, perhaps with a string behind them."""
    real = st.sampled_from(
        [
            *(("ignore", "case"), ("ignore", "width"), ("width",), ("invisible",), ("space", "any"), ("early",)),
            *(("boundary", "left"), ("boundary", "both", "script"), ("normalization", "nfkc")),
        ]
    )
    free = st.lists(names() | st.just("script"), min_size=1, max_size=3).map(tuple)
    plain = real | free.filter(lambda found: not set(found) & set(HALF_WORDS))
    words = st.builds(ast.Words, plain, st.none() | texts().map(ast.Text))
    options = st.builds(ast.Option, st.lists(words, min_size=1, max_size=3).map(tuple))
    return st.none() | st.builds(ast.Options, st.lists(options, max_size=3).map(tuple))


def stops() -> st.SearchStrategy[ast.StopOn | ast.StopBefore]:
    """`stop on phrase "a" { }` and `stop before phrase "a" { }`."""
    return st.builds(ast.StopOn, phrases(), endings()) | st.builds(ast.StopBefore, phrases(), endings())


# --- regions ------------------------------------------------------------------------------------


def region_kinds() -> st.SearchStrategy[ast.RegionKind]:
    """All forms, with known words and unknown ones before `between`."""
    delimiters = st.tuples(texts().map(ast.Text), texts().map(ast.Text))
    kinds = st.sampled_from(["fence", "inline_code"]) | names()
    return st.one_of(
        st.builds(ast.RegionKind, kinds),
        st.builds(lambda name, field: ast.RegionKind(name, field=field), kinds, texts().map(ast.Text)),
        st.builds(ast.RegionKind, st.none() | names(), delimiters),
        st.builds(ast.RegionKind, st.none(), delimiters, set_expressions()),
    )


def regions(of: st.SearchStrategy[ast.RuleItem] | None = None) -> st.SearchStrategy[ast.Region]:
    """`region name = kind | kind { rules }`; without rules `any` stands there. A surface may stand among them."""
    kinds = st.lists(region_kinds(), min_size=1, max_size=3).map(tuple)
    inner = rules() | surface_lines() if of is None else of
    return st.builds(ast.Region, names(), kinds, st.lists(inner, max_size=3).map(tuple))


def unclosed_lines() -> st.SearchStrategy[ast.Unclosed]:
    """`unclosed name: allow;`, and with choices that there are none of."""
    return st.builds(ast.Unclosed, names(), st.sampled_from(["allow", "forbid"]) | names())


def examples() -> st.SearchStrategy[ast.Accept | ast.Reject]:
    """`accept` and `reject` lines; an offset lies within its text or at its end."""
    text = texts().map(ast.Text)
    return st.builds(ast.Accept, text) | text.flatmap(
        lambda t: st.builds(ast.Reject, st.just(t), st.none() | st.integers(0, len(t.value)))
    )


def surface_lines() -> st.SearchStrategy[ast.InSurface]:
    """`surface name;`"""
    return names().map(ast.InSurface)


def items() -> st.SearchStrategy[ast.PolicyItem]:
    """Anything that stands in a policy."""
    return st.one_of(uses(), lets(), rules(), regions(), unclosed_lines(), stops(), surface_lines(), examples())


def policies(of: st.SearchStrategy[ast.PolicyItem] | None = None) -> st.SearchStrategy[ast.PolicyDecl]:
    """One policy. Its names may be unknown, and it may have no rules."""
    body = st.lists(items() if of is None else of, max_size=4).map(tuple)
    return st.builds(ast.PolicyDecl, names(), st.none() | texts(), body)


def files(of: st.SearchStrategy[ast.PolicyItem] | None = None) -> st.SearchStrategy[ast.PolicyFile]:
    """A file of one or two policies, without comments."""
    source = Source("<made>", "")
    return st.lists(policies(of), min_size=1, max_size=2).map(lambda p: ast.PolicyFile(tuple(p), source=source))


# --- comments -----------------------------------------------------------------------------------


def comment_texts() -> st.SearchStrategy[str]:
    """The text of a comment without its `#`."""
    return st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=8).map(str.rstrip)


def comment_lines() -> st.SearchStrategy[ast.CommentLines]:
    """Lines around an item; None is a blank line, which the printer may drop."""
    return st.lists(st.none() | comment_texts(), max_size=3).map(tuple)


def commented_files() -> st.SearchStrategy[ast.PolicyFile]:
    """A file of small items with comments and blank lines wherever the AST has room for them."""
    around = {"leading": comment_lines(), "trailing": st.none() | comment_texts()}
    deny = st.builds(ast.Deny, st.tuples(set_names()), **around)
    phrase = st.builds(ast.DenyPhrases, phrases(), endings(), **around)
    kinds = region_kinds().map(lambda kind: (kind,))
    inner = st.lists(deny | phrase, max_size=2).map(tuple)
    region = st.builds(ast.Region, names(), kinds, inner, closing=comment_lines(), **around)
    changed = st.lists(st.one_of(deny, phrase, region), max_size=2).map(tuple)
    commented_items = st.one_of(
        deny,
        phrase,
        region,
        st.builds(ast.Use, names().map(ast.PolicyName), changed, closing=comment_lines(), **around),
        st.builds(ast.Accept, texts().map(ast.Text), **around),
    )
    body = st.lists(commented_items, max_size=3).map(tuple)
    decls = st.builds(ast.PolicyDecl, names(), st.none(), body, closing=comment_lines(), **around)
    source = st.just(Source("<made>", ""))
    return st.builds(
        ast.PolicyFile,
        st.lists(decls, min_size=1, max_size=2).map(tuple),
        source=source,
        closing=comment_lines(),
    )
