"""뷁 (U+BDC1), a syllable without a token of its own, byte piece by byte piece through every engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import langc
from langc.compiler.verify.engines.llamacpp import LlamaCpp, LlamaVocabulary
from langc.compiler.verify.engines.protocol import Engine
from langc.compiler.verify.engines.xgrammar import XGrammar
from tests import assets

pytestmark = [pytest.mark.engines]

SYLLABLE = "뷁".encode()
HAN = "中".encode()

LOADERS: dict[str, Callable[[], Path]] = {
    "smollm2": assets.smollm2_gguf,
    "gemma": assets.gemma_gguf,
    "qwen151k": assets.qwen151k,
    "qwen248k": assets.qwen248k,
}
VOCABULARIES = [pytest.param(name, marks=pytest.mark.xdist_group(f"rare-{name}")) for name in LOADERS]


@cache
def vocabulary(name: str) -> langc.Vocabulary:
    """langc's view of a real vocabulary."""
    return langc.load_vocabulary(LOADERS[name]())


def llamacpp(name: str) -> Engine:
    """llama.cpp under the GBNF target."""
    path = LOADERS[name]()
    own = LlamaVocabulary(path) if path.suffix == ".gguf" else LlamaVocabulary.of(vocabulary(name))
    return LlamaCpp(langc.compile("ko", "gbnf").text or "", own)


def xgrammar(name: str) -> Engine:
    """xgrammar under its target."""
    return XGrammar(langc.compile("ko", "xgrammar").text or "", vocabulary(name))


def pieces(name: str, text: bytes) -> list[int]:
    """The ids of the single bytes of a text."""
    return [vocabulary(name).ids_for_bytes(bytes([byte]))[0] for byte in text]


@pytest.mark.parametrize("name", VOCABULARIES)
@pytest.mark.parametrize("load", [llamacpp, xgrammar])
def test_engines_let_the_pieces_through(name: str, load: Callable[[str], Engine]) -> None:
    """Each byte of 뷁 may follow the ones before, the end only behind the last; 中 ends at its second byte.

    Its first byte passes, because it begins the hexagram signs (U+4DC0..U+4DFF), too.
    """
    engine, ids, han = load(name), pieces(name, SYLLABLE), pieces(name, HAN)
    end = min(vocabulary(name).eos_ids)
    steps = [engine.mask(ids[:n]) for n in range(4)]

    assert [bool(mask[token]) for mask, token in zip(steps, ids, strict=False)] == [True, True, True]
    assert [bool(mask[end]) for mask in steps] == [True, False, False, True]
    assert not engine.mask(han[:1])[han[1]]


@pytest.mark.parametrize("name", VOCABULARIES)
def test_the_matcher_lets_the_pieces_through(name: str) -> None:
    """The matcher behind the processor says the same."""
    matcher = langc.Matcher(langc.load_policy("ko"), vocabulary(name))
    end = min(vocabulary(name).eos_ids)
    ends = [matcher.allows(end)]
    for token in pieces(name, SYLLABLE):
        assert matcher.advance(token)
        ends.append(matcher.allows(end))
    han = [matcher.advance(token) for token in pieces(name, HAN)[:2]]

    assert ends == [True, False, False, True]
    assert han == [True, False]
