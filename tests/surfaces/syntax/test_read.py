"""Reading surfaces: what they inherit, what they may be named after, and files that nobody means well with."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler import ready
from langc.compiler.errors import LangcError, UnsupportedError
from langc.compiler.source import Source
from langc.compiler.surfaces.model import (
    Action,
    Call,
    Choice,
    Fresh,
    Guard,
    Level,
    Literal,
    Open,
    Reference,
    Repeat,
    Sequence,
    Surface,
    TokenUse,
    Within,
)
from langc.compiler.surfaces.syntax import read_surfaces
from langc.compiler.surfaces.syntax.read import check_surfaces
from tests.surfaces.syntax.test_tables import FRAGMENTS


def read(text: str) -> dict[str, Surface]:
    """The surfaces of a text."""
    return read_surfaces(Source("<test>", text))


def failing(text: str) -> list[str]:
    """The codes of the errors of a text."""
    with pytest.raises(LangcError) as caught:
        read(text)
    return [d.code for d in caught.value.diagnostics]


def test_all_that_is_written_is_read() -> None:
    """Every part comes out as what it stands for."""
    surface = read(
        r"""surface s (case = ascii-fold, word = pattern /[a-z]+/, quote = '"' | '[' ']', start = second) {
            token T = pattern /\/a\.b/ munch "[a-z/\\.]+"; skip S = pattern / /; keywords "AND", "or";
            sort Table; sort Column of Table; env db from sql("a.sql", "b.sql"); env more; scope K; scope L opaque;
            level Column: shape T;
            first := "x"? | () | x=T ref(Column, of x, in K.*, where p, where not q, defer, unique) second(a = b)+;
            second := (first "a") z=ref(Table) y=fresh(Table, not Column, as z) [a] [not a = b]
                in K(want = 2) { => bind(y ?? z, Table, in = K, members = z) open(Column, shape T) };
        }"""
    )["s"]

    assert (surface.fold_case, surface.word, surface.start) == (True, "[a-z]+", "second")
    assert surface.quotes == (('"', '"'), ("[", "]"))
    assert (surface.tokens["T"].pattern, surface.tokens["T"].munch) == (r"/a\.b", r"[a-z/\.]+")
    assert [token.skipped for token in surface.tokens.values()] == [False, True]
    assert surface.keywords == {"and", "or"}
    assert [(s.name, s.owner) for s in surface.sorts.values()] == [("Table", None), ("Column", "Table")]
    assert [(e.name, e.kind, e.arguments) for e in surface.environments] == [
        ("db", "sql", ("a.sql", "b.sql")),
        ("more", "", ()),
    ]
    assert [s.opaque for s in surface.scopes.values()] == [False, True]
    assert surface.levels == {"Column": Level("Column", "shape", "T")}
    assert surface.rules["first"].body == Choice(
        (
            Repeat(Literal("x"), 0, 1),
            Sequence(()),
            Sequence(
                (
                    TokenUse("T", "x"),
                    Reference("Column", None, "x", "K", True, True, True, where=("p",), where_not=("q",)),
                    Repeat(Call("second", (("a", "b"),)), 1, None),
                )
            ),
        )
    )
    bind = Action("bind", (("name", "y ?? z"), ("sort", "Table"), ("in", "K"), ("members", "z")))
    assert surface.rules["second"].body == Sequence(
        (
            Sequence((Call("first"), Literal("a"))),
            Reference("Table", "z"),
            Fresh("Table", "y", None, ("Column",), None, "z"),
            Guard("a"),
            Guard("a", (("value", "b"),), negated=True),
            Within("K", Sequence((bind, Open("Column", None, "T"))), (("want", "2"),)),
        )
    )


def test_a_refinement_has_what_it_does_not_say() -> None:
    """Settings, tokens, rules and the rest are taken over; what is said anew takes their place."""
    surfaces = read(
        """surface a (case = ascii-fold, start = text) {
            token N = pattern /[0-9]+/; keywords "AND"; sort S; env db;
            other := N; text := open(S) other;
        }
        surface b refines a { env db from json("x.json"); keywords "OR"; text := ref(S) other; }"""
    )
    old, new = surfaces["a"], surfaces["b"]

    assert (new.refines, new.fold_case, new.start, new.tokens) == ("a", True, "text", old.tokens)
    assert new.keywords == {"and", "or"}
    assert [e.kind for e in new.environments] == ["json"]
    assert new.rules["other"] == old.rules["other"]
    assert new.rules["text"].body == Sequence((Reference("S"), Call("other")))


def test_ready_surfaces_can_be_refined() -> None:
    """A surface that comes with langc is refined by its name, with the names of a database of one's own."""
    surface = read('surface shop refines sql { env db from sqlite("shop.db"); }')["shop"]

    assert surface.refines == "sql"
    assert [e.kind for e in surface.environments] == ["sqlite"]
    assert len(surface.rules) > 50


@pytest.mark.parametrize("name", ["sql", "git", "ffmpeg"])
def test_ready_surfaces_are_read_without_a_word(name: str) -> None:
    """There are neither errors nor warnings about them."""
    path = ready.path(name)
    read = check_surfaces(Source(path.name, path.read_text(encoding="utf-8")))

    assert name in read.surfaces
    assert read.warnings == ()


def test_a_policy_with_a_surface_is_refused_by_targets() -> None:
    """Its rules alone are not the policy, and nothing passes them off as it; beside its surface they can be had."""
    text = 'surface s { text := "a"; } policy p { surface s; deny [b]; } policy q { use p; deny [c]; }'
    for name in ("p", "q"):
        policy = langc.parse_policy(text, name)
        with pytest.raises(UnsupportedError, match="LC0943"):
            policy.accepts("a")
        with pytest.raises(UnsupportedError, match="LC0943"):
            langc.compile(policy, "gbnf")

        assert policy.lowered.surfaces == ("s",)
        assert not policy.beside_surface.accepts("b")
        assert policy.beside_surface.accepts("a")
        assert policy.hash != policy.beside_surface.hash


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*FRAGMENTS, "ref(S)", "fresh(S)", "T", "r", "=> bind(x, S)", "[r]"]), max_size=14))
def test_any_text_is_read_or_gets_a_diagnostic(pieces: list[str]) -> None:
    """Nothing but an error of langc comes out of reading, whatever is written."""
    body = " ".join(pieces)
    for text in (body, f"surface s {{ {body}; }}", f"surface s {{ sort S; token T = pattern /a/; r := {body}; }}"):
        try:
            check_surfaces(Source("<test>", text))
        except LangcError as error:
            assert error.diagnostics  # noqa: PT017 -- most texts are at fault, and some are not


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("surface s { a := " + "(" * 65 + '"x"' + ")" * 65 + "; }", "LC0701"),
        ("surface s { " + " ".join(f'r{i} := "a";' for i in range(2001)) + " }", "LC0701"),
        ("surface s { " + " ".join(f"token T{i} = pattern /a/;" for i in range(201)) + " a := T1; }", "LC0701"),
        ("surface s { a := " + '"x" ' * 20_001 + "; }", "LC0701"),
        ("surface s {} " * 65, "LC0701"),
        ("surface s { token T = pattern /((a{1000}){1000}){1000}/; a := T; }", "LC0701"),
        ('surface s { a := "\x00"; }', "LC0006"),
        ("surface s refines s { a := b; }", "LC0937"),
        ("surface", "LC0101"),
    ],
)
def test_hostile_files(text: str, code: str) -> None:
    """A budget is named, or what is wrong."""
    assert failing(text)[0] == code
