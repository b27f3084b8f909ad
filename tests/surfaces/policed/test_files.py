"""Policies that name a surface: which is meant, what commands and processors make of it, and its file."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.errors import LangcError, PolicyError, UnsupportedError
from langc.compiler.surfaces.loaded import LoadedSurface, load_surface
from langc.compiler.surfaces.policed.rules import PolicyRules
from langc.compiler.surfaces.policed.stored import from_json, stored, to_json
from langc.compiler.surfaces.portable import dumps, loads
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime.arrays import PolicyProcessor
from tests.surfaces.conftest import Run
from tests.surfaces.policed.test_joint import RULES, lets, vocabulary_of_lets

SURFACE = """
surface pick (case = ascii-fold) {
    sort Table;
    sort Column of Table;
    env db;
    skip SPACE = pattern / +/;

    pick := "pick" t=ref(Table) "." ref(Column, of t) ("," ref(Column, of t))*;
}
"""
HOUSE = """
policy house "What this house wants" {
    surface pick;
    deny phrase "total" { ignore case; }
    deny phrase ", ";
    accept "pick orders.id";
    reject "pick orders.id, placed" at 15;
    reject "pick nothing.id" at 5;
}
"""
NAMES = {
    "Table": [
        {"name": "orders", "members": {"Column": ["id", "total", "placed"]}},
        {"name": "totals", "members": {"Column": ["id"]}},
    ]
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the surface, the policy, and the names."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "house.policy").write_text(SURFACE + HOUSE, encoding="utf-8")
    (tmp_path / "names.json").write_text(json.dumps(NAMES), encoding="utf-8")
    return tmp_path


# --- which is meant ---


def test_a_policy_goes_before_the_surface_of_its_file(folder: Path) -> None:
    """By the file, by its name, and handed over; the surface by itself by its own name."""
    for meant in ("house.policy", "house.policy:house", langc.load_policy("house.policy")):
        loaded = load_surface(meant, "names.json")
        assert (loaded.name, loaded.surface.name) == ("house", "pick")
        assert not loaded.accepts("pick orders.total")
    alone = load_surface("house.policy:pick", "names.json")
    assert alone.rules is None
    assert alone.accepts("pick orders.total")
    assert alone.digest != loaded.digest


def test_a_surface_with_any_policy(folder: Path) -> None:
    """`with_policy`, several times, by a path or a name as well."""
    (folder / "short.policy").write_text("policy short { deny [,]; }", encoding="utf-8")
    loaded = load_surface("house.policy", "names.json").with_policy("short.policy").with_policy("no-invisible")

    assert loaded.accepts("pick orders.id")
    assert not loaded.accepts("pick orders.id,placed")
    assert not loaded.accepts("pick orders.total")


def test_a_policy_that_uses_one_with_a_surface(folder: Path) -> None:
    """It is for texts of that surface, wherever it stands."""
    (folder / "strict.policy").write_text('policy strict { use "house.policy"; deny [,]; }', encoding="utf-8")
    loaded = load_surface("strict.policy", "names.json")

    assert loaded.accepts("pick orders.id")
    assert loaded.refused_at("pick orders.id,placed") == 14
    assert loaded.refused_at("pick orders.total") == 12  # no other name begins with a t


def test_a_ready_surface(folder: Path) -> None:
    """Named in a file that has none."""
    (folder / "query.policy").write_text('policy query { surface sql; deny phrase "--"; }', encoding="utf-8")
    (folder / "shop.sql").write_text("CREATE TABLE orders (id INTEGER, total INTEGER);", encoding="utf-8")
    loaded = load_surface("query.policy", "shop.sql")

    assert loaded.accepts("SELECT total FROM orders")
    assert loaded.refused_at("SELECT nothing FROM orders") == 14
    assert loaded.refused_at("SELECT 1 - -1") is None
    assert loaded.refused_at("SELECT 1 -- 1\n") == 10


@pytest.mark.parametrize(
    ("texts", "given", "code"),
    [
        ({"a.policy": SURFACE + HOUSE + HOUSE.replace("house", "other")}, "a.policy", "LC0009"),
        ({"a.policy": SURFACE + HOUSE}, "a.policy:nothing", "LC0009"),
        ({"a.policy": "policy a { deny [b]; }"}, "a.policy", "LC0009"),
        ({"a.policy": SURFACE + HOUSE.replace("deny phrase", "deny phrases", 1)}, "a.policy", "LC0101"),
    ],
)
def test_what_is_not_meant(folder: Path, texts: dict[str, str], given: str, code: str) -> None:
    """Each with its diagnostic."""
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(LangcError) as caught:
        load_surface(given, "names.json")
    assert caught.value.diagnostics[0].code == code


def test_policies_that_do_not_fit(folder: Path) -> None:
    """LC0009 for one without a surface, LC0942 for another surface, LC0309 for another strength, LC0943 from a file."""
    house = load_surface("house.policy", "names.json")
    plain = langc.parse_policy("policy plain { deny [b]; }")
    other = langc.parse_policy('surface yes { text := "yes"; } policy other { surface yes; }')
    attempts: dict[str, Callable[[], LoadedSurface]] = {
        "LC0009": lambda: load_surface(plain),
        "LC0942": lambda: house.with_policy(other),
        "LC0309": lambda: house.with_policy(plain.with_(mode="soft")),
        "LC0943": lambda: loads(written(house)).with_policy(plain),
    }
    for code, attempt in attempts.items():
        with pytest.raises(LangcError) as caught:
            attempt()
        assert caught.value.diagnostics[0].code == code


# --- the file ---


def written(one: LoadedSurface) -> str:
    """Its file."""
    return dumps(one, {"surface-sha256": one.digest, "environment-sha256": one.environment.digest})


@settings(max_examples=20)
@given(
    rule=st.sampled_from(
        [
            *RULES,
            'policy p { stop before phrase "12"; discourage [x] by 2; }',
            "policy p { deny [x]; discourage [y] by 0.5; discourage [a] by 7; }",
        ]
    ),
    seed=st.integers(0, 9_999),
)
def test_a_file_means_what_was_written(rule: str, seed: int) -> None:
    """The same masks, costs and endings along random texts, the same digest, and the same file again."""
    one, vocabulary, draw = lets(rule), vocabulary_of_lets(seed), random.Random(seed)
    again = loads(written(one))

    assert written(again) == written(one)
    assert again.digest == one.digest
    left, right = one.matcher(vocabulary), again.matcher(vocabulary)
    for _ in range(10):
        assert left.bias().tolist() == right.bias().tolist()
        assert left.stopping() == right.stopping()
        token = draw.choice(np.flatnonzero(left.mask()).tolist())
        assert left.advance(token)
        assert right.advance(token)
        if left.ended:
            break


def test_many_phrases_are_written_as_phrases(folder: Path) -> None:
    """Where their automaton would be of no use."""
    words = ["".join(random.Random(n).choices("abcdefgh", k=6)) for n in range(3_000)]
    (folder / "words.txt").write_text("\n".join(words), encoding="utf-8")
    (folder / "many.policy").write_text('policy many { deny phrases from "words.txt"; }', encoding="utf-8")
    one = load_surface("house.policy:pick", "names.json").with_policy("many.policy")
    again = loads(written(one))

    rules = stored(again.rules) if again.rules is not None else None
    assert rules is not None
    assert len(rules.bound.phrases) > 2_000
    for text in ("pick orders.id", "pick orders.total, id"):
        assert again.accepts(text) == one.accepts(text) is True


def damaged(value: Any, draw: random.Random) -> Any:
    """A JSON value with one thing in it changed."""
    if isinstance(value, dict) and value:
        key = draw.choice(sorted(value))
        return {**value, key: damaged(value[key], draw)}
    if isinstance(value, list) and value and draw.random() < 0.9:
        place = draw.randrange(len(value))
        return [*value[:place], damaged(value[place], draw), *value[place + 1 :]]
    return draw.choice([None, -1, 10**6, "x", [], {}, 0.5, True, [0, 1, 2], float("inf")])


@settings(max_examples=300)
@given(seed=st.integers(0, 10**6))
def test_damaged_rules_are_refused_or_sound(seed: int) -> None:
    """Whatever is changed, reading gives rules that can be used or a ValueError; the checksum made good as well."""
    from langc.compiler.surfaces.policed.stored import _checksum

    draw = random.Random(seed)
    value = damaged(to_json(PolicyRules(langc.parse_policy(draw.choice(RULES)))), draw)
    if isinstance(value, dict) and {"bound", "free"} <= set(value):
        value["checksum"] = _checksum({"bound": value["bound"], "free": value["free"]})
    try:
        rules = from_json(value)
    except ValueError:
        return
    try:
        rules.first_violation("in 12")
    except PolicyError as error:
        assert error.diagnostics[0].code == "LC0402"  # noqa: PT017 - most are sound


def test_a_file_with_other_rules_is_refused(folder: Path) -> None:
    """LC0952: without the checksum of what it holds."""
    whole = json.loads(written(load_surface("house.policy", "names.json")))
    whole["policy"]["bound"]["automaton"]["accepting"] = []
    with pytest.raises(LangcError, match="LC0952"):
        loads(json.dumps(whole))


# --- commands ---


def test_check(folder: Path, run: Run) -> None:
    """Names that do not exist and what the policy denies, where they stand; of the artefact too."""
    (folder / "a.txt").write_text("pick ordrs.id, placed\n", encoding="utf-8")
    (folder / "b.txt").write_text("pick orders.id,placed\n", encoding="utf-8")
    found = run("check", "a.txt", "b.txt", "--policy", "house.policy:house", "--env", "names.json")
    assert found.exit_code == 1
    lines = found.stdout.splitlines()
    assert "a.txt:1:6: “ordrs” does not exist here as a Table; did you mean “orders”?" in lines
    assert any(line.startswith("a.txt:1:15: ") and 'deny phrase ", "' in line for line in lines)
    assert "a.txt: 1 ghost, 1 violation" in lines
    assert "b.txt: every name exists" in lines

    wrote = run("compile", "house.policy:house", "--env", "names.json", "--target", "processor", "-o", "house.json")
    assert wrote.exit_code == 0
    of_file = run("check", "a.txt", "b.txt", "--policy", "house.json", "--json")
    assert of_file.exit_code == 1
    value = json.loads(of_file.stdout)
    assert (value["surface"], value["policy"], value["ok"]) == ("pick", "house", False)
    assert [len(file["violations"]) for file in value["files"]] == [1, 0]
    assert value["files"][0]["violations"][0]["offset"] == 14


def test_use_beside_a_surface(folder: Path, run: Run) -> None:
    """`--use` names policies for the texts of a surface."""
    (folder / "a.txt").write_text("pick orders.id,placed\n", encoding="utf-8")
    (folder / "plain.policy").write_text("policy plain { deny [,]; }", encoding="utf-8")
    found = run("check", "a.txt", "--policy", "house.policy:pick", "--use", "plain.policy", "--env", "names.json")

    assert "a.txt: every name exists, 1 violation" in found.stdout


def test_tests_that_live_with_the_policy(folder: Path, run: Run) -> None:
    """They are about texts of the surface, over the names that are given."""
    assert run("test", "house.policy", "--env", "names.json").exit_code == 0
    (folder / "names.json").write_text('{"Table": ["bare"]}', encoding="utf-8")
    found = run("test", "house.policy", "--env", "names.json")
    assert found.exit_code == 2
    assert "LC0402" in found.stderr


@pytest.mark.parametrize("target", ["gbnf", "xgrammar", "llguidance", "regex", "outlines"])
def test_targets_that_carry_no_rules(folder: Path, run: Run, target: str) -> None:
    """LC0943, which says what does."""
    found = run("compile", "house.policy:house", "--env", "names.json", "--target", target, "--allow", "over")
    assert found.exit_code == 2
    assert "LC0943" in found.stderr
    assert "processor" in found.stderr
    with pytest.raises(UnsupportedError, match="LC0943"):
        langc.compile(load_surface("house.policy", "names.json"), target)


def test_what_the_file_cannot_say(folder: Path, run: Run) -> None:
    """`--fix` has no meaning for texts of a surface, nor have the options of policies for a surface alone."""
    (folder / "a.txt").write_text("pick orders.id", encoding="utf-8")
    for words in (
        ("check", "a.txt", "--policy", "house.policy:house", "--env", "names.json", "--fix"),
        ("check", "a.txt", "--policy", "house.policy:pick", "--env", "names.json", "--mode", "soft"),
        ("compile", "house.policy:pick", "--env", "names.json", "--target", "processor", "--exempt", "code"),
    ):
        found = run(*words)
        assert (found.exit_code, "LC0020" in found.stderr) == (2, True)


def test_warnings_about_names(folder: Path, run: Run) -> None:
    """What no text can name is said where the surface is compiled and where texts are checked."""
    (folder / "names.json").write_text('{"Table": ["two words", "orders"]}', encoding="utf-8")
    (folder / "a.txt").write_text("pick orders.id", encoding="utf-8")
    for words in (
        ("compile", "house.policy:pick", "--env", "names.json", "--target", "processor", "-o", "x.json"),
        ("check", "a.txt", "--policy", "house.policy:pick", "--env", "names.json"),
    ):
        assert "two words" in run(*words).stderr


# --- processors ---


def test_a_processor_over_arrays(folder: Path) -> None:
    """Rows of logits, as the matcher says; a path of the file and of a policy will do."""
    (folder / "house.policy").write_text(
        SURFACE.replace("env db;", 'env db from json("names.json");') + HOUSE, encoding="utf-8"
    )
    house = load_surface("house.policy")
    (folder / "house.json").write_bytes(langc.compile(house, "processor").content)
    vocabulary = Vocabulary("bytes", (*(bytes((byte,)) for byte in range(256)), b""), {256: "<end>"}, frozenset({256}))
    matcher = house.matcher(vocabulary)
    text = list(b"pick orders.")
    assert matcher.sync(text)
    for meant in (house, "house.json", "house.policy:house", langc.load_policy("house.policy")):
        processor = PolicyProcessor(meant, vocabulary, prompt_length=0)
        scores = processor(np.array([text]), np.zeros((1, 257), dtype=np.float32))
        assert (scores[0] == 0).tolist() == matcher.mask().tolist()
    assert bytes(np.flatnonzero(matcher.mask()).astype(np.uint8)) == b"\x20ip" or matcher.allows(ord("i"))
    assert not matcher.allows(ord("t"))
