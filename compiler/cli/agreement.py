"""What `langc verify` prints: a table of all artefacts, and a block for each difference.

Invariant: witnesses come from files and engines, so nothing of them reaches the terminal but code points in words,
and bytes as hexadecimal numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from langc.compiler.cli.targets import table
from langc.compiler.render import visible
from langc.compiler.unicode.names import show_text
from langc.compiler.verify.faults import FAULTS
from langc.compiler.verify.report import Masks, TargetReport, VerifyReport, Witness

_HEADINGS = ["target", "dialect", "fidelity", "states", "masks", "verdict", "engines"]
_MOST_BYTES = 32
_MOST_TOKENS = 16


def lines(report: VerifyReport) -> Iterator[str]:
    """The whole report, without line ends."""
    yield _table(report.targets)
    for target in report.targets:
        yield from _remarks(target)
    for target in report.targets:
        for who, witness in target.differences:
            yield ""
            yield f"{_name(target)}: {_sentence(who, witness)}"
            yield from _witness(witness, report.eos_ids)
    yield ""
    yield _total(report)


def show_bytes(data: bytes) -> str:
    """A witness in words: its characters, then the bytes that are no whole character."""
    text, rest = _split(data)
    broken = f"{_hex(rest)}, which is no whole character"
    return show_text(text) if not rest else f"{show_text(text)} and {broken}" if text else broken


def _split(data: bytes) -> tuple[str, bytes]:
    """The well-formed beginning, and the rest."""
    try:
        return data.decode(), b""
    except UnicodeDecodeError as error:
        return data[: error.start].decode(), data[error.start :]


def _table(reports: Sequence[TargetReport]) -> str:
    """A row for each artefact; files have their names at the end."""
    has_files = any(t.source for t in reports)
    files = [["file"], *([visible(t.source or "-")] for t in reports)]
    rows = [_HEADINGS, *map(_row, reports)]
    return table([row + file for row, file in zip(rows, files, strict=True)] if has_files else rows)


def _row(target: TargetReport) -> list[str]:
    return [
        target.target,
        target.dialect or "-",
        ", ".join(target.fidelity.flags) if target.fidelity else "-",
        f"{target.language.states:,}" if target.language else "-",
        _compared(target),
        target.verdict.value,
        ", ".join(m.title for m in target.masks) or "-",
    ]


def _compared(target: TargetReport) -> str:
    """How many masks; an engine without masks has judged texts."""
    texts = sum(m.texts for m in target.masks)
    parts = [f"{target.compared:,}"] * (target.compared > 0) + [_count(texts, "text")] * (texts > 0)
    return " + ".join(parts) or "-"


def _name(target: TargetReport) -> str:
    """The file, or the target and its dialect."""
    dialect = f":{target.dialect}" if target.dialect else ""
    return visible(target.source) if target.source else target.target + dialect


def _remarks(target: TargetReport) -> Iterator[str]:
    """What is said of an artefact beside its row."""
    found = [target.refusal] if target.refusal is not None else []
    for masks in target.masks:
        if masks.error is None and masks.states < masks.reachable:
            found.append(
                f"{masks.title} was tried in {masks.states:,} of {masks.reachable:,} states (see `--prefixes`)"
            )
        found += [f"{masks.title} fails: {masks.error}"] * (masks.error is not None)
        found += [_explained(target, masks, name, count) for name, count in masks.faults.items()]
    for remark in (*found, *target.notes, *target.missing):
        yield f"  {_name(target)}: {visible(remark)}"


def _explained(target: TargetReport, masks: Masks, name: str, count: int) -> str:
    """What explains that masks differ: a flag of the artefact's header, or a fault of the engine."""
    differing = f"{_count(count, 'mask')} of {masks.title}"
    if target.fidelity and name in target.fidelity.flags:
        return f"its header admits what differs in {differing}: {name}"
    if masks.engine == "logit-bias":
        return f"no fixed list can say what differs in {differing}: {name}"
    reason = next((f.reason for f in FAULTS if (f.engine, f.name) == (masks.engine, name)), "")
    return f"a known fault of the engine, {name}, explains what differs in {differing}: {reason}"


def _sentence(who: str, witness: Witness) -> str:
    """Who permits what the other side does not."""
    sides = ["the policy", "the artefact" if who == "artefact" else visible(who)]
    permits, forbids = sides if witness.passes == "policy" else reversed(sides)
    return f"{permits} permits this, {forbids} does not"


def _witness(witness: Witness, eos_ids: Collection[int]) -> Iterator[str]:
    yield f"  text:   {show_bytes(witness.text)}"
    yield f"  bytes:  {_hex(witness.text) or 'none'}"
    if witness.tokens is not None:
        yield f"  tokens: {_tokens(witness.tokens, eos_ids)}"


def _tokens(tokens: Sequence[int], eos_ids: Collection[int]) -> str:
    """The ids, the one that the sides disagree on last."""
    if not tokens:
        return "none"
    shown = " ".join(map(str, tokens[-_MOST_TOKENS:]))
    first = "… " if len(tokens) > _MOST_TOKENS else ""
    return f"{first}{shown}" + (", the last one ends the text" if tokens[-1] in eos_ids else "")


def _hex(data: bytes) -> str:
    more = f" … ({len(data):,} in all)" if len(data) > _MOST_BYTES else ""
    return data[:_MOST_BYTES].hex(" ") + more


def _total(report: VerifyReport) -> str:
    outcome = _count(report.unexplained, "difference") if report.unexplained else "no difference"
    return f"{report.policy} on {visible(report.tokenizer)}: {_count(report.comparisons, 'comparison')}, {outcome}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
