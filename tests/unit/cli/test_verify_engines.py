"""`langc verify` with the real engines: what they add to the table, to the differences and to the notes."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import langc
from langc import targets
from langc.compiler.verify.engines import xgrammar
from langc.compiler.verify.engines.protocol import GrammarRefusedError
from langc.compiler.verify.engines.registry import RUNNERS, Runner
from tests.unit.cli.harness import Cli

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("verify-engines")]

ENGINES = {(target, dialect): {r.name for r in runners} for (target, dialect), runners in RUNNERS.items()}


@pytest.fixture
def abc(cli: Cli) -> Cli:
    """`cli`, in a folder with a policy of three letters and a term as well."""
    Path("abc.policy").write_text('policy abc { only [a-c]; allow "한글"; }', encoding="utf-8")
    return cli


def _targets(done: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(done.out)["targets"]
    return found


def test_everything_agrees(abc: Cli) -> None:
    """Every dialect of every target is read back, and each engine that knows it is run; nothing differs.

    Only `banned-strings` refuses: the policy is of characters, and denies no phrase.
    """
    done = abc("verify", "abc.policy", "--prefixes", "200", "--json")
    found = {(t["target"], t["dialect"]): t for t in _targets(done)}
    choices = {(n, d) for n in targets.names() for d in targets.get(n).dialects or (None,)}

    assert (done.code, done.err) == (0, "")
    assert set(found) == choices
    assert {key for key, t in found.items() if t["verdict"] == "refused"} == {
        ("banned-strings", dialect) for dialect in targets.get("banned-strings").dialects
    }
    assert {t["verdict"] for t in found.values()} == {"agrees", "as claimed", "refused"}
    assert {key: {e["engine"] for e in t["engines"]} for key, t in found.items() if t["engines"]} == ENGINES
    assert all(t["states"] >= 1 for t in found.values() if t["verdict"] != "refused")
    assert all(e["masks"] + e["texts"] >= 1 for t in found.values() for e in t["engines"])


def test_comparisons_are_added_up(abc: Cli) -> None:
    """Each mask counts, and each automaton that was read back."""
    found = json.loads(abc("verify", "abc.policy", "--targets", "xgrammar,gbnf", "--prefixes", "4", "--json").out)

    assert [t["masks"] for t in found["targets"]] == [4, 4]
    assert (found["comparisons"], found["unexplained"], found["ok"]) == (10, 0, True)


@pytest.mark.parametrize(
    ("target", "grammar", "engine"),
    [("gbnf", 'root ::= ([a-d] | "한글")*\n', "llama.cpp"), ("xgrammar", 'root ::= ([a-d] | "한글")*\n', "xgrammar")],
)
def test_an_engine_shows_the_difference_too(abc: Cli, target: str, grammar: str, engine: str) -> None:
    """By language and by engine the witness is `d`; the engine's has its token as well."""
    Path("by-hand.txt").write_text(grammar, encoding="utf-8")
    done = abc("verify", "abc.policy", "by-hand.txt", "--target", target, "--prefixes", "20", "--json")
    (found,) = _targets(done)
    (masks,) = found["engines"]

    assert (done.code, found["verdict"]) == (1, "differs")
    assert found["witness"] == {"text": "d", "bytes": "64", "passes": "artefact", "tokens": None}
    assert (masks["engine"], masks["unexplained"] > 0) == (engine, True)
    assert masks["witness"] == {"text": "d", "bytes": "64", "passes": engine, "tokens": [ord("d")]}


def test_an_engine_that_goes_wrong_behind_a_repetition(abc: Cli) -> None:
    """outlines-core refuses `d` behind `a`, and only there: the fewest bytes into each state do not show it."""
    Path("dd.policy").write_text('policy dd { only [a-c]; allow "dd"; }')
    Path("t.json").write_text(json.dumps({"tokens": [[b] for b in range(256)], "special": {"<end>": 256}, "eos": 256}))
    vocabulary = langc.load_vocabulary("t.json")
    made = langc.compile("dd.policy", "outlines", vocabulary, dialect="regex", allow="under").text or ""
    Path("dd.txt").write_text(made.partition("{0}")[0] + "{0}(?:[a-c]|d+d)(?:[a-c]|d+d)*")
    done = abc("verify", "dd.policy", "dd.txt", "--tokenizer", "t.json", "--json")
    (found,) = _targets(done)

    assert (done.code, found["verdict"]) == (1, "differs")
    assert found["witness"] == {"text": "ad", "bytes": "61 64", "passes": "policy", "tokens": [97, 100]}


