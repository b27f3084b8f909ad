"""Snapshots in the real engines: every text of the surface passes, and names that are not there do not."""

from __future__ import annotations

import random
from functools import cache

import pytest

import langc
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.verify.engines.llamacpp import LlamaCpp, LlamaVocabulary
from langc.compiler.verify.engines.llguidance import LlGuidance
from langc.compiler.verify.engines.protocol import BYTES, Verdict, judge
from langc.compiler.verify.engines.protocol import Engine as Real
from langc.compiler.verify.engines.xgrammar import XGrammar
from tests.surfaces.executors.samples import GOLD, SCHEMA
from tests.surfaces.snapshot.toys import let, tables, walks
from tests.surfaces.sql.walks import engine as sql_engine

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("surface-snapshots")]
TARGETS = ("gbnf", "xgrammar", "llguidance")


def compiled(engine: Engine, target: str) -> str:
    """The artefact of an engine's surface."""
    text = langc.compile(LoadedSurface(engine.surface, engine.environment, {}), target, allow="over").text
    assert text is not None
    return text


def real(engine: Engine, target: str) -> Real:
    """It, in its engine, over single bytes."""
    text = compiled(engine, target)
    if target == "gbnf":
        return LlamaCpp(text, LlamaVocabulary.of(BYTES))
    return XGrammar(text, BYTES) if target == "xgrammar" else LlGuidance(text, BYTES, "lark")


@cache
def sql(target: str) -> Real:
    """The snapshot of SQL over a shop."""
    return real(sql_engine(SCHEMA), target)


@pytest.mark.parametrize("target", TARGETS)
def test_walks_pass(target: str) -> None:
    """Texts of declarations that random steps came to."""
    engine = let("sin", "sinh", "let me")
    judged = real(engine, target)
    found = set(walks(engine, random.Random(5), 60, 40))

    assert len(found) > 20
    assert {text: judge(judged, text) for text in found} == dict.fromkeys(found, Verdict.ACCEPT)


@pytest.mark.parametrize("target", TARGETS)
def test_names_that_are_not_there_stop(target: str) -> None:
    """Functions are not declared in a text; nor is a keyword a name, or a word one with its neighbour."""
    judged = real(let("sin", "sinh"), target)
    wrong = (b"print cos(1);", b"print si(1);", b"print sinhh(1);", b"let let=1;", b"letx=1;")

    assert {text: judge(judged, text) for text in wrong} == dict.fromkeys(wrong, Verdict.REJECT)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_sql_passes(target: str) -> None:
    """Statements that people write, comments and signs included."""
    texts = GOLD[::3] if target == "gbnf" else GOLD

    assert {text: judge(sql(target), text.encode()) for text in texts} == dict.fromkeys(texts, Verdict.ACCEPT)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_functions_of_sql_that_are_not_there_stop(target: str) -> None:
    """Functions and collations come from the database alone; tables and columns can be made on the way."""
    wrong = ("SELECT regexp_like(name) FROM customers", "SELECT name FROM customers ORDER BY name COLLATE korean")

    assert {text: judge(sql(target), text.encode()) for text in wrong} == dict.fromkeys(wrong, Verdict.REJECT)


@pytest.mark.slow
def test_ten_thousand_names() -> None:
    """A grammar of so many tables is written, and llguidance reads it."""
    from tests.surfaces.sql.walks import engine

    loaded = Engine(engine(SCHEMA).surface, tables(10_000))
    judged = real(loaded, "llguidance")

    assert judge(judged, b"INSERT INTO table_009999 VALUES (1, 'x')") is Verdict.ACCEPT
    assert judge(judged, b"INSERT INTO table_010000 VALUES (1, 'x')") is Verdict.REJECT
    assert len(compiled(loaded, "gbnf")) < 4_000_000


def test_the_header_says_what_it_is() -> None:
    """The surface, Γ's digest, what is lost, and a text that shows it."""
    engine = let("sin")
    loaded = LoadedSurface(engine.surface, engine.environment, {})
    artifact = langc.compile(loaded, "llguidance", allow="over")

    assert artifact.header["environment-sha256"] == engine.environment.digest
    assert artifact.header["surface-sha256"] == loaded.digest
    assert "scopes" in artifact.header["snapshot"]
    assert artifact.fidelity.flags == ("over",)
    assert artifact.fidelity.over is not None
    assert not loaded.accepts(artifact.fidelity.over)
    assert langc.compile(loaded, "llguidance", allow="over").content == artifact.content
