"""tekken.json: Mistral's byte-level BPE since 2024, as a file or as the dict read from one.

`vocab` lists tokens by rank, in base64, more of them than are used: `config` gives the number of ids
(`default_vocab_size`) and how many of these are special (`default_num_special_tokens`). The special tokens have the
lowest ids, the text tokens follow in the order of their ranks, and the rest of `vocab` is no part of the vocabulary.
Newer files name their special tokens; those up to version 7 leave them to the library. Special ids without a name are
`<SPECIAL_n>`.
Source: the mistral-common library, version 1.13.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Mapping

from langc.compiler.tokens.loaders._config import named_ends
from langc.compiler.tokens.loaders._draft import Draft, check_id
from langc.compiler.tokens.loaders._errors import bad_id, broken, shown, too_large
from langc.compiler.tokens.loaders._file import TokenizerFile

_UNNAMED = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]"),
    *("[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)
"""The special tokens of files that do not name them."""
_UNNAMED_UP_TO = 7
_MAX_SPECIALS = 1 << 16


def recognises(source: object) -> bool:
    """Whether it is a JSON file, or a dict read from one, with a list `vocab` and an object `config`."""
    document = source.json if isinstance(source, TokenizerFile) and source.looks_like_json else source
    return (
        isinstance(document, Mapping)
        and isinstance(document.get("vocab"), list)
        and isinstance(document.get("config"), Mapping)
        and not document.keys() & {"model", "tokens"}
    )


def load(source: object) -> Draft:
    """Read a tekken.json."""
    if isinstance(source, TokenizerFile):
        draft = _read(source.json, Draft(source.path.name, source.where))
        draft.eos |= named_ends(source)
        return draft
    assert isinstance(source, Mapping)
    return _read(source, Draft("tekken", "the tekken.json"))


def _read(document: Mapping[str, object], draft: Draft) -> Draft:
    vocab, config = document["vocab"], document["config"]
    assert isinstance(vocab, list)
    assert isinstance(config, Mapping)
    specials = _number(config, "default_num_special_tokens", draft)
    if specials > _MAX_SPECIALS:
        raise too_large(draft.where, "too many special tokens", _MAX_SPECIALS)
    used = _number(config, "default_vocab_size", draft) - specials
    if not 0 <= used <= len(vocab):
        raise broken(draft.where, f"{used:,} text tokens are announced, and {len(vocab):,} are there")
    draft.text = {specials + rank: _token(entry, rank, draft) for rank, entry in enumerate(vocab[:used])}
    draft.special = {number: f"<SPECIAL_{number}>" for number in range(specials)}
    draft.special |= _names(document.get("special_tokens"), config, specials, draft)
    draft.eos.add("</s>")
    return draft


def _number(config: Mapping[str, object], key: str, draft: Draft) -> int:
    value = config.get(key)
    if type(value) is not int or value < 0:
        raise broken(draft.where, f"{key} is no count")
    return value


def _token(entry: object, rank: int, draft: Draft) -> bytes:
    """The bytes of an entry `{"rank": 300, "token_bytes": "INA=", "token_str": null}`."""
    if not isinstance(entry, dict) or not isinstance(entry.get("token_bytes"), str):
        raise broken(draft.where, f"the entry {rank} of vocab has no token_bytes")
    if entry.get("rank") != rank:
        raise bad_id(draft.where, f"the entry {rank} of vocab has the rank {shown(entry.get('rank'))}")
    try:
        return a2b_base64(entry["token_bytes"], strict_mode=True)
    except ValueError:  # binascii.Error is one, and so is a character outside ASCII
        raise broken(draft.where, f"the entry {rank} of vocab is no base64") from None


def _names(entries: object, config: Mapping[str, object], count: int, draft: Draft) -> dict[int, str]:
    """The special tokens that have a name, by id."""
    if entries is None:
        version = re.fullmatch(r"v(\d{1,3})", str(config.get("version")))
        if version is None or int(version[1]) > _UNNAMED_UP_TO or count < len(_UNNAMED):
            raise broken(draft.where, "the file does not name its special tokens")
        return dict(enumerate(_UNNAMED))
    names: dict[int, str] = {}
    for entry in entries if isinstance(entries, list) else [None]:
        if not isinstance(entry, dict) or not isinstance(entry.get("token_str"), str):
            raise broken(draft.where, "special_tokens is no list of named tokens")
        number = check_id(entry.get("rank"), draft.where, f"the special token {shown(entry['token_str'])}")
        if number in names or number >= count:
            raise bad_id(draft.where, f"the special token {shown(entry['token_str'])} has the rank {number}")
        names[number] = entry["token_str"]
    return names
