"""The small JSON files that lie beside a tokenizer: which token ends a text, and what the decoder does to spaces."""

from __future__ import annotations

from collections.abc import Callable

from langc.compiler.tokens.loaders._draft import Draft, check_id
from langc.compiler.tokens.loaders._errors import bad_id, broken, printed_otherwise, shown
from langc.compiler.tokens.loaders._file import TokenizerFile
from langc.compiler.tokens.loaders._spelling import plain

_FILES = ("generation_config.json", "tokenizer_config.json", "special_tokens_map.json")
CLEAN_UP = "clean_up_tokenization_spaces removes spaces before punctuation"


def named_ends(file: TokenizerFile) -> set[int | str]:
    """What the files beside a tokenizer name as the end, by id or spelling."""
    found: set[int | str] = set()
    for name in _FILES:
        config = file.sibling(name)
        if config is not None:
            found |= end_values(config.json.get("eos_token_id"), config.where)
            found |= end_values(config.json.get("eos_token"), config.where)
    return found


def end_values(value: object, where: str) -> set[int | str]:
    """An entry `eos_token` or `eos_token_id`: nothing, an id, a spelling, an object with `content`, or a list."""
    if value is None:
        return set()
    ends = [
        end.get("content") if isinstance(end, dict) else end for end in (value if isinstance(value, list) else [value])
    ]
    return {end if isinstance(end, str) else check_id(end, where, "the end token") for end in ends}


def note_clean_up(file: TokenizerFile, draft: Draft) -> None:
    """Warn if `tokenizer_config.json` lets the decoder clean up spaces."""
    config = file.sibling("tokenizer_config.json")
    if config is not None and config.json.get("clean_up_tokenization_spaces") is True:
        draft.warnings.append(printed_otherwise(draft.where, CLEAN_UP))


def added_tokens(table: object, draft: Draft, decode: Callable[[str], bytes | None] = plain) -> None:
    """Take over `added_tokens_decoder` of a tokenizer_config.json: `{"100": {"content": "<x>", "special": true}}`."""
    if not isinstance(table, dict):
        raise broken(draft.where, "added_tokens_decoder in tokenizer_config.json is no object")
    for key, token in table.items():
        if not key.isascii() or not key.isdigit() or not isinstance(token, dict):
            raise broken(draft.where, f"the added token {shown(key)} in tokenizer_config.json is no token")
        add_token(int(key[:20]), token, decode, draft)


def add_token(token_id: object, token: dict[str, object], decode: Callable[[str], bytes | None], draft: Draft) -> None:
    """Add a token of Hugging Face's shape: special ones by spelling, the others as the text that `decode` gives."""
    content = token.get("content")
    if not isinstance(content, str):
        raise broken(draft.where, f"the added token with the id {shown(token_id)} has no text")
    number = check_id(token_id, draft.where, f"the added token {shown(content)}")
    decoded = decode(content)
    if draft.special.get(number, content) != content or draft.text.get(number, decoded) != decoded:
        raise bad_id(draft.where, f"the added token {shown(content)} has the id {number} of another token")
    if token.get("special") is True:
        draft.special[number] = content
    elif decoded is None:
        draft.unknown.add(number)
    else:
        draft.text[number] = decoded
