"""What Γ has become: the operations that a parser asks for, on immutable worlds.

Invariants, each with a test of its own
* Worlds are immutable. Worlds of one root with equal frames are the same object while one is in use.
* Sound: a reference that is taken resolves, in its scope, to exactly one name that exists.
* Not blocking: if the promises of all scopes can be kept before an operation, they can be kept after it; what would
  break that gives None. `names` offers what `take` takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias
from weakref import WeakValueDictionary

from langc.compiler.surfaces.environment.names import Entry, Environment, NameSet, Words
from langc.compiler.surfaces.model import Action, Fresh, Guard, Open, Reference, Surface, Within
from langc.compiler.surfaces.world import binding, lookup, offers
from langc.compiler.surfaces.world.base import NO_NAMES, Base, words
from langc.compiler.surfaces.world.binding import Frames, innermost, replaced
from langc.compiler.surfaces.world.frame import Closed, Frame
from langc.compiler.surfaces.world.values import Bound, Declared, Derived, Members, Promised, Text, Value

Locals: TypeAlias = tuple[tuple[str, Value], ...]
Parameters: TypeAlias = tuple[tuple[str, str], ...]
Slot: TypeAlias = Reference | Fresh | Open


class World:
    """See the module. Made by `World.root` and by the operations only."""

    __slots__ = ("__weakref__", "_offers", "base", "frames", "known")

    def __init__(self, base: Base, frames: Frames, known: WeakValueDictionary[Frames, World]) -> None:
        self.base, self.frames, self.known = base, frames, known
        self._offers: dict[object, tuple[Slot, NameSet | Words | None]] = {}

    @classmethod
    def root(cls, surface: Surface, environment: Environment) -> World:
        """The world in which nothing has been written."""
        known: WeakValueDictionary[Frames, World] = WeakValueDictionary()
        world = cls(Base(surface, environment), (Frame(),), known)
        known[world.frames] = world
        return world

    def __repr__(self) -> str:
        return f"World({', '.join(frame.kind or 'root' for frame in self.frames)})"

    # --- slots --------------------------------------------------------------------------------------

    def names(self, slot: Slot, locals_: Locals, parameters: Parameters) -> NameSet | Words | None:
        """What a slot takes; None if nothing."""
        held = _held(slot, locals_)
        merge = _merges(parameters)
        key = (id(slot), held, merge)
        known = self._offers.get(key)
        if known is not None:
            return known[1]
        found = self._names(slot, held, merge)
        self._offers[key] = (slot, found)  # with the slot, so that its number is no other's
        return found

    def _names(self, slot: Slot, held: Value | None, merge: str) -> NameSet | Words | None:
        if isinstance(slot, Reference):
            return offers.reference(self.base, self.frames, slot, held, merge)
        if isinstance(slot, Fresh):
            return offers.fresh(self.base, self.frames, slot, self._brought(slot, held), merge)
        return offers.open_slot(self.base, slot)

    def take(self, slot: Slot, lexeme: bytes, locals_: Locals, parameters: Parameters) -> tuple[World, Value] | None:
        """The world once a slot has been filled, and what the name stands for; None if it may not be."""
        if isinstance(slot, Reference):
            is_plain = slot.sort == lookup.ORDINAL or slot.shape is not None
            name = self.base.spelling.folded(lexeme) if is_plain else self.base.spelling.name_of(lexeme)
            return None if name is None else self._taken(slot, name, locals_, parameters)
        name = lexeme if slot.shape is not None else self.base.spelling.name_of(lexeme)
        if name is None:
            return None
        name = self.base.spelling.folded(name)
        offered = self.names(slot, locals_, parameters)
        if isinstance(offered, Words):
            bare = self.base.spelling.folded(lexeme) == name
            allowed = name not in (offered.excluded if bare else offered.refused) and (bare or offered.quoted)
        else:
            allowed = offered is not None and offered.find(lexeme) is not None
        frames = self.frames if allowed else None
        if frames is not None and isinstance(slot, Fresh) and slot.shape is not None:
            frames = lookup.kept_free(self.base, frames, slot, lexeme)
        return None if frames is None else (self._with(frames), Declared(name))

    def _taken(
        self, slot: Reference, name: bytes, locals_: Locals, parameters: Parameters
    ) -> tuple[World, Value] | None:
        found = lookup.find(self.base, self.frames, slot, name, _held(slot, locals_), _merges(parameters))
        if found is None:
            return None
        frames, value = found
        top = frames[-1]
        used = top.used
        if slot.once and not (
            isinstance(value, Entry) and lookup.repeats(value) and "required" not in value.attributes
        ):
            used = used | {(slot.sort, name)}
        if top.last is not None or len(used) > len(top.used):
            frames = replaced(frames, len(frames) - 1, top.but(used=used, last=None))
        return self._with(frames), value

    def _brought(self, slot: Fresh, held: Value | None) -> Members | Bound:
        """What will be bound under a fresh name."""
        if slot.as_ is None or slot.as_ == "last":
            return self._last()
        return held if isinstance(held, Entry | Bound) else None

    # --- actions ------------------------------------------------------------------------------------

    def act(self, action: Action, locals_: Locals, parameters: Parameters) -> World | None:
        """The world after an action; None if it may not be done."""
        arguments = self.base.arguments(action)
        frames = _ACTIONS[action.name](self, arguments, locals_, parameters)
        return None if frames is None else self._with(frames)

    def _bind(self, arguments: Mapping[str, str], locals_: Locals, parameters: Parameters) -> Frames | None:
        at = innermost(self.frames, arguments.get("in"))
        called = arguments.get("called")
        name = self._name(arguments["name"], locals_) if called is None else self.base.key(called)
        if at is None or (name is None and arguments["name"] != "none"):
            return None
        asked = arguments.get("members", "none")
        members = self._members(asked, locals_)
        frames, top = self.frames, len(self.frames) - 1
        if asked == "last" and frames[top].last is not None:
            frames = replaced(frames, top, frames[top].but(last=None))
        elif asked == "results":
            frames = replaced(frames, top, frames[top].but(results=frozenset(), count=0, flagged=(), certain=None))
        return binding.bind(self.base, frames, at, arguments["sort"], name, members, _merges(parameters))

    def _merge(self, arguments: Mapping[str, str], locals_: Locals, parameters: Parameters) -> Frames | None:
        at = innermost(self.frames, arguments.get("in"))
        name = None if arguments["name"] == "all" else self._name(arguments["name"], locals_)
        if at is None or (name is None and arguments["name"] != "all"):
            return None
        return binding.merge(self.base, self.frames, at, name)

    def _separate(self, arguments: Mapping[str, str], locals_: Locals, parameters: Parameters) -> Frames | None:
        at = innermost(self.frames, arguments["scope"])
        return None if at is None else binding.separate(self.base, self.frames, at)

    def _export(self, arguments: Mapping[str, str], locals_: Locals, parameters: Parameters) -> Frames | None:
        if arguments.get("name") == "all":
            if "of" not in arguments:
                return binding.export_all(self.base, self.frames)
            value = _first(arguments["of"], locals_)
            return None if value is None else binding.export_all_of(self.base, self.frames, value)
        alias = self._name(arguments.get("alias"), locals_)
        name = alias if alias is not None else self._name(arguments.get("name"), locals_)
        return binding.export(self.base, self.frames, name, alias is not None)

    def _settle(self, arguments: Mapping[str, str], locals_: Locals, parameters: Parameters) -> Frames | None:
        at = innermost(self.frames, arguments["scope"])
        return None if at is None else binding.settle(self.base, self.frames, at)

    def _adopt(self, arguments: Mapping[str, str], locals_: Locals, parameters: Parameters) -> Frames | None:
        top, last = self.frames[-1], self._last_closed()
        if last is None or top.count:
            return self.frames
        if top.most is not None and last.count > top.most:
            return None
        changed = top.but(results=last.results, count=last.count, flagged=last.flagged, certain=last.certain)
        frames = replaced(self.frames, len(self.frames) - 1, changed)
        return frames if binding.takes(self.base, frames, len(frames) - 1, binding.names_of(changed)) else None

    def _hide(self, arguments: Mapping[str, str], locals_: Locals, parameters: Parameters) -> Frames | None:
        at = innermost(self.frames, arguments.get("in"))
        name = self._name(arguments["name"], locals_)
        if at is None or name is None:
            return None
        frame = self.frames[at]
        frames = replaced(self.frames, at, frame.but(hidden=frame.hidden | {(arguments["sort"], name)}))
        return frames if all(binding.solvable(self.base, frames, place) for place in range(at, len(frames))) else None

    def _mark(self, arguments: Mapping[str, str], locals_: Locals, parameters: Parameters) -> Frames | None:
        at = innermost(self.frames, arguments.get("in"))
        if at is None:
            return None
        frame = self.frames[at]
        return replaced(self.frames, at, frame.but(marks=frame.marks | {arguments["flag"]}))

    def _unmark(self, arguments: Mapping[str, str], locals_: Locals, parameters: Parameters) -> Frames | None:
        at = innermost(self.frames, arguments.get("in"))
        if at is None:
            return None
        frame = self.frames[at]
        return replaced(self.frames, at, frame.but(marks=frame.marks - {arguments["flag"]}))

    # --- guards -------------------------------------------------------------------------------------

    def holds(self, guard: Guard, locals_: Locals, parameters: Parameters) -> bool:
        """Whether what a guard asks for is so, its negation left aside."""
        arguments = self.base.arguments(guard)
        if guard.name == "has":
            held = _first(arguments["name"], locals_)
            return isinstance(held, Entry) and arguments["attribute"] in held.attributes
        test = _GUARDS.get(guard.name)
        if test is None:
            value = dict(parameters).get(guard.name, "no")
            return value == arguments["value"] if "value" in arguments else value != "no"
        at = innermost(self.frames, arguments.get("in"))
        return at is not None and test(self, at, arguments)

    def _marked(self, at: int, arguments: Mapping[str, str]) -> bool:
        return arguments["flag"] in self.frames[at].marks or arguments["flag"] in self.frames[at].given

    def _room(self, at: int, arguments: Mapping[str, str]) -> bool:
        return binding.has_room(self.frames[at])

    def _enough(self, at: int, arguments: Mapping[str, str]) -> bool:
        frame = self.frames[at]
        return binding.counts(frame) or frame.count >= frame.least

    def _merged(self, at: int, arguments: Mapping[str, str]) -> bool:
        return not self.frames[at].pending

    def _settled(self, at: int, arguments: Mapping[str, str]) -> bool:
        return self.frames[at].settled

    def _satisfied(self, at: int, arguments: Mapping[str, str]) -> bool:
        return not self.missing(at, arguments.get("attribute", "required"))

    def missing(self, at: int, attribute: str = "required") -> list[Entry]:
        """The members of a scope's owner that are required, or have another attribute, and were not used in it."""
        owner = self.frames[at].owner
        used = self.frames[at].used
        entries = () if owner is None else (entry for group in owner.members.values() for entry in group)
        return [e for e in entries if attribute in e.attributes and (e.sort, self.base.key(e.name)) not in used]

    def _results(self, at: int, arguments: Mapping[str, str]) -> bool:
        return bool(self.frames[at].results)

    # --- scopes -------------------------------------------------------------------------------------

    def open(self, within: Within, locals_: Locals, parameters: Parameters) -> World | None:
        """The world in a new scope; None if it may not be opened."""
        options = self.base.arguments(within)
        scope = self.base.surface.scopes.get(within.scope)
        least, most = self._wanted(options.get("want"), locals_, parameters)
        owner = _first(options["of"], locals_) if "of" in options else None
        feeds = self._fed(options.get("feeds"), parameters)
        frame = _EMPTY.but(
            kind=within.scope,
            opaque=scope is not None and scope.opaque,
            owner=owner if isinstance(owner, Entry) else None,
            feeds=feeds,
            least=least,
            most=most,
            merging=options.get("merge", "no") != "no",
            merges=feeds is not None and _merges(parameters) not in ("no", "all"),
        )
        frames = (*self.frames, frame)
        return self._with(frames) if binding.takes(self.base, frames, len(frames) - 1, NO_NAMES) else None

    def _wanted(self, asked: str | None, locals_: Locals, parameters: Parameters) -> tuple[int, int | None]:
        """How many results a new scope has to give out."""
        if asked is None or asked == "no":
            return 0, None
        if asked.isdigit():
            return int(asked), int(asked)
        if asked == "last":
            last = self._last_closed()
            return (0, None) if last is None else (last.count, last.count)
        if asked == "results":  # none are known: of all that there are of a name that may be any
            count = self.frames[-1].count
            return (count, count) if count else (0, None)
        if asked == "outer":
            return self.frames[-1].least, self.frames[-1].most
        value = _first(asked, locals_)
        if isinstance(value, Entry):
            return value.numbers.get("least", 0), value.numbers.get("most")
        given = dict(parameters).get("want" if asked == "param" else asked)
        return (0, None) if given in (None, asked) else self._wanted(given, locals_, ())

    def _fed(self, asked: str | None, parameters: Parameters) -> str | None:
        """The kind of scope that a new scope feeds: named itself, or by a parameter."""
        if asked is None or asked in self.base.surface.scopes:
            return asked
        given = dict(parameters).get(asked)
        return given if given in self.base.surface.scopes else None

    def close(self, within: Within) -> World | None:
        """The world behind the innermost scope; None if something is still open in it."""
        top = self.frames[-1]
        if top.kind != within.scope or top.promises or (top.stars and not top.settled):
            return None
        if top.count < top.least or (top.most is not None and top.count > top.most):
            return None
        if top.feeds and not binding.takes(self.base, self.frames, len(self.frames) - 1, binding.names_of(top)):
            return None
        if not top.count:  # gives out nothing, or it was bound
            return self._with(self.frames[:-1])
        outer = self.frames[-2].but(last=Closed(top.results, top.count, top.flagged, top.certain))
        return self._with((*self.frames[:-2], outer))

    # --- helpers ------------------------------------------------------------------------------------

    def _with(self, frames: Frames) -> World:
        if frames is self.frames:
            return self
        found = self.known.get(frames)
        if found is None:
            found = self.known[frames] = World(self.base, frames, self.known)
        return found

    def _last_closed(self) -> Closed | None:
        """What the scope that was closed last gave out."""
        return next((frame.last for frame in reversed(self.frames) if frame.last is not None), None)

    def _last(self) -> Members:
        last = self._last_closed()
        return None if last is None else _derived(last)

    def _members(self, asked: str, locals_: Locals) -> Members:
        if asked == "last":
            return self._last()
        if asked == "results":
            return _derived(Closed(self.frames[-1].results, self.frames[-1].count))
        value = _first(asked, locals_)
        if isinstance(value, Bound):
            return value.members
        return value if isinstance(value, Entry) else None

    def _name(self, asked: str | None, locals_: Locals) -> bytes | None:
        """The name of the first of some locals that is there."""
        value = None if asked is None else _first(asked, locals_)
        match value:
            case None:
                return None
            case Entry():
                return self.base.key(value.name)
            case Text(text):
                return self.base.spelling.kept(text)
            case Bound() | Declared() | Promised():
                return value.name


