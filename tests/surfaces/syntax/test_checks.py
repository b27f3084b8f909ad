"""What the checks of surfaces find, against enumerations of small ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.source import Source
from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.model import Surface
from langc.compiler.surfaces.syntax.read import check_surfaces, read_surfaces
from tests.examples import examples
from tests.surfaces.syntax import made
from tests.surfaces.syntax.made import Element, Rules

NAMES = ["r0", "r1", "r2"]
TOKENS = st.fixed_dictionaries({"T0": st.sampled_from(made.PATTERNS), "T1": st.sampled_from(made.PATTERNS)})
SOME_TOKENS = st.dictionaries(st.sampled_from(["T0", "T1"]), st.sampled_from(made.PATTERNS))


def found(text: str) -> list[Diagnostic]:
    """All that is said about a text."""
    try:
        return list(check_surfaces(Source("<test>", text)).warnings)
    except LangcError as error:
        return list(error.diagnostics)


def codes(text: str) -> set[str]:
    """The codes of all that is said, but for rules that are not used."""
    return {d.code for d in found(text)} - {"LC0926"}


def rule_sets(more: tuple[Element, ...] = ()) -> st.SearchStrategy[Rules]:
    """Three rules that call one another."""
    return st.fixed_dictionaries({name: made.elements(NAMES, more) for name in NAMES})


ANY = {"T0": "a", "T1": "b"}

# --- refinement -------------------------------------------------------------------------------------------------------


@st.composite
def refinements(draw: st.DrawFn) -> tuple[Rules, Mapping[str, str], Rules, Mapping[str, str]]:
    """A surface, and what another one says anew: rules much like the old ones, and tokens."""
    rules = {name: draw(made.elements(NAMES[i + 1 :])) for i, name in enumerate(NAMES)}
    again = draw(st.sets(st.sampled_from(NAMES)))
    new = {name: draw(made.changed(rules[name], [*NAMES[i + 1 :], "r3"])) for i, name in enumerate(NAMES)}
    new = {name: element for name, element in new.items() if name in again}
    tokens = {"T0": "[a-z0-9]+", "T1": draw(st.sampled_from(made.PATTERNS))}
    return rules, tokens, {**new, "r3": draw(made.leaves([]))}, draw(SOME_TOKENS)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(refinements())
def test_what_refines_has_no_other_rows(pair: tuple[Rules, Mapping[str, str], Rules, Mapping[str, str]]) -> None:
    """Where a refinement is taken, each row of lexemes of the new surface is one of the old."""
    rules, tokens, new, new_tokens = pair
    text = made.surface("old", rules, tokens) + made.surface("new", new, new_tokens, refines="old")
    said = codes(text)
    assume(said <= {"LC0935"})
    old = made.rows(rules, tokens)["r0"]
    now = made.rows({**rules, **new}, {**tokens, **new_tokens})["r0"]
    event("refused" if said else "the same" if now == old else "narrower")

    assert said or now <= old


BASE = """
surface old (quote = '"') {
    sort Table; sort Column of Table;
    %s
    skip SPACE = pattern / /; token ANY = pattern /[A-Za-z0-9_]+/;
    token WORD = pattern /[A-Za-z_][A-Za-z0-9_]*/;
    scope Select;
    text := "from" table ("." column)* end?;
    %s
    end := ";" | "!";
}
"""
OPEN = 'table := open(Table) | "x"; column := open(Column) | ANY;'
TYPED = """table := t=ref(Table, where plain) => bind(t, Table, in = Select) | fresh(Table);
    column := ref(Column, in Select) | open(Column, shape ANY);"""


CHAINS = [
    (OPEN, 'table := ref(Table) | "x";', True),
    (OPEN, 'table := [room] t=ref(Table) => bind(t, Table, in = Select) | "x";', True),
    (OPEN, 'table := in Select { fresh(Table) } | "x"; end := ";" | [room] "!";', True),
    (OPEN, "table := WORD | WORD;", False),
    (OPEN, 'table := WORD | "x";', True),
    (OPEN, 'table := ANY | "x";', False),
    (OPEN, 'table := "x" | ref(Table);', False),
    (OPEN, 'table := ref(Table) | "x" | "y";', False),
    (OPEN, "column := open(Column) | WORD;", True),
    (OPEN, "column := open(Column) | ref(Column);", False),
    (OPEN, 'column := open(Column) | "a";', True),
    (OPEN, 'column := open(Column) | "-";', False),
    (OPEN, "column := open(Column) | open(Column, shape WORD);", True),
    (OPEN, 'end := semicolon | "!"; semicolon := ";";', True),
    (OPEN, 'end := ";"; ', False),
    (OPEN, 'text := "from" table ("." column)+ end?;', False),
    (OPEN, 'text := "from" ref(Table) ("." column)* end?;', False),
    (OPEN, "token ANY = pattern /[A-Z]+/;", True),
    (OPEN, "token ANY = pattern /[A-Z-]+/;", False),
    (OPEN, "level Table: shape WORD;", False),
    (TYPED, "env db;", True),
    (TYPED, "scope Select opaque;", False),
    (TYPED, "sort Column;", False),
    (
        TYPED,
        "table := t=ref(Table, where plain, where not old) => bind(t, Table, in = Select) | fresh(Table);",
        True,
    ),
    (TYPED, "table := t=ref(Table) => bind(t, Table, in = Select) | fresh(Table);", False),
    (TYPED, "table := t=ref(Table, where plain, once) => bind(t, Table, in = Select) | fresh(Table);", False),
    (TYPED, "table := t=ref(Table, where plain) | fresh(Table);", False),
    (
        TYPED,
        "table := t=ref(Table, where plain) => bind(t, Table, in = Select) | fresh(Table, not Table);",
        True,
    ),
    (
        TYPED,
        "table := t=ref(Table, where plain) => bind(t, Table, in = Select) => mark(a) | fresh(Table);",
        False,
    ),
    (TYPED, "column := [room] ref(Column, in Select) | open(Column, shape WORD);", True),
    (TYPED, "column := ref(Column, in Select) | ref(Column);", False),
    (TYPED, "level Column: open;", False),
]


@pytest.mark.parametrize(("old", "new", "shown"), CHAINS)
def test_chains_of_slots(old: str, new: str, shown: bool) -> None:
    """Names that exist take the place of open ones where nothing asks what has been bound; attributes only add up."""
    text = BASE % ("env db;", old) + f"surface new refines old {{ {new} }}"

    # That any name will do where a token may stand is warned of, and no matter here.
    assert codes(text) - {"LC0934"} == (set() if shown else {"LC0935"})


def walks(surface: Surface, chance: random.Random) -> Iterator[str]:
    """Texts of a surface, one byte after another by chance."""
    for _ in range(60):
        config: Config | None = Engine(surface, NAMES_OF_TABLES).start
        text = b""
        while config is not None and len(text) < 24:
            if config.accepting:
                yield text.decode()
            ways = [byte for byte in BYTES if config.step(byte) is not None]
            if not ways:
                break
            text += bytes((chance.choice(ways),))
            config = config.step(text[-1])


BYTES = b'fromxyaTC2 ";!.'
COLUMNS = Group.of(Entry(name, "Column") for name in ("a", "m"))
PLAIN = frozenset({"plain"})
NAMES_OF_TABLES = Environment(
    "db", {"Table": Group.of([Entry("T", "Table", PLAIN, members={"Column": COLUMNS}), Entry("x", "Table")])}
)


@pytest.mark.parametrize(("old", "new"), [(old, new) for old, new, shown in CHAINS if shown])
def test_texts_of_a_refinement_are_texts_of_the_old(old: str, new: str) -> None:
    """What is written by chance under the new surface, over tables and columns, is a text of the old one."""
    text = BASE % ("env db;", old) + f"surface new refines old {{ {new} }}"
    surfaces = read_surfaces(Source("<test>", text))
    before = Engine(surfaces["old"], NAMES_OF_TABLES)
    written = set(walks(surfaces["new"], random.Random(7)))

    assert written
    for each in written:
        config = before.start.run(each.encode())
        assert config is not None, each
        assert config.accepting, each


# --- rules as a grammar -----------------------------------------------------------------------------------------------


@settings(max_examples=examples(200), deadline=None)
@given(rule_sets())
def test_rules_that_never_end(rules: Rules) -> None:
    """A rule is said not to end if and only if some rule has no row of lexemes of any length."""
    ends = {name for name, has in _derives(rules).items() if has}

    assert ("LC0927" in codes(made.surface("s", rules, ANY))) == (ends != set(rules))


def _derives(rules: Rules) -> dict[str, bool]:
    """Which rules have a tree of derivation, by trying trees of growing height."""
    known = dict.fromkeys(rules, False)
    for _ in rules:
        known = {name: _has(element, known) for name, element in rules.items()}
    return known


def _has(element: Element, known: Mapping[str, bool]) -> bool:
    kind, *rest = element
    if kind in ("seq", "alt"):
        parts = [_has(part, known) for part in rest[0]]
        return all(parts) if kind == "seq" else any(parts)
    if kind in ("opt", "star"):
        return True
    return _has(rest[0], known) if kind == "plus" else known[rest[0]] if kind == "rule" else True


@settings(max_examples=examples(200), deadline=None)
@given(rule_sets())
def test_rules_that_begin_with_themselves(rules: Rules) -> None:
    """Left recursion is found where walking down the left edge comes back, and nowhere else."""
    said = codes(made.surface("s", rules, ANY))
    empty = {name for name, some in made.rows(rules, ANY, 0).items() if () in some}
    edges = {name: _left(element, empty) for name, element in rules.items()}
    circles = any(_reaches(name, name, edges) for name in rules)

    assert ("LC0928" in said) == circles


def _left(element: Element, empty: set[str]) -> set[str]:
    kind, *rest = element
    if kind == "rule":
        return {rest[0]}
    if kind == "alt":
        return set().union(*(_left(part, empty) for part in rest[0]))
    if kind != "seq":
        return _left(rest[0], empty) if kind in ("opt", "star", "plus") else set()
    found: set[str] = set()
    nothing: Element = ("opt", ("lit", "a"))
    for part in rest[0]:
        found |= _left(part, empty)
        known = {name: nothing if name in empty else ("lit", "a") for name in NAMES}
        if () not in made.rows({**known, "part": part}, ANY, 0)["part"]:
            break
    return found


def _reaches(start: str, goal: str, edges: Mapping[str, set[str]]) -> bool:
    seen: set[str] = set()
    queue = [start]
    while queue:
        for name in edges[queue.pop()]:
            if name == goal:
                return True
            if name not in seen:
                seen.add(name)
                queue.append(name)
    return False


# --- locals -----------------------------------------------------------------------------------------------------------

LOCALS: tuple[Element, ...] = (("keep", "x"), ("keep", "y"), ("ask", "x"), ("ask", "y"))


@settings(max_examples=examples(300), deadline=None)
@given(made.elements([], 4 * LOCALS))
def test_locals_are_kept_on_every_path(element: Element) -> None:
    """A local is refused if and only if some way through the rule asks for it before it is kept."""
    ways = list(made.paths(("seq", [("lit", "a"), element])))
    assume(len(ways) < 2000)
    missed = {step[1] for way in ways for i, step in enumerate(way) if step[0] == "-" and f"+{step[1]}" not in way[:i]}
    text = made.surface("s", {"r0": ("seq", [("lit", "a"), element])}, ANY)
    said = [d for d in found(text) if d.code in ("LC0923", "LC0932")]
    named = {text[d.primary.span.start : d.primary.span.end] for d in said if d.primary}

    assert named == missed


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("=> export(a)", "LC0932"),
        ("=> export(t, a)", None),
        ("=> bind(a ?? t, Table)", None),
        ("=> bind(a, Table)", "LC0932"),
        ("=> bind(t, Table, members = last)", None),
        ("=> bind(t, Table, members = b)", "LC0923"),
        ("in Call(want = t) { }", None),
        ("in Call(want = a) { }", "LC0932"),
        ("in Call(want = b) { }", "LC0923"),
        ("in Call(want = last) { }", None),
        ("[has(a, plain)]", "LC0932"),
    ],
)
def test_locals_of_actions_and_scopes(action: str, code: str | None) -> None:
    """`a ?? t` and a second name to export may be missing; words that stand for locals are none."""
    text = f"surface s {{ sort Table; env db; scope Call; r := t=ref(Table) (a=fresh(Table))? {action}; }}"

    assert codes(text) == (set() if code is None else {code})


# --- names that are free text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sorts", ["", "sort Table; env db;"])
@pytest.mark.parametrize(
    ("rules", "warned"),
    [
        ("text := table_name; table_name := WORD;", 1),
        ("text := table_name; table_name := QUOTED | WORD;", 1),
        ("text := table=WORD column_name=WORD;", 2),
        ("text := identifier; identifier := WORD;", 1),
        ("text := column_name; column_name := NUMBER;", 0),
        ("text := tables; tables := (WORD)*;", 0),
        ("text := WORD title; title := WORD;", 0),
        ("text := name WORD; name := 'a' WORD;", 0),
    ],
)
def test_names_that_are_free_text(sorts: str, rules: str, warned: int) -> None:
    """A place called for a name that any word fits in is warned of, with sorts and without; others are not."""
    tokens = "token WORD = pattern /[a-z]+/; token NUMBER = pattern /[0-9]+/; token QUOTED = pattern /'[^']+'/;"
    assert [d.code for d in found(f"surface s {{ {sorts} {tokens} {rules} }}")].count("LC0934") == warned


def test_open_names_may_be_tokens_as_well() -> None:
    """Where a choice has `open(…)`, it is said already that any name will do."""
    rules = "token WORD = pattern /[a-z]+/; sort Table; text := table; table := {} | WORD;"
    assert "LC0934" not in codes(f"surface s {{ {rules.format('open(Table)')} }}")
    assert "LC0934" in codes(f"surface s {{ {rules.format('fresh(Table)')} }}")


def test_ids_are_names_beside_sorts_alone() -> None:
    """What a surface without sorts calls an id is data."""
    rules = "token HEX = pattern /[0-9a-f]+/; text := id; id := HEX;"
    assert "LC0934" not in codes(f"surface s {{ {rules} }}")
    assert "LC0934" in codes(f"surface s {{ sort User; {rules} }}")
