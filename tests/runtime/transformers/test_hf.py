"""`langc.hf` in transformers' own `generate`, with a tiny Qwen2 of random weights."""

from __future__ import annotations

from functools import cache

import pytest
import torch
from transformers import LogitsProcessorList, Qwen2Config, Qwen2ForCausalLM

import langc
from langc.compiler.tokens.vocabulary import Vocabulary

pytestmark = pytest.mark.engines

POLICY = langc.parse_policy(r"policy t { deny \p{Script=Han}; allow '漢江'; }".replace("'", '"'))
PADDED_ROWS = 280


@cache
def _vocabulary() -> Vocabulary:
    """Single bytes, some merges that cut characters, end-of-sequence: 262 ids."""
    extra = [b" \xe4", b"\xb8\xad", "한".encode(), "漢江".encode(), b"ab"]
    tokens = {i: bytes([i]) for i in range(256)} | {256 + i: t for i, t in enumerate(extra)}
    return langc.load_vocabulary({"tokens": tokens, "special": {"<eos>": 261}, "eos": [261]})


@cache
def _model() -> Qwen2ForCausalLM:
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=PADDED_ROWS,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=512,
        bos_token_id=None,
        eos_token_id=261,
        pad_token_id=261,
    )
    return Qwen2ForCausalLM(config).eval()


def _generate(prompt: list[list[int]], processor: object, **options: object) -> list[bytes]:
    ids = torch.tensor(prompt)
    out = _model().generate(
        ids, attention_mask=torch.ones_like(ids), logits_processor=LogitsProcessorList([processor]), **options
    )
    return [_written(row[ids.shape[1] :].tolist()) for row in out]


def test_a_policy_by_name() -> None:
    """A ready name and a mapping will do, as everywhere."""
    scores = torch.zeros(1, PADDED_ROWS)
    ids = torch.zeros((1, 0), dtype=torch.int64)
    tokens = {"tokens": {i: bytes([i]) for i in range(256)}, "special": {"<eos>": 261}, "eos": [261]}
    found = langc.hf.PolicyLogitsProcessor("ko", tokens)(ids, scores)
    expected = langc.hf.PolicyLogitsProcessor(langc.load_policy("ko"), langc.load_vocabulary(tokens))(ids, scores)

    assert torch.equal(expected, found)


def _written(ids: list[int]) -> bytes:
    """The bytes of the tokens; a padding row, which is no token, writes a byte that no text holds."""
    return b"".join(_vocabulary().token_bytes(i) if i < _vocabulary().size else b"\xff" for i in ids)


def _is_viable(data: bytes) -> bool:
    """Whether some permitted text begins with these bytes."""
    return POLICY.byte_dfa.run(data) in POLICY.byte_dfa.live


PROMPT = list("漢字: ".encode())


@pytest.mark.parametrize("options", [{"do_sample": True}, {"num_beams": 4}, {"num_beams": 3, "do_sample": True}])
def test_no_row_leaves_the_policy(options: dict[str, object]) -> None:
    """Sampling, beams and beam sampling write permitted text only, after a prompt that is not permitted."""
    processor = langc.hf.PolicyLogitsProcessor(POLICY, _vocabulary())
    for seed in range(5):
        torch.manual_seed(seed)
        rows = _generate([PROMPT, PROMPT[::-1]], processor, max_new_tokens=40, **options)

        assert all(map(_is_viable, rows))
        assert any(any(b >= 0x80 for b in row) for row in rows), "a trial of ASCII alone shows nothing"


def test_the_same_seeds_leave_it_without_the_processor() -> None:
    """The trial above can fail: the bare model writes malformed or denied text."""
    torch.manual_seed(0)
    rows = _generate([PROMPT] * 4, lambda ids, scores: scores, max_new_tokens=40, do_sample=True)

    assert not all(map(_is_viable, rows))


def test_one_processor_serves_one_generation_after_another() -> None:
    """Nothing leaks into the next generation: the same seed gives the same text again, with other prompts between."""
    processor = langc.hf.PolicyLogitsProcessor(POLICY, _vocabulary())
    texts = []
    for prompt in (PROMPT, list(b"other prompt"), PROMPT):
        torch.manual_seed(7)
        texts.append(_generate([prompt], processor, max_new_tokens=30, do_sample=True)[0])

    assert texts[0] == texts[2]


def test_prompt_lookup_decoding_goes_back_and_keeps_the_policy() -> None:
    """Assisted decoding hands over histories that shrink again."""
    processor = langc.hf.PolicyLogitsProcessor(POLICY, _vocabulary())
    rows = _generate([PROMPT * 4], processor, max_new_tokens=40, prompt_lookup_num_tokens=3, do_sample=False)

    assert all(map(_is_viable, rows))


CLOSING = langc.parse_policy("""policy t {
    only [xyz한]; allow "漢江";
    region note = between "<" ">" { only [ab] }
}""")


def _is_whole(data: bytes) -> bool:
    """Whether this is a permitted text from its first byte to its last: every character, term and note is closed."""
    return CLOSING.byte_dfa.run(data) in CLOSING.byte_dfa.accepting


