"""What a library prints for one token, beside the bytes that we have for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from langc.compiler.tokens.vocabulary import Vocabulary

DecodeBatch = Callable[[list[list[int]]], list[str]]


def differing(vocabulary: Vocabulary, decode: DecodeBatch, ids: Iterable[int]) -> dict[int, tuple[str, str]]:
    """The ids that a library prints otherwise than as our bytes, each between two letters: ours and the library's.

    A decoder that drops spaces at the ends of the text drops those of the letters.
    """
    ids = list(ids)
    letter = next(i for a in (b"a", b" a", b"a ") for i in reversed(vocabulary.ids_for_bytes(a)))
    around = vocabulary.token_bytes(letter)  # not `<0x61>`, which would join a run of bytes: it comes first
    texts = decode([[letter, i, letter] for i in ids])
    joined = [around + vocabulary.token_bytes(i) + around for i in ids]
    ours = [token.removeprefix(b" ").removesuffix(b" ").decode(errors="replace") for token in joined]
    return {i: (own, text) for i, own, text in zip(ids, ours, texts, strict=True) if own != text}


def text_ids(vocabulary: Vocabulary) -> list[int]:
    """All ids that write text."""
    return [i for i in range(vocabulary.size) if not vocabulary.is_special(i)]
