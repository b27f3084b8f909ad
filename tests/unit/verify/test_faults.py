"""Each fault explains the token that it is about, and not its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.engines.protocol import Look, Whole
from langc.compiler.verify.faults import FAULTS, Difference, explain
from langc.compiler.verify.reference import Reference

TOKENS = (*(bytes([b]) for b in range(256)), b"a\0", b"A\0", b"\xe4", b"abc")
END, STOP, THINK, NOTE = range(len(TOKENS), len(TOKENS) + 4)
TOY = Vocabulary(
    "toy",
    (*TOKENS, b"", b"", b"", b""),
    {END: "<end>", STOP: "<stop>", THINK: "<think>", NOTE: "<note>"},
    frozenset({END, STOP}),
)
POLICIES = {
    "no-han": "policy p { deny script Han; }",
    "letters": "policy p { only [a-z<>]; }",
    "term": 'policy p { only [x]; allow "漢江"; }',
}


class Named(Whole):
    """Nothing but a name."""

    rows = TOY.size

    def __init__(self, name: str) -> None:
        self.name = name

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """Never asked."""
        raise NotImplementedError


@cache
def reference(policy: str) -> Reference:
    """One of `POLICIES`; regions are exempt in `letters`."""
    parsed = langc.parse_policy(POLICIES[policy])
    return Reference(parsed.with_(exempt="think") if policy == "letters" else parsed, TOY)


def explained(engine: str, policy: str, prefix: Sequence[int], token: int, says: str) -> str | None:
    """The name of the fault."""
    place = reference(policy).place(prefix)
    assert place is not None
    return explain(Difference(Named(engine), reference(policy), place, token, says == "offered"))


@pytest.mark.parametrize(
    ("engine", "policy", "prefix", "token", "says", "name"),
    [
        # NUL: refused at the beginning of a token, not looked behind inside one
        ("llama.cpp", "no-han", b"", 0, "refused", "nul"),
        ("llama.cpp", "no-han", b"", 1, "refused", None),
        ("xgrammar", "no-han", b"", 0, "refused", None),
        ("llama.cpp", "letters", b"", 256, "offered", "nul"),
        ("llama.cpp", "letters", b"", 257, "offered", None),
        # encodings that are too long
        ("llama.cpp", "no-han", b"\xe0", 0x9F, "offered", "overlong"),
        ("llama.cpp", "no-han", b"\xf0", 0x8A, "offered", "overlong"),
        ("llama.cpp", "no-han", b"\xe0", 0xC0, "offered", None),
        ("llama.cpp", "no-han", b"\xed", 0xA0, "offered", None),
        ("llama.cpp", "no-han", b"\xf4", 0x90, "offered", None),
        ("llama.cpp", "no-han", b"", 0xC0, "offered", None),
        ("llama.cpp", "no-han", b"", 0xF8, "offered", None),
        ("xgrammar", "no-han", b"\xe0", 0x9F, "offered", None),
        # special tokens by their spelling
        ("llama.cpp", "letters", b"", NOTE, "offered", "control-text"),
        ("llama.cpp", "term", b"", NOTE, "offered", None),
        ("xgrammar", "letters", b"", NOTE, "offered", None),
        ("xgrammar", "letters", b"", THINK, "refused", "marker"),
        ("llguidance", "letters", b"", THINK, "refused", "marker"),
        ("outlines-core", "letters", b"", THINK, "refused", "marker"),
        ("llama.cpp", "letters", b"", THINK, "refused", None),
        # forced text
        ("llguidance", "term", "漢".encode(), 0xE6, "refused", "forced"),
        ("llguidance", "term", b"", ord("x"), "refused", None),
        ("llguidance", "term", "漢".encode(), 0xE7, "offered", None),
        ("xgrammar", "term", "漢".encode(), 0xE6, "refused", None),
        # ends
        ("outlines-core", "no-han", b"", END, "refused", "empty-text"),
        ("outlines-core", "no-han", b"a", END, "refused", None),
        ("outlines-core", "no-han", b"a", STOP, "refused", "one-end"),
        ("outlines-core", "no-han", b"a", STOP, "offered", None),
        ("xgrammar", "no-han", b"a", STOP, "refused", None),
        # a plain wrong range is nobody's fault
        ("llama.cpp", "no-han", b"", ord("a"), "refused", None),
        ("llama.cpp", "term", b"", ord("y"), "offered", None),
        ("outlines-core", "letters", b"", ord("a"), "refused", None),
        ("llguidance", "letters", b"", ord("A"), "offered", None),
    ],
)
def test_what_is_explained(engine: str, policy: str, prefix: bytes, token: int, says: str, name: str | None) -> None:
    """A fault's own token in its own engine, and the tokens beside it."""
    assert explained(engine, policy, list(prefix), token, says) == name


@pytest.mark.parametrize("engine", ["llama.cpp", "xgrammar", "llguidance"])
def test_no_lookahead(engine: str) -> None:
    """A piece that this vocabulary cannot finish is explained; one that the policy refuses is not."""
    tokens = (b"a", b"\xe4", b"\xb8", b"\xe5", b"")
    toy = Vocabulary("toy", tokens, {4: "<end>"}, frozenset({4}))
    own = Reference(langc.parse_policy("policy p { only [a中]; }"), toy)
    place = own.place([])
    assert place is not None
    found = [explain(Difference(Named(engine), own, place, token, True)) for token in (1, 2, 3)]

    assert found == ["no-lookahead", None, None]


def test_names_are_unique() -> None:
    """An engine's faults have different names, and each a reason."""
    names = [(f.engine, f.name) for f in FAULTS]

    assert len(set(names)) == len(names) >= 12
    assert all(f.reason for f in FAULTS)
