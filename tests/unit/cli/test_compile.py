"""`langc compile`: what it writes, where, and that it writes all or nothing."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

import langc
from tests.unit.cli.harness import Cli

TOKENS = {bytes([b]): b for b in range(256)} | {"한글".encode(): 256, "中".encode(): 257}


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    """A rank file with every byte and two words."""
    from base64 import b64encode

    path = tmp_path / "tiny.tiktoken"
    path.write_text("".join(f"{b64encode(t).decode()} {i}\n" for t, i in TOKENS.items()))
    return path


def test_text_goes_to_stdout(cli: Cli) -> None:
    """Without -o the artefact is all of stdout, and the summary is on stderr."""
    done = cli("compile", "ko.policy", "--target", "gbnf")

    assert (done.code, done.out) == (0, langc.compile("ko.policy", "gbnf").text)
    assert done.err == f"gbnf: exact, ill-formed, {len(done.out.encode()):,} bytes\n"


def test_dash_is_stdout(cli: Cli) -> None:
    """`-o -` is no file of that name."""
    assert cli("compile", "ko.policy", "--target", "gbnf", "-o", "-").out.startswith("# langc")
    assert not Path("-").exists()


def test_output_file(cli: Cli) -> None:
    """With -o the artefact is in the file and nowhere else, with nothing beside it."""
    done = cli("compile", "ko.policy", "--target", "gbnf", "-o", "out.gbnf")

    assert (done.code, done.out) == (0, "")
    assert Path("out.gbnf").read_text(encoding="utf-8") == langc.compile("ko.policy", "gbnf").text
    assert sorted(p.name for p in Path.cwd().iterdir()) == ["ko.policy", "out.gbnf"]


def test_output_replaces_a_file_in_place(cli: Cli) -> None:
    """The rights of an old file stay, and a link leads to the new content."""
    Path("real.gbnf").write_text("old")
    Path("real.gbnf").chmod(0o640)
    Path("link.gbnf").symlink_to("real.gbnf")
    done = cli("compile", "ko.policy", "--target", "gbnf", "-o", "link.gbnf")

    assert done.code == 0
    assert Path("link.gbnf").is_symlink()
    assert Path("real.gbnf").read_text(encoding="utf-8").startswith("# langc")
    assert stat.S_IMODE(Path("real.gbnf").stat().st_mode) == 0o640


def test_output_to_a_device(cli: Cli) -> None:
    """A device is written to and never replaced by a file."""
    done = cli("compile", "ko.policy", "--target", "gbnf", "-o", "/dev/null")

    assert done.code == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_json(cli: Cli) -> None:
    """One object with everything about the artefact, and the text itself only if no file holds it."""
    shown = json.loads(cli("compile", "ko.policy", "--target", "regex", "--dialect", "rust", "--json").out)
    written = json.loads(cli("compile", "ko.policy", "--target", "regex", "-o", "ko.regex", "--json").out)
    artifact = langc.compile("ko.policy", "regex", dialect="rust")

    assert shown == {
        "target": "regex",
        "dialect": "rust",
        "header": dict(artifact.header),
        "fidelity": {"flags": ["exact"], "over": None, "under": None},
        "report": artifact.report,
        "path": None,
        "bytes": len(artifact.content),
        "text": artifact.text,
        "warnings": [],
    }
    assert (written["path"], "text" in written) == ("ko.regex", False)


def test_several_targets(cli: Cli, tokenizer: Path) -> None:
    """Each artefact gets the policy's and the target's name; options go to the targets that have them."""
    Path("out").mkdir()
    names = ["--target", "gbnf", "--target=regex", "-tprocessor", "--header", "no"]
    done = cli("compile", "ko.policy", *names, "--tokenizer", tokenizer, "-o", "out", "--json")
    results = json.loads(done.out)["artifacts"]

    assert done.code == 0
    assert [r["target"] for r in results] == ["gbnf", "regex", "processor"]
    assert sorted(p.name for p in Path("out").iterdir()) == sorted(Path(r["path"]).name for r in results)
    assert Path("out/ko.gbnf").exists()
    assert Path("out/ko.processor.safetensors").exists()
    assert "policy-sha256" not in Path(results[1]["path"]).read_text(encoding="utf-8")


def test_binary_is_not_shown(cli: Cli, tokenizer: Path) -> None:
    """A binary artefact has no place in JSON."""
    done = cli("compile", "ko.policy", "--target", "processor", "--tokenizer", tokenizer, "--json")
    (diagnostic,) = json.loads(done.err)["diagnostics"]

    assert (done.code, done.out, diagnostic["code"]) == (2, "", "LC0011")


def test_strength_and_regions(cli: Cli) -> None:
    """`--mode`, `--bias` and `--exempt` make the policy that `with_` makes."""
    exempt = json.loads(cli("compile", "ko.policy", "--target", "gbnf", "--exempt", "think", "--json").out)

    assert exempt["header"]["policy-sha256"] == langc.load_policy("ko.policy").with_(exempt=["think"]).hash


def test_a_policy_out_of_several(cli: Cli) -> None:
    """FILE:NAME picks one."""
    Path("two.policy").write_text("policy a { deny [x]; } policy b { deny [y]; }")
    done = cli("compile", "two.policy:b", "--target", "gbnf", "--json")

    assert json.loads(done.out)["header"]["policy"] == "b"


def test_tokenizer_warnings(cli: Cli, tokenizer: Path) -> None:
    """What the loader warns of is on stderr, or in the JSON."""
    line = ["compile", "ko.policy", "--target", "processor", "--tokenizer", str(tokenizer), "-o", "ko.safetensors"]
    told, listed = cli(*line), json.loads(cli(*line, "--json").out)["warnings"]

    assert told.code == 0
    assert listed
    assert all(f"warning[{w['code']}]" in told.err for w in listed)


def test_policy_warnings(cli: Cli) -> None:
    """What the parser warns of does not stop the compiler."""
    Path("idle.policy").write_text("policy idle { let unused = [a]; deny script Han; }")
    done = cli("compile", "idle.policy", "--target", "gbnf")

    assert done.code == 0
    assert "warning[LC" in done.err


def test_help_has_the_options_of_the_named_target(cli: Cli) -> None:
    """A target's own options are listed beside it, all targets' without one."""
    assert "--header" in cli("compile", "--help").out
    assert "--header" in cli("compile", "--target", "regex", "--help").out
    assert "--header" not in cli("compile", "--target", "gbnf", "--help").out


def test_frozen(cli: Cli) -> None:
    """A file that was not made again after its policy changed is found, and nothing is written."""
    line = ["compile", "ko.policy", "--target", "gbnf", "-o", "ko.gbnf"]
    assert cli(*line, "--frozen").code == 1
    assert not Path("ko.gbnf").exists()

    cli(*line)
    assert (cli(*line, "--frozen").code, cli(*line, "--frozen").out) == (0, "")

    Path("ko.policy").write_text(Path("ko.policy").read_text("utf-8") + "# a comment\n", "utf-8")
    assert cli(*line, "--frozen").code == 0

    Path("ko.policy").write_text(Path("ko.policy").read_text("utf-8").replace("Han", "Thai"), "utf-8")
    before = Path("ko.gbnf").read_bytes()
    done = cli(*line, "--frozen")
    assert (done.code, done.out) == (1, "ko.gbnf is not what would be written\n")
    assert json.loads(cli(*line, "--frozen", "--json").out) == {"ok": False, "stale": ["ko.gbnf"]}
    assert Path("ko.gbnf").read_bytes() == before
