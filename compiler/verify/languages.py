"""Comparison by language: an artefact is read back, and what it permits is compared with what its policy permits.

Invariant: the answer is exact in both directions, and each witness is a shortest one. Reading goes by the formats'
descriptions alone; no emitter has a part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.equivalence import only_in
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import UnsupportedError
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.artefact import Readable
from langc.compiler.verify.readers.bnf import GBNF, XGRAMMAR, read_grammar
from langc.compiler.verify.readers.nodes import ReadError
from langc.compiler.verify.readers.regex import OUTLINES, read_regex
from langc.compiler.verify.report import Language, Witness

Reader = Callable[[str], Dfa]
Format = tuple[str, str | None]
"""A target, and a dialect of it."""

TEXTS: Mapping[Format, Reader] = {
    ("gbnf", None): lambda text: read_grammar(text, GBNF),
    ("xgrammar", None): lambda text: read_grammar(text, XGRAMMAR),
    ("regex", "python"): lambda text: read_regex(text, "python"),
    ("regex", "rust"): lambda text: read_regex(text, "rust"),
    ("regex", "pcre2"): lambda text: read_regex(text, "pcre2"),
    ("regex", "ecmascript"): lambda text: read_regex(text, "ecmascript"),
    ("outlines", "regex"): lambda text: read_regex(text, OUTLINES),
}
"""The formats that say which texts are permitted, whatever the tokenizer. Each reader makes the canonical automaton
over scalar values, and raises ReadError."""


def measure(policy: Policy, readable: Readable, vocabulary: Vocabulary | None = None) -> Language:
    """What an artefact permits and the policy does not, and the other way round.

    Raises:
        ArtifactError: it cannot be read back (LC0530).
        UnsupportedError: no reader knows the target (LC0533), or it needs a vocabulary and none is given (LC0502).
        LimitError: it is too large to be read back (LC0701).
    """
    reader = TEXTS.get((readable.target, readable.dialect))
    if reader is None:
        raise UnsupportedError(
            Diagnostic("LC0533", f"there is no reader for target {readable.target}, dialect {readable.dialect}")
        )
    return _of_text(policy, readable, read_text(readable))


def read_text(readable: Readable) -> Dfa:
    """The canonical automaton of an artefact in one of `TEXTS`. Raises as `measure` does."""
    text = readable.text
    if text is None:
        raise readable.unreadable("it is no UTF-8")
    try:
        return TEXTS[readable.target, readable.dialect](text)
    except ReadError as error:
        raise readable.misread(error) from None
    except RecursionError:
        raise readable.unreadable("too many groups or rules stand inside one another") from None


def _of_text(policy: Policy, readable: Readable, read: Dfa) -> Language:
    return Language(
        len(read.live),
        _witness(only_in(read, policy.dfa), "artefact"),
        _witness(only_in(policy.dfa, read), "policy"),
    )


def _witness(text: tuple[int, ...] | None, passes: str) -> Witness | None:
    return None if text is None else Witness("".join(map(chr, text)).encode(), passes)
