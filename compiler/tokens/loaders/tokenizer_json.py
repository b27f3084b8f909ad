"""tokenizer.json, the format of Hugging Face's tokenizers library: BPE, Unigram and WordLevel.

A token's bytes are what the file's `decoder` makes of it. That holds for added tokens as well: the library runs them
through the decoder too, so an added token `é` under a byte-level decoder writes the byte E9 and not the two bytes of
its UTF-8. Added tokens with `special: true` and the model's unknown token are special, all others are text. Which token
ends a text is in the files beside it (`generation_config.json`, `tokenizer_config.json`, `special_tokens_map.json`).
"""

from __future__ import annotations

from langc.compiler.tokens.loaders._config import add_token, named_ends, note_clean_up
from langc.compiler.tokens.loaders._decoders import Decoder, read_decoder, word_pieces
from langc.compiler.tokens.loaders._draft import Draft, check_id
from langc.compiler.tokens.loaders._errors import bad_id, broken, printed_otherwise, shown, unsupported
from langc.compiler.tokens.loaders._file import TokenizerFile
from langc.compiler.tokens.loaders._spelling import spelled


def recognises(source: object) -> bool:
    """Whether it is a JSON file, or a dict read from one, with an object under `model`."""
    if isinstance(source, TokenizerFile):
        return source.looks_like_json and isinstance(source.json.get("model"), dict)
    return isinstance(source, dict) and isinstance(source.get("model"), dict)


def load(source: object) -> Draft:
    """Read a tokenizer.json and the settings beside it."""
    if not isinstance(source, TokenizerFile):
        assert isinstance(source, dict)
        return read_document(source, Draft("tokenizer.json", "the tokenizer.json"))
    draft = read_document(source.json, Draft(source.path.name, source.where))
    draft.eos |= named_ends(source)
    note_clean_up(source, draft)
    return draft


def read_document(document: dict[str, object], draft: Draft) -> Draft:
    """Fill a draft from a parsed tokenizer.json. Raises UnsupportedTokenizerError (LC0603, LC0604, LC0605)."""
    model = document.get("model")
    if not isinstance(model, dict):
        raise broken(draft.where, 'there is no object "model"')
    pieces = _pieces(model, draft)
    decoder = read_decoder(document.get("decoder"), draft.where)
    _check_marks(model, pieces, decoder, draft)
    if decoder.trims is not None:
        draft.warnings.append(printed_otherwise(draft.where, decoder.trims))
    _add_pieces(pieces, decoder, draft)
    _add_unknown(model, pieces, draft)
    added = document.get("added_tokens") or []
    if not isinstance(added, list) or not all(isinstance(token, dict) for token in added):
        raise broken(draft.where, '"added_tokens" is no list of objects')
    for token in added:
        add_token(token.get("id"), token, decoder, draft)
    return draft


def _pieces(model: dict[str, object], draft: Draft) -> list[tuple[str, int]]:
    """The model's own tokens with their ids."""
    kind, vocab = model.get("type"), model.get("vocab")
    if kind == "Unigram" and isinstance(vocab, list):
        return [(_piece(entry, token_id, draft), token_id) for token_id, entry in enumerate(vocab)]
    if kind == "WordPiece":
        raise word_pieces(draft.where)
    if kind not in ("BPE", "WordLevel", None):
        raise unsupported(draft.where, f"a tokenizer of the type {shown(kind)}; BPE, Unigram and WordLevel are known")
    if not isinstance(vocab, dict):
        raise broken(draft.where, '"model" has no "vocab"')
    for piece, token_id in vocab.items():
        if type(token_id) is not int:
            check_id(token_id, draft.where, f"the token {shown(piece)}")
    if len(set(vocab.values())) < len(vocab):
        raise bad_id(draft.where, "two tokens of the vocabulary have the same id")
    return list(vocab.items())


def _check_marks(model: dict[str, object], pieces: list[tuple[str, int]], decoder: Decoder, draft: Draft) -> None:
    """Refuse tokens in a spelling that the decoder does not turn into text, but something else will."""
    suffix = model.get("end_of_word_suffix")
    if model.get("continuing_subword_prefix") or (suffix and (suffix, " ") not in decoder.replacements):
        raise unsupported(draft.where, "the tokenizer marks where words go on or end, and its decoder leaves the marks")
    example = spelled(piece for piece, _ in pieces) if decoder.before else None
    if example is not None:
        raise unsupported(draft.where, f"there is no decoder for tokens such as {shown(example)}")


def _piece(entry: object, token_id: int, draft: Draft) -> str:
    """The text of a Unigram entry `[piece, score]`."""
    if not isinstance(entry, list) or not entry or not isinstance(entry[0], str):
        raise broken(draft.where, f"the Unigram entry number {token_id} is no piece with a score")
    return entry[0]


def _add_pieces(pieces: list[tuple[str, int]], decoder: Decoder, draft: Draft) -> None:
    for piece, token_id in pieces:
        decoded = decoder(piece)
        if decoded is None:
            draft.unknown.add(token_id)
        else:
            draft.text[token_id] = decoded


def _add_unknown(model: dict[str, object], pieces: list[tuple[str, int]], draft: Draft) -> None:
    """The model's unknown token is special, whether or not it is an added token."""
    by_name, by_id = model.get("unk_token"), model.get("unk_id")
    draft.special |= {token_id: piece for piece, token_id in pieces if piece == by_name or token_id == by_id}
