"""Worlds of languages that are not SQL: blocks, labels, functions, calls, options."""

from __future__ import annotations

import pytest

from langc.compiler.surfaces import model
from langc.compiler.surfaces.environment.names import Entry, Environment, Group, NameSet, Words
from langc.compiler.surfaces.model import Action, Fresh, Guard, Reference, Within
from langc.compiler.surfaces.world.values import Declared, Derived, Promised, Value
from langc.compiler.surfaces.world.world import World
from tests.surfaces.world.tables import NOTHING, names

VARIABLE = Reference("Variable")
NEW_VARIABLE = Fresh("Variable", "x")
OTHER_VARIABLE = Fresh("Variable", "y", other_than=("Variable",))
OUTWARD = Reference("Variable", scope="Block", outward=True)
INNERMOST = Reference("Variable", scope="Block")
LET = Action("bind", (("name", "x"), ("sort", "Variable"), ("in", "Block")))
LET_HERE = Action("bind", (("name", "x"), ("sort", "Variable")))
HIDE = Action("hide", (("name", "x"), ("sort", "Variable"), ("in", "Block")))
GOTO = Reference("Label", "l", scope="Function", defer=True)
LABEL = Fresh("Label", "l")
SET_LABEL = Action("bind", (("name", "l"), ("sort", "Label"), ("in", "Function")))
SETTLE = Action("settle", (("scope", "Function"),))
OPTION = Reference("Option", of="c", once=True)
PLAIN_OPTION = Reference("Option", of="c", where=("plain",), where_not=("required",))
COMMAND = Reference("Command", "c")
CALLED = Reference("Called", "f")
ARGUMENT = Action("export")
MARK = Action("mark", (("flag", "deep"), ("in", "Block")))
UNMARK = Action("unmark", (("flag", "deep"), ("in", "Block")))
RESULT = Reference("Result", scope="Block", results=True)
DEEP_RESULT = Reference("Result", scope="Block", results=True, where=("deep",))
ORDINAL = Reference("Ordinal", scope="Block", results=True)
SHALLOW_ORDINAL = Reference("Ordinal", scope="Block", results=True, where_not=("deep",))
NEW_RESULT = Fresh("Result", "r")
EXPORT = Action("export", (("name", "r"),))
ADOPT = Action("adopt")

BLOCK, BARRIER = Within("Block", NOTHING), Within("Barrier", NOTHING)
FUNCTION = Within("Function", NOTHING)
COMMAND_LINE = Within("Line", NOTHING, (("of", "c"),))
CALL = Within("Call", NOTHING, (("want", "f"),))

SORTS = ("Variable", "Label", "Command", "Called", "Result", "Ordinal")
_PARTS = (NEW_VARIABLE, LET, LABEL, SET_LABEL, GOTO, NEW_RESULT, EXPORT, OUTWARD, OPTION)
SURFACE = model.Surface(
    "mixed",
    "start",
    {"start": model.Rule("start", model.Sequence(_PARTS))},
    {},
    {name: model.Sort(name) for name in SORTS} | {"Option": model.Sort("Option", "Command")},
    {name: model.Scope(name) for name in ("Block", "Function", "Line", "Call")}
    | {"Barrier": model.Scope("Barrier", True)},
    keywords=frozenset({"let"}),
)
NO_MEMBERS: dict[str, Group] = {}


def _option(name: str, *attributes: str) -> Entry:
    return Entry(name, "Option", frozenset(attributes))


OPTIONS = Group.of(
    (
        _option("all", "plain"),
        _option("verbose", "plain", "repeat"),
        _option("message", "required"),
        _option("v", "repeat", "required"),
    )
)
ENVIRONMENT = Environment(
    "mixed",
    {
        "Variable": Group.of_names("Variable", ["pi"]),
        "Command": Group.of((Entry("commit", "Command", members={"Option": OPTIONS}), Entry("log", "Command"))),
        "Called": Group.of(
            (
                Entry("now", "Called", numbers={"least": 0, "most": 0}),
                Entry("substr", "Called", numbers={"least": 2, "most": 3}),
                Entry("max", "Called", numbers={"least": 1}),
            )
        ),
    },
)


