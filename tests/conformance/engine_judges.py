"""The real engines as judges of the conformance table: each is given the artefact that langc makes for it.

Invariant: an engine is never told the right verdict. Who runs what is in the registry of `langc verify`; beside those
stand the processors as runtimes load them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import langc
from langc.compiler.policy import Policy
from langc.compiler.target import EXACT, Artifact, Fidelity
from langc.compiler.tokens.machine import DeadEndError
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.artefact import Readable
from langc.compiler.verify.engines.protocol import Engine, Look, PrefixRefusedError, Verdict, Whole, pack
from langc.compiler.verify.engines.registry import RUNNERS
from tests.conformance.judges import ACCEPT, PREFIX
from tests.conformance.judges import Verdict as Judged
from tests.unit.tokens.toys import BYTES_AND_EOS, toy

Row = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Running:
    """An artefact, and the engine that it was loaded into."""

    artifact: Artifact
    engine: Any
    """An `Engine`, or a `Judge` of whole texts."""


Start = Callable[[Policy, Vocabulary, int], Running]
"""A policy, a vocabulary and the width of the logits."""


def _compiled(policy: Policy, target: str, vocabulary: Vocabulary | None, dialect: str | None = None) -> Artifact:
    return langc.compile(policy, target, vocabulary, dialect=dialect, allow="over,under")


def _registered() -> dict[str, Start]:
    """What `langc verify` runs, named for the engine and the artefact."""

    def start_of(target: str, dialect: str | None, runner: Any) -> Start:
        def start(policy: Policy, vocabulary: Vocabulary, rows: int) -> Running:
            artifact = _compiled(policy, target, vocabulary, dialect)
            return Running(artifact, runner.load(Readable.of(artifact), vocabulary, rows=rows))

        return start

    return {
        f"{runner.name} on {target}" + (f" {dialect}" if dialect else ""): start_of(target, dialect, runner)
        for (target, dialect), runners in RUNNERS.items()
        for runner in runners
    }


# --- processors as runtimes load them -----------------------------------------------------------


class Processor(Whole):
    """What is added to the logits of one history, by langc's code inside a runtime."""

    def __init__(self, name: str, bias: Callable[[Sequence[int]], Row], rows: int) -> None:
        self.name = name
        self.rows = rows
        self._bias = bias

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """See `Engine.look`. Behind an end-of-sequence the runtime goes on, and so does this."""
        for position in range(len(prefix) + 1):
            try:
                mask = np.isfinite(self._bias(prefix[:position]))
            except DeadEndError:
                raise PrefixRefusedError(position - 1) from None
        return Look(pack(mask, self.rows), [bool(mask[token]) for token in ids])


def _outlines_processor(policy: Policy, vocabulary: Vocabulary, rows: int) -> Running:
    import torch

    from langc.targets.runtime.outlines import FsmLogitsProcessor

    artifact = _compiled(policy, "outlines", vocabulary, "fsm")
    data: Any = artifact.data

    def bias(prefix: Sequence[int]) -> Row:
        ids, logits = torch.tensor([list(prefix)], dtype=torch.int64), torch.zeros(1, rows)
        row: Row = FsmLogitsProcessor(data, 0).process_logits(ids, logits)[0].numpy()
        return row

    return Running(artifact, Processor("outlines processor", bias, rows))


def _from_file(policy: Policy, vocabulary: Vocabulary, load: Callable[[Path], Any]) -> tuple[Artifact, Any]:
    artifact = _compiled(policy, "processor", vocabulary)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.safetensors"
        path.write_bytes(artifact.content)
        return artifact, load(path)


def _transformers_processor(policy: Policy, vocabulary: Vocabulary, rows: int) -> Running:
    import torch

    load = langc.hf.PolicyLogitsProcessor.from_file
    artifact, loaded = _from_file(policy, vocabulary, lambda path: load(path, vocabulary, 0))

    def bias(prefix: Sequence[int]) -> Row:
        row: Row = loaded(torch.tensor([list(prefix)], dtype=torch.int64), torch.zeros(1, rows))[0].numpy()
        return row

    return Running(artifact, Processor("transformers processor", bias, rows))


