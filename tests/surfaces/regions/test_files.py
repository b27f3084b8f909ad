"""Policies with a surface in their regions: files, commands, artefacts and processors."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.errors import LangcError, UnsupportedError
from langc.compiler.surfaces.loaded import LoadedSurface, load_surface
from langc.compiler.surfaces.policed.joint import BYTES
from langc.compiler.surfaces.policed.rules import PolicyRules
from langc.compiler.surfaces.policed.stored import _checksum, from_json, to_json
from langc.compiler.surfaces.portable import dumps, loads
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime.arrays import PolicyProcessor
from tests.surfaces.conftest import Run
from tests.surfaces.policed.test_files import NAMES, SURFACE, damaged
from tests.surfaces.regions.referee import WORLDS

ANSWER = r"""
policy answer "Answers with queries" {
    deny phrase "drop";
    region query = fence "pick" { surface pick; }
    region code = fence { any }
    accept "So:\n```pick\npick orders.id\n```\n";
    accept "```\ndrop\n```";
    reject "```pick\npick nothing.id\n```" at 13;
    reject "drop it" at 3;
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the surface, the policy, and the names."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answer.policy").write_text(SURFACE + ANSWER, encoding="utf-8")
    (tmp_path / "names.json").write_text(json.dumps(NAMES), encoding="utf-8")
    return tmp_path


# --- which is meant ---


def test_how_it_is_loaded(folder: Path) -> None:
    """By the file, by its name, and handed over; its digest tells it from the surface and from the policy alone."""
    for meant in ("answer.policy", "answer.policy:answer", langc.load_policy("answer.policy")):
        loaded = load_surface(meant, "names.json")
        assert (loaded.name, loaded.surface.name) == ("answer", "pick")
        assert loaded.accepts("So:\n```pick\npick orders.id\n```\n")
    free = ANSWER.replace("{ surface pick; }", "{ any }")
    others = (load_surface("answer.policy:pick", "names.json"), loaded.with_policy(langc.parse_policy(free)))
    assert len({loaded.digest, *(other.digest for other in others)}) == 3


def test_other_names_and_levels(folder: Path) -> None:
    """As with the surface by itself."""
    text = "```pick\npick bare.id\n```"
    loaded = load_surface("answer.policy", "names.json")
    (folder / "bare.json").write_text('{"Table": [{"name": "bare", "members": {"Column": ["id"]}}]}', encoding="utf-8")
    other = loaded.with_environment(load_surface("answer.policy", "bare.json").environment)

    assert (loaded.accepts(text), other.accepts(text)) == (False, True)
    assert loaded.with_levels({"Table": "open", "Column": "open"}).accepts(text)


def test_where_a_region_gives_way(folder: Path) -> None:
    """An exemption of that name takes its place, and the policy is for no surface then."""
    policy = langc.parse_policy(SURFACE + ANSWER.replace("region code = fence { any }", "").replace("query", "code"))
    with pytest.raises(LangcError, match="LC0009"):
        load_surface(policy.with_(exempt="code"), "names.json")


def test_json_has_no_regions_of_a_surface(folder: Path) -> None:
    """LC0360: in a string the lines of a block are spelled otherwise."""
    policy = langc.load_policy("answer.policy")
    with pytest.raises(LangcError, match="LC0360"):
        policy.with_(json_strings=True)
    with pytest.raises(LangcError, match="LC0360"):
        policy.with_(json_schema={"type": "string"})


def test_soft_rules_leave_the_surface_hard(folder: Path) -> None:
    """What the policy denies costs then, and a name that does not exist is refused as ever."""
    loaded = load_surface(langc.load_policy("answer.policy").with_(mode="soft", bias=3), "names.json")
    matcher = loaded.matcher(vocabulary())

    assert loaded.accepts("drop")
    assert not loaded.accepts("```pick\npick ordrs.id\n```")
    assert all(map(matcher.advance, b"dro"))
    assert matcher.bias()[ord("p")] == -3
    inside = loaded.matcher(vocabulary())
    assert inside.advance(257)
    assert {token for token in range(256) if inside.mask()[token]} == {ord(" "), ord("P"), ord("p")}


