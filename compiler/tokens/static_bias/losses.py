"""What a ban costs: the permitted characters that can no longer be written, counted by kind.

Two counts are given. A character is lost *alone* if the vocabulary spells it by itself and the allowed tokens do
not. It is lost *anywhere* if it cannot come about in any row of allowed tokens at all, neighbours included. The
second is at most the first: on some vocabularies ✅ can be written behind a space only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from langc.compiler.tokens.characters.code_points import Flags, count
from langc.compiler.tokens.characters.kinds import assigned, by_script, kinds
from langc.compiler.tokens.characters.spelling import held_anywhere, spelled_alone
from langc.compiler.tokens.characters.token_text import TokenText

Counts = Mapping[str, int | Mapping[str, int]]

_SCRIPTS_SHOWN = 12


@dataclass(frozen=True)
class Loss:
    """Code points as flags, bool [0x110000] each."""

    alone: Flags
    anywhere: Flags

    @classmethod
    def of(cls, text: TokenText, allowed: Flags, permitted: Flags) -> Loss:
        """What of `permitted` is lost when only the allowed tokens (bool [n]) may be used."""
        all_tokens = np.ones(text.size, dtype=np.bool_)
        alone = spelled_alone(text, all_tokens) & ~spelled_alone(text, allowed)
        anywhere = held_anywhere(text, all_tokens) & ~held_anywhere(text, allowed)
        return cls(alone & permitted, anywhere & permitted)

    @property
    def assigned(self) -> int:
        """The assigned characters that are lost alone."""
        return count(self.alone & assigned())

    @property
    def emoji(self) -> int:
        """The emoji code points that are lost alone."""
        return count(self.alone & kinds()["emoji"])

    def to_json(self) -> dict[str, Counts]:
        """Both counts, by kind; those lost alone by script as well, the most affected scripts first."""
        scripts = by_script(self.alone & assigned())
        shown = dict(list(scripts.items())[:_SCRIPTS_SHOWN])
        rest = sum(scripts.values()) - sum(shown.values())
        return {
            "alone": {**_counts(self.alone), "by_script": shown, "other_scripts": rest},
            "anywhere": _counts(self.anywhere),
        }


def _counts(flags: Flags) -> dict[str, int]:
    """All code points of a set, the assigned ones, and those of each kind."""
    counts = {"code_points": count(flags), "assigned": count(flags & assigned())}
    return counts | {name: count(flags & members) for name, members in kinds().items()}