def _array_processor(policy: Policy, vocabulary: Vocabulary, rows: int) -> Running:
    load = langc.arrays.PolicyProcessor.from_file
    artifact, loaded = _from_file(policy, vocabulary, lambda path: load(path, vocabulary, 0))

    def bias(prefix: Sequence[int]) -> Row:
        row: Row = loaded(np.array([prefix], np.int64), np.zeros((1, rows), np.float32))[0]
        return row

    return Running(artifact, Processor("array processor", bias, rows))


PROCESSORS: dict[str, Start] = {
    "outlines processor": _outlines_processor,
    "transformers processor": _transformers_processor,
    "array processor": _array_processor,
}
ENGINES: dict[str, Start] = _registered() | PROCESSORS
STATIC = tuple(name for name in ENGINES if name.startswith("logit-bias"))
"""A list that is the same at every step says nothing of what may follow what: it is no judge of masks."""
WHOLE = tuple(name for name in ENGINES if name.startswith("python-re"))
"""They say of a whole text whether it passes, and nothing of what may follow."""
BY_TOKENS = tuple(name for name in ENGINES if name not in STATIC + WHOLE)


# --- whole texts --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ruling:
    """What an engine says of one text, and what its artefact claims to lose (`under`) or to leak (`over`)."""

    says: Judged | bool
    """A verdict; or, of an engine that cannot tell why a text is refused, only whether it passes."""
    claims: Fidelity = EXACT
    is_static: bool = False
    """Whether it is a list of tokens: what that loses or leaks is more than the shortest text in the claim."""

    @property
    def passes(self) -> bool:
        """Whether the whole text passes."""
        return self.says is True or self.says == ACCEPT

    def agrees(self, text: str, right: Judged) -> bool:
        """Whether the ruling is right, or wrong only in the way that the artefact admits."""
        if self.says == right or (isinstance(self.says, bool) and self.says == (right == ACCEPT)):
            return True
        if self.claims.under == text == "":
            return not self.passes
        if not self.is_static:
            return False
        if right == ACCEPT:
            return self.claims.under is not None
        return self.claims.over is not None or (not self.passes and self.claims.under is not None)


Judge = Callable[[str], Ruling]


def _by_bytes(start: Start) -> Callable[[Policy, Sequence[str]], Judge]:
    """An engine over the single bytes; refused is the character in which it stops."""

    def judge_of(policy: Policy, texts: Sequence[str]) -> Judge:
        running = start(policy, BYTES_AND_EOS, BYTES_AND_EOS.size)
        return lambda text: Ruling(verdict(running.engine, text), running.artifact.fidelity)

    return judge_of


def verdict(engine: Engine, text: str) -> Judged:
    """The verdict of an engine over the single bytes."""
    data = text.encode()
    try:
        return ACCEPT if engine.mask(list(data))[256] else PREFIX
    except PrefixRefusedError as refused:
        return len(data[: refused.position + 1].decode(errors="replace")) - 1


def _by_characters(start: Start) -> Callable[[Policy, Sequence[str]], Judge]:
    """A static list over the characters of the texts: over bytes it could keep next to nothing apart."""

    def judge_of(policy: Policy, texts: Sequence[str]) -> Judge:
        characters = sorted(set("".join(texts)))
        running = start(policy, toy(*map(str.encode, characters), "<eos>"), len(characters) + 1)

        def judge(text: str) -> Ruling:
            try:
                running.engine.mask([characters.index(c) for c in text])
                says: Judged = ACCEPT
            except PrefixRefusedError as refused:
                says = refused.position
            return Ruling(says, running.artifact.fidelity, True)

        return judge

    return judge_of


def _as_a_whole(start: Start) -> Callable[[Policy, Sequence[str]], Judge]:
    """An engine that judges whole texts."""

    def judge_of(policy: Policy, texts: Sequence[str]) -> Judge:
        running = start(policy, BYTES_AND_EOS, BYTES_AND_EOS.size)
        return lambda text: Ruling(running.engine.judge(text.encode()) is Verdict.ACCEPT, running.artifact.fidelity)

    return judge_of


JUDGES: dict[str, Callable[[Policy, Sequence[str]], Judge]] = {
    **{name: _by_bytes(ENGINES[name]) for name in BY_TOKENS},
    **{name: _by_characters(ENGINES[name]) for name in STATIC},
    **{name: _as_a_whole(ENGINES[name]) for name in WHOLE},
}
