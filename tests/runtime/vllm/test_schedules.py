"""Requests join, leave and change places in both generations of vLLM's interface; each keeps to its own policy.

The referee is a fresh matcher for each request and step, given the request's tokens. vLLM itself is not run: the
doubles were written from the sources of 0.32.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.runtime.vllm.doubles import LENGTH, MOST, WIDTH, EngineV1, EngineV2, Request, installed

pytestmark = pytest.mark.engines

POLICIES = {
    "han": langc.parse_policy("policy han { deny script Han; }"),
    "soft": langc.parse_policy('policy soft { deny [b]; discourage phrase "aa" by 3; }'),
    "stop": langc.parse_policy('policy stop { only [a-c]; stop before phrase "ab"; }'),
}
EOS = 261


@cache
def vocabulary() -> Vocabulary:
    """Single bytes, merges that cut characters, end-of-sequence: fewer ids than the logits have columns."""
    extra = [b" \xe4", b"\xb8\xad", b"aa", b"ab", "中".encode()]
    tokens = {i: bytes([i]) for i in range(256)} | {256 + i: t for i, t in enumerate(extra)}
    return langc.load_vocabulary({"tokens": tokens, "special": {"<eos>": EOS}, "eos": [EOS]})


@cache
def processor() -> type[Any]:
    """One class for both."""
    with installed() as module:
        made: type[Any] = module.policy_processor(POLICIES, vocabulary=vocabulary())
        return made


def expected(request: Request, ids: Sequence[int], logits: torch.Tensor) -> npt.NDArray[np.float32]:
    """What a fresh matcher makes of the logits."""
    row: npt.NDArray[np.float32] = logits.numpy().copy()
    if request.policy is None:
        return row
    matcher = langc.Matcher(POLICIES[request.policy], vocabulary(), rows=WIDTH, on_dead_end="stop")
    matcher.sync(ids)
    matcher.raise_end(row)
    row += matcher.bias()
    row[~matcher.mask()] = -np.inf
    return row


def some_token(random: Random) -> int:
    """Mostly a letter that some policy is about, rarely anything, and rarely the end; refused ones too."""
    end = EOS if random.random() < 0.2 else 97
    return int(random.choice([*b"aabbc", 256, 257, 258, 259, 260, end, random.randrange(262)]))


class World:
    """The same requests in both engines."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.v1, self.v2 = EngineV1(processor()), EngineV2(processor())
        self.alive: list[Request] = []

    def step(self) -> None:
        """Some requests go and some come; then all are asked, compared and written on."""
        random = self.random
        gone = [r for r in self.alive if random.random() < 0.25]
        kept = [r for r in self.alive if r not in gone]
        come = [self._request() for _ in range(random.randrange(MOST - len(kept) + 1))]
        if gone and len(kept) + len(come) < MOST and random.random() < 0.5:
            come.append(Request(gone[0].prompt, gone[0].policy, gone[0].output))  # it had to make room, and is back
        self.v1.change(gone, come, random)
        self.v2.change(gone, come)
        self.alive = kept + come
        self._compare()
        self._write()

    def _request(self) -> Request:
        prompt = [self.random.randrange(262) for _ in range(self.random.randrange(1, 40))]
        return Request(prompt, self.random.choice([None, *POLICIES]))

    def _compare(self) -> None:
        seed = torch.Generator().manual_seed(self.random.randrange(2**31))
        logits = {id(r): torch.randn(WIDTH, generator=seed) for r in self.alive}
        drafts = {id(r): [some_token(self.random) for _ in range(self.random.randrange(3))] for r in self.alive}
        rows = self.v1.logits(logits)
        more = self.v2.logits(logits, drafts, self.random)
        assert rows.keys() == more.keys() == logits.keys()
        for request in self.alive:
            key = id(request)
            np.testing.assert_array_equal(rows[key].numpy(), expected(request, request.output, logits[key]))
            np.testing.assert_array_equal(rows[key].numpy(), more[key][0].numpy())
            for count, row in enumerate(more[key]):
                behind = [*request.output, *drafts[key][:count]]
                np.testing.assert_array_equal(row.numpy(), expected(request, behind, logits[key]))

    def _write(self) -> None:
        for request in self.alive:
            most = 24 if self.random.random() < 0.1 else 3
            room = LENGTH - len(request.prompt) - len(request.output) - 4
            for _ in range(min(self.random.randrange(most), room)):
                request.output.append(some_token(self.random))


