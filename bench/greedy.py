"""A tokenizer that takes the longest token at each place: legal ids for any vocabulary, without its merges."""

from __future__ import annotations

from langc.compiler.tokens.vocabulary import Vocabulary


class Greedy:
    """The longest match, left to right."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._ids = {spelled: token for token, spelled in enumerate(vocabulary.tokens) if spelled}
        self._longest = max(map(len, self._ids))

    def encode(self, text: str) -> list[int]:
        """The ids. Bytes that the vocabulary has no token for are left out."""
        return self.split(text.encode())

    def split(self, data: bytes) -> list[int]:
        """The same of bytes, which may break off inside a character."""
        ids, at = list[int](), 0
        while at < len(data):
            lengths = range(min(self._longest, len(data) - at), 0, -1)
            length = next((n for n in lengths if data[at : at + n] in self._ids), 0)
            if length:
                ids.append(self._ids[data[at : at + length]])
            at += length or 1
        return ids
