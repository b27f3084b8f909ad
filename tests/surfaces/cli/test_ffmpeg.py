"""The surface ffmpeg over the committed environment of ffmpeg 5.1; ffmpeg itself is the judge where it is installed."""

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
from langc.compiler.surfaces.environment.names import Environment
from tests.surfaces.cli.judges import FfmpegJudge
from tests.surfaces.cli.walks import HARMLESS, KINDS, ROOT, Walker, engine, refused_at

POLICY, NAMES = ROOT / "grammars" / "ffmpeg.policy", ROOT / "grammars" / "env" / "ffmpeg-5.1.json"
VALID = """
ffmpeg -i in.mp4 out.mkv
ffmpeg -y -ss 00:01:00 -i in.mp4 -t 30 -c copy out.mp4
ffmpeg -i in.mp4 -c:v libx264 -preset slow -crf 22 -c:a aac -b:a 128k -movflags +faststart out.mp4
ffmpeg -f concat -safe 0 -i list.txt -c copy out.mp4
ffmpeg -loglevel error -i 'a file.mov' -vn -acodec libmp3lame -q:a 2 out.mp3
ffmpeg -i in.mp4 -vf scale=1280:-1 out.mp4
ffmpeg -i in.mp4 -vf "scale=w=640:h=360,fps=15" -an out.gif
ffmpeg -i in.mp4 -vf 'crop=iw/2:ih:0:0, hflip' -pix_fmt yuv420p out.mp4
ffmpeg -i a.mp4 -i b.png -filter_complex "[0:v][1:v] overlay=10:main_h-overlay_h-10 [v]" -map "[v]" -map 0:a out.mp4
ffmpeg -i a -vf "drawtext=text='hello, world':x=10:y=h-th:fontsize=24" o.mp4
ffmpeg -i a -filter_complex "concat=n=2:v=1:a=0" o.mp4
ffmpeg -i a -af volume=0.5,loudnorm -metadata title="x y" -metadata:s:a:0 language=eng o.m4a
ffmpeg -f lavfi -i testsrc=size=320x240 -frames:v 1 -f image2 o.png
ffmpeg -i in -map 0:v:0 -map -0:s -bsf:v h264_mp4toannexb -f mpegts -
ffmpeg -hwaccel vaapi -i in -codec:v h264_vaapi out.mp4
ffmpeg -formats
ffmpeg -hide_banner -h encoder=libx264
ffmpeg -i in.mp4
ffmpeg -i a -i b -lavfi alphamerge=shortest=1 o
ffmpeg -f lavfi -t 5 -i "color=c=red:s=320x240, format=yuv420p" -f lavfi -i anullsrc -c:v libx264 o.mp4
ffmpeg -re -f lavfi -i testsrc -f mpegts -
ffmpeg -f lavfi -graph testsrc=s=64x64 -i testsrc o.mp4
ffmpeg -i in -c copy -c:d copy -c:t:0 copy out.mkv
ffmpeg -i in -disposition:d:0 default out.mkv
"""
GHOSTS = """
ffmpeg -i a -c:v libx266| o
ffmpeg -i a -c:a lib|fdk_aac o
ffmpeg -i a -c:v aac| o
ffmpeg -i a -c:a libx|264 o
ffmpeg -i a -c:d |libx264 o
ffmpeg -c:d |aura -i a o
ffmpeg -i a -vf sca|el=1:2 o
ffmpeg -i a -vf scale=wide|=1 o
ffmpeg -i a -vf null=| o
ffmpeg -i a -vf hflip=1| o
ffmpeg -f lavfi -i t|setsrc o
ffmpeg -f lavfi -graph testsr|s -i siti o
ffmpeg -f lavfi -t 1 -i testsrc=sizes|=1 o
ffmpeg -i a -lavfi msad=1| o
ffmpeg -i a -i b -lavfi alphamerge=shorte|r=1 o
ffmpeg -i a -vf transpose=1:2:|3 o
ffmpeg -i a -vf "hflip:| o
ffmpeg -i a -f mp5| o
ffmpeg -i a -pix_fmt yuv422pp| o
ffmpeg -i a -crff| 3 o
ffmpeg -crf 3 -i| a o
ffmpeg -i a -re |o
ffmpeg -i a o | cat
ffmpeg|
"""
"""`|` is where the line is refused; the line of one word cannot end."""


