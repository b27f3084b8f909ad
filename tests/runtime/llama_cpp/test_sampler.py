"""`langc.llama_cpp.PolicySampler` in chains of the real llama.cpp, with random logits and no model."""

from __future__ import annotations

import gc
import math
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fontTools.unicodedata import script
from hypothesis import given
from hypothesis import strategies as st

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime._llama_sampler import _texts
from tests.runtime.llama_cpp.loaded import Candidates, load

pytestmark = pytest.mark.engines

POLICY = langc.parse_policy('policy t { deny \\p{Script=Han}; allow "漢江"; stop before phrase "end"; }')
SQL = (b"SELECT ", b"*", b"id", b" FROM ", b"pets", b"owners", b", ")
EOS = 261 + len(SQL)
SCHEMA = "CREATE TABLE pets (id INTEGER, name TEXT);\nCREATE TABLE owners (id INTEGER, pet_id INTEGER);\n"


@cache
def vocabulary() -> Vocabulary:
    """Single bytes, some pieces that cut characters, words of SQL, end-of-sequence."""
    extra = [b" \xe4", b"\xb8\xad", "한".encode(), "漢江".encode(), b"ab", *SQL]
    tokens = {i: bytes([i]) for i in range(256)} | {256 + i: t for i, t in enumerate(extra)}
    return langc.load_vocabulary({"tokens": tokens, "special": {"<eos>": EOS}, "eos": [EOS]})


@contextmanager
def chain(matcher: Any, *rest: Callable[[Any], Any]) -> Iterator[Any]:
    """A chain of langc's sampler and others, freed at the end; nothing of it is kept then."""
    llama_cpp, before = load(), len(_texts)
    sampler = langc.llama_cpp.PolicySampler(matcher, llama_cpp.llama_sampler_init)
    made = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
    llama_cpp.llama_sampler_chain_add(made, sampler.new())
    for other in rest:
        llama_cpp.llama_sampler_chain_add(made, other(llama_cpp))
    made.langc = sampler
    yield made
    llama_cpp.llama_sampler_free(made)
    assert len(_texts) == before


def dist(seed: int) -> Callable[[Any], Any]:
    """llama.cpp's own choice by chance."""
    return lambda llama_cpp: llama_cpp.llama_sampler_init_dist(seed)


def step(chain: Any, logits: dict[int, float]) -> int:
    """One token, accepted."""
    candidates = Candidates(logits)
    load().llama_sampler_apply(chain, candidates.pointer)
    load().llama_sampler_accept(chain, candidates.selected)
    return candidates.selected


def random_logits(rng: random.Random) -> dict[int, float]:
    """For all ids, with a liking for what is not permitted."""
    ids = list(range(EOS + 1))
    rng.shuffle(ids)
    return {i: rng.gauss(0, 3) + 4 * (i in (256, 257, 259)) + 8 * (i > 260) for i in ids}


def write(chain: Any, seed: int, most: int = 60) -> tuple[bytes, bool]:
    """A text, and whether it was ended."""
    rng, data = random.Random(seed), b""
    for _ in range(most):
        token = step(chain, random_logits(rng))
        if token == EOS:
            return data, True
        data += vocabulary().token_bytes(token)
    return data, False


def test_no_text_leaves_the_policy() -> None:
    """Whole characters are no Han but 漢江, and an ended text is UTF-8; without the sampler neither holds."""
    ended = 0
    for seed in range(60):
        with chain(langc.Matcher(POLICY, vocabulary()), dist(seed)) as made:
            data, is_ended = write(made, seed)
        text = data.decode("utf-8", "strict" if is_ended else "ignore").replace("漢江", "")
        ended += is_ended
        assert [c for c in text if script(c) == "Hani"] in ([], ["漢"] if not is_ended else [])
    assert ended >= 5


def test_no_statement_leaves_the_surface(tmp_path: Path) -> None:
    """A surface with its names: SQLite prepares every statement that is ended, and some are."""
    (tmp_path / "pets.sql").write_text(SCHEMA, "utf-8")
    surface = langc.load_surface("sql", tmp_path / "pets.sql")
    database, ended = sqlite3.connect(":memory:"), []
    database.executescript(SCHEMA)
    for seed in range(40):
        with chain(surface.matcher(vocabulary()), dist(seed)) as made:
            data, is_ended = write(made, seed)
        if is_ended:
            ended.append(data.decode())
            database.execute(f"EXPLAIN {ended[-1]}").close()
    database.close()
    assert len(ended) >= 5


@given(st.lists(st.integers(0, EOS), min_size=1, max_size=40, unique=True), st.integers(0, 2**32))
def test_any_candidates_in_any_order(ids: list[int], seed: int) -> None:
    """Of some tokens those are left that the matcher allows one by one, each with its logit."""
    rng = random.Random(seed)
    matcher = langc.Matcher(langc.parse_policy(r"policy h { deny \p{Script=Han}; }"), vocabulary())
    with chain(matcher) as made:
        for token in rng.choices([97, 0xE4, 0xB8, 0xAD, 258, 256], k=rng.randrange(3)):
            if matcher.advance(token):
                load().llama_sampler_accept(made, token)
        candidates = Candidates({i: rng.gauss(0, 1) for i in ids}, is_sorted=True)
        before = candidates.logits
        with silent():
            load().llama_sampler_apply(made, candidates.pointer)
        expected = {i: logit if matcher.allows(i) else -math.inf for i, logit in before.items()}
        if any(matcher.allows(i) for i in ids):
            assert candidates.logits == expected
        else:
            assert [i for i, logit in candidates.logits.items() if logit > -math.inf] == [EOS]
        assert not candidates.array.sorted


