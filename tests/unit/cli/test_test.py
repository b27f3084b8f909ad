"""`langc test`: the lines that live with a policy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from langc.compiler import ready
from tests.unit.cli.harness import Cli


def test_lines_that_hold(cli: Cli) -> None:
    """Exit code 0 and a count."""
    done = cli("test", "ko.policy")

    assert (done.code, done.out, done.err) == (0, "ko: 2 tests, all pass\n", "")


def test_lines_that_fail(cli: Cli) -> None:
    """Each failing line is a diagnostic at its place, with the character and the rule to blame."""
    Path("bad.policy").write_text(
        'policy bad {\n    deny script Han;\n    accept "확認";\n    reject "확인";\n'
        '    reject "확認" at 0;\n    accept "확";\n}\n',
        encoding="utf-8",
    )
    done = cli("test", "bad.policy")

    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "bad.policy:3:5: error[LC0801]: this text is refused at offset 1\n"
        "  |\n"
        "2 |     deny script Han;\n"
        "  |     ---------------- refused here\n"
        '3 |     accept "확認";\n'
        "  |     ^^^^^^^^^^^^^^ offset 1: 認 (U+8A8D CJK UNIFIED IDEOGRAPH-8A8D)\n"
        "\n"
        "bad.policy:4:5: error[LC0802]: this text is permitted\n"
        "  |\n"
        '4 |     reject "확인";\n'
        "  |     ^^^^^^^^^^^^^^\n"
        "\n"
        "bad.policy:5:5: error[LC0803]: this text is refused at offset 1, not 0\n"
        "  |\n"
        "2 |     deny script Han;\n"
        "  |     ---------------- refused here\n"
        "...\n"
        '5 |     reject "확認" at 0;\n'
        "  |     ^^^^^^^^^^^^^^^^^^^ offset 1: 認 (U+8A8D CJK UNIFIED IDEOGRAPH-8A8D)\n"
        "\n"
        "bad: 3 of 4 tests fail\n"
    )


def test_a_term_that_is_broken_off(cli: Cli) -> None:
    """The diagnostic says that a permitted term was begun."""
    Path("bad.policy").write_text('policy bad { deny script Han; allow "大韓"; accept "大"; }', encoding="utf-8")
    done = cli("test", "bad.policy")

    assert done.code == 1
    assert "offset 1: 大 (U+5927 CJK UNIFIED IDEOGRAPH-5927) in a permitted term that is broken off" in done.out


def test_a_policy_without_tests(cli: Cli) -> None:
    """Nothing failed, but nothing was tested either, and that is said."""
    Path("bare.policy").write_text("policy bare { deny script Han; }")
    done = cli("test", "bare.policy")

    assert (done.code, done.out) == (0, "bare: 0 tests, all pass\n")
    assert "bare.policy:1:8: warning[LC0804]: policy bare has no tests" in done.err


def test_every_policy_of_a_file(cli: Cli) -> None:
    """All are tested unless one is named."""
    Path("two.policy").write_text('policy a { deny [x]; accept "x"; } policy b { deny [y]; accept "x"; }')

    assert cli("test", "two.policy").out.splitlines()[-2:] == ["a: 1 of 1 tests fail", "b: 1 tests, all pass"]
    assert (cli("test", "two.policy").code, cli("test", "two.policy:b").code) == (1, 0)


def test_json(cli: Cli) -> None:
    """The failures as diagnostics, by policy."""
    Path("two.policy").write_text('policy a { deny [x]; accept "x"; } policy b { deny [y]; }')
    done = cli("test", "two.policy", "--json")
    found = json.loads(done.out)

    assert (done.code, done.err, found["ok"]) == (1, "", False)
    assert [(p["policy"], p["tests"], [f["code"] for f in p["failures"]]) for p in found["policies"]] == [
        ("a", 1, ["LC0801"]),
        ("b", 0, []),
    ]
    assert found["policies"][0]["failures"][0]["data"] == {"at": 0}
    assert [w["code"] for w in found["warnings"]] == ["LC0804"]


@pytest.mark.parametrize("name", ready.names())
def test_ready_policies(cli: Cli, name: str) -> None:
    """Every policy that comes with langc has tests, and they pass without a warning."""
    done = cli("test", name)

    assert (done.code, done.err) == (0, "")
    assert " 0 tests" not in done.out


def test_there_are_ready_policies() -> None:
    """The test above runs for something."""
    assert set(ready.names()) >= {"ko", "ko-strict", "en", "ru"}


def test_surfaces_are_checked(cli: Cli) -> None:
    """A file of surfaces is read, and one beside policies too; what is wrong with it is an error."""
    Path("one.policy").write_text('surface a { t := "x"; }', encoding="utf-8")
    Path("both.policy").write_text(
        'policy p { deny [a]; reject "a" at 0; }\nsurface a { t := "x"; u := "y"; }', encoding="utf-8"
    )
    Path("bad.policy").write_text('policy p { deny [a]; reject "a" at 0; }\nsurface a { t := u; }', encoding="utf-8")
    one, both, bad = cli("test", "one.policy"), cli("test", "both.policy"), cli("test", "bad.policy")

    assert (one.code, one.out, one.err) == (0, "a: a surface without errors\n", "")
    assert (both.code, both.out) == (0, "p: 1 tests, all pass\n")
    assert "both.policy:2:23: warning[LC0926]" in both.err
    assert bad.code == 2
    assert "bad.policy:2:18: error[LC0920]" in bad.err
    assert json.loads(cli("test", "one.policy", "--json").out)["surfaces"] == [{"surface": "a"}]


def test_surfaces_are_formatted(cli: Cli) -> None:
    """`langc fmt` knows them, and keeps their comments."""
    Path("one.policy").write_text("# why\nsurface a { t := ('x' | y)?; # end\n y := 'z'; }", encoding="utf-8")
    done = cli("fmt", "one.policy")

    assert done.code == 0
    assert Path("one.policy").read_text(encoding="utf-8") == (
        '# why\nsurface a {\n    t := ("x" | y)?;  # end\n    y := "z";\n}\n'
    )
    assert cli("fmt", "--check", "one.policy").code == 0
