"""`langc pressure`: answers of servers in, lower bounds out."""

from __future__ import annotations

import json
import re
from math import log
from pathlib import Path
from typing import Any

import pytest

from langc.compiler.cli import pressure as command
from tests.unit.cli.harness import Cli

PAGE = (Path(__file__).parents[3] / "docs" / "pressure.md").read_text(encoding="utf-8")


def token(data: bytes, probability: float, number: int | None = None, **more: Any) -> dict[str, Any]:
    """An entry or an alternative, as servers write them."""
    text = data.decode("utf-8", "replace")
    found = {"token": text, "bytes": list(data), "logprob": log(probability) if probability else -9999.0, **more}
    return found if number is None else {"id": number, **found}


def step(data: bytes, *alternatives: dict[str, Any], number: int | None = None) -> dict[str, Any]:
    """An entry."""
    return token(data, 1.0, number, top_logprobs=list(alternatives))


STEPS = [
    step("확".encode(), token("확".encode(), 0.75), token("確".encode(), 0.125)),
    step("인".encode(), token("認".encode(), 0.5), token(b"\xec\x9d", 0.25), token(b"a", 0.125)),
    step(b"\n", token(b"\n", 0.5), token(b"", 0.25)),
]
LLAMA = {"content": "확인\n", "completion_probabilities": STEPS}
CHAT = {"choices": [{"message": {"content": "확인\n"}, "logprobs": {"content": STEPS}}]}


def save(value: object, name: str = "answer.json") -> str:
    """A response as a file."""
    Path(name).write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return name


@pytest.mark.parametrize("response", [LLAMA, CHAT, [CHAT]], ids=["llama.cpp", "chat", "a list of one"])
def test_what_is_said(cli: Cli, response: object) -> None:
    """By hand: 1/8 and 1/2 of three steps are Han; 7/8, 7/8 and 3/4 are listed."""
    done = cli("pressure", "ko.policy", save(response))

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "steps: 3",
        f"mean pressure: at least {0.625 / 3:.4f}",
        f"  the tokens that are listed have {2.5 / 3:.4f} of the probability",
        "top token refused: 1 of 3 (33.3%)",
        "more than half taken: 0 of 3 (0.0%)",
        "worst steps:",
        "  0.500  answer.json, step 2: “확” refused “認” (0.5, rank 1), best allowed “\\xec\\x9d” (0.25, rank 2),"
        " written “인”",
        "  0.125  answer.json, step 1: “” refused “確” (0.125, rank 2), best allowed “확” (0.75, rank 1), written “확”",
    ]


def test_as_json(cli: Cli) -> None:
    """Each file and the total; an id that is not there is null."""
    files = (save(LLAMA, "a.json"), save([LLAMA, CHAT], "b.json"))
    done = cli("pressure", "ko.policy", *files, "--json", "--worst", "1")
    found = json.loads(done.out)
    one, two = found["files"]

    assert (one["file"], one["steps"], two["steps"], found["total"]["steps"]) == ("a.json", 3, 6, 9)
    assert found["policy"] == "ko"
    assert found["total"]["bound"] == "at least"
    assert found["total"]["mean_pressure"] == pytest.approx(0.625 / 3)
    assert [len(r["worst"]) for r in (one, two, found["total"])] == [1, 1, 1]
    assert two["worst"][0]["where"] == "b.json, answer 1, step 2"
    assert two["worst"][0]["refused"] == {"id": None, "text": "認", "probability": pytest.approx(0.5), "rank": 1}
    assert all(f"`{key}`" in PAGE for key in (*found["total"], *two["worst"][0]))


def test_several_files(cli: Cli) -> None:
    """The total, and a line for each."""
    done = cli("pressure", "ko.policy", save(LLAMA, "a.json"), save(CHAT, "b.json"))

    assert done.out.splitlines()[0] == "steps: 6"
    assert done.out.splitlines()[-2:] == [f"{n}.json: at least {0.625 / 3:.4f} in 3 steps" for n in "ab"]