@cache
def names() -> Environment:
    """The committed environment."""
    return from_json(NAMES.read_text(encoding="utf-8"), str(NAMES))


@cache
def ffmpeg() -> Engine:
    """The surface over it."""
    return engine(POLICY, "ffmpeg", names())


@pytest.mark.parametrize("line", VALID.strip().splitlines())
def test_what_people_write_is_let_pass(line: str) -> None:
    """Lines as people write them are let pass."""
    assert refused_at(ffmpeg(), line) is None, line[: refused_at(ffmpeg(), line)]


@pytest.mark.parametrize("marked", GHOSTS.strip().splitlines())
def test_what_does_not_exist_is_refused_where_it_shows(marked: str) -> None:
    """A name that does not exist is refused at the byte that shows it."""
    before, _, behind = marked.partition("|")
    line = f"{before}|{behind}" if behind == " cat" else before + behind
    at = refused_at(ffmpeg(), line)
    assert at in (len(before) - 1, len(before)), line[:at]


def ghosts() -> list[str]:
    """Words that exist in another place, and some that do not exist at all."""
    parameters = {p.name for f in names().group("Filter") for p in f.members.get("Parameter", ())}
    placed = [name.name for sort in ("Encoder", "Decoder", "Muxer", "Filter", "Option") for name in names().group(sort)]
    return [*sorted(parameters), *placed, "libfdk_aacc", "sclae", "mp5", "yuv421p", "crff", "libx266"]


@settings(max_examples=20)
@given(st.integers(0, 1 << 32), st.sampled_from(KINDS))
def test_a_walk_never_comes_to_a_dead_end(seed: int, kind: str) -> None:
    """Whatever has been written can be ended."""
    line = Walker(ffmpeg(), ghosts(), seed).line(kind)
    assert refused_at(ffmpeg(), line) is None


def version() -> str:
    """That of the installed ffmpeg."""
    program = shutil.which("ffmpeg")
    if program is None:
        return ""
    return subprocess.run([program, "-version"], capture_output=True, text=True).stdout.split()[2]


installed = pytest.mark.skipif(not version().startswith("5.1."), reason="judged by ffmpeg 5.1, of which Γ is")


@installed
@pytest.mark.slow
def test_the_judge_knows_ghosts(ground: Path) -> None:
    """The judge complains about what is wrong, and about nothing else."""
    judge = FfmpegJudge(ground)
    for line in (
        "-crff 3 o",
        "-c:v libx266 o",
        "-vf sclae=1 o",
        "-vf scale=wide=1 o",
        "-f mp5 o",
        "-pix_fmt yuv421p o",
        "-c:a libx264 o",
        "-txt_page 1 o",
        "-vf hflip=1 o",
        "-acodec libx264 o",
        "-vf scale=w=4:h=4 -c:v aac o",
    ):
        assert judge.ghost(f"ffmpeg -i a {line}") is not None, line
    for line in (
        "-c real_144 -acodec real_144 o",
        "-gpu 1 o",
        "-c libx264 o",
        "-crf 3 o",
        "-c:v libx264 o",
        "-vf scale=w=4:h=4 o",
    ):
        assert judge.ghost(f"ffmpeg -i a {line}") is None, line


@installed
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_ffmpeg_knows_whatever_can_be_written(kind: str, ground: Path) -> None:
    """ffmpeg knows every option and name in what can be written."""
    walker, judge = Walker(ffmpeg(), ghosts(), 20261130, HARMLESS + b"[]"), FfmpegJudge(ground)
    found = [(line, judge.ghost(line)) for line in (walker.line(kind) for _ in range(25))]
    assert [pair for pair in found if pair[1] is not None] == []
