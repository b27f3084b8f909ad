"""Every small policy in every text target: read back exactly, and run in the real engines on every small string.

The policies are all expressions of up to three nodes, those of four in `make exhaustive`. Engines that write token by
token have their whole mask over the single bytes compared behind each beginning of each string, and then judge the
strings as wholes; engines that match texts judge each text. What an engine gets wrong by itself is told by a predicate,
and pinned where it shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache, reduce

import numpy as np
import pytest

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD
from langc.compiler.errors import PolicyError
from langc.compiler.ir.language import Language, class_, cover, intersection, repetition
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.unicode.intervals import SCALARS
from langc.compiler.verify.engines.llamacpp import LlamaCpp, LlamaVocabulary
from langc.compiler.verify.engines.llguidance import LlGuidance
from langc.compiler.verify.engines.outlines_core import OutlinesCore
from langc.compiler.verify.engines.protocol import Engine, GrammarRefusedError, Mask, Verdict, judge
from langc.compiler.verify.engines.xgrammar import XGrammar
from langc.compiler.verify.readers.bnf import GBNF, XGRAMMAR, read_grammar
from langc.compiler.verify.readers.fsm import read_fsm
from langc.compiler.verify.readers.regex import DIALECTS, read_regex
from langc.targets._fsm import Fsm
from tests.differential.test_text_targets import is_fault_of_llamacpp
from tests.engines import full_match
from tests.oracle.byte_verdicts import judge_bytes
from tests.oracle.residual import Referee
from tests.oracle.worlds import languages, languages_up_to, small_strings, texts
from tests.property.languages import policy_for
from tests.unit.targets.test_outlines import BYTES

END = 256
"""The id of the end token; each other id is a byte."""
SOME_TEXT = repetition(class_(SCALARS), 1)


pytestmark = pytest.mark.engines

VERDICTS = {(False, False): Verdict.REJECT, (True, False): Verdict.PREFIX, (True, True): Verdict.ACCEPT}


def policies(expressions: Sequence[Language]) -> Iterator[tuple[Policy, Referee]]:
    """Those that hold some text, each with its referee."""
    for language in expressions:
        referee = Referee(language)
        if referee.viable(""):
            yield policy_for(language), referee


def text(policy: Policy, target: str, dialect: str | None = None) -> str:
    """The artefact."""
    found = compile_policy(policy, target, BYTES, dialect=dialect, allow=["under"]).text
    assert found is not None
    return found


def is_without_characters(policy: Policy) -> bool:
    """Whether the empty text is the only one."""
    return not any(policy.dfa.table[policy.dfa.start])


@cache
def beginnings() -> tuple[bytes, ...]:
    """Every beginning of every string of up to two pieces, the empty one first."""
    return tuple(dict.fromkeys(data[:n] for data in small_strings(2) for n in range(len(data) + 1)))


def masks(policy: Policy) -> Iterator[tuple[bytes, Mask]]:
    """What may follow each beginning of a permitted text, by the byte automaton; the last id is the end."""
    dfa = policy.byte_dfa
    classes = [dfa.partition.class_of(byte) for byte in range(256)]
    for data in beginnings():
        state = dfa.run(data)
        if state != DEAD:
            row = [dfa.table[state][number] != DEAD for number in classes]
            yield data, np.array([*row, state in dfa.accepting], np.bool_)


def compare_readers(expressions: Sequence[Language]) -> int:
    """Read all text artefacts back; how many automata were compared."""
    compared = 0
    for policy, _ in policies(expressions):
        read = {
            "gbnf": read_grammar(text(policy, "gbnf"), GBNF),
            "xgrammar": read_grammar(text(policy, "xgrammar"), XGRAMMAR),
            **{dialect: read_regex(text(policy, "regex", dialect), dialect) for dialect in DIALECTS},
        }
        assert read == dict.fromkeys(read, policy.dfa), policy.ir.language
        compared += len(read)
        if not is_without_characters(policy):  # nothing would be left
            body = text(policy, "outlines", "regex").removesuffix("$")
            assert read_regex(body, "rust") == build_dfa(intersection(policy.ir.language, SOME_TEXT)), (
                policy.ir.language
            )
            compared += 1
    return compared


def compare_token_automata(expressions: Sequence[Language]) -> tuple[int, int]:
    """Read the token automata back and run them; how many were compared, and how many masks."""
    automata, rows = 0, 0
    for policy, _ in policies(expressions):
        if is_without_characters(policy):
            with pytest.raises(PolicyError, match="LC0402"):
                text(policy, "outlines", "fsm")
            continue
        artifact = text(policy, "outlines", "fsm")
        assert read_fsm(artifact) == policy.byte_dfa, policy.ir.language
        automata += 1
        rows += compare_masks(_Machine(TokenMachine(Fsm.load(json.loads(artifact)))), policy, no_fault)
    return automata, rows


class _Machine:
    """langc's own machine over the file, as an engine."""

    name = "fsm"

    def __init__(self, machine: TokenMachine) -> None:
        self._machine = machine

    def mask(self, prefix: Sequence[int]) -> Mask:
        """See `Engine.mask`."""
        return self._machine.masks[reduce(self._machine.follow, prefix, self._machine.start)]


