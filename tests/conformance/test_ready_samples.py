"""Ordinary text of each language passes its policy, and the other languages' is refused.

Said of every sample and every policy for the automaton, and of less text for the matcher over single bytes. What the
real llama.cpp says is in tests/engines/test_ready_grammars.py.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

import langc
from langc.compiler.policy import Policy
from langc.compiler.tokens.matcher import Matcher
from tests.conformance import samples
from tests.conformance.samples import EXCEPTIONS, MISSED, NAMES, OWN, PAIRS, PASSING, REFUSED, UNSETTLED
from tests.unit.tokens.toys import BYTES_AND_EOS

pytestmark = pytest.mark.slow


@cache
def load(name: str) -> Policy:
    """A ready policy."""
    return langc.load_policy(name)


def paragraphs(language: str) -> list[str]:
    """The longer paragraphs of the Declaration, whose letters leave no doubt about the language."""
    return [text for text in samples.declaration(language) if len(text) >= 20]


def test_there_are_samples() -> None:
    """Seventeen languages, each with the Declaration, thousands of CLDR's texts, and a paragraph."""
    assert len(samples.LANGUAGES) == 17
    assert [la for la in samples.LANGUAGES if len(samples.declaration(la)) < 85] == []
    assert [la for la in samples.LANGUAGES if len(samples.display_texts(la)) < 2_300] == []
    assert [la for la in samples.LANGUAGES if len(samples.paragraph(la)) < 100] == []
    assert all(OWN[name] for name in NAMES)
    assert len(PASSING) + len(REFUSED) + len(UNSETTLED) == len(PAIRS)


@pytest.mark.parametrize(("name", "language"), PASSING)
def test_ordinary_text_passes(name: str, language: str) -> None:
    """All samples pass, but for the exceptions that are listed and explained; each of these does occur."""
    policy, exception = load(name), EXCEPTIONS.get((name, language))

    refused = [text for text in samples.everything(language) if not policy.accepts(text)]
    expected = [t for t in samples.everything(language) if exception and re.search(exception, t)]

    assert refused == expected
    assert bool(refused) == (exception is not None)


@pytest.mark.parametrize(("name", "language"), REFUSED)
def test_text_of_other_languages_is_refused(name: str, language: str) -> None:
    """No longer paragraph of it passes, and no whole sample."""
    policy = load(name)
    passed = [text for text in paragraphs(language) if policy.accepts(text)]

    assert len(passed) <= MISSED.get((name, language), 0.0) * len(paragraphs(language))
    assert not policy.accepts(samples.paragraph(language))
    assert not policy.accepts("\n".join(samples.declaration(language)))


@pytest.mark.parametrize("name", NAMES)
def test_the_matcher_lets_it_pass_byte_by_byte(name: str) -> None:
    """With the 256 bytes as tokens, each byte of the policy's own language is allowed, and the end behind a sample."""
    for language in OWN[name]:
        exception = EXCEPTIONS.get((name, language), "(?!)")
        texts = [
            t for t in (*samples.declaration(language), samples.paragraph(language)) if not re.search(exception, t)
        ]
        matcher = Matcher(load(name), BYTES_AND_EOS)

        assert len(texts) >= 80
        for text in texts:
            assert all(map(matcher.advance, text.encode())), text
            assert matcher.accepting, text


@pytest.mark.parametrize(("name", "language"), REFUSED)
def test_the_matcher_refuses_the_violating_character(name: str, language: str) -> None:
    """A foreign paragraph stops inside the character at which the policy says that it is violated."""
    text, policy = samples.paragraph(language), load(name)
    matcher = Matcher(policy, BYTES_AND_EOS)

    written = next(i for i, byte in enumerate(text.encode()) if not matcher.advance(byte))

    offset = policy.first_violation(text)
    assert offset is not None
    assert len(text[:offset].encode()) <= written < len(text[: offset + 1].encode())