@pytest.mark.parametrize("options", [{"do_sample": True}, {"num_beams": 3}, {"prompt_lookup_num_tokens": 3}])
def test_every_row_is_finished_within_its_budget(options: dict[str, object]) -> None:
    """With `max_tokens` no row is cut in the middle; without, some are."""
    cut = 0
    for most in range(1, 13):
        torch.manual_seed(most)
        prompts = [PROMPT * 2] if "prompt_lookup_num_tokens" in options else [PROMPT * 2, PROMPT[::-1] * 2]
        limited = langc.hf.PolicyLogitsProcessor(CLOSING, _vocabulary(), max_tokens=most)
        for row in _generate(prompts, limited, max_new_tokens=most, **options):
            assert _is_whole(row)
        plain = langc.hf.PolicyLogitsProcessor(CLOSING, _vocabulary())
        cut += sum(not _is_whole(row) for row in _generate(prompts, plain, max_new_tokens=most, **options))

    assert cut


def test_scores_keep_dtype_and_shape_and_padding_is_masked() -> None:
    """The processor adds 0 or -inf; rows beyond the tokenizer's are -inf."""
    processor = langc.hf.PolicyLogitsProcessor(POLICY, _vocabulary(), prompt_length=2)
    scores = torch.zeros(3, PADDED_ROWS, dtype=torch.bfloat16)
    out = processor(torch.tensor([[1, 2], [3, 4], [5, 6]]), scores)

    assert (out.dtype, out.shape) == (scores.dtype, scores.shape)
    assert torch.isneginf(out[:, 262:]).all()
    assert set(out.unique().tolist()) == {0.0, float("-inf")}


STOPPING = langc.parse_policy('policy t { stop before phrase "User:" { boundary none; } }')


def test_a_model_that_wants_the_phrase_ends_its_text() -> None:
    """Where a greedy model is made to want `User: Hi`, `stop before` ends the text and `deny` makes it write on."""
    wanted = b"Hello.\nUser: Hi"
    denying = langc.parse_policy('policy t { deny phrase "User:" { boundary none; } }')
    written = []
    for policy in (STOPPING, denying):
        processor = langc.hf.PolicyLogitsProcessor(policy, _vocabulary())

        def pushed(ids: torch.Tensor, scores: torch.Tensor, processor: object = processor) -> torch.Tensor:
            scores = scores.clone()
            scores[:, list(wanted)[ids.shape[1] - len(PROMPT)]] += 100
            return processor(ids, scores)  # type: ignore[operator]

        written.append(_generate([PROMPT], pushed, max_new_tokens=len(wanted), do_sample=False)[0])

    assert written[0] == b"Hello.\nUser"
    assert written[1].startswith(b"Hello.\nUser")
    assert len(written[1]) > len(written[0])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_stop_before_row_by_row(dtype: torch.dtype) -> None:
    """Each row by its own history; the scores handed over stay as they are; the arrays say the same."""
    hf = langc.hf.PolicyLogitsProcessor(STOPPING, _vocabulary(), prompt_length=0)
    arrays = langc.arrays.PolicyProcessor(STOPPING, _vocabulary(), prompt_length=0)
    ids = torch.tensor([list(b"User"), list(b"Use "), list(b"xUse")])
    scores = torch.randn(3, PADDED_ROWS).to(dtype)
    scores[0, ord(":")], scores[2, 261] = 50, 9
    before = scores.clone()
    found = hf(ids, scores)

    assert torch.equal(scores, before)
    assert found[:, 261].tolist() == [50.0, float(before[1, 261]), 9.0]
    assert torch.isneginf(found[:, ord(":")]).tolist() == [True, False, False]
    if dtype == torch.float32:
        assert found.tolist() == arrays(ids.numpy(), scores.numpy()).tolist()


def test_a_soft_policy_takes_its_bias_once_a_token() -> None:
    """-X where a violation becomes unavoidable, -inf where the bytes are malformed, 0 elsewhere."""
    processor = langc.hf.PolicyLogitsProcessor(POLICY.with_(mode="soft", bias=3.5), _vocabulary(), prompt_length=0)
    out = processor(torch.empty((1, 0), dtype=torch.long), torch.zeros(1, PADDED_ROWS))[0]

    assert out[ord("a")] == 0.0
    assert out[_vocabulary().ids_for_bytes(b" \xe4")[0]] == 0.0  # U+4DC0, a hexagram, is still open
    assert out[0xE5] == -3.5  # E5 begins Han characters alone
    assert out[_vocabulary().ids_for_bytes("漢江".encode())[0]] == 0.0
    assert out[0x80] == float("-inf")


def test_a_portable_file_gives_the_same_masks(tmp_path_factory: pytest.TempPathFactory) -> None:
    """`compile --target processor`, written and loaded again, is the processor."""
    path = tmp_path_factory.mktemp("portable") / "t.safetensors"
    path.write_bytes(langc.compile(POLICY, "processor", _vocabulary()).content)
    loaded = langc.hf.PolicyLogitsProcessor.from_file(path, _vocabulary())
    made = langc.hf.PolicyLogitsProcessor(POLICY, _vocabulary())
    ids = torch.tensor([[*PROMPT], [*PROMPT]])
    for following in ([0xE6, 0xB1], [0xBC, 0x9F], [0x61, 261]):
        scores = torch.randn(2, PADDED_ROWS)

        assert torch.equal(made(ids, scores), loaded(ids, scores))
        ids = torch.cat([ids, torch.tensor([[following[0]], [following[1]]])], dim=1)
