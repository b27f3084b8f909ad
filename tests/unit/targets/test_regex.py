"""The target regex: one expression in four dialects, read back from its text."""

from __future__ import annotations

import re
import time

import greenery
import interegular
import pytest

from langc.compiler.automata import eliminate
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.partition import Partition
from langc.compiler.errors import LimitError, UnsupportedError
from langc.compiler.ir.language import cover
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.unicode.intervals import SCALARS, IntervalSet, union
from langc.compiler.verify.readers.bnf import GBNF, read_grammar
from langc.compiler.verify.readers.regex import DIALECTS, read_regex
from tests.engines.full_match import ENGINES, EngineMissingError
from tests.unit.targets.policies import NO_CJK, TOO_LARGE_FOR_REGEX, names, policies
from tests.unit.targets.samples import samples

pytestmark = pytest.mark.slow

NAMES = [name for name in names() if name not in TOO_LARGE_FOR_REGEX]
dialects = pytest.mark.parametrize("dialect", DIALECTS)


def expression(policy: Policy, dialect: str, header: str = "no") -> str:
    """The whole artefact, without the header unless one is wanted."""
    text = compile_policy(policy, "regex", dialect=dialect, header=header).text
    assert text is not None
    return text


@dialects
@pytest.mark.parametrize("name", NAMES)
def test_the_text_says_exactly_the_policy(name: str, dialect: str) -> None:
    """Read back from its text, header and all, the expression has the very automaton of the policy."""
    policy = policies()[name]
    read = read_regex(expression(policy, dialect, "yes"), dialect)

    assert policy.dfa == read


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NAMES)
def test_the_engines_agree(name: str, engine: str) -> None:
    """Every real engine accepts and refuses what the policy does, on walks and on walks with a change."""
    policy = policies()[name]
    dialect, match = ENGINES[engine]
    texts = samples(policy.dfa)
    expected = [policy.accepts(t) for t in texts]
    try:
        actual = match(expression(policy, dialect, "yes"), texts)
    except EngineMissingError as error:
        pytest.skip(str(error))

    assert len(texts) > 50
    assert any(expected)
    assert expected == actual


@pytest.mark.parametrize("name", ["signs", "all-but-signs", "no-cjk", "terms", "begin-as-text", "overlapping", "even"])
def test_another_reader_agrees(name: str) -> None:
    """greenery, which was written by others, finds the same automaton, once the escapes it lacks are spelled out."""
    policy = policies()[name]
    spelled = re.sub(r"\\u(....)|\\U(........)", lambda m: chr(int(m[1] or m[2], 16)), expression(policy, "python"))
    read = _from_greenery(greenery.parse(spelled).to_fsm())

    assert policy.dfa == read


@pytest.mark.parametrize("name", ["signs", "ascii", "hangul", "terms-alone", "overlapping", "even", "not-empty"])
def test_a_third_reader_agrees(name: str) -> None:
    """interegular, which writes out every character of a class, finds the same automaton as well."""
    policy = policies()[name]
    spelled = re.sub(r"\\u(....)|\\U(........)", lambda m: chr(int(m[1] or m[2], 16)), expression(policy, "python"))
    read = _from_interegular(interegular.parse_pattern(spelled).to_fsm())

    assert policy.dfa == read


def _from_interegular(fsm: interegular.FSM) -> Dfa:
    """The same automaton over scalar values; what its alphabet does not name is everything else."""
    order = [fsm.initial, *sorted(fsm.states - {fsm.initial})]
    numbers = {state: number + 1 for number, state in enumerate(order)}
    sets = {key: IntervalSet.of(*(s for s in symbols if isinstance(s, str))) for key, symbols in _keys(fsm).items()}
    rest = fsm.alphabet[interegular.fsm.anything_else]
    sets[rest] = union(sets.values()).complement() | sets.get(rest, IntervalSet())
    partition = Partition.of(SCALARS, sets.values())
    rows = [(DEAD,) * partition.size]
    for state in order:
        row = [DEAD] * partition.size
        for key, target in fsm.map.get(state, {}).items():
            for number in partition.classes_in(sets[key] & SCALARS):
                row[number] = numbers[target]
        rows.append(tuple(row))
    return minimize(Dfa(partition, tuple(rows), frozenset(numbers[s] for s in fsm.finals), 1))