@settings(max_examples=30)
@given(st.randoms(use_true_random=False), st.integers(1, 8))
def test_requests_join_leave_and_move(random: Random, steps: int) -> None:
    """In both generations each row is what its own matcher says, and requests without a policy are as they were."""
    world = World(random)
    for _ in range(steps):
        world.step()


@given(st.randoms(use_true_random=False))
def test_tokens_are_taken_back(random: Random) -> None:
    """Runner V1 shortens the list of a request whose cache was lost, and writes on."""
    engine = EngineV1(processor())
    request = Request([1], "soft")
    engine.change([], [request], random)
    for _ in range(5):
        del request.output[random.randrange(len(request.output) + 1) :]
        request.output += [some_token(random) for _ in range(random.randrange(4))]
        logits = torch.zeros(WIDTH)
        found = engine.logits({id(request): logits})[id(request)]
        np.testing.assert_array_equal(found.numpy(), expected(request, request.output, logits))


def test_a_token_that_is_not_known_yet() -> None:
    """A placeholder at the end of a list is no token."""
    engine = EngineV1(processor())
    request = Request([1], "soft", [97, -1, -1])
    engine.change([], [request], Random(0))
    found = engine.logits({id(request): torch.zeros(WIDTH)})[id(request)]

    np.testing.assert_array_equal(found.numpy(), expected(request, [97], torch.zeros(WIDTH)))


def test_request_two_joins_at_step_five_and_one_leaves_at_seven() -> None:
    """The text of the first moves nothing in the second, which takes over its row."""
    random, engine = Random(0), EngineV1(processor())
    first, second = Request([1], "stop"), Request([2], "soft")
    for step in range(10):
        come = [first] if step == 0 else [second] if step == 5 else []
        engine.change([first] if step == 7 else [], come, random)
        logits = {id(r): torch.arange(WIDTH, dtype=torch.float32) for r in engine.rows}
        for request in engine.rows:
            found = engine.logits(logits)[id(request)]
            np.testing.assert_array_equal(found.numpy(), expected(request, request.output, logits[id(request)]))
            request.output.append(97)

    assert engine.rows == [second]


def test_a_finished_request() -> None:
    """Behind its end a text is offered the end again, in both generations."""
    v1, v2, request = EngineV1(processor()), EngineV2(processor()), Request([1], "han", [97, EOS])
    v1.change([], [request], Random(0))
    v2.change([], [request])
    logits = {id(request): torch.zeros(WIDTH)}
    rows = v1.logits(logits)[id(request)], v2.logits(logits, {}, Random(0))[id(request)][0]

    assert [torch.isfinite(row).nonzero().flatten().tolist() for row in rows] == [[EOS], [EOS]]


def test_a_request_that_left_is_forgotten() -> None:
    """Runner V1 holds no text of a row that is gone; a gap that a move filled is not among the removed."""
    engine = EngineV1(processor())
    requests = [Request([1], "han") for _ in range(4)]
    engine.change([], requests, Random(0))
    engine.change(requests[:2], [], Random(0))
    held = engine.processor._batch._requests

    assert len(engine.rows) == 2
    assert {row: id(one.output_ids) for row, one in held.items()} == {
        row: id(request.output) for row, request in enumerate(engine.rows)
    }


def test_no_row_is_cut_off() -> None:
    """The logits may have fewer rows than there are requests: a step that asks for some of them."""
    engine = EngineV1(processor())
    engine.change([], [Request([1], "han"), Request([2], "han")], Random(1))
    changed = engine.processor.apply(torch.zeros(1, WIDTH))

    assert changed.shape == (1, WIDTH)
    assert not torch.isfinite(changed[0, 260])
