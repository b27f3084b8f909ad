"""Phrases, costs, stops and regions: what they are parsed to, and how they are printed."""

from __future__ import annotations

import pytest

from langc.compiler.errors import PolicyError
from langc.compiler.source import Source, Span
from langc.compiler.syntax import ast
from langc.compiler.syntax.layout import LINE_WIDTH
from langc.compiler.syntax.parse import parse, parse_form
from langc.compiler.syntax.print import format_file, format_rule

A = ast.SetName("a")
X, Y = ast.Text("x"), ast.Text("y")
XY = ast.Texts((X, Y))
FILE = ast.TextFile(ast.Text("f.txt"))


def item(body: str) -> ast.PolicyItem:
    """The only item of a policy with this body."""
    (found,) = parse_form(Source("<test>", f"policy p {{ {body} }}")).file.policies[0].items
    return found


def options(*written: str) -> ast.Options:
    """Options as written between semicolons, with commas between their parts."""
    parts = (tuple(ast.Words(tuple(part.split())) for part in option.split(",")) for option in written)
    return ast.Options(tuple(ast.Option(part) for part in parts))


def region(kind: str) -> tuple[ast.RegionKind, ...]:
    """The kinds of a region."""
    found = item(f"region r = {kind} {{ any }}")
    assert isinstance(found, ast.Region)
    return found.kinds


def formatted(body: str) -> list[str]:
    """The lines of the canonical form of a policy's body."""
    text = format_file(parse_form(Source("<test>", f"policy p {{\n{body}\n}}")).file)
    return text.splitlines()[1:-1]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('deny phrase "x", "y";', ast.DenyPhrases(XY)),
        ('deny phrase "x", "y" { }', ast.DenyPhrases(XY, options())),
        ('deny phrase "x", "y" { ignore case }', ast.DenyPhrases(XY, options("ignore case"))),
        (
            'deny phrase "x", "y" { ignore case, width; boundary left script; early; }',
            ast.DenyPhrases(XY, options("ignore case,width", "boundary left script", "early")),
        ),
        ('deny phrases from "f.txt";', ast.DenyPhrases(FILE)),
        ('deny phrases \t from "f.txt" { space any; }', ast.DenyPhrases(FILE, options("space any"))),
        ('discourage phrase "x", "y" by 2.50;', ast.DiscouragePhrases(XY, ast.Cost("2.50"))),
        ('discourage phrases from "f.txt" by 6 { late }', ast.DiscouragePhrases(FILE, ast.Cost("6"), options("late"))),
        ("discourage a by 3;", ast.Discourage((A,), ast.Cost("3"))),
        ('stop on phrase "x", "y";', ast.StopOn(XY)),
        ('stop on phrases from "f.txt" { early }', ast.StopOn(FILE, options("early"))),
        ('allow "x", "y" { boundary both; }', ast.Allow((X, Y), options("boundary both"))),
        ('allow terms from "f.txt";', ast.AllowFrom(FILE)),
        ('allow terms from "f.txt" { ignore width; }', ast.AllowFrom(FILE, options("ignore width"))),
        ("only a up to 12;", ast.Only((A,), 12)),
        ("only a up to 0012;", ast.Only((A,), 12)),
        (f"only a up to {'9' * 50};", ast.Only((A,), 10**9)),
        ("unclosed r: allow;", ast.Unclosed("r", "allow")),
        ("unclosed r: forbid;", ast.Unclosed("r", "forbid")),
    ],
)
def test_rules(written: str, expected: ast.PolicyItem) -> None:
    """What each rule is parsed to. What the words of options mean is read later."""
    assert item(written) == expected


