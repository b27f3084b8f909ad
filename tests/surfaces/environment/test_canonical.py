"""JSON and YAML: what is written is what is read, and what is no such thing is refused."""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.errors import LangcError
from langc.compiler.limits import MAX_ENTRY_WORDS, MAX_ENVIRONMENT_DEPTH, MAX_NAME_BYTES
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.environment.providers import Request, read
from langc.compiler.surfaces.environment.providers.yaml_file import from_yaml

WORDS = st.sampled_from(["Table", "langc", "view", "least", "x-y", "_"])
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)


Rows = dict[str, list[tuple[Any, ...]]]
"""Groups as plain values: by sort rows of name, attributes, numbers, members."""


def made(depth: int) -> st.SearchStrategy[Rows]:
    """Groups as plain values: by sort rows of name, attributes, numbers, members."""
    members = st.just({}) if depth == 0 else made(depth - 1)
    rows = st.tuples(NAMES, st.sets(WORDS, max_size=2), st.dictionaries(WORDS, st.integers(0, 99), max_size=2), members)
    return st.dictionaries(WORDS, st.lists(rows, max_size=3), max_size=2)


def groups(value: Rows) -> dict[str, Group]:
    """The groups of such values."""
    return {sort: Group.of(entry(sort, *row) for row in rows) for sort, rows in value.items() if rows}


def entry(sort: str, name: str, attributes: set[str], numbers: dict[str, int], members: Rows) -> Entry:
    """The entry of such a row."""
    return Entry(name, sort, frozenset(attributes), MappingProxyType(numbers), groups(members))


def plain(found: Environment | Entry) -> object:
    """All that an environment says, without the code that writes it."""
    inner = found.groups if isinstance(found, Environment) else found.members
    own = (
        (found.kind, found.version, found.name)
        if isinstance(found, Environment)
        else (found.name, found.sort, found.attributes, dict(found.numbers))
    )
    return own, {sort: [plain(e) for e in group] for sort, group in inner.items()}


@given(made(2), st.none() | st.just("1.2"))
def test_json_keeps_everything(value: Rows, version: str | None) -> None:
    """`from_json(to_json(e))` is e, and writing it again gives the same text."""
    if not any(value.values()):
        return
    environment = Environment("shop", groups(value), "sqlite", version)
    text = environment.to_json()
    again = Environment.from_json(text)

    assert plain(again) == plain(environment)
    assert again.digest == environment.digest
    assert again.to_json() == text


@given(made(1), made(1))
def test_digests_tell_contents_apart(one: Rows, other: Rows) -> None:
    """Equal digests mean equal groups."""
    first, second = Environment("a", groups(one)), Environment("a", groups(other))

    assert (first.digest == second.digest) == (plain(first) == plain(second))


@given(made(1))
def test_yaml_is_the_same_format(value: Rows) -> None:
    """What JSON says, YAML says too: PyYAML's own writer is the other side."""
    if not any(value.values()):
        return
    environment = Environment("shop", groups(value))
    tree = json.loads(environment.to_json())
    text = yaml.safe_dump(tree, allow_unicode=False)

    assert plain(from_yaml(text, "x", "shop"))[1] == plain(environment)[1]  # type: ignore[index]


def test_yaml_scalars_are_names(tmp_path: Path) -> None:
    """Tables called on, no, null, 2024 and 1.5 keep their names, and numbers are numbers where the format has them."""
    (tmp_path / "a.yaml").write_text("Table: [on, no, null, 2024, 1.5, ~, {name: f, numbers: {least: 2}}]\n")
    found = read(Request("env", "yaml", ("a.yaml",), tmp_path))

    assert [e.name for e in found.group("Table")] == ["on", "no", "null", "2024", "1.5", "~", "f"]
    assert dict(found.group("Table").entries[-1].numbers) == {"least": 2}


