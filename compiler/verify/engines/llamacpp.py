"""llama.cpp's own grammar sampler, run on its own view of a vocabulary, with no model behind it.

The prebuilt server in the package xllamacpp is one shared library that exports llama.cpp's C interface; the server
applies a `grammar` through the very functions called here (`llama_sampler_init_grammar`, `_apply`, `_accept`). Over
HTTP one learns one sampled token a request; here, the whole mask:

* a GGUF file is loaded with `vocab_only`, so 262,144 pieces stand ready in half a second;
* any other vocabulary is first written as such a file: byte-level BPE spelling, one dummy merge, no tensors;
* `apply` gives refused candidates a logit of minus infinity; a prefix is accepted token by token. `accept` of a
  refused token would end the process (a C++ exception with nobody to catch it), so each is applied alone before.

The binary interface is that of one pinned build. `_parameters` checks the layout that it relies on.
"""

from __future__ import annotations

import ctypes
import tempfile
import weakref
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from langc.compiler.verify.engines.overhear import overhear
from langc.compiler.verify.engines.protocol import (
    GrammarRefusedError,
    Look,
    Mask,
    PrefixRefusedError,
    VocabularyLike,
    Whole,
    pack,
)

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
_VOCAB_ONLY, _EXTRA_BUFFERS, _PARAMETER_BYTES = 72, 74, 80
_NORMAL, _CONTROL, _UNUSED = 1, 3, 5
"""GGUF token types."""