@pytest.mark.parametrize(
    ("digits", "value"),
    [("3", 3.0), ("2.5", 2.5), ("0.125", 0.125), ("007", 7.0), ("0", 0.0), ("9" * 400, float("inf"))],
)
def test_costs(digits: str, value: float) -> None:
    """They keep their digits, and are the number that these say."""
    assert ast.Cost(digits).value == value


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("fence", [ast.RegionKind("fence")]),
        ("fence | inline_code", [ast.RegionKind("fence"), ast.RegionKind("inline_code")]),
        ('between "x" "y"', [ast.RegionKind(None, (X, Y))]),
        ('start between "x" "y"', [ast.RegionKind("start", (X, Y))]),
        ('after a between "x" "y"', [ast.RegionKind(None, (X, Y), A)]),
        ('after !a between "x" "y" | fence', [ast.RegionKind(None, (X, Y), ast.Negation(A)), ast.RegionKind("fence")]),
    ],
)
def test_kinds_of_regions(written: str, expected: list[ast.RegionKind]) -> None:
    """Which there are is checked later, so any name will do here."""
    assert region(written) == tuple(expected)


@pytest.mark.parametrize("body", ["any", "any;", ""])
def test_a_region_in_which_everything_is_permitted(body: str) -> None:
    """With the word, or with no rules at all."""
    found = item(f"region r = fence {{ {body} }}")

    assert found == ast.Region("r", (ast.RegionKind("fence"),), ())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("deny a", [ast.Deny((A,))]),
        ("deny a; only a up to 3", [ast.Deny((A,)), ast.Only((A,), 3)]),
        ('deny phrase "x", "y"', [ast.DenyPhrases(XY)]),
        ('deny phrase "x", "y" { early } allow a', [ast.DenyPhrases(XY, options("early")), ast.Allow((A,))]),
        ("discourage a by 3;", [ast.Discourage((A,), ast.Cost("3"))]),
        ('discourage phrase "x", "y" by 3', [ast.DiscouragePhrases(XY, ast.Cost("3"))]),
        ('allow terms from "f.txt";', [ast.AllowFrom(FILE)]),
    ],
)
def test_rules_of_regions(body: str, expected: list[ast.RuleItem]) -> None:
    """The semicolon of the last one may be left out."""
    found = item(f"region r = fence {{ {body} }}")

    assert isinstance(found, ast.Region)
    assert found.items == tuple(expected)


@pytest.mark.parametrize(
    "body",
    [
        *("use q;", "let x = a;", 'accept "x";', 'reject "x";', 'stop on phrase "x";', "unclosed r: allow;"),
        *("region s = fence { any }", "any any", "any; deny a;", "deny a any"),
    ],
)
def test_what_a_region_does_not_hold(body: str) -> None:
    """Rules alone, or the word `any` alone."""
    with pytest.raises(PolicyError, match="LC0101"):
        item(f"region r = fence {{ {body} }}")


NAMES = [
    *("up", "to", "stop", "on", "terms", "phrases", "from", "fence", "inline_code", "start", "characters", "compat"),
    *("ignore", "case", "early", "boundary", "forbid", "phrase-book", "anything", "bystander"),
]


@pytest.mark.parametrize("name", NAMES)
def test_words_that_stay_free(name: str) -> None:
    """They mean something in one place only, so sets, policies and regions can be called so."""
    text = f"policy {name} {{ let {name} = [a]; deny {name}; region {name} = fence {{ only {name} }} }}"

    assert parse(text).policies[0].name == name


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("(up) to", "(up) to"),
        ("up a", "up a"),
        ("(terms) from", "(terms) from"),
        ("(compat) (a | b)", "(compat) (a | b)"),
        ("compat(a | b)", "compat(a | b)"),
        ("compat  ( a )", "compat(a)"),
        ("compat a", "compat a"),
        ('characters("f.txt")', 'characters("f.txt")'),
    ],
)
def test_two_names_that_would_be_one_word_keep_apart(written: str, canonical: str) -> None:
    """A sequence of two sets stays one when it is printed."""
    before = item(f"allow {written};")
    (line,) = formatted(f"allow {written};")

    assert line == f"    allow {canonical};"
    assert item(line) == before


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ('deny phrase "x"  ,"y"{ignore case,width;early}', ['deny phrase "x", "y" { ignore case, width; early; }']),
        ('deny phrase "x" {}', ['deny phrase "x" { }']),
        ('discourage phrase "x" by 2 . 5 ;', ['discourage phrase "x" by 2.5;']),
        ("discourage a ,a by 007;", ["discourage a, a by 007;"]),
        ('stop  on phrases  from "f"  ;', ['stop on phrases from "f";']),
        ('allow terms from "f"{ignore case}', ['allow terms from "f" { ignore case; }']),
        ("only a up  to 012;", ["only a up to 12;"]),
        ("unclosed r:allow ;", ["unclosed r: allow;"]),
        ("region r=fence|inline_code{}", ["region r = fence | inline_code { any }"]),
        ("region r = fence { any; }", ["region r = fence { any }"]),
        ("region r = fence { deny a }", ["region r = fence { deny a; }"]),
        (
            'region r = start between "x" "y" { deny phrase "z" { early } }',
            ['region r = start between "x" "y" { deny phrase "z" { early; } }'],
        ),
        (
            'region r = after [a] between "(" ")" { only a up to 3; deny a }',
            ['region r = after [a] between "(" ")" {', "    only a up to 3;", "    deny a;", "}"],
        ),
    ],
)
def test_layout(written: str, canonical: list[str]) -> None:
    """A region with one short rule stands on one line, one with more has a line for each."""
    assert formatted(written) == [f"    {line}" for line in canonical]


