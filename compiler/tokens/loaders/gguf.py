"""GGUF: the vocabulary in a model file's metadata, as llama.cpp reads it.

Token types: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte. Unknown, control and unused tokens are
special. llama.cpp puts out the text of a *user-defined* token as it stands, neither byte-level decoded nor with ▁ as a
space (Gemma has 165 such tokens: runs of spaces, tabs and line ends, HTML tags); so does this loader. A *normal* token
is byte-level in a `gpt2` vocabulary, and has ▁ for a space in a `llama` or `gemma4` vocabulary; a *byte* token is
`<0xNN>`.
"""

from __future__ import annotations

from collections.abc import Callable

from langc.compiler.tokens.loaders._draft import END_SPELLINGS, Draft
from langc.compiler.tokens.loaders._errors import broken, printed_otherwise, shown, unsupported
from langc.compiler.tokens.loaders._file import TokenizerFile
from langc.compiler.tokens.loaders._gguf_metadata import MAGIC, Value, read_metadata
from langc.compiler.tokens.loaders._spelling import SPACE_MARK, byte_level, fallback_byte

_KEY = "tokenizer.ggml."
_WANTED = {"model", "tokens", "token_type", "add_space_prefix", "eos_token_id", "eot_token_id", "eom_token_id"}
_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = range(1, 7)
_SPACE_MARK = SPACE_MARK.encode()


def recognises(source: object) -> bool:
    """Whether the file begins with GGUF's magic bytes."""
    return isinstance(source, TokenizerFile) and source.head.startswith(MAGIC)


def load(source: object) -> Draft:
    """Read the metadata of a GGUF file."""
    assert isinstance(source, TokenizerFile)
    found = read_metadata(source, lambda key: key.removeprefix(_KEY) in _WANTED and key.startswith(_KEY))
    metadata = {key.removeprefix(_KEY): value for key, value in found.items()}
    draft = Draft(source.path.name, source.where)
    decode = _decoder(metadata, draft)
    tokens = _tokens(metadata, draft)
    for token_id, (token, kind) in enumerate(zip(tokens, _types(metadata, len(tokens), draft), strict=True)):
        _add(token_id, token, kind, decode, draft)
    _name_ends(metadata, tokens, draft)
    return draft


def _decoder(metadata: dict[str, Value], draft: Draft) -> Callable[[bytes], bytes | None]:
    """How a normal token of this vocabulary becomes bytes."""
    model = metadata.get("model")
    if model == b"gpt2":
        return _from_byte_level
    if model in (b"llama", b"gemma4"):
        if metadata.get("add_space_prefix", model == b"llama"):
            draft.warnings.append(printed_otherwise(draft.where, "a space at the start of the text is dropped"))
        return _from_space_marks
    if model is None:
        raise broken(draft.where, "the file has no tokenizer (no tokenizer.ggml.model)")
    raise unsupported(draft.where, f"a GGUF tokenizer of the model {shown(model)}; gpt2, llama and gemma4 are known")


def _from_byte_level(token: bytes) -> bytes | None:
    try:
        return byte_level(token.decode())
    except UnicodeDecodeError:
        return None


def _from_space_marks(token: bytes) -> bytes:
    return token.replace(_SPACE_MARK, b" ")


def _tokens(metadata: dict[str, Value], draft: Draft) -> list[bytes]:
    tokens = metadata.get("tokens")
    if not isinstance(tokens, list) or not all(isinstance(token, bytes) for token in tokens):
        raise broken(draft.where, "tokenizer.ggml.tokens is missing or no list of strings")
    return tokens  # type: ignore[return-value]  # checked in the line above


def _types(metadata: dict[str, Value], count: int, draft: Draft) -> list[int]:
    types = metadata.get("token_type", [_NORMAL] * count)
    if not isinstance(types, list) or len(types) != count or not all(type(kind) is int for kind in types):
        raise broken(draft.where, f"tokenizer.ggml.token_type is no list of {count:,} numbers")
    return types  # type: ignore[return-value]  # checked in the line above


def _add(token_id: int, token: bytes, kind: int, decode: Callable[[bytes], bytes | None], draft: Draft) -> None:
    if kind == _NORMAL:
        decoded = decode(token)
    elif kind == _BYTE:
        decoded = fallback_byte(token.decode(errors="replace"))
    elif kind == _USER_DEFINED:
        decoded = token
    else:
        draft.special[token_id] = token.decode(errors="replace")
        return
    if decoded is None:
        draft.unknown.add(token_id)
    else:
        draft.text[token_id] = decoded


def _name_ends(metadata: dict[str, Value], tokens: list[bytes], draft: Draft) -> None:
    """The ids that the file names, and text tokens that are spelled like chat markers.

    llama.cpp turns the latter into control tokens that end the text, whatever their type (a fault of some converters).
    """
    for key in ("eos_token_id", "eot_token_id", "eom_token_id"):
        end = metadata.get(key)
        if type(end) is int:
            draft.eos.add(end)
    markers = {end.encode() for end in END_SPELLINGS if end.startswith("<|") and end != "<|end|>"} | {b"<end_of_turn>"}
    draft.eos |= {token_id for token_id, token in enumerate(tokens) if token in markers and token_id in draft.text}