class Steps:
    """A world that is changed step by step."""

    def __init__(self) -> None:
        self.world = World.root(SURFACE, ENVIRONMENT)
        self.held: dict[str, Value] = {}

    @property
    def locals(self) -> tuple[tuple[str, Value], ...]:
        """As a parser hands them on."""
        return tuple(sorted(self.held.items()))

    def open(self, *scopes: Within) -> Steps:
        for scope in scopes:
            world = self.world.open(scope, self.locals, ())
            assert world is not None
            self.world = world
        return self

    def close(self, scope: Within) -> bool:
        world = self.world.close(scope)
        self.world = world or self.world
        return world is not None

    def take(self, slot: model.Slot, lexeme: str) -> bool:
        taken = self.world.take(slot, lexeme.encode(), self.locals, ())
        if taken is None:
            return False
        self.world, value = taken
        if slot.local:
            self.held[slot.local] = value
        return True

    def act(self, *actions: Action) -> bool:
        for action in actions:
            world = self.world.act(action, self.locals, ())
            if world is None:
                return False
            self.world = world
        return True

    def let(self, name: str) -> Steps:
        assert self.take(NEW_VARIABLE, name)
        assert self.act(LET)
        return self

    def export(self, name: str) -> Steps:
        assert self.take(NEW_RESULT, name)
        assert self.act(EXPORT)
        return self

    def offer(self, slot: model.Slot) -> NameSet | Words | None:
        return self.world.names(slot, self.locals, ())

    def names(self, slot: model.Slot) -> set[str]:
        return names(self.offer(slot))

    def holds(self, guard: str, **arguments: str) -> bool:
        return self.world.holds(Guard(guard, tuple(arguments.items())), self.locals, ())


# --- blocks -----------------------------------------------------------------------------------------


def test_a_name_is_there_from_its_binding_to_the_end_of_its_block() -> None:
    """`let x = x` finds no x."""
    steps = Steps().open(BLOCK)
    assert steps.take(NEW_VARIABLE, "x")
    assert steps.names(VARIABLE) == {"pi"}
    assert steps.act(LET)
    assert steps.names(VARIABLE) == {"pi", "x"}
    before = steps.world
    steps.open(BLOCK).let("y")
    assert steps.names(VARIABLE) == {"pi", "x", "y"}
    assert steps.close(BLOCK)
    assert steps.world is before


def test_inner_names_hide_outer_ones() -> None:
    """Each of them is offered once, and what is taken is the inner one."""
    steps = Steps().open(BLOCK).let("x").open(BLOCK).let("x").let("pi")
    assert steps.names(VARIABLE) == {"pi", "x"}
    assert steps.take(VARIABLE, "x")
    assert not steps.take(VARIABLE, "z")


def test_a_block_has_a_name_once() -> None:
    """Its own names are left out of what may be declared; with `not`, outer ones too."""
    steps = Steps().open(BLOCK).let("x")
    offer = steps.offer(NEW_VARIABLE)
    assert isinstance(offer, Words)
    assert not offer.allows(b"x")
    assert not offer.allows(b"let")
    assert offer.allows(b"pi")
    steps.open(BLOCK)
    assert steps.take(NEW_VARIABLE, "x")
    assert not steps.take(OTHER_VARIABLE, "x")
    assert not steps.take(OTHER_VARIABLE, "pi")
    assert steps.take(OTHER_VARIABLE, "z")


def test_scopes_of_a_kind_up_to_an_opaque_one() -> None:
    """`in Block` is the innermost, `in Block.*` all that are seen, and without either Γ is looked at too."""
    steps = Steps().open(BLOCK).let("x").open(FUNCTION, BLOCK).let("y")
    assert (steps.names(INNERMOST), steps.names(OUTWARD)) == ({"y"}, {"x", "y"})
    steps.open(BARRIER)
    assert (steps.names(INNERMOST), steps.names(OUTWARD)) == (set(), set())
    steps.open(BLOCK).let("z")
    assert (steps.names(INNERMOST), steps.names(OUTWARD)) == ({"z"}, {"z"})
    assert steps.names(VARIABLE) == {"pi", "x", "y", "z"}


