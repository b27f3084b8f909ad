"""`langc verify`: does every artefact mean what the policy means?

Invariant: nothing is taken on trust. What an artefact permits is read from its own text or data, what an engine permits
is asked of the engine, and both are compared with the policy's automaton; the artefact's header counts only as a claim.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import UnsupportedError
from langc.compiler.pipeline import check_allow
from langc.compiler.policy import Policy
from langc.compiler.target import Artifact, Fidelity
from langc.compiler.tokens.portable import ArtifactError
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.artefact import Readable, open_artefact
from langc.compiler.verify.engines.protocol import GrammarRefusedError, NotRunError
from langc.compiler.verify.engines.registry import Runner, engines_for
from langc.compiler.verify.languages import measure
from langc.compiler.verify.masks import compare
from langc.compiler.verify.reference import Reference
from langc.compiler.verify.report import BOTH, Language, Masks, TargetReport, VerifyReport
from langc.compiler.verify.subjects import Refusal, compile_all
from langc.compiler.verify.walks import Walks, further, walks

PREFIXES = 1_000
"""On which an engine is tried, if nobody says otherwise; more if the token automaton has more states."""
MOST_STATES = 10_000
"""For which more are tried."""
SLOW = {"llama.cpp": 300}
"""On which engines are tried that take a tenth of a second for a mask of a large vocabulary."""

BYTES = Vocabulary("bytes", (*(bytes([b]) for b in range(256)), b""), {256: "<|end|>"}, frozenset({256}))
"""Stands in where there is no tokenizer: every byte is a token, so every text can be written."""

Progress = Callable[[str, int, int], None]
"""Called with what is going on, how much of it is done, and how much there is; 0 if that is not known."""


def verify(
    policy: Policy,
    vocabulary: Vocabulary | None = None,
    *,
    targets: Sequence[str] | None = None,
    artefacts: Sequence[str | os.PathLike[str] | Artifact] = (),
    target: str | None = None,
    dialect: str | None = None,
    prefixes: int | None = None,
    tokenizer: Path | None = None,
    allow: Collection[str] = BOTH,
    progress: Progress | None = None,
) -> VerifyReport:
    """Compare a policy with artefacts: those given, and what it compiles to.

    Args:
        policy: what may be written.
        vocabulary: the model's; without it, single bytes and an end token.
        targets: names to compile to, `regex` or `regex:rust`; None for all of them, or none if artefacts are given.
        artefacts: files, or what `langc.compile` returned.
        target: what the files without a header are.
        dialect: their dialect.
        prefixes: how many prefixes to try an engine on, at most; None leaves it to the engine and the policy.
        tokenizer: the file that the vocabulary was read from; of a GGUF file llama.cpp takes its own view.
        allow: the ways in which an artefact that says so may be inexact.
        progress: told what is going on.

    Raises:
        UnsupportedError: a target out of `targets` refuses the policy, or an artefact needs a vocabulary.
        PolicyError: the policy permits nothing, or nothing that the vocabulary can spell.
        LangcError: a file cannot be read, is no artefact, or was made for another tokenizer.
    """
    check_allow(allow)
    given = [_subject(a, target, dialect) for a in artefacts]
    for subject in given:
        _check_tokenizer(subject.readable, vocabulary)
    run = _Run(policy, vocabulary or BYTES, tokenizer, prefixes, frozenset(allow), progress or _silent)
    names = () if artefacts and targets is None else targets
    return VerifyReport(
        policy.name,
        policy.hash,
        run.vocabulary.name,
        [*run.made(names), *(run.report(subject) for subject in given)],
        run.vocabulary.eos_ids,
    )


@dataclass(frozen=True)
class _Subject:
    """An artefact to verify, and where it comes from."""

    readable: Readable
    fidelity: Fidelity
    source: str | None

    @property
    def label(self) -> str:
        """What progress calls it."""
        dialect = f":{self.readable.dialect}" if self.readable.dialect else ""
        return self.source or self.readable.target + dialect


@dataclass(frozen=True)
class _Run:
    """What all artefacts of one call have in common."""

    policy: Policy
    vocabulary: Vocabulary
    tokenizer: Path | None
    prefixes: int | None
    allow: frozenset[str]
    progress: Progress

    def made(self, names: Sequence[str] | None) -> Iterator[TargetReport]:
        """Reports on what the policy compiles to; all is compiled before the first comparison."""
        if names is not None and not names:
            return
        self.progress("compiling", 0, 0)
        for made in compile_all(self.policy, self.vocabulary, names, self.allow):
            if isinstance(made, Refusal):
                yield TargetReport(made.choice.target, made.choice.dialect, None, None, refusal=made.message)
            else:
                yield self.report(_subject(made))

    def report(self, subject: _Subject) -> TargetReport:
        """What is found of one artefact."""
        readable = subject.readable
        self.progress(f"{subject.label}: reading it back", 0, 0)
        language = measure(self.policy, readable, self.vocabulary)
        masks, missing = self.tried(subject, language)
        return TargetReport(
            readable.target,
            readable.dialect,
            subject.source,
            subject.fidelity,
            language,
            masks,
            missing,
            notes=(*_notes(self.policy, subject, language), *language.notes),
            allowed=self.allow,
        )

    def tried(self, subject: _Subject, language: Language) -> tuple[list[Masks], list[str]]:
        """What the engines make of an artefact, and why others were not run."""
        masks: list[Masks] = []
        missing: list[str] = []
        for runner in engines_for(subject.readable.target, subject.readable.dialect):
            reason = self.obstacle(runner) or _admitted(subject, language, runner)
            if reason is not None:
                missing.append(reason)
                continue
            try:
                masks.append(self.masks(runner, subject))
            except NotRunError as error:
                missing.append(f"{runner.name} was not run: {error}")
        return masks, missing

    def obstacle(self, runner: Runner) -> str | None:
        """Why an engine is not run, whatever the artefact."""
        if not runner.is_installed:
            return f"{runner.name} was not run: it is not installed (`pip install {runner.package}`)"
        if runner.package is not None and not self.vocabulary.eos_ids:
            return f"{runner.name} was not run: it needs an end token, and {self.vocabulary.name} has none"
        return None

    def masks(self, runner: Runner, subject: _Subject) -> Masks:
        """What an engine makes of the artefact. Raises NotRunError if it says nothing about it."""
        what = f"{subject.label}: {runner.name}"
        self.progress(what, 0, 0)
        version = runner.version or ""
        chosen = self.walks(runner)
        try:
            engine = runner.load(
                subject.readable,
                self.vocabulary,
                tokenizer=self.tokenizer,
                soft=self.policy.is_soft,
            )
        except NotRunError:
            raise
        except GrammarRefusedError as error:
            return Masks(runner.name, version, 0, 0, chosen.reachable, error=str(error))
        return compare(
            engine,
            self.reference,
            chosen,
            version=version,
            fidelity=subject.fidelity,
            progress=lambda done, total: self.progress(what, done, total),
        )

    @cached_property
    def reference(self) -> Reference:
        """What engines are compared with."""
        return Reference(self.policy, self.vocabulary)

    def walks(self, runner: Runner) -> Walks:
        """The prefixes to try an engine on."""
        if self.prefixes is not None:
            return self._walks(self.prefixes)
        if runner.name in SLOW:
            return self._walks(SLOW[runner.name])
        found = self._walks(PREFIXES)
        return found if found.reachable <= PREFIXES else self._walks(min(found.reachable, MOST_STATES))

    def _walks(self, most: int) -> Walks:
        if most not in self._found:
            tables = self.reference.tables
            self._found[most] = further(tables, self.vocabulary, walks(tables, self.vocabulary, most), most)
        return self._found[most]

    @cached_property
    def _found(self) -> dict[int, Walks]:
        return {}


def _subject(
    given: str | os.PathLike[str] | Artifact, target: str | None = None, dialect: str | None = None
) -> _Subject:
    if isinstance(given, Artifact):
        return _Subject(Readable.of(given), given.fidelity, None)
    readable = open_artefact(Path(given), target, dialect)
    return _Subject(readable, readable.fidelity, readable.name)


def _check_tokenizer(readable: Readable, vocabulary: Vocabulary | None) -> None:
    """Raises UnsupportedError (LC0502) or ArtifactError (LC0506) unless the vocabulary is the one it was made for."""
    made_for = readable.header.get("tokenizer-sha256")
    if made_for in (None, (vocabulary or BYTES).hash):
        return
    if vocabulary is None:
        raise UnsupportedError(
            Diagnostic(
                "LC0502",
                f"{readable.name} is bound to a vocabulary and none was given",
                help="give the tokenizer that it was made for with `--tokenizer PATH`",
            )
        )
    raise ArtifactError(
        Diagnostic(
            "LC0506",
            f"{readable.name} was made for another tokenizer than {vocabulary.name}",
            help="give the tokenizer that it was made for, or compile the policy again for this one",
        )
    )


def _admitted(subject: _Subject, language: Language, runner: Runner) -> str | None:
    """Why an engine is not run on this artefact: if it admits to be inexact, masks differ and prove nothing.

    A fixed list of tokens admits what it does in each place, and an empty text is one place only.
    """
    pairs = ((subject.fidelity.over, language.over), (subject.fidelity.under, language.under))
    inexact = any(measured and measured.text and claim for claim, measured in pairs)
    if inexact and subject.readable.target != "logit-bias":
        return f"{runner.name} was not run: the artefact admits that it is inexact"
    return None


def _notes(policy: Policy, subject: _Subject, language: Language) -> Iterator[str]:
    """What is odd although it is no difference."""
    made_from = subject.readable.header.get("policy-sha256", policy.hash)
    if made_from != policy.hash:
        yield f"made from another policy, or another version of this one (policy-sha256 {made_from[:12]}…)"
    pairs = ((subject.fidelity.over, language.over, "over"), (subject.fidelity.under, language.under, "under"))
    for claim, measured, flag in pairs:
        if claim is not None and measured is None:
            yield f"it claims to be {flag}, and is not"
        elif claim is not None and policy.accepts(claim) == (flag == "over"):
            verb = "permits" if flag == "over" else "denies"
            yield f"its `witness-{flag}` shows nothing: the policy {verb} that text"


def _silent(what: str, done: int, total: int) -> None:
    """Progress for nobody."""
