"""The vocabulary itself: roles, look-ups, the hash."""

import copy
import pickle

import pytest

from langc.compiler.tokens.vocabulary import Vocabulary

TOY = Vocabulary("toy", (b"a", b"\xe4\xb8", b"", b"", b"a", b" a"), {2: "<end>"}, frozenset({2}))


def test_roles() -> None:
    """Text has bytes; a special token has a spelling; a hole has neither and counts as special."""
    roles = [(TOY.token_bytes(i), TOY.is_special(i), TOY.special_text(i)) for i in range(TOY.size)]

    assert roles == [
        (b"a", False, None),
        (b"\xe4\xb8", False, None),
        (b"", True, "<end>"),
        (b"", True, None),
        (b"a", False, None),
        (b" a", False, None),
    ]
    assert TOY.special_ids == {2, 3}
    assert TOY.eos_ids == {2}


def test_ids_for_bytes_keeps_duplicates() -> None:
    """Two ids with the same bytes are both found; special ids are not found by the empty string."""
    assert TOY.ids_for_bytes(b"a") == (0, 4)
    assert TOY.ids_for_bytes(b" a") == (5,)
    assert TOY.ids_for_bytes(b"b") == ()
    assert TOY.ids_for_bytes(b"") == ()


@pytest.mark.parametrize("token_id", [-1, 6])
def test_ids_outside_are_an_index_error(token_id: int) -> None:
    """No look-up wraps around: -1 is not the last token, and rows beyond the last id are none of the vocabulary's."""
    for look_up in (TOY.token_bytes, TOY.is_special, TOY.special_text):
        with pytest.raises(IndexError):
            look_up(token_id)


def test_text_and_special_at_once_is_refused() -> None:
    """The invariant holds from the start: an end token or special token with bytes cannot be made."""
    with pytest.raises(ValueError, match="token 0"):
        Vocabulary("bad", (b"a",), {0: "<a>"})
    with pytest.raises(ValueError, match="token 0"):
        Vocabulary("bad", (b"a",), {}, frozenset({0}))


def test_immutable() -> None:
    """Neither a field nor the table of special tokens can be changed, and the caller's dict is not shared."""
    specials = {1: "<x>"}
    vocabulary = Vocabulary("v", (b"a", b""), specials)
    specials[0] = "<y>"

    assert dict(vocabulary.specials) == {1: "<x>"}
    with pytest.raises(AttributeError):
        vocabulary.name = "w"  # type: ignore[misc]
    with pytest.raises(TypeError):
        vocabulary.specials[0] = "<y>"  # type: ignore[index]


@pytest.mark.parametrize(
    "other",
    [
        Vocabulary("toy", (b"a", b"\xe4\xb8", b"", b"", b"a", b"a "), {2: "<end>"}),
        Vocabulary("toy", (b"a", b"\xe4\xb8", b"", b"", b"a"), {2: "<end>"}),
        Vocabulary("toy", (b"a", b"\xe4\xb8", b"", b"", b"a", b" a"), {2: "<END>"}),
        Vocabulary("toy", (b"a", b"\xe4\xb8", b"", b"", b"a", b" a"), {2: "<end>", 3: "<x>"}),
        Vocabulary("toy", (b"a", b"\xe4", b"\xb8", b"", b"", b"a", b" a"), {3: "<end>"}),
    ],
    ids=["bytes", "fewer ids", "spelling", "hole is special", "cut elsewhere"],
)
def test_hash_tells_contents_apart(other: Vocabulary) -> None:
    """Any change of an id, its bytes, its role or its spelling changes the hash."""
    assert other.hash != TOY.hash


def test_hash_leaves_out_names_and_ends() -> None:
    """The same content under another name, or with other tokens ending the text, has the same hash."""
    same = Vocabulary("other", TOY.tokens, dict(TOY.specials), frozenset())

    assert same.hash == TOY.hash
    assert len(TOY.hash) == 64


def test_pickle_and_copy() -> None:
    """A vocabulary can go to another process, read-only as before."""
    assert pickle.dumps(TOY)

    again = copy.deepcopy(TOY)
    assert (again.hash, again.eos_ids, dict(again.specials)) == (TOY.hash, TOY.eos_ids, dict(TOY.specials))
    with pytest.raises(TypeError):
        again.specials[0] = "<y>"  # type: ignore[index]


def test_repr_is_short() -> None:
    """The tokens of a small vocabulary, the first ones of a large one."""
    small = Vocabulary("v", (b"a", b""), {1: "<eos>"}, frozenset({1}))
    large = Vocabulary("v", (b"ab" * 99,) * 100_000, {}, frozenset())

    assert repr(small) == "Vocabulary('v', (b'a', b''), {1: '<eos>'}, frozenset({1}), size=2)"
    assert "size=100000" in repr(large)
    assert len(repr(large)) < 1_000
