"""The surface git over the committed environment of git 2.39; git itself is the judge where that version is."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.environment.canonical import from_json
from langc.compiler.surfaces.environment.names import Entry, Environment
from tests.surfaces.cli.judges import GitJudge
from tests.surfaces.cli.walks import HARMLESS, KINDS, ROOT, Walker, engine, refused_at

POLICY, NAMES = ROOT / "grammars" / "git.policy", ROOT / "grammars" / "env" / "git-2.39.json"
VALID = """
git status
git -C work/tree -c core.pager=cat --no-pager log --oneline -12
git commit -am 'fix: the parser''s "end"'
git commit --amend --no-edit --author="A U Thor <author@example.org>"
git commit -mmessage -- a.c -weird
git commit --message= -S -uno
git log -p -n5 --since='2 weeks ago' HEAD~3..HEAD -- src/*.py
git log --format=%h%x09%s -S needle --stat -M50% v1.0^{commit}
git diff --cached -U5 --word-diff=color HEAD@{1}
git rebase -i --onto main topic~4 topic
git remote add -f -t main origin https://example.org/repo.git
git remote -v
git stash push -m wip -- a b
git stash pop
git submodule update --init --recursive --jobs 4
git worktree add -b topic ../topic main
git bisect start --no-checkout bad good
git bisect run make -j4 check
git clone --depth=1 --branch v2 https://example.org/repo.git dir
git checkout -b topic origin/main
git checkout -
git push -u origin HEAD:refs/for/main --force-with-lease
git config --global alias.last 'log -1 HEAD'
git show HEAD:README.md
git grep -n -e pattern --and -e other -- '*.c'
git tag -a v1.0 -m "version 1"
git cherry-pick -x abc123 def456
git rev-list --count --all
git bundle create all.bundle --all
git help commit
git log --help
git --version
git archive --format=tar.gz -9 -o a.tar.gz HEAD
git fetch --prune --tags
git for-each-repo --config=maintenance.repo fetch --all
git notes add -m note HEAD
git sparse-checkout set src docs
git reset --hard HEAD^
git clean -xdf
git blame -L 10,+5 -w -C -C file.c
git reflog -n 3
git reflog --stat main topic
git reflog show main --boundary
git reflog expire --expire=now --all
git stash -k -m wip
git stash push -k
git remote -v show
git diff --no-index --stat -U5 a b
git rev-parse --parseopt --stuck-long -- -a
git rev-parse --sq-quote a
git log --no-walk --oneline main
git notes --ref=x add -m note
"""
GHOSTS = """
git com|it -m x
git l|fs track x
git commit --amende|d
git commit --mes|age x
git commit -aZ|
git log --onelinee|
git stash --keep-index|es
git stash pops|
git remote ad |x y
git status --h|ard
git push --set-upstreams| origin main
git -X| status
git --no-pagers| log
git submodule updates|
git checkout "-|-force"
git checkout ''-|b x
git log | head
git log;| ls
git add $|(ls)
git add `|ls`
git commit -m "$(|date)"
git worktree remove --forces|
git bundle create -|-all
git reflog exists --|boundary
git reflog expire --|minimal
git http-backend |Error
git reflog --stat expire --|expire=now
git stash -k |pop
git diff --no-index --ou|rs a b
git diff --stat --no-inde|x a b
git rev-parse --parseopt --|prefix x
git log --no-walk|=x
"""
"""`|` is where the line is refused; in the pipe that of the shell itself."""


@cache
def names() -> Environment:
    """The committed environment."""
    return from_json(NAMES.read_text(encoding="utf-8"), str(NAMES))


@cache
def git() -> Engine:
    """The surface over it."""
    return engine(POLICY, "git", names())


@pytest.mark.parametrize("line", VALID.strip().splitlines())
def test_what_people_write_is_let_pass(line: str) -> None:
    """Lines as people write them are let pass."""
    assert refused_at(git(), line) is None, line[: refused_at(git(), line)]


@pytest.mark.parametrize("marked", GHOSTS.strip().splitlines())
def test_what_does_not_exist_is_refused_where_it_shows(marked: str) -> None:
    """A name that does not exist, or an operator of the shell, is refused at the byte that shows it."""
    before, _, behind = marked.partition("|")
    line = f"{before}|{behind}" if before == "git log " else before + behind
    at = refused_at(git(), line)
    assert at is not None
    assert at in (len(before) - 1, len(before)), line[:at]


def all_options(entry: Entry) -> list[str]:
    """The long options of an entry and of what belongs to it."""
    own = [option.name for sort, group in entry.members.items() if sort != "Subcommand" for option in group]
    inner = [name for part in entry.members.get("Subcommand", ()) for name in all_options(part)]
    return [name for name in own if len(name) > 1] + inner


def ghosts() -> list[str]:
    """Words that some other command has as its options, and some that nothing has."""
    commands = [name for command in names().group("Command") for name in all_options(command)]
    made = sorted({f"--{name}" for name in commands} | {f"--{name}s" for name in commands})
    return [*made, "comit", "lfs", "cola", "unstage", "--forse", "-Z", "-aZ", "stauts"]


@settings(max_examples=20)
@given(st.integers(0, 1 << 32), st.sampled_from(KINDS))
def test_a_walk_never_comes_to_a_dead_end(seed: int, kind: str) -> None:
    """Whatever has been written can be ended."""
    line = Walker(git(), ghosts(), seed).line(kind)
    assert refused_at(git(), line) is None


def version() -> str | None:
    """That of the installed git."""
    program = shutil.which("git")
    return subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()[2] if program else None


installed = pytest.mark.skipif(not (version() or "").startswith("2.39."), reason="judged by git 2.39, of which Γ is")


@installed
@pytest.mark.slow
def test_the_judge_knows_ghosts(ground: Path) -> None:
    """The judge complains about what is wrong, and about nothing else."""
    judge = GitJudge(ground)
    for line in (
        "git comit",
        "git commit -aZ",
        "git commit --amended",
        "git log -p --bogus x",
        "git remote --force",
        "git rev-list --bogus HEAD",
    ):
        assert judge.ghost(line) is not None, line
    for line in (
        "git diff-tree -- HEAD",
        "git commit -am x",
        "git log --oneline",
        "git remote -v",
        "git status x --short",
        "git rebase x",
    ):
        assert judge.ghost(line) is None, line


@installed
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_git_knows_whatever_can_be_written(kind: str, ground: Path) -> None:
    """Git knows every command and option in what can be written."""
    walker, judge = Walker(git(), ghosts(), 20261130, HARMLESS), GitJudge(ground)
    lines = [walker.line(kind) for _ in range(100)]
    assert [(line, judge.ghost(line)) for line in lines if judge.ghost(line) is not None] == []
