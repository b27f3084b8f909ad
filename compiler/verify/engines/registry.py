"""Which engine runs which artefact.

Invariant: looking an engine up imports none. One that is not installed is an entry like any other, and says so.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.artefact import Readable
from langc.compiler.verify.engines.protocol import Engine, GrammarRefusedError, Judge, NotRunError
from langc.compiler.version import VERSION


@dataclass(frozen=True)
class Setting:
    """What an engine is given beside the artefact."""

    vocabulary: Vocabulary
    rows: int
    """The width of the model's logits."""
    tokenizer: Path | None = None
    """The file that the vocabulary was read from: llama.cpp reads a GGUF file itself."""
    soft: bool = False
    """Whether the policy only makes violations unlikely."""


@dataclass(frozen=True)
class Runner:
    """One engine for one kind of artefact."""

    name: str
    package: str | None
    """The distribution to install; None for what is part of langc."""
    start: Callable[[Readable, Setting], Engine | Judge]
    own_version: str = VERSION
    """Of what is part of langc, or of Python."""

    @property
    def is_installed(self) -> bool:
        """Whether the package is there."""
        return self.package is None or self.version is not None

    @property
    def version(self) -> str | None:
        """The version of the engine; None if it is not installed."""
        if self.package is None:
            return self.own_version
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None

    def load(
        self,
        artefact: Readable,
        vocabulary: Vocabulary,
        *,
        rows: int | None = None,
        tokenizer: Path | None = None,
        soft: bool = False,
    ) -> Engine | Judge:
        """The engine with the artefact in it.

        Raises:
            NotRunError: the engine cannot be loaded, does not run on such a vocabulary, or would cost too much.
            GrammarRefusedError: it does not take the artefact.
        """
        width = vocabulary.size if rows is None else rows
        if not vocabulary.eos_ids and self.package is not None:
            raise NotRunError(f"the tokenizer {vocabulary.name} has no end token, which {self.name} needs")
        try:
            return self.start(artefact, Setting(vocabulary, width, tokenizer, soft))
        except (ImportError, OSError) as error:
            if self.package is None:
                raise
            message = f"{self.package} {self.version} is installed, but cannot be loaded: {error}"
            raise NotRunError(message) from error


def engines_for(target: str, dialect: str | None) -> tuple[Runner, ...]:
    """The engines for the masks of an artefact; none where langc knows of none."""
    return RUNNERS.get((target, dialect), ())


def _text(artefact: Readable) -> str:
    if artefact.text is None:
        raise GrammarRefusedError("it is no UTF-8")
    return artefact.text


def _llamacpp(artefact: Readable, setting: Setting) -> Engine:
    from langc.compiler.verify.engines.llamacpp import LlamaCpp, LlamaVocabulary

    path = setting.tokenizer
    own = path is not None and path.suffix == ".gguf"
    vocabulary = LlamaVocabulary.at(path) if own else LlamaVocabulary.of(setting.vocabulary)
    return LlamaCpp(_text(artefact), vocabulary, rows=setting.rows)


def _xgrammar(artefact: Readable, setting: Setting) -> Engine:
    from langc.compiler.verify.engines.xgrammar import XGrammar

    return XGrammar(_text(artefact), setting.vocabulary, rows=setting.rows)


def _llguidance(artefact: Readable, setting: Setting) -> Engine:
    from langc.compiler.verify.engines.llguidance import LlGuidance

    kind = "regex" if artefact.target == "regex" else "lark"
    return LlGuidance(_text(artefact), setting.vocabulary, kind, rows=setting.rows)


def _outlines_core(artefact: Readable, setting: Setting) -> Engine:
    from langc.compiler.verify.engines.ordered import MAX_ORDERED_STATES, ordered_states
    from langc.compiler.verify.engines.outlines_core import OutlinesCore
    from langc.compiler.verify.readers.nodes import ReadError
    from langc.compiler.verify.readers.regex import OUTLINES, read_expression

    try:
        states = ordered_states(read_expression(_text(artefact), OUTLINES))
    except ReadError:
        states = 0  # the engine may know more of the dialect than the reader
    if states > MAX_ORDERED_STATES:
        raise NotRunError(f"its index of the expression would have more than {MAX_ORDERED_STATES:,} states")
    return OutlinesCore(_text(artefact), setting.vocabulary, rows=setting.rows)


def _fsm(artefact: Readable, setting: Setting) -> Engine:
    from langc.compiler.tokens.portable import ArtifactError
    from langc.compiler.verify.engines.machine import Machine
    from langc.targets._fsm import Fsm

    try:
        return Machine("outlines-fsm", Fsm.load(json.loads(artefact.data)), setting.rows)
    except (ArtifactError, ValueError, RecursionError) as error:
        raise GrammarRefusedError(str(error)) from error


def _processor(artefact: Readable, setting: Setting) -> Engine:
    from tempfile import TemporaryDirectory

    from langc.compiler.tokens.portable import ArtifactError, load
    from langc.compiler.verify.engines.machine import Machine

    with TemporaryDirectory() as folder:
        path = Path(folder) / "artefact.safetensors"
        path.write_bytes(artefact.data)
        try:
            return Machine("processor", load(path, setting.vocabulary).tables, setting.rows)
        except ArtifactError as error:
            raise GrammarRefusedError(str(error)) from error


def _python_re(artefact: Readable, _: Setting) -> Judge:
    from langc.compiler.verify.engines.python_re import PythonRe

    return PythonRe(_text(artefact))


def _bias(artefact: Readable, setting: Setting) -> Engine:
    from langc.compiler.verify.engines.bias import Bias

    return Bias(_text(artefact), setting.rows, setting.soft)


_BIAS = (Runner("logit-bias", None, _bias),)

RUNNERS: dict[tuple[str, str | None], tuple[Runner, ...]] = {
    ("gbnf", None): (Runner("llama.cpp", "xllamacpp", _llamacpp),),
    ("xgrammar", None): (Runner("xgrammar", "xgrammar", _xgrammar),),
    ("llguidance", None): (Runner("llguidance", "llguidance", _llguidance),),
    ("regex", "python"): (Runner("python-re", None, _python_re, platform.python_version()),),
    ("regex", "rust"): (Runner("llguidance", "llguidance", _llguidance),),
    ("outlines", "regex"): (Runner("outlines-core", "outlines-core", _outlines_core),),
    ("outlines", "fsm"): (Runner("outlines-fsm", None, _fsm),),
    ("processor", None): (Runner("processor", None, _processor),),
    ("logit-bias", "llama.cpp"): _BIAS,
    ("logit-bias", "openai"): _BIAS,
    ("logit-bias", "vllm"): _BIAS,
}
