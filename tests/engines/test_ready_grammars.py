"""The grammars of the ready policies in the real llama.cpp: its own grammar code, over the 256 bytes as tokens."""

from __future__ import annotations

import re
from functools import cache

import pytest

import langc
from langc.compiler.verify.engines.llamacpp import LlamaCpp, LlamaVocabulary
from langc.compiler.verify.engines.protocol import BYTES, PrefixRefusedError, Verdict, judge
from tests.conformance import samples
from tests.conformance.samples import EXCEPTIONS, NAMES, OWN, REFUSED

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("ready-grammars")]

SAMPLE_BYTES = 6_000
"""Of the Declaration, beside the paragraph."""


@cache
def llama_bytes() -> LlamaVocabulary:
    """llama.cpp over single bytes."""
    return LlamaVocabulary.of(BYTES)


@cache
def engine(name: str) -> LlamaCpp:
    """llama.cpp under the GBNF target of a policy."""
    return LlamaCpp(langc.compile(name, "gbnf").text or "", llama_bytes())


def text_of(name: str, language: str) -> str:
    """The paragraph of a language and the beginning of its Declaration, without what the policy refuses as listed."""
    exception = EXCEPTIONS.get((name, language), "(?!)")
    texts = "\n".join(t for t in samples.declaration(language) if not re.search(exception, t))
    return samples.paragraph(language) + texts.encode()[:SAMPLE_BYTES].decode(errors="ignore")


@pytest.mark.parametrize("name", NAMES)
def test_ordinary_text_passes(name: str) -> None:
    """Every byte is let through, and the text may end."""
    verdicts = {language: judge(engine(name), text_of(name, language).encode()) for language in OWN[name]}

    assert verdicts == dict.fromkeys(OWN[name], Verdict.ACCEPT)


@pytest.mark.parametrize("name", NAMES)
def test_text_of_other_languages_stops_where_the_policy_says(name: str) -> None:
    """llama.cpp refuses a byte of the character at which the policy is violated."""
    policy, foreign = langc.load_policy(name), [language for p, language in REFUSED if p == name]
    stops = {}
    for language in foreign:
        with pytest.raises(PrefixRefusedError) as refused:
            engine(name).mask(list(samples.paragraph(language).encode()))
        stops[language] = len(samples.paragraph(language).encode()[: refused.value.position].decode(errors="ignore"))

    assert stops == {language: policy.first_violation(samples.paragraph(language)) for language in foreign}


@pytest.mark.parametrize("name", NAMES)
def test_the_policy_s_own_examples(name: str) -> None:
    """The `accept` and `reject` lines hold in llama.cpp, offsets included."""
    examples = langc.load_policy(name).lowered.examples
    stops = {}
    for example in examples:
        data = example.text.encode()
        try:
            ends = engine(name).mask(list(data))[256]
            stops[example.text] = None if ends else len(example.text)
        except PrefixRefusedError as refused:
            stops[example.text] = len(data[: refused.position].decode(errors="ignore"))

    assert stops == {e.text: e.at for e in examples}