def test_from_stdin(cli: Cli) -> None:
    """As every command that reads files."""
    done = cli("pressure", "ko.policy", "-", stdin=json.dumps(LLAMA).encode())

    assert "<stdin>, step 2" in done.out


def test_a_soft_policy_takes_less(cli: Cli) -> None:
    """At 1 logit 認 loses some of its half and stays on top."""
    done = cli("pressure", "ko.policy", save(LLAMA), "--mode", "soft", "--bias", "1", "--json")
    found = json.loads(done.out)["total"]

    assert 0 < found["mean_pressure"] < 0.625 / 3
    assert found["top_refused"] == 1
    assert (
        json.loads(cli("pressure", "ko.policy", save(LLAMA), "--bias", "0.1", "--json").out)["total"]["top_refused"]
        == 0
    )


def test_pieces_of_a_character_that_a_server_joined(cli: Cli) -> None:
    """llama.cpp: the entry is 確 as a whole, the alternatives are those of its last byte; its own is told by the id."""
    last = "確".encode()[-1:]
    joined = step("確".encode(), token(last, 0.5, 7), token(b"\x80", 0.25, 8), token(b"a", 0.25, 9), number=7)
    lost = step("確".encode(), token(b"\x80", 0.25, 8), token(b"a", 0.25, 9), number=7)
    report = json.loads(cli("pressure", "ko.policy", save({"completion_probabilities": [joined, lost]}), "--json").out)
    total = report["total"]

    # All of E7 A2 is Han: it is paid for when these bytes are written, and what can follow is free but for `a`.
    assert (total["steps"], total["skipped"]) == (1, 1)
    assert total["mean_pressure"] == pytest.approx(0.25)
    assert total["worst"][0]["before"] == "\\xe7\\xa2"


def test_what_shows_as_a_replacement_character_is_not_judged(cli: Cli) -> None:
    """Its bytes are not known, whatever the list of bytes says."""
    half = {"token": "\ufffd", "logprob": log(0.5)}
    response = {"choices": [{"logprobs": {"content": [step(b"a", half, token("\ufffd".encode(), 0.25))]}}]}
    total = json.loads(cli("pressure", "ko.policy", save(response), "--json").out)["total"]

    assert (total["mean_pressure"], total["top_refused"], total["mean_listed"]) == (0, 0, pytest.approx(0.75))


def test_special_tokens(cli: Cli) -> None:
    """With a tokenizer: ends are judged as ends, other special tokens not at all; without one their text is text."""
    Path("hangul.policy").write_text('policy p { only [가-힣]; region think = between "<t>" "</t>" { any } }', "utf-8")
    tokenizer = {
        "version": "1.0",
        "added_tokens": [
            {"id": 3, "content": "<end>", "special": True},
            {"id": 4, "content": "<t>", "special": True},
            {"id": 5, "content": "<x>", "special": True},
        ],
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2}, "merges": []},
    }
    save(tokenizer, "tokenizer.json")
    special = [token(b"<end>", 0.5), token(b"<t>", 0.25), token(b"<x>", 0.125), token(b"a", 0.0625)]
    response = save({"choices": [{"logprobs": {"content": [step("가".encode(), *special)]}}]})
    without = json.loads(cli("pressure", "hangul.policy", response, "--json").out)["total"]
    known = json.loads(cli("pressure", "hangul.policy", response, "--json", "--tokenizer", "tokenizer.json").out)

    # As text `<e`, `<x` and `a` are refused, and `<t>` opens the region.
    assert without["mean_pressure"] == pytest.approx(0.6875)
    assert known["total"]["mean_pressure"] == pytest.approx(0.0625)


