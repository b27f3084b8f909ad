"""What the text of an artefact must look like, whatever the policy: asked of every case of the conformance table.

Cases C06 (no raw control character), C10 (names of the format's own kind), C12 (the dialect is stated), C14 (no rule
begins with itself), C16 (nothing is written down twice) and C24 (no lookaround, flag or back reference).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
import regex

import langc
from langc.compiler.target import Artifact
from tests.conformance.table import cases, policy_of

pytestmark = pytest.mark.slow

GRAMMARS = {"gbnf": r"[a-z][a-z0-9-]*", "xgrammar": r"[a-z][a-z0-9_]*"}
"""The targets that write rules, and the names that their engines read."""
TEXTS = [*((target, None) for target in GRAMMARS), *(("regex", d) for d in ("python", "rust", "pcre2", "ecmascript"))]
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]')
"""A literal or a class; both formats escape their ends."""
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")

CASES = [case for case in cases("text") if "policy" not in case or "discourage" not in case["policy"]]
"""Those without soft rules, which no text says."""


def has_code(case: dict[str, Any]) -> bool:
    """Whether there is a region of code."""
    return case.get("exempt") == "code" or any(kind in case.get("policy", "") for kind in ("fence", "inline_code"))


TOO_LARGE = {("links-and-code", "xgrammar")}
"""Cases whose grammar would take the engine minutes, which is refused."""


every_text = pytest.mark.parametrize(
    ("case", "target", "dialect"),
    [
        pytest.param(case, target, dialect, id=f"{case['id']}-{target}-{dialect}")
        for case in CASES
        for target, dialect in TEXTS
        if (target in GRAMMARS or not has_code(case))  # which no expression can hold
        and (case["id"], target) not in TOO_LARGE
    ],
)
every_grammar = pytest.mark.parametrize(
    ("case", "target"),
    [
        pytest.param(case, target, id=f"{case['id']}-{target}")
        for case in CASES
        for target in GRAMMARS
        if (case["id"], target) not in TOO_LARGE
    ],
)


def compiled(case: dict[str, Any], target: str, dialect: str | None = None) -> Artifact:
    """The artefact of a case."""
    return _compiled(case["id"], target, dialect)


@cache
def _compiled(name: str, target: str, dialect: str | None) -> Artifact:
    case = next(c for c in cases("text") if c["id"] == name)
    return langc.compile(policy_of(case), target, dialect=dialect)


def rules(artifact: Artifact) -> list[tuple[str, str]]:
    """The names and right sides of a grammar, comments left out."""
    assert artifact.text is not None
    lines = [line for line in artifact.text.splitlines() if line and not line.startswith("#")]
    return [(name, body) for name, _, body in (line.partition(" ::= ") for line in lines)]


@every_text
def test_no_raw_control_character(case: dict[str, Any], target: str, dialect: str | None) -> None:
    """Controls, separators, unassigned and invisible characters are escapes that the engine knows."""
    text = compiled(case, target, dialect).text
    assert text is not None
    lines = text.split("\n")  # not `splitlines`, which would hide what ends a line

    assert regex.findall(r"[\p{C}\p{Z}\p{M}\p{DI}--\ ]", "".join(lines), regex.V1) == []
    assert len(lines) == 1 or target in GRAMMARS


@every_text
def test_the_dialect_is_stated(case: dict[str, Any], target: str, dialect: str | None) -> None:
    """A reader need not guess it from the look of the text."""
    artifact = compiled(case, target, dialect)
    assert artifact.text is not None

    assert (artifact.header["target"], artifact.header.get("dialect")) == (target, dialect)
    assert target in artifact.text.splitlines()[0] + artifact.text[:400]


@every_text
def test_nothing_that_engines_refuse_everywhere(case: dict[str, Any], target: str, dialect: str | None) -> None:
    """No lookaround, no inline flag, no back reference, no anchor, no class by name."""
    text = compiled(case, target, dialect).text
    assert text is not None
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    bare = re.sub(r"\\[^\w\s]", "", QUOTED.sub("", lines))  # without escaped signs

    assert re.findall(r"\(\?(?!:)|\\[1-9dDwWsSbBAzZpPkK]|[$^]", bare) == []


@every_grammar
def test_names(case: dict[str, Any], target: str) -> None:
    """Each rule has a name that this engine reads, is defined once, and is used if it is not the first."""
    found = rules(compiled(case, target))
    names = [name for name, _ in found]
    used = {name for _, body in found for name in NAME.findall(QUOTED.sub(" ", body))}

    assert names[0] == "root"
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(GRAMMARS[target], name)] == []
    assert {*names[1:]} <= used <= {*names}


@every_grammar
def test_no_rule_begins_with_itself(case: dict[str, Any], target: str) -> None:
    """No right side can come back to its own rule without a character before, and nothing that may be empty repeats."""
    found = dict(rules(compiled(case, target)))
    first = {name: {NAME.match(a.strip()) for a in QUOTED.sub("'", body).split(" | ")} for name, body in found.items()}
    leads = {name: {m[0] for m in matches if m} for name, matches in first.items()}
    reached = {name: _closure(leads, name) for name in leads}
    starred = [name for body in found.values() for name in re.findall(r"([A-Za-z0-9_-]+)[*+?]", QUOTED.sub("'", body))]

    assert [name for name in found if name in reached[name]] == []
    assert [name for name in starred if re.search(r'(^|\| )""|\*', found[name])] == []


def _closure(leads: dict[str, set[str]], name: str) -> set[str]:
    """The rules that a right side can begin with."""
    seen: set[str] = set()
    queue = list(leads[name])
    while queue:
        if (following := queue.pop()) not in seen:
            seen.add(following)
            queue.extend(leads[following])
    return seen


@every_grammar
def test_nothing_is_written_down_twice(case: dict[str, Any], target: str) -> None:
    """Equal right sides are one rule, and equal alternatives of a rule one alternative."""
    found = rules(compiled(case, target))
    bodies = [body for _, body in found]
    alternatives = [QUOTED.sub(lambda m: m[0].replace("|", "\0"), body).split(" | ") for body in bodies]

    assert len(set(bodies)) == len(bodies)
    assert [parts for parts in alternatives if len(set(parts)) < len(parts)] == []


def test_a_long_list_is_one_terminal() -> None:
    """Case C18: where terminals and rules differ, 4,096 values are no rules."""
    values = ", ".join(f'"value-{n}"' for n in range(4_096))
    text = langc.compile(langc.parse_policy(f"policy p {{ only []; allow {values}; }}"), "llguidance").text
    assert text is not None
    rules = dict(line.split(": ", 1) for line in text.splitlines() if line[0].isalpha())
    expression = re.compile(rules["TEXT"].strip("/"))
    whole = [n for n in range(5_000) if expression.fullmatch(f"value-{n}")]

    assert [name for name in rules if not name.isupper()] == ["start"]
    assert whole == list(range(4_096))


def test_there_is_enough_to_look_at() -> None:
    """The table holds cases with many rules, with names that are alike, and with signs."""
    found = [(case, target) for case in CASES for target in GRAMMARS if (case["id"], target) not in TOO_LARGE]
    sizes = [len(rules(compiled(case, target))) for case, target in found]

    assert len(sizes) >= 70
    assert sum(size > 1 for size in sizes) >= 20
    assert {"C06", "C10", "C14", "C16"} <= {case["id"] for case in cases("text")}
