"""`--use POLICY`: policies that are obeyed as well."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.cli.harness import Cli

BASE = 'policy base { deny [!]; }\npolicy other { deny [?]; accept "a"; }\n'
LINE = "policy ko { deny script Han; accept 'x!'; }".replace("'", '"')


def test_check_obeys_all(cli: Cli) -> None:
    """Each violation is laid to the rule of the policy that has it."""
    Path("base.policy").write_text(BASE, encoding="utf-8")
    uses = ("--use", "base.policy:base", "--use", "base.policy:other")
    done = cli("check", "-", "--policy", "ko.policy", *uses, "--json", stdin="漢 ! ?".encode())

    (file,) = json.loads(done.out)["files"]
    assert done.code == 1
    assert [v["rule"] for v in file["violations"]] == ["deny script Han", "deny [!]", "deny [?]"]


def test_what_is_said_holds_for_the_joined_policy(cli: Cli) -> None:
    """Soft mode is that of all; a region is exempt from the first policy's rules alone."""
    Path("base.policy").write_text(BASE, encoding="utf-8")
    uses = ("--policy", "ko.policy", "--use", "base.policy:base", "--exempt", "think")
    done = cli("check", "-", *uses, "--json", stdin="<think>漢!</think>".encode())
    dumped = cli("dump", "ko.policy", "--use", "base.policy:base", "--mode", "soft", "--stage", "ir")

    (file,) = json.loads(done.out)["files"]
    assert [v["rule"] for v in file["violations"]] == ["deny [!]"]
    assert "use base" in dumped.out


def test_it_is_the_policy_with_a_use(cli: Cli) -> None:
    """The artefact is that of a file in which the `use` is written."""
    Path("base.policy").write_text(BASE, encoding="utf-8")
    Path("one.policy").write_text(LINE, encoding="utf-8")
    Path("two.policy").write_text(LINE.replace("deny", 'use "base.policy:base"; deny', 1), encoding="utf-8")
    given = cli("compile", "one.policy", "--use", "base.policy:base", "--target", "gbnf")
    written = cli("compile", "two.policy", "--target", "gbnf")

    assert (given.code, given.out) == (0, written.out)


def test_lines_are_tested_with_it(cli: Cli) -> None:
    """A line that the joined policy refuses fails; those of the used policy are not run."""
    Path("base.policy").write_text(BASE, encoding="utf-8")
    Path("one.policy").write_text(LINE, encoding="utf-8")
    alone, joined = cli("test", "one.policy"), cli("test", "one.policy", "--use", "base.policy:base")

    assert (alone.code, joined.code) == (0, 1)
    assert "LC0801" in joined.out
    assert joined.out.endswith("ko: 1 of 1 tests fail\n")


def test_verify_obeys_it_too(cli: Cli) -> None:
    """An artefact of the policy alone differs from the joined one."""
    Path("base.policy").write_text(BASE, encoding="utf-8")
    Path("alone.gbnf").write_text(cli("compile", "ko.policy", "--target", "gbnf").out, encoding="utf-8")
    done = cli("verify", "ko.policy", "alone.gbnf", "--use", "base.policy:base", "--json")

    assert done.code == 1


def test_a_policy_that_there_is_none_of(cli: Cli) -> None:
    """It is told as for a POLICY."""
    done = cli("check", "-", "--policy", "ko.policy", "--use", "kp", stdin=b"a")

    assert done.code == 2
    assert "LC0008" in done.err


def test_policies_that_clash(cli: Cli) -> None:
    """The rules of both are named."""
    Path("base.policy").write_text("policy base { only [漢]; }", encoding="utf-8")
    done = cli("compile", "ko.policy", "--use", "base.policy", "--target", "gbnf")

    assert done.code == 2
    assert "LC0401" in done.err
    assert "only [漢]" in done.err
