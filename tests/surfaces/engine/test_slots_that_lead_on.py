"""No slot is offered behind which the text has no end: against all texts of small surfaces, spelled out by hand.

Texts declare names, ask for names of Γ and for declared ones, and for names of a sort of which there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st

from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.model import (
    Action,
    Call,
    Choice,
    Element,
    Fresh,
    Guard,
    Literal,
    Reference,
    Rule,
    Sequence,
    Sort,
    Surface,
    Token,
)
from tests.examples import examples

SIGNS = ".,:;"
KNOWN = ("a", "b", "c", "d")
MEMBERS = {"b": ("m",), "d": ("m", "n")}
SPECIAL = {"c", "d"}
"""Names with an attribute."""
NEW = ("p", "q")
"""What a declared name can be called."""


@dataclass(frozen=True)
class Sign:
    """A literal."""

    text: str


@dataclass(frozen=True)
class Slot:
    """A name: `known` of Γ, `new`, `declared` before, `member` of the last known one, or `none` that exists.

    `special` reads nothing, and asks whether the last known one is that.
    """

    kind: str


@dataclass(frozen=True)
class Row:
    """One after the other."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Either:
    """One of them; nothing, if there are none."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Own:
    """A rule of its own, which knows no name of Γ that was taken outside, and keeps none for it."""

    part: Part


Part: TypeAlias = Sign | Slot | Row | Either | Own
Known: TypeAlias = tuple[frozenset[str], str]
"""The names that are declared, and the last one of Γ."""

leaves: st.SearchStrategy[Part] = st.one_of(
    st.sampled_from(SIGNS).map(Sign),
    st.sampled_from(["known", "new", "declared", "declared", "member", "special", "none"]).map(Slot),
)
parts = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map(lambda some: Row(tuple(some))),
        st.lists(inner, min_size=1, max_size=3).map(lambda some: Either(tuple(some))),
        inner.map(lambda part: Either((part, Row(())))),
        inner.map(Own),
    ),
    max_leaves=4,  # as many lexemes are looked ahead
).map(lambda part: Row((Slot("known"), part)))


def spelled_out(part: Part, known: Known) -> Iterator[tuple[str, Known]]:
    """All texts, each with the names that are declared behind it."""
    declared, last = known
    match part:
        case Sign(text):
            yield text, known
        case Slot(kind):
            yield from names(kind, declared, last)
        case Row(()):
            yield "", known
        case Row((first, *others)):
            for text, after in spelled_out(first, known):
                yield from ((text + more, behind) for more, behind in spelled_out(Row(tuple(others)), after))
        case Either(some):
            for one in some:
                yield from spelled_out(one, known)
        case Own(one):
            yield from ((text, (behind, last)) for text, (behind, _) in spelled_out(one, (declared, "")))


def names(kind: str, declared: frozenset[str], last: str) -> Iterator[tuple[str, Known]]:
    """What a slot takes, or where a guard holds."""
    match kind:
        case "known":
            yield from ((name, (declared, name)) for name in KNOWN)
        case "new":
            yield from ((name, (declared | {name}, last)) for name in NEW if name not in declared)
        case "declared":
            yield from ((name, (declared, last)) for name in sorted(declared))
        case "member":
            yield from ((name, (declared, last)) for name in MEMBERS.get(last, ()))
        case "special":
            yield from [("", (declared, last))] if last in SPECIAL else []


def element(part: Part, rules: dict[str, Rule]) -> Element:
    """The same in a surface; what is in a rule of its own becomes one of `rules`."""
    match part:
        case Sign(text):
            return Literal(text)
        case Slot("known"):
            return Reference("Known", "t")
        case Slot("member"):
            return Reference("Member", of="t")
        case Slot("special"):
            return Guard("has", (("name", "t"), ("attribute", "special")))
        case Slot("new"):
            bind = Action("bind", (("name", "x"), ("sort", "Declared")))
            return Sequence((Fresh("Declared", "x", shape="ONE"), bind))
        case Slot("declared"):
            return Reference("Declared")
        case Row(some):
            return Sequence(tuple(element(one, rules) for one in some))
        case Either(some):
            return Choice(tuple(element(one, rules) for one in some))
        case Own(one):
            body = element(one, rules)
            name = f"rule_{len(rules)}"
            rules[name] = Rule(name, body)
            return Call(name)
    return Reference("Nothing")


def engine_of(part: Part) -> Engine:
    """The surface of the texts of a part. A word has one letter, so that each byte is a lexeme."""
    rules: dict[str, Rule] = {}
    start = Rule("start", element(part, rules))
    surface = Surface(
        name="s",
        start="start",
        rules={"start": start, **rules},
        tokens={"ONE": Token("ONE", f"[{''.join(NEW)}]")},
        sorts={"Member": Sort("Member", "Known"), **{sort: Sort(sort) for sort in ("Known", "Declared", "Nothing")}},
        scopes={},
        keywords=frozenset(),
        fold_case=False,
        word="[a-z]",
        quotes=(),
    )
    return Engine(surface, Environment("names", {"Known": Group.of(map(entry, KNOWN))}))


def entry(name: str) -> Entry:
    """A name of Γ."""
    attributes = frozenset({"special"} if name in SPECIAL else ())
    members = {"Member": Group.of_names("Member", MEMBERS[name])} if name in MEMBERS else {}
    return Entry(name, "Known", attributes, members=members)


def beginnings(config: Config, text: str = "") -> dict[str, bool]:
    """All that can be read, and whether it may end there."""
    found = {text: config.accepting}
    for letter in (*SIGNS, *KNOWN, *NEW, *"mn"):
        behind = config.step(ord(letter))
        if behind is not None:
            found |= beginnings(behind, text + letter)
    return found


@settings(max_examples=examples(600))
@given(parts)
# What a rule returns to is hindered.
@example(Either((Row((Slot("known"), Own(Row((Sign("."), Sign(",")))), Slot("declared"))), Slot("new"))))
def test_what_is_begun_can_be_ended(part: Part) -> None:
    """What can be read is the texts and their beginnings, and nothing else."""
    assume(repr(part).count("'new'") <= len(NEW))  # so that no text runs out of new names
    texts = {text for text, _ in spelled_out(part, (frozenset(), ""))}
    event(f"{min(len(texts), 20)} texts")
    read = beginnings(engine_of(part).start)
    assert {text for text, accepted in read.items() if accepted} == texts
    assert set(read) - {""} == {text[:end] for text in texts for end in range(1, len(text) + 1)}
