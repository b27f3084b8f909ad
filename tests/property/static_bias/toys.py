"""Toy vocabularies that split characters in every way, and slow answers to what a static bias must decide.

The bytes are so few that everything can be tried: one ASCII letter, one lead byte for each length, two continuation
bytes. They make fifteen characters. The slow answers know nothing of UTF-8 but `bytes.decode`: they follow rows of
tokens by the last bytes written, or try every text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain, combinations, product

from hypothesis import strategies as st

from langc.compiler.ir.language import Cover, cover
from langc.compiler.tokens.characters.token_text import TokenText
from langc.compiler.unicode.intervals import IntervalSet

CONTINUATION = (b"\x80", b"\x81")
LEADS = {b"a": 0, b"\xc2": 1, b"\xe1": 2, b"\xf1": 3}
"""Each first byte with the number of bytes that follow."""
CHARACTERS = tuple(
    b"".join((lead, *rest)).decode() for lead, size in LEADS.items() for rest in product(CONTINUATION, repeat=size)
)

characters = st.sampled_from(CHARACTERS)
denied_sets = st.frozensets(characters, max_size=6)


@st.composite
def _cut(draw: st.DrawFn) -> bytes:
    """Some bytes out of a short text: whole characters, fragments, and both at once."""
    whole = draw(st.text(characters, min_size=1, max_size=3)).encode()
    start = draw(st.integers(0, len(whole) - 1))
    return whole[start : start + draw(st.integers(1, 5))]


@st.composite
def _piece(draw: st.DrawFn) -> bytes:
    """Some bytes of one character."""
    whole = draw(characters).encode()
    start = draw(st.integers(0, len(whole) - 1))
    return whole[start : draw(st.integers(start + 1, len(whole)))]


pieces = st.frozensets(_piece(), min_size=1, max_size=10).map(sorted)
"""Vocabularies in which many characters can be spelled in several ways."""
vocabularies = st.frozensets(_cut(), min_size=1, max_size=10).map(sorted)


def text_of(tokens: Iterable[bytes]) -> TokenText:
    """The tokens with ids that are not their numbers."""
    return TokenText.of({7 + 2 * number: token for number, token in enumerate(tokens)})


def denying(denied: Collection[str], terms: Iterable[str] = ()) -> Cover:
    """The language without some characters but inside terms."""
    language = cover(IntervalSet.of(*denied).complement(), tuple(terms))
    assert isinstance(language, Cover)
    return language


def held(tokens: Iterable[bytes]) -> set[str]:
    """The characters whose encoding some row of tokens holds, found by the last three bytes that were written."""
    tokens, seen, queue, found = list(tokens), {b""}, [b""], set()
    for before in queue:
        for written in (before + token for token in tokens):
            found |= {c for c in CHARACTERS if c.encode() in written}
            if written[-3:] not in seen:
                seen.add(written[-3:])
                queue.append(written[-3:])
    return found


def spells(tokens: Collection[bytes], text: str) -> bool:
    """Whether the text is a row of tokens."""
    wanted = text.encode()
    reached = {0}
    for end in range(1, len(wanted) + 1):
        if any(wanted[start:end] in tokens for start in reached):
            reached.add(end)
    return len(wanted) in reached


def banned_tight(tokens: Iterable[bytes], denied: Iterable[str]) -> set[bytes]:
    """The tight ban, token by token."""
    encodings = [c.encode() for c in denied]
    beginnings = tuple({e[:size] for e in encodings for size in range(1, len(e))})
    return {t for t in tokens if any(e in t for e in encodings) or t.endswith(beginnings)}


def texts(most: int) -> Iterator[str]:
    """All texts of up to so many characters, the short ones first."""
    for size in range(most + 1):
        yield from ("".join(row) for row in product(CHARACTERS, repeat=size))


def permits(language: Cover, text: str) -> bool:
    """Whether every character is in the base or inside a whole occurrence of a term."""
    covered = {i for i, c in enumerate(text) if ord(c) in language.base}
    for term in language.terms:
        starts = (i for i in range(len(text)) if text.startswith(term, i))
        covered.update(chain.from_iterable(range(i, i + len(term)) for i in starts))
    return len(covered) == len(text)


def subsets(members: Collection[str]) -> Iterator[set[str]]:
    """All subsets, the small ones first."""
    for size in range(len(members) + 1):
        yield from map(set, combinations(sorted(members), size))
