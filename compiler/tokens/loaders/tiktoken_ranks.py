"""tiktoken: rank files (`base64 rank` on each line), and `tiktoken.Encoding` objects.

A rank file does not name its special tokens. They come, in this order, from the option `special_tokens`, from a file
`NAME.special.json` beside it (`{"special": {"<|end|>": 100257}, "eos": "<|end|>"}`), from `added_tokens_decoder` in a
`tokenizer_config.json` beside it, or from a small table of rank files known by content.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Mapping

from langc.compiler.tokens.loaders._config import added_tokens, named_ends
from langc.compiler.tokens.loaders._draft import Draft, check_id
from langc.compiler.tokens.loaders._errors import bad_id, broken, shown
from langc.compiler.tokens.loaders._file import TokenizerFile
from langc.compiler.tokens.loaders._known_ranks import known_specials
from langc.compiler.tokens.loaders.mapping import read_specials

_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2} \d{1,9}\r?(?:\n|\Z)")


def recognises(source: object) -> bool:
    """Whether the first line is base64 and a number, or the object has tiktoken's two tables."""
    if isinstance(source, TokenizerFile):
        return _LINE.match(source.head) is not None
    return hasattr(source, "_mergeable_ranks") and hasattr(source, "_special_tokens")


def load(source: object) -> Draft:
    """Read a rank file or an Encoding."""
    return _load_file(source) if isinstance(source, TokenizerFile) else _load_encoding(source)


def _load_encoding(encoding: object) -> Draft:
    name = str(getattr(encoding, "name", type(encoding).__name__))
    draft = Draft(name, f"the tiktoken encoding {shown(name)}")
    ranks: Mapping[bytes, int] = encoding._mergeable_ranks  # type: ignore[attr-defined]
    draft.text = {check_id(rank, draft.where, "a token"): token for token, rank in ranks.items()}
    if len(draft.text) < len(ranks):
        raise bad_id(draft.where, "two tokens have the same id")
    for spelling, token_id in encoding._special_tokens.items():  # type: ignore[attr-defined]
        draft.declare(spelling, token_id)
    return draft


def _load_file(file: TokenizerFile) -> Draft:
    draft = Draft(file.path.name, file.where, text=_ranks(file))
    sidecar = file.sibling(f"{file.path.name}.special.json")
    config = file.sibling("tokenizer_config.json")
    if sidecar is not None:
        read_specials(sidecar.json, draft)
    elif config is not None and "added_tokens_decoder" in config.json:
        added_tokens(config.json["added_tokens_decoder"], draft)
    else:
        draft.assumed = known_specials(draft.text)
    draft.eos |= named_ends(file)
    return draft


def _ranks(file: TokenizerFile) -> dict[int, bytes]:
    """All lines of a rank file as id and bytes. Blank lines are skipped, as tiktoken does."""
    ranks: dict[int, bytes] = {}
    number = 0
    try:
        for number, line in enumerate(file.data.splitlines(), 1):
            if line:
                token, rank = line.split(b" ")
                if not rank.isdigit() or len(rank) > 9:
                    raise ValueError
                token_id = int(rank)
                if token_id in ranks:
                    raise bad_id(file.where, f"line {number}: the rank {token_id} is given twice")
                ranks[token_id] = a2b_base64(token, strict_mode=True)
    except ValueError:  # binascii.Error is one
        raise broken(file.where, f"line {number} is no base64 token and rank") from None
    return ranks
