"""`use`: which policy a name or a path means, and what obeying it does."""

from __future__ import annotations

from pathlib import Path

import pytest

import langc
from langc.compiler.errors import LangcError, LimitError, PolicyError
from langc.compiler.ir.lower import lower
from langc.compiler.limits import MAX_POLICY_BYTES, MAX_USE_DEPTH, MAX_USED_POLICIES
from langc.compiler.policy import Policy
from langc.compiler.syntax.parse import parse

Texts = dict[str, str]


def write(folder: Path, files: Texts) -> None:
    """Put policy files into a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def codes(error: LangcError) -> list[str]:
    """The codes of an error's diagnostics."""
    return [d.code for d in error.diagnostics]


def verdicts(policy: Policy, texts: str) -> str:
    """The words of `texts` that the policy accepts."""
    return " ".join(word for word in texts.split() if policy.accepts(word))


# --- what a use means ---------------------------------------------------------------------------


def test_both_policies_are_obeyed() -> None:
    """A text passes if the policy's own rules and those of the used one permit it; `allow` reaches no further."""
    text = 'policy base { deny [xy]; allow "xx"; } policy p { use base; deny [ab]; allow [y], "aa"; }'
    p, base = (langc.parse_policy(text, name) for name in ("p", "base"))

    assert verdicts(p, "c a b x y aa xx yy cxxc aaxx") == "c aa xx cxxc aaxx"
    assert verdicts(base, "c a b x y aa xx yy cxxc aaxx") == "c a b aa xx cxxc aaxx"


def test_a_policy_may_have_nothing_but_uses() -> None:
    """Its language is that of what it uses."""
    p = langc.parse_policy("policy p { use ko; }")

    assert p.dfa == langc.load_policy("ko").dfa


def test_the_order_and_repetition_of_uses_do_not_matter() -> None:
    """Intersection knows neither."""
    one, other = (
        langc.parse_policy(f"policy a {{ deny [x]; }} policy b {{ use a; deny [y]; }} policy p {{ {uses} }}", "p")
        for uses in ("use a; use b;", "use b; use a; use a;")
    )

    assert one.dfa == other.dfa
    assert [u.name for u in other.lowered.used] == ["b", "a"]


def test_two_sets_of_characters_stay_one() -> None:
    """So that a static list of tokens can still carry them."""
    p = langc.parse_policy("policy a { deny [x]; } policy p { use a; deny [y]; }", "p")

    assert p.ir.language == langc.parse_policy("policy q { deny [xy]; }").ir.language


def test_a_region_exempts_from_the_own_rules_alone() -> None:
    """In an intersection a region exempts only the policy on which it was asked."""
    text = "policy base { deny [x]; } policy p { use base; deny [y]; }"
    p = langc.parse_policy(text, "p").with_(exempt=["think"])

    assert p.accepts("<think>y</think>a")
    assert not p.accepts("y")
    assert p.first_violation("<think>x</think>") == len("<think>")


def test_the_rule_to_blame_may_be_in_another_file(tmp_path: Path) -> None:
    """It comes with its own source; an own rule is blamed first."""
    write(
        tmp_path,
        {"base.policy": "policy base { deny [xyz]; }", "p.policy": 'policy p { use "base.policy"; deny [x]; }'},
    )
    p = langc.load_policy(tmp_path / "p.policy")

    blamed = {c: p.blame(ord(c)) for c in "axy"}

    assert blamed["a"] is None
    assert blamed["x"] is not None
    assert blamed["y"] is not None
    assert (blamed["x"].text, Path(blamed["x"].source.name).name) == ("deny [x]", "p.policy")
    assert (blamed["y"].text, Path(blamed["y"].source.name).name) == ("deny [xyz]", "base.policy")
    assert [v.rule for v in langc.check("ay", p).violations] == ["deny [xyz]"]


def test_an_allow_gives_back_in_its_own_policy_only() -> None:
    """A character that the used policy denies stays denied, and its rule is blamed."""
    p = langc.parse_policy("policy base { deny [x]; } policy p { use base; allow [x]; }", "p")

    rule = p.blame(ord("x"))

    assert rule is not None
    assert rule.text == "deny [x]"


def test_the_hash_takes_in_what_is_used(tmp_path: Path) -> None:
    """It changes with the rules of the used policy, and not with the name of its file."""
    base, changed = "policy base { deny [x]; }", "policy base { deny [y]; }"
    hashes = []
    for number, (name, text) in enumerate([("base", base), ("other", base), ("base", changed)]):
        folder = tmp_path / str(number)
        write(folder, {f"{name}.policy": text, "p.policy": f'policy p {{ use "{name}.policy"; deny [a]; }}'})
        hashes.append(langc.load_policy(folder / "p.policy").hash)

    assert hashes[0] == hashes[1]
    assert hashes[0] != hashes[2]
    assert hashes[0] != langc.parse_policy("policy p { deny [a]; }").hash


