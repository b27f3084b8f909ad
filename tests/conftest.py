"""What all tests share: golden files, and the closing list of what was measured."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.examples import examples

# Tests assert no times; under CI hypothesis takes its own profile, which also fixes the seeds.
settings.register_profile(
    "langc", max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
if not os.environ.get("CI"):
    settings.load_profile("langc")

MEASURED = "measured"
"""The name of the property under which a test records one line for the closing list."""

Golden = Callable[[Path, str | bytes], None]
"""Compares what a test made with a golden file."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-golden`, which rewrites golden files instead of comparing. Read the diff before you commit it."""
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files from what the tests make")


_UNWANTED = re.compile(r"not \w+( and not \w+)*")
_MARKS_OF_MODULE = re.compile(r"^pytestmark = (.+)$", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import a module of which `-m` wants no test: engines and models take seconds to load."""
    chosen: str = config.getoption("markexpr")
    if collection_path.suffix != ".py" or not _UNWANTED.fullmatch(chosen):
        return None
    marks = _MARKS_OF_MODULE.search(collection_path.read_text(encoding="utf-8"))
    unwanted = {f"pytest.mark.{name}" for name in re.findall(r"not (\w+)", chosen)}
    return True if marks and unwanted & set(re.findall(r"pytest\.mark\.\w+", marks[1])) else None


_STATM = Path("/proc/self/statm")
_LARGE = 2 << 30
"""Bytes of a process."""


@pytest.fixture(autouse=True, scope="module")
def _engines_are_freed() -> Iterator[None]:
    """Engines hold themselves: the collector comes to them late where much else is alive, and workers grow."""
    yield
    if _STATM.exists() and int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") > _LARGE:
        gc.collect()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare with a golden file, byte for byte; a missing file is a failure."""
    update: bool = request.config.getoption("--update-golden")

    def compare(path: Path, actual: str | bytes) -> None:
        made = actual.encode("utf-8") if isinstance(actual, str) else actual
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(made)
        if not path.exists():
            pytest.fail(f"there is no {path.name}: run `pytest --update-golden` and read what it writes", pytrace=False)
        expected = path.read_bytes()
        if isinstance(actual, str):  # a difference of texts is easier to read
            assert expected.decode("utf-8") == actual
        else:
            assert expected == made

    return compare


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print each recorded line once, in the order of the reports, whichever process ran the test."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    lines = [
        value
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, value in report.user_properties
        if name == MEASURED
    ]
    if lines:
        terminalreporter.section("measured")
        for line in dict.fromkeys(lines):
            terminalreporter.line(str(line))
