"""The engines that are installed, tried on small policies that engines of the past got wrong.

Each policy is compiled for every target and verified (`compiler/verify`): whole masks over the 256 single bytes. What
an engine is known to get wrong is said and is no alarm; anything else is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from langc.compiler.doctor.report import DoctorReport, Finding
from langc.compiler.loading import parse_policy
from langc.compiler.verify.report import Masks, VerifyReport
from langc.compiler.verify.run import verify

CANARIES: Mapping[str, str] = {
    "a class beyond ASCII": r"policy cyrillic { only [а-я]; }",
    "a script beside ASCII": r"policy kannada { only [\p{Script=Kannada}\p{Block=Basic_Latin}]; }",
    "characters of four bytes": r"policy faces { only [\u{1F600}-\u{1F64F}]; }",
    "a denied script with a word of it": r'policy words { deny script Han; allow "漢江"; }',
    "a denied phrase": r'policy phrases { deny phrase "bad" { ignore case; } }',
    "a region": r'policy thinking { deny script Han; region think = between "<think>" "</think>" { any } }',
}
"""Policies, each with what is tried by it."""

Progress = Callable[[str, int, int], None]


def examine_engines(progress: Progress | None = None) -> DoctorReport:
    """Try every engine that is installed. `progress` is told what is going on."""
    tell = progress or (lambda what, done, total: None)
    by_engine: dict[str, _Tally] = {}
    for number, (about, text) in enumerate(CANARIES.items()):
        tell(about, number, len(CANARIES))
        report = verify(parse_policy(text))
        for title, masks in _masks(report):
            by_engine.setdefault(title, _Tally()).add(about, masks)
        missing = {note for target in report.targets for note in target.missing if "not installed" in note}
        for note in sorted(missing):
            by_engine.setdefault(note.partition(" ")[0], _Tally()).missing = note
    return DoctorReport("installed engines", [_finding(title, by_engine[title]) for title in sorted(by_engine)])


@dataclass
class _Tally:
    masks: int = 0
    texts: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    missing: str | None = None

    def add(self, about: str, masks: Masks) -> None:
        self.masks += masks.prefixes
        self.texts += masks.texts
        for name, count in masks.faults.items():
            self.faults[name] = self.faults.get(name, 0) + count
        if masks.error is not None:
            self.wrong.append(f"{about}: {masks.error}")
        elif masks.unexplained:
            self.wrong.append(f"{about}: {_difference(masks)}")


def _masks(report: VerifyReport) -> Iterator[tuple[str, Masks]]:
    for target in report.targets:
        yield from ((masks.title, masks) for masks in target.masks)


def _difference(masks: Masks) -> str:
    witness = masks.witness
    shown = "" if witness is None else f", the shortest at {witness.text.decode('utf-8', 'backslashreplace')!r}"
    if masks.texts:
        return f"{masks.unexplained:,} of {masks.texts:,} texts are judged wrongly{shown}"
    return f"{masks.unexplained:,} of {masks.prefixes:,} masks are wrong{shown}"


def _finding(title: str, tally: _Tally) -> Finding:
    if tally.missing is not None:
        return Finding(title, None, tally.missing)
    if tally.wrong:
        help_ = "do not trust it with a policy: take another version or another target; `langc verify` has more"
        return Finding(title, False, "; ".join(tally.wrong), help_)
    known = "".join(f"; known fault {name} in {count:,}" for name, count in sorted(tally.faults.items()))
    compared = f"{tally.masks:,} masks" if tally.masks else f"{tally.texts:,} texts"
    return Finding(title, True, f"{compared} as they must be{known}")
