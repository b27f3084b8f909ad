"""`use NAME with { items }`: what it changes, where the changes are found and told, and that nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest

import langc
from langc.compiler.errors import LangcError, LimitError, PolicyError
from langc.compiler.ir.dump import dump
from langc.compiler.limits import MAX_SET_DEPTH
from langc.compiler.policy import Policy
from langc.compiler.syntax.parse import parse

BASE = r"""
policy base {
    use deep;
    let cjk = [\p{Han}];
    deny cjk;
    region code = fence | inline_code { any }
    region note = between "<" ">" { only [a-z] }
    unclosed note: forbid;
    accept "a";
}
policy deep { deny [q]; }
"""


def changed(items: str, base: str = BASE) -> Policy:
    """A policy that uses `base` with these items."""
    return langc.parse_policy(f"{base} policy p {{ use base with {{ {items} }} }}", "p")


def verdicts(policy: Policy, texts: str) -> str:
    """The words of `texts` that the policy accepts."""
    return " ".join(word for word in texts.split() if policy.accepts(word))


def codes(error: LangcError) -> list[str]:
    """The codes of an error's diagnostics."""
    return [d.code for d in error.diagnostics]


@pytest.mark.parametrize(
    ("items", "accepted"),
    [
        ("", "a <a> `漢` あ"),
        ('allow "漢";', "漢 a <a> `漢` あ [漢]"),
        ("let cjk = [あ];", "漢 a <a> `漢` [漢]"),
        (r"let kana = \p{Hiragana}; let cjk = [漢] | kana;", "a <a> `漢`"),
        ('region note = between "<" ">" { any }', "a <a> <漢> `漢` あ"),
        ("unclosed note: allow;", "a <a> <a `漢` あ"),
        ('region code = between "[" "]" { any }', "a <a> あ [漢]"),
        ('deny phrase "a";', "<a> `漢` あ"),
        ('allow "q";', "a <a> `漢` あ"),
    ],
)
def test_what_it_changes(items: str, accepted: str) -> None:
    """Sets, regions and `unclosed` are replaced by name, all else is added; what the used policy uses stays."""
    assert verdicts(changed(items), "漢 a <a> <漢> <a `漢` あ q [漢]") == accepted


def test_nothing_in_the_braces_is_no_change() -> None:
    """Then it is the policy itself, once."""
    p = langc.parse_policy(f"{BASE} policy p {{ use base; use base with {{ }} }}", "p")

    assert [u.name for u in p.lowered.used] == ["base", "deep"]


def test_a_policy_changed_in_two_ways_is_two() -> None:
    """And one that is changed twice alike is one."""
    uses = "use base with { allow [漢]; } use base; use base with { allow [漢]; } use base with { allow [字]; }"
    p = langc.parse_policy(f"{BASE} policy p {{ {uses} }}", "p")

    assert [u.name for u in p.lowered.used] == ["base", "deep", "base", "base"]
    assert verdicts(p, "a 漢 字") == "a"


def test_an_outer_allow_cannot_do_that() -> None:
    """It gives back what its own policy takes."""
    p = langc.parse_policy(f"{BASE} policy p {{ use base; allow [漢]; }}", "p")

    assert not p.accepts("漢")


def test_the_tests_of_the_used_policy_are_not_run() -> None:
    """They are about the policy as it stands there."""
    assert changed("deny [a];").lowered.examples == ()


def test_the_meaning_is_in_the_dump_and_the_hash() -> None:
    """Two changes that mean the same have one hash, others have another one."""
    plain, same, other = (changed(items) for items in ("allow [漢];", "allow [\\u{6F22}];", "allow [字];"))

    assert "rule allow: 1 code points" in dump(plain.lowered)
    assert plain.hash == same.hash
    assert len({plain.hash, other.hash, changed("").hash}) == 3


