"""Engines for regular expressions, each in its own dialect: which texts does an expression match as a whole?

An engine that is not on this machine raises `EngineMissingError`; everything but node and PCRE2 comes with the packages
that the tests need anyway.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

FullMatch = Callable[[str, Sequence[str]], list[bool]]
"""Expression and texts in, verdicts out. A broken expression is an error of the engine's own kind."""


class EngineMissingError(RuntimeError):
    """The engine is not installed."""


def python_re(expression: str, texts: Sequence[str]) -> list[bool]:
    """The module `re`."""
    pattern = re.compile(expression)
    return [pattern.fullmatch(t) is not None for t in texts]


def python_regex(expression: str, texts: Sequence[str]) -> list[bool]:
    """The package `regex`."""
    import regex

    pattern = regex.compile(expression)
    return [pattern.fullmatch(t) is not None for t in texts]


def rust_regex(expression: str, texts: Sequence[str]) -> list[bool]:
    """Rust's crate `regex`, by way of pydantic-core."""
    from pydantic_core import SchemaValidator, core_schema

    schema = core_schema.str_schema(pattern=f"^(?:{expression})$", regex_engine="rust-regex")
    validator = SchemaValidator(schema)
    return [bool(validator.isinstance_python(t)) for t in texts]


def ecmascript_u(expression: str, texts: Sequence[str]) -> list[bool]:
    """Node's `RegExp` with the flag `u`."""
    return _node(expression, texts, "u")


def ecmascript_v(expression: str, texts: Sequence[str]) -> list[bool]:
    """Node's `RegExp` with the flag `v`."""
    return _node(expression, texts, "v")


_SCRIPT = """
const [expression, flags, texts] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const pattern = new RegExp("^(?:" + expression + ")$", flags);
console.log(JSON.stringify(texts.map((text) => pattern.test(text))));
"""


def _node(expression: str, texts: Sequence[str], flags: str) -> list[bool]:
    node = shutil.which("node")
    if node is None:
        raise EngineMissingError("node is not installed")
    given = json.dumps([expression, flags, list(texts)])
    run = subprocess.run([node, "-e", _SCRIPT], input=given, capture_output=True, text=True, check=True, timeout=60)
    return list(json.loads(run.stdout))


_UTF, _ANCHORED, _END_ANCHORED = 0x00080000, 0x80000000, 0x20000000


def pcre2(expression: str, texts: Sequence[str]) -> list[bool]:
    """The system's libpcre2-8, with PCRE2_UTF. Raises `ValueError` for an expression that it does not compile."""
    library = _pcre2()
    code, data = _compiled(library, expression.encode()), None
    try:
        data = library.pcre2_match_data_create_from_pattern_8(code, None)
        return [_matches(library, code, data, t.encode()) for t in texts]
    finally:
        library.pcre2_match_data_free_8(data)
        library.pcre2_code_free_8(code)


def _compiled(library: Any, expression: bytes) -> int:
    error, offset = ctypes.c_int(), ctypes.c_size_t()
    code = library.pcre2_compile_8(expression, len(expression), _UTF, ctypes.byref(error), ctypes.byref(offset), None)
    if not code:
        raise ValueError(f"PCRE2 error {error.value} at offset {offset.value}")
    return int(code)


def _matches(library: Any, code: int, data: int, text: bytes) -> bool:
    found = library.pcre2_match_8(code, text, len(text), 0, _ANCHORED | _END_ANCHORED, data, None)
    if found < -1:
        raise ValueError(f"PCRE2 error {found} while matching")
    return bool(found >= 0)


@cache
def _pcre2() -> Any:
    path = ctypes.util.find_library("pcre2-8")
    if path is None:
        raise EngineMissingError("libpcre2-8 is not installed")
    library = ctypes.CDLL(path)
    pointer, number, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
    library.pcre2_compile_8.restype = pointer
    library.pcre2_compile_8.argtypes = [ctypes.c_char_p, size, ctypes.c_uint32, pointer, pointer, pointer]
    library.pcre2_match_data_create_from_pattern_8.restype = pointer
    library.pcre2_match_data_create_from_pattern_8.argtypes = [pointer, pointer]
    library.pcre2_match_8.restype = number
    library.pcre2_match_8.argtypes = [pointer, ctypes.c_char_p, size, size, ctypes.c_uint32, pointer, pointer]
    library.pcre2_match_data_free_8.argtypes = [pointer]
    library.pcre2_code_free_8.argtypes = [pointer]
    return library


ENGINES: dict[str, tuple[str, FullMatch]] = {
    "re": ("python", python_re),
    "regex": ("python", python_regex),
    "rust": ("rust", rust_regex),
    "pcre2": ("pcre2", pcre2),
    "ecmascript-u": ("ecmascript", ecmascript_u),
    "ecmascript-v": ("ecmascript", ecmascript_v),
}
"""The dialect of each engine, and the engine."""
