"""The processor in transformers: a tiny Qwen2 with random weights, with the policy and without it.

    pip install "langc[transformers]"
    python examples/transformers_qwen2.py

A model with random weights picks any token, so it writes Han, Hangul and broken characters all the time: the hardest
case for a mask, and none that needs a download. For a real model take its own tokenizer in place of the bundled one.
"""

from __future__ import annotations

import codecs
import time

import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

import langc
from langc.compiler.demo import TOKENIZER
from langc.compiler.unicode.properties import script_of

SEEDS, NEW_TOKENS = 5, 200

policy = langc.load_policy("ko")
vocabulary = langc.load_vocabulary(TOKENIZER)
(END,) = vocabulary.eos_ids

torch.set_num_threads(1)  # the model is too small to share
torch.manual_seed(0)
config = Qwen2Config(
    vocab_size=512,  # more rows than the tokenizer has ids, as in most models: the processor masks the rest
    hidden_size=64,
    intermediate_size=128,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    bos_token_id=None,
    eos_token_id=END,
    pad_token_id=END,
)
model = Qwen2ForCausalLM(config).eval()
prompt = torch.tensor([list("漢字: ".encode())])  # the ids of the single bytes are the bytes


def generate(seed: int, processors: list[langc.hf.PolicyLogitsProcessor]) -> str:
    """What the model writes after the prompt."""
    torch.manual_seed(seed)
    output = model.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        do_sample=True,
        min_new_tokens=NEW_TOKENS,
        max_new_tokens=NEW_TOKENS,
        logits_processor=processors,
    )
    ids = [i for i in output[0, prompt.shape[1] :].tolist() if i < vocabulary.size]
    data = b"".join(map(vocabulary.token_bytes, ids))
    # The limit of 200 tokens may cut a character: an incremental decoder leaves an unfinished one at the end out.
    return codecs.getincrementaldecoder("utf-8")("replace").decode(data)


def arm(name: str, processors: list[langc.hf.PolicyLogitsProcessor]) -> tuple[int, int, int]:
    """Generate with every seed, print a line of the table, and return its counts."""
    start = time.perf_counter()
    text = "".join(generate(seed, processors) for seed in range(SEEDS))
    seconds = time.perf_counter() - start
    scripts = [script_of(ord(character)) for character in text]
    counts = (scripts.count("Han"), scripts.count("Hangul"), text.count("\ufffd"))
    print(f"{name:<16}{counts[0]:>6}{counts[1]:>8}{counts[2]:>8}{seconds:>9.1f}")
    return counts


generate(0, [])  # the first call sets things up; its time is nobody's
print(f"{SEEDS} seeds x {NEW_TOKENS} tokens")
print(f"{'':<16}{'Han':>6}{'Hangul':>8}{'U+FFFD':>8}{'seconds':>9}")
arm("without policy", [])
han, _, broken = arm("with policy", [langc.hf.PolicyLogitsProcessor(policy, vocabulary)])

assert (han, broken) == (0, 0)
