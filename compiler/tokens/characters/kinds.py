"""The kinds of characters that reports count: emoji, jamo, Korean punctuation, scripts.

Everything is a set of Unicode 18.0 code points as flags (`code_points.py`); nothing here knows tokens or policies.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.characters.code_points import CODE_POINTS, Flags, flags_of
from langc.compiler.unicode.intervals import IntervalSet
from langc.compiler.unicode.properties import SCRIPTS, lookup, script

EMOJI: IntervalSet = lookup(None, "Emoji") - IntervalSet.of((0x00, 0x7F))
"""The 1,435 code points with Emoji=Yes but `#`, `*` and the ASCII digits."""

EMOJI_JOINERS: IntervalSet = IntervalSet.of(0x200D, 0x20E3, 0xFE0F)
"""What emoji sequences need beside emoji: ZERO WIDTH JOINER, COMBINING ENCLOSING KEYCAP, VARIATION SELECTOR-16."""

KOREAN_PUNCTUATION: IntervalSet = IntervalSet.of("\u3000、。·‥…¨〃\u00ad―∥＼∼‘’“”〔〕〈〉《》「」『』【】")
"""The punctuation of KS X 1001, row 1, cells 1 to 29."""


@cache
def kinds() -> dict[str, Flags]:
    """The kinds that every report of lost characters has, by name."""
    return {
        "hangul_syllables": flags_of(IntervalSet.of((0xAC00, 0xD7A3))),
        "compatibility_jamo": flags_of(lookup("Block", "Hangul Compatibility Jamo")) & assigned(),
        "korean_punctuation": flags_of(KOREAN_PUNCTUATION),
        "emoji": flags_of(EMOJI),
        "emoji_joiners": flags_of(EMOJI_JOINERS),
    }


@cache
def assigned() -> Flags:
    """The characters that Unicode assigns: General_Category is neither Unassigned nor Private_Use."""
    return ~flags_of(lookup(None, "Cn") | lookup(None, "Co")) & flags_of(lookup(None, "Any"))


@cache
def script_numbers() -> npt.NDArray[np.uint8]:
    """uint8 [0x110000]: the place in `SCRIPTS` of each code point's script."""
    numbers = np.zeros(CODE_POINTS, dtype=np.uint8)
    for number, name in enumerate(SCRIPTS):
        for low, high in script(name).ranges:
            numbers[low : high + 1] = number
    return numbers


def by_script(flags: Flags) -> dict[str, int]:
    """How many code points of a set each script has, most first, those with none left out."""
    counts = np.bincount(script_numbers()[flags], minlength=len(SCRIPTS))
    order = sorted(np.flatnonzero(counts).tolist(), key=lambda n: (-counts[n], SCRIPTS[n]))
    return {SCRIPTS[n]: int(counts[n]) for n in order}
