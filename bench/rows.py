"""What the benchmark says: rows that compare langc with one peer each, as JSON and as a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

COLUMNS = ("metric", "vocabulary", "policy", "langc", "peer", "its", "unit", "ratio", "p99", "worst", "spread")


@dataclass(frozen=True)
class Row:
    """One figure of langc beside a peer's, measured in the same run."""

    metric: str
    vocabulary: str
    policy: str
    ours: float
    peer: str
    peer_value: float | None
    """None if the peer cannot do it, or is langc itself."""
    unit: str
    p99: float | None = None
    """Of langc's steps, where the figure is a median of them."""
    worst: float | None = None
    peer_p99: float | None = None
    peer_worst: float | None = None
    spread: float | None = None
    """See `timing.Summary`."""
    note: str | None = None

    @property
    def ratio(self) -> float | None:
        """langc's figure by the peer's: less than 1 is better."""
        return self.ours / self.peer_value if self.peer_value else None

    def to_json(self) -> dict[str, object]:
        """The row as JSON values."""
        return {**asdict(self), "ratio": self.ratio}


def table(rows: Iterable[Row]) -> str:
    """The rows as aligned text."""
    lines = [COLUMNS, *map(_cells, rows)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(COLUMNS))]
    return "\n".join("  ".join(_aligned(line, widths)).rstrip() for line in lines)


def _aligned(line: tuple[str, ...], widths: list[int]) -> Iterable[str]:
    for n, (cell, width) in enumerate(zip(line, widths, strict=True)):
        yield cell.ljust(width) if n in (0, 1, 2, 4, 6) else cell.rjust(width)


def _cells(row: Row) -> tuple[str, ...]:
    numbers = (_number(row.p99), _number(row.worst), "" if row.spread is None else f"{row.spread:.0%}")
    ratio = "" if row.ratio is None else f"{row.ratio:.3g}"
    its = _number(row.peer_value) or (row.note or "-")[:40]
    return (row.metric, row.vocabulary, row.policy, _number(row.ours), row.peer, its, row.unit, ratio, *numbers)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"
