"""The vocabularies, policies and texts that everything is timed on."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import langc
from bench.greedy import Greedy
from langc.compiler.policy import Policy
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary
from tests import assets

SAMPLES = Path(assets.__file__).parent / "conformance" / "samples" / "udhr"

VOCABULARIES: dict[str, Callable[[], Path]] = {
    "smollm2-49k": assets.smollm2_gguf,
    "tekken-131k": assets.tekken,
    "qwen-151k": assets.qwen151k,
    "qwen-248k": assets.qwen248k,
    "gemma-262k": assets.gemma_gguf,
}
PHRASES = (100, 1_000, 10_000)
POLICIES = ("ko", "ko+regions", *(f"ko+{count}" for count in PHRASES))
"""`ko` alone, with code and thinking exempt, and with so many denied phrases."""

OPTIONS = "ignore case, space, invisible; boundary both word;"
RARE = "뷁 쀍 꿹 😀 👨‍👩‍👧 🀄 𝄞 ㎡ ﹏ ꙮ "
"""What most vocabularies spell in pieces of characters."""


@cache
def vocabulary(name: str) -> Vocabulary:
    """One of `VOCABULARIES`."""
    return langc.load_vocabulary(VOCABULARIES[name]())


def policy(name: str) -> Policy:
    """One of `POLICIES`, made anew: what it has computed before does not count."""
    if name == "ko":
        return langc.load_policy("ko")
    if name == "ko+regions":
        return langc.load_policy("ko").with_(exempt="code,think")
    listed = ", ".join(f'"{phrase}"' for phrase in phrases(denied(name)))
    return langc.parse_policy(f"policy p {{ use ko; deny phrase {listed} {{ {OPTIONS} }} }}")


def denied(name: str) -> int:
    """How many phrases a policy denies beside `ko`."""
    count = name.removeprefix("ko+")
    return int(count) if count.isdecimal() else 0


def phrases(count: int) -> list[str]:
    """One to three words of English and Korean declarations each, drawn with a fixed seed."""
    words = sorted({*re.findall(r"[a-z]{4,12}", _text("en")), *re.findall("[가-힣]{2,6}", _text("ko"))})
    draw, found = random.Random(5), dict[str, None]()
    while len(found) < count:
        found[" ".join(draw.choices(words, k=draw.choice((2, 2, 3))))] = None
    return list(found)


def walk(of: Vocabulary, under: Policy, steps: int) -> list[int]:
    """Ids of ordinary text, and every now and then characters that are spelled in pieces; all of it permitted."""
    text = "".join(f"{line}\n{RARE}\n" for line in lines())
    matcher, found = Matcher(under, of), list[int]()
    for token in Greedy(of).encode(text * 4):
        if matcher.advance(token):
            found.append(token)
        if len(found) == steps:
            break
    return found


def lines() -> list[str]:
    """Korean and English prose."""
    return [line for line in _text("ko").splitlines() + _text("en").splitlines() if line]


@cache
def _text(language: str) -> str:
    return (SAMPLES / f"{language}.txt").read_text(encoding="utf-8")
