"""A small writer of tekken.json files, so that tests can make sound and broken ones."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

SPECIALS = [
    {"rank": 0, "token_str": "<unk>", "is_control": True},
    {"rank": 1, "token_str": "</s>", "is_control": True},
    {"rank": 2, "token_str": "[THINK]", "is_control": False},
]


def document(tokens: list[bytes], specials: Any = SPECIALS, **config: Any) -> dict[str, Any]:
    """The content of a file: all tokens are used and five ids are special, unless `config` says otherwise."""
    entries = [
        {"rank": rank, "token_bytes": b64encode(token).decode(), "token_str": token.decode(errors="replace")}
        for rank, token in enumerate(tokens)
    ]
    settings = {"default_vocab_size": len(tokens) + 5, "default_num_special_tokens": 5, "version": "v13"}
    return {"config": settings | config, "vocab": entries, "special_tokens": specials}


def tekken(tokens: list[bytes], specials: Any = SPECIALS, **config: Any) -> bytes:
    """A whole file."""
    return json.dumps(document(tokens, specials, **config)).encode()
