"""Whether a vocabulary can write what a surface needs, byte by byte.

Invariant: where this passes, every place that is reached by tokens has a way to an end that its tokens can write: each
byte of a token is a token, and no name, literal or token of the surface needs another byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import PolicyError
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.engine.lexemes import Shape, shape
from langc.compiler.surfaces.engine.network import Read
from langc.compiler.surfaces.environment.names import Group
from langc.compiler.surfaces.model import Literal
from langc.compiler.tokens.vocabulary import Vocabulary

_ALL = 256
_HELP = "a surface needs a token for each byte, as byte-level and byte-fallback tokenizers have"


def bytes_alone(vocabulary: Vocabulary) -> frozenset[int]:
    """The bytes that can be written alone. Raises PolicyError (LC0406) if some can only be written with others."""
    alone = frozenset(byte for byte in range(_ALL) if vocabulary.ids_for_bytes(bytes((byte,))))
    bound = frozenset(b"".join(vocabulary.tokens)) - alone
    if bound:
        shown = ", ".join(f"{byte:02X}" for byte in sorted(bound)[:8])
        message = f"the tokenizer {vocabulary.name} writes some bytes only together with others: {shown}"
        raise PolicyError(Diagnostic("LC0406", message, help=_HELP))
    return alone


def check_writable(engine: Engine, vocabulary: Vocabulary, alone: frozenset[int]) -> None:
    """Raises PolicyError (LC0406) if a name or the surface itself needs a byte that no token writes."""
    if len(alone) == _ALL:
        return
    needed = next(
        (text for text in _texts(engine) if not alone.issuperset(text.encode("utf-8", "surrogatepass"))), None
    )
    if needed is None:
        tokens = engine.surface.tokens.values()
        needed = next((token.name for token in tokens if not _can_end(shape(token.pattern), alone)), None)
    if needed is not None:
        message = f"the tokenizer {vocabulary.name} has no token for a byte that {needed!r} needs"
        raise PolicyError(Diagnostic("LC0406", message, help=_HELP))


def _texts(engine: Engine) -> Iterator[str]:
    yield from _names(engine.environment.groups)
    for edges in engine.parser.network.edges:
        yield from (
            edge.terminal.text for edge in edges if isinstance(edge, Read) and isinstance(edge.terminal, Literal)
        )


def _names(groups: Mapping[str, Group]) -> Iterator[str]:
    for group in groups.values():
        for entry in group:
            yield entry.name
            yield from _names(entry.members)


def _can_end(one: Shape, alone: frozenset[int]) -> bool:
    """Whether an end is reached from each state that some bytes lead to, by these bytes."""
    before: dict[int, set[int]] = {one.start: set()}
    waiting = [one.start]
    for state in waiting:
        for target in {one.table[state][byte] for byte in alone} - {0}:
            if target not in before:
                before[target] = set()
                waiting.append(target)
            before[target].add(state)
    ends = [state for state in waiting if state in one.accepting]
    reached = set(ends)
    for state in ends:
        ends.extend(before[state] - reached)
        reached |= before[state]
    return len(reached) == len(waiting)
