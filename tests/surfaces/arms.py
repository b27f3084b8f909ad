"""Two arms of one experiment: texts that samplers write over a surface, and over the same with its names open.

In the first, the judge may find nothing; in the second it has to find much, or it proves nothing about the first.
`LANGC_SAMPLES` says how many texts are written for each vocabulary; `make ghosts` asks for thousands.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import langc
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.environment.names import Entry, Group, NameSet
from langc.compiler.tokens.vocabulary import Vocabulary
from tests import assets
from tests.conftest import MEASURED
from tests.surfaces.samplers import KINDS, Sampler

Judged: TypeAlias = Callable[[str], str | None]
"""What a tool has against a text."""
Record: TypeAlias = Callable[[str, object], None]
SAMPLES = int(os.environ.get("LANGC_SAMPLES", "25"))
OPEN_SAMPLES = max(25, SAMPLES // 10)
"""Texts of the arm with open names."""
MANY = 0.2
"""At least this part of them has to be refused."""
_SHOWN = 20
"""Faults after which an arm is given up."""
_PATHS: Mapping[str, Callable[[], Path]] = {
    "smollm2": assets.smollm2_gguf,
    "qwen151k": assets.qwen151k,
    "tekken": assets.tekken,
}
VOCABULARIES = tuple(_PATHS)


@lru_cache(maxsize=1)
def vocabulary(name: str) -> Vocabulary:
    """A real vocabulary: of 49,152, 151,646 or 131,072 tokens."""
    return langc.load_vocabulary(_PATHS[name]())


@dataclass
class Written:
    """What an arm wrote, and what was said of it."""

    what: str
    engine: Engine
    texts: list[str] = field(default_factory=list)
    faults: list[tuple[str, str]] = field(default_factory=list)
    names: set[Entry] = field(default_factory=set)
    """Those of Γ that were written, each where it belongs: options of two commands are two."""

    @property
    def line(self) -> str:
        """For the closing list."""
        different = len(set(self.texts))
        return (
            f"{self.what}: {len(self.texts):,} texts, {different:,} of them different; {len(self.faults):,} refused; "
            f"names written: {self.reached()}"
        )

    def reached(self) -> str:
        """How many of the names of each sort were written."""
        everything = Counter(entry.sort for entry in _entries(self.engine.environment.groups.values()))
        written = Counter(entry.sort for entry in self.names)
        total = f"{sum(written.values()):,} of {sum(everything.values()):,}"
        return f"{total} ({', '.join(f'{sort} {written[sort]}/{count}' for sort, count in everything.items())})"


def write(what: str, sampler: Sampler, count: int, fault: Judged, most: int = _SHOWN) -> Written:
    """So many texts of all kinds, each judged at once; ends early when `most` of them have been refused."""
    made = Written(what, sampler.engine)
    mine = set(_entries(sampler.engine.environment.groups.values()))
    known: dict[str, str | None] = {}
    for number in range(count):
        text = sampler.text(KINDS[number % len(KINDS)])
        made.texts.append(text)
        made.names |= mine.intersection(named(sampler.engine, text.encode()))
        if text not in known:
            known[text] = fault(text)
        said = known[text]
        if said is not None:
            made.faults.append((text, said))
            if len(made.faults) >= most:
                break
    return made


def named(engine: Engine, text: bytes) -> Iterator[Entry]:
    """The names that a text writes, as the surface reads it."""
    config = engine.start
    for byte in text:
        if config.lexeme.step(byte) is None:
            yield from _spelled(config.lexeme.listed, config.lexeme.depth)
        following = config.step(byte)
        assert following is not None
        config = following
    yield from _spelled(config.lexeme.listed, config.lexeme.depth)


def _spelled(listed: Iterable[tuple[object, int, int]], depth: int) -> Iterator[Entry]:
    for names, low, _ in listed:
        if isinstance(names, NameSet) and len(names.spellings[low]) == depth:
            yield names.entries[low]


def _entries(groups: Iterable[Group]) -> Iterator[Entry]:
    for group in groups:
        for entry in group:
            yield entry
            yield from _entries(entry.members.values())


def check_closed(what: str, sampler: Sampler, count: int, fault: Judged, record: Record) -> None:
    """Nothing that samplers write has a fault."""
    made = write(what, sampler, count, fault)
    record(MEASURED, made.line)
    assert not made.faults, made.faults[:3]
    assert sampler.eager, "the sampler never came to write part of a ghost: it tries nothing"


def check_open(what: str, sampler: Sampler, ghost: Judged, record: Record) -> None:
    """Much of what they write with names opened is a ghost."""
    made = write(what, sampler, OPEN_SAMPLES, ghost, 1 << 30)
    record(MEASURED, f"{what}: {len(made.faults):,} of {len(made.texts):,} texts name what is not there")
    assert len(made.faults) >= MANY * len(made.texts)
