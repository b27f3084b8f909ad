"""Which policies the requests of a vLLM server may name, and the machines of these policies.

Invariant: a request chooses among names that were set up before, and nothing that it holds is ever opened as a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, PolicyError
from langc.compiler.tokens.loaders import load_vocabulary
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime._sources import Given, tables_of

ARGUMENT = "langc_policy"
"""The key in `SamplingParams.extra_args`, over HTTP in `vllm_xargs`."""
POLICIES = "LANGC_VLLM_POLICIES"
DEFAULT = "LANGC_VLLM_DEFAULT"


class RequestError(LangcError, ValueError):
    """A request names no policy that was set up. A ValueError, so that the server answers 400."""


@dataclass(frozen=True)
class Named:
    """Policies by name, and the name of the one for requests that name none."""

    policies: Mapping[str, Given]
    default: str | None = None

    def __post_init__(self) -> None:
        if self.default is not None and self.default not in self.policies:
            raise _not_set_up(f"the default policy {self.default!r} is not among those set up", self.policies)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Named:
        """From `LANGC_VLLM_POLICIES=ko,calm=/etc/calm.policy` and `LANGC_VLLM_DEFAULT=ko`.

        Raises PolicyError (LC0672) if an entry has no name or no policy, or a name comes twice.
        """
        policies: dict[str, Given] = {}
        for entry in filter(None, (part.strip() for part in environment.get(POLICIES, "").split(","))):
            name, equals, path = entry.partition("=")
            if not name or (equals and not path) or name in policies:
                raise _not_set_up(f"the entry {entry!r} of {POLICIES} is no NAME=POLICY of its own", policies)
            policies[name] = path or name
        return cls(policies, environment.get(DEFAULT) or None)

    def chosen(self, params: Any) -> str | None:
        """The name of the policy of a request, None if it has none. Raises RequestError (LC0671)."""
        arguments = getattr(params, "extra_args", None) or {}
        if ARGUMENT not in arguments:
            return self.default
        name = arguments[ARGUMENT]
        if not isinstance(name, str) or name not in self.policies:
            raise RequestError(_unknown(name, self.policies))
        return name


class Machines:
    """The machine of each policy.

    Args:
        named: the policies.
        vocabulary: the tokens, or anything that `load_vocabulary` takes; only looked at if there are policies.
        rows: the width of the model's logits.

    Raises:
        PolicyError: the vocabulary has no end-of-sequence (LC0672), or a policy is at fault.
        UnsupportedTokenizerError: the vocabulary cannot be read, or is wider than the model (LC0650).
    """

    def __init__(self, named: Named, vocabulary: object, rows: int) -> None:
        self._named = named
        self._machines: dict[str, TokenMachine] = {}
        if named.policies:
            tokens = load_vocabulary(vocabulary)
            self._machines = {name: _machine(given, tokens, rows) for name, given in named.policies.items()}

    def of(self, params: Any) -> TokenMachine | None:
        """The machine of a request, None if it has no policy. Raises RequestError (LC0671)."""
        name = self._named.chosen(params)
        return None if name is None else self._machines[name]


def _machine(given: Given, vocabulary: Vocabulary, rows: int) -> TokenMachine:
    if not vocabulary.eos_ids:
        raise PolicyError(
            Diagnostic(
                "LC0672",
                "the tokenizer has no end-of-sequence token, which a server needs to end a text",
                help="load the vocabulary with `eos=` and give it as `vocabulary`",
            )
        )
    # A server must not stop for one text that another part of it led out of the policy: such a text ends.
    return TokenMachine(tables_of(given, vocabulary), rows, "stop")


def tokenizer_of(model_config: Any) -> object:
    """What `load_vocabulary` takes, of vLLM's configuration: a file, or the tokenizer that transformers loads."""
    path = Path(model_config.tokenizer)
    if path.is_file() or (path / "tokenizer.json").is_file():
        return path if path.is_file() else path / "tokenizer.json"
    from transformers import AutoTokenizer

    revision = getattr(model_config, "tokenizer_revision", None)
    return AutoTokenizer.from_pretrained(model_config.tokenizer, revision=revision)


def _unknown(name: object, policies: Mapping[str, Given]) -> Diagnostic:
    known = ", ".join(sorted(policies)) or "none"
    message = f"{ARGUMENT} names no policy of this server: {repr(name)[:80]}"
    return Diagnostic("LC0671", message, help=f"the policies of this server: {known}")


def _not_set_up(message: str, policies: Mapping[str, Given]) -> PolicyError:
    known = ", ".join(sorted(policies)) or "none"
    return PolicyError(
        Diagnostic("LC0672", message, help=f"NAME=POLICY or the name of a ready policy; so far: {known}")
    )