def test_policies_that_do_not_fit(folder: Path) -> None:
    """LC0942: the surface for whole texts and in a region, in whatever order they come."""
    inner = langc.load_policy("answer.policy")
    whole = langc.parse_policy(SURFACE + "policy whole { surface pick; deny [x]; }")
    attempts: list[Callable[[], LoadedSurface]] = [
        lambda: load_surface("answer.policy:pick", "names.json").with_policy(inner),
        lambda: load_surface(whole, "names.json").with_policy(inner),
        lambda: load_surface(inner, "names.json").with_policy(whole),
        lambda: load_surface(inner, "names.json").with_policy(inner),
    ]
    for attempt in attempts:
        with pytest.raises(LangcError, match="LC0942"):
            attempt()


def test_a_policy_beside(folder: Path) -> None:
    """It holds everywhere, in the region too."""
    loaded = load_surface("answer.policy", "names.json").with_policy(langc.parse_policy('policy p { deny [","]; }'))

    assert loaded.accepts("```pick\npick orders.id\n```")
    assert loaded.refused_at("```pick\npick orders.id, total\n```") == 22
    assert loaded.refused_at("yes, no") == 3


# --- what is found ---


def test_findings_stand_in_the_text(folder: Path) -> None:
    """In code points from the beginning of the text, in each of its blocks."""
    text = "가나\n```pick\npick ordrs.id\n```\n~~~pick\npick orders.totl\n~~~\n```pick"
    found = load_surface("answer.policy", "names.json").check(text)

    assert [(one.kind, text[one.start : one.end], one.suggestion) for one in found] == [
        ("ghost", "ordrs", "orders"),
        ("ghost", "totl", "total"),
        ("end", "", None),
    ]
    assert found[-1].start == len(text)


def test_check(folder: Path, run: Run) -> None:
    """Names in blocks and what the policy denies around them, each where it stands; of the artefact too."""
    (folder / "a.md").write_text("Try:\n```pick\npick ordrs.id\n```\nor drop it\n", encoding="utf-8")
    (folder / "b.md").write_text("```pick\npick orders.id\n```\n", encoding="utf-8")
    found = run("check", "a.md", "b.md", "--policy", "answer.policy", "--env", "names.json")
    lines = found.stdout.splitlines()
    assert found.exit_code == 1
    assert "a.md:3:6: “ordrs” does not exist here as a Table; did you mean “orders”?" in lines
    assert any(line.startswith("a.md:5:7: ") and 'deny phrase "drop"' in line for line in lines)
    assert "b.md: every name exists" in lines

    wrote = run("compile", "answer.policy", "--env", "names.json", "--target", "processor", "-o", "answer.json")
    assert wrote.exit_code == 0
    of_file = run("check", "a.md", "b.md", "--policy", "answer.json", "--json")
    assert [len(file["violations"]) for file in json.loads(of_file.stdout)["files"]] == [1, 0]
    assert run("test", "answer.policy", "--env", "names.json").exit_code == 0


@pytest.mark.parametrize("target", ["gbnf", "xgrammar", "llguidance", "regex", "logit-bias"])
def test_targets_that_cannot_carry_it(folder: Path, run: Run, target: str) -> None:
    """LC0943, which says what does; and the policy alone is written to no target."""
    found = run("compile", "answer.policy", "--env", "names.json", "--target", target, "--allow", "over")
    assert (found.exit_code, "LC0943" in found.stderr) == (2, True)
    with pytest.raises(UnsupportedError, match="LC0943"):
        langc.compile(langc.load_policy("answer.policy"), target, vocabulary=BYTES)


# --- the file ---


def written(one: LoadedSurface) -> str:
    """Its file."""
    return dumps(one, {"surface-sha256": one.digest, "environment-sha256": one.environment.digest})


