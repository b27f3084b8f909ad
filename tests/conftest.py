"""What all tests share: the closing list of what was measured."""

from __future__ import annotations

import pytest

MEASURED = "measured"
"""The name of the property under which a test records one line for the closing list."""


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
