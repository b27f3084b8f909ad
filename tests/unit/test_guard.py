"""The stream guard as programs use it."""

from __future__ import annotations

import pickle

import pytest

import langc
from langc.compiler.errors import LangcError, PolicyError
from langc.compiler.policy import Policy

HAN = langc.parse_policy('policy p { deny script Han; allow "漢江"; }')
HOUSE = langc.parse_policy(
    'policy p { replace [—] with " - "; replace phrase "utilize" with "use" { ignore case; } replace [·] with "";'
    ' deny phrase "ab" { boundary both; } deny [x]; }'
)


def _shown(policy: Policy, *chunks: str) -> list[str]:
    guard = langc.StreamGuard(policy, "stop")
    return [*(guard.feed_text(chunk) for chunk in chunks), guard.finish_text()]


def test_half_a_character_is_held_back() -> None:
    """Case A05: 안녕 is shown, half of 李 waits, and 李 is refused and never shown."""
    guard = langc.StreamGuard(HAN)
    shown = [guard.feed("안녕".encode()), guard.feed(b"\xe6")]
    with pytest.raises(langc.PolicyViolation, match=r"\[LC0404\].*李") as caught:
        guard.feed(b"\x9d\x8e")

    assert shown == ["안녕".encode(), b""]
    assert (caught.value.text, caught.value.violation.offset) == ("", 2)
    assert (guard.ended, guard.violation) == (True, caught.value.violation)
    assert guard.feed("뒤".encode()) + guard.finish() == b""


def test_what_stands_before_a_violation_comes_with_the_error() -> None:
    """Whatever the chunks, nothing that may be shown is lost."""
    guard = langc.StreamGuard(HAN)
    with pytest.raises(langc.PolicyViolation) as caught:
        guard.feed_text("안녕 漢字")

    assert caught.value.text == "안녕 "
    assert (caught.value.violation.start, caught.value.violation.text) == (3, "漢字")
    assert caught.value.diagnostics[0].data == caught.value.violation.to_json()


def test_ended_silently() -> None:
    """`stop` shows the same and raises nothing; `violation` says why."""
    guard = langc.StreamGuard(HAN, on_violation="stop")

    assert (guard.feed("안녕 漢字".encode()), guard.feed(b"x"), guard.finish()) == ("안녕 ".encode(), b"", b"")
    assert guard.violation is not None
    assert (guard.violation.rule, guard.violation.text) == ("deny script Han", "漢字")


def test_terms_wait_until_they_are_complete() -> None:
    """A term that the text ends in is a violation at its end."""
    assert _shown(HAN, "a漢", "江", "b漢") == ["a", "漢江", "b", ""]
    with pytest.raises(langc.PolicyViolation):
        langc.StreamGuard(HAN).feed_text("a漢b")
    guard = langc.StreamGuard(HAN)
    assert guard.feed_text("a漢") == "a"
    with pytest.raises(langc.PolicyViolation):
        guard.finish()


def test_phrases_wait_no_longer_than_they_must() -> None:
    """The beginning of a phrase waits until it goes on otherwise."""
    assert _shown(HOUSE, "we ut", "ili", "ze it, uti", "l") == ["we ", "", "use it, ", "", "util"]


def test_replacements() -> None:
    """Sets by the character, phrases by the occurrence; nothing at all for `with ""`."""
    assert "".join(_shown(HOUSE, "——a·b Utilize")) == " -  - "
    assert "".join(_shown(HOUSE, "——a·c Utilize")) == " -  - ac use"
    guard = langc.StreamGuard(HOUSE)
    guard.feed_text("—· utilize ")
    assert guard.mended == 3


def test_what_a_replacement_makes_is_a_violation_too() -> None:
    """Leaving · out makes `ab`, which is denied; its offset counts in the mended text."""
    guard = langc.StreamGuard(HOUSE, "stop")

    assert guard.feed_text("— a·b c") + guard.finish_text() == " -  "
    assert guard.violation is not None
    assert (guard.violation.start, guard.violation.rule) == (4, 'deny phrase "ab" { boundary both; }')