# --- files ------------------------------------------------------------------------------------------------------


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Two folders, each with its own `words.txt`, and a policy in each; the first uses the second."""
    for folder, words in (("one", "alpha\n"), ("two", "beta\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "words.txt").write_text(words, "utf-8")
    two = 'policy base { let s = [x]; deny phrases from "words.txt"; deny s; }'
    (tmp_path / "two" / "base.policy").write_text(two, "utf-8")
    return tmp_path


def use(folders: Path, items: str) -> Path:
    """The file of a policy that changes the one in the other folder."""
    path = folders / "one" / "p.policy"
    path.write_text(f'policy p {{\n    use "../two/base.policy" with {{\n        {items}\n    }}\n}}\n', "utf-8")
    return path


def test_files_are_found_beside_what_names_them(folders: Path) -> None:
    """Those of the change beside the using file, those of the used policy beside its own."""
    p = langc.load_policy(use(folders, 'deny phrases from "words.txt"; let s = characters("words.txt");'))

    assert verdicts(p, "alpha beta x al b") == "x b"


def test_rules_know_their_files(folders: Path) -> None:
    """A violation is laid to the rule in the file that holds it."""
    p = langc.load_policy(use(folders, "deny [y];"))
    blamed = {c: p.blame(ord(c)) for c in "xy"}

    assert {c: Path(rule.source.name).name for c, rule in blamed.items() if rule} == {
        "x": "base.policy",
        "y": "p.policy",
    }
    rule = blamed["y"]
    assert rule is not None
    assert rule.source.text[rule.span.start : rule.span.end] == "deny [y];"


@pytest.mark.parametrize(
    ("items", "code", "words"),
    [
        ("deny t;", "LC0301", "t"),
        ("let s = s | [a];", "LC0303", "s"),
        ("let n = [a]; let n = [b]; deny n;", "LC0302", "n"),
        ("region r = fense { any }", "LC0341", "fense"),
        ("unclosed cod: allow;", "LC0344", "cod"),
        ("region r = fence { deny t; }", "LC0301", "t"),
        (r"deny \p{Hn};", "LC0211", r"\p{Hn}"),
        ('deny phrase "";', "LC0332", '""'),
        ('deny phrases from "none.txt";', "LC0001", '"none.txt"'),
        ('deny phrase "a" { ignore cse; }', "LC0330", "ignore cse"),
        ("discourage [a] by 0;", "LC0334", "0"),
        ('region r = between "`" "`" { any } region s = fence { any }', "LC0308", "r"),
    ],
)
def test_faults_are_shown_where_they_stand(folders: Path, items: str, code: str, words: str) -> None:
    """The carets are below the words in the using file."""
    with pytest.raises(PolicyError) as caught:
        langc.load_policy(use(folders, items)).dfa  # noqa: B018 -- the passes run when it is first asked for

    (diagnostic,) = caught.value.diagnostics
    label = diagnostic.primary
    assert diagnostic.code == code
    assert label is not None
    assert Path(label.source.name).name == "p.policy"
    assert label.source.text[label.span.start : label.span.end] == words


def test_a_set_that_nothing_uses_is_told(folders: Path) -> None:
    """It may have been meant to replace one, so the nearest name is given."""
    (warning,) = langc.load_policy(use(folders, "let ss = [y];")).lowered.warnings

    assert (warning.code, warning.help) == ("LC0304", "did you mean `s`?")


def test_names_are_those_of_the_used_policy() -> None:
    """A set of the using policy is unknown in the braces, and the help says why."""
    with pytest.raises(PolicyError) as caught:
        langc.parse_policy(f"{BASE} policy p {{ let own = [a]; deny own; use base with {{ deny own; }} }}", "p")

    (found,) = caught.value.diagnostics
    assert (found.code, found.help) == (
        "LC0301",
        "in the braces the sets of the used policy count: put the `let` into them",
    )


def test_nothing_is_told_of_what_replaces(folders: Path) -> None:
    """The used policy has a use for it."""
    assert langc.load_policy(use(folders, "let s = [y];")).lowered.warnings == ()


def test_a_file_is_read_once(folders: Path) -> None:
    """Ten rules that name one large file stay within the budget for the bytes of files."""
    (folders / "one" / "words.txt").write_text("alpha\n" + "#" * (1 << 20), "utf-8")
    p = langc.load_policy(use(folders, " ".join(['deny phrases from "words.txt";'] * 10)))

    assert not p.accepts("alpha")


# --- circles and budgets ----------------------------------------------------------------------------------------


def test_a_change_does_not_hide_a_circle() -> None:
    """A policy that comes back to itself is refused, changed or not."""
    with pytest.raises(PolicyError) as caught:
        langc.parse_policy("policy a { use b with { deny [x]; } } policy b { use a with { deny [y]; } }", "a")

    assert codes(caught.value) == ["LC0321"]


@pytest.mark.parametrize("item", ["let a = {};", "deny {};", 'region r = after {} between "<" ">" {{ any }}'])
def test_sets_are_not_deeper_there(item: str) -> None:
    """What recurses over sets is safe in changes too."""
    deep = "!" * (MAX_SET_DEPTH + 1) + "[a]"
    with pytest.raises(LimitError, match="operators inside one another"):
        parse(f"policy p {{ use ko with {{ {item.format(deep)} }} }}")
