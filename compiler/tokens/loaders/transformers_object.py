"""Tokenizer objects of transformers and of the tokenizers library, known by what they offer: neither is imported.

Both hand out their tokenizer.json. A transformers tokenizer adds which tokens are special and which one ends a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from langc.compiler.tokens.loaders._config import CLEAN_UP, add_token, end_values
from langc.compiler.tokens.loaders._decoders import read_decoder
from langc.compiler.tokens.loaders._draft import Draft, check_id
from langc.compiler.tokens.loaders._errors import broken, printed_otherwise, shown, unsupported
from langc.compiler.tokens.loaders._file import TokenizerFile, parse_json
from langc.compiler.tokens.loaders.tokenizer_json import read_document


def recognises(source: object) -> bool:
    """Whether the object is a tokenizer of one of the two libraries."""
    is_plain = isinstance(source, Mapping | TokenizerFile) or hasattr(source, "_mergeable_ranks")
    return not is_plain and (hasattr(source, "to_str") or hasattr(source, "all_special_ids"))


def load(source: object) -> Draft:
    """Read a tokenizer object."""
    backend = getattr(source, "backend_tokenizer", source)
    kind = type(source).__name__
    draft = Draft(_name(source), f"the {kind}")
    if not hasattr(backend, "to_str"):
        help = "use its tokenizer.json, its GGUF file, or the fast tokenizer of the same model"
        raise unsupported(draft.where, "a slow tokenizer does not tell the bytes of its tokens", help)
    document = parse_json(backend.to_str(), draft.where)
    if not isinstance(document, dict):
        raise broken(draft.where, "its to_str() gives no JSON object")
    read_document(document, draft)
    if backend is not source:
        _add_settings(source, document, draft)
    return draft


def _add_settings(tokenizer: object, document: dict[str, object], draft: Draft) -> None:
    decoder = read_decoder(document.get("decoder"), draft.where)
    for token_id, token in getattr(tokenizer, "added_tokens_decoder", {}).items():
        add_token(token_id, {"content": token.content, "special": token.special}, decoder, draft)
    spellings = dict(zip(tokenizer.all_special_ids, tokenizer.all_special_tokens, strict=True))  # type: ignore[attr-defined]
    for token_id, spelling in spellings.items():
        if token_id is not None:  # named in the settings, but not in the vocabulary
            draft.special.setdefault(check_id(token_id, draft.where, shown(spelling)), spelling)
    draft.eos |= end_values(getattr(tokenizer, "eos_token_id", None), draft.where)
    if getattr(tokenizer, "clean_up_tokenization_spaces", False) is True:
        draft.warnings.append(printed_otherwise(draft.where, CLEAN_UP))


def _name(source: object) -> str:
    """The last part of the name that the tokenizer was loaded by, or its type."""
    return Path(str(getattr(source, "name_or_path", "") or "")).name or type(source).__name__
