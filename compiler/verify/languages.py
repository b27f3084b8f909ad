"""Comparison by language: an artefact is read back, and what it permits is compared with what its policy permits.

Invariant: the answer is exact in both directions, and each witness is a shortest one. Reading goes by the formats'
descriptions alone; no emitter has a part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.equivalence import only_in
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LimitError, UnsupportedError
from langc.compiler.limits import MAX_ARTIFACT_TEXT, over_limit
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.artefact import Readable
from langc.compiler.verify.bias_languages import compare_bias
from langc.compiler.verify.processor_languages import compare_processor
from langc.compiler.verify.readers.bias import read_bias
from langc.compiler.verify.readers.bnf import GBNF, XGRAMMAR, is_negated_anywhere, read_grammar, read_rules
from langc.compiler.verify.readers.fsm import read_token_fsm
from langc.compiler.verify.readers.lark import read_lark
from langc.compiler.verify.readers.nodes import ReadError
from langc.compiler.verify.readers.processor import read_processor
from langc.compiler.verify.readers.regex import OUTLINES, read_regex
from langc.compiler.verify.readers.strings import read_strings
from langc.compiler.verify.report import Language, Witness
from langc.compiler.verify.token_languages import compare_tokens

Reader = Callable[[str], Dfa]
Comparison = Callable[[Policy, Readable, Vocabulary], Language]
Format = tuple[str, str | None]
"""A target, and a dialect of it."""

TEXTS: Mapping[Format, Reader] = {
    ("gbnf", None): lambda text: read_grammar(text, GBNF),
    ("xgrammar", None): lambda text: read_grammar(text, XGRAMMAR),
    ("llguidance", None): read_lark,
    ("regex", "python"): lambda text: read_regex(text, "python"),
    ("regex", "rust"): lambda text: read_regex(text, "rust"),
    ("regex", "pcre2"): lambda text: read_regex(text, "pcre2"),
    ("regex", "ecmascript"): lambda text: read_regex(text, "ecmascript"),
    ("outlines", "regex"): lambda text: read_regex(text, OUTLINES),
    ("banned-strings", "koboldcpp"): lambda text: read_strings(text, "koboldcpp"),
    ("banned-strings", "tabbyapi"): lambda text: read_strings(text, "tabbyapi"),
}
"""The formats that say which texts are permitted, whatever the tokenizer. Each reader makes the canonical automaton
over scalar values, and raises ReadError."""


def _bias(policy: Policy, readable: Readable, vocabulary: Vocabulary) -> Language:
    assert readable.dialect is not None
    return compare_bias(policy, read_bias(_decoded(readable), readable.dialect), vocabulary)


BOUND: Mapping[Format, Comparison] = {
    ("processor", None): lambda policy, r, vocabulary: compare_processor(policy, read_processor(r.data), vocabulary),
    ("outlines", "fsm"): lambda policy, r, vocabulary: compare_tokens(policy, read_token_fsm(_decoded(r)), vocabulary),
    ("logit-bias", "llama.cpp"): _bias,
    ("logit-bias", "openai"): _bias,
    ("logit-bias", "vllm"): _bias,
}
"""The formats that say which tokens of one vocabulary are permitted."""


def measure(policy: Policy, readable: Readable, vocabulary: Vocabulary | None = None) -> Language:
    """What an artefact permits and the policy does not, and the other way round.

    Raises:
        ArtifactError: it cannot be read back (LC0530).
        UnsupportedError: no reader knows the target (LC0533), or it needs a vocabulary and none is given (LC0502).
        PolicyError: the policy permits nothing, or nothing that the vocabulary can spell.
        LimitError: it is too large to be read back (LC0701).
    """
    known = (readable.target, readable.dialect)
    if known in TEXTS:
        return _of_text(policy, readable)
    if known not in BOUND:
        raise UnsupportedError(
            Diagnostic("LC0533", f"there is no reader for target {readable.target}, dialect {readable.dialect}")
        )
    if vocabulary is None:
        raise UnsupportedError(
            Diagnostic(
                "LC0502",
                f"{readable.name} is bound to a vocabulary and none was given",
                help="give the tokenizer that it was made for with `--tokenizer PATH`",
            )
        )
    with _blaming(readable):
        return BOUND[known](policy, readable, vocabulary)


def read_text(readable: Readable) -> Dfa:
    """The canonical automaton of an artefact in one of `TEXTS`. Raises as `measure` does."""
    if len(readable.data) > MAX_ARTIFACT_TEXT:
        raise LimitError(over_limit(f"bytes of text in {readable.name}", MAX_ARTIFACT_TEXT))
    with _blaming(readable):
        return TEXTS[readable.target, readable.dialect](_decoded(readable))


@contextmanager
def _blaming(readable: Readable) -> Iterator[None]:
    try:
        yield
    except ReadError as error:
        raise readable.misread(error) from None
    except LimitError as error:
        found = error.diagnostics[0]
        raise LimitError(replace(found, notes=(*found.notes, f"this was while reading {readable.name}"))) from None
    except RecursionError:
        raise readable.unreadable("too many groups or rules stand inside one another") from None


def _decoded(readable: Readable) -> str:
    if readable.text is None:
        raise readable.unreadable("it is no UTF-8")
    return readable.text


def _of_text(policy: Policy, readable: Readable) -> Language:
    read = read_text(readable)
    return Language(
        len(read.live),
        _witness(only_in(read, policy.dfa), "artefact"),
        _witness(_lost(policy.dfa, read, admitted=readable.fidelity.under), "policy"),
        tuple(_oddities(readable)),
    )


def _lost(right: Dfa, read: Dfa, admitted: str | None) -> tuple[int, ...] | None:
    """A shortest text that only the policy permits; another than the empty one if the loss of that is admitted."""
    lost = only_in(right, read)
    if lost != () or admitted != "":
        return lost
    longer = only_in(Dfa(right.partition, (*right.table, right.table[right.start]), right.accepting, right.size), read)
    return lost if longer is None else longer


def _oddities(readable: Readable) -> Iterator[str]:
    dialect = {"gbnf": GBNF, "xgrammar": XGRAMMAR}.get(readable.target)
    if dialect is not None and is_negated_anywhere(read_rules(_decoded(readable), dialect)):
        yield "a negated class means what it says on whole characters; the engine tests half-read ones in its own way"


def _witness(text: tuple[int, ...] | None, passes: str) -> Witness | None:
    return None if text is None else Witness("".join(map(chr, text)).encode(), passes)
