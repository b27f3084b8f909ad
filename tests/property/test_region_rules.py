"""Regions of any kinds with rules of their own: both automata against a reader that goes through the text once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.bounded import Scope
from tests.oracle.phrases import Wanted
from tests.oracle.reader import Opening, Reader, Regioned
from tests.property.rule_worlds import allow_terms, compare, deny_phrases, escaped, policy_of

pytestmark = pytest.mark.slow

W = Wanted
FENCE, SPAN, QUOTES, URL = Opening("fence"), Opening("inline_code"), Opening("quotes"), Opening("url")
WITHOUT_DELIMITERS = (FENCE, SPAN, QUOTES, URL)
TICKS = ("`", "``", "```", "x`", "x``", "x```", "b`", "b``", "b```", "`b`")
LONGEST = "\n" + "`" * 8


@dataclass(frozen=True)
class Rules:
    """What a scope denies, permits as terms, and bans; `only` and how many of them, in a region alone."""

    denied: str = ""
    terms: tuple[Wanted, ...] = ()
    banned: tuple[Wanted, ...] = ()
    only: str = ""
    most: int | None = None

    @property
    def text(self) -> str:
        """The lines."""
        only = f"only [{escaped(self.only)}] up to {self.most};" if self.most is not None else ""
        return f"deny [{escaped(self.denied)}]; {allow_terms(self.terms)} {deny_phrases(self.banned)} {only}"

    @property
    def scope(self) -> Scope:
        """The referee."""
        return Scope(lambda c: c not in self.denied and (not self.only or c in self.only), self.terms, self.banned)


ANY = Rules()


@dataclass(frozen=True)
class Region:
    """One region. `unclosed` None is the default of each kind."""

    openings: tuple[Opening, ...]
    rules: Rules = ANY
    unclosed: bool | None = None


def _kind(opening: Opening) -> str:
    if opening in WITHOUT_DELIMITERS:
        return opening.kind
    if opening.kind == "fence":
        return f'fence "{escaped(opening.opener)}"'
    if opening.kind == "json":
        return f'json "{escaped(opening.opener)}"'
    kind = f"after [{escaped(opening.after)}] between" if opening.kind == "after" else opening.kind
    return f'{kind} "{escaped(opening.opener)}" "{escaped(opening.closer)}"'


def policy_text(outer: Rules, regions: Sequence[Region]) -> str:
    """The lines of the policy."""
    lines = [outer.text]
    for number, region in enumerate(regions, 1):
        rules = "any" if region.rules == ANY else region.rules.text
        lines.append(f"region r{number} = {' | '.join(map(_kind, region.openings))} {{ {rules} }}")
        if region.unclosed is not None:
            lines.append(f"unclosed r{number}: {'allow' if region.unclosed else 'forbid'};")
    return " ".join(lines)


def referee(outer: Rules, regions: Sequence[Region]) -> Regioned:
    """The referee of the policy."""
    openings = [
        replace(
            opening,
            scope=number,
            most=None if opening in WITHOUT_DELIMITERS else region.rules.most,
            decoded=region.rules != ANY,
            unclosed=opening.kind == "fence" if region.unclosed is None else region.unclosed,
        )
        for number, region in enumerate(regions, 1)
        for opening in region.openings
    ]
    return Regioned(Reader(openings), (outer.scope, *(region.rules.scope for region in regions)))


def _between(opener: str, closer: str, rules: Rules = ANY, unclosed: bool | None = None) -> Region:
    return Region((Opening("between", opener, closer),), rules, unclosed)


X = Rules("x")
NO_A = Rules("a")
GLOSS = Region((Opening("after", "(", ")", after="ab"),), Rules(only="x", most=2))
FREE_GLOSS = Region((Opening("after", "(", ")", after="ab"),))
AT_START = Region((Opening("start between", "<", ">"),))
BOTH = Region((FENCE, SPAN))
LINKS = Region((URL,))
X_LINKS = Region((URL,), Rules(banned=(W("/x"),)))
QUOTED = Region((QUOTES,))
SQL = Opening("fence", "q")
"""Blocks of code of one language."""
SQL_AND_OTHERS = (Region((SQL,), NO_A), Region((FENCE,), Rules("x")))


def _json(name: str, rules: Rules = ANY, unclosed: bool | None = None) -> Region:
    return Region((Opening("json", name),), rules, unclosed)


N = '"n":"'
CODE = ('0000"', '000"', '00"', '0"', '1"')
"""The rests of an escape, with the closer."""
ESCAPES = ("\\", '"', "u", "00", "20", "n")

WORLDS: dict[str, tuple[Sequence[str], int, Rules, tuple[Region, ...], tuple[str, ...]]] = {
    "one": ("x<>a", 5, X, (_between("<", ">"),), ()),
    "quotes": ('x"a', 6, X, (_between('"', '"'),), ()),
    "quotes that the end closes": ('x"a', 6, X, (_between('"', '"', NO_A, True),), ()),
    "three quotes": ('x"a', 8, X, (_between('"""', '"""'),), ()),
    "one quote and three": ('x"a', 8, X, (_between('"', '"'), _between('"""', '"""', NO_A)), ()),
    "one and two": ("x<>a", 6, X, (_between("<", ">"), _between("<<", ">>", NO_A)), ()),
    "a closer that overlaps itself": ("x<ab", 6, X, (_between("<", "aab"),), ()),
    "an opener that ends another": ("ab.x", 6, X, (_between("ab", "."), _between("b", "..")), ()),
    "an opener inside another": ("abc.x", 5, X, (_between("b", "."), _between("abc", ".")), ()),
    "openers that overlap": ("abx", 7, X, (_between("ab", "ba"), _between("ba", "ab", NO_A)), ()),
    "equal openers": ("<>.xa", 5, X, (_between("<", ">"), _between("<", ".", NO_A)), ()),
    "phrases": ("ab<>", 6, Rules(banned=(W("ba"),)), (_between("<", ">", Rules(banned=(W("ab"),))),), ()),
    "terms": (
        "ab<>",
        7,
        Rules("b", (W("ab"),)),
        (_between("<", ">", Rules("b", (W("ab", right="word"),))),),
        (),
    ),
    "at most two": ("x<>a", 6, X, (_between("<", ">", Rules(only="x", most=2)),), ()),
    "at most two, open": ("x<>a", 6, X, (_between("<", ">", Rules(only="x", most=2), True),), ()),
    "behind a character": ("xa()", 6, X, (GLOSS,), ()),
    "behind a character, and one that commits": ("xa()", 6, X, (FREE_GLOSS, _between("((", "))")), ()),
    "a region behind a character that would close inside an opener": (
        "xa()>",
        5,
        X,
        (FREE_GLOSS, _between("()", ">")),
        (),
    ),
    "a region behind a character that begins an opener": ("xa()>", 5, X, (FREE_GLOSS, _between("a(", ">")), ()),
    "at the start": ("x<>a", 6, X, (AT_START,), ()),
    "at the start, and longer": ("x<>a", 6, X, (AT_START, _between("<a", ">", NO_A)), ()),
    "fences": (["```", "\n", "x", " ", "~~~"], 6, X, (Region((FENCE,)),), (LONGEST, LONGEST.replace("`", "~"))),
    "fences that must close": (["```", "\n", "x", "a"], 6, X, (Region((FENCE,), ANY, False),), (LONGEST,)),
    "rules in fences": (["```", "\n", "x", "a"], 6, X, (Region((FENCE,), NO_A),), (LONGEST,)),
    "fences with a word": (["```", "q", "Q", "\n", "x", " "], 5, X, (Region((SQL,), NO_A),), (LONGEST, "a")),
    "fences with a word, and others": (["```", "q", "\n", "x", "a"], 6, ANY, SQL_AND_OTHERS, (LONGEST,)),
    "fences of tildes with a word": (["~~~", "q", "\r", "\n", "x", "a"], 5, ANY, SQL_AND_OTHERS, ("\n~~~~~~~~",)),
    "fences that a word is too late for": (["```", "q", "\n", "x", "a"], 6, ANY, SQL_AND_OTHERS[::-1], (LONGEST,)),
    "fences with two words": (
        ["```", "q", "r", "\n", "x", "a"],
        5,
        Rules("q"),
        (Region((SQL, Opening("fence", "qr")), NO_A, False), Region((Opening("fence", "r"),), X)),
        (LONGEST,),
    ),
    "fences with a word, and spans": (["```", "`", "q", "\n", "x"], 6, X, (Region((SQL,)), Region((SPAN,))), TICKS),
    "fences with a word, and another": (
        ["```", "q", "\n", "x", "<", ">"],
        5,
        X,
        (Region((SQL,)), _between("<", ">", NO_A)),
        (LONGEST,),
    ),
    "longer fences": (["```", "`", "\n", "x"], 7, X, (Region((FENCE,)),), (LONGEST,)),
    "code spans": ("`x\na", 7, X, (Region((SPAN,)),), TICKS),
    "rules in code spans": ("`xa", 7, X, (Region((SPAN,), NO_A),), TICKS),
    "both": (["`", "```", "x", "\n"], 6, X, (BOTH,), TICKS),
    "code and another": (["`", "```", "x", "\n", "<", ">"], 5, X, (BOTH, _between("<", ">", NO_A)), TICKS),
    "code and one behind a character": ("`xa()", 5, X, (Region((SPAN,)), FREE_GLOSS), TICKS),
    "links": (["http", "HTTPS://", "://", "x", "a", "한", "\n"], 4, X, (LINKS,), ()),
    "links with rules": (["http", "s://", "://", "x", "/", "한"], 5, ANY, (X_LINKS,), ()),
    "links and the rules behind them": (["http://", "x", "/", " ", "한"], 5, Rules("x한"), (LINKS,), ()),
    "links and other openers": (
        ["http", "://", "x", " ", "a"],
        5,
        X,
        (LINKS, _between("://", "a"), _between("ahttp", " "), _between("http:", "a")),
        (),
    ),
    "links and a longer opener": (
        ["http://", "x", " ", "a"],
        5,
        X,
        (_between("http://a", "a"), LINKS, _between(" http://", "x")),
        (),
    ),
    "links and the same opener": (["http", "://", "x", " "], 5, X, (_between("http://", "x", NO_A), LINKS), ()),
    "links and one behind a character": (["http://", "x", "a", "(", ")"], 5, X, (LINKS, FREE_GLOSS), ()),
    "links in code": (["http://", "x", "`", " "], 6, X, (LINKS, Region((SPAN,))), TICKS),
    "links in fences": (["http://", "x", "```", "\n"], 6, X, (LINKS, BOTH), (LONGEST, *TICKS)),
    "quoted": ('x"“”', 6, X, (QUOTED,), ()),
    "quoted, of many pairs": ("x‘’「」a\n", 5, X, (QUOTED,), ()),
    "rules in quotes": ('xa"«»\n', 5, X, (Region((QUOTES,), NO_A),), ()),
    "phrases around quotes": ('ab"“”', 6, Rules(banned=(W("ba"),)), (Region((QUOTES,), Rules(banned=(W("ab"),))),), ()),
    "quoted, and one behind a character": ('x"()a', 6, X, (FREE_GLOSS, QUOTED), ()),
    "quoted, and one behind a mark": ('x"(”', 6, X, (Region((Opening("after", "(", "”", after='"x'),)), QUOTED), ()),
    "quoted, and one that commits": ('x"<>a', 6, X, (QUOTED, _between("<", '">')), ()),
    "quoted, and one that commits at a mark": ('x"a', 7, X, (QUOTED, _between('""', '"', NO_A)), ()),
    "quoted code": ('x"`“”', 6, X, (QUOTED, Region((SPAN,))), TICKS),
    "quoted code with rules": ('xa"`', 6, X, (Region((QUOTES,), NO_A), Region((SPAN,))), TICKS),
    "quotes and fences": (['"', "```", "\n", "x", "`"], 5, X, (QUOTED, BOTH), (LONGEST, *TICKS)),
    "quoted links": (["http://", "x", '"', "/", " "], 6, X, (QUOTED, LINKS), ()),
    "a value": ([N, '"', "x", "a", " ", ":"], 5, X, (_json("n"),), ()),
    "a value with escapes": ([N, *ESCAPES], 5, X, (_json("n"),), CODE),
    "rules in a value": ([N, "\\", '"', "u", "00", "6", "1", "a", "x"], 5, X, (_json("n", Rules("a")),), CODE),
    "phrases in a value": ([N, "\\", '"', "n", "a"], 6, X, (_json("n", Rules(banned=(W("a\n"), W('"a')))),), ()),
    "a value that the end closes": (
        [N, "\\", '"', "u", "00", "x"],
        5,
        X,
        (_json("n", ANY, True),),
        ("0", "00", "000", "0000"),
    ),
    "a name with escapes": (['"', '"\\"\\n', "\\", "n", ":", "x"], 5, X, (_json('"\n'),), ()),
    "two names": (['"', "n", '"nm', ':"', "x"], 5, X, (_json("n"), _json("nm", NO_A)), ()),
    "a value and quotes": (['"', "n", ":", "x", "\n"], 6, X, (_json("n"), QUOTED), ()),
    "a value and the same opener": ([N, '"', ":", "x"], 6, X, (_between(N, ":"), _json("n")), ()),
    "a value and a shorter opener": (['"', "n", ":", " ", "x"], 6, X, (_json("n"), _between('"n', "x", NO_A)), ()),
    "a value and fences": ([N, '"n"', ":", '"', "\n", "```", "x"], 5, X, (_json("n"), Region((FENCE,))), (LONGEST,)),
}


@pytest.mark.parametrize("name", WORLDS)
def test_small_worlds(name: str) -> None:
    """Every text over an alphabet that hits the regions."""
    alphabet, length, outer, regions, extra = WORLDS[name]
    judge = referee(outer, regions).trying([*alphabet, *extra], depth=1 if extra else 2)

    assert compare(policy_of(policy_text(outer, regions)), judge, [*alphabet], length) >= 150


DELIMITERS = ("<", ">", "<<", ">>", "<a", '"', '"""', "(", ")", "((", "ab", "<x>")
LETTERS = "xab."


