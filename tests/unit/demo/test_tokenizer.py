"""The bundled tokenizer: made from the corpus, byte for byte, and read alike by the tokenizers library."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.demo import TOKENIZER, make_tokenizer
from langc.compiler.demo.make_tokenizer import CORPUS, train
from langc.compiler.demo.methods import decode


def test_the_file_is_what_the_script_makes() -> None:
    """Run `python -m langc.compiler.demo.make_tokenizer` after a change of the corpus or the script."""
    assert TOKENIZER.read_text("utf-8") == make_tokenizer.content()


def test_training_by_hand() -> None:
    """`ab` occurs five times, ` ab` four; of the pairs that occur once, the one with the smallest bytes is next."""
    tokens, merges = train("ab ab ab ab abyz cx", 260)

    assert tokens[:256] == [bytes([b]) for b in range(256)]
    assert merges == [(b"a", b"b"), (b" ", b"ab"), (b" ", b"c"), (b" ab", b"y")]
    assert tokens[256:] == [b"ab", b" ab", b" c", b" aby"]


def test_a_corpus_may_be_too_short() -> None:
    """Nothing is made up."""
    with pytest.raises(ValueError, match="nothing more to merge"):
        train("ab ab", 300)


def test_the_vocabulary() -> None:
    """500 ids: the 256 bytes, 243 merges, and the end of the text; nothing to warn of."""
    vocabulary = langc.load_vocabulary(TOKENIZER)

    assert (vocabulary.size, set(vocabulary.eos_ids), set(vocabulary.special_ids)) == (500, {499}, {499})
    assert vocabulary.warnings == ()
    assert [vocabulary.token_bytes(i) for i in range(256)] == [bytes([b]) for b in range(256)]
    assert len({vocabulary.token_bytes(i) for i in range(499)}) == 499


def test_it_holds_what_the_demo_is_about() -> None:
    """Whole Han characters, a space joined to the first byte of a character, and no token for 漢 or 뷁."""
    vocabulary = langc.load_vocabulary(TOKENIZER)

    assert vocabulary.ids_for_bytes("的".encode()) != ()
    assert vocabulary.ids_for_bytes(b" \xeb") != ()
    assert [vocabulary.ids_for_bytes(c.encode()) for c in "漢뷁"] == [(), ()]


def test_the_tokenizers_library_agrees() -> None:
    """It reads the file, writes the corpus with it and reads that back, and prints each token as the demo takes it."""
    tokenizers = pytest.importorskip("tokenizers", reason="comes with the engines' requirements")
    library = tokenizers.Tokenizer.from_file(str(TOKENIZER))
    vocabulary = langc.load_vocabulary(TOKENIZER)
    text = CORPUS.read_text("utf-8")
    ids = library.encode(text).ids

    assert library.decode(ids) == text
    assert b"".join(map(vocabulary.token_bytes, ids)) == text.encode()
    assert len(ids) < len(text.encode()) * 0.6, "the merges are used"
    assert [library.decode([i]) for i in range(500)] == [decode(vocabulary.token_bytes(i)) for i in range(500)]
