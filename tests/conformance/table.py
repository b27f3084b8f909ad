"""The conformance table: what is right for policy, text and token, whatever enforces it.

`*.toml` in this folder hold four kinds of cases. `id` names the case that users met, or what is shown.

* `[[text]]`: `policy`, and its `name` if the text holds several; `accept`: whole texts; `prefix`: texts that are no
  whole texts but can become one; `reject`: `text`, `at` (the offset of the first violation in code points, the length
  if only the end is wrong) and perhaps `rule` (the line that is to blame).
* `[[tokens]]`: `tokens` (hexadecimal bytes; empty for a hole) and behind them `special`; `eos`; perhaps `rows`; and
  `walks`: after `ids`, exactly `allowed` may follow; `ended` after an end-of-sequence; `dead` if the ids themselves
  are refused. Or `code`: the vocabulary is refused.
* `[[refused]]`: the policy is refused with `code`, naming `rules`.
* `[[elsewhere]]`: a case whose verdict is no data; `test` holds it.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from langc.compiler.tokens.vocabulary import Vocabulary

FOLDER = Path(__file__).parent
KINDS = {"text", "tokens", "refused", "elsewhere"}


@cache
def cases(kind: str) -> list[dict[str, Any]]:
    """All cases of a kind, in the order of files and lines."""
    tables = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))]
    assert len(tables) >= 3
    assert {k for table in tables for k in table} <= KINDS
    return [case for table in tables for case in table.get(kind, [])]


def vocabulary_of(case: dict[str, Any]) -> Vocabulary:
    """The toy vocabulary of a `[[tokens]]` case."""
    text = [bytes.fromhex(t) for t in case["tokens"]]
    specials = dict(enumerate(case["special"], len(text)))
    return Vocabulary(case["id"], (*text, *(b"" for _ in specials)), specials, frozenset(case["eos"]))
