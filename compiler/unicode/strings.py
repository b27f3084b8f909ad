r"""Properties of strings (UTS #18, section 2.7): the emoji sequences that are recommended for interchange.

Their members are texts of one code point or several, so they are no sets of characters: `allow \p{RGI_Emoji}` is the
one place for them. `RGI_Emoji` holds the members of all the others (UTS #51, definition 27).
"""

from __future__ import annotations

from functools import cache

from langc.compiler.unicode.aliases import loose

ALL = "RGI_Emoji"
PARTS: tuple[str, ...] = (
    "Basic_Emoji",
    "Emoji_Keycap_Sequence",
    "RGI_Emoji_Flag_Sequence",
    "RGI_Emoji_Modifier_Sequence",
    "RGI_Emoji_Tag_Sequence",
    "RGI_Emoji_ZWJ_Sequence",
)


def find(name: str) -> str | None:
    """The full name of a property of strings, None if there is none of that name."""
    return {loose(known): known for known in (ALL, *PARTS)}.get(loose(name))


@cache
def members(name: str) -> tuple[str, ...]:
    """The texts that have a property, which is given by its full name."""
    from langc.compiler.unicode.tables.emoji_sequences import SEQUENCES

    if name == ALL:
        return tuple(text for part in PARTS for text in members(part))
    return tuple("".join(chr(int(c, 16)) for c in word.split("-")) for word in SEQUENCES[name].split())
