"""Faults in `logit-bias`, in every dialect: the list, what its entries say, and what the header admits.

The tokens are those of the target's own tests. To deny 中, a tight list bans 中, `a中b`, and E4 and ` E4 B8`, in which
中 begins; so it loses 䭭 (E4 AD AD), which can only be written in pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from langc.compiler.target import Fidelity, Json
from langc.targets import logit_bias
from langc.targets._bias_dialects import DIALECTS, Value
from tests.mutation.mutations import Mutation, Seed, value
from tests.unit.targets.logit_bias.toys import VOCABULARY

_HAN = "deny [中];"
_EMOJI = "deny [😀];"
"""😀 has a token, and nothing else begins like it: nothing is lost."""
_NEARLY_ALL = r"deny [\u{4000}-\u{4B6C}\u{4B6E}-\u{4FFF}];"
"""All that begins in E4 but 䭭: the share of it that is denied is above 0.9."""
_LOST = "\u4b6d".encode()

Listed = tuple[Sequence[int], Value]


def listed(dialect: str, change: Callable[[Sequence[int], Value], Listed]) -> Seed:
    """Another list in the dialect's shape."""
    right = DIALECTS[dialect]

    def shape(ids: Sequence[int], value: Value) -> Json:
        return right.shape(*change(ids, value))

    def seed(patch: pytest.MonkeyPatch) -> None:
        patch.setitem(DIALECTS, dialect, replace(right, shape=shape))

    return seed


def _claims(fidelity: Fidelity) -> Seed:
    return value(logit_bias, "_fidelity", lambda _: lambda *_: fidelity)


def _of(dialect: str, weak: float, below: Value) -> list[Mutation]:
    """The same faults in each dialect. `weak` is a value that does not ban, and `below` one of the wrong sign."""
    target = f"logit-bias:{dialect}"

    def mutation(
        name: str,
        seed: Seed,
        policy: str = _HAN,
        over: bytes | None = None,
        under: bytes | None = None,
        engine: bytes | None = None,
        admitted: bytes | None = None,
        **options: str,
    ) -> Mutation:
        return Mutation(
            name, target, seed, policy, over, under, engine, vocabulary=VOCABULARY, admitted=admitted, options=options
        )

    return [
        mutation(
            "last-entry-lost",
            listed(dialect, lambda ids, value: (ids[:-1], value)),
            over="a中b".encode(),
            engine="a中b".encode(),
            admitted=_LOST,
        ),
        mutation(
            "fragment-lost",
            listed(dialect, lambda ids, value: ([i for i in ids if i != 2], value)),
            over="中".encode(),
            engine="中".encode(),
            admitted=" 丸".encode(),
        ),
        mutation(
            "wrong-id",
            listed(dialect, lambda ids, value: ([i + 1 for i in ids], value)),
            _EMOJI,
            over="😀".encode(),
            engine="😀".encode(),
        ),
        mutation("too-many", listed(dialect, lambda ids, value: ([0, *ids], value)), _EMOJI, under=b"a", engine=b"a"),
        mutation("weak", listed(dialect, lambda ids, _: (ids, weak)), _EMOJI, over="😀".encode(), engine="😀".encode()),
        mutation(
            "wrong-sign", listed(dialect, lambda ids, _: (ids, below)), _EMOJI, over="😀".encode(), engine="😀".encode()
        ),
        # Banned pieces of characters are no difference to the engine: it cannot know that nothing else spells them.
        mutation("loss-not-admitted", _claims(Fidelity(ill_formed=True)), under=_LOST),
        mutation(
            "leak-not-admitted",
            _claims(Fidelity(ill_formed=True)),
            over="中".encode(),
            engine="中".encode(),
            method="loose",
        ),
        mutation(
            "fragments-leak-not-admitted",
            _claims(Fidelity(ill_formed=True)),
            over="中".encode(),
            engine="中".encode(),
            fragments="0.9",
        ),
        mutation(
            "fragments-loss-not-admitted",
            _claims(Fidelity(ill_formed=True)),
            _NEARLY_ALL,
            under=_LOST,
            fragments="0.9",
        ),
        mutation(
            "fragments-one-lost",
            listed(dialect, lambda ids, value: ([i for i in ids if i != 2], value)),
            _NEARLY_ALL,
            over=b"\xe4\xad\xb8",
            engine=b"\xe4\xb8",
            fragments="0.9",
        ),
        mutation("ill-formed-not-admitted", _claims(Fidelity(under="\u4b6d")), engine=b"\xb8", admitted=_LOST),
    ]


MUTATIONS = [*_of("llama.cpp", -100, 100), *_of("openai", -99, 100), *_of("vllm", -99.5, 100.0)]
