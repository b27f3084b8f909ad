"""The adapters say what the engines do. What the engines do wrong is in `tests/differential/skips.toml`."""

from __future__ import annotations

import gc
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.engines import llamacpp
from langc.compiler.verify.engines.llamacpp import LlamaCpp, LlamaVocabulary
from langc.compiler.verify.engines.llguidance import LlGuidance
from langc.compiler.verify.engines.outlines_core import OutlinesCore
from langc.compiler.verify.engines.protocol import (
    BYTES,
    Engine,
    GrammarRefusedError,
    NotRunError,
    PrefixRefusedError,
    Verdict,
    judge,
)
from langc.compiler.verify.engines.python_re import PythonRe
from langc.compiler.verify.engines.xgrammar import XGrammar
from tests import assets

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("toy-engines")]

ACCEPT, PREFIX, REJECT = Verdict.ACCEPT, Verdict.PREFIX, Verdict.REJECT
LONE_LEAD, SURROGATE, ABOVE, NUL = b"\xea", b"\xed\xa0\x80", b"\xf8", b"\x00"


@cache
def llama_bytes() -> LlamaVocabulary:
    """llama.cpp over single bytes."""
    return LlamaVocabulary.of(BYTES)


def grammar(body: str) -> str:
    """A grammar of one rule, in the notation that GBNF and xgrammar's EBNF share."""
    return f"root ::= {body}"


ENGINES: dict[str, Callable[[str, str], Engine]] = {
    "llama.cpp": lambda body, _: LlamaCpp(grammar(body), llama_bytes()),
    "xgrammar": lambda body, _: XGrammar(grammar(body), BYTES),
    "xgrammar-regex": lambda _, regex: XGrammar(regex, BYTES, "regex"),
    "llguidance": lambda _, regex: LlGuidance(regex, BYTES),
    "llguidance-lark": lambda _, regex: LlGuidance(f"start: /{regex}/", BYTES, "lark"),
    # In the form that loses no token but the empty text; see skips.toml.
    "outlines-core": lambda _, regex: OutlinesCore(regex.removesuffix("*") + "+$", BYTES),
}

HANGUL = (r"[a-z\uAC00-\uD7A3]*", "[a-z가-힣]*")
PAIRS = (r'("ab")*', "(ab)*")
EXACT_NOT_HAN = (r"[\x00-\u4DFF\uA000-\uD7FF\uE000-\U0010FFFF]*", r"[\x00-\u4DFF\uA000-\uD7FF\uE000-\U0010FFFF]*")

RIGHT = [
    (HANGUL, b"", ACCEPT),
    (HANGUL, b"abc", ACCEPT),
    (HANGUL, "뷁".encode(), ACCEPT),
    (HANGUL, LONE_LEAD, PREFIX),
    (HANGUL, "뷁".encode()[:2], PREFIX),
    (HANGUL, "中".encode(), REJECT),
    (HANGUL, b"a\xff", REJECT),
    (PAIRS, b"abab", ACCEPT),
    (PAIRS, b"aba", PREFIX),
    (PAIRS, b"abb", REJECT),
]


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize(("language", "text", "right"), RIGHT)
def test_verdicts(name: str, language: tuple[str, str], text: bytes, right: Verdict) -> None:
    """Every engine gives the right verdict; outlines-core cannot end the empty text."""
    expected = PREFIX if name == "outlines-core" and not text else right
    actual = judge(ENGINES[name](*language), text)

    assert actual == expected


@pytest.mark.parametrize("name", ["llama.cpp", "xgrammar", "llguidance", "llguidance-lark", "outlines-core"])
@pytest.mark.parametrize(
    ("text", "right"), [(SURROGATE, REJECT), (ABOVE, REJECT), ("😀".encode(), ACCEPT), ("、".encode()[:1], PREFIX)]
)
def test_edges_of_unicode(name: str, text: bytes, right: Verdict) -> None:
    """A positive class without the surrogates is exact in every engine."""
    assert judge(ENGINES[name](*EXACT_NOT_HAN), text) == right


@pytest.mark.parametrize("name", ["xgrammar", "llguidance", "outlines-core"])
@pytest.mark.parametrize(("text", "right"), [(NUL, ACCEPT), (b"\xe0\x9f", REJECT), (b"\xf0\x8a", REJECT)])
def test_edges_that_llamacpp_gets_wrong(name: str, text: bytes, right: Verdict) -> None:
    """NUL is a character, and no encoding is too long."""
    assert judge(ENGINES[name](*EXACT_NOT_HAN), text) == right


TOY = Vocabulary("toy", (b"a", b"\xe4", b"\xb8", b"", b""), {3: "<eos>", 4: "<note>"}, frozenset({3}))
TOY_BODY, TOY_REGEX = r"[a\u4E2D<>note]*", "[a中<>note]*"


def allowed(engine: Engine, prefix: list[int]) -> list[int]:
    """The ids that may follow."""
    return [int(token) for token in np.flatnonzero(engine.mask(prefix))]


def test_what_engines_do_without_a_way_on() -> None:
    """Where the vocabulary has no token for the last byte of 中, an engine is at its end, and none says so alike."""
    llama = LlamaCpp(grammar(TOY_BODY), LlamaVocabulary.of(TOY))
    xgrammar = XGrammar(grammar(TOY_BODY), TOY)
    llguidance = LlGuidance(TOY_REGEX, TOY)

    assert [allowed(engine, [1, 2]) for engine in (llama, xgrammar, llguidance)] == [[], [], [0, 1]]