def test_hidden_names() -> None:
    """A name is hidden for what is inside, until it is bound there again."""
    steps = Steps().open(BLOCK).let("x").open(BLOCK)
    assert steps.take(NEW_VARIABLE, "x")
    assert steps.act(HIDE)
    assert steps.names(VARIABLE) == {"pi"}
    steps.open(BLOCK)
    assert not steps.take(VARIABLE, "x")
    steps.let("x")
    assert steps.names(VARIABLE) == {"pi", "x"}


# --- labels -----------------------------------------------------------------------------------------


def test_a_label_may_come_before_its_declaration() -> None:
    """The function cannot be settled until it is there, from whatever block inside it is used."""
    steps = Steps().open(FUNCTION, BLOCK).let("x")
    assert isinstance(steps.offer(GOTO), Words)
    assert steps.take(GOTO, "end")
    assert steps.held["l"] == Promised("Label", b"end")
    assert steps.close(BLOCK)
    assert not steps.act(SETTLE)
    assert not steps.close(FUNCTION)
    assert steps.take(LABEL, "other")
    assert steps.act(SET_LABEL)
    assert not steps.act(SETTLE)
    assert steps.take(LABEL, "end")
    assert steps.act(SET_LABEL, SETTLE)
    assert steps.names(GOTO) == {"end", "other"}
    assert steps.close(FUNCTION)


def test_labels_belong_to_their_function() -> None:
    """An inner function promises its own."""
    steps = Steps().open(FUNCTION)
    assert steps.take(GOTO, "a")
    steps.open(FUNCTION)
    assert steps.take(LABEL, "a")
    assert steps.act(SET_LABEL, SETTLE)
    assert steps.close(FUNCTION)
    assert not steps.act(SETTLE)


# --- options ----------------------------------------------------------------------------------------


def test_options_once_repeated_and_required() -> None:
    """Only those with `repeat` come back, and all with `required` have to be there."""
    steps = Steps()
    assert steps.take(COMMAND, "commit")
    steps.open(COMMAND_LINE)
    assert steps.names(OPTION) == {"all", "verbose", "message", "v"}
    assert not steps.holds("satisfied")
    assert steps.take(OPTION, "all")
    assert not steps.take(OPTION, "all")
    assert steps.names(OPTION) == {"verbose", "message", "v"}
    before = steps.world
    assert steps.take(OPTION, "verbose")
    assert steps.world is before, "that a name may be repeated leaves nothing to remember"
    assert steps.take(OPTION, "message")
    assert not steps.holds("satisfied")
    assert steps.take(OPTION, "v")
    assert steps.take(OPTION, "v")
    assert steps.holds("satisfied")
    assert steps.names(OPTION) == {"verbose", "v"}


def test_attributes() -> None:
    """`where` and `where not`."""
    steps = Steps()
    assert steps.take(COMMAND, "commit")
    assert steps.names(PLAIN_OPTION) == {"all", "verbose"}
    assert not steps.take(PLAIN_OPTION, "message")
    assert steps.take(COMMAND, "log")
    assert steps.names(PLAIN_OPTION) == set()
    assert not steps.holds("has", name="c", attribute="x")


# --- results ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "least", "most"), [("now", 0, 0), ("substr", 2, 3), ("max", 1, None)])
def test_a_call_takes_as_many_arguments_as_its_function(name: str, least: int, most: int | None) -> None:
    """Room while there may be more, enough when the call may end."""
    steps = Steps()
    assert steps.take(CALLED, name)
    steps.open(CALL)
    for count in range(5):
        more = most is None or count < most
        assert (steps.holds("room"), steps.holds("enough")) == (more, count >= least)
        assert Steps.close(_copy(steps), CALL) == (count >= least)
        assert steps.act(ARGUMENT) == more
        if not more:
            return


