"""`langc.llama_cpp.PolicyLogitsProcessor` as llama-cpp-python calls it, without a model.

What calls it is llama-cpp-python's own sampler chain, over random logits: `Llama._init_sampler` makes it.
"""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import pytest
from fontTools.unicodedata import script

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from tests import assets
from tests.runtime.llama_cpp.loaded import Candidates, load

pytestmark = pytest.mark.engines

SQL = (b"SELECT ", b"*", b"id", b" FROM ", b"pets", b", ")
EOS = 261 + len(SQL)
POLICY = langc.parse_policy('policy t { deny \\p{Script=Han}; allow "漢江"; }')
PROMPT = list("漢字: ".encode())


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    """Single bytes, some pieces that cut characters, words of SQL, end-of-sequence."""
    extra = [b" \xe4", b"\xb8\xad", "한".encode(), "漢江".encode(), b"ab", *SQL]
    tokens = {i: bytes([i]) for i in range(256)} | {256 + i: t for i, t in enumerate(extra)}
    return langc.load_vocabulary({"tokens": tokens, "special": {"<eos>": EOS}, "eos": [EOS]})


class Writer:
    """As much of a `Llama` as its sampler looks at, with logits by chance."""

    def __init__(self, processor: Any, seed: int = 0) -> None:
        llama_cpp = load()
        self._input_ids = np.array(PROMPT, dtype=np.intc)
        self._model, self.last_n_tokens_size, self._n_vocab, self._seed = None, 64, EOS + 1, seed
        self._rng = random.Random(seed)
        given = llama_cpp.LogitsProcessorList([processor])
        self._sampler = llama_cpp.Llama._init_sampler(self, temp=1.0, min_p=0.0, logits_processor=given)

    def step(self) -> int:
        """One token."""
        liked = {256: 4, 257: 4, 259: 4, **dict.fromkeys(range(261, EOS + 1), 8)}
        candidates = Candidates({i: self._rng.gauss(0, 3) + liked.get(i, 0) for i in range(EOS + 1)})
        load().llama_sampler_apply(self._sampler.sampler, candidates.pointer)
        self._input_ids = np.append(self._input_ids, np.intc(candidates.selected))
        return candidates.selected

    def write(self, vocabulary: Vocabulary, most: int = 60) -> tuple[bytes, bool]:
        """A text, and whether it was ended."""
        data = b""
        for _ in range(most):
            token = self.step()
            if token == EOS:
                return data, True
            data += vocabulary.token_bytes(token)
        return data, False


def test_no_text_leaves_the_policy(vocabulary: Vocabulary) -> None:
    """Behind a prompt that is not permitted, text after text with one processor."""
    processor, ended = langc.llama_cpp.PolicyLogitsProcessor(POLICY, vocabulary), 0
    for seed in range(60):
        data, is_ended = Writer(processor, seed).write(vocabulary)
        ended += is_ended
        text = data.decode("utf-8", "strict" if is_ended else "ignore").replace("漢江", "")
        assert [c for c in text if script(c) == "Hani"] in ([], ["漢"] if not is_ended else [])
    assert ended >= 5
    assert processor.error is None


def test_without_it_they_do(vocabulary: Vocabulary) -> None:
    """The trial above shows something."""
    texts = [
        Writer(lambda _, scores: scores, seed).write(vocabulary)[0].decode("utf-8", "replace") for seed in range(30)
    ]

    assert any(c == "\ufffd" or script(c) == "Hani" for text in texts for c in text)


def test_every_text_ends_in_time(vocabulary: Vocabulary) -> None:
    """With `max_tokens`, in the middle of nothing."""
    processor = langc.llama_cpp.PolicyLogitsProcessor(POLICY, vocabulary, max_tokens=9)
    written = [Writer(processor, seed).write(vocabulary, 10) for seed in range(30)]

    assert all(is_ended for _, is_ended in written)
    assert all("漢" not in data.decode().replace("漢江", "") for data, _ in written)
    assert sum(len(data) >= 9 for data, _ in written) >= 10