Fault = Callable[[bytes, int], bool]
"""Whether an engine is known to be wrong on a token behind these bytes."""


def no_fault(before: bytes, token: int) -> bool:
    """For engines that are exact."""
    return False


def fault_of_llamacpp(before: bytes, token: int) -> bool:
    """NUL is refused, and encodings that are too long are let through; both before this token and in it."""
    return b"\0" in before or is_fault_of_llamacpp(tuple(before), token, BYTES)


def fault_of_outlines_core(before: bytes, token: int) -> bool:
    """The expression made for it loses the empty text."""
    return not before and token == END


def compare_masks(engine: Engine, policy: Policy, fault: Fault) -> int:
    """Compare whole masks behind all beginnings of permitted texts; how many."""
    compared = 0
    for before, expected in masks(policy):
        if fault is fault_of_llamacpp and b"\0" in before:
            continue  # it cannot be brought there
        different = np.flatnonzero(engine.mask(tuple(before)) != expected).tolist()
        assert [t for t in different if not fault(before, t)] == [], (policy.ir.language, before)
        compared += 1
    return compared


def compare_verdicts(engine: Engine, referee: Referee, fault: Fault) -> int:
    """Let the engine and the referee judge all strings, but those with a fault on the way; how many."""
    compared = 0
    for data in (b"", *small_strings(2)):
        if not any(fault(data[:at], token) for at, token in enumerate((*data, END))):
            expected = VERDICTS[judge_bytes(referee, data)]
            assert judge(engine, data) is expected, (engine.name, data)
            compared += 1
    return compared


@cache
def llama_bytes() -> LlamaVocabulary:
    """llama.cpp over single bytes."""
    return LlamaVocabulary.of(BYTES)


ENGINES: dict[str, tuple[Callable[[Policy], Engine], Fault]] = {
    "llama.cpp": (lambda policy: LlamaCpp(text(policy, "gbnf"), llama_bytes()), fault_of_llamacpp),
    "xgrammar": (lambda policy: XGrammar(text(policy, "xgrammar"), BYTES), no_fault),
    "llguidance": (lambda policy: LlGuidance(text(policy, "regex", "rust"), BYTES), no_fault),
    "outlines-core": (lambda policy: OutlinesCore(text(policy, "outlines", "regex"), BYTES), fault_of_outlines_core),
}


