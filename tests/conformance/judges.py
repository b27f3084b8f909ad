"""What can judge a whole text: the policy object, its automata, the matcher over several vocabularies, the referee.

A judge takes a policy and a text. Its verdict is `accept`, `prefix` (no whole text, but it can become one), or
the offset in code points of the character at which it refuses. An engine joins by one more entry in `JUDGES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from langc.compiler.automata.dfa import DEAD
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.policy import Policy
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.oracle.expression import expression_of
from tests.oracle.from_ir import judge_of
from tests.oracle.residual import Referee
from tests.oracle.scope import violation_of_rules

Verdict = str | int
ACCEPT, PREFIX = "accept", "prefix"
EOS = "<eos>"


def _of_offset(text: str, offset: int | None) -> Verdict:
    if offset is None:
        return ACCEPT
    return PREFIX if offset == len(text) else offset


def by_policy(policy: Policy, text: str) -> Verdict:
    """`Policy.first_violation`, which `Policy.accepts` must agree with."""
    verdict = _of_offset(text, policy.first_violation(text))
    assert policy.accepts(text) == (verdict == ACCEPT)
    return verdict


def by_byte_automaton(policy: Policy, text: str) -> Verdict:
    """The minimal byte automaton, byte by byte."""
    dfa = policy.byte_dfa
    state = dfa.start
    for offset, character in enumerate(text):
        state = dfa.run(character.encode(), state)
        if state == DEAD:
            return offset
    return ACCEPT if state in dfa.accepting else PREFIX


def by_rules(policy: Policy, text: str) -> Verdict:
    """The referees that judge each rule by itself, scope by scope."""
    found = [_violation(scope, text) for scope in policy.lowered.scopes]
    return _of_offset(text, min((v for v in found if v is not None), default=None))


def _violation(scope: PolicyIR, text: str) -> int | None:
    is_plain = not scope.regions and not scope.exempt and not any(r.phrases for r in scope.rules)
    return violation_of_rules(scope.rules, text) if is_plain else judge_of(scope, text).first_violation(text)


def by_residuals(policy: Policy, text: str) -> Verdict:
    """The referee on the language. It knows no phrases and no regions with rules: those go by the rules again."""
    if has_residuals(policy):
        return _of_offset(text, Referee(expression_of(policy)).first_violation(text))
    return by_rules(policy, text)


def has_residuals(policy: Policy) -> bool:
    """Whether the referee on the language knows all of it."""
    scopes = policy.lowered.scopes
    return not any(s.regions or any(r.phrases for r in s.rules) for s in scopes)


def _by_matcher(tokens: Callable[[str], list[bytes]]) -> Callable[[Policy, str], Verdict]:
    """A matcher over all single bytes and the pieces of the text; refused is the character a piece reaches into."""

    def judge(policy: Policy, text: str) -> Verdict:
        pieces = tokens(text)
        matcher = Matcher(policy, _vocabulary(tuple(dict.fromkeys(pieces))))
        ids = {piece: 256 + i for i, piece in enumerate(dict.fromkeys(pieces))}
        done = 0
        for piece in pieces:
            if not matcher.advance(ids[piece]):
                return _first_refused(matcher, piece, done, text)
            done += len(piece)
        return ACCEPT if matcher.accepting else PREFIX

    return judge


def _first_refused(matcher: Matcher, piece: bytes, done: int, text: str) -> int:
    """Of a refused token the first refused byte, read with the tokens of one byte."""
    for byte in piece:
        if not matcher.advance(byte):
            break
        done += 1
    return len(text.encode()[: done + 1].decode(errors="replace")) - 1


@cache
def _vocabulary(pieces: tuple[bytes, ...]) -> Vocabulary:
    tokens = (*(bytes([i]) for i in range(256)), *pieces, b"")
    eos = len(tokens) - 1
    return Vocabulary("judge", tokens, {eos: EOS}, frozenset({eos}))


def _one_by_one(text: str) -> list[bytes]:
    return [bytes([b]) for b in text.encode()]


def _badly_cut(text: str) -> list[bytes]:
    """Two bytes, three bytes, two bytes…: every kind of character is cut and glued somewhere."""
    return list(_cut(text.encode()))


def _cut(data: bytes) -> Iterator[bytes]:
    at, size = 0, 2
    while at < len(data):
        yield data[at : at + size]
        at, size = at + size, 5 - size


def _at_once(text: str) -> list[bytes]:
    return [text.encode()] if text else []


JUDGES: dict[str, Callable[[Policy, str], Verdict]] = {
    "policy": by_policy,
    "byte automaton": by_byte_automaton,
    "rules": by_rules,
    "residuals": by_residuals,
    "matcher, bytes": _by_matcher(_one_by_one),
    "matcher, badly cut": _by_matcher(_badly_cut),
    "matcher, whole text": _by_matcher(_at_once),
}