def test_mending_is_bounded() -> None:
    """Four rounds undo four nestings; what is left is a violation."""
    policy = langc.parse_policy('policy p { replace phrase "ab" with "" { boundary none; } }')

    assert _shown(policy, "x" + "a" * 4 + "b" * 4) == ["x", ""]
    guard = langc.StreamGuard(policy)
    with pytest.raises(langc.PolicyViolation):
        guard.feed_text("a" * 5 + "b" * 5)


@pytest.mark.parametrize("on_violation", ["raise", "stop"])
def test_stop_phrases_end_the_text(on_violation: str) -> None:
    """Behind one of `stop on`, before one of `stop before`; neither is an error."""
    policy = langc.parse_policy('policy p { stop on phrase "END"; stop before phrase "User:" { boundary none; } }')
    found = []
    for text in ("a END b", "a\nUser: b", "a END"):
        guard = langc.StreamGuard(policy, on_violation)
        shown = guard.feed_text(text) + guard.finish_text()
        found.append((shown, guard.violation and guard.violation.rule))

    assert found == [
        ("a END", 'stop on phrase "END"'),
        ("a\n", 'stop before phrase "User:" { boundary none; }'),
        ("a END", None),
    ]


def test_regions() -> None:
    """What must close waits until it does; a replacement in a region obeys the region's rules."""
    policy = langc.parse_policy('policy p { deny [x]; region r = between "<" ">" { replace [y] with "x"; } }')

    assert _shown(policy, "a<x", "y", ">", "x") == ["a", "", "<xx>", "", ""]


def test_a_code_span_that_does_not_close() -> None:
    """A phrase in it waits for the line to end, and no part of it is shown if it was none."""
    policy = langc.parse_policy('policy p { deny phrase "abc" { boundary none; } region code = inline_code { any } }')

    assert _shown(policy, "x `abc", " de", "`", " f") == ["x `", "", "abc de`", " f", ""]
    assert _shown(policy, "x `abc", " de", "\n") == ["x `", "", "", ""]


def test_a_closer_of_letters_is_a_boundary() -> None:
    """Whether a phrase before it is one shows only where it is complete."""
    policy = langc.parse_policy(
        'policy p { region r = between "<" "END" { deny phrase "ab" { boundary right; } } unclosed r: allow; }'
    )

    assert _shown(policy, "<ab", "E", "N", "x") == ["<", "", "", "abENx", ""]
    assert _shown(policy, "<ab", "E", "N", "D") == ["<", "", "", "", ""]


def test_a_policy_by_name() -> None:
    """As everywhere."""
    assert langc.StreamGuard("ko").feed("한글".encode()) == "한글".encode()


def test_no_such_way_to_end() -> None:
    """There is no way to let a violation pass."""
    with pytest.raises(PolicyError, match="LC0318"):
        langc.StreamGuard(HAN, "pass")


@pytest.mark.parametrize(("chunks", "offset"), [([b"a", b"\xe6\x9d", b"a"], 1), ([b"ab\xff"], 2), ([b"\xe6"], 0)])
def test_bytes_that_are_no_text(chunks: list[bytes], offset: int) -> None:
    """Bad bytes are an error with their offset, and so is half a character at the end."""
    guard = langc.StreamGuard(HAN, name="answer")
    with pytest.raises(LangcError, match=rf"answer is not UTF-8.* offset {offset}$"):
        [*map(guard.feed, chunks), guard.finish()]


@pytest.mark.parametrize("chunks", [[b"a\xff"], [b"\xe6", b"a"], [b"\xe6\x9d"]])
def test_bytes_that_are_no_text_end_it(chunks: list[bytes]) -> None:
    """What would follow them is not known, so nothing more is shown, and the error comes once."""
    guard = langc.StreamGuard(HAN)
    with pytest.raises(LangcError, match="LC0004"):
        [*map(guard.feed, chunks), guard.finish()]

    assert guard.ended
    assert guard.feed(b"b") + guard.finish() == b""


def test_the_error_can_be_sent_to_another_process() -> None:
    """It keeps its violation and its text."""
    with pytest.raises(langc.PolicyViolation) as caught:
        langc.StreamGuard(HAN).feed_text("a漢字")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 -- our own

    assert (again.text, again.violation, str(again)) == ("a", caught.value.violation, str(caught.value))