def test_examples_of_used_policies_are_their_own() -> None:
    """A narrower policy need not permit what the wider one shows."""
    p = langc.parse_policy('policy base { deny [x]; accept "a"; } policy p { use base; deny [a]; reject "a"; }', "p")

    assert [e.text for e in p.lowered.examples] == ["a"]
    assert not p.lowered.examples[0].accept


def test_nothing_is_lowered_without_what_it_uses() -> None:
    """A caller who forgets to link gets no larger language, but an error."""
    file = parse("policy p { use ko; }")

    with pytest.raises(ValueError, match="link"):
        lower(file.policies[0], file.source)


# --- finding ------------------------------------------------------------------------------------


def test_paths_are_relative_to_the_file_they_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not to the folder that the program runs in; each file of a chain has its own folder."""
    files = {
        "main/p.policy": 'policy p { use "../shared/base.policy:second"; }',
        "shared/base.policy": 'policy first { deny [q]; } policy second { use "more/deep.policy"; deny [x]; }',
        "shared/more/deep.policy": "policy deep { deny [y]; }",
    }
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path / "shared")

    p = langc.load_policy(Path("..") / "main" / "p.policy")

    assert verdicts(p, "a x y q") == "a q"


def test_a_name_means_a_policy_of_the_same_file_first() -> None:
    """A ready policy of that name is hidden."""
    p = langc.parse_policy("policy ko { deny [x]; } policy p { use ko; }", "p")

    assert verdicts(p, "漢 x") == "漢"


def test_a_colon_may_be_part_of_a_file_name(tmp_path: Path) -> None:
    """A file of the whole name goes first, as in load_policy."""
    write(tmp_path, {"a:b": "policy c { deny [x]; }", "a": "policy b { deny [y]; }", "p": 'policy p { use "a:b"; }'})

    assert verdicts(langc.load_policy(tmp_path / "p"), "x y") == "y"


def test_a_text_in_no_file_has_no_folder() -> None:
    """A path in it is an error, and the help says what works."""
    with pytest.raises(PolicyError) as caught:
        langc.parse_policy('policy p { use "base.policy"; }')

    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "LC0322"
    assert diagnostic.primary is not None
    assert diagnostic.primary.source.text[slice(diagnostic.primary.span.start, diagnostic.primary.span.end)] == (
        '"base.policy"'
    )
    assert "use ko;" in str(diagnostic.help)


def test_a_link_to_a_file_is_that_file(tmp_path: Path) -> None:
    """A policy that uses itself by way of a symbolic link is found out."""
    write(tmp_path, {"p.policy": 'policy p { use "q.policy"; deny [x]; }'})
    (tmp_path / "q.policy").symlink_to("p.policy")

    with pytest.raises(PolicyError) as caught:
        langc.load_policy(tmp_path / "p.policy")

    assert codes(caught.value) == ["LC0321"]


@pytest.mark.parametrize(
    ("content", "code"), [(b"\xff\xfe", "LC0004"), (b"", "LC0005"), (b"policy", "LC0101"), (b"\0", "LC0006")]
)
def test_faults_of_a_used_file_are_shown_with_the_use(tmp_path: Path, content: bytes, code: str) -> None:
    """The diagnostic is that of the file, and one of its labels is the `use` that led there."""
    (tmp_path / "bad.policy").write_bytes(content)
    write(tmp_path, {"p.policy": 'policy p { use "bad.policy"; }'})

    with pytest.raises(PolicyError) as caught:
        langc.load_policy(tmp_path / "p.policy")

    (diagnostic,) = caught.value.diagnostics
    labels = [label for label in (diagnostic.primary, *diagnostic.secondary) if label]
    places = {(Path(label.source.name).name, label.source.text[label.span.start : label.span.end]) for label in labels}
    assert diagnostic.code == code
    assert ("p.policy", '"bad.policy"') in places


@pytest.mark.parametrize("written", ["x" * 5_000, "a/" * 3_000, "\\u{0}", "..", "/", "\\u{1F468}\\u{200D}"])
def test_odd_paths_are_one_error(tmp_path: Path, written: str) -> None:
    """No path makes anything but a located error of a file that cannot be read."""
    write(tmp_path, {"p.policy": f'policy p {{ use "{written}"; }}'})

    with pytest.raises(PolicyError) as caught:
        langc.load_policy(tmp_path / "p.policy")

    assert codes(caught.value)[0] in ("LC0001", "LC0002", "LC0003")
    assert caught.value.diagnostics[0].primary is not None


# --- budgets ------------------------------------------------------------------------------------


def chain(length: int) -> str:
    """A text of policies that use one another in a row; the first one uses `length` others."""
    links = "".join(f"policy p{n} {{ use p{n + 1}; deny [a]; }}\n" for n in range(length))
    return links + f"policy p{length} {{ deny [a]; }}"


@pytest.mark.parametrize("length", [MAX_USE_DEPTH - 1, MAX_USE_DEPTH])
def test_a_chain_within_the_budget(length: int) -> None:
    """Up to the limit, policies may use one another in a row."""
    p = langc.parse_policy(chain(length), "p0")

    assert len(p.lowered.used) == length


def test_a_chain_beyond_the_budget() -> None:
    """One more is an error at the `use` that goes too far."""
    with pytest.raises(LimitError) as caught:
        langc.parse_policy(chain(MAX_USE_DEPTH + 1), "p0")

    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.primary is not None
    assert diagnostic.primary.source.text[diagnostic.primary.span.start :].startswith(f"p{MAX_USE_DEPTH + 1};")


def wide(count: int) -> str:
    """A text whose policy `p` uses `count` others."""
    others = "".join(f"policy q{n} {{ deny [a]; }}\n" for n in range(count))
    return others + f"policy p {{ {' '.join(f'use q{n};' for n in range(count))} }}"


def test_the_number_of_used_policies() -> None:
    """The limit itself is fine, one more is an error."""
    assert len(langc.parse_policy(wide(MAX_USED_POLICIES), "p").lowered.used) == MAX_USED_POLICIES
    with pytest.raises(LimitError, match="used policies"):
        langc.parse_policy(wide(MAX_USED_POLICIES + 1), "p")


def test_a_web_of_uses_is_walked_once() -> None:
    """Four layers of eight policies, each using all of the next layer: thirty-two policies, not thousands of walks."""
    layers = [
        f"policy p{layer}-{n} {{ deny [a]; {' '.join(f'use p{layer + 1}-{m};' for m in range(8) if layer < 3)} }}"
        for layer in range(4)
        for n in range(8)
    ]
    text = "\n".join(layers) + f"\npolicy p {{ {' '.join(f'use p0-{n};' for n in range(8))} }}"

    assert len(langc.parse_policy(text, "p").lowered.used) == 32


def test_the_bytes_of_used_files(tmp_path: Path) -> None:
    """Together they have at most as many as one file may have."""
    half = "policy q { deny [a]; }\n#" + "x" * (MAX_POLICY_BYTES // 2)
    write(tmp_path, {"a": half, "b": half, "p": 'policy p { use "a"; use "b"; }'})

    with pytest.raises(LimitError, match="bytes in used files"):
        langc.load_policy(tmp_path / "p")


# --- ready policies -----------------------------------------------------------------------------


def test_the_ready_policies_are_listed() -> None:
    """Each with its name, its description and its file; its name loads it."""
    found = {p.name: p for p in langc.policies()}

    assert {"ko", "ko-strict", "en", "ru"} <= set(found)
    assert sorted(found) == list(found)
    assert found["ko"].doc == langc.load_policy("ko").doc == "Korean answers without stray Han or Kana"
    assert found["ko"].path.read_text(encoding="utf-8").startswith("# Korean answers")


def test_a_file_without_phrases_is_warned_of_where_it_is_named(tmp_path: Path) -> None:
    """In the policy that names it, and in one of the same file that uses it; one with a phrase is not warned of."""
    (tmp_path / "none.txt").write_text("# nothing\n\n")
    (tmp_path / "one.txt").write_text("# something\ndelve\n")
    (tmp_path / "other.policy").write_text('policy o { deny phrases from "none.txt"; }')
    text = """
    policy a { deny phrases from "none.txt"; }
    policy b { deny phrases from "one.txt"; use "other.policy"; }
    policy c { use a; deny script Han; }
    """
    (tmp_path / "p.policy").write_text(text)
    found = {n: langc.load_policy(f"{tmp_path / 'p.policy'}:{n}").lowered.warnings for n in "abc"}

    assert {n: [d.code for d in w] for n, w in found.items()} == {"a": ["LC0337"], "b": [], "c": ["LC0337"]}
