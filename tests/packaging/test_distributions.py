"""What users install: the wheel and the source archive are built, read, installed elsewhere and used there."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINKED = ("compiler", "targets", "grammars")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("packaging")]


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and with the wheel that was built out of that archive."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return folder


@pytest.fixture(scope="session")
def wheel(distributions: Path) -> Path:
    """The one wheel."""
    (path,) = distributions.glob("langc-*.whl")
    return path


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a fresh environment that holds the wheel and the dependencies it declares, no more."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "env", with_pip=False)
    python = folder / "env" / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", str(wheel)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return python.parent


def files_on_disk() -> set[str]:
    """What the package `langc` consists of in this checkout."""
    found = {
        f"langc/{path.relative_to(ROOT)}"
        for name in LINKED
        for path in (ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert len(found) >= 80
    return found | {f"langc/{name}" for name in ("__init__.py", "__main__.py", "py.typed")}


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    """Every file behind the three links is in the wheel under `langc/`, and no `compiler/` or `targets/` at its top."""
    names = set(zipfile.ZipFile(wheel).namelist())
    package = {name for name in names if ".dist-info/" not in name}

    assert package == files_on_disk()


@pytest.mark.parametrize(
    "name",
    [
        "langc/compiler/__init__.py",
        "langc/compiler/explain/LC0203.md",
        "langc/grammars/ko.policy",
        "langc/grammars/policy.lark",
        "langc/py.typed",
        "langc/targets/gbnf.py",
        "langc/targets/runtime/hf.py",
    ],
)
def test_the_wheel_holds_what_is_read_at_run_time(wheel: Path, name: str) -> None:
    """One file of each kind, named, so that the comparison with the disk cannot be true of an empty checkout."""
    assert name in zipfile.ZipFile(wheel).namelist()


def test_the_wheel_holds_the_prebuilt_tables(wheel: Path) -> None:
    """The parser's and the Unicode tables are made before the release, not at the user's."""
    names = zipfile.ZipFile(wheel).namelist()

    assert [n for n in names if n.startswith("langc/compiler/syntax/tables/")] != []
    assert [n for n in names if n.startswith("langc/compiler/unicode/tables/")] != []


def test_the_source_archive_can_run_the_tests(distributions: Path) -> None:
    """It holds the package behind real folders, the tests, and what `make test` needs."""
    (path,) = distributions.glob("langc-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        "langc/compiler/__init__.py",
        "langc/grammars/policy.lark",
        "tests/packaging/test_distributions.py",
        "Makefile",
        "pyproject.toml",
        "LICENSE",
    }

    assert wanted - names == set()
    assert {n for n in names if n.split("/")[0] in LINKED} == set()


def test_the_installed_command_compiles(installed: Path, tmp_path: Path) -> None:
    """With nothing but the declared dependencies, from another folder, `langc compile ko` writes a grammar."""
    command = [str(installed / "langc"), "compile", "ko", "--target", "gbnf"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr.startswith("gbnf: exact")) == (0, True)
    assert "root ::=" in done.stdout


def test_the_installed_module_is_the_wheel(installed: Path, tmp_path: Path) -> None:
    """The Python API works there, and comes from site-packages."""
    code = (
        "import langc; policy = langc.load_policy('ko');"
        "print('site-packages' in langc.__file__, policy.accepts('뷁'), policy.first_violation('확認'))"
    )
    done = subprocess.run([installed / "python", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == ("True True 1\n", "")


def test_the_installed_module_runs(installed: Path, tmp_path: Path) -> None:
    """`python -m langc` is the same command."""
    outputs = [
        subprocess.run([*command, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        for command in ([installed / "langc"], [installed / "python", "-m", "langc"])
    ]

    assert outputs[0] == outputs[1]
    assert "0.1.0" in outputs[0]
