"""A vocabulary in the making: what a loader found, then the user's options, then the checks that hold for all formats.

Invariant: after `finish` every id is below `MAX_TOKEN_IDS`, and the `Vocabulary` keeps its own invariant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import index
from typing import SupportsIndex

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.limits import MAX_TOKEN_BYTES, MAX_TOKEN_IDS
from langc.compiler.tokens.loaders._errors import (
    bad_id,
    bad_option,
    broken,
    end_typed_as_text,
    no_end,
    no_specials,
    shown,
    too_large,
    unknown_bytes,
)
from langc.compiler.tokens.loaders._spelling import plain
from langc.compiler.tokens.vocabulary import Vocabulary

END_SPELLINGS = frozenset(
    {
        "<|endoftext|>",  # GPT-2, Qwen, Phi, SmolLM
        "<|im_end|>",  # ChatML
        "<|eot_id|>",  # Llama 3, with the next two
        "<|eom_id|>",
        "<|end_of_text|>",
        "<|end|>",  # Phi 3; in gpt-oss it ends a message only, see `_named_ends`
        "<|return|>",  # gpt-oss, with the next
        "<|call|>",
        "<end_of_turn>",  # Gemma 1 to 3
        "<turn|>",  # Gemma 4
        "<eos>",
        "</s>",  # Llama 1 and 2, Mistral
        "<｜end▁of▁sentence｜>",  # DeepSeek
        "<end_of_utterance>",  # SmolVLM
        "[EOS]",
        "[EOT]",
        "<EOT>",
    }
)
"""Special tokens of these spellings end a text, whatever a model's settings say; llama.cpp goes by a like list."""


@dataclass
class Draft:
    """What a loader found. An id may stand in `text` and `special` at once: then it is special."""

    name: str
    where: str
    """The path or kind of object, for messages."""
    text: dict[int, bytes] = field(default_factory=dict)
    special: dict[int, str] = field(default_factory=dict)
    holes: set[int] = field(default_factory=set)
    """Ids that are special without a known spelling."""
    unknown: set[int] = field(default_factory=set)
    """Ids of text tokens whose bytes cannot be known: holes with a warning."""
    assumed: dict[int, str] | None = None
    """Special tokens that hold unless the user names others; None if the format itself names them."""
    eos: set[int | str] = field(default_factory=set)
    """Ids and spellings that the tokenizer or its settings name as the end. Those that do not exist are passed over,
    because settings are often copied between models."""
    warnings: list[Diagnostic] = field(default_factory=list)

    def finish(
        self, special_tokens: Mapping[str, int] | None = None, eos: Iterable[int | str] | None = None
    ) -> Vocabulary:
        """Apply the options and check. Raises UnsupportedTokenizerError (LC0603, LC0605, LC0606, LC0607)."""
        if special_tokens is not None:
            for spelling, token_id in special_tokens.items():
                self.declare(spelling, token_id)
        elif self.assumed is not None:
            self.special |= self.assumed
            self.warnings += [] if self.assumed else [no_specials(self.where)]
        self._check()
        ends = self._named_ends() if eos is None else frozenset(map(self.end, eos))
        for token_id in ends - self.special.keys():
            self.special[token_id] = self.text.get(token_id, b"").decode(errors="replace")
        spellings = {token_id: spelling for token_id, spelling in self.special.items() if spelling}
        return Vocabulary(self.name, self._tokens(), spellings, ends, tuple(self._all_warnings(ends)))

    def declare(self, spelling: str, token_id: object) -> None:
        """Make an id special: a new one, or one that is spelled in the same way so far."""
        number = check_id(token_id, self.where, shown(spelling))
        known = self.special.get(number) or self.text.get(number, b"").decode(errors="replace")
        if known and known != spelling:
            raise bad_id(self.where, f"{shown(spelling)} has the id {number}, which is {shown(known)}")
        self.special[number] = spelling

    def end(self, end: object) -> int:
        """The id of an end token that somebody named by id or spelling and that must exist."""
        found = self.spelled(end) if isinstance(end, str) else [check_id(end, self.where, "the end token")]
        if len(found) != 1 or not (found[0] in self.text or found[0] in self.special):
            raise bad_option(self.where, f"the end token {shown(end)} is no token of this vocabulary")
        return found[0]

    def spelled(self, spelling: str) -> list[int]:
        """The ids of the special tokens with this spelling, or else of the text tokens."""
        special = [token_id for token_id, known in self.special.items() if known == spelling]
        return special or [token_id for token_id, known in self.text.items() if known == plain(spelling)]

    def _check(self) -> None:
        ids = self.text.keys() | self.special.keys() | self.holes | self.unknown
        if not ids or not any(self.text.values()):
            raise broken(self.where, "the tokenizer has no token that writes text")
        for token_id in (min(ids), max(ids)):
            spelling = self.special.get(token_id) or self.text.get(token_id)
            check_id(token_id, self.where, shown(spelling) if spelling else "a token")
        if max(map(len, (*self.text.values(), *self.special.values()))) > MAX_TOKEN_BYTES:
            raise too_large(self.where, "too many bytes in one token", MAX_TOKEN_BYTES)
        for token_id, spelling in self.special.items():
            if any("\ud800" <= character <= "\udfff" for character in spelling):
                raise broken(self.where, f"the special token {token_id} is spelled with a surrogate")

    def _named_ends(self) -> frozenset[int]:
        """The ends that the tokenizer names, and all special tokens with a well-known spelling."""
        named = {i for end in self.eos for i in (self.spelled(end) if isinstance(end, str) else [end])}
        named &= self.text.keys() | self.special.keys()
        typed_as_text = sorted(named - self.special.keys())
        self.warnings += [
            end_typed_as_text(self.where, self.text[i].decode(errors="replace"), i) for i in typed_as_text
        ]
        spellings = set(self.special.values())
        ends = END_SPELLINGS - {"<|end|>"} if "<|return|>" in spellings else END_SPELLINGS
        return frozenset(named | {token_id for token_id, text in self.special.items() if text in ends})

    def _tokens(self) -> tuple[bytes, ...]:
        special = self.special.keys() | self.holes
        highest = max(self.text.keys() | special | self.unknown)
        tokens = [b""] * (highest + 1)
        for token_id, token in self.text.items():
            tokens[token_id] = token
        for token_id in special:
            tokens[token_id] = b""
        return tuple(tokens)

    def _all_warnings(self, ends: frozenset[int]) -> Iterable[Diagnostic]:
        yield from self.warnings
        unknown = self.unknown - self.special.keys()
        if unknown:
            yield unknown_bytes(self.where, unknown)
        if not ends:
            yield no_end(self.where)


def check_id(value: object, where: str, what: str) -> int:
    """A token id from outside, numpy's integers included. Raises UnsupportedTokenizerError (LC0605) if it is none."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise bad_id(where, f"{what} has the id {shown(value)}, which is no integer")
    number = index(value)
    if not 0 <= number < MAX_TOKEN_IDS:
        raise bad_id(where, f"{what} has the id {shown(number)}, outside 0 to {MAX_TOKEN_IDS - 1:,}")
    return number