def _keys(fsm: interegular.FSM) -> dict[int, list[object]]:
    found: dict[int, list[object]] = {}
    for symbol, key in fsm.alphabet.items():
        found.setdefault(key, []).append(symbol)
    return found


def _from_greenery(fsm: greenery.Fsm) -> Dfa:
    """The same automaton over scalar values; a negated class holds everything that its ranges do not."""
    order = [fsm.initial, *sorted(fsm.states - {fsm.initial})]
    numbers = {state: number + 1 for number, state in enumerate(order)}
    sets = {c: _members(c) for c in fsm.alphabet}
    partition = Partition.of(SCALARS, sets.values())
    rows = [(DEAD,) * partition.size]
    for state in order:
        row = [DEAD] * partition.size
        for c, target in fsm.map[state].items():
            for number in partition.classes_in(sets[c]):
                row[number] = numbers[target]
        rows.append(tuple(row))
    return minimize(Dfa(partition, tuple(rows), frozenset(numbers[s] for s in fsm.finals), 1))


def _members(charclass: greenery.Charclass) -> IntervalSet:
    ranges = tuple((ord(a), ord(b)) if isinstance(a, str) else (a, b) for a, b in charclass.ord_ranges)
    members = IntervalSet(ranges) & SCALARS
    return members.complement() if charclass.negated else members


def test_terms_stand_in_one_loop_with_the_set() -> None:
    """The expression is the set and the terms in a loop; what terms share is written once."""
    assert re.fullmatch(r"\(\?:\[[^]]*\]\|大韓民國\|漢江\)\*", expression(policies()["terms"], "python"))
    assert expression(policies()["astral-terms"], "rust") == r"(?:a|\x{20000}[\x{20001}\x{20002}])*"
    assert expression(policies()["terms-alone"], "pcre2") == "(?:no(?:thing)?|yes)*"


def test_bounds_stay_bounds() -> None:
    """A counted repetition is printed as one."""
    assert expression(policies()["bounded"], "python") == r"<[\u4E00-\u9FFF]{2,12}>"
    assert expression(policies()["not-empty"], "python") == "[ab]+"
    assert expression(policies()["even"], "python") == "(?:[ab][ab])*"


@pytest.mark.parametrize(
    ("dialect", "hangul", "signs"),
    [
        ("python", r"[\uAC00-\uD7A3]*", r"[\x20-/:<-?\[-\^{-~]*"),
        ("rust", r"[\x{AC00}-\x{D7A3}]*", r"[\x20-/:<-?\[-\^{-~]*"),
        ("pcre2", r"[\x{AC00}-\x{D7A3}]*", r"[\x20-/:<-?\[-\^{-~]*"),
        ("ecmascript", r"[\u{AC00}-\u{D7A3}]*", r"[\x20-\/:<-?\[-\^\{-~]*"),
    ],
)
def test_each_dialect_has_its_own_escapes(dialect: str, hangul: str, signs: str) -> None:
    """Only escapes that the dialect's engines know are used."""
    members = IntervalSet.of((0x20, 0x2F), ":", (0x3C, 0x3F), (0x5B, 0x5E), (0x7B, 0x7E))
    policy = Policy(PolicyIR("signs", None, (), cover(members)))

    assert expression(policies()["hangul"], dialect) == hangul
    assert expression(policy, dialect) == signs