@st.composite
def _rules(draw: st.DrawFn) -> Rules:
    words = st.text(st.sampled_from(LETTERS), min_size=1, max_size=2)
    sides = st.sampled_from(("", "", "word"))
    wanted = st.builds(W, words, case=st.booleans(), left=sides, right=sides)
    denied = "".join(draw(st.lists(st.sampled_from(LETTERS), max_size=2, unique=True)))
    return Rules(
        denied, tuple(draw(st.lists(wanted, max_size=1))) if denied else (), tuple(draw(st.lists(wanted, max_size=1)))
    )


_delimiters = st.sampled_from(DELIMITERS)
_openings = st.one_of(
    st.builds(Opening, st.sampled_from(("between", "start between")), _delimiters, _delimiters),
    st.builds(Opening, st.just("after"), _delimiters, _delimiters, st.sampled_from(("a.", "xb"))),
)


@st.composite
def _regions(draw: st.DrawFn) -> tuple[Region, ...]:
    """One to three regions, one of them perhaps of code."""
    drawn = st.builds(
        Region,
        st.lists(_openings, min_size=1, max_size=2).map(tuple),
        _rules(),
        st.sampled_from((None, True, False)),
    )
    code = st.sampled_from(((), (), (FENCE,), (SPAN,), (FENCE, SPAN)))
    regions = draw(st.lists(drawn, min_size=1, max_size=2))
    codes = draw(code)
    if FENCE in codes and draw(st.booleans()):
        regions.append(Region((Opening("fence", draw(st.sampled_from("xab"))),), draw(_rules())))
    return (*regions, Region(codes, draw(_rules()))) if codes else tuple(regions)


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_drawn_regions(data: st.DataObject) -> None:
    """Delimiters that hold one another, overlap, and are shared."""
    outer, regions = data.draw(_rules()), data.draw(_regions())
    judge, policy = referee(outer, regions), policy_of(policy_text(outer, regions))
    delimiters = {d for r in regions for o in r.openings for d in (o.opener, o.closer) if d}
    ticks = ("`", "``", "```", "\n") if any(o in (FENCE, SPAN) for r in regions for o in r.openings) else ()
    pieces = st.sampled_from([*LETTERS, *sorted(delimiters), *ticks])
    for text in data.draw(st.lists(st.lists(pieces, max_size=9).map("".join), min_size=20, max_size=20)):
        assert policy.accepts(text) == judge.accepts(text), ascii(text)


