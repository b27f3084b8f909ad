"""Who judges texts of a surface and a policy: everything that can be written, byte by byte, until nothing new comes.

No way is searched for and no automaton of a policy is made: a policy is a rule over whole texts, and what it remembers
of a text is the text's end. So places are few where a surface keeps no text, and all of them can be come to; from which
an end can be reached is seen by going back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.tokens.vocabulary import Vocabulary

Node: TypeAlias = tuple[Config, bytes]


@dataclass(frozen=True)
class Denied:
    """A policy in the plainest form: characters and words that a text must not hold; ASCII only."""

    characters: bytes
    words: tuple[bytes, ...]

    @property
    def source(self) -> str:
        """The same in the language of policies."""
        lines = [f'deny phrase "{word.decode()}";' for word in self.words if word]
        if self.characters:
            lines.append("deny [" + "".join(f"\\u{{{byte:X}}}" for byte in self.characters) + "];")
        return "policy house { " + " ".join(lines) + " }"

    def permits(self, text: bytes) -> bool:
        """Whether a text holds none of it."""
        return not any(byte in self.characters for byte in text) and not any(word in text for word in self.words)

    @property
    def memory(self) -> int:
        """How many bytes of a text's end may begin a word."""
        return max((len(word) - 1 for word in self.words), default=0)


class TooMany(Exception):
    """There are more places than are looked at."""


class Judge:
    """All places of a surface and a policy within reach. Raises TooMany."""

    def __init__(self, engine: Engine, policy: Denied, most: int = 800) -> None:
        self._policy = policy
        self.start: Node = (engine.start, b"")
        before: dict[Node, set[Node]] = {self.start: set()}
        waiting = [self.start]
        for node in waiting:
            if len(waiting) > most:
                raise TooMany
            for byte in range(256):
                following = self.step(node, byte)
                if following is not None:
                    if following not in before:
                        before[following] = set()
                        waiting.append(following)
                    before[following].add(node)
        ends = [node for node in waiting if self.may_end(node)]
        self.living = set(ends)
        for node in ends:
            for earlier in before[node] - self.living:
                self.living.add(earlier)
                ends.append(earlier)

    def step(self, node: Node, byte: int) -> Node | None:
        """The place behind a byte, None where one of the two refuses it."""
        config, end = node
        text = end + bytes((byte,))
        following = config.step(byte) if self._policy.permits(text) else None
        return None if following is None else (following, text[max(len(text) - self._policy.memory, 0) :])

    def run(self, node: Node, text: bytes) -> Node | None:
        """The place behind a text."""
        at: Node | None = node
        for byte in text:
            at = None if at is None else self.step(at, byte)
        return at

    def may_end(self, node: Node) -> bool:
        """Whether the text is one of both."""
        return node[0].accepting

    def allowed(self, node: Node, vocabulary: Vocabulary) -> list[int]:
        """The tokens behind which an end can still be reached."""
        behind = ((token, self.run(node, spelled)) for token, spelled in enumerate(vocabulary.tokens) if spelled)
        return [token for token, after in behind if after is not None and after in self.living]


Rule: TypeAlias = Callable[[str], bool]


def allowed_by_texts(
    texts: set[str], written: bytes, vocabulary: Vocabulary
) -> tuple[list[int], bool]:  # a finite language, spelled out
    """The tokens behind which one of some texts can be written, and whether the text so far is one."""
    wanted = [text.encode() for text in texts]
    on = [text for text in wanted if text.startswith(written)]
    found = [
        token
        for token, spelled in enumerate(vocabulary.tokens)
        if spelled and any(text.startswith(written + spelled) for text in on)
    ]
    return found, written in wanted