def test_a_surface(vocabulary: Vocabulary, tmp_path: Path) -> None:
    """What `load_surface` gives is taken, and what `langc compile` writes of it."""
    (tmp_path / "pets.sql").write_text("CREATE TABLE pets (id INTEGER, name TEXT);", "utf-8")
    surface = langc.load_surface("sql", tmp_path / "pets.sql")
    (tmp_path / "sql.json").write_bytes(langc.compile(surface, "processor").content)
    for given in (surface, langc.load_surface(tmp_path / "sql.json")):
        processor = langc.llama_cpp.PolicyLogitsProcessor(given, vocabulary)
        written = [Writer(processor, seed).write(vocabulary, 30) for seed in range(30)]
        assert all(surface.accepts(data.decode()) for data, is_ended in written if is_ended)
        assert sum(is_ended for _, is_ended in written) >= 3


def test_the_masks_are_those_of_the_array_processor(vocabulary: Vocabulary) -> None:
    """One history by two ways; the scores that were given stay as they are."""
    theirs = langc.arrays.PolicyProcessor(POLICY, vocabulary, prompt_length=len(PROMPT))
    ours = langc.llama_cpp.PolicyLogitsProcessor(POLICY, vocabulary)
    ids = np.array(PROMPT, dtype=np.intc)
    for token in (*"漢".encode(), None):
        scores = np.zeros(EOS + 1, np.single)
        assert np.array_equal(ours(ids, scores), theirs(ids, scores.copy()))
        assert not scores.any()
        ids = ids if token is None else np.append(ids, np.intc(token))


def test_an_error_ends_the_text(vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch) -> None:
    """llama-cpp-python cannot pass it on: it is shown and kept, and end-of-sequence is all that is left."""
    shown: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", shown.append)
    processor = langc.llama_cpp.PolicyLogitsProcessor(POLICY, vocabulary, len(PROMPT))
    writer = Writer(processor)
    writer._input_ids = np.array([*PROMPT, *"中".encode()], dtype=np.intc)

    assert [writer.step() for _ in range(20)] == [EOS] * 20
    assert isinstance(processor.error, langc.DeadEndError)
    assert shown[0].exc_value is not None
    processor.reset()
    assert processor.error is None


def test_outside_of_llama_cpp_it_is_raised(vocabulary: Vocabulary) -> None:
    """In a loop of one's own, say; and a model with fewer rows than the tokenizer has ids is refused at once."""
    processor = langc.llama_cpp.PolicyLogitsProcessor(POLICY, vocabulary)
    scores = np.zeros(EOS, np.single)
    with pytest.raises(langc.UnsupportedTokenizerError, match="LC0650"):
        processor(np.array(PROMPT, dtype=np.intc), scores)

    assert np.isneginf(scores).all()


def test_the_interface_is_that_of_llama_cpp_python() -> None:
    """Two arguments, the ids and the scores; a scores-like array comes back."""
    arguments, result = get_args(load().llama.LogitsProcessor)

    assert [str(argument) for argument in arguments] == [str(load().llama.npt.NDArray[t]) for t in (np.intc, np.single)]
    assert str(result) == str(load().llama.npt.NDArray[np.single])


def test_a_llama_in_place_of_a_vocabulary() -> None:
    """Its file is read. One with a draft model hands out ids that were not written, and is refused."""
    path = assets.smollm2_gguf()
    llama = SimpleNamespace(model_path=str(path), draft_model=None)
    ids, scores = np.array([1, 2], dtype=np.intc), np.zeros(49_152, np.single)
    found = langc.llama_cpp.PolicyLogitsProcessor("ko", llama)(ids, scores)
    expected = langc.llama_cpp.PolicyLogitsProcessor("ko", path)(ids, scores)

    assert np.array_equal(found, expected)
    assert math.isinf(found.min())
    llama.draft_model = object()
    with pytest.raises(ValueError, match="draft model"):
        langc.llama_cpp.PolicyLogitsProcessor("ko", llama)
