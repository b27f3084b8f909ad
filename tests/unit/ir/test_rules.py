"""Rules with phrases, options, costs and files: what a policy's lines are lowered to."""

from __future__ import annotations

from pathlib import Path

import pytest

import langc
from langc.compiler.errors import LangcError, LimitError, PolicyError
from langc.compiler.ir.dump import dump
from langc.compiler.ir.kinds import Between, Fence, InlineCode, JsonValue, Quotes, Url
from langc.compiler.ir.language import ANY_TEXT, PhraseFree, bounded_cover, intersection, phrase_free
from langc.compiler.ir.nodes import PolicyIR, RuleKind
from langc.compiler.ir.phrases import Phrase, Side
from langc.compiler.unicode.folding import Folding
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

CASE = Folding(case=True)


def lowered(body: str) -> PolicyIR:
    """The IR of a policy with this body."""
    return langc.parse_policy(f"policy p {{ {body} }}").lowered


def folder(path: Path, files: dict[str, str]) -> Path:
    """A folder with these files."""
    for name, text in files.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_bytes(text.encode())
    return path


def test_denied_phrases() -> None:
    """They take no character away; the language is the scope's, without them."""
    ir = lowered('deny phrase "x", "yz" { ignore case; boundary left; }')
    (rule,) = ir.rules
    phrases = (Phrase("x", CASE, left=Side.WORD), Phrase("yz", CASE, left=Side.WORD))

    assert (rule.kind, rule.members, rule.phrases) == (RuleKind.DENY, IntervalSet(), phrases)
    assert ir.language == intersection(bounded_cover(SCALARS, ()), phrase_free(phrases))
    assert rule.text == 'deny phrase "x", "yz" { ignore case; boundary left; }'


def test_phrases_of_all_rules_are_one_language() -> None:
    """They are sorted, and each is there once."""
    ir = lowered('deny phrase "b", "a"; deny phrase "a";')

    assert PhraseFree((Phrase("a"), Phrase("b"))) in getattr(ir.language, "parts", ())


def test_soft_rules_and_stops_leave_the_language_alone() -> None:
    """What they mean comes with the passes and the automata."""
    ir = lowered('discourage [a], script Han by 2.5; discourage phrase "x" by 3; stop on phrase "y" { early; }')
    kinds = [(rule.kind, rule.cost, [p.text for p in rule.phrases], bool(rule.members)) for rule in ir.rules]

    assert kinds == [
        (RuleKind.DISCOURAGE, 2.5, [], True),
        (RuleKind.DISCOURAGE, 3.0, ["x"], False),
        (RuleKind.STOP, None, ["y"], False),
    ]
    assert ir.language == bounded_cover(SCALARS, ())


def test_terms_with_options() -> None:
    """They are phrases of their rule; without options, and with those that ask for nothing, they are plain terms."""
    asking = lowered('deny [a-z]; allow "gpu", "x" { ignore case; }').rules[1]
    plain = lowered('deny [a-z]; allow "gpu", "x" { boundary none; }').rules[1]

    assert (asking.members, asking.terms) == (IntervalSet(), ())
    assert asking.phrases == (Phrase("gpu", CASE), Phrase("x", CASE))
    assert (plain.members, plain.terms, plain.phrases) == (IntervalSet.of("x"), ("gpu",), ())
    assert plain == lowered('deny [a-z]; allow "gpu", "x";').rules[1]


@pytest.mark.parametrize("cost", ["0", "0.0", "1" + "0" * 39, f"0.{'0' * 38}1"])
def test_costs_that_no_logit_has(cost: str) -> None:
    """Nothing, and what a float32 cannot hold."""
    with pytest.raises(PolicyError, match="LC0334"):
        lowered(f"discourage [a] by {cost};")


@pytest.mark.parametrize("cost", [f"0.{'0' * 37}2", "0.5", "5", "3" + "0" * 38])
def test_costs_that_fit(cost: str) -> None:
    """From the least float32 that is one in full to the largest."""
    assert lowered(f"discourage [a] by {cost};").rules[0].cost == float(cost)


@pytest.mark.parametrize(("length", "fits"), [(1_000, True), (1_001, False)])
@pytest.mark.parametrize(
    "rule", ['deny phrase "{}";', 'stop on phrase "{}";', 'deny [a]; allow "{}" {{ ignore case; }}']
)
def test_a_budget_holds_the_length_of_a_phrase(rule: str, length: int, fits: bool) -> None:
    """At the limit it is taken; one more is an error at the phrase."""
    body = rule.format("x" * length)
    if fits:
        assert lowered(body).rules
        return
    with pytest.raises(LimitError) as caught:
        lowered(body)

    assert caught.value.diagnostics[0].primary is not None


