"""Every file in `examples/` runs as its first lines say, and shows what it is for."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from fontTools.unicodedata import script

import langc
from tests import assets

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def _run(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command line with this environment's `langc` in reach."""
    bin_first = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": bin_first, "PYTHONPATH": str(ROOT)}
    line = [str(part) for part in command]
    return subprocess.run(line, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def _python(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return _run(sys.executable, EXAMPLES / name, *arguments)


def test_every_example_is_run_here() -> None:
    """`make demo` runs demo.sh; the tests below run all others."""
    run = re.findall(r'(?:_python\(|EXAMPLES / )"(\w+\.\w+)"', Path(__file__).read_text("utf-8"))
    found = {path.name for path in EXAMPLES.iterdir() if path.is_file()}

    assert len(found) >= 5
    assert found - set(run) == {"demo.sh"}
    assert "examples/demo.sh" in (ROOT / "Makefile").read_text("utf-8")


def _first_bytes() -> set[int]:
    """The bytes that begin a character that is not Han, and that of 漢江, by fontTools' own tables."""
    scalars = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
    return {chr(c).encode()[0] for c in scalars if script(chr(c)) != "Hani"} | {"漢".encode()[0]}


def test_quickstart() -> None:
    """뷁 is written in three steps, 字 is refused behind 漢, and 漢江 may end only as a whole."""
    done = _python("quickstart.py")
    lines = [line.strip() for line in done.stdout.splitlines()]
    at_a_border = f"{len(_first_bytes()) + 1} of 257 tokens may follow; the text may end"

    assert (done.returncode, done.stderr) == (0, "")
    assert lines[1:4] == [
        "EB is written;  64 of 257 tokens may follow; the text may not end here",
        "B7 is written;  64 of 257 tokens may follow; the text may not end here",
        f"81 is written; {at_a_border}",
    ]
    assert "E5 is refused after 3 bytes; first violation: offset 1" in lines
    assert lines[-1] == f"9F is written; {at_a_border}"
    assert [line for line in lines if line.endswith("may end")] == [lines[3], lines[-1]]


def test_stream_guard() -> None:
    """What is shown behind each chunk, and why each text ends."""
    done = _python("stream_guard.py")
    shown = [line[43:-1] for line in done.stdout.splitlines() if line.endswith("|")]

    assert (done.returncode, done.stderr) == (0, "")
    assert shown == [
        *("Well, ", "as an AI assistant or ", "here", ", I can help.", ""),
        *("안녕 ", "", "", "", ""),
        *("Seoul - or Busan. ", "", "", ""),
    ]
    assert [line.strip() for line in done.stdout.splitlines() if "replaced" in line and line.startswith(" ")] == [
        "shown whole, 1 replaced",
        r"ended by deny \p{Script=Han}, 0 replaced",
        'ended by stop before phrase "User:" { boundary none; }, 1 replaced',
    ]


@pytest.mark.slow
def test_answers_with_sql(tmp_path: Path) -> None:
    """A column that is not there is named, and so is no table that lacks it; the block has to be closed."""
    done = _python("answers_with_sql.py")

    assert (done.returncode, done.stderr) == (0, "")
    assert [line.strip() for line in done.stdout.splitlines()] == [
        "offset 39: there is no totl; did you mean total?",
        r"'고객은 이렇게 봅니다.\n```sql\nSELECT name FROM ' is written: True",
        r"'orders;\n': refused; the text may end: False",
        r"'customers;\n': written; the text may end: False",
        r"'```\n': written; the text may end: True",
    ]

    with sqlite3.connect(tmp_path / "shop.db") as database:
        database.execute("CREATE TABLE orders (id INTEGER, total REAL)")
    tested = _run(sys.executable, "-m", "langc", "test", EXAMPLES / "answer.policy", "--env", tmp_path / "shop.db")
    assert (tested.returncode, tested.stdout) == (0, "answer: 5 tests, all pass\n")


def test_assistant() -> None:
    """Its own tests pass, and each phrase of its list is refused in an answer, in whatever case."""
    done = _run(sys.executable, "-m", "langc", "test", EXAMPLES / "assistant.policy")
    policy = langc.load_policy(EXAMPLES / "assistant.policy")
    lines = (EXAMPLES / "cliches.txt").read_text("utf-8").splitlines()
    phrases = [line for line in lines if not line.startswith("#")]

    assert (done.returncode, done.stdout) == (0, "assistant: 6 tests, all pass\n")
    assert len(phrases) >= 3
    assert [policy.accepts(f"- {phrase.upper()}.") for phrase in phrases] == [False] * len(phrases)
    assert [policy.accepts(f"`{phrase}`") for phrase in phrases] == [True] * len(phrases)


@pytest.mark.engines
def test_transformers_qwen2() -> None:
    """The same seeds write Han and broken characters without the policy, and neither with it."""
    done = _python("transformers_qwen2.py")
    rows = re.findall(r"^(with\w*) policy +(\d+) +(\d+) +(\d+) +([\d.]+)$", done.stdout, re.MULTILINE)
    counts = {name: tuple(map(int, numbers[:3])) for name, *numbers in rows}

    assert done.returncode == 0, done.stderr
    assert set(counts) == {"without", "with"}
    assert counts["without"][0] >= 5
    assert counts["without"][2] >= 50
    assert (counts["with"][0], counts["with"][2]) == (0, 0)
    assert counts["with"][1] >= 5, "a trial without Hangul shows nothing"


def _tight(tokens: dict[int, bytes]) -> set[int]:
    """The tokens that hold the encoding of a Han or Kana character or end in its beginning, byte by byte."""
    denied = {chr(c).encode() for c in range(0x110000) if script(chr(c)) in ("Hani", "Hira", "Kana")}
    beginnings = {whole[:n] for whole in denied for n in range(1, len(whole))}

    assert len(denied) == 104_061
    return {
        i
        for i, data in tokens.items()
        if any(data[at : at + n] in denied for at in range(len(data)) for n in (2, 3, 4))
        or any(data[-n:] in beginnings for n in (1, 2, 3))
    }


@pytest.mark.engines
def test_llama_cpp_bias_writes_the_request_body() -> None:
    """One line of JSON that bans each token from which a denied character could be put together."""
    model = assets.smollm2_gguf()
    done = _python("llama_cpp_bias.py", model)
    found = json.loads(done.stdout)
    vocabulary = langc.load_vocabulary(model)
    expected = _tight({i: vocabulary.token_bytes(i) for i in range(vocabulary.size)})

    assert done.returncode == 0, done.stderr
    assert set(found) == {"prompt", "n_predict", "temperature", "logit_bias"}
    assert found["logit_bias"] == [[i, False] for i in sorted(expected)]


@pytest.mark.models
def test_llama_cpp_bias_runs() -> None:
    """The real server writes Han without the bias, and with it none."""
    done = _python("llama_cpp_bias.py", assets.smollm2_gguf(), "--run")
    rows = re.findall(r"^(with\w*) +the bias: +(\d+) denied characters", done.stdout, re.MULTILINE)
    counts = {name: int(number) for name, number in rows}

    assert done.returncode == 0, done.stderr
    assert counts["without"] >= 3
    assert counts["with"] == 0


@pytest.mark.models
def test_llama_cpp_sql(tmp_path: Path) -> None:
    """What the model asks for is there, and the rows come from the database."""
    database = sqlite3.connect(tmp_path / "shop.db")
    database.executescript(
        "CREATE TABLE customers (id INTEGER, name TEXT, city TEXT);"
        "INSERT INTO customers VALUES (1, 'Ann', 'Oslo'), (2, 'Bo', 'Rome'), (3, 'Cy', 'Oslo');"
    )
    # llama-cpp-python over a library that is built already: see `loaded`.
    start = "import runpy, sys; from tests.runtime.llama_cpp.loaded import load; load(); del sys.argv[0]"
    code = f"{start}; runpy.run_path(sys.argv[0], run_name='__main__')"
    arguments = (assets.smollm2_gguf(), tmp_path / "shop.db", "How many customers are there?")
    done = _run(sys.executable, "-c", code, EXAMPLES / "llama_cpp_sql.py", *arguments)

    assert done.returncode == 0, done.stderr
    statement, *rows = done.stdout.splitlines()
    assert rows == ["\t".join(map(str, row)) for row in database.execute(statement)]
    database.close()


@pytest.mark.parametrize(
    ("answers", "stale", "code"),
    [
        (["good.txt"], False, 0),
        (["good.txt", "bad.txt"], False, 1),
        (["good.txt"], True, 1),
        (["good.txt", "missing.txt"], True, 2),
    ],
)
def test_ci_gate(tmp_path: Path, answers: list[str], stale: bool, code: int) -> None:
    """The exit code is the worst of the three steps; the violation is shown with its place."""
    (tmp_path / "good.txt").write_text("뷁은 드문 글자\n", "utf-8")
    (tmp_path / "bad.txt").write_text("설정 파일을\n다시 確認\n", "utf-8")
    grammar = langc.compile("ko", "gbnf").content
    (tmp_path / "ko.gbnf").write_bytes(grammar[:-1] if stale else grammar)
    done = _run(EXAMPLES / "ci_gate.sh", "ko", "ko.gbnf", *answers, cwd=tmp_path)

    assert done.returncode == code
    assert ("bad.txt:2:4: Han" in done.stdout) == ("bad.txt" in answers)
    assert ("ko.gbnf is not what would be written" in done.stdout) == stale
