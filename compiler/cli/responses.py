"""Answers with the probabilities that servers list beside each token: JSON in, listings out.

* llama.cpp, `/completion` with `n_probs`: `{"completion_probabilities": [{"id", "bytes", "top_logprobs"}, …]}`;
* OpenAI's chat completions with `logprobs` and `top_logprobs`, also as llama.cpp and vLLM answer them:
  `{"choices": [{"logprobs": {"content": [{"token", "bytes", "top_logprobs"}, …]}}]}`.

Two traits of servers are known here. llama.cpp joins the pieces of a character: the entry has all bytes of it, and the
alternatives are those of the last piece, whose own bytes stand in the list under the entry's id. Others show a piece of
a character as U+FFFD: what such a token writes is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp

from langc.compiler.tokens.pressure.listed import UNNUMBERED, Listed, Listing
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.readers.json_text import listed, read_json, whole
from langc.compiler.verify.readers.nodes import DataError

_REPLACEMENT = "\ufffd"
_MOST_ID = (1 << 31) - 1


@dataclass(frozen=True)
class Answer:
    """One text of a response, as its steps."""

    name: str
    steps: tuple[Listing, ...]


def read_answers(
    text: str, vocabulary: Vocabulary | None = None, markers: frozenset[str] = frozenset()
) -> tuple[Answer, ...]:
    """The answers of a response, or of a list of responses.

    With a vocabulary the bytes of tokens are those of their ids, ends of text are known, and special tokens but the
    policy's markers write nothing that is known. Raises ReadError if there is nothing to read.
    """
    value = read_json(text)
    reader = _Reader(vocabulary, markers)
    responses = value if isinstance(value, list) else [value]
    found = [entries for response in responses for entries in _entries(response)]
    if not found:
        raise DataError("it has no probabilities")
    single = len(found) == 1
    return tuple(
        Answer("" if single else f"answer {number}", tuple(reader.listings(entries)))
        for number, entries in enumerate(found, 1)
    )


def _entries(response: object) -> Iterator[Sequence[object]]:
    """The lists of entries in a response."""
    if not isinstance(response, dict):
        raise DataError("it is no response, which is a JSON object")
    if "completion_probabilities" in response:
        yield listed(response["completion_probabilities"], "`completion_probabilities`")
    for choice in listed(response.get("choices", []), "`choices`"):
        logprobs = choice.get("logprobs") if isinstance(choice, dict) else None
        if isinstance(logprobs, dict) and "tokens" in logprobs:
            raise DataError("`logprobs` with `tokens`, those of completions without chat, do not say their bytes")
        if isinstance(logprobs, dict) and logprobs.get("content") is not None:
            yield listed(logprobs["content"], "`content`")


@dataclass(frozen=True)
class _Reader:
    vocabulary: Vocabulary | None
    markers: frozenset[str]

    def listings(self, entries: Sequence[object]) -> Iterator[Listing]:
        """The steps of one answer."""
        for number, entry in enumerate(entries, 1):
            try:
                yield self._listing(_object(entry))
            except DataError as error:
                raise DataError(f"in entry {number}, {error.message}") from None

    def _listing(self, entry: dict[str, object]) -> Listing:
        if "top_probs" in entry:
            raise DataError("probabilities are those after sampling; ask without `post_sampling_probs`")
        if "top_logprobs" not in entry:
            raise DataError("there are no `top_logprobs`")
        found = listed(entry["top_logprobs"], "`top_logprobs`")
        alternatives = tuple(map(self._alternative, map(_object, found)))
        written = self._written(entry)
        earlier = self._earlier(_id(entry), written, alternatives)
        is_readable = earlier is not None and bool(alternatives)
        return Listing(written, alternatives, earlier or 0, is_readable)

    def _alternative(self, entry: dict[str, object]) -> Listed:
        return Listed(self._data(entry), _probability(entry), _id(entry))

    def _data(self, entry: dict[str, object]) -> bytes | None:
        """What a token writes, as `Listed` has it."""
        special = self._special(entry)
        if special is None or self.vocabulary is None:
            return self._by_id(_id(entry)) or _bytes(entry) or None
        if special in self.vocabulary.eos_ids:
            return b""
        return self._marker(special)

    def _marker(self, special: int) -> bytes | None:
        """The text that a special token acts as."""
        spelling = self.vocabulary.special_text(special) if self.vocabulary else None
        return spelling.encode() if spelling is not None and spelling in self.markers else None

    def _special(self, entry: dict[str, object]) -> int | None:
        """The special token that an entry is, by its id or, without one, by its spelling."""
        vocabulary, token = self.vocabulary, _id(entry)
        if vocabulary is None:
            return None
        if token == UNNUMBERED:
            return next((i for i, spelling in vocabulary.specials.items() if spelling == entry.get("token")), None)
        return token if token < vocabulary.size and vocabulary.is_special(token) else None

    def _by_id(self, token: int) -> bytes | None:
        vocabulary = self.vocabulary
        return vocabulary.token_bytes(token) if vocabulary and 0 <= token < vocabulary.size else None

    def _written(self, entry: dict[str, object]) -> bytes:
        """What stands in the answer: nothing for a special token, unless it acts as text."""
        special = self._special(entry)
        if special is not None:
            return self._marker(special) or b""
        written = _bytes(entry)
        return _REPLACEMENT.encode() if written is None else written

    def _earlier(self, token: int, written: bytes, alternatives: Sequence[Listed]) -> int | None:
        """How many bytes of the entry belong to pieces in front of its own token; None if that is not known."""
        if token == UNNUMBERED or written.isascii():
            return 0
        own = self._by_id(token) or next((a.data for a in alternatives if a.token == token), None)
        return len(written) - len(own) if own and written.endswith(own) else None


def _bytes(entry: dict[str, object]) -> bytes | None:
    """What an entry writes; None if it shows as U+FFFD and may be something else."""
    text = entry.get("token")
    if not isinstance(text, str):
        raise DataError("a `token` is no text")
    given = entry.get("bytes")
    if given is None:
        return None if _REPLACEMENT in text else text.encode("utf-8", "surrogatepass")
    data = bytes(whole(b, "a byte", 0, 255) for b in listed(given, "`bytes`"))
    return None if _REPLACEMENT.encode() in data else data


def _id(entry: dict[str, object]) -> int:
    return whole(entry["id"], "an `id`", 0, _MOST_ID) if "id" in entry else UNNUMBERED


def _probability(entry: dict[str, object]) -> float:
    value = entry.get("logprob")
    if value is None and "logprob" in entry:
        return 0.0  # JSON has no minus infinity
    if type(value) not in (int, float) or not isinstance(value, int | float) or not value <= 1e-3:
        raise DataError("a `logprob` is no number up to 0")
    return min(exp(max(value, -1e6)), 1.0)


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise DataError("an entry is no JSON object")
    return value
