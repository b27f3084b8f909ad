"""Schemas as a user meets them: in Python, on the command line, in dumps, hashes and checked texts."""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import langc
from langc.compiler.cli import run
from langc.compiler.errors import LangcError, PolicyError
from langc.compiler.ir.dump import dump

KO = langc.parse_policy("policy ko { deny script Han; }")
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 9},
        "age": {"type": "integer", "maximum": 130},
        "kind": {"enum": ["가", "漢"]},
    },
    "required": ["name"],
}


def test_a_schema_in_every_form(tmp_path: Path) -> None:
    """A mapping, a text, a path, and a path as a text mean the same."""
    path = tmp_path / "s.json"
    path.write_text("\ufeff" + json.dumps(SCHEMA, indent=3), encoding="utf-8")
    frozen = MappingProxyType({**SCHEMA, "properties": MappingProxyType(SCHEMA["properties"])})  # type: ignore[arg-type]
    given: list[Any] = [SCHEMA, frozen, json.dumps(SCHEMA), path, str(path), "  " + json.dumps(SCHEMA)]
    policies = [KO.with_(json_schema=schema) for schema in given]

    assert len({p.hash for p in policies}) == 1
    assert len({p.dfa for p in policies}) == 1
    assert policies[0].hash != KO.hash != KO.with_(json_strings=True).hash


def test_the_hash_follows_the_schema() -> None:
    """Another bound is another policy."""
    other = SCHEMA | {"required": []}

    assert KO.with_(json_schema=SCHEMA).hash != KO.with_(json_schema=other).hash


def test_the_dump_has_the_schema() -> None:
    """In one line, and the language behind it."""
    lines = dump(KO.with_(json_schema=SCHEMA).ir).splitlines()

    assert f"json-schema {json.dumps(SCHEMA)}" in lines
    assert any(line.strip().startswith("joined of required, optional, optional") for line in lines)
    assert "json-strings" in dump(KO.with_(json_strings=True).ir).splitlines()


@pytest.mark.parametrize("given", ["no/such.json", "[1]", {"a": {1}}, '{"type": }'])
def test_what_is_no_schema(given: object) -> None:
    """Is refused at once, not when something is compiled."""
    with pytest.raises(LangcError):
        KO.with_(json_schema=given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "the schema is an empty text"),
        (" \n", "the schema is an empty text"),
        ([], "Python's type `list`"),
        (b"{}", "Python's type `bytes`"),
        (3, "Python's type `int`"),
        (Path(), "a directory, not a JSON Schema"),
    ],
    ids=str,
)
def test_what_is_given_instead_of_a_schema(given: object, message: str) -> None:
    """Is named, and not taken for a policy."""
    with pytest.raises(PolicyError, match=message):
        KO.with_(json_schema=given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "rule",
    ['stop on phrase "x";', 'stop before phrase "x";', 'discourage phrase "x" by 3;'],
)
@pytest.mark.parametrize("options", [{"json_schema": SCHEMA}, {"json_strings": True}])
def test_what_does_not_go_with_json(rule: str, options: dict[str, object]) -> None:
    """Rules that end a text, or only make it dear."""
    policy = langc.parse_policy(f"policy p {{ deny script Han; {rule} }}")
    with pytest.raises(LangcError, match="LC0360"):
        policy.with_(**options)  # type: ignore[arg-type]
    with pytest.raises(LangcError, match="LC0360"):
        KO.with_(**options, mode="soft")  # type: ignore[arg-type]
    with pytest.raises(LangcError, match="LC0360"):
        KO.with_(**options).with_(bias=3)  # type: ignore[arg-type]
    with pytest.raises(LangcError, match="LC0360"):
        KO.with_(exempt="think", inside="think", **options)  # type: ignore[arg-type]


def test_very_many_phrases() -> None:
    """A policy that would otherwise be taken apart is one automaton inside of strings."""
    phrases = " ".join(f'deny phrase "phrase number {n}";' for n in range(30))
    policy = langc.parse_policy(f"policy p {{ {phrases} }}").with_(json_schema={"type": "string"})

    assert policy.apart is None
    assert policy.accepts('"phrase number x"')
    assert not policy.accepts('"the phrase number 17"')


CHECKED = [
    ('{"name": "김", "kind": "가"}', []),
    ('{"name": "김中국漢"}', [(11, "中"), (13, "漢")]),
    ('{"name": "中"}', [(10, "中")]),  # it counts for the length
    ('{"name": "김", "age": 300, "kind": "中"}', [(23, "0"), (35, "中")]),  # broken JSON is read on as plain text
    ('{"name": "김", "kind": "漢字"}', [(23, "漢字")]),
    ('{"name": "김"', [(12, '{"name": "김"')]),
    ("中", [(0, "中")]),
]


@pytest.mark.parametrize(("text", "found"), CHECKED)
def test_checked_texts(text: str, found: list[tuple[int, str]]) -> None:
    """Behind a denied character the string goes on."""
    policy = KO.with_(json_schema=SCHEMA)
    report = langc.check(text, policy)

    assert report.ok == policy.accepts(text)
    assert [v.offset for v in report.violations[:1]] == [n for n in [policy.first_violation(text)] if n is not None]
    assert [(v.offset, v.text) for v in report.violations] == found


def test_checked_json_strings() -> None:
    """Each string by itself; outside of them only the signs of JSON are permitted."""
    report = langc.check('{"a中b": "가漢", "c": "가"} 中', KO.with_(json_strings=True))

    assert [(v.offset, v.text) for v in report.violations] == [(3, "中"), (10, "漢"), (24, "中")]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy, a schema and an answer."""
    monkeypatch.chdir(tmp_path)
    Path("ko.policy").write_text("policy ko { deny script Han; }", encoding="utf-8")
    Path("s.json").write_text(
        json.dumps(SCHEMA | {"properties": {"name": {"type": "string", "format": "uri"}}}), "utf-8"
    )
    Path("a.json").write_text('{"name":"漢"}', encoding="utf-8")


@pytest.mark.usefixtures("files")
def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """They take the options; an unknown format is a warning on stderr."""
    assert run(["compile", "ko.policy", "-t", "gbnf", "--json-schema", "s.json"]) == 0
    out = capsys.readouterr()
    assert 'root ::= "{\\"name\\":' in out.out
    assert "warning[LC0369]" in out.err
    assert run(["check", "a.json", "--policy", "ko.policy", "--json-schema", "s.json"]) == 1
    assert "a.json:1:10" in capsys.readouterr().out
    assert run(["dump", "ko.policy", "--stage", "ir", "--json-schema", "s.json"]) == 0
    assert "json-schema {" in capsys.readouterr().out
    assert run(["dump", "ko.policy", "--stage", "ir", "--json-strings"]) == 0
    assert "json-strings" in capsys.readouterr().out
    assert run(["compile", "ko.policy", "-t", "logit-bias", "--json-strings", "--tokenizer", "x"]) == 2
    assert run(["compile", "ko.policy", "-t", "gbnf", "--json-schema", "none.json"]) == 2
    assert "LC0001" in capsys.readouterr().err