def compare_engine(name: str, expressions: Sequence[Language]) -> tuple[int, int]:
    """Run one engine on the artefact of every policy; how many masks and how many verdicts were compared."""
    make, fault = ENGINES[name]
    rows, verdicts = 0, 0
    for policy, referee in policies(expressions):
        if name == "outlines-core" and is_without_characters(policy):
            with pytest.raises(GrammarRefusedError):  # nothing is left without the empty text
                make(policy)
            continue
        engine = make(policy)
        rows += compare_masks(engine, policy, fault)
        verdicts += compare_verdicts(engine, referee, fault)
    return rows, verdicts


def compare_matchers(name: str, expressions: Sequence[Language]) -> int:
    """Run an engine that matches whole texts; how many texts it judged."""
    dialect, matches = full_match.ENGINES[name]
    world = tuple(texts(2))
    judged = 0
    for policy, referee in policies(expressions):
        expected = [referee.accepts(t) for t in world]
        assert matches(text(policy, "regex", dialect), world) == expected, (name, policy.ir.language)
        judged += len(world)
    return judged


def test_artefacts_are_read_back_exactly() -> None:
    """Both grammars, four dialects of expressions and the one for outlines: seven automata for each policy."""
    compared = compare_readers(languages_up_to(3))

    assert compared >= 7 * 120


def test_token_automata_are_exact() -> None:
    """As files, and in what they allow behind each string."""
    automata, rows = compare_token_automata(languages_up_to(3))

    assert automata >= 120
    assert rows >= 10_000


@pytest.mark.xdist_group("toy-engines")
@pytest.mark.parametrize("name", ENGINES)
def test_engines_on_expressions_of_up_to_three_nodes(name: str) -> None:
    """Whole masks behind all beginnings of strings of up to two pieces, and the verdicts on the strings."""
    rows, verdicts = compare_engine(name, languages_up_to(3))

    assert rows >= 5_000
    assert verdicts >= 15_000


@pytest.mark.parametrize("name", full_match.ENGINES)
def test_matchers_on_expressions_of_up_to_two_nodes(name: str) -> None:
    """Every text of up to two boundary characters, in every engine of every dialect of expressions."""
    try:
        judged = compare_matchers(name, languages_up_to(2))
    except full_match.EngineMissingError as missing:
        pytest.skip(str(missing))

    assert judged >= 25 * 111


@pytest.mark.xdist_group("toy-engines")
def test_the_faults_of_llamacpp_show() -> None:
    """Where everything is permitted it refuses all strings with NUL, and goes on behind an overlong F0 80."""
    everything = cover(SCALARS)
    engine, referee = LlamaCpp(text(policy_for(everything), "gbnf"), llama_bytes()), Referee(everything)
    expected = {data: VERDICTS[judge_bytes(referee, data)] for data in small_strings(2)}
    found = {data: judge(engine, data) for data in small_strings(2)}
    wrong = {data for data, verdict in found.items() if verdict is not expected[data]}

    assert wrong == {d for d in found if b"\0" in d and expected[d] is not Verdict.REJECT} | {b"\xf0\x80"}
    assert found[b"\xf0\x80"] is Verdict.PREFIX


@pytest.mark.exhaustive
@pytest.mark.xdist_group("toy-engines")
@pytest.mark.parametrize("name", ENGINES)
def test_engines_on_expressions_of_four_nodes(name: str) -> None:
    """As above, for 1,201 policies."""
    rows, verdicts = compare_engine(name, languages(4))

    assert rows >= 40_000
    assert verdicts >= 150_000


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", full_match.ENGINES)
def test_matchers_on_expressions_of_three_nodes(name: str) -> None:
    """Every text of up to two boundary characters."""
    try:
        judged = compare_matchers(name, languages(3))
    except full_match.EngineMissingError as missing:
        pytest.skip(str(missing))

    assert judged >= 110 * 111


@pytest.mark.exhaustive
def test_artefacts_of_four_nodes_are_read_back_exactly() -> None:
    """Seven text artefacts and the token automaton for each policy."""
    compared = compare_readers(languages(4))
    automata, rows = compare_token_automata(languages(4))

    assert compared >= 7 * 900
    assert automata >= 800
    assert rows >= 80_000
