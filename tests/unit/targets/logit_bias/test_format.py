"""The file: three dialects, header, report, and options that make no sense."""

from __future__ import annotations

import json
from typing import Any

import pytest

import langc
from langc import targets
from langc.compiler.errors import LangcError, PolicyError, UnsupportedError
from langc.compiler.ir.language import cover
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import IntervalSet
from tests.unit.targets.logit_bias.toys import VOCABULARY, bias, no_han

IDS = (1, 2, 5, 6)


@pytest.mark.parametrize(
    ("dialect", "value"),
    [
        ("llama.cpp", [[1, False], [2, False], [5, False], [6, False]]),
        ("openai", {"1": -100, "2": -100, "5": -100, "6": -100}),
        ("vllm", {"1": -100.0, "2": -100.0, "5": -100.0, "6": -100.0}),
    ],
)
def test_dialects(dialect: str, value: object) -> None:
    """`data` is the bare value, and the file has the same one; numbers keep their type."""
    artifact = bias(no_han(), dialect=dialect)
    assert artifact.text is not None

    assert json.dumps(artifact.data) == json.dumps(value)
    assert json.dumps(json.loads(artifact.text)["logit_bias"]) == json.dumps(value)


@pytest.mark.parametrize(("dialect", "entry"), [("llama.cpp", [1, -4.0]), ("openai", ["1", -4]), ("vllm", ["1", -4.0])])
def test_soft_values(dialect: str, entry: list[Any]) -> None:
    """The strength of the policy is subtracted; OpenAI takes whole numbers."""
    data = bias(no_han().with_(bias=4), dialect=dialect).data
    first = next(iter(data.items() if isinstance(data, dict) else data))

    assert json.dumps(list(first)) == json.dumps(entry)


def test_the_header_is_in_the_file() -> None:
    """Everything that an artefact must carry, with its fidelity and its report."""
    artifact = bias(no_han())
    assert artifact.text is not None
    about = json.loads(artifact.text)["langc"]

    assert about == {**artifact.header, "report": json.loads(json.dumps(artifact.report))}
    assert about["policy"] == "toy"
    assert about["dialect"] == "llama.cpp"
    assert about["fidelity"] == "under,ill-formed"
    assert about["witness-under"] == '"\\u4b6d"'
    assert len(about["policy-sha256"]) == len(about["tokenizer-sha256"]) == 64


def test_the_file_is_printable_ascii_in_short_lines() -> None:
    """A diff of two versions shows entries, sixteen a line."""
    vocabulary = Vocabulary("many", (b"a", *("中".encode() + bytes([97 + i % 26]) for i in range(100))))
    text = bias(no_han(), vocabulary).text
    assert text is not None

    assert text.isascii()
    assert [line.count("[") for line in text.splitlines() if line.startswith("[")] == [16] * 6 + [4]


def test_the_same_input_gives_the_same_bytes() -> None:
    """Twice the same policy and vocabulary, twice the same file."""
    assert bias(no_han()).content == bias(no_han()).content


def test_the_report_counts() -> None:
    """Figures that were worked out by hand for the toy vocabulary."""
    report = bias(no_han(), dialect="openai").report

    assert report["banned"] == {"loose": 2, "tight": 4}
    assert report["entries"] == {"needed": 4, "given": 4, "cap": 300}
    assert report["payload_bytes"] == len('{"1":-100,"2":-100,"5":-100,"6":-100}')
    assert report["denied"] == 1
    assert report["leaked"] == {
        "alone": 0,
        "anywhere": 0,
        "with_own_token": 0,
        "alone_without_bias": 1,
        "with_own_token_without_bias": 1,
        "covered": 1.0,
    }


def test_the_report_names_what_is_lost() -> None:
    """E4, B8 and AD spell 中 and three more, now lost. `b` and the space are in banned tokens only, never alone."""
    lost: Any = bias(no_han()).report["lost"]

    assert lost["alone"]["by_script"] == {"Han": 3}
    assert (lost["alone"]["assigned"], lost["alone"]["emoji"], lost["alone"]["other_scripts"]) == (3, 0, 0)
    assert lost["anywhere"]["assigned"] == 5