# --- regions ----------------------------------------------------------------------------------------------------------


def test_regions() -> None:
    """Their kinds, their rules, the language of these, and what `unclosed` says."""
    ir = lowered(
        """
        deny [a];
        region code = fence | inline_code { any }
        region note = between "<" ">" { deny [b]; only [b-d] up to 12; only [c] up to 3; }
        region head = start between "---" "---" { deny phrase "x"; }
        region gloss = after [가-나] between "(" ")" { }
        unclosed note: allow;
        unclosed head: forbid;
        """
    )
    code, note, head, gloss = ir.regions

    assert code.kinds == (Fence(), InlineCode())
    assert note.kinds == (Between("<", ">", most=3),)  # the least bound of several
    assert head.kinds == (Between("---", "---", at_start=True),)
    assert gloss.kinds == (Between("(", ")", IntervalSet.of((0xAC00, 0xB098))),)
    assert [r.unclosed for r in ir.regions] == [None, True, False, None]
    assert code.language == gloss.language == ANY_TEXT
    assert note.language == bounded_cover(IntervalSet.of("c"), ())
    assert [rule.kind for rule in note.rules] == [RuleKind.DENY, RuleKind.ONLY, RuleKind.ONLY]
    assert ir.language == bounded_cover(IntervalSet.of("a").complement(), ())


def test_kinds_without_delimiters() -> None:
    """What they are called, and how the dump shows them."""
    ir = lowered('region r = url | quotes | json "a\\"\\n" | fence { any } deny [a];')
    (region,) = ir.regions

    assert region.kinds == (Url(), Quotes(), JsonValue('a"\n'), Fence())
    assert region.kinds[2].key == '"a\\"\\n"'
    assert [line.strip() for line in dump(ir).splitlines()[4:8]] == ["url", "quotes", 'json "a\\"\\n"', "fence"]


def test_denials_are_those_of_all_scopes() -> None:
    """The policy's own phrases, and those of its regions."""
    ir = lowered('deny phrase "x"; deny [a]; region code = fence { deny phrase "y"; deny [b] }')

    assert [p.text for rule in ir.denials for p in rule.phrases] == ["x", "y"]


# --- files ------------------------------------------------------------------------------------------------------------

PHRASES = "# a comment\nas an AI\n\n  two blanks\r\n#another\r\nlast # no comment"


def test_phrases_from_a_file(tmp_path: Path) -> None:
    """A line each, with its blanks; empty lines and those that begin with # are left out."""
    files = {"p.policy": 'policy p { deny phrases from "lists/f.txt" { ignore case; } }', "lists/f.txt": PHRASES}
    (rule,) = langc.load_policy(folder(tmp_path, files) / "p.policy").lowered.rules

    assert rule.phrases == tuple(Phrase(t, CASE) for t in ("as an AI", "  two blanks", "last # no comment"))
    assert rule.text == 'deny phrases from "lists/f.txt" { ignore case; }'


def test_terms_from_a_file(tmp_path: Path) -> None:
    """As those of an `allow`: one character is a member, more are a term."""
    files = {"p.policy": 'policy p { deny script Han; allow terms from "f.txt"; }', "f.txt": "漢江\n大\n"}
    rule = langc.load_policy(folder(tmp_path, files) / "p.policy").lowered.rules[1]

    assert (rule.members, rule.terms) == (IntervalSet.of("大"), ("漢江",))


def test_characters_from_a_file(tmp_path: Path) -> None:
    """All of the lines that are no comments, line ends left out."""
    files = {"p.policy": 'policy p { only characters("f.txt") | [z]; }', "f.txt": "# xyz\nab\r\nc d\n"}
    (rule,) = langc.load_policy(folder(tmp_path, files) / "p.policy").lowered.rules

    assert rule.members == IntervalSet.of("abcdz ")


def test_a_file_is_named_from_the_policy_that_names_it(tmp_path: Path) -> None:
    """A used policy in another folder has its files beside itself."""
    files = {
        "p.policy": 'policy p { use "sub/q.policy"; deny [a]; }',
        "sub/q.policy": 'policy q { deny phrases from "f.txt"; }',
        "sub/f.txt": "here",
        "f.txt": "not here",
    }
    policy = langc.load_policy(folder(tmp_path, files) / "p.policy")

    assert [p.text for p in policy.lowered.used[0].rules[0].phrases] == ["here"]