def test_the_vocabulary_is_the_tokenizer(abc: Cli) -> None:
    """With a tokenizer the witness is in its tokens: here `d` has none of its own."""
    tokens = {str(b): [b] for b in range(256) if b != ord("d")} | {"256": "dd"}
    Path("t.json").write_text(json.dumps({"tokens": tokens, "special": {"<end>": 257}, "eos": "<end>"}))
    Path("by-hand.txt").write_text('root ::= ([a-c] | "한글" | "dd")*\n', encoding="utf-8")
    line = ["verify", "abc.policy", "by-hand.txt", "--target", "xgrammar", "--prefixes", "1", "--json"]
    (found,) = _targets(abc(*line, "--tokenizer", "t.json"))
    (masks,) = found["engines"]

    assert found["witness"] == {"text": "dd", "bytes": "64 64", "passes": "artefact", "tokens": None}
    assert masks["witness"] == {"text": "dd", "bytes": "64 64", "passes": "xgrammar", "tokens": [256]}


def test_an_engine_that_is_not_installed(abc: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named with its package, and the rest is as it was."""
    version = metadata.version

    def missing(name: str) -> str:
        if name == "xgrammar":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", missing)
    done = abc("verify", "abc.policy", "--targets", "xgrammar")

    assert done.code == 0
    assert "  xgrammar: xgrammar was not run: it is not installed (`pip install xgrammar`)\n" in done.out
    assert "abc on bytes: 1 comparison, no difference\n" in done.out


@pytest.mark.parametrize("error", [ImportError("no libfoo.so.1"), OSError("no libfoo.so.1")])
def test_an_engine_that_cannot_be_loaded(abc: Cli, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """An installation that is broken is said to be, and the rest is as it was."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(xgrammar.XGrammar, "__init__", fail)
    done = abc("verify", "abc.policy", "--targets", "xgrammar")
    note = f"xgrammar {metadata.version('xgrammar')} is installed, but cannot be loaded: no libfoo.so.1"

    assert (done.code, done.err) == (0, "")
    assert f"  xgrammar: xgrammar was not run: {note}\n" in done.out
    assert "abc on bytes: 1 comparison, no difference\n" in done.out


def test_a_tokenizer_without_an_end(abc: Cli) -> None:
    """Engines need an end token; what langc runs itself does not."""
    Path("t.json").write_text(json.dumps({"tokens": {str(b): [b] for b in range(256)}}))
    line = ["verify", "abc.policy", "--targets", "xgrammar,processor", "--tokenizer", "t.json", "--json"]
    grammar, processor = _targets(abc(*line, "--prefixes", "5"))

    assert grammar["notes"] == ["xgrammar was not run: it needs an end token, and t.json has none"]
    assert (grammar["engines"], processor["notes"], processor["masks"]) == ([], [], 5)


def test_an_engine_that_refuses_the_artefact(abc: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """No user of that engine could use the file: it differs, although it can be read back."""

    def refuse(*_: object, **__: object) -> None:
        raise GrammarRefusedError("line 1: no")

    monkeypatch.setattr(Runner, "load", refuse)
    done = abc("verify", "abc.policy", "--targets", "gbnf")

    assert done.code == 1
    assert " differs " in done.out.splitlines()[1]
    assert f"  gbnf: llama.cpp {metadata.version('xllamacpp')} fails: line 1: no\n" in done.out


def test_a_soft_policy(abc: Cli) -> None:
    """What can carry a price is compared, prices and all; the others refuse."""
    done = abc("verify", "abc.policy", "--mode", "soft", "--prefixes", "20", "--json")
    verdicts = {t["target"]: t["verdict"] for t in _targets(done)}

    assert done.code == 0
    assert {name for name, verdict in verdicts.items() if verdict != "refused"} == {"processor", "logit-bias"}
    assert verdicts["processor"] == "agrees"


def test_in_python(abc: Cli) -> None:
    """The same report, and progress that comes to its end."""
    seen: list[tuple[str, int, int]] = []
    report = langc.verify(
        "abc.policy",
        targets=["xgrammar"],
        artefacts=[langc.compile("abc.policy", "gbnf")],
        prefixes=5,
        progress=lambda what, done, total: seen.append((what, done, total)),
    )

    assert [(t.target, t.compared, t.verdict.value) for t in report.targets] == [
        ("xgrammar", 5, "agrees"),
        ("gbnf", 5, "agrees"),
    ]
    assert (report.ok, report.comparisons) == (True, 12)
    assert all(0 <= done <= total for _, done, total in seen)
    assert {total for _, _, total in seen} == {0, 5}
