"""Texts that put an artefact to the test: walks that reach every state, and walks with one character changed."""

from __future__ import annotations

from random import Random

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

BORDERS = "\0\t\n\r !\"#$&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~\x7f\x80\x85\xa0éß\u07ff\u0800\u2028\u3000中大漢江가힣"
BORDERS += "\ud7ff\ue000\ufeff\uffff\U00010000\U0001f600\U00020000\U0010ffff"


def samples(dfa: Dfa, seed: int = 0, most: int = 400) -> list[str]:
    """Distinct texts, about half of them accepted, in an order that the seed decides."""
    random = Random(seed)
    ways_in, ways_out = _ways_in(dfa), _ways_out(dfa)
    walks = []
    for state, way in ways_in.items():
        walks.append(way + ways_out[state])
        walks.extend(way + _member(label, random) + ways_out[t] for label, t in dfa.edges(state) if t in ways_out)
    random.shuffle(walks)
    walks = walks[: most // 5] + [_wander(dfa, ways_out, random) for _ in range(most // 20)]
    changed = [_changed(w, random) for w in walks for _ in range(3)]
    return list(dict.fromkeys(["", *BORDERS, *walks, *changed]))[:most]


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
    """A shortest text from each living state to the end."""
    ways = dict.fromkeys(sorted(dfa.accepting), "")
    for _ in dfa.table:
        for state in sorted(dfa.live):
            for label, target in dfa.edges(state):
                if target in ways and len(ways.get(state, "?" * 99)) > len(ways[target]) + 1:
                    ways[state] = chr(label.first()) + ways[target]
    return {s: w for s, w in ways.items() if s != DEAD}


def _wander(dfa: Dfa, ways_out: dict[int, str], random: Random) -> str:
    """A random walk, brought to an end."""
    state = dfa.start
    text = ""
    for _ in range(random.randrange(12)):
        edges = [(label, t) for label, t in dfa.edges(state) if t in ways_out]
        if edges:
            label, state = random.choice(edges)
            text += _member(label, random)
    end: str = ways_out[state]
    return text + end


def _member(label: IntervalSet, random: Random) -> str:
    """A random member, often the end of a range."""
    return chr(random.choice(random.choice(label.ranges)))


def _changed(text: str, random: Random) -> str:
    """The text with one character put in, left out or replaced, by a neighbour or by one of the borders."""
    at = random.randrange(len(text) + 1)
    near = [ord(text[at]) + d for d in (-1, 1)] if at < len(text) else []
    put: str = random.choice([*BORDERS, *(chr(n) for n in near if n in SCALARS)])
    rest: str = random.choice([put + text[at:], text[at + 1 :], put + text[at + 1 :]])
    return text[:at] + rest