@contextmanager
def silent() -> Iterator[list[Any]]:
    """What ctypes shows of exceptions in callbacks."""
    import sys

    shown: list[Any] = []
    hook, sys.unraisablehook = sys.unraisablehook, shown.append
    yield shown
    sys.unraisablehook = hook


def test_stop_before_ends_the_text() -> None:
    """Where the model wants the phrase, end-of-sequence gets its logit."""
    with chain(langc.Matcher(POLICY, vocabulary()), lambda llama_cpp: llama_cpp.llama_sampler_init_greedy()) as made:
        written = [step(made, {i: 5.0 if i == wanted else 0.0 for i in range(EOS + 1)}) for wanted in b"the end"]

    assert written == [*b"the en", EOS]


def test_copies_go_their_own_ways() -> None:
    """A clone goes on from where it was made; a copy takes the place of another; a reset begins again."""
    llama_cpp = load()
    with chain(langc.Matcher("ko", vocabulary())) as made:
        llama_cpp.llama_sampler_accept(made, 0xE4)
        clone = llama_cpp.llama_sampler_clone(made)
        llama_cpp.llama_sampler_reset(made)
        assert (left(made, 97), left(clone, 97)) == (True, False)
        llama_cpp.llama_sampler_copy(clone, made)
        assert (left(made, 97), left(clone, 97)) == (False, False)
        llama_cpp.llama_sampler_free(clone)


def left(chain: Any, token: int) -> bool:
    """Whether a token is left of all."""
    candidates = Candidates(dict.fromkeys(range(EOS + 1), 0.0))
    load().llama_sampler_apply(chain, candidates.pointer)
    return candidates.logits[token] > -math.inf


def test_texts_begin_where_the_matcher_is() -> None:
    """Also behind a reset, and whatever becomes of the matcher."""
    matcher = langc.Matcher("ko", vocabulary())
    assert matcher.advance(0xE4)
    with chain(matcher) as made:
        matcher.reset()
        assert not left(made, 97)
        load().llama_sampler_reset(made)
        assert not left(made, 97)


def test_a_token_that_is_refused_ends_the_text() -> None:
    """Something else in the program wrote what may not be written: an error, shown and kept, and end-of-sequence."""
    with chain(langc.Matcher("ko", vocabulary())) as made, silent() as shown:
        for token in "中".encode():
            load().llama_sampler_accept(made, token)
        assert [i for i in range(EOS + 1) if left(made, i)] == [EOS]
        error = made.langc.error

    assert isinstance(error, langc.DeadEndError)
    assert shown[-1].exc_value is error


def test_an_error_while_accepting_ends_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A budget that is spent, say: nothing is known of the text any more."""
    matcher = langc.Matcher("ko", vocabulary())
    with chain(matcher) as made, silent() as shown:
        monkeypatch.setattr(langc.Matcher, "advance", lambda *_: 1 / 0)
        load().llama_sampler_accept(made, 97)
        monkeypatch.undo()
        assert [i for i in range(EOS + 1) if left(made, i)] == [EOS]
        clone = load().llama_sampler_clone(made)
        assert not left(clone, 97)
        load().llama_sampler_free(clone)
        load().llama_sampler_reset(made)
        assert left(made, 97)
        error = made.langc.error

    assert isinstance(error, ZeroDivisionError)
    assert len(shown) == 1


def test_behind_top_k_nothing_may_be_left() -> None:
    """Where others have dropped all that may follow, even end-of-sequence, the text ends all the same."""
    candidates = Candidates({0xB8: 1.0, 0xB9: 0.0})
    with chain(langc.Matcher("ko", vocabulary())) as made, silent():
        load().llama_sampler_apply(made, candidates.pointer)
        error = made.langc.error

    assert [i for i, logit in candidates.logits.items() if logit > -math.inf] == [EOS]
    assert "none of the candidates may follow" in str(error)


def test_the_samplers_outlive_their_maker() -> None:
    """llama.cpp calls back as long as the chain lives, whoever has forgotten the rest."""
    llama_cpp = load()
    with chain(langc.Matcher("ko", vocabulary())) as made:
        del made.langc
        gc.collect()
        llama_cpp.llama_sampler_accept(made, 0xE4)
        assert not left(made, 97)
        assert llama_cpp.llama_sampler_name(llama_cpp.llama_sampler_chain_get(made, 0)) == b"langc"


def test_a_function_of_any_library() -> None:
    """Untyped from ctypes, or as an address, the function gives addresses."""
    import ctypes

    llama_cpp = load()
    function = ctypes.CDLL(llama_cpp.llama_cpp._lib._name).llama_sampler_init
    address = ctypes.cast(function, ctypes.c_void_p).value
    for given_function in (function, address):
        made = langc.llama_cpp.PolicySampler(langc.Matcher("ko", vocabulary()), given_function).new()
        pointer = ctypes.cast(made, llama_cpp.llama_sampler_p_ctypes)
        assert isinstance(made, int)
        assert llama_cpp.llama_sampler_name(pointer) == b"langc"
        llama_cpp.llama_sampler_free(pointer)
