"""Places that a text has not been at before: what a step costs there, for each contender.

A place is a short text, cut at any byte: a denied phrase in progress, or a line of ordinary text. Every contender comes
to it from the empty text, and what is timed is the last token, the mask behind it, and bringing that to the logits.
Each round takes a fresh session, in which only `prepare` was called, so nothing is remembered but what all places
before it have left.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from bench import subjects, timing
from bench.contenders import Session
from bench.greedy import Greedy
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary

PHRASES, LINES = 200, 100
ROUNDS = 5

Place: TypeAlias = Sequence[int]
Times: TypeAlias = dict[str, tuple[list[timing.Microseconds], list[timing.Microseconds]]]


def places(of: Vocabulary, policy: str) -> list[Place]:
    """The ids of texts that are permitted so far, each of one token or more and none twice."""
    matcher, greedy = Matcher(subjects.policy(policy), of), Greedy(of)
    found = dict.fromkeys(tuple(_permitted(matcher, greedy.split(text))) for text in _texts(policy))
    return [place for place in found if place]


def _texts(policy: str) -> Iterator[bytes]:
    draw = random.Random(7)
    denied = subjects.phrases(subjects.denied(policy))
    for text in draw.sample(denied, min(PHRASES, len(denied))) + draw.choices(subjects.lines(), k=LINES):
        data = text.encode()
        yield data[: draw.randint(1, len(data))]


def _permitted(matcher: Matcher, ids: Sequence[int]) -> Iterator[int]:
    matcher.reset()
    for token in ids:
        if not matcher.advance(token):
            return
        yield token


def visits(session: Session, found: Sequence[Place]) -> timing.Microseconds:
    """What the last step to each place takes, float64 [N], in microseconds of the processor."""
    times = np.empty(len(found))
    for number, place in enumerate(found):
        session.reset()
        for token in place[:-1]:
            session.advance(token)
        times[number] = _step(session, place[-1])
    return times


def text(session: Session, ids: Sequence[int]) -> timing.Microseconds:
    """What each step of one text takes, float64 [N], in microseconds of the processor."""
    session.reset()
    return np.array([_step(session, token) for token in ids])


def _step(session: Session, token: int) -> float:
    start = time.thread_time_ns()
    session.advance(token)
    session.mask()
    session.apply()
    return (time.thread_time_ns() - start) / 1_000


def in_rounds(sessions: Mapping[str, Session], ids: Sequence[int], found: Sequence[Place]) -> Times:
    """For each contender the times of the text and of the places, a round each; all take turns."""
    walked: Times = {name: ([], []) for name in sessions}
    for _ in range(ROUNDS):
        for name, session in sessions.items():
            for times, visit in zip(walked[name], (lambda s: text(s, ids), lambda s: visits(s, found)), strict=True):
                times.append(_afresh(session, visit))
    return walked


def _afresh(session: Session, visit: Callable[[Session], timing.Microseconds]) -> timing.Microseconds:
    fresh = session.fresh()
    fresh.prepare()
    with timing.without_collection():
        return visit(fresh)