def test_outlines_core_refuses_a_vocabulary_that_cannot_spell_the_language() -> None:
    """It wants a token for every byte that the expression can need."""
    with pytest.raises(NotRunError, match="every byte"):
        OutlinesCore(TOY_REGEX, TOY)


@pytest.mark.parametrize(
    "load",
    [
        lambda: LlamaCpp("root ::= [a-z", llama_bytes()),
        lambda: XGrammar("root ::= [a-z", BYTES),
        lambda: LlGuidance("[a-z", BYTES),
        lambda: OutlinesCore("[a-z", BYTES),
        lambda: PythonRe("[a-z"),
    ],
    ids=["llama.cpp", "xgrammar", "llguidance", "outlines-core", "re"],
)
def test_broken_grammars_are_refused(load: Callable[[], object]) -> None:
    """An engine that does not take the grammar says so, whatever its own way is."""
    with pytest.raises(GrammarRefusedError):
        load()


@pytest.mark.parametrize("name", ENGINES)
def test_a_refused_prefix_is_located(name: str) -> None:
    """The position of the first token that the engine does not let through is known."""
    with pytest.raises(PrefixRefusedError) as caught:
        ENGINES[name](*HANGUL).mask(list(b"ab\xffc"))

    assert caught.value.position == 2


def test_python_re_judges_whole_texts() -> None:
    """`re` matches the whole text and never sees malformed UTF-8."""
    engine = PythonRe("[a-z가-힣]*\\n?")

    assert [engine.judge(text) for text in (b"abc", b"abc\n", b"abc\n\n", b"\xea")] == [ACCEPT, ACCEPT, REJECT, REJECT]


TAKEN_FOR_AN_END = {"smollm2": [], "gemma": [b"</s>"], "qwen151k": [b"</s>"], "qwen248k": []}
"""Text tokens that llama.cpp ends a text at, because of their spelling alone: HTML's end of a struck-out passage."""

LOADERS: dict[str, Callable[[], Path]] = {
    "smollm2": assets.smollm2_gguf,
    "gemma": assets.gemma_gguf,
    "qwen151k": assets.qwen151k,
    "qwen248k": assets.qwen248k,
}


@pytest.mark.parametrize("name", LOADERS)
def test_llamacpp_writes_the_bytes_that_langc_reads(name: str) -> None:
    """llama.cpp's piece of every text token is exactly langc's bytes of it, but for those it takes for an end."""
    import langc

    path = LOADERS[name]()
    vocabulary = langc.load_vocabulary(path)
    own = LlamaVocabulary(path) if path.suffix == ".gguf" else LlamaVocabulary.of(vocabulary)
    texts = [token for token in range(own.size) if not vocabulary.is_special(token)]
    different = [token for token in texts if own.piece(token) != vocabulary.token_bytes(token)]

    assert own.size == vocabulary.size
    assert len(texts) > 49_000
    assert [vocabulary.token_bytes(token) for token in different] == TAKEN_FOR_AN_END[name]
    assert {token for token in range(own.size) if own.is_end(token)} >= {*vocabulary.eos_ids, *different}


@pytest.mark.parametrize("load", [assets.smollm2_gguf, assets.gemma_gguf], ids=["smollm2", "gemma"])
def test_a_rewritten_vocabulary_gives_the_same_masks(load: Callable[[], Path]) -> None:
    """llama.cpp over langc's reading of a GGUF file allows the text tokens that it allows over the file itself."""
    import langc

    vocabulary = langc.load_vocabulary(load())
    text = np.array([not vocabulary.is_special(token) for token in range(vocabulary.size)])
    engines = [LlamaCpp(grammar(HANGUL[0]), own) for own in (LlamaVocabulary(load()), LlamaVocabulary.of(vocabulary))]
    lead = vocabulary.ids_for_bytes(LONE_LEAD)[0]
    masks = [[engine.mask(prefix)[text] for prefix in ([], [lead])] for engine in engines]

    assert [mask.sum() for mask in masks[0]] == [mask.sum() for mask in masks[1]]
    assert all(np.array_equal(first, second) for first, second in zip(*masks, strict=True))
    assert masks[0][0].sum() > 1000
    assert masks[0][1].sum() >= 16


def test_the_engines_are_the_pinned_ones() -> None:
    """The versions that the faults were measured on are those of the dependency group `engines`."""
    groups = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["dependency-groups"]
    pins = [Requirement(entry) for entry in groups["engines"]]
    here = [pin for pin in pins if pin.marker is None or pin.marker.evaluate()]

    assert len(here) >= 7
    for pin in here:
        assert len(pin.specifier) == 1
        assert str(pin.specifier).startswith("==")
        assert pin.specifier.contains(version(pin.name))


def test_llamacpp_is_freed_without_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the interpreter exits, the module may be taken apart before the last engine of it."""
    raised: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", raised.append)
    vocabulary = LlamaVocabulary.of(Vocabulary("toy", (b"a", b""), {1: "<end>"}, frozenset({1})))
    engine = LlamaCpp('root ::= "a"', vocabulary)
    monkeypatch.setattr(llamacpp, "_library", None)
    del engine
    gc.collect()
    assert raised == []