ENTRY = step(b"a", token(b"a", 1.0))
BAD: dict[str, object] = {
    "no object": 5,
    "no answer": {},
    "nothing in a list": [],
    "a null": {"choices": [{"logprobs": None}]},
    "choices": {"choices": 5},
    "an entry that is none": {"completion_probabilities": [5]},
    "no alternatives": {"completion_probabilities": [{k: v for k, v in ENTRY.items() if k != "top_logprobs"}]},
    "alternatives": {"completion_probabilities": [{**ENTRY, "top_logprobs": {}}]},
    "after sampling": {"completion_probabilities": [{"token": "a", "bytes": [97], "prob": 1.0, "top_probs": []}]},
    "completions": {"choices": [{"logprobs": {"tokens": ["a"], "top_logprobs": [{"a": -1}]}}]},
    "a byte": {"completion_probabilities": [{**ENTRY, "bytes": [256]}]},
    "bytes": {"completion_probabilities": [{**ENTRY, "bytes": "a"}]},
    "a token": {"completion_probabilities": [{**ENTRY, "token": None}]},
    "an id": {"completion_probabilities": [{**ENTRY, "id": "a"}]},
    "a number": {"completion_probabilities": [{**ENTRY, "top_logprobs": [{"token": "a", "logprob": "x"}]}]},
    "a probability": {"completion_probabilities": [{**ENTRY, "top_logprobs": [{"token": "a", "logprob": 0.5}]}]},
    "no probability": {"completion_probabilities": [{**ENTRY, "top_logprobs": [{"token": "a"}]}]},
    "true": {"completion_probabilities": [{**ENTRY, "top_logprobs": [{"token": "a", "logprob": True}]}]},
}


@pytest.mark.parametrize("value", BAD.values(), ids=list(BAD))
def test_what_is_no_answer(cli: Cli, value: object) -> None:
    """One error, and nothing on stdout."""
    done = cli("pressure", "ko.policy", save(value))

    assert (done.code, done.out) == (2, "")
    assert re.match(r"error\[LC0570\]: answer\.json cannot be read as answers with probabilities: ", done.err)
    assert "help: ask llama.cpp" in done.err


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"{", "LC0570"), (b"", "LC0570"), (b"\xff", "LC0004"), (b"[" * 200_000, "LC0570"), (b"9" * 9_999, "LC0570")],
)
def test_what_is_no_json(cli: Cli, content: bytes, code: str) -> None:
    """The place is shown where there is one."""
    Path("answer.json").write_bytes(content)
    done = cli("pressure", "ko.policy", "answer.json")

    assert done.code == 2
    assert f"error[{code}]" in done.err
    assert (content != b"{") or done.err.startswith("answer.json:1:2: error")


def test_a_large_file(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the limit it is not read further; at the limit it is."""
    size = len(Path(save(LLAMA)).read_bytes())
    monkeypatch.setattr(command, "MAX_RECORDED_BYTES", size)
    assert cli("pressure", "ko.policy", "answer.json").code == 0
    monkeypatch.setattr(command, "MAX_RECORDED_BYTES", size - 1)
    assert "LC0701" in cli("pressure", "ko.policy", "answer.json").err


def test_a_missing_logarithm_is_zero(cli: Cli) -> None:
    """JSON has no minus infinity, and some write null for it."""
    response = {"completion_probabilities": [step(b"a", token(b"a", 1.0), {"token": "確", "logprob": None})]}
    total = json.loads(cli("pressure", "ko.policy", save(response), "--json").out)["total"]

    assert (total["mean_pressure"], total["mean_listed"]) == (0, 1)


@pytest.mark.parametrize(
    "response",
    [{"choices": [{"logprobs": {"content": []}}]}, {"completion_probabilities": []}],
    ids=["chat", "llama.cpp"],
)
def test_an_answer_without_steps(cli: Cli, response: object) -> None:
    """A pressure of 0 would be read as a policy that takes nothing."""
    done = cli("pressure", "ko.policy", save(response))

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == ["steps: 0", "without a step nothing is known of the pressure"]
