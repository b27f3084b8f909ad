"""How policies with phrases, terms and regions are written and compared with their referee on many texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from hypothesis import strategies as st

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.link import link
from langc.compiler.policy import Policy
from langc.compiler.syntax.parse import parse
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.oracle.phrases import CONFUSABLES, Wanted, folded
from tests.oracle.soft import FORBIDDEN, Decoder
from tests.oracle.trying import Trying

RICH = (
    "aаmrnIl1|ꝺꝹ그丨AbBsSßβẞiİıŉʼnÅå\u030a\u0301가각각Ａ１1カｶガｶﾞ\u3099\u200b\u200d\ufe0f\u00a0\u3000 \t\u00a8𝐀_.中ﬁf"
)
"""Characters that fold to others, vanish, compose, or are a boundary."""
OTHERS = "xé가1\u0323\u0301ᅡᆨ字カ -"
"""One neighbour of each kind, for continuations."""

Verdict = tuple[bool, bool]
"""(can still become a member, is one)."""


def escaped(text: str) -> str:
    """The text by code points, as strings and brackets take them."""
    return "".join(f"\\u{{{ord(c):X}}}" for c in text)


def deny_phrases(phrases: Iterable[Wanted]) -> str:
    """A `deny phrase` line for each."""
    return " ".join(f'deny phrase "{escaped(p.text)}" {p.options}' for p in phrases)


def allow_terms(terms: Iterable[Wanted]) -> str:
    """An `allow` line for each."""
    return " ".join(f'allow "{escaped(t.text)}" {t.options}' for t in terms)


@cache
def policy_of(rules: str) -> Policy:
    """The policy with these lines, as if it lay beside the referee's data."""
    file = parse(f"policy p {{ {rules} }}")
    return Policy(link(file.policies[0], file, CONFUSABLES.with_name("p.policy")))


def verdict(dfa: Dfa, symbols: Iterable[int]) -> Verdict:
    """What an automaton says."""
    state = dfa.run(symbols)
    return state != DEAD, state in dfa.accepting


def compare(policy: Policy, referee: Trying, alphabet: Sequence[str], length: int) -> int:
    """Compare both automata with the referee on every text whose beginnings are viable; how many there were."""
    compared = 0
    for text in referee.texts(alphabet, length):
        expected = referee.viable(text), referee.accepts(text)
        compared += 1
        assert verdict(policy.dfa, map(ord, text)) == expected, ascii(text)
        assert verdict(policy.byte_dfa, text.encode()) == expected, ascii(text)
    return compared


def letters(wanted: Iterable[Wanted]) -> str:
    """The characters of phrases and of what they fold to."""
    return "".join(w.text + folded(w.text, w) for w in wanted)


@st.composite
def phrases(draw: st.DrawFn, characters: str) -> Wanted:
    """Phrases with any options."""
    return draw(
        st.builds(
            Wanted,
            st.text(st.sampled_from(characters), min_size=1, max_size=3),
            st.booleans(),
            st.booleans(),
            st.booleans(),
            st.sampled_from(("", "run", "any")),
            st.sampled_from(("", "", "nfc", "nfd", "nfkc", "nfkd")),
            st.sampled_from(("", "word", "script")),
            st.sampled_from(("", "word", "script")),
            st.booleans(),
            st.sampled_from((False, False, True)),
        ).filter(lambda w: folded(w.text, w) != "")
    )


def terms(characters: str) -> st.SearchStrategy[Wanted]:
    """Permitted terms with any options that terms have."""
    sides = st.sampled_from(("", "word", "script"))
    text = st.text(st.sampled_from(characters), min_size=1, max_size=3)
    return st.builds(Wanted, text, st.booleans(), st.booleans(), left=sides, right=sides)


class World:
    """A policy and a vocabulary, decided by the matcher and by the definition."""

    def __init__(self, policy: Policy, decoder: Decoder) -> None:
        names = {decoder.eos: "<eos>"}
        vocabulary = Vocabulary("toy", tuple(decoder.tokens), names, frozenset(names))
        self.matcher, self.decoder = Matcher(policy, vocabulary), decoder

    def compare(self, history: Sequence[int]) -> list[int]:
        """Compare the rows behind a permitted history; the tokens that may follow."""
        assert self.matcher.sync(history)
        row = self.decoder.row(history)
        assert [float(cost) for cost in self.matcher.bias()] == row, [self.decoder.tokens[i] for i in history]
        return [i for i, cost in enumerate(row) if cost != FORBIDDEN and i != self.decoder.eos]

    def walk(self, steps: int) -> int:
        """Compare the rows behind every history of fewer tokens; how many there were."""
        layer: list[tuple[int, ...]] = [()]
        compared = 0
        for _ in range(steps):
            compared += len(layer)
            layer = [(*history, token) for history in layer for token in self.compare(history)]
        return compared


def slices(characters: str) -> st.SearchStrategy[list[bytes]]:
    """Tokens that cut characters and glue them."""
    source = st.text(st.sampled_from(characters), min_size=3, max_size=4).map(str.encode)
    pieces = st.builds(lambda data, at, n: data[at % len(data) :][:n], source, st.integers(0, 9), st.integers(1, 5))
    return st.lists(pieces, min_size=3, max_size=7, unique=True)


few_characters: st.SearchStrategy[str] = st.lists(st.sampled_from(RICH), min_size=2, max_size=6, unique=True).map(
    "".join
)
"""So few that a text drawn from them meets the phrases drawn from them."""