_EMPTY = Frame()


def _derived(closed: Closed) -> Derived:
    return Derived(frozenset(result.name for result in closed.results), closed.count)


def _first(asked: str, locals_: Locals) -> Value | None:
    held = dict(locals_)
    return next((held[word] for word in words(asked) if word in held), None)


def _held(slot: Slot, locals_: Locals) -> Value | None:
    """The value that a slot's answer depends on."""
    local = slot.of if isinstance(slot, Reference) else slot.as_ if isinstance(slot, Fresh) else None
    if local is None:
        return None
    for name, value in locals_:
        if name == local:
            return value
    return None


def _is_counted(value: Value) -> bool:
    """Whether it matters that a name has been used."""
    return not lookup.repeats(value) or (isinstance(value, Entry) and "required" in value.attributes)


def _merges(parameters: Parameters) -> str:
    return next((value for name, value in parameters if name == "merge"), "no")


_ACTIONS: Mapping[str, Callable[[World, Mapping[str, str], Locals, Parameters], Frames | None]] = {
    "bind": World._bind,
    "merge": World._merge,
    "separate": World._separate,
    "export": World._export,
    "settle": World._settle,
    "adopt": World._adopt,
    "hide": World._hide,
    "mark": World._mark,
    "unmark": World._unmark,
}
_GUARDS: Mapping[str, Callable[[World, int, Mapping[str, str]], bool]] = {
    "marked": World._marked,
    "room": World._room,
    "enough": World._enough,
    "merged": World._merged,
    "settled": World._settled,
    "satisfied": World._satisfied,
    "results": World._results,
}