def test_an_empty_file_denies_nothing(tmp_path: Path) -> None:
    """A list that has no phrases yet is no mistake."""
    files = {"p.policy": 'policy p { deny [a]; deny phrases from "f.txt"; }', "f.txt": "# nothing yet\n"}
    policy = langc.load_policy(folder(tmp_path, files) / "p.policy")

    assert policy.lowered.rules[1].phrases == ()
    assert [policy.accepts(t) for t in ("b", "a")] == [True, False]


@pytest.mark.parametrize(("content", "code"), [(b"\xff\xfe", "LC0004"), (b"\xc2\xad", "LC0332"), (None, "LC0001")])
def test_faulty_files(content: bytes | None, code: str, tmp_path: Path) -> None:
    """They are told as faults of the file, or of the place that names it."""
    (tmp_path / "p.policy").write_text('policy p { deny phrases from "f.txt" { ignore invisible; } }', "utf-8")
    if content is not None:
        (tmp_path / "f.txt").write_bytes(content)

    with pytest.raises(LangcError, match=code):
        langc.load_policy(tmp_path / "p.policy")


@pytest.mark.parametrize(
    "rule",
    [
        'deny phrases from "f.txt";',
        'allow terms from "f.txt";',
        'deny characters("f.txt");',
        'let a = characters("f");',
    ],
)
def test_a_text_in_no_file_names_none(rule: str) -> None:
    """There is no folder to look in."""
    with pytest.raises(PolicyError, match="LC0322"):
        langc.parse_policy(f"policy p {{ deny [a]; {rule} }}")


def test_the_bytes_of_all_files_are_bounded(tmp_path: Path) -> None:
    """Together they are at most as many as one policy may have."""
    files = {f"{n}.txt": "x" * 800 + "\n" for n in range(2)}
    rules = " ".join(f'deny phrases from "{n}.txt";' for n in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("langc.compiler.link.MAX_POLICY_BYTES", 1_700)
        assert langc.load_policy(folder(tmp_path, files | {"p": f"policy p {{ {rules} }}"}) / "p").name == "p"
        patch.setattr("langc.compiler.link.MAX_POLICY_BYTES", 1_500)
        with pytest.raises(LimitError, match="bytes in used files"):
            langc.load_policy(tmp_path / "p")


# --- sets by decomposition --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("symbol", "is_member"),
    [("Ａ", True), ("①", True), ("ﬁ", True), ("é", True), ("𝐀", True), ("A", False), ("1", False), ("가", False)],
)
def test_compat(symbol: str, is_member: bool) -> None:
    """What decomposes to another text with a member in it; the members themselves are none of it."""
    (rule,) = lowered("deny compat([A-Za-z0-9]);").rules

    assert (ord(symbol) in rule.members) == is_member


# --- the hash ---------------------------------------------------------------------------------------------------------


def test_whatever_is_said_is_in_the_hash() -> None:
    """Two policies that differ in one word have two hashes."""
    rules = [
        'deny phrase "x";',
        'deny phrase "y";',
        'deny phrase "x" { ignore case; }',
        'deny phrase "x" { early; }',
        'discourage phrase "x" by 1;',
        'discourage phrase "x" by 2;',
        'stop on phrase "x";',
        'deny [a]; region r = between "x" "y" { any }',
        'deny [a]; region r = between "x" "y" { any } unclosed r: allow;',
        'deny [a]; region r = between "x" "z" { any }',
        'deny [a]; region r = start between "x" "y" { any }',
        'deny [a]; region r = after [a] between "x" "y" { any }',
        'deny [a]; region r = after [b] between "x" "y" { any }',
        'deny [a]; region r = between "x" "y" { only [c]; }',
        'deny [a]; region r = between "x" "y" { only [c] up to 3; }',
        "deny [a]; region r = fence { any }",
        "deny [a]; region r = inline_code { any }",
    ]
    own = {langc.parse_policy(f"policy p {{ {rule} }}").hash for rule in rules}
    used = {langc.parse_policy(f"policy p {{ use q; }} policy q {{ {rule} }}", "p").hash for rule in rules}

    assert len(own) == len(used) == len(rules)
