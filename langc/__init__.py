"""langc compiles one policy of what a language model may write into every format that a decoder can enforce."""

from pathlib import Path as _Path
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

_here = _Path(__file__).parent
if (_here / "compiler").is_file():  # a checkout without symbolic links: they are small text files there
    __path__.append(str(_here.parent))

from langc.compiler.api import (  # noqa: E402 - the path must be set first
    check,
    compile,
    load_policies,
    load_policy,
    load_vocabulary,
    parse_policy,
    policies,
    scan,
    verify,
)
from langc.compiler.errors import (  # noqa: E402
    LangcError,
    LimitError,
    PolicyError,
    UnsupportedError,
    UnsupportedTokenizerError,
)
from langc.compiler.policy import Policy  # noqa: E402
from langc.compiler.version import VERSION as _VERSION  # noqa: E402

if _TYPE_CHECKING:
    from langc.compiler.checking.guard import PolicyViolation, StreamGuard
    from langc.compiler.surfaces.loaded import LoadedSurface, load_surface
    from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
    from langc.compiler.tokens.budget import BudgetError
    from langc.compiler.tokens.joined.matcher import JoinedMatcher
    from langc.compiler.tokens.joined.parts import JoinError
    from langc.compiler.tokens.logits import bitmask as bitmask
    from langc.compiler.tokens.machine import DeadEndError
    from langc.compiler.tokens.matcher import Matcher
    from langc.compiler.tokens.pressure.pressure import Pressure
    from langc.compiler.tokens.pressure.report import PressureReport
    from langc.compiler.tokens.vocabulary import Vocabulary
    from langc.targets.runtime import arrays
    from langc.targets.runtime import hf as hf
    from langc.targets.runtime import llama_cpp as llama_cpp
    from langc.targets.runtime import llguidance as llguidance
    from langc.targets.runtime import vllm as vllm
    from langc.targets.runtime import xgrammar as xgrammar

__version__ = _VERSION

__all__ = [  # without `hf`, `llguidance`, `vllm` and `xgrammar`, so that a star import needs no engine
    "BudgetError",
    "DeadEndError",
    "JoinError",
    "JoinedMatcher",
    "LangcError",
    "LimitError",
    "LoadedSurface",
    "Matcher",
    "Policy",
    "PolicyError",
    "PolicyViolation",
    "Pressure",
    "PressureReport",
    "StreamGuard",
    "SurfaceMatcher",
    "UnsupportedError",
    "UnsupportedTokenizerError",
    "Vocabulary",
    "__version__",
    "arrays",
    "bitmask",
    "check",
    "compile",
    "load_policies",
    "load_policy",
    "load_surface",
    "load_vocabulary",
    "parse_policy",
    "policies",
    "scan",
    "verify",
]

_LAZY = {  # what needs numpy or an engine is imported when it is first used
    "BudgetError": ("langc.compiler.tokens.budget", "BudgetError"),
    "DeadEndError": ("langc.compiler.tokens.machine", "DeadEndError"),
    "JoinError": ("langc.compiler.tokens.joined.parts", "JoinError"),
    "JoinedMatcher": ("langc.compiler.tokens.joined.matcher", "JoinedMatcher"),
    "LoadedSurface": ("langc.compiler.surfaces.loaded", "LoadedSurface"),
    "Matcher": ("langc.compiler.tokens.matcher", "Matcher"),
    "PolicyViolation": ("langc.compiler.checking.guard", "PolicyViolation"),
    "Pressure": ("langc.compiler.tokens.pressure.pressure", "Pressure"),
    "PressureReport": ("langc.compiler.tokens.pressure.report", "PressureReport"),
    "StreamGuard": ("langc.compiler.checking.guard", "StreamGuard"),
    "SurfaceMatcher": ("langc.compiler.surfaces.masks.matcher", "SurfaceMatcher"),
    "Vocabulary": ("langc.compiler.tokens.vocabulary", "Vocabulary"),
    "arrays": ("langc.targets.runtime.arrays", None),
    "bitmask": ("langc.compiler.tokens.logits.bitmask", None),
    "hf": ("langc.targets.runtime.hf", None),
    "llama_cpp": ("langc.targets.runtime.llama_cpp", None),
    "llguidance": ("langc.targets.runtime.llguidance", None),
    "load_surface": ("langc.compiler.surfaces.loaded", "load_surface"),
    "vllm": ("langc.targets.runtime.vllm", None),
    "xgrammar": ("langc.targets.runtime.xgrammar", None),
}


def __getattr__(name: str) -> _Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'langc' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _LAZY[name]
    loaded = import_module(module)
    return loaded if attribute is None else getattr(loaded, attribute)
