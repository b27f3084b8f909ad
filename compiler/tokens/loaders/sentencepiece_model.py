"""SentencePiece: the `.model` file of a BPE, Unigram, word or character model, and `SentencePieceProcessor` objects.

The file is a protobuf `ModelProto`. Of it are read: the pieces with their types (field 1), in `TrainerSpec` (2) the
spelling of the end, in `NormalizerSpec` (3) whether spaces at the start are dropped, and whether there is a
denormaliser (5), which would rewrite what was decoded. The kind of model, the scores and the normaliser's character
map matter to encoding only.

Types: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte. Unknown, control and unused pieces are
special. Normal and user-defined pieces have ▁ for a space; a *byte* piece is `<0xNN>`.
Source: sentencepiece_model.proto and the decoder of the sentencepiece library, checked against version 0.2.3.
"""

from __future__ import annotations

import re

from langc.compiler.limits import MAX_TOKEN_IDS
from langc.compiler.tokens.loaders._config import added_tokens, named_ends, note_clean_up
from langc.compiler.tokens.loaders._draft import Draft
from langc.compiler.tokens.loaders._errors import broken, printed_otherwise, too_large, unsupported
from langc.compiler.tokens.loaders._file import TokenizerFile
from langc.compiler.tokens.loaders._protobuf import Message, Value
from langc.compiler.tokens.loaders._spelling import SPACE_MARK, fallback_byte, plain

_PIECES, _TRAINER, _NORMALIZER, _DENORMALIZER = 1, 2, 3, 5
_PIECE, _TYPE = 1, 3
_EOS_PIECE = 47
_CHARACTER_MAP, _DUMMY_PREFIX, _REMOVE_SPACES = 2, 3, 4
_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = range(1, 7)
_SPACE_MARK = SPACE_MARK.encode()
_MAX_BYTES = 16 << 20
"""Two bytes can be a field, and a field takes half a microsecond. The largest known file, Gemma's, has 5 MB."""
_FIRST_PIECE = re.compile(rb"\x0a[\x80-\xff]{0,4}[\x00-\x7f]\x0a")
"""The tag of a piece, its length, and the tag of the text in it."""


def recognises(source: object) -> bool:
    """Whether the file begins with a piece that begins with its text, or the object can write such a file."""
    if isinstance(source, TokenizerFile):
        return _FIRST_PIECE.match(source.head) is not None and not source.looks_like_json
    return hasattr(source, "serialized_model_proto")


def load(source: object) -> Draft:
    """Read a model and the settings beside it, or an object."""
    if not isinstance(source, TokenizerFile):
        kind = type(source).__name__
        return _read(source.serialized_model_proto(), Draft(kind, f"the {kind}"))  # type: ignore[attr-defined]
    draft = _read(source.data, Draft(source.path.name, source.where))
    config = source.sibling("tokenizer_config.json")
    if config is not None and "added_tokens_decoder" in config.json:
        added_tokens(config.json["added_tokens_decoder"], draft, _added)
    draft.eos |= named_ends(source)
    note_clean_up(source, draft)
    return draft


def _read(data: bytes, draft: Draft) -> Draft:
    """Fill a draft from a `ModelProto`. Raises UnsupportedTokenizerError (LC0603, LC0604, LC0607)."""
    if len(data) > _MAX_BYTES:
        raise too_large(draft.where, "too many bytes of a SentencePiece model", _MAX_BYTES)
    parts: dict[int, list[bytes]] = {_TRAINER: [], _NORMALIZER: [], _DENORMALIZER: []}
    count = 0
    for number, value, place in Message(data, draft.where):
        if number == _PIECES:
            if count == MAX_TOKEN_IDS:
                raise too_large(draft.where, "too many pieces", MAX_TOKEN_IDS)
            _add(count, Message(_bytes(value, number, draft), draft.where, place), draft)
            count += 1
        elif number in parts:
            parts[number].append(_bytes(value, number, draft))
    for number, name in ((_TRAINER, "trainer"), (_NORMALIZER, "normaliser")):
        if not parts[number]:
            raise broken(draft.where, f"the file is cut short: the settings of the {name} are missing")
    trainer, normalizer, denormalizer = (Message(b"".join(part), draft.where).latest() for part in parts.values())
    _settle(trainer, normalizer, denormalizer, draft)
    return draft


def _settle(trainer: dict[int, Value], normalizer: dict[int, Value], denormalizer: dict[int, Value], d: Draft) -> None:
    """Take over the end, and what the decoder does to the whole text."""
    if denormalizer.get(_CHARACTER_MAP):
        raise unsupported(d.where, "the tokenizer rewrites characters after decoding (it has a denormaliser)")
    if normalizer.get(_DUMMY_PREFIX, 1) or normalizer.get(_REMOVE_SPACES, 1):
        d.warnings.append(printed_otherwise(d.where, "spaces at the start of the text are dropped"))
    d.eos.add(_bytes(trainer.get(_EOS_PIECE, b"</s>"), _EOS_PIECE, d).decode(errors="replace"))


def _add(token_id: int, message: Message, draft: Draft) -> None:
    fields = message.latest()
    piece, kind = _bytes(fields.get(_PIECE, b""), _PIECE, draft), fields.get(_TYPE, _NORMAL)
    if not piece:
        raise broken(draft.where, f"byte {message.place:,}: piece {token_id} is empty")
    if kind in (_UNKNOWN, _CONTROL, _UNUSED):
        draft.special[token_id] = piece.decode(errors="replace")
        return
    if kind not in (_NORMAL, _USER_DEFINED, _BYTE):
        raise broken(draft.where, f"byte {message.place:,}: piece {token_id} has no known type")
    decoded = fallback_byte(piece.decode(errors="replace")) if kind == _BYTE else piece.replace(_SPACE_MARK, b" ")
    if decoded is None:
        draft.unknown.add(token_id)
    else:
        draft.text[token_id] = decoded


def _added(token: str) -> bytes | None:
    return plain(token.replace(SPACE_MARK, " "))


def _bytes(value: Value, number: int, draft: Draft) -> bytes:
    if not isinstance(value, bytes):
        raise broken(draft.where, f"field {number} holds a number")
    return value