def test_a_long_region_takes_lines() -> None:
    """One rule that does not fit beside the head goes below it; one that fits nowhere is wrapped there."""
    long = ", ".join(f'"{n:04}"' for n in range(40))
    lines = formatted(f"region r = fence {{ deny phrase {long} }}")

    assert lines[0] == "    region r = fence {"
    assert lines[1].startswith('        deny phrase "0000", ')
    assert all(line.startswith("            ") for line in lines[2:-1])
    assert lines[-1] == "    }"
    assert max(map(len, lines)) <= LINE_WIDTH


COMMENTED = """
region r = # one
    fence # two
{ # three

    # four
    deny phrase "x" # five
        , "y" { early; # six
    } # seven
    only a # eight
    # nine
} # ten
stop on phrase "x"; # eleven
"""


def test_comments_inside_regions() -> None:
    """Each stays at its rule: above it, behind it, or at the end of the region; those in a head go above it."""
    assert formatted(COMMENTED) == [
        "    # one",
        "    # two",
        "    region r = fence {",
        "        # three",
        "",
        "        # four",
        "        # five",
        "        # six",
        '        deny phrase "x", "y" { early; }  # seven',
        "        only a;  # eight",
        "        # nine",
        "    }  # ten",
        '    stop on phrase "x";  # eleven',
    ]


def test_a_comment_keeps_a_region_open() -> None:
    """A short one is not put on one line with a comment inside; blank lines alone do not matter."""
    assert formatted("region r = fence {\n# why\ndeny a }") == [
        "    region r = fence {",
        "        # why",
        "        deny a;",
        "    }",
    ]
    assert formatted("region r = fence {\n\n\ndeny a\n\n\n}") == ["    region r = fence { deny a; }"]


def test_a_rule_by_itself() -> None:
    """As messages name it: without the semicolon, and with its options."""
    found = item('deny phrase "x" { early }')
    assert isinstance(found, ast.DenyPhrases)

    assert format_rule(found) == 'deny phrase "x" { early; }'


def test_spans() -> None:
    """Parts lie where they are written; a region reaches to its brace."""
    text = 'policy p { region note = between "<" ">" { deny phrase "x" { ignore case; } } unclosed note: allow; }'
    found, unclosed = parse(text).policies[0].items
    assert isinstance(found, ast.Region)
    assert isinstance(unclosed, ast.Unclosed)
    (rule,) = found.items
    assert isinstance(rule, ast.DenyPhrases)
    assert rule.options is not None

    def cut(span: Span) -> str:
        return text[span.start : span.end]

    assert cut(found.span) == 'region note = between "<" ">" { deny phrase "x" { ignore case; } }'
    assert cut(found.name_span) == cut(unclosed.name_span) == "note"
    assert cut(found.kinds[0].span) == 'between "<" ">"'
    assert cut(rule.span) == 'deny phrase "x" { ignore case; }'
    assert cut(rule.options.options[0].span) == "ignore case"
    assert cut(rule.phrases.span) == 'phrase "x"'
