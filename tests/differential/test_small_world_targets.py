"""Every small policy in every text target: read back exactly, and run in the real engines on every small string.

The policies are all expressions of up to three nodes, those of four in `make exhaustive`. Engines that write token by
token have their whole mask over the single bytes compared behind each beginning of each string, and then judge the
strings as wholes; engines that match texts judge each text. What an engine gets wrong by itself must be one of the
known faults, and those must show.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pytest

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.ir.language import Language, class_, complement, cover, intersection, repetition
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.unicode.intervals import SCALARS
from langc.compiler.verify.engines.llamacpp import LlamaCpp, LlamaVocabulary
from langc.compiler.verify.engines.llguidance import LlGuidance
from langc.compiler.verify.engines.machine import Machine
from langc.compiler.verify.engines.outlines_core import OutlinesCore
from langc.compiler.verify.engines.protocol import Engine, GrammarRefusedError, Mask, PrefixRefusedError, Verdict, judge
from langc.compiler.verify.engines.xgrammar import XGrammar
from langc.compiler.verify.faults import Difference, explain
from langc.compiler.verify.readers.bnf import GBNF, XGRAMMAR, read_grammar
from langc.compiler.verify.readers.fsm import read_fsm
from langc.compiler.verify.readers.regex import DIALECTS, read_regex
from langc.compiler.verify.reference import Reference
from langc.targets._fsm import Fsm
from tests.engines import full_match
from tests.oracle.byte_verdicts import judge_bytes
from tests.oracle.residual import Referee
from tests.oracle.worlds import ATOMS, languages, languages_up_to, small_strings, texts
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
        for target, grammar in (("gbnf", GBNF), ("xgrammar", XGRAMMAR)):
            assert read_grammar(text(policy, target), grammar) == policy.dfa, (target, policy.ir.language)
        for dialect in DIALECTS:
            assert read_regex(text(policy, "regex", dialect), dialect) == policy.dfa, (dialect, policy.ir.language)
        compared += 2 + len(DIALECTS)
        if not is_without_characters(policy):  # nothing would be left
            some = build_dfa(intersection(policy.ir.language, SOME_TEXT))
            body = text(policy, "outlines", "regex").removesuffix("$")
            assert read_regex(body, "rust") == some, policy.ir.language
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
        compared, faults = Trial(Machine("outlines", Fsm.load(json.loads(artifact))), policy).masks()
        assert faults == 0
        rows += compared
    return automata, rows


@dataclass(frozen=True)
class Trial:
    """One engine on the artefact of one policy. What is compared is counted, and so are the known faults that show."""

    engine: Engine
    policy: Policy

    @cached_property
    def reference(self) -> Reference:
        """What faults are explained by."""
        return Reference(self.policy, BYTES)

    def masks(self) -> tuple[int, int]:
        """Compare whole masks behind all beginnings of permitted texts."""
        compared, faults = 0, 0
        for before, expected in masks(self.policy):
            try:
                different = np.flatnonzero(self.engine.mask(tuple(before)) != expected).tolist()
            except PrefixRefusedError:
                assert self.first_fault(before), (self.policy.ir.language, before)
                faults += 1
                continue
            for token in different:
                assert self.fault(tuple(before), token), (self.policy.ir.language, before, token)
            faults += len(different)
            compared += 1
        return compared, faults

    def verdicts(self, referee: Referee) -> tuple[int, int]:
        """Let the engine and the referee judge all strings."""
        faults = 0
        world = (b"", *small_strings(2))
        for data in world:
            if judge(self.engine, data) is not VERDICTS[judge_bytes(referee, data)]:
                assert self.first_fault((*data, END)), (self.policy.ir.language, data)
                faults += 1
        return len(world), faults

    def first_fault(self, ids: Sequence[int]) -> str | None:
        """The known fault on the first of these ids on which the engine is wrong."""
        for at, token in enumerate(ids):
            place = self.reference.place(ids[:at])
            if place is None:
                return None
            if self.engine.mask(ids[:at])[token] != self.reference.machine.masks[place.state][token]:
                return self.fault(ids[:at], token)
        return None

    def fault(self, before: Sequence[int], token: int) -> str | None:
        """The known fault that makes the engine wrong on this token, if that is what it is."""
        place = self.reference.place(before)
        assert place is not None
        offered = not self.reference.machine.masks[place.state][token]
        return explain(Difference(self.engine, self.reference, place, token, offered))


@cache
def llama_bytes() -> LlamaVocabulary:
    """llama.cpp over single bytes."""
    return LlamaVocabulary.of(BYTES)


ENGINES: dict[str, Callable[[Policy], Engine]] = {
    "llama.cpp": lambda policy: LlamaCpp(text(policy, "gbnf"), llama_bytes()),
    "xgrammar": lambda policy: XGrammar(text(policy, "xgrammar"), BYTES),
    "llguidance": lambda policy: LlGuidance(text(policy, "regex", "rust"), BYTES),
    "outlines-core": lambda policy: OutlinesCore(text(policy, "outlines", "regex"), BYTES),
}
FAULTY = {"llama.cpp", "outlines-core"}
EVERY = {"outlines-core": 8}
"""Of the policies of four nodes each engine takes every one, or every eighth: some automata take it gigabytes."""


def compare_engine(name: str, expressions: Sequence[Language]) -> tuple[int, int, int]:
    """Run one engine on the artefact of every policy; how many masks, verdicts and known faults there were."""
    rows, verdicts, faults = 0, 0, 0
    for policy, referee in policies(expressions):
        if name == "outlines-core" and is_without_characters(policy):
            with pytest.raises(GrammarRefusedError):  # nothing is left without the empty text
                ENGINES[name](policy)
            continue
        trial = Trial(ENGINES[name](policy), policy)
        compared, shown = trial.masks()
        judged, shown_too = trial.verdicts(referee)
        rows, verdicts, faults = rows + compared, verdicts + judged, faults + shown + shown_too
    return rows, verdicts, faults


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
    rows, verdicts, faults = compare_engine(name, languages_up_to(3))

    assert rows >= 15_000
    assert verdicts >= 45_000
    assert (faults > 0) == (name in FAULTY)


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
    every = EVERY.get(name, 1)
    rows, verdicts, faults = compare_engine(name, languages(4)[::every])

    assert rows >= 100_000 // every
    assert verdicts >= 350_000 // every
    assert (faults > 0) == (name in FAULTY)


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
    """Seven text artefacts and the token automaton for each policy.

    One expression can be read in too many ways at once: of a complement repeated 2 to 3 times, and that again.
    """
    *_, terms = ATOMS
    too_ambiguous = repetition(repetition(complement(terms), 2, 3), 2, 3)
    assert too_ambiguous in languages(4)
    with pytest.raises(LimitError):
        compare_readers([too_ambiguous])
    compared = compare_readers([language for language in languages(4) if language != too_ambiguous])
    automata, rows = compare_token_automata(languages(4))

    assert compared >= 7 * 900
    assert automata >= 800
    assert rows >= 80_000
