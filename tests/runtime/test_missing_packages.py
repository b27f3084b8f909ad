"""An adapter whose engine is not installed says so, and how to get it."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys
sys.modules[{package!r}] = None  # as if it were not installed
import langc
try:
    {use}
except langc.LangcError as error:
    print(isinstance(error, ModuleNotFoundError), error, error.diagnostics[0].help)
"""


@pytest.mark.parametrize(
    ("package", "use", "extra"),
    [
        ("torch", "langc.hf", "transformers"),
        ("torch", "import langc.targets.runtime.hf", "transformers"),
        ("torch", "import langc.targets.runtime.outlines", "outlines"),
        ("xgrammar", "langc.xgrammar", "xgrammar"),
        ("llguidance", "langc.llguidance", "llguidance"),
    ],
)
def test_an_adapter_without_its_package(package: str, use: str, extra: str) -> None:
    """A LangcError that is also what `import` would have raised; the help names the extra."""
    code = CODE.format(package=package, use=use)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    message = f"[LC0012] this adapter needs the package {package}, which is not installed"

    assert done.stderr == ""
    assert done.stdout == f"True {message} `pip install langc[{extra}]` brings it\n"
