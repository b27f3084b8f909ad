"""Checks sorts: members have owners, and a reference can find something.

A surface without an environment of its own takes names from what its rules bind, and from nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

from langc.compiler.surfaces.environment.providers import KINDS
from langc.compiler.surfaces.model import Action, Choice, Element, Open, Reference, Surface, TokenUse
from langc.compiler.surfaces.syntax.languages import common, language
from langc.compiler.surfaces.syntax.report import Report
from langc.compiler.surfaces.syntax.walk import walk

_NAME_WORDS = frozenset({"name", "names", "identifier", "ident", "table", "column", "function", "variable"})
_BESIDE_SORTS = _NAME_WORDS | {"id"}
"""Where a surface has no sort, what is called an id is data more often than a name."""
_GENERAL = frozenset({"name", "names", "identifier", "ident"})


def check_supply(surface: Surface, own: frozenset[str], report: Report) -> None:
    """Reports references of the rules `own` that can never find a name, and names that are read as free text."""
    supplied = made_by_actions(surface)
    for name in own:
        for element in walk(surface.rules[name].body):
            if isinstance(element, Reference):
                _check_reference(element, surface, supplied, report)
    _check_free_text(surface, own, report)


def made_by_actions(surface: Surface) -> frozenset[str]:
    """The sorts that actions bind names of, and those whose names come with a name of such a sort."""
    return frozenset(_made(surface))


def check_providers(surface: Surface, own: frozenset[str], report: Report) -> None:
    """Reports kinds of sources of names that there are none of."""
    for provider in surface.environments:
        if provider.name in own and provider.kind and provider.kind not in KINDS:
            message = f"there is no source of names of the kind `{provider.kind}`"
            report.unknown("LC0901", message, provider.kind, provider.span, KINDS)


def _check_reference(slot: Reference, surface: Surface, supplied: frozenset[str], report: Report) -> None:
    sort = surface.sorts[slot.sort]
    if slot.of is not None and sort.owner is None:
        help_ = f"say whose members its names are: `sort {sort.name} of …;`"
        report.error("LC0931", f"names of sort `{sort.name}` are members of nothing", slot.span, help_)
    if not surface.environments and not slot.results and sort.name not in supplied:
        help_ = f"give the surface an environment, `env db;`, or bind names: `=> bind(…, {sort.name})`"
        report.error("LC0933", f"nothing ever makes a name of sort `{sort.name}`", slot.span, help_)


def _made(surface: Surface) -> Iterator[str]:
    bound = {
        dict(element.arguments).get("sort")
        for rule in surface.rules.values()
        for element in walk(rule.body)
        if isinstance(element, Action)
    }
    for sort in surface.sorts.values():
        if {sort.name, *_owners(sort.name, surface)} & bound or (sort.owner and _has_members(surface)):
            yield sort.name


def _has_members(surface: Surface) -> bool:
    """Whether some action gives members to what it binds."""
    actions = (e for rule in surface.rules.values() for e in walk(rule.body) if isinstance(e, Action))
    return any("members" in dict(action.arguments) for action in actions)


def _owners(sort: str, surface: Surface) -> Iterator[str]:
    seen = {sort}
    owner = surface.sorts[sort].owner
    while owner is not None and owner not in seen:
        yield owner
        seen.add(owner)
        owner = surface.sorts[owner].owner


# --- names that are free text -----------------------------------------------------------------------------------------


def _check_free_text(surface: Surface, own: frozenset[str], report: Report) -> None:
    """Warns of `table_name := NAME;`, `table_name := NAME | QUOTED;` and `table=NAME`: names that may be any word."""
    for name in own:
        rule = surface.rules[name]
        choices = _instead(rule.body)
        is_open = any(isinstance(choice, Open) for choice in choices)  # which says that any name will do
        for element in choices:
            if isinstance(element, TokenUse) and element.local is None and not is_open:
                _warn(rule.name, element, surface, report)
        for element in walk(rule.body):
            if isinstance(element, TokenUse) and element.local is not None:
                _warn(element.local, element, surface, report)


def _instead(body: Element) -> tuple[Element, ...]:
    """What a rule may be as a whole."""
    return body.choices if isinstance(body, Choice) else (body,)


def _warn(name: str, use: TokenUse, surface: Surface, report: Report) -> None:
    words = name.lower().replace("-", "_").split("_")
    sort = next((s for s in surface.sorts if s.lower() in words), None)
    known = _BESIDE_SORTS if surface.sorts else _NAME_WORDS
    if sort is None and not known & set(words):
        return
    if common(language(surface.tokens[use.token].pattern), language(surface.word)) is None:
        return
    message = f"`{name}` reads like a name, and `{use.token}` takes any text of its shape"
    report.warning("LC0934", message, use.span, _help(sort, words, surface))


def _help(sort: str | None, words: list[str], surface: Surface) -> str:
    if surface.sorts:
        slots = f"`ref({sort or 'Sort'})` or `fresh({sort or 'Sort'})`"
        return f"to hold it to names that exist, or that are new, write {slots}; `open(…)` says that any name will do"
    new = next((word for word in words if word in _NAME_WORDS - _GENERAL), "name").capitalize()
    return (
        f"to hold it to names that exist, write `sort {new}; env names;` and `ref({new})`; "
        f"`sort {new};` and `open({new})` say that any name will do"
    )
