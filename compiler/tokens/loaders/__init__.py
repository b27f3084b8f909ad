"""Reading vocabularies: one file per format, found by listing this folder.

A loader is a module whose name does not begin with an underscore, with two functions:

* `recognises(source) -> bool`: whether a `TokenizerFile` or an object is of its format. It must be cheap, and no two
  loaders may recognise the same source;
* `load(source) -> Draft`: reads it, raising `UnsupportedTokenizerError`.
"""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from langc.compiler.tokens.loaders._draft import Draft
from langc.compiler.tokens.loaders._errors import bad_option, shown, unrecognised
from langc.compiler.tokens.loaders._file import TokenizerFile
from langc.compiler.tokens.vocabulary import Vocabulary


class Loader(Protocol):
    """What every module of this folder offers."""

    def recognises(self, source: object) -> bool:
        """Whether the source is of this format."""

    def load(self, source: object) -> Draft:
        """Read the source."""


def load_vocabulary(
    source: object,
    *,
    special_tokens: Mapping[str, int] | None = None,
    eos: int | str | Iterable[int | str] | None = None,
) -> Vocabulary:
    """The vocabulary of a tokenizer: a path, a mapping, or a tokenizer object; docs/tokenizers.md has the formats.

    `special_tokens` adds special tokens by spelling and id; for a tiktoken rank file it stands in place of the table
    that langc knows. `eos` names the tokens that end a text, by id or spelling, in place of those found in the
    tokenizer. A `Vocabulary` is returned as it is.

    Raises `UnsupportedTokenizerError` (LC0601 to LC0607) if the tokenizer cannot be read or its bytes cannot be known.
    """
    if isinstance(source, Vocabulary):
        if special_tokens is not None or eos is not None:
            raise bad_option(source.name, "a vocabulary that is already loaded takes no options")
        return source
    found = TokenizerFile.open(Path(source)) if isinstance(source, str | os.PathLike) else source
    draft = _loader(found).load(found)
    if special_tokens is not None and not isinstance(special_tokens, Mapping):
        raise bad_option(draft.where, "special_tokens must map spellings to ids")
    return draft.finish(special_tokens, (eos,) if isinstance(eos, int | str) else eos)


def _loader(source: object) -> Loader:
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            loader = cast("Loader", import_module(f"{__name__}.{module.name}"))
            if loader.recognises(source):
                return loader
    if isinstance(source, TokenizerFile):
        raise unrecognised(source.where, *_guess(source))
    problem = f"an object of type {type(source).__name__} is no tokenizer that langc knows"
    raise unrecognised(
        "the tokenizer",
        problem,
        "give a path, a mapping, or an object of tokenizers, transformers, tiktoken or sentencepiece",
    )


def _guess(file: TokenizerFile) -> tuple[str, str | None]:
    """What a file that no loader knows may be, and what to do about it."""
    if file.head.startswith((b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")):
        return "the file is compressed", "unpack it first"
    if file.looks_like_json and file.json and all(type(value) is int for value in file.json.values()):
        return "this looks like a vocab.json, which does not say how it spells bytes", "use the tokenizer.json instead"
    if file.looks_like_json:
        keys = ", ".join(sorted(file.json)[:3])
        return f"this JSON is no tokenizer.json, tekken.json or token mapping (its keys: {shown(keys)})", None
    known = "tokenizer.json, tekken.json, GGUF, SentencePiece models, tiktoken rank files, token mappings in JSON"
    return "the format is not known", f"langc reads {known}"
