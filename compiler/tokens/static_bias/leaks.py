"""What allowed tokens can still write against a policy: the shortest such text, and how many characters."""

from __future__ import annotations

import numpy as np

from langc.compiler.automata.boolean import complement
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.ir.language import Cover
from langc.compiler.tokens.characters.code_points import Flags, flags_of
from langc.compiler.tokens.characters.spelling import held_anywhere, spelled_alone
from langc.compiler.tokens.characters.token_text import TokenText
from langc.compiler.tokens.static_bias.shortest import shortest_text


def shortest_leak(language: Cover, text: TokenText, allowed: Flags) -> str | None:
    """The shortest well-formed text outside `language` that allowed tokens (bool [n]) spell; None if there is none.

    A denied character that is spelled alone is one, and the least of them is taken. If none is spelled alone but one
    occurs in some row of tokens, an automaton of all other texts decides whether well-formed text leaks.
    """
    denied = flags_of(language.base.complement())
    alone = spelled_alone(text, allowed) & ~flags_of(language.singles)
    if alone.any():
        return chr(int(np.argmax(alone)))
    if not (held_anywhere(text, allowed) & denied).any():
        return None
    return shortest_text(lower_to_bytes(complement(build_dfa(language))), text, allowed)
