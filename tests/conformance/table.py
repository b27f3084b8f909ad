"""The conformance table: what is right for policy, text and token, whatever enforces it.

`*.toml` in this folder hold these kinds of cases. `id` names the case that users met, or what is shown. The policy is
`policy`, the text of a file, and its `name` if the text holds several, perhaps with regions that are `exempt`; or it is
`expression`, for languages that a policy file cannot say yet (see `language_of`).

* `[[text]]`: `accept`: whole texts; `prefix`: texts that are no whole texts but can become one; `reject`: `text`, `at`
  (the offset of the first violation in code points, the length if only the end is wrong) and perhaps `rule` (the line
  that is to blame).
* `[[tokens]]`: `tokens` (hexadecimal bytes; empty for a hole) and behind them `special`; `eos`; perhaps `rows`; and
  `walks`: after `ids`, exactly `allowed` may follow; `ended` after an end-of-sequence; `dead` if the ids themselves
  are refused. Or `code`: the vocabulary is refused.
* `[[stream]]`: `chunks` (hexadecimal bytes) and `found`: the offsets of the violations that each chunk makes certain,
  and behind them those of the end.
* `[[audit]]`: `texts`, and the figures of a check over all of them: `violations`, `by_rule`, `by_character`, ….
* `[[refused]]`: the policy is refused with `code`, naming `rules`; by every target, unless `everywhere` is false.
* `[[surface]]`: `surface` (a ready one's name, or a text), its names as `environment` (JSON) or `schema` (SQL);
  `accept`, `prefix` and `reject` as for a text; or the `code` with which it is refused.
* `[[elsewhere]]`: a case whose verdict is no data; `test` holds it.
* `[[waiting]]`: a case for which langc has no feature yet: `waits_for` names it, and what can be written down already
  stands there as data. The change that brings the feature turns the case on.
* `[[fault]]`: what an `engine` gets wrong in a `[[text]]` or `[[tokens]]` case, and `why` (see `engine_judges.py`).
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import langc
from langc.compiler.ir.language import (
    ANY_TEXT,
    Language,
    alternation,
    class_,
    complement,
    concat,
    intersection,
    literal,
    repetition,
)
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import IntervalSet

FOLDER = Path(__file__).parent
KINDS = {"text", "surface", "tokens", "stream", "audit", "refused", "elsewhere", "waiting", "fault"}


@cache
def cases(kind: str) -> list[dict[str, Any]]:
    """All cases of a kind, in the order of files and lines."""
    tables = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))]
    assert len(tables) >= 3
    assert {k for table in tables for k in table} <= KINDS
    return [case for table in tables for case in table.get(kind, [])]


def policy_of(case: dict[str, Any]) -> Policy:
    """The policy of a case. Raises LangcError if the case is one that is refused."""
    if "expression" in case:
        return Policy(PolicyIR(case["id"], None, (), language_of(case["expression"])))
    policy = langc.parse_policy(case["policy"], case.get("name"))
    return policy.with_(exempt=case["exempt"]) if "exempt" in case else policy


def language_of(expression: str | list[Any]) -> Language:
    """A string is itself; `["of", "abc"]` one of the characters; others name an operation and its parts.

    `row` and `or` take any number of parts, `and` two, `not` one, `any` none; `["many", part, 1, 3]` repeats a part
    1 to 3 times, without a second number endlessly, without numbers from 0 on.
    """
    if isinstance(expression, str):
        return literal(expression)
    operation, *parts = expression
    match operation:
        case "any":
            return ANY_TEXT
        case "of":
            return class_(IntervalSet.of(parts[0]))
        case "range":
            return class_(IntervalSet.of((ord(parts[0]), ord(parts[1]))))
        case "many":
            return repetition(language_of(parts[0]), *parts[1:])
        case "not":
            return complement(language_of(parts[0]))
    combine = {"row": concat, "or": alternation, "and": intersection}[operation]
    return combine(*map(language_of, parts))


def verdicts_of(case: dict[str, Any]) -> dict[str, str | int]:
    """What is right for each text of a `[[text]]` case; see `judges.Verdict`."""
    from tests.conformance.judges import ACCEPT, PREFIX

    expected: dict[str, str | int] = dict.fromkeys(case["accept"], ACCEPT)
    expected |= dict.fromkeys(case.get("prefix", []), PREFIX)
    return expected | {r["text"]: PREFIX if r["at"] == len(r["text"]) else r["at"] for r in case["reject"]}


def vocabulary_of(case: dict[str, Any]) -> Vocabulary:
    """The toy vocabulary of a `[[tokens]]` case."""
    text = [bytes.fromhex(t) for t in case["tokens"]]
    specials = dict(enumerate(case["special"], len(text)))
    return Vocabulary(case["id"], (*text, *(b"" for _ in specials)), specials, frozenset(case["eos"]))
