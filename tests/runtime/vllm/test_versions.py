"""Which interface a release has is data, and what is installed is compared with it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from abc import abstractmethod
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

import langc
from langc.targets.runtime._vllm_interfaces import RELEASES, V1, V2, InterfaceError, generations_of
from langc.targets.runtime._vllm_policies import DEFAULT, POLICIES, Machines, Named, RequestError, tokenizer_of
from tests.runtime.vllm.doubles import ProcessorV1, ProcessorV2, config, installed

KNOWN = [("0.12.0", [V1]), ("0.20.2", [V1]), ("0.30.9", [V1]), ("0.31.0", [V1, V2]), ("0.32.1rc1+cpu", [V1, V2])]
TOKENS = {"tokens": {i: bytes([i]) for i in range(256)}, "special": {"<eos>": 256}, "eos": [256]}


@pytest.mark.parametrize(("version", "generations"), KNOWN)
def test_a_known_release(version: str, generations: Sequence[object]) -> None:
    """Patch releases have what their release has."""
    assert [*generations_of(version)] == generations


@pytest.mark.parametrize("version", ["0.11.2", "0.33.0", "1.0", "dev", "", "0", "0.x", "0.²"])
def test_an_unknown_release(version: str) -> None:
    """The error has the table of those that are known, and how to go on."""
    with pytest.raises(InterfaceError) as refused:
        generations_of(version)
    (diagnostic,) = refused.value.diagnostics

    assert diagnostic.code == "LC0670"
    assert version in diagnostic.message
    assert diagnostic.notes == ("vLLM 0.12 to 0.30: runner V1", "vLLM 0.31 to 0.32: runner V1 and V2")
    assert "langc.vllm.adapter_for('0.32')" in str(diagnostic.help)


def test_the_table_is_in_order() -> None:
    """No release is in two rows."""
    ends = [end for releases in RELEASES for end in (releases.first, releases.last)]
    assert ends == sorted(ends)


class Renamed(ProcessorV2):
    def apply(self, logits: Any, context: Any) -> Any:
        """Another name."""


class Grown(ProcessorV1):
    @abstractmethod
    def forget(self) -> None:
        """A duty that is new."""


@pytest.mark.engines
@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ({"v2": Renamed}, "V2 of vLLM 0.32.0 has another `apply` than langc knows"),
        ({"v1": Grown}, "V1 of vLLM 0.32.0 has another `forget` than langc knows"),
        (
            {"v2": None},
            "vLLM 0.32.0 is installed without the interface V2: module 'vllm.v1.worker.gpu.sample",
        ),
    ],
)
def test_an_interface_that_differs(modules: dict[str, Any], message: str) -> None:
    """A release that is in the table is not taken at its word."""
    with installed(**modules) as module, pytest.raises(InterfaceError, match="LC0670") as refused:
        module.adapter_for()

    assert message in str(refused.value)


@pytest.mark.engines
def test_one_class_for_what_is_installed() -> None:
    """It is derived from the base class of every generation that the release has."""
    with installed("0.24.0", v2=None) as module:
        old = module.PolicyLogitsProcessor
    with installed("0.32.0") as module:
        new = module.PolicyLogitsProcessor

    assert (issubclass(old, ProcessorV1), issubclass(old, ProcessorV2)) == (True, False)
    assert (issubclass(new, ProcessorV1), issubclass(new, ProcessorV2)) == (True, True)
    assert not new.__abstractmethods__


@pytest.mark.engines
def test_an_unknown_release_by_the_name_of_a_known_one() -> None:
    """The module is there, and the release can be named."""
    with installed("0.99.0") as module:
        with pytest.raises(InterfaceError, match=r"vLLM 0\.99\.0 is not a release that langc knows"):
            _ = module.PolicyLogitsProcessor
        assert issubclass(module.adapter_for("0.32"), ProcessorV2)


@pytest.mark.engines
def test_a_class_is_found_by_its_name() -> None:
    """vLLM hands classes to other processes, and takes them as MODULE:NAME."""
    with installed() as module:
        made = module.PolicyLogitsProcessor

        assert pickle.loads(pickle.dumps(made)) is made  # noqa: S301 -- what was pickled here
        assert f"{made.__module__}:{made.__qualname__}" == "langc.targets.runtime.vllm:PolicyLogitsProcessor"
        with pytest.raises(AttributeError, match="has no attribute 'Policy'"):
            _ = module.Policy


def params(**arguments: object) -> Any:
    """A request's `SamplingParams`."""
    return SimpleNamespace(extra_args=arguments)