LAUGHS = "a: &a [x]\n" + "".join(f"b{i}: &b{i} [*{'a' if i == 0 else f'b{i - 1}'}, *a]\n" for i in range(40))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (LAUGHS, "LC0905"),
        ("Table: !!python/object/apply:os.system [ls]", "LC0905"),
        ("Table: [a]\n---\nTable: [b]", "LC0905"),
        ("Table: [a]\nTable: [b]", "LC0905"),
        ("[a]: b", "LC0905"),
        ("Table: [a", "LC0905"),
        ("", "LC0905"),
        ("Table: [a: 1]", "LC0905"),
        ("[" * 30, "LC0701"),
        ("Table: " + "[" * 60, "LC0701"),
        ("Table: " + "[" * 100_000, "LC0905"),  # a limit of libyaml comes first
        ("\x01", "LC0905"),
    ],
)
def test_bad_yaml(text: str, code: str) -> None:
    """Bombs, code, two documents, keys twice, and what is no YAML."""
    with pytest.raises(LangcError) as caught:
        from_yaml(text, "bad.yaml", "env")

    assert [d.code for d in caught.value.diagnostics] == [code]


DEEP = "[" * 200_000
NESTED = '{"T": [{"name": "a", "members": ' * (MAX_ENVIRONMENT_DEPTH + 1) + "{}" + "}]}" * (MAX_ENVIRONMENT_DEPTH + 1)
MANY = json.dumps({"T": [{"name": "a", "attributes": [f"a{i}" for i in range(MAX_ENTRY_WORDS + 1)]}]})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "LC0905"),
        ("{", "LC0905"),
        ("[]", "LC0905"),
        ("null", "LC0905"),
        ('{"Table": "users"}', "LC0905"),
        ('{"Table": [1]}', "LC0905"),
        ('{"Table": [{"nam": "a"}]}', "LC0905"),
        ('{"Table": [{"attributes": []}]}', "LC0905"),
        ('{"Table": [{"name": "a", "attributes": "view"}]}', "LC0905"),
        ('{"Table": [{"name": "a", "numbers": {"least": -1}}]}', "LC0905"),
        ('{"Table": [{"name": "a", "numbers": {"least": true}}]}', "LC0905"),
        ('{"Table": [{"name": "a", "numbers": {"least": 1.5}}]}', "LC0905"),
        ('{"Table": [{"name": "a", "members": []}]}', "LC0905"),
        ('{"a table": ["a"]}', "LC0905"),
        ('{"Table": ["a"], "Table": ["b"]}', "LC0905"),
        ('{"Table": [' + "9" * 5_000 + "]}", "LC0905"),
        ('{"$langc": {"formt": 1}, "Table": ["a"]}', "LC0905"),
        ('{"$langc": {"format": 2}, "Table": ["a"]}', "LC0905"),
        ('{"$langc": {"digest": "00"}, "Table": ["a"]}', "LC0912"),
        ("{}", "LC0908"),
        ('{"Table": []}', "LC0908"),
        ('{"Table": ["", "\\u0000", "\\ud800"]}', "LC0908"),
        (DEEP, "LC0701"),
        (NESTED, "LC0701"),
        (MANY, "LC0701"),
    ],
)
def test_bad_json(text: str, code: str) -> None:
    """Each fault has its code."""
    with pytest.raises(LangcError) as caught:
        Environment.from_json(text)

    assert [d.code for d in caught.value.diagnostics] == [code]


def test_odd_names_are_left_out() -> None:
    """The others stay, and one warning names some of them."""
    long = "x" * (MAX_NAME_BYTES + 1)
    found = Environment.from_json(json.dumps({"Table": ["", "ok", "a\0b", "\ud800", long, "x" * MAX_NAME_BYTES]}))

    assert [len(e.name) for e in found.group("Table")] == [2, MAX_NAME_BYTES]
    assert [(d.code, d.severity.value) for d in found.warnings] == [("LC0910", "warning")]


def test_a_change_by_hand_is_found() -> None:
    """The digest in the file is that of the names in it."""
    text = Environment("a", {"Table": Group.of([Entry("users", "Table")])}).to_json()

    assert Environment.from_json(text).group("Table").get("users")
    with pytest.raises(LangcError, match="LC0912"):
        Environment.from_json(text.replace("users", "ushers"))


def test_facts_are_no_sort() -> None:
    """The key of the facts cannot hold names, and no sort can have its name."""
    with pytest.raises(LangcError, match="LC0905"):
        Environment.from_json('{"$langc": ["a"]}')
