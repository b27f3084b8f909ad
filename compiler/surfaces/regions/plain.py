"""Whether a text of a surface can always be finished without a line that closes a code block.

Such a line holds a run of backticks or tildes, and blanks, and nothing else. So it can be kept from where no name and
no literal holds a line end or is made of these alone, but for short ones that can be kept apart by blanks, and where
every lexeme can be completed with no line end but a last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from langc.compiler.automata.closure import closure
from langc.compiler.ir.structure import MIN_FENCE
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.engine.lexemes import Shape
from langc.compiler.surfaces.engine.network import Read
from langc.compiler.surfaces.environment.names import Group
from langc.compiler.surfaces.model import Literal
from langc.compiler.surfaces.regions.tracker import NEWLINE

_OF_CLOSERS = frozenset(b"`~ \t\r\n")


def never_needs_closer(engine: Engine) -> bool:
    """Whether that is so, as far as can be told from names, literals and shapes alone."""
    lexicon = engine.parser.lexicon
    tokens = [shapes.pattern for shapes in lexicon.tokens.values()]
    wanted = [one for one in (lexicon.word, *tokens) if one not in lexicon.skipped]
    most = MIN_FENCE - 1 if any(one.matches(b" ") for one in lexicon.skipped) else 0
    return (
        all(_is_plain(text, most) for text in _texts(engine))
        and all(map(_can_be_completed, (lexicon.word, *lexicon.quoted, *tokens)))
        and all(map(_has_letters, wanted))
    )


def _is_plain(text: str, most: int) -> bool:
    others = set(text.encode("utf-8", "surrogatepass")) - _OF_CLOSERS
    return "\n" not in text and (bool(others) or len(text) <= most)


def _texts(engine: Engine) -> Iterator[str]:
    yield from _names(engine.environment.groups)
    for edges in engine.parser.network.edges:
        for edge in edges:
            if isinstance(edge, Read) and isinstance(edge.terminal, Literal):
                yield edge.terminal.text


def _names(groups: Mapping[str, Group]) -> Iterator[str]:
    for group in groups.values():
        for entry in group:
            yield entry.name
            yield from _names(entry.members)


def _can_be_completed(one: Shape) -> bool:
    """Whether each state leads to an end by bytes of which only the last may be a line end."""
    before: dict[int, set[int]] = {}
    reached = closure((one.start,), lambda state: {target for target in one.table[state] if target})
    for state in reached:
        for byte, target in enumerate(one.table[state]):
            if target and byte != NEWLINE:
                before.setdefault(target, set()).add(state)
    ends = {state for state in reached if state in one.accepting or one.table[state][NEWLINE] in one.accepting}
    return reached <= closure(ends, _in(before))


def _in(before: Mapping[int, set[int]]) -> Callable[[int], Iterable[int]]:
    return lambda state: before.get(state, ())


def _has_letters(one: Shape) -> bool:
    """Whether a text of the shape holds something that no closer does, and no line end but a last one."""
    rows, size = one.table, len(one.table)

    def onward(at: int) -> Iterator[int]:
        lettered, state = divmod(at, size)
        for byte, target in enumerate(rows[state]):
            if target and byte != NEWLINE:
                yield (lettered or byte not in _OF_CLOSERS) * size + target

    found = (divmod(at, size) for at in closure((one.start,), onward))
    return any(
        lettered and (state in one.accepting or rows[state][NEWLINE] in one.accepting) for lettered, state in found
    )