def vocabulary() -> Vocabulary:
    """Bytes, some longer tokens, a marker, and an end."""
    tokens = [bytes((byte,)) for byte in range(256)]
    tokens += [b"```", b"```pick\n", b"pick", b" orders.id", b"\n```\n", b";\n", b"\n\n", b"", b""]
    return Vocabulary("toy", tuple(tokens), {263: "<q>", 264: "<end>"}, frozenset((264,)))


MARKED = ANSWER.replace('fence "pick"', 'fence "pick" | between "<q>" "</q>"')


@pytest.mark.parametrize(
    "source", [ANSWER, pytest.param(MARKED, marks=pytest.mark.slow), ANSWER.replace("deny", "stop before", 1)]
)
def test_a_file_means_what_was_written(folder: Path, source: str) -> None:
    """The same masks, endings and ways along random texts, the same digest, and the same file again."""
    (folder / "answer.policy").write_text(SURFACE + source, encoding="utf-8")
    one = load_surface("answer.policy", "names.json")
    again, tokens, draw = loads(written(one)), vocabulary(), random.Random(5)
    assert written(again) == written(one)
    assert again.digest == one.digest
    for _ in range(4):
        left, right = one.matcher(tokens, max_tokens=60), again.matcher(tokens, max_tokens=60)
        for _ in range(20):
            assert left.mask().tolist() == right.mask().tolist()
            assert left.stopping() == right.stopping()
            allowed = np.flatnonzero(left.mask()).tolist()
            token = draw.choice([token for token in allowed if token >= 256] or allowed)
            assert left.advance(token)
            assert right.advance(token)
            if left.ended:
                break


def test_a_special_token_is_a_delimiter(folder: Path) -> None:
    """Its spelling opens a region; another special token stays out of all masks."""
    (folder / "answer.policy").write_text(SURFACE + MARKED, encoding="utf-8")
    made = load_surface("answer.policy", "names.json")
    for loaded in (made, loads(written(made))):
        matcher = loaded.matcher(vocabulary())
        assert matcher.advance(263)
        assert not matcher.mask()[264]
        assert np.flatnonzero(matcher.mask()).tolist() == [ord(" "), ord("P"), ord("p"), 258]
        for token in (258, 259, *b"</q>"):
            assert matcher.advance(token)
        assert matcher.accepting


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_damaged_contents_are_refused_or_sound(seed: int) -> None:
    """Whatever is changed, reading gives rules that can be used or a ValueError; the checksum made good as well."""
    draw = random.Random(seed)
    value = dict(_WHOLE)
    value["contents"] = damaged(value["contents"], draw)
    value["checksum"] = _checksum({name: value[name] for name in ("bound", "free", "contents")})
    try:
        rules = from_json(value)
    except ValueError:
        return
    plain = WORLDS["marks"][0].plain
    loaded = LoadedSurface(plain.surface, plain.environment, plain.levels, rules)
    for text in ("<a,b>", "x", "가"):
        assert loaded.accepts(text) == (loaded.refused_at(text) is None)


_WHOLE = to_json(PolicyRules(WORLDS["marks"][0].policy))


# --- processors ---


def test_processor(folder: Path) -> None:
    """Rows of their own; the path of an artefact is taken as well, and a budget is kept."""
    loaded, tokens = load_surface("answer.policy", "names.json"), vocabulary()
    (folder / "answer.json").write_text(written(loaded), encoding="utf-8")
    rows = np.array([[257, 258], [ord("a"), 257]])
    for given_ in (loaded, "answer.json"):
        processor = PolicyProcessor(given_, tokens, prompt_length=0, max_tokens=80)
        logits = processor(rows, np.zeros((2, tokens.size), dtype=np.float32))
        inside = np.flatnonzero(np.isfinite(logits[0])).tolist()
        assert inside == [ord(" "), 259]
        assert np.isfinite(logits[1]).sum() > 150
