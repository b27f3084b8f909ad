"""A policy, a vocabulary and a matcher, byte by byte. Needs nothing but langc.

python examples/quickstart.py
"""

from __future__ import annotations

import langc

policy = langc.parse_policy(r'policy ko { deny \p{Script=Han}; allow "漢江"; }')

# The smallest vocabulary that can write everything: one token a byte, and one that ends the text.
tokens = {byte: bytes([byte]) for byte in range(256)}
vocabulary = langc.load_vocabulary({"tokens": tokens, "special": {"<end>": 256}, "eos": "<end>"})
END = 256


def write(text: str) -> None:
    """Write a text one token at a time, and show how the mask changes."""
    matcher = langc.Matcher(policy, vocabulary)
    print(f"{text}:")
    for byte in text.encode():
        if not matcher.advance(byte):  # refused: the matcher stays where it was
            print(f"  {byte:02X} is refused after {len(matcher.ids)} bytes; first violation: {blame(text)}")
            return
        may_end = "may end" if matcher.allows(END) else "may not end here"
        print(f"  {byte:02X} is written; {int(matcher.mask().sum()):3} of 257 tokens may follow; the text {may_end}")


def blame(text: str) -> str:
    """Where the whole text breaks the policy, in code points."""
    return f"offset {policy.first_violation(text)}"


write("뷁")  # a rare syllable: three tokens, none of them a character
write("漢字")  # 漢 may begin the permitted 漢江, 字 may not follow it
write("漢江")  # permitted as a whole: the text may end after 江, not after 漢
