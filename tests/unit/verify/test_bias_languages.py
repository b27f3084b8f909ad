"""Static biases against the policy: what is claimed of them is measured again, by another search and by brute force."""

from __future__ import annotations

import json
from itertools import product
from random import Random
from typing import Any

import pytest

import langc
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.ir.language import cover
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.target import Fidelity
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import IntervalSet
from langc.compiler.verify import bias_languages
from langc.compiler.verify.artefact import Readable, open_artefact
from langc.compiler.verify.bias_languages import compare_bias
from langc.compiler.verify.languages import measure
from langc.compiler.verify.readers.bias import BANNED
from langc.compiler.verify.report import Language, Witness
from tests import assets
from tests.unit.targets.logit_bias.toys import VOCABULARY, bias, no_han

pytestmark = pytest.mark.slow

BYTES = Vocabulary("bytes", tuple(bytes([i]) for i in range(256)))


def banned(policy: Policy, vocabulary: Vocabulary, *ids: int) -> tuple[str | None, str | None]:
    """Over and under of a list of bans."""
    return texts(compare_bias(policy, dict.fromkeys(ids, BANNED), vocabulary))


def texts(language: Language) -> tuple[str | None, str | None]:
    """The two witnesses as text."""
    over, under = language.over, language.under
    assert over is None or over.passes == "artefact"
    assert under is None or under.passes == "policy"
    return (None if over is None else over.text.decode()), (None if under is None else under.text.decode())


@pytest.mark.parametrize(
    ("ids", "over", "under"),
    [
        ((), "中", None),
        # 中 is token 1, E4 B8 AD in pieces 2, 3, 4, and a piece of 6; 5 is ` E4 B8`.
        ((1, 6), "中", None),
        ((1, 3, 6), " 中", "\u4b78"),
        ((1, 4, 6), None, "\u4b6d"),
        ((1, 2, 5, 6), None, "\u4b6d"),
        ((0, 1, 2, 5, 6), None, "a"),
    ],
)
def test_bans_by_hand(ids: tuple[int, ...], over: str | None, under: str | None) -> None:
    """U+4B6D is E4 AD AD and U+4B78 E4 AD B8, the least of the permitted characters that need AD, and B8."""
    assert banned(no_han(), VOCABULARY, *ids) == (over, under)


def test_a_witness_has_its_tokens() -> None:
    """Those that spell it, as few as can be."""
    language = compare_bias(no_han(), {1: BANNED, 4: BANNED, 6: BANNED}, VOCABULARY)

    assert language.under == Witness("\u4b6d".encode(), "policy", (2, 4, 4))
    assert compare_bias(no_han(), {}, VOCABULARY).over == Witness("中".encode(), "artefact", (1,))


def test_without_an_end_nothing_passes() -> None:
    """A ban of the end token (8) leaves no text at all, and the empty one is lost first."""
    assert banned(no_han(), VOCABULARY, 8) == (None, "")


def test_ids_of_another_vocabulary_are_a_note() -> None:
    """Servers pass over them; models have rows without a token."""
    language = compare_bias(no_han(), {99: BANNED, 100: BANNED}, VOCABULARY)

    assert language.notes == ("2 of its ids are not in the vocabulary",)
    assert texts(language) == ("中", None)


def test_what_does_not_ban_blocks_nothing_under_a_hard_policy() -> None:
    """And under a soft one it costs, which is all that is asked."""
    discouraged = dict.fromkeys((1, 4, 6), -5.0)

    assert texts(compare_bias(no_han(), discouraged, VOCABULARY)) == ("中", None)
    assert texts(compare_bias(no_han().with_(bias=5), discouraged, VOCABULARY)) == (None, "\u4b6d")


def test_a_policy_with_regions_is_decided_too() -> None:
    """No target makes such a bias; somebody may write one. An open region is no text; a closed one may hold 中."""
    policy = no_han().with_(exempt=["think"])
    vocabulary = Vocabulary("v", (b"<think>", b"</think>", "中".encode(), b"a"))

    assert banned(policy, vocabulary, 2) == ("<think>", "<think>中</think>")


