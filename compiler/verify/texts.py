"""Comparison by whole texts, for engines that judge nothing else: they see characters, and no tokens.

Invariant: the texts stop in every state of the policy's automaton, and take every edge, by the first and the last
member of every range. They go on to an end by a shortest way; behind an edge that leads nowhere they go on as if it
were not there, and as if another stood in its place. What is right is what the automaton says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, islice

from langc.compiler.automata.dfa import Dfa
from langc.compiler.verify.engines.protocol import Judge, Verdict
from langc.compiler.verify.report import Masks, Witness


def compare_texts(
    judge: Judge, dfa: Dfa, most: int, *, version: str = "", progress: Callable[[int, int], None] | None = None
) -> Masks:
    """Ask about up to `most` texts. The report counts them as texts, not as masks."""
    chosen = list(islice(texts(dfa), most))
    wrong = []
    for turn, text in enumerate(chosen):
        if progress is not None and turn % 64 == 0:
            progress(turn, len(chosen))
        accepted = judge.judge(text.encode()) is Verdict.ACCEPT
        if accepted != dfa.accepts(map(ord, text)):
            wrong.append((text, accepted))
    states = {state for text in chosen for state in accumulate(map(ord, text), dfa.step, initial=dfa.start)}
    witness = min(wrong, key=lambda pair: len(pair[0].encode()), default=None)
    return Masks(
        judge.name,
        version,
        0,
        len(states & dfa.live),
        len(_ways_in(dfa)),
        unexplained=len(wrong),
        witness=witness and Witness(witness[0].encode(), judge.name if witness[1] else "policy"),
        texts=len(chosen),
    )


def texts(dfa: Dfa) -> Iterator[str]:
    """Distinct texts: each state with the ends of each range, the range of another class for each state in turn."""
    seen: set[str] = set()
    for text in _texts(dfa):
        if text not in seen:
            seen.add(text)
            yield text


def _texts(dfa: Dfa) -> Iterator[str]:
    ways_in, ways_out = _ways_in(dfa), _ways_out(dfa)
    yield from ways_in.values()
    members = [member for pair in dfa.partition.ranges for member in dict.fromkeys(pair)]
    for turn in range(len(members)):
        for place, (state, way) in enumerate(ways_in.items()):
            member = members[(place + turn) % len(members)]
            for after in _behind(dfa, state, member):
                yield way + chr(member) + ways_out.get(after, "")


def _behind(dfa: Dfa, state: int, member: int) -> list[int]:
    """The states from which to go on to an end: where the edge leads, or where it might by mistake."""
    after = dfa.step(state, member)
    return [after] if after in dfa.live else [*(t for _, t in islice(dfa.edges(state), 1)), state]


def _ways_in(dfa: Dfa) -> dict[int, str]:
    """A shortest text into each living state."""
    ways = {dfa.start: ""}
    queue = [dfa.start]
    for state in queue:
        for label, target in dfa.edges(state):
            if target in dfa.live and target not in ways:
                ways[target] = ways[state] + chr(label.first())
                queue.append(target)
    return ways


def _ways_out(dfa: Dfa) -> dict[int, str]:
    """A shortest text from each living state to an end."""
    ways = dict.fromkeys(sorted(dfa.accepting), "")
    queue = list(ways)
    for target in queue:
        for state in sorted(dfa.sources[target] - ways.keys()):
            label = next(label for label, t in dfa.edges(state) if t == target)
            ways[state] = chr(label.first()) + ways[target]
            queue.append(state)
    return ways