def _copy(steps: Steps) -> Steps:
    copy = Steps()
    copy.world, copy.held = steps.world, dict(steps.held)
    return copy


def test_marks_move_to_the_results() -> None:
    """A result has the marks set since the one before; a guard sees them all."""
    steps = Steps().open(BLOCK).export("a")
    assert steps.act(MARK)
    assert steps.holds("marked", flag="deep", **{"in": "Block"})
    steps.export("b").export("c")
    assert steps.holds("marked", flag="deep", **{"in": "Block"})
    assert steps.names(RESULT) == {"a", "b", "c"}
    assert steps.names(DEEP_RESULT) == {"b"}
    assert steps.names(ORDINAL) == {"1", "2", "3"}
    assert steps.names(SHALLOW_ORDINAL) == {"1", "3"}
    assert not steps.take(SHALLOW_ORDINAL, "2")
    assert steps.act(MARK, UNMARK)
    steps.export("d")
    assert steps.names(DEEP_RESULT) == {"b"}


def test_results_are_adopted_and_counted() -> None:
    """`last` is what was closed last; a scope that has results keeps its own; `want` holds a scope to a number."""
    steps = Steps().open(BLOCK, BLOCK).export("a").export("b")
    assert steps.close(BLOCK)
    assert steps.act(ADOPT)
    assert steps.names(RESULT) == {"a", "b"}
    steps.open(Within("Block", NOTHING, (("want", "last"),)))
    steps.export("c")
    assert not steps.close(BLOCK)
    steps.export("d")
    assert not steps.act(ARGUMENT)
    assert steps.close(BLOCK)
    assert steps.act(ADOPT)
    assert steps.names(RESULT) == {"a", "b"}


def test_what_is_bound_with_results_uses_them_up() -> None:
    """So a scope that is closed after it leaves the one that was closed before as the last."""
    outer = Action("bind", (("name", "x"), ("sort", "Variable"), ("in", "Function"), ("members", "results")))
    steps = Steps().open(FUNCTION, BLOCK).export("a")
    assert steps.close(BLOCK)
    steps.open(BLOCK).export("p").export("q")
    assert steps.take(NEW_VARIABLE, "x")
    assert steps.act(outer)
    assert steps.world.frames[-2].bound[0].members == Derived(frozenset({b"p", b"q"}), 2)
    assert steps.close(BLOCK)
    assert steps.world.frames[-1].last is not None
    assert steps.world.frames[-1].last.count == 1


def test_parameters_are_guards() -> None:
    """A parameter that is not given, or `no`, does not hold."""
    world = World.root(SURFACE, ENVIRONMENT)
    given = (("kind", "view"), ("merge", "no"))
    assert world.holds(Guard("kind"), (), given)
    assert world.holds(Guard("kind", (("value", "view"),)), (), given)
    assert not world.holds(Guard("kind", (("value", "table"),)), (), given)
    assert not world.holds(Guard("merge"), (), given)
    assert not world.holds(Guard("other"), (), given)


def test_what_is_not_there_is_refused() -> None:
    """No traceback for names and scopes that are missing."""
    world = World.root(SURFACE, ENVIRONMENT)
    assert world.act(LET, (("x", Declared(b"x")),), ()) is None, "no such scope"
    assert world.act(LET_HERE, (), ()) is None, "no such local"
    assert world.act(SETTLE, (), ()) is None
    assert world.close(BLOCK) is None
    assert world.names(GOTO, (), ()) is None
    assert world.take(GOTO, b"a", (), ()) is None
    assert world.names(OPTION, (), ()) is None
    assert world.take(VARIABLE, b"let", (), ()) is None
    assert world.take(VARIABLE, b"", (), ()) is None
    assert world.names(RESULT, (), ()) is None
    assert not world.holds(Guard("room", (("in", "Block"),)), (), ())