def test_keep_reports_before_and_after() -> None:
    """Keeping U+4E38 (E4 B8 B8) costs 中; then nothing is denied that could be written, and nothing lost."""
    report: Any = bias(no_han(), keep="[丸]").report

    assert report["keep"]["given_up_code_points"] == 1
    assert report["keep"]["lost_before"]["alone"]["assigned"] == 3
    assert report["lost"]["alone"]["assigned"] == 0
    assert report["banned"] == {"loose": 0, "tight": 0}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"budget": "0"}, "LC0521"),
        ({"budget": "-1"}, "LC0521"),
        ({"budget": "many"}, "LC0521"),
        ({"budget": "1" * 5000}, "LC0521"),
        ({"budget": "²"}, "LC0521"),
        ({"cap": "all"}, "LC0521"),
        ({"value": "0"}, "LC0521"),
        ({"value": "-4"}, "LC0521"),
        ({"value": "inf"}, "LC0521"),
        ({"value": "nan"}, "LC0521"),
        ({"value": "strong"}, "LC0521"),
        ({"keep": "emoji", "method": "loose"}, "LC0521"),
        ({"keep": "emoji", "fragments": "0.9"}, "LC0521"),
        ({"fragments": "0.9", "method": "loose"}, "LC0521"),
        ({"fragments": "0"}, "LC0521"),
        ({"fragments": "0.0"}, "LC0521"),
        ({"fragments": "1.000000000001"}, "LC0521"),
        ({"fragments": "90"}, "LC0521"),
        ({"fragments": "-0.5"}, "LC0521"),
        ({"fragments": "9e-1"}, "LC0521"),
        ({"fragments": "1/2"}, "LC0521"),
        ({"fragments": "٠.٥"}, "LC0521"),
        ({"fragments": "0." + "1" * 5000}, "LC0521"),
        ({"keep": "[a]; allow [b]"}, "LC0521"),
        ({"keep": "[a]; } policy other { deny [b]"}, "LC0521"),
        ({"method": "tighter"}, "LC0503"),
        ({"dialect": "openai", "value": "100.5"}, "LC0522"),
        ({"dialect": "openai", "value": "101"}, "LC0522"),
        ({"dialect": "openai", "value": "2.5"}, "LC0522"),
        ({"dialect": "vllm", "value": "101"}, "LC0522"),
        ({"keep": r"\p{Emojo}"}, "LC0211"),
        ({"keep": "[a"}, "LC0103"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, str], code: str) -> None:
    """One clear error each."""
    with pytest.raises(LangcError) as caught:
        bias(no_han(), **options)

    assert [d.code for d in caught.value.diagnostics] == [code]


@pytest.mark.parametrize("value", ["100", "0.5"])
def test_values_at_the_edge_of_the_range(value: str) -> None:
    """The range of vLLM is closed, and it takes fractions."""
    data = bias(no_han(), dialect="vllm", value=value).data

    assert set(data.values()) == {-float(value)}


@pytest.mark.parametrize(
    "keep", ["emoji", r"\p{Emoji}", "[ㄱ-ㅎ]", "U+3131..U+314E", "script Hangul, [😀]", "[] # none"]
)
def test_kept_sets(keep: str) -> None:
    """Any set of the policy language, several with commas, and the name `emoji`."""
    report: Any = bias(no_han(), keep=keep).report

    assert report["keep"]["set"] == keep


