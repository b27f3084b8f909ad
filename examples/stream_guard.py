"""A guard on a stream that cannot be masked: what is shown, chunk by chunk. Needs nothing but langc.

python examples/stream_guard.py
"""

from __future__ import annotations

import langc

policy = langc.parse_policy(
    r"""policy answers {
    replace [—] with "-";
    replace phrase "as an AI language model" with "here" { ignore case; }
    deny \p{Script=Han};
    stop before phrase "User:" { boundary none; }
}"""
)


def show(*chunks: bytes) -> None:
    """Feed the chunks as a server sends them, and print what a reader may see behind each."""
    guard = langc.StreamGuard(policy, on_violation="stop")
    for chunk in chunks:
        print(f"  {ascii(chunk)[1:]:40} {guard.feed(chunk).decode()}|")
    print(f"  {'the end':40} {guard.finish().decode()}|")
    reason = f"ended by {guard.violation.rule}" if guard.violation else "shown whole"
    print(f"  {reason}, {guard.mended} replaced")


HAN = "안녕 李".encode()
print("A phrase waits until it is certain, and is replaced:")
show(b"Well, as an AI", b" assistant or as an ", b"AI language model", b", I can help.")
print("Half a character waits, and what it becomes is never shown:")
show(HAN[:-3], HAN[-3:-2], HAN[-2:], b" and more")
print("The text ends before the next turn:")
show("Seoul — or Busan. Us".encode(), b"er: and where", b" else?")