class LlamaVocabulary:
    """A vocabulary as llama.cpp sees it. It lives as long as the process: the tests use a handful."""

    def __init__(self, path: Path) -> None:
        """From a GGUF file, with or without weights. Raises `ValueError` if llama.cpp cannot load it."""
        library = _library()
        model = library.llama_model_load_from_file(str(path).encode(), _parameters())
        if not model:
            raise ValueError(f"llama.cpp cannot load the vocabulary of {path.name}")
        self.handle: int = library.llama_model_get_vocab(model)
        self.size: int = library.llama_vocab_n_tokens(self.handle)
        self.first_ids: NDArray[np.int64] = np.arange(self.size)
        """For each id, the first one with the same bytes: llama.cpp cannot load a byte-level spelling twice."""

    @classmethod
    @lru_cache(maxsize=8)  # llama.cpp keeps them loaded anyway
    def of(cls, vocabulary: VocabularyLike) -> LlamaVocabulary:
        """From any vocabulary, by way of a temporary GGUF file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "vocabulary.gguf"
            first_ids = _first_ids(vocabulary)
            _write(vocabulary, first_ids, path)
            loaded = cls(path)
        loaded.first_ids = first_ids
        return loaded

    @classmethod
    @lru_cache(maxsize=8)
    def at(cls, path: Path) -> LlamaVocabulary:
        """As the constructor, but the same object for the same path."""
        return cls(path)

    def tokenize(self, text: str) -> list[int]:
        """The ids of a prompt, with the start token where the model wants one."""
        data, room = text.encode(), len(text.encode()) + 8
        tokens = (ctypes.c_int32 * room)()
        count = _library().llama_tokenize(self.handle, data, len(data), tokens, room, True, False)
        return list(tokens[:count])

    def piece(self, token: int) -> bytes:
        """The raw bytes that llama.cpp writes for an id, nothing for a control token."""
        buffer = ctypes.create_string_buffer(1024)
        count = _library().llama_token_to_piece(self.handle, token, buffer, len(buffer), 0, False)
        if count < 0:
            raise ValueError(f"the piece of {token} is longer than {len(buffer)} bytes")
        return buffer.raw[:count]

    def is_end(self, token: int) -> bool:
        """Whether llama.cpp ends a text at this id (it also goes by the names of tokens)."""
        return bool(_library().llama_vocab_is_eog(self.handle, token))


class LlamaCpp(Whole):
    """One grammar over one vocabulary; a copy of the fresh sampler for each prefix."""

    name = "llama.cpp"

    def __init__(self, grammar: str, vocabulary: LlamaVocabulary, root: str = "root", rows: int | None = None) -> None:
        """Raises `GrammarRefusedError`."""
        self.vocabulary = vocabulary
        self.rows = vocabulary.size if rows is None else rows
        _errors.clear()
        with overhear() as said:
            self._sampler = _library().llama_sampler_init_grammar(vocabulary.handle, grammar.encode(), root.encode())
        if not self._sampler:
            reasons = [*said, *"".join(_errors).splitlines(), "llama.cpp cannot parse the grammar"]
            raise GrammarRefusedError(reasons[0])
        weakref.finalize(self, _library().llama_sampler_free, self._sampler)  # at exit before modules are taken apart

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """See `Engine.look`. An id is taken as the server does it: alone, before the others are looked at."""
        sampler = self._after(prefix)
        try:
            mask = pack(_allowed(sampler, self.vocabulary.first_ids), self.rows)
            known = [token for token in ids if token < self.vocabulary.size]
            taken = dict(zip(known, [bool(_allowed(sampler, self._first(t))[0]) for t in known], strict=True))
        finally:
            _library().llama_sampler_free(sampler)
        return Look(mask, [taken.get(token, False) for token in ids])

    def _after(self, prefix: Sequence[int]) -> int:
        """A sampler that has accepted the prefix; the caller frees it."""
        library = _library()
        sampler: int = library.llama_sampler_clone(self._sampler)
        for position, token in enumerate(prefix):
            first = self._first(token)
            if not _allowed(sampler, first)[0]:
                library.llama_sampler_free(sampler)
                raise PrefixRefusedError(position)
            library.llama_sampler_accept(sampler, int(first[0]))
        return sampler

    def _first(self, token: int) -> NDArray[np.int64]:
        return self.vocabulary.first_ids[token : token + 1]


class _Candidates(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
        ("selected", ctypes.c_int64),
        ("sorted", ctypes.c_bool),
    ]


class _Parameters(ctypes.Structure):
    """`llama_model_params`, opaque: only the default and one flag are wanted."""

    _fields_ = [("bytes", ctypes.c_uint8 * _PARAMETER_BYTES)]


def _allowed(sampler: int, tokens: NDArray[np.int64]) -> Mask:
    candidates = np.zeros(len(tokens), _CANDIDATE)
    candidates["id"] = tokens
    _library().llama_sampler_apply(sampler, _Candidates(candidates.ctypes.data, len(tokens), -1, False))
    mask: Mask = np.isfinite(candidates["logit"])
    return mask


_LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
_LEVEL_ERROR = 4
_errors: list[str] = []


def _log(level: int, text: bytes, _: object) -> None:
    """llama.cpp would write pages about each vocabulary to the standard error stream."""
    if level >= _LEVEL_ERROR:
        _errors.append(text.decode(errors="replace"))


_keep_errors = _LOG(_log)


@cache
def _library() -> Any:
    spec = find_spec("xllamacpp")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("install xllamacpp")
    files = sorted(Path(spec.origin).parent.glob("xllamacpp*.so"))
    if not files:
        raise ImportError(f"there is no library beside {spec.origin}")
    library = ctypes.CDLL(str(files[0]))
    pointer, number = ctypes.c_void_p, ctypes.c_int32
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "llama_log_set": (None, [_LOG, pointer]),
        "llama_backend_init": (None, []),
        "llama_model_default_params": (_Parameters, []),
        "llama_model_load_from_file": (pointer, [ctypes.c_char_p, _Parameters]),
        "llama_model_get_vocab": (pointer, [pointer]),
        "llama_vocab_n_tokens": (number, [pointer]),
        "llama_tokenize": (
            number,
            [pointer, ctypes.c_char_p, number, ctypes.POINTER(number), number, ctypes.c_bool, ctypes.c_bool],
        ),
        "llama_token_to_piece": (number, [pointer, number, ctypes.c_char_p, number, number, ctypes.c_bool]),
        "llama_vocab_is_eog": (ctypes.c_bool, [pointer, number]),
        "llama_sampler_init_grammar": (pointer, [pointer, ctypes.c_char_p, ctypes.c_char_p]),
        "llama_sampler_clone": (pointer, [pointer]),
        "llama_sampler_apply": (None, [pointer, ctypes.POINTER(_Candidates)]),
        "llama_sampler_accept": (None, [pointer, number]),
        "llama_sampler_free": (None, [pointer]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    library.llama_log_set(_keep_errors, None)
    library.llama_backend_init()
    return library


def _parameters() -> _Parameters:
    """The default parameters with `vocab_only`. Raises `RuntimeError` if the flags are not where they were."""
    parameters: _Parameters = _library().llama_model_default_params()
    if list(parameters.bytes[_VOCAB_ONLY:_PARAMETER_BYTES]) != [0, 0, 1, 0, 0, 0, 0, 0]:
        raise RuntimeError("llama_model_params has another layout than in the pinned xllamacpp")
    parameters.bytes[_VOCAB_ONLY] = 1
    return parameters


def _first_ids(vocabulary: VocabularyLike) -> NDArray[np.int64]:
    seen: dict[bytes, int] = {}
    ids = range(vocabulary.size)
    first = [t if vocabulary.is_special(t) else seen.setdefault(vocabulary.token_bytes(t), t) for t in ids]
    return np.array(first, np.int64)


def _write(vocabulary: VocabularyLike, first_ids: NDArray[np.int64], path: Path) -> None:
    """A GGUF file with nothing but the vocabulary; an id whose bytes an earlier one has is written as a hole."""
    from gguf import GGUFWriter

    spelled = _spellings(vocabulary, first_ids)
    writer = GGUFWriter(path, "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([spelling for spelling, _ in spelled])
    writer.add_token_types([kind for _, kind in spelled])
    writer.add_token_merges(["a a"])
    for end, add in zip(
        sorted(vocabulary.eos_ids),
        (writer.add_eos_token_id, writer.add_eot_token_id, writer.add_eom_token_id),
        strict=False,
    ):
        add(end)
    writer.add_add_bos_token(False)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def _spellings(vocabulary: VocabularyLike, first_ids: NDArray[np.int64]) -> list[tuple[str, int]]:
    """Of all ids. llama.cpp ends the process at a spelling that it has seen, so a special one gives way."""
    spelled = [_spelled(vocabulary, token, bool(first_ids[token] == token)) for token in range(vocabulary.size)]
    taken = {spelling for spelling, kind in spelled if kind == _NORMAL}
    for token, (spelling, kind) in enumerate(spelled):
        if kind != _NORMAL and spelling in taken:
            spelled[token] = (f"<|hole {token}|>", _UNUSED)
        taken.add(spelled[token][0])
    return spelled


def _spelled(vocabulary: VocabularyLike, token: int, is_first: bool) -> tuple[str, int]:
    """The spelling and the GGUF type of an id."""
    if is_first and not vocabulary.is_special(token):
        return "".join(_BYTE_LETTERS[byte] for byte in vocabulary.token_bytes(token)), _NORMAL
    text = vocabulary.special_text(token)
    return (f"<|hole {token}|>", _UNUSED) if text is None else (text, _CONTROL)


def _byte_letters() -> tuple[str, ...]:
    """How byte-level BPE (GPT-2) writes each byte: printable Latin-1 as itself, the others from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return tuple(chr(byte if byte in printable else next(others)) for byte in range(256))


_BYTE_LETTERS = _byte_letters()
