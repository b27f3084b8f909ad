"""The installed engines are tried; one that gets something wrong, or that is missing, is reported as such."""

from __future__ import annotations

import pytest

from langc.compiler.doctor import engines
from langc.compiler.verify.artefact import Readable
from langc.compiler.verify.engines import registry
from langc.compiler.verify.engines.protocol import Judge, Verdict
from langc.compiler.verify.engines.registry import Runner

pytestmark = pytest.mark.slow


def only(monkeypatch: pytest.MonkeyPatch, *runners: tuple[str, str | None, Runner]) -> None:
    """Leave no engines but these."""
    monkeypatch.setattr(registry, "RUNNERS", {(target, dialect): (runner,) for target, dialect, runner in runners})


def test_a_sound_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's `re` gives whole-text verdicts, which are counted."""
    only(monkeypatch, ("regex", "python", registry.RUNNERS["regex", "python"][0]))
    report = engines.examine_engines()

    assert report.ok
    assert [f.about.split()[0] for f in report.findings] == ["python-re"]
    assert "texts as they must be" in report.findings[0].says


def test_an_engine_that_turns_classes_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault is found by the canary for it, with a text that shows it."""
    sound = registry.RUNNERS["regex", "python"][0]

    class Inverted(Judge):
        name = "inverted"

        def __init__(self, artefact: Readable, setting: registry.Setting) -> None:
            judge = sound.start(artefact, setting)
            assert isinstance(judge, Judge)
            self._judge = judge

        def judge(self, text: bytes) -> Verdict:
            """The opposite."""
            permitted = self._judge.judge(text) is Verdict.ACCEPT
            return Verdict.REJECT if permitted else Verdict.ACCEPT

    only(monkeypatch, ("regex", "python", Runner("inverted", None, Inverted)))
    report = engines.examine_engines()

    assert not report.ok
    assert [f.ok for f in report.findings] == [False]
    assert "a class beyond ASCII: " in report.findings[0].says
    assert "texts are judged wrongly" in report.findings[0].says
    assert report.findings[0].help


def test_a_missing_engine_is_not_taken_for_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be tried, nothing is fine."""
    only(monkeypatch, ("gbnf", None, Runner("llama.cpp", "no-such-package", registry.RUNNERS["gbnf", None][0].start)))
    report = engines.examine_engines()

    assert not report.ok
    assert [(f.about, f.ok) for f in report.findings] == [("llama.cpp", None)]
    assert "pip install no-such-package" in report.findings[0].says


@pytest.mark.engines
def test_the_real_engines_are_sound() -> None:
    """All that this repository installs, with what is known of them."""
    report = engines.examine_engines()
    names = {f.about.split()[0] for f in report.findings}

    assert report.ok
    assert {"llama.cpp", "xgrammar", "llguidance", "outlines-core", "processor", "python-re"} <= names
