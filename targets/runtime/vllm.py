"""A policy in vLLM: a logits processor for both of its runners, chosen by the interface of the installed release.

    vllm serve MODEL --logits-processors langc.targets.runtime.vllm:PolicyLogitsProcessor

with the policies in `LANGC_VLLM_POLICIES`, or those of a subclass. A request chooses one by name, in
`SamplingParams(extra_args={"langc_policy": NAME})`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import new_class
from typing import TYPE_CHECKING, Any, ClassVar

from langc.targets.runtime._needs import needs
from langc.targets.runtime._sources import Given, as_source
from langc.targets.runtime._vllm_interfaces import InterfaceError, bases_of
from langc.targets.runtime._vllm_policies import Machines, Named, RequestError, tokenizer_of

with needs("vllm"):
    import vllm

from langc.targets.runtime._vllm_batch import Batch
from langc.targets.runtime._vllm_slots import Slots

if TYPE_CHECKING:
    PolicyLogitsProcessor: type[Adapter]

__all__ = ["Adapter", "InterfaceError", "PolicyLogitsProcessor", "RequestError", "adapter_for", "policy_processor"]


class Adapter:
    """The methods of both generations; `adapter_for` makes a processor of it.

    Subclasses may set:
        policies: what requests may name: policies, paths or ready names. Empty: those of `LANGC_VLLM_POLICIES`.
        default: the name of the policy of requests that name none; None leaves these alone.
        vocabulary: anything that `load_vocabulary` takes; None: the tokenizer of vLLM's configuration.

    Runner V1 makes one with `(vllm_config, device, is_pin_memory)`, runner V2 with `(vllm_config, req_states)`.

    Raises:
        PolicyError: the policies are not set up right (LC0672), or one is at fault.
        UnsupportedTokenizerError: the tokenizer cannot be read, or has more ids than the model rows (LC0650).
    """

    policies: ClassVar[Mapping[str, Given]] = {}
    default: ClassVar[str | None] = None
    vocabulary: ClassVar[Any] = None

    def __init__(self, vllm_config: Any, device_or_req_states: Any, is_pin_memory: bool | None = None) -> None:
        model, named = vllm_config.model_config, self._named()
        source = tokenizer_of(model) if named.policies and self.vocabulary is None else self.vocabulary
        machines = Machines(named, source, model.get_vocab_size())
        self._batch = Batch(machines)
        self._slots = Slots(machines, device_or_req_states)

    @classmethod
    def _named(cls) -> Named:
        return Named(cls.policies, cls.default) if cls.policies else Named.from_environment(os.environ)

    @classmethod
    def validate_params(cls, sampling_params: Any) -> None:
        """Raise RequestError (LC0671), a ValueError, for a request that names a policy which was not set up."""
        cls._named().chosen(sampling_params)

    def is_argmax_invariant(self) -> bool:
        """A policy refuses the likeliest token too."""
        return False

    def update_state(self, batch_update: Any) -> None:
        """Runner V1: what has changed in the batch, or None."""
        self._batch.update(batch_update)

    def add_request(self, req_idx: int, sampling_params: Any) -> bool:
        """Runner V2: a request is given a slot. Returns whether it has a policy."""
        return self._slots.add(req_idx, sampling_params)

    def apply_staged_writes(self) -> None:
        """Runner V2: nothing is staged."""

    def apply(self, logits: Any, ctx: Any = None) -> Any:
        """Apply the policies in place: to rows of the batch for runner V1, by the layout `ctx` for runner V2."""
        return self._batch.apply(logits) if ctx is None else self._slots.apply(logits, ctx)


def adapter_for(version: str | None = None) -> type[Adapter]:
    """The processor class for the interfaces of a release.

    Args:
        version: of vLLM; None takes the installed one. Name a known one for a release that is unknown but has its
            interfaces: whether it does is checked.

    Raises:
        InterfaceError: the release is unknown, or the interfaces are others (LC0670).
    """
    return _adapter(str(vllm.__version__) if version is None else version)


@lru_cache
def _adapter(version: str) -> type[Adapter]:
    names = {"__module__": __name__, "__doc__": Adapter.__doc__}
    made: type[Adapter] = new_class("PolicyLogitsProcessor", (Adapter, *bases_of(version)), None, _filler(names))
    return made


def _filler(names: Mapping[str, Any]) -> Callable[[dict[str, Any]], None]:
    return lambda namespace: namespace.update(names)


def policy_processor(
    policies: Given | Mapping[str, Given],
    *,
    default: str | None = None,
    vocabulary: object = None,
    version: str | None = None,
) -> type[Adapter]:
    """A class to register: `LLM(model, logits_processors=[policy_processor("ko")])`.

    Args:
        policies: one policy, a path or a ready name, which every request obeys; or several by name.
        default: the name of the policy of requests that name none.
        vocabulary: as for `Adapter`.
        version: as for `adapter_for`.

    Where vLLM starts its engine as a new process, a class is found there by its module and name: write a subclass of
    `PolicyLogitsProcessor` in a module instead.

    Raises:
        PolicyError: the policy is at fault, or the default is not among the policies (LC0672).
        InterfaceError: as `adapter_for`.
    """
    if not isinstance(policies, Mapping):
        policy = as_source(policies)
        policies, default = {policy.name: policy}, policy.name
    Named(policies, default)
    body = {"policies": dict(policies), "default": default, "vocabulary": vocabulary}
    made: type[Adapter] = new_class("PolicyLogitsProcessor", (adapter_for(version),), None, _filler(body))
    return made


def __getattr__(name: str) -> Any:
    """`PolicyLogitsProcessor` is made when it is asked for, so that an unknown release can still be given a name."""
    if name == "PolicyLogitsProcessor":
        return adapter_for()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