SAFE = ("<", ">", "<<", "<a", '"', '"""', "<x>", " http:", "”")
"""Delimiters that do not begin inside a URL."""
JSON = Opening("json", "n")
KINDS = ((QUOTES,), (URL,), (JSON,), (QUOTES, URL), (SPAN, URL), (FENCE, QUOTES), (SPAN, QUOTES), (JSON, QUOTES))
PIECES = (*"xab. \n", "http", "https:", "//", '"', "“", "”", "«", "»", "`", "\\", N, '"n"', ":", "/x")


@st.composite
def _regions_of_kinds(draw: st.DrawFn) -> tuple[Region, ...]:
    """A region between delimiters and one of other kinds, in any order."""
    delimiters = st.sampled_from(SAFE)
    opening = st.one_of(
        st.builds(Opening, st.sampled_from(("between", "start between")), delimiters, delimiters),
        st.builds(Opening, st.just("after"), st.sampled_from("(<"), st.sampled_from((">", "<a", "”")), st.just('xb"')),
    )
    between = st.builds(Region, opening.map(lambda o: (o,)), _rules(), st.sampled_from((None, True, False)))
    other = st.builds(Region, st.sampled_from(KINDS), _rules())
    return tuple(draw(st.permutations([draw(between), draw(other)])))


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_drawn_kinds(data: st.DataObject) -> None:
    """The kinds that have no delimiters to write, beside one another and beside others."""
    outer, regions = data.draw(_rules()), data.draw(_regions_of_kinds())
    judge, policy = referee(outer, regions), policy_of(policy_text(outer, regions))
    delimiters = {d for r in regions for o in r.openings for d in (o.opener, o.closer) if d and o.kind != "json"}
    pieces = st.sampled_from([*PIECES, *sorted(delimiters)])
    for text in data.draw(st.lists(st.lists(pieces, max_size=9).map("".join), min_size=30, max_size=30)):
        assert policy.accepts(text) == judge.accepts(text), ascii(text)


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("a<b>c", [[(0, "a"), (1, "b"), (0, "c")]]),
        ("<", []),
        ("`<`>", [[(0, "`"), (1, "`"), (0, "")]]),
        ("`a`<b>", [[(0, ""), (2, "a"), (0, ""), (1, "b"), (0, "")]]),
        ("```\n<", [[(0, ""), (3, "<"), (0, "")]]),
        ("```\na\n```\nb", [[(0, ""), (3, "a\n"), (0, "b")]]),
        ("가(나)", [[(0, "가"), (4, "나"), (0, "")], [(0, "가(나)")]]),
        ("가(<)>", [[(0, "가("), (1, ")"), (0, "")]]),
    ],
)
def test_the_reader_reads(text: str, readings: list[list[tuple[int, str]]]) -> None:
    """Worked by hand from the definition."""
    openings = [
        Opening("between", "<", ">", scope=1),
        replace(SPAN, scope=2),
        replace(FENCE, scope=3, unclosed=True),
        Opening("after", "(", ")", after="가", scope=4),
    ]

    assert list(Reader(openings).readings(text)) == readings