@dialects
def test_the_text_is_plain(dialect: str) -> None:
    """No control character, no line end, no anchor, no lookaround, no class that is negated."""
    found = [expression(policies()[name], dialect, "yes") for name in NAMES]

    assert len(found) > 35
    assert all(text.isprintable() for text in found)
    assert not [text for text in found if "(?=" in text or "(?!" in text or "(?<" in text or "[^" in text]
    assert not [text for text in found if text.startswith("^") or text.endswith("$")]


@dialects
def test_the_header_is_a_group_that_matches_nothing(dialect: str) -> None:
    """It comes first, holds every fact in characters that are literal everywhere, and can be left out."""
    policy = policies()["hangul"]
    with_header, without = expression(policy, dialect, "yes"), expression(policy, dialect)
    header = with_header.removesuffix(without)

    assert re.fullmatch(r"\(\?:[A-Za-z0-9 =,.-]*\)\{0\}", header)
    assert f"policy=hangul policy-sha256={policy.hash} unicode=18.0.0 target=regex dialect={dialect}" in header


HOSTILE = {
    "two-ways-to-read": ["한漢한" * 2000, "한漢한" * 2000 + "漢!"],
    "overlapping": ["漢江" * 2000 + "x", "江漢" * 2000 + "江"],
    "overlapping-itself": ["大" * 4001 + "x", "ababa" * 1000 + "b"],
    "glossary": ["가뀀" * 3000 + "漢", "각끿(丁)" * 800 + "漢"],
    "exempt-think": ["<" * 3000, "<think" * 500, "<think>" + "</think" * 600, "<think></think>" * 300 + "漢"],
}


@pytest.mark.parametrize("engine", ["re", "pcre2"])
@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_exponential_time(name: str, engine: str) -> None:
    """Each text has one reading, so engines that backtrack refuse long texts in linear time."""
    policy = policies()[name]
    dialect, match = ENGINES[engine]
    before = time.process_time()
    try:
        actual = match(expression(policy, dialect), HOSTILE[name])
    except EngineMissingError as error:
        pytest.skip(str(error))

    assert [policy.accepts(t) for t in HOSTILE[name]] == actual
    assert time.process_time() - before < 5


def test_engines_that_never_backtrack_take_the_smaller_expression() -> None:
    """With many terms, two of which can be read in two ways, Rust's dialect still has an expression."""
    terms = tuple(f"{chr(0xAC00 + n)}(漢{n % 10})" for n in range(200))
    policy = Policy(PolicyIR("many", None, (), cover(NO_CJK, (*terms, "한漢", "漢한"))))

    assert read_regex(expression(policy, "rust"), "rust") == read_grammar(
        compile_policy(policy, "gbnf").text or "", GBNF
    )
    with pytest.raises(LimitError):
        expression(policy, "python")


@dialects
def test_a_soft_policy_is_refused(dialect: str) -> None:
    """An expression knows no price, and the message names the targets that do."""
    with pytest.raises(UnsupportedError) as caught:
        compile_policy(policies()["hangul"].with_(bias=3.0), "regex", dialect=dialect)

    assert caught.value.diagnostics[0].code == "LC0505"


def test_an_expression_that_would_be_too_large_names_other_targets() -> None:
    """Exempt code blocks count backticks, which an expression can only write out."""
    with pytest.raises(LimitError) as caught:
        compile_policy(policies()["exempt-code"], "regex")
    [diagnostic] = caught.value.diagnostics

    assert diagnostic.code == "LC0701"
    assert diagnostic.help is not None
    assert all(name in diagnostic.help for name in ("gbnf", "xgrammar", "processor"))


def test_the_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many ranges and nodes as the limit are fine; one more is an error with the limit in it."""
    policy = policies()["no-cjk"]
    count = len(NO_CJK.ranges) + 1  # the class, and the loop around it
    monkeypatch.setattr(eliminate, "MAX_EXPRESSION_SIZE", count)
    compile_policy(policy, "regex")
    monkeypatch.setattr(eliminate, "MAX_EXPRESSION_SIZE", count - 1)
    with pytest.raises(LimitError, match=str(count - 1)):
        compile_policy(policy, "regex")