def test_odd_vocabularies_need_the_search() -> None:
    """é is in ` é` and in `aé` and no token by itself; a ban of the first loses ` é`, and `aé` is still written."""
    policy = Policy(PolicyIR("p", None, (), cover(IntervalSet.of(" aéb"))))
    vocabulary = Vocabulary("v", (" é".encode(), "aé".encode(), b"a", b" ", b"b"))

    assert banned(policy, vocabulary, 0) == (None, " é")
    assert banned(policy, vocabulary, 1) == (None, "aé")
    assert banned(policy, vocabulary, 0, 1) == (None, " é")
    assert banned(policy, vocabulary, 2) == (None, "a")
    assert banned(policy, vocabulary) == (None, None)


def test_the_search_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with the limit in the message."""
    policy = Policy(PolicyIR("p", None, (), cover(IntervalSet.of(" aéb"))))
    vocabulary = Vocabulary("v", (" é".encode(), "aé".encode(), b"a", b" ", b"b"))
    monkeypatch.setattr(bias_languages, "MAX_SPELLING_STATES", 2)
    with pytest.raises(LimitError, match="2"):
        banned(policy, vocabulary, 0)


@pytest.mark.parametrize("dialect", ["llama.cpp", "openai", "vllm"])
@pytest.mark.parametrize("method", ["tight", "loose"])
def test_every_dialect_is_read(dialect: str, method: str) -> None:
    """What is emitted is measured as it is claimed, witness for witness."""
    artifact = bias(no_han("a中a"), dialect=dialect, method=method)
    language = measure(no_han("a中a"), Readable.of(artifact), VOCABULARY)

    assert texts(language) == (artifact.fidelity.over, artifact.fidelity.under)


@pytest.mark.parametrize(
    ("dialect", "value"),
    [
        ("llama.cpp", {"1": -100}),
        ("llama.cpp", [[1]]),
        ("llama.cpp", [["a", False]]),
        ("llama.cpp", [[1, True]]),
        ("llama.cpp", [[1, None]]),
        ("llama.cpp", [[-1, False]]),
        ("llama.cpp", [[1 << 40, False]]),
        ("llama.cpp", [[1.0, False]]),
        ("openai", [[1, -100]]),
        ("openai", {"1": False}),
        ("openai", {"1": -101}),
        ("openai", {"01": -100}),
        ("openai", {"one": -100}),
        ("openai", {"-1": -100}),
        ("vllm", {"1": "-100"}),
        ("vllm", {"9" * 30: -100}),
        ("vllm", {"logit_bias": None}),
        ("vllm", 5),
    ],
)
def test_entries_that_no_server_takes(dialect: str, value: Any, tmp_path: Any) -> None:
    """One error with a code."""
    path = tmp_path / "bias.json"
    path.write_text(json.dumps(value))
    with pytest.raises(LangcError) as caught:
        measure(no_han(), open_artefact(path, "logit-bias", dialect), VOCABULARY)

    assert caught.value.diagnostics[0].code == "LC0530"


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"1": NaN}',
        '{"1": -Infinity}',
        '{"1": 1e999}',
        '{"1": -100, "1": 0}',
        "[" * 100_000,
        "9" * 5_000,
        "",
        "\0",
    ],
)
def test_json_that_is_none(text: str, tmp_path: Any) -> None:
    """Or that two readers would take in two ways."""
    path = tmp_path / "bias.json"
    path.write_text(text)
    with pytest.raises(LangcError) as caught:
        measure(no_han(), open_artefact(path, "logit-bias", "openai"), VOCABULARY)

    assert caught.value.diagnostics[0].code == "LC0530"


LETTERS = "aé中"
ALPHABET = LETTERS + "øí" + "".join(bytes([0xE4, x, y]).decode() for x, y in product([0xA9, 0xB8, 0xAD], repeat=2))
"""All characters that the bytes of `LETTERS` can be put together to: ø is C3 B8, í is C3 AD."""


def _policy(random: Random) -> Policy:
    base = IntervalSet.of("".join(c for c in ALPHABET if random.random() < 0.6))
    terms = {"".join(random.choices(LETTERS, k=random.randint(1, 3))) for _ in range(random.randint(0, 2))}
    return Policy(PolicyIR("p", None, (), cover(base, tuple(sorted(terms)))))


def _vocabulary(random: Random) -> Vocabulary:
    tokens = set()
    for _ in range(random.randint(3, 12)):
        text = "".join(random.choices(LETTERS, k=random.randint(1, 3))).encode()
        start = random.randrange(len(text))
        tokens.add(text[start : random.randint(start + 1, len(text))])
    return Vocabulary("v", (*sorted(tokens), b""), {len(tokens): "<eos>"}, frozenset({len(tokens)}))


def _spelled(tokens: set[bytes], text: bytes) -> bool:
    ends = {0}
    for end in range(1, len(text) + 1):
        ends |= {end for start in ends if text[start:end] in tokens}
    return len(text) in ends


def _shortest(policy: Policy, all_tokens: set[bytes], allowed: set[bytes]) -> list[int | None]:
    """The lengths of shortest texts over and under, by trying all up to three letters; None if there is none."""
    lengths: list[int | None] = [None, None]
    for size in range(4):
        for letters in product(dict.fromkeys(ALPHABET), repeat=size):
            text = "".join(letters).encode()
            permitted, passes = policy.accepts("".join(letters)), _spelled(allowed, text)
            for side, differs in enumerate((passes and not permitted, permitted and not passes)):
                if differs and lengths[side] is None and _spelled(all_tokens, text):
                    lengths[side] = size
    return lengths


@pytest.mark.parametrize("seed", range(60))
def test_brute_force_agrees(seed: int) -> None:
    """On small vocabularies with random bans, texts are tried one by one; longer witnesses than those are rare."""
    random = Random(seed)
    policy, vocabulary = _policy(random), _vocabulary(random)
    every = {t for t in vocabulary.tokens if t}
    ids = [i for i in range(len(every)) if random.random() < 0.4]
    allowed = {t for i, t in enumerate(vocabulary.tokens) if t and i not in ids}
    found = banned(policy, vocabulary, *ids)
    actual = [None if w is None or len(w) > 3 else len(w) for w in found]

    assert actual == _shortest(policy, every, allowed)


def test_brute_force_has_something_to_find() -> None:
    """Among its cases are all four outcomes."""
    outcomes = set()
    for seed in range(60):
        random = Random(seed)
        policy, vocabulary = _policy(random), _vocabulary(random)
        ids = [i for i in range(vocabulary.size - 1) if random.random() < 0.4]
        outcomes.add(tuple(w is None for w in banned(policy, vocabulary, *ids)))

    assert len(outcomes) == 4


@pytest.mark.parametrize("seed", range(20))
def test_the_claims_of_the_target_are_true(seed: int) -> None:
    """Two searches that share no code agree on existence and on length, whatever the options."""
    random = Random(1_000 + seed)
    policy, vocabulary = _policy(random), _vocabulary(random)
    options: list[dict[str, Any]] = [{}, {"method": "loose"}, {"budget": 2}, {"keep": "[é中]"}]
    options += [{"fragments": share} for share in (0.0003, 0.01, 1)]
    for option in options:
        try:
            artifact = compile_policy(policy, "logit-bias", vocabulary, allow=("over", "under"), **option)
        except LangcError:
            continue  # nothing is left to write
        language = measure(policy, Readable.of(artifact), vocabulary)

        assert list(map(_length, texts(language))) == [
            _length(artifact.fidelity.over),
            _length(artifact.fidelity.under),
        ]


def _length(text: str | None) -> int | None:
    return None if text is None else len(text)


@pytest.mark.engines
@pytest.mark.parametrize(
    "options",
    [{}, {"method": "loose"}, {"keep": "emoji"}, {"budget": 100}, {"fragments": 0.9}, {"fragments": 0.5}],
    ids=["tight", "loose", "keep", "budget", "most", "half"],
)
@pytest.mark.parametrize(
    "rules", [r"deny \p{Script=Han};", r'deny \p{Script=Han}; allow "漢江";', r"only \p{Script=Hangul}, [ a-z];"]
)
def test_the_claims_are_true_on_a_real_vocabulary(rules: str, options: dict[str, Any]) -> None:
    """SmolLM2's, with 49,152 tokens."""
    policy = langc.parse_policy(f"policy p {{ {rules} }}")
    vocabulary = langc.load_vocabulary(assets.smollm2_gguf())
    artifact = compile_policy(policy, "logit-bias", vocabulary, allow=("over", "under"), cap="none", **options)
    language = measure(policy, Readable.of(artifact), vocabulary)

    assert artifact.fidelity != Fidelity()
    assert list(map(_length, texts(language))) == [_length(artifact.fidelity.over), _length(artifact.fidelity.under)]
