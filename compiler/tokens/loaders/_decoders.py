"""What the `decoder` of a tokenizer.json does to one token.

A decoder works on the list of tokens in steps, and most steps look at one token only. These can be followed for each
id: `Replace` of a string, `Metaspace` and `ByteFallback` (SentencePiece), `ByteLevel` (GPT-2), `BPEDecoder` (a mark at
word ends is a space). Without a decoder the tokens are joined with spaces, so each writes a space and itself. What is
taken away at the start or end of the text, by these or by `Strip` after `Fuse`, is spaces only: a warning.

Steps that look across tokens cannot be followed: `CTC`, and `WordPiece`, where `##ing` writes `ing` behind another
token and `##ing` at the start of a text, so that a mask would let a `#` through. They and unknown steps are refused.

Source: the decoders of Hugging Face's tokenizers library, checked against version 0.23.
"""

from __future__ import annotations

from dataclasses import dataclass

from langc.compiler.errors import UnsupportedTokenizerError
from langc.compiler.tokens.loaders._errors import shown, unsupported
from langc.compiler.tokens.loaders._spelling import byte_level, fallback_byte, plain


@dataclass
class Decoder:
    """The steps that matter for one token, in this order."""

    replacements: list[tuple[str, str]]
    before: str = ""
    """What is put before every token."""
    byte_fallback: bool = False
    byte_level: bool = False
    joined: bool = False
    """While reading the steps: whether the tokens are one text by now."""
    trims: str | None = None
    """What the decoder takes away at the ends of the text, for a warning."""

    def __call__(self, token: str) -> bytes | None:
        """The bytes that the decoder puts out for a token; None if they cannot be known."""
        for old, new in self.replacements:
            token = token.replace(old, new)
        if self.byte_level:  # the library takes a token with a character outside the alphabet as plain text
            decoded = byte_level(token)
            return plain(token) if decoded is None else decoded
        token = self.before + token
        byte = fallback_byte(token) if self.byte_fallback else None
        return plain(token) if byte is None else byte


def read_decoder(document: object, where: str) -> Decoder:
    """The decoder of a tokenizer.json. Raises UnsupportedTokenizerError (LC0604) for a step that cannot be followed."""
    if document is None:
        return Decoder([], before=" ", trims="the space before the first token is dropped")
    decoder = Decoder([])
    for step in _steps(document, where):
        _follow(step, decoder, where)
    return decoder


def _steps(document: object, where: str) -> list[dict[str, object]]:
    if not isinstance(document, dict):
        raise _refused(document, where)
    if document.get("type") != "Sequence":
        return [document]
    steps = document.get("decoders")
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise _refused(document, where)
    return steps


def _follow(step: dict[str, object], decoder: Decoder, where: str) -> None:
    kind = step.get("type")
    if kind == "Fuse":
        decoder.joined = True
    elif kind == "Strip" and decoder.joined:
        if step.get("start") or step.get("stop"):
            decoder.trims = f"{shown(step.get('content'))} is stripped at the ends of the text"
    elif kind == "Replace" and not decoder.joined:
        decoder.replacements.append(_replacement(step, where))
    elif kind == "Metaspace" and not decoder.joined:
        decoder.replacements.append((_string(step.get("replacement"), step, where), " "))
        if step.get("prepend_scheme", "always") != "never" and step.get("add_prefix_space") is not False:
            decoder.trims = "the spaces of the first token are dropped"
    elif kind == "BPEDecoder" and not decoder.joined:
        decoder.replacements.append((_string(step.get("suffix"), step, where), " "))
        decoder.trims = "the spaces of the last token are dropped"
    elif kind == "ByteFallback" and not decoder.joined:
        decoder.byte_fallback = decoder.joined = True
    elif kind == "ByteLevel" and not decoder.joined:
        decoder.byte_level = decoder.joined = True
    else:
        raise _refused(step, where)


def _replacement(step: dict[str, object], where: str) -> tuple[str, str]:
    pattern = step.get("pattern")
    if not isinstance(pattern, dict):
        raise _refused(step, where)
    return _string(pattern.get("String"), step, where), _string(step.get("content"), step, where)


def _string(value: object, step: dict[str, object], where: str) -> str:
    if not isinstance(value, str):
        raise _refused(step, where)
    return value


def word_pieces(where: str) -> UnsupportedTokenizerError:
    """Why WordPiece is refused."""
    problem = "a WordPiece token such as '##ing' is printed as it stands at the start of a text, and as 'ing' elsewhere"
    return unsupported(where, problem)


def _refused(step: object, where: str) -> UnsupportedTokenizerError:
    kind = step.get("type") if isinstance(step, dict) else step
    if kind == "WordPiece":
        return word_pieces(where)
    return unsupported(where, f"a decoder step {shown(kind)} in this place cannot be followed token by token")
