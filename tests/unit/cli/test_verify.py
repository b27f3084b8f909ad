"""`langc verify`: what it prints and how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import langc
from langc import targets
from langc.compiler.cli.verify import _complete_targets
from langc.compiler.verify import run
from tests.unit.cli.harness import Cli

GRAMMAR = "root ::= [a-c]*\n"
HEADER = "# langc: 0.1.0\n# target: gbnf\n"
KEYS = [
    *("target", "dialect", "file", "fidelity", "states", "masks", "verdict", "witness"),
    *("engines", "refusal", "notes"),
]


@pytest.fixture
def abc(cli: Cli) -> Cli:
    """`cli`, in a folder with a policy of three letters as well."""
    Path("abc.policy").write_text("policy abc { only [a-c]; }")
    return cli


def test_targets_that_agree(abc: Cli) -> None:
    """One row for each dialect, by the order of the command line; the last line says how many were compared."""
    done = abc("verify", "abc.policy", "--targets", "xgrammar,regex", "--targets", "gbnf", "--prefixes", "5")
    heading, *rows = done.out.splitlines()[:7]

    assert (done.code, done.err) == (0, "")
    assert heading.split() == ["target", "dialect", "fidelity", "states", "masks", "verdict", "engines"]
    assert [row.split()[:2] for row in rows] == [
        ["xgrammar", "-"],
        ["regex", "python"],
        ["regex", "rust"],
        ["regex", "pcre2"],
        ["regex", "ecmascript"],
        ["gbnf", "-"],
    ]
    assert all(" agrees " in row for row in rows)
    assert done.out.splitlines()[-1].startswith("abc on bytes: ")
    assert done.out.splitlines()[-1].endswith(" comparisons, no difference")


def test_one_dialect(abc: Cli) -> None:
    """`TARGET:DIALECT` names it."""
    found = json.loads(abc("verify", "abc.policy", "--targets", "regex:rust", "--json").out)

    assert [(t["target"], t["dialect"]) for t in found["targets"]] == [("regex", "rust")]


def test_a_file_that_permits_too_much(abc: Cli) -> None:
    """The shortest text that shows it, in words and in bytes, and who permits it; exit code 1."""
    Path("by-hand.gbnf").write_text("root ::= [a-c\\u00A0]*\n")
    done = abc("verify", "abc.policy", "by-hand.gbnf", "--target", "gbnf", "--prefixes", "1")

    assert (done.code, done.err) == (1, "")
    assert "differs" in done.out.splitlines()[1]
    assert (
        "by-hand.gbnf: the artefact permits this, the policy does not\n"
        "  text:   U+00A0 NO-BREAK SPACE\n"
        "  bytes:  c2 a0\n"
    ) in done.out


def test_a_file_that_permits_too_little(abc: Cli) -> None:
    """The other way round."""
    Path("by-hand.gbnf").write_text("root ::= [ab]*\n")
    done = abc("verify", "abc.policy", "by-hand.gbnf", "--target", "gbnf", "--prefixes", "1")

    assert done.code == 1
    assert (
        "by-hand.gbnf: the policy permits this, the artefact does not\n"
        "  text:   c (U+0063 LATIN SMALL LETTER C)\n"
        "  bytes:  63\n"
    ) in done.out


def test_json_of_a_difference(abc: Cli) -> None:
    """The same for programs: all keys, the verdict, and the witness."""
    Path("by-hand.gbnf").write_text("root ::= [a-d]*\n")
    done = abc("verify", "abc.policy", "by-hand.gbnf", "--target", "gbnf", "--json", "--prefixes", "1")
    found = json.loads(done.out)
    (target,) = found["targets"]

    assert (done.code, done.err) == (1, "")
    assert list(found) == [
        *("policy", "policy_sha256", "tokenizer", "comparisons", "unexplained", "ok", "targets", "warnings")
    ]
    assert (found["policy"], found["tokenizer"], found["ok"]) == ("abc", "bytes", False)
    assert found["policy_sha256"] == langc.load_policy("abc.policy").hash
    assert list(target) == KEYS
    assert (target["target"], target["dialect"], target["file"]) == ("gbnf", None, "by-hand.gbnf")
    assert target["fidelity"] == {"flags": ["exact"], "over": None, "under": None}
    assert (target["states"], target["verdict"], target["refusal"]) == (1, "differs", None)
    assert target["witness"] == {"text": "d", "bytes": "64", "passes": "artefact", "tokens": None}


def test_a_file_with_a_header(abc: Cli) -> None:
    """What langc wrote says itself what it is."""
    abc("compile", "abc.policy", "--target", "regex", "--dialect", "pcre2", "-o", "abc.txt")
    (target,) = json.loads(abc("verify", "abc.policy", "abc.txt", "--json").out)["targets"]

    assert (target["target"], target["dialect"], target["verdict"]) == ("regex", "pcre2", "agrees")
    assert target["notes"] == []


def test_a_file_of_an_older_policy(abc: Cli) -> None:
    """It is told even if nothing that matters has changed."""
    abc("compile", "abc.policy", "--target", "gbnf", "-o", "abc.gbnf")
    old = langc.load_policy("abc.policy").hash[:12]
    Path("abc.policy").write_text("policy abc { only [a-d]; deny [d]; }")
    done = abc("verify", "abc.policy", "abc.gbnf", "--prefixes", "1")

    assert done.code == 0
    assert f"  abc.gbnf: made from another policy, or another version of this one (policy-sha256 {old}…)\n" in done.out


@pytest.mark.parametrize(
    ("claim", "allow", "verdict", "code"),
    [
        ("over", "over,under", "as claimed", 0),
        ("over", "under", "differs", 1),
        ("over", "", "differs", 1),
        ("under", "over,under", "differs", 1),
    ],
)
def test_claims(abc: Cli, claim: str, allow: str, verdict: str, code: int) -> None:
    """A loss that the header admits is no difference, if `--allow` has it."""
    Path("abc.gbnf").write_text(f'{HEADER}# fidelity: {claim}\n# witness-{claim}: "d"\nroot ::= [a-d]*\n')
    done = abc("verify", "abc.policy", "abc.gbnf", "--allow", allow, "--json", "--prefixes", "1")
    (target,) = json.loads(done.out)["targets"]

    assert (done.code, target["verdict"]) == (code, verdict)


def test_claims_of_more_than_there_is(abc: Cli) -> None:
    """A header that admits too much is told of."""
    Path("abc.gbnf").write_text(f'{HEADER}# fidelity: over\n# witness-over: "d"\n{GRAMMAR}')
    done = abc("verify", "abc.policy", "abc.gbnf", "--prefixes", "1")

    assert done.code == 0
    assert "  abc.gbnf: it claims to be over, and is not\n" in done.out


@pytest.mark.parametrize(
    ("claim", "shown", "noted"),
    [("over", "d", None), ("over", "a", "permits"), ("under", "a", None), ("under", "d", "denies")],
)
def test_claims_that_show_nothing(abc: Cli, claim: str, shown: str, noted: str | None) -> None:
    """The text that a header shows has to be one of which the policy says the opposite."""
    letters = "a-d" if claim == "over" else "bc"
    Path("abc.gbnf").write_text(f'{HEADER}# fidelity: {claim}\n# witness-{claim}: "{shown}"\nroot ::= [{letters}]*\n')
    done = abc("verify", "abc.policy", "abc.gbnf", "--prefixes", "1", "--json")
    (target,) = json.loads(done.out)["targets"]
    note = f"its `witness-{claim}` shows nothing: the policy {noted} that text"

    assert (done.code, target["verdict"]) == (0, "as claimed")
    assert [n for n in target["notes"] if "witness" in n] == ([note] if noted else [])


def test_a_limit_says_where(abc: Cli) -> None:
    """Of several files it is known which one is too large."""
    Path("large.txt").write_text("(a|b)*a(a|b){18}")
    done = abc("verify", "abc.policy", "large.txt", "--target", "regex")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[LC0701]: too many states of the automaton")
    assert "  = note: this was while reading large.txt\n" in done.err


def test_targets_that_refuse_the_policy(abc: Cli) -> None:
    """A target that was not asked for by name may refuse: the row has the verdict, and the reason is below."""
    done = abc("verify", "abc.policy", "--mode", "soft", "--prefixes", "1")
    rows = {tuple(line.split()[:2]): line for line in done.out.splitlines()}

    assert done.code == 0
    assert " refused " in rows["gbnf", "-"]
    assert " refused " not in rows["processor", "-"]
    assert "  gbnf: LC0505: target gbnf cannot carry soft rules" in done.out


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("--targets gbnf --mode soft", "LC0505"),
        ("--targets gbnf,regex --mode soft", "LC0505"),
        ("--targets gbfn", "LC0504"),
        ("--targets regex:perl", "LC0503"),
        ("--targets gbnf:perl", "LC0503"),
        ("--targets ,", "LC0020"),
        ("--targets gbnf --allow all", "LC0503"),
        ("--target gbnf", "LC0020"),
        ("--dialect rust", "LC0020"),
        ("by-hand.gbnf", "LC0531"),
        ("by-hand.gbnf --target gbfn", "LC0504"),
        ("by-hand.gbnf --target regex --dialect perl", "LC0503"),
        ("missing.gbnf", "LC0001"),
        (".", "LC0002"),
    ],
)
def test_wrong_input(abc: Cli, line: str, code: str) -> None:
    """One error on stderr, nothing on stdout."""
    Path("by-hand.gbnf").write_text(GRAMMAR)
    done = abc("verify", "abc.policy", *line.split(), "--json")

    assert (done.code, done.out) == (2, "")
    assert [d["code"] for d in json.loads(done.err)["diagnostics"]] == [code]


def test_a_named_target_may_refuse_in_one_dialect(abc: Cli) -> None:
    """It is an error only if it refuses in every dialect: 400 Han tokens are too many for a request to OpenAI."""
    Path("han.policy").write_text("policy han { deny script Han; }")
    han = {str(256 + i): chr(0x4E00 + i) for i in range(400)}
    tokens = {"tokens": {str(b): [b] for b in range(256)} | han, "special": {"<end>": 700}, "eos": "<end>"}
    Path("han.json").write_text(json.dumps(tokens))
    line = ["verify", "han.policy", "--tokenizer", "han.json", "--prefixes", "1", "--json"]
    found = json.loads(abc(*line, "--targets", "logit-bias").out)
    alone = abc(*line, "--targets", "logit-bias:openai")

    assert {t["dialect"]: t["verdict"] for t in found["targets"]} == {
        "llama.cpp": "as claimed",
        "openai": "refused",
        "vllm": "as claimed",
    }
    assert found["targets"][1]["refusal"].startswith("LC0520: ")
    assert (alone.code, alone.out, json.loads(alone.err)["diagnostics"][0]["code"]) == (2, "", "LC0520")


def test_several_files_and_targets(abc: Cli) -> None:
    """Targets that are named beside files are compiled as well."""
    Path("a.gbnf").write_text(HEADER + GRAMMAR)
    Path("b.gbnf").write_text(HEADER + GRAMMAR)
    found = json.loads(abc("verify", "abc.policy", "a.gbnf", "b.gbnf", "--targets", "xgrammar", "--json").out)

    assert [(t["target"], t["file"]) for t in found["targets"]] == [
        ("xgrammar", None),
        ("gbnf", "a.gbnf"),
        ("gbnf", "b.gbnf"),
    ]


def test_an_artefact_for_a_tokenizer(abc: Cli) -> None:
    """Without the tokenizer, or with another one, it means nothing."""
    for name, count in (("one.json", 256), ("two.json", 255)):
        tokens = {str(b): [b] for b in range(count)}
        Path(name).write_text(json.dumps({"tokens": tokens, "special": {"<end>": 256}, "eos": "<end>"}))
    abc("compile", "abc.policy", "--target", "processor", "--tokenizer", "one.json", "-o", "abc.safetensors")
    line = ["verify", "abc.policy", "abc.safetensors", "--prefixes", "5", "--json"]
    codes = [abc(*line), abc(*line, "--tokenizer", "two.json"), abc(*line, "--tokenizer", "one.json")]

    assert [done.code for done in codes] == [2, 2, 0]
    assert [json.loads(done.err)["diagnostics"][0]["code"] for done in codes[:2]] == ["LC0502", "LC0506"]
    assert json.loads(codes[2].out)["targets"][0]["verdict"] == "agrees"


def test_a_witness_cannot_reach_the_terminal(abc: Cli) -> None:
    """What a file lets through is shown in words, and file names without their controls."""
    Path("x\x1b[31m.gbnf").write_text("root ::= [a-c\\x1B\\u202E]*\n")
    done = abc("verify", "abc.policy", "x\x1b[31m.gbnf", "--target", "gbnf", "--prefixes", "1")

    assert done.code == 1
    assert "x<U+001B>[31m.gbnf" in done.out
    assert "U+001B <control-001B>" in done.out
    assert not {"\x1b", "\u202e"} & set(done.out)


def test_interrupted(abc: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is exit code 130, without a traceback and without half a table."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "measure", interrupt)
    done = abc("verify", "abc.policy", "--targets", "gbnf")

    assert (done.code, done.out, done.err.strip()) == (130, "", "")


def test_completion_of_targets() -> None:
    """Names; dialects once there is a colon; and after a comma again."""
    import click

    def complete(text: str) -> list[str]:
        context, parameter = click.Context(click.Command("verify")), click.Option(["--targets"])
        return [item.value for item in _complete_targets(context, parameter, text)]

    assert complete("") == list(targets.names())
    assert complete("gb") == ["gbnf"]
    assert complete("gbnf,re") == ["gbnf,regex"]
    assert complete("gbnf,regex:p") == ["gbnf,regex:python", "gbnf,regex:pcre2"]


def test_one_target_or_artefact_in_python(abc: Cli) -> None:
    """A name or a file stands for itself, and is no list of letters."""
    made = langc.compile("abc.policy", "regex", dialect="pcre2")
    Path("abc.txt").write_text(made.text or "", encoding="utf-8")

    assert [t.dialect for t in langc.verify("abc.policy", targets="regex:pcre2").targets] == ["pcre2"]
    assert [t.source for t in langc.verify("abc.policy", artefacts="abc.txt").targets] == ["abc.txt"]
    assert [t.dialect for t in langc.verify("abc.policy", artefacts=made).targets] == ["pcre2"]


@pytest.mark.parametrize("prefixes", [0, -1])
def test_too_few_prefixes_in_python(abc: Cli, prefixes: int) -> None:
    """As on the command line, an engine that is asked nothing is no proof."""
    with pytest.raises(ValueError, match="1 at least"):
        langc.verify("abc.policy", targets="regex:pcre2", prefixes=prefixes)
