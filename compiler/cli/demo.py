"""`langc demo`: two characters without a token of their own, and what three methods make of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from langc.compiler.cli.console import Console
from langc.compiler.cli.options import color_option, json_option

if TYPE_CHECKING:
    from langc.compiler.demo.trial import Attempt, Outcome, Trial

_GOOD, _BAD, _STRONG, _PLAIN = "1;32", "1;31", "1", "0"
Cell = tuple[str, str]
"""A text and its colour."""


@click.command(
    epilog="""\b
Examples:
  langc demo
  langc demo --json | jq '.methods[] | {method, hangul_left}'
"""
)
@json_option
@color_option
@click.pass_obj
def command(console: Console) -> None:
    """Show how a list of banned tokens leaks or breaks text, and what langc does instead.

    Runs on a tokenizer of 500 tokens that comes with langc. Every line is worked out from the masks.
    """
    from langc.compiler.demo import trial

    done = trial.run()
    if console.json:
        console.result(_json(done))
    else:
        console.out("\n".join(_lines(done, console.is_coloured(sys.stdout))))


def _lines(trial: Trial, colour: bool) -> Iterator[str]:
    from langc.compiler.demo.trial import HAN, HANGUL, UNWANTED, WANTED
    from langc.compiler.unicode.names import show

    yield f"A tokenizer of {trial.vocabulary.size} tokens writes two characters in pieces:"
    yield f"  {show(ord(UNWANTED))}, which a Korean answer must not hold;"
    yield f"  {show(ord(WANTED))}, which it may hold."
    yield ""
    heads = ("method", "banned", f"{UNWANTED} unwanted", f"{WANTED} wanted", "Han left", "Hangul left")
    yield from _table([[(head, _STRONG) for head in heads], *map(_row, trial.outcomes)], colour)
    yield ""
    yield f"Han left: how many of the {len(HAN):,} characters U+{HAN[0]:04X}..U+{HAN[-1]:04X} can still be written."
    yield f"Hangul left: how many of the {len(HANGUL):,} syllables. Each was tried in every spelling."
    yield "Half a character decodes to U+FFFD, whatever it is half of. So the usual lists of tokens, made from decoded"
    yield "strings, leak or break text. langc goes by the bytes. Next: `langc compile ko --target gbnf`"


def _row(outcome: Outcome) -> list[Cell]:
    from langc.compiler.demo.trial import HANGUL

    method = outcome.method
    return [
        (method.summary, _PLAIN),
        ("by text" if method.banned is None else f"{method.banned} tokens", _PLAIN),
        _verdict(outcome.unwanted, "leaks as"),
        _verdict(outcome.wanted, "written as"),
        (f"{outcome.han:,}", _BAD if outcome.han else _GOOD),
        (f"{outcome.hangul:,}", _GOOD if outcome.hangul == len(HANGUL) else _BAD),
    ]


def _verdict(attempt: Attempt, written: str) -> Cell:
    colour = _GOOD if attempt.is_right else _BAD
    return (f"{written} {attempt.shown}" if attempt.is_written else "cannot be written", colour)


def _table(rows: Sequence[Sequence[Cell]], colour: bool) -> Iterator[str]:
    from langc.compiler.unicode.glyphs import width

    widths = [max(width(text) for text, _ in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        line = "  ".join(_painted(cell, colour) + " " * (wide - width(cell[0])) for cell, wide in cells)
        yield line.rstrip()


def _painted(cell: Cell, colour: bool) -> str:
    text, code = cell
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code != _PLAIN else text


def _json(trial: Trial) -> dict[str, object]:
    from langc.compiler.demo.trial import HAN, HANGUL

    return {
        "policy": trial.policy.name,
        "policy_sha256": trial.policy.hash,
        "tokenizer": {
            "name": trial.vocabulary.name,
            "size": trial.vocabulary.size,
            "sha256": trial.vocabulary.hash,
        },
        "tried": {"han": len(HAN), "hangul": len(HANGUL)},
        "methods": [_method_json(outcome) for outcome in trial.outcomes],
    }


def _method_json(outcome: Outcome) -> dict[str, object]:
    return {
        "method": outcome.method.name,
        "summary": outcome.method.summary,
        "banned": outcome.method.banned,
        "texts": [
            {"text": a.text, "wanted": a.is_wanted, "written": a.is_written, "pieces": a.shown.split()}
            for a in (outcome.unwanted, outcome.wanted)
        ],
        "han_left": outcome.han,
        "hangul_left": outcome.hangul,
    }
