"""Hypothesis strategies for the syntax of surfaces: trees that the parser can make, whatever their names mean."""

from __future__ import annotations

from hypothesis import strategies as st

from langc.compiler.source import Source
from langc.compiler.syntax.ast import PolicyFile, Text
from langc.compiler.syntax.surfaces import ast
from tests.property import strategies as policies

SOFT: tuple[str, ...] = ("surface", "refines", "pattern", "munch", "token", "skip", "keywords", "sort", "of", "env")
SOFT += ("from", "scope", "opaque", "level", "ref", "fresh", "open", "where", "as", "shape")
"""Words of the language that are names where a name fits."""


def words() -> st.SearchStrategy[ast.Word]:
    """Names: few, so that they meet, words of the language among them."""
    spelled = st.text("ainot_Z", min_size=1, max_size=4).filter(lambda name: name not in ("in", "not"))
    return (st.sampled_from([*SOFT, "a", "b-2", "Table", "x"]) | spelled).map(ast.Word)


def texts() -> st.SearchStrategy[Text]:
    """Strings, quotes of both kinds often."""
    return (st.sampled_from(["", '"', "'", "\"'", "\\", "SELECT", "a/b"]) | policies.texts()).map(Text)


def patterns() -> st.SearchStrategy[ast.Pattern]:
    r"""Regular expressions, well formed or not; a slash is never escaped."""
    pieces = st.sampled_from([*"a/[]()\"'+*# {}", "\\\\", "\\n", "\\.", "가", "\t", "\u200b"])
    spelled = st.lists(pieces, max_size=6).map("".join)
    return (spelled | st.just("\\")).map(ast.Pattern)


def arguments() -> st.SearchStrategy[ast.Arguments]:
    """What stands between the parentheses of a call."""
    any_words = words() | st.sampled_from(["in", "not"]).map(ast.Word)
    values = any_words | st.integers(0, 99).map(lambda n: ast.Word(str(n)))
    rows = st.lists(any_words, min_size=1, max_size=3).map(tuple)
    one = any_words.map(lambda w: (w,))
    argument = st.one_of(
        st.builds(ast.Argument, rows, anywhere=st.booleans()),
        st.builds(ast.Argument, one, otherwise=any_words),
        st.builds(ast.Argument, values.map(lambda w: (w,)), key=any_words),
        st.builds(ast.Argument, one, key=any_words, otherwise=any_words),
    )
    return st.lists(argument, max_size=3).map(tuple)


def elements() -> st.SearchStrategy[ast.Element]:
    """What a rule is made of."""
    any_words = words() | st.sampled_from(["in", "not"]).map(ast.Word)
    leaves = st.one_of(
        texts().map(lambda t: ast.Literal(t.value)),
        st.builds(ast.Use, words(), st.none() | arguments(), st.none() | words()),
        st.builds(ast.Guard, words(), st.none() | arguments(), negated=st.booleans()),
        st.builds(ast.Guard, words(), value=any_words, negated=st.booleans()),
        st.builds(ast.Action, words(), arguments()),
        st.just(ast.Sequence(())),
    )
    return st.recursive(leaves, _larger, max_leaves=6)


def _larger(parts: st.SearchStrategy[ast.Element]) -> st.SearchStrategy[ast.Element]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        several.map(ast.Sequence),
        several.map(ast.Choice),
        st.builds(ast.Repeat, parts, st.sampled_from("?*+")),
        st.builds(ast.Within, words(), st.none() | arguments(), parts),
    )


def comments() -> dict[str, st.SearchStrategy[object]]:
    """The comments around an item."""
    return {"leading": policies.comment_lines(), "trailing": st.none() | policies.comment_texts()}


def items() -> st.SearchStrategy[ast.SurfaceItem]:
    """Anything that stands in a surface."""
    around = comments()
    return st.one_of(
        st.builds(ast.TokenDecl, words(), patterns(), st.none() | patterns(), st.booleans(), **around),
        st.builds(ast.KeywordsDecl, st.lists(texts(), min_size=1, max_size=3).map(tuple), **around),
        st.builds(ast.SortDecl, words(), st.none() | words(), **around),
        st.builds(ast.EnvDecl, words(), words(), st.lists(texts(), max_size=2).map(tuple), **around),
        st.builds(ast.EnvDecl, words(), **around),
        st.builds(ast.ScopeDecl, words(), st.booleans(), **around),
        st.builds(ast.LevelDecl, words(), words(), st.none() | words(), **around),
        st.builds(ast.RuleDecl, words(), elements(), **around),
        st.lists(elements(), min_size=2, max_size=4).flatmap(commented_choices),
    )


def commented_choices(choices: list[ast.Element]) -> st.SearchStrategy[ast.RuleDecl]:
    """A rule with comments above its choices."""
    lines = st.lists(policies.comment_texts(), max_size=2).map(tuple)
    above = st.tuples(*(lines for _ in choices[1:])).map(lambda found: found if any(found) else ())
    return st.builds(ast.RuleDecl, words(), st.just(ast.Choice(tuple(choices))), above=above, **comments())


def settings() -> st.SearchStrategy[ast.Setting]:
    """A setting; its name and its value may not go together."""
    quotes = st.lists(st.builds(ast.Quote, texts(), st.none() | texts()), min_size=1, max_size=3).map(tuple)
    return st.builds(ast.Setting, words(), st.one_of(words(), patterns(), quotes))


def surfaces() -> st.SearchStrategy[ast.SurfaceDecl]:
    """One surface with comments."""
    return st.builds(
        ast.SurfaceDecl,
        words(),
        st.none() | words(),
        st.lists(settings(), max_size=3).map(tuple),
        st.lists(items(), max_size=4).map(tuple),
        closing=policies.comment_lines(),
        **comments(),
    )


def files() -> st.SearchStrategy[PolicyFile]:
    """A file of policies that name surfaces, and surfaces behind them."""
    return st.builds(
        PolicyFile,
        st.lists(policies.policies(policies.surface_lines()), max_size=2).map(tuple),
        st.lists(surfaces(), min_size=1, max_size=2).map(tuple),
        source=st.just(Source("<made>", "")),
        closing=policies.comment_lines(),
    )