@pytest.mark.parametrize(
    ("region", "alphabet", "length"),
    [
        (_json("n", NO_A), [N, '"', "x", "a", "\\", "n", "\n"], 4),
        (_json("n"), [N, '"', "x", "\\", "/", "\n"], 5),
        (Region((URL,), NO_A), ["http://", "x", "a", " ", "한"], 5),
    ],
    ids=("rules in a value", "a value", "a link"),
)
def test_a_text_that_begins_inside_other_kinds(region: Region, alphabet: list[str], length: int) -> None:
    """The prompt has written `"n": "`, or the beginning of a URL."""
    judge = referee(X, (region,))
    inside = replace(judge, inside=judge.reader.openings[0]).trying([*alphabet, *CODE], 1)
    policy = policy_of(policy_text(X, (region,))).with_(inside="r1")

    assert compare(policy, inside, alphabet, length) >= 300


@pytest.mark.parametrize("unclosed", [None, True])
def test_a_text_that_begins_inside(unclosed: bool | None) -> None:
    """The prompt has opened a region: its rules hold from the first character on, and its closer closes it."""
    region = _between("<", ">", NO_A, unclosed)
    judge = referee(X, (region,))
    inside = replace(judge, inside=judge.reader.openings[0]).trying(["x", "a", "<"], 2)
    policy = policy_of(policy_text(X, (region,))).with_(inside="r1")

    assert compare(policy, inside, "x<>a", 6) >= 500