@pytest.mark.parametrize("name", ["/etc/passwd", "ko.policy", "KO", "", 3, None, ["ko"], {"ko": 1}, "x" * 10**6])
def test_a_request_names_only_what_was_set_up(name: object) -> None:
    """A path is a name like any other, and there is no policy of that name. The error is a ValueError: answer 400."""
    with pytest.raises(ValueError, match="LC0671") as refused:
        Named({"ko": "ko", "calm": "calm.policy"}, "ko").chosen(params(langc_policy=name))

    assert isinstance(refused.value, RequestError)
    assert len(str(refused.value)) < 200
    assert refused.value.diagnostics[0].help == "the policies of this server: calm, ko"


def test_requests_that_name_no_policy() -> None:
    """They get the default, if there is one."""
    plain = SimpleNamespace(extra_args=None)

    assert Named({"ko": "ko"}).chosen(plain) is None
    assert Named({"ko": "ko"}, "ko").chosen(plain) == "ko"
    assert Named({"ko": "ko", "b": "b"}, "ko").chosen(params(langc_policy="b", other=1)) == "b"
    assert Named({}).chosen(params(other=1)) is None


def test_policies_from_the_environment() -> None:
    """Names and paths, or ready policies by their names."""
    found = Named.from_environment({POLICIES: "ko, calm=/etc/a=b.policy,", DEFAULT: "calm"})

    assert found == Named({"ko": "ko", "calm": "/etc/a=b.policy"}, "calm")
    assert Named.from_environment({}) == Named({})


@pytest.mark.parametrize(
    "environment",
    [{POLICIES: "=a"}, {POLICIES: "a="}, {POLICIES: "a,a=b"}, {POLICIES: "a", DEFAULT: "b"}, {DEFAULT: "b"}],
)
def test_an_environment_that_says_nothing(environment: dict[str, str]) -> None:
    """A server that is set up wrongly does not start."""
    with pytest.raises(langc.PolicyError, match="LC0672"):
        Named.from_environment(environment)


def test_a_vocabulary_without_an_end() -> None:
    """A server could not end a text."""
    tokens = {"tokens": {i: bytes([i]) for i in range(256)}}
    with pytest.raises(langc.PolicyError, match="LC0672"):
        Machines(Named({"ko": "ko"}), tokens, 300)


def test_a_model_that_is_too_narrow() -> None:
    """It is refused when the server starts, not in the first step."""
    with pytest.raises(langc.UnsupportedTokenizerError, match="LC0650"):
        Machines(Named({"ko": "ko"}), TOKENS, 256)


@pytest.mark.engines
def test_nothing_is_done_without_policies() -> None:
    """Nor is a tokenizer looked for."""
    with installed() as module, patch.dict(os.environ, {POLICIES: ""}):
        made = module.PolicyLogitsProcessor(config(), None)
        module.PolicyLogitsProcessor.validate_params(SimpleNamespace(extra_args=None))

        assert made.add_request(0, params(other=1)) is False
        assert made.is_argmax_invariant() is False
        assert made.update_state(None) is None


@pytest.mark.engines
def test_a_subclass_says_which_policies() -> None:
    """Before the environment does."""
    with installed() as module, patch.dict(os.environ, {POLICIES: "zh"}):
        made: Any = type("Mine", (module.PolicyLogitsProcessor,), {"policies": {"ko": "ko"}, "vocabulary": TOKENS})
        made.validate_params(params(langc_policy="ko"))
        with pytest.raises(RequestError):
            made.validate_params(params(langc_policy="zh"))

        assert made(config(), None).add_request(0, params(langc_policy="ko")) is True


@pytest.mark.engines
def test_a_default_that_is_not_there() -> None:
    """It is said when the class is made."""
    with installed() as module, pytest.raises(langc.PolicyError, match="LC0672"):
        module.policy_processor({"ko": "ko"}, default="zh", vocabulary=TOKENS)


def test_the_tokenizer_of_a_model(tmp_path: Any) -> None:
    """The folder of a model, or a file."""
    file = tmp_path / "tokenizer.json"
    file.write_text("{}")

    assert tokenizer_of(SimpleNamespace(tokenizer=str(tmp_path))) == file
    assert tokenizer_of(SimpleNamespace(tokenizer=str(file))) == file


def test_without_vllm() -> None:
    """The extra is named."""
    code = "import langc\ntry: langc.vllm\nexcept langc.LangcError as e: print(e, e.diagnostics[0].help)"
    blocked = f"import sys; sys.modules['vllm'] = None\n{code}"
    done = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert done.stdout == (
        "[LC0012] this adapter needs the package vllm, which is not installed `pip install langc[vllm]` brings it\n"
    )
