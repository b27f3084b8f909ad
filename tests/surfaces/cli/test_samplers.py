"""What adversarial samplers write in real vocabularies, judged by git and ffmpeg. `make ghosts` writes thousands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.surfaces.arms import SAMPLES, VOCABULARIES, Record, check_closed, check_open, vocabulary
from tests.surfaces.cli import test_ffmpeg, test_git
from tests.surfaces.cli.judges import FfmpegJudge, GitJudge
from tests.surfaces.cli.walks import HARMLESS, engine
from tests.surfaces.samplers import Sampler

pytestmark = [pytest.mark.engines, pytest.mark.slow]
GIT_BYTES, FFMPEG_BYTES = HARMLESS + b"@^{}.+%#?", HARMLESS + b"[];@.+*%#?"
"""No word of these leaves the directory of the judge."""
GIT_VALUES = tuple(b"1 0 5 f x HEAD main a topic 'a b' \"x y\" HEAD^ now text %h n=v".split(b" "))
FFMPEG_VALUES = tuple(b"1 0 5 0.5 25 x iw a:b 64k o out.mkv 'a b' 1:2 v:0 title=x 'iw,2' 0:v v a s d g".split(b" "))


def _git(name: str, opened: bool = False) -> Sampler:
    names = test_git.names()
    sorts = [sort for sort in names.counts if sort not in ("Tool", "Command")] if opened else []
    ready = engine(test_git.POLICY, "git", names, sorts)
    ghosts = [word.lstrip("-").encode() for word in test_git.ghosts()]
    return Sampler(ready, vocabulary(name), ghosts, GIT_VALUES, GIT_BYTES, longer=2, seed=SAMPLES)


def _ffmpeg(name: str, opened: bool = False) -> Sampler:
    names = test_ffmpeg.names()
    ready = engine(test_ffmpeg.POLICY, "ffmpeg", names, names.counts if opened else ())
    ghosts = [word.encode() for word in test_ffmpeg.ghosts()]
    return Sampler(ready, vocabulary(name), ghosts, FFMPEG_VALUES, FFMPEG_BYTES, longer=2, seed=SAMPLES)


@test_git.installed
@pytest.mark.parametrize("name", VOCABULARIES)
def test_git_knows_whatever_samplers_write(name: str, ground: Path, record_property: Record) -> None:
    """No command, subcommand or option that git does not have, and no dead end."""
    check_closed(f"git, {name}", _git(name), SAMPLES, GitJudge(ground).ghost, record_property)


@test_git.installed
@pytest.mark.parametrize("name", VOCABULARIES)
def test_git_does_not_know_many_open_names(name: str, ground: Path, record_property: Record) -> None:
    """The same samplers and the same judge, over the same grammar: it is Γ that keeps the names right.

    Commands stay closed: of a command that does not exist git says so, and reads no option.
    """
    check_open(f"git with open names, {name}", _git(name, True), GitJudge(ground).ghost, record_property)


@test_ffmpeg.installed
@pytest.mark.parametrize("name", VOCABULARIES)
def test_ffmpeg_knows_whatever_samplers_write(name: str, ground: Path, record_property: Record) -> None:
    """No option, codec, format, filter or option of a filter that ffmpeg does not have, and no dead end."""
    check_closed(f"ffmpeg, {name}", _ffmpeg(name), SAMPLES, FfmpegJudge(ground).ghost, record_property)


@test_ffmpeg.installed
@pytest.mark.parametrize("name", VOCABULARIES)
def test_ffmpeg_does_not_know_many_open_names(name: str, ground: Path, record_property: Record) -> None:
    """As for git."""
    check_open(f"ffmpeg with open names, {name}", _ffmpeg(name, True), FfmpegJudge(ground).ghost, record_property)
