"""`langc pressure`: what a policy would have refused in answers that were written without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from langc.compiler.cli.console import Console, to_json
from langc.compiler.cli.files import read_chunks, shown
from langc.compiler.cli.options import (
    Strength,
    color_option,
    json_option,
    load,
    policy_argument,
    strength_options,
    tokenizer_option,
)
from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.limits import MAX_RECORDED_BYTES, over_limit
from langc.compiler.render import visible
from langc.compiler.source import Source, Span
from langc.compiler.tokens.pressure.report import WORST, PressureReport
from langc.compiler.unread import not_utf8

if TYPE_CHECKING:
    from langc.compiler.policy import Policy
    from langc.compiler.tokens.pressure.listed import Auditor
    from langc.compiler.tokens.vocabulary import Vocabulary
    from langc.compiler.verify.readers.nodes import ReadError


@click.command(
    epilog="""\b
Examples:
  curl …/completion -d '{"prompt": "…", "n_probs": 50}' > answer.json
  langc pressure ko answer.json
  langc pressure ko.policy answers/*.json --tokenizer model.gguf --json | jq .total.mean_pressure
"""
)
@policy_argument
@click.argument("responses", nargs=-1, required=True, metavar="RESPONSES...", type=click.Path())
@tokenizer_option
@click.option("--worst", default=WORST, type=click.IntRange(0, 1_000), metavar="N", help="Show so many steps. [10]")
@strength_options
@json_option
@color_option
@click.pass_obj
def command(
    console: Console,
    policy: str,
    responses: tuple[str, ...],
    tokenizer: str | None,
    worst: int,
    strength: Strength,
) -> None:
    """Report how much of a model's probability a POLICY would take from answers.

    RESPONSES are what a server answered without the policy, with the probabilities of some alternatives: JSON of
    llama.cpp's /completion with n_probs, or of chat completions with logprobs and top_logprobs; - is stdin. All figures
    are lower bounds, because what is not listed counts as allowed.
    """
    from langc.compiler.api import load_vocabulary
    from langc.compiler.tokens.pressure.listed import Auditor

    loaded = load(policy, strength)
    vocabulary = load_vocabulary(tokenizer) if tokenizer else None
    auditor = Auditor(loaded, worst)
    reports = {shown(path): _audit(path, loaded, auditor, vocabulary) for path in dict.fromkeys(responses)}
    total = sum(reports.values(), PressureReport(keep=worst, listed=0.0))
    warnings = vocabulary.warnings if vocabulary else ()
    if console.json:
        files = [{"file": name, **report.to_json()} for name, report in reports.items()]
        found = {"policy": loaded.name, "policy_sha256": loaded.hash, "files": files, "total": total.to_json()}
        console.result(found | {"warnings": to_json(warnings)})
        return
    console.report(warnings)
    console.out(str(total))
    if len(reports) > 1:
        for name, report in reports.items():
            console.out(f"{visible(name)}: at least {report.mean:.4f} in {report.steps:,} steps")


def _audit(path: str, policy: Policy, auditor: Auditor, vocabulary: Vocabulary | None) -> PressureReport:
    """The report on one file. Raises LangcError if it cannot be read (LC0001 to LC0004, LC0570), LimitError."""
    from langc.compiler.cli.responses import read_answers
    from langc.compiler.verify.readers.nodes import ReadError

    name, text = shown(path), _text(path)
    try:
        answers = read_answers(text, vocabulary, policy.markers)
    except ReadError as error:
        raise LangcError(_unreadable(name, text, error)) from None
    reports = (auditor.audit(a.steps, f"{name}, {a.name}" if a.name else name) for a in answers)
    return sum(reports, PressureReport(keep=0, listed=0.0))


def _text(path: str) -> str:
    content = bytearray()
    for chunk in read_chunks(path):
        content += chunk
        if len(content) > MAX_RECORDED_BYTES:
            raise LimitError(over_limit(f"bytes in {shown(path)}", MAX_RECORDED_BYTES))
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise LangcError(not_utf8(shown(path), error)) from None


def _unreadable(name: str, text: str, error: ReadError) -> Diagnostic:
    """LC0570, with the place if the text is no JSON."""
    from langc.compiler.verify.readers.nodes import DataError

    label = None
    if not isinstance(error, DataError):
        at = min(error.offset, len(text))
        label = Label(Source(name, text), Span(at, min(at + 1, len(text))))
    return Diagnostic(
        "LC0570",
        f"{name} cannot be read as answers with probabilities: {error.message}",
        label,
        help="ask llama.cpp's /completion for `n_probs`, other servers for chat completions with `logprobs` and"
        " `top_logprobs`",
    )