@pytest.mark.parametrize(("dialect", "cap"), [("openai", 300), ("vllm", 1024)])
def test_more_entries_than_the_server_takes(dialect: str, cap: int) -> None:
    """At the cap all is well; one more is refused, with the ways out."""
    banned = ["中".encode() + b"%d" % i for i in range(cap + 1)]
    fits, too_many = (Vocabulary("many", (b"a", *banned[:count])) for count in (cap, cap + 1))
    with pytest.raises(UnsupportedError) as caught:
        bias(no_han(), too_many, dialect=dialect)
    found = caught.value.diagnostics[0]

    assert len(bias(no_han(), fits, dialect=dialect).data) == cap
    assert found.code == "LC0520"
    assert found.data == {"entries": cap + 1, "cap": cap}
    assert "grammar" in str(found.help)
    assert len(bias(no_han(), too_many, dialect=dialect, budget=str(cap)).data) == cap
    assert len(bias(no_han(), too_many, dialect=dialect, cap="none").data) == cap + 1
    assert len(bias(no_han(), too_many, dialect=dialect, cap=str(cap + 1)).data) == cap + 1


def test_regions_are_refused() -> None:
    """What is permitted inside a code block only cannot be said."""
    with pytest.raises(UnsupportedError) as caught:
        bias(no_han().with_(exempt=["code"]))

    assert [d.code for d in caught.value.diagnostics] == ["LC0523"]


@pytest.mark.parametrize("rule", ['deny phrase "ab";', 'stop on phrase "ab";', 'allow "ab" { boundary left; }'])
def test_rules_that_follow_the_text_are_refused(rule: str) -> None:
    """What a phrase or a boundary asks for depends on the text before."""
    with pytest.raises(UnsupportedError) as caught:
        bias(langc.parse_policy(f"policy p {{ deny [a-z]; {rule} }}"))

    assert [d.code for d in caught.value.diagnostics] == ["LC0523"]


@pytest.mark.parametrize("rule", ["discourage [b] by 3;", 'discourage phrase "ab" by 3;'])
def test_costs_are_refused(rule: str) -> None:
    """A bias that left them out would be no image of the policy."""
    with pytest.raises(UnsupportedError) as caught:
        bias(langc.parse_policy(f"policy p {{ deny [x]; {rule} }}").with_(mode="soft"))
    [diagnostic] = caught.value.diagnostics

    assert (diagnostic.code, diagnostic.data["targets"]) == ("LC0505", ["processor"])


def test_a_bias_that_leaves_nothing_to_write_is_refused() -> None:
    """丁 is E4 B8 81. With nothing else permitted E4 is banned, and all that is left are bytes that open nothing."""
    pieces = Vocabulary("pieces", (b"\xe4", b"\xb8", b"\x81", b"a"))
    only = Policy(PolicyIR("toy", None, (), cover(IntervalSet.of("丁"))))
    with pytest.raises(UnsupportedError) as caught:
        bias(only, pieces)

    assert [d.code for d in caught.value.diagnostics] == ["LC0524"]
    assert bias(only, pieces, method="loose").data == [[3, False]]
    assert bias(only, pieces, value="5").data == [[0, -5.0], [3, -5.0]]
    assert bias(only.with_(bias=5), pieces).data == [[0, -5.0], [3, -5.0]]


def test_a_vocabulary_that_spells_nothing_permitted_is_refused() -> None:
    """That is no fault of the bias, and the error is that of every target."""
    only = Policy(PolicyIR("toy", None, (), cover(IntervalSet.of("丁"))))
    with pytest.raises(PolicyError) as caught:
        bias(only, Vocabulary("ascii", (b"a", b"\xb8")))

    assert [d.code for d in caught.value.diagnostics] == ["LC0402"]


def test_a_policy_that_permits_nothing_is_refused() -> None:
    """As by every other target."""
    everything = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    with pytest.raises(PolicyError) as caught:
        bias(no_han(denied=everything))

    assert [d.code for d in caught.value.diagnostics] == ["LC0401"]


def test_the_target_is_found_by_its_name() -> None:
    """As the file's name says."""
    assert targets.get("logit-bias").name == "logit-bias"
    assert targets.get("logit-bias").dialects == ("llama.cpp", "openai", "vllm")
    assert VOCABULARY.size == 11
