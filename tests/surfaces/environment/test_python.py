"""Names of Python modules and packages: for real modules, Python itself is the judge."""

from __future__ import annotations

import importlib
import inspect
import io
import tarfile
import zipfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import pytest

from langc.compiler.errors import LangcError
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.environment.providers import Request, read

MODULE = '''
"""A module."""
import os
import sys as sys
from json import dumps, loads as loads
from typing import TYPE_CHECKING, overload
if TYPE_CHECKING:
    from decimal import Decimal as Decimal
if sys.version_info >= (3, 8):
    def new(a): ...
else:
    def old(a): ...
try:
    import fast
    both = 1
    first = 1
except ImportError:
    both = 2
if os.name == "nt":
    windows = 1
LIMIT: int = 3
a, (b, [c]) = 1, (2, [3])
_private = 1
gone = gone_too = gone_perhaps = again = 1
del gone
if os.name:
    del gone_perhaps, again
    again = 2
for item in LIST:
    del gone_too
    looped = 1
else:
    after = 1
with suppress(ImportError):
    import faster as faster
with open("x"):
    within = 1
if __name__ == "__main__":
    main_only = 1
def f(x, /, y, z=1, *args, key, other=2, **rest): ...
async def g(): ...
@overload
def h(a: int) -> int: ...
@overload
def h(a: str, b: str = "") -> str: ...
class Base:
    shared = 1
    def __init__(self, size, *, deep=False):
        self.size = size
        self._hidden = 1
        if deep:
            self.maybe = 1
    def method(self, x): ...
    @staticmethod
    def static(x): ...
    @property
    def area(self): ...
    def _inner(self): ...
class Derived(Base):
    def more(self): ...
'''


def names(folder: Path, text: str) -> Environment:
    """The names of a module with this text."""
    (folder / "m.py").write_text(text)
    return read(Request("m", "python", ("m.py",), folder))


def listed(group: Group) -> list[str]:
    """The names of a group in order."""
    return [entry.name for entry in group]


def only(environment: Environment, sort: str, name: str) -> Entry:
    """An entry that is there."""
    found = environment.group(sort).get(name)
    assert found is not None
    return found


def test_what_a_module_has(tmp_path: Path) -> None:
    """What it binds for certain and means for others."""
    found = names(tmp_path, MODULE)

    assert listed(found.group("Function")) == ["new", "f", "g", "h"]
    assert listed(found.group("Class")) == ["Base", "Derived"]
    assert listed(found.group("Constant")) == ["both", "LIMIT", "a", "b", "c", "again", "after", "within"]
    assert listed(found.group("Import")) == ["sys", "loads"]
    assert [d.message.partition(": ")[2] for d in found.warnings] == [
        "left out are names that are bound under a condition only: 'fast', 'first', 'windows' and 2 more"
    ]


def test_signatures(tmp_path: Path) -> None:
    """Parameters with how they can be given, and how many arguments there are."""
    found = names(tmp_path, MODULE)
    f = only(found, "Function", "f")

    assert {e.name: sorted(e.attributes) for e in f.members["Parameter"]} == {
        "x": ["positional", "required"],
        "y": ["required"],
        "z": [],
        "key": ["keyword", "required"],
        "other": ["keyword"],
    }
    assert (dict(f.numbers), sorted(f.attributes)) == ({"least": 3}, ["any_keyword"])
    assert dict(only(found, "Function", "g").numbers) == {"least": 0, "most": 0}
    assert dict(only(found, "Function", "h").numbers) == {"least": 1, "most": 2}


def test_two_definitions(tmp_path: Path) -> None:
    """A function that another branch defines with other parameters is there, but which ones it takes is not certain."""
    same = "    def g(a): ...\n"
    text = f"if x:\n    def f(a): ...\n{same}    h = 1\nelse:\n    def f(b): ...\n{same}    def h(): ...\n"
    found = names(tmp_path, text)
    f, g = only(found, "Function", "f"), only(found, "Function", "g")

    assert (dict(f.numbers), dict(f.members)) == ({}, {})
    assert listed(g.members["Parameter"]) == ["a"]
    assert listed(found.group("Constant")) == ["h"]


def test_classes(tmp_path: Path) -> None:
    """Members, those of a base in the same module too; what is set under a condition only is not certain."""
    members = only(names(tmp_path, MODULE), "Class", "Derived").members

    assert set(listed(members["Attribute"])) == {"shared", "size", "area"}
    assert listed(members["Method"]) == ["method", "static", "more"]
    assert listed(members["Parameter"]) == ["size", "deep"]


def test_all(tmp_path: Path) -> None:
    """`__all__` decides, in all ways to write it; what it lists and the file does not bind is left out."""
    text = '__all__ = ["_a", "b"]\n__all__ += ("c",)\n__all__.extend(["ghost"])\n_a = b = c = d = 1\n'
    found = names(tmp_path, text)

    assert listed(found.group("Constant")) == ["_a", "b", "c"]
    assert ["'ghost'" in d.message for d in found.warnings] == [True]


@pytest.mark.parametrize("name", ["argparse", "json.decoder", "textwrap", "pathlib", "shutil", "inspect", "ast", "os"])
def test_nothing_is_invented(name: str) -> None:
    """Each name of a module of the standard library is there when it is imported, and takes these parameters."""
    module = importlib.import_module(name)
    path = Path(inspect.getfile(module))
    found = read(Request("m", "python", (path.name,), path.parent))

    assert sum(found.counts.values()) > 5
    for group in found.groups.values():
        for entry in group:
            real = getattr(module, entry.name)
            if entry.sort == "Function" and "decorated" not in entry.attributes:
                assert_signature(entry, real)
            for sort in ("Method",):
                for member in entry.members.get(sort, ()):
                    assert hasattr(real, member.name), member.name


def assert_signature(entry: Entry, real: object) -> None:
    """The parameters are those that `inspect` finds."""
    parameters = inspect.signature(real).parameters.values()  # type: ignore[arg-type]
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

    assert listed(entry.members.get("Parameter", Group.of(()))) == [p.name for p in parameters if p.kind not in kinds]
    required = [p for p in parameters if p.kind not in kinds and p.default is inspect.Parameter.empty]
    assert entry.numbers["least"] == len(required)


@pytest.mark.parametrize(
    "text",
    [
        "def f(:",
        "x = \0",
        "(" * 10_000,
        "\n".join("elif x:\n    pass" if i else "if x:\n    pass" for i in range(3_000)),
        "x = " + "-" * 100_000 + "1",
        "é = '\\ud800'\nclass",
    ],
)
def test_bad_source(tmp_path: Path, text: str) -> None:
    """No Python, zero bytes, and what is nested so deeply that a reader that recurses would fall over."""
    with pytest.raises(LangcError) as caught:
        names(tmp_path, text)

    assert caught.value.diagnostics[0].code in ("LC0906", "LC0908")


# --- packages ---------------------------------------------------------------------------------------

FILES: Mapping[str, str | bytes] = {
    "shop/__init__.py": "from ._core import Cart as Cart, total\nfrom .extra import *\nfrom os import path as path\n"
    '__all__ = ["Cart", "total", "spare", "ghost", "deep"]\n',
    "shop/_core.py": "class Cart:\n    def add(self, item, count=1): ...\ndef total(cart): ...\n",
    "shop/extra.py": "from ._core import total as sum_up\nspare = 1\n_no = 2\n",
    "shop/deep/__init__.py": "from ..extra import spare as other\nfrom ... import beyond as beyond\n",
    "shop/broken.py": "def (",
    "shop/latin.py": b"x = '\xe9'",
    "shop/tests-data/x.py": "y = 1",
}
FACTS = "Metadata-Version: 2.1\nName: Shop\nVersion: 1.2.0\n\nVersion: 9\n"


def wheel(path: Path, facts: str = FACTS) -> Path:
    """A wheel of the shop."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
        archive.writestr("shop-1.2.0.dist-info/METADATA", facts)
    return path


def sdist(path: Path) -> Path:
    """A source archive of the shop, with what is not installed."""
    with tarfile.open(path, "w:gz") as archive:
        members = {**FILES, "setup.py": "x = 1", "tests/__init__.py": "y = 1", "PKG-INFO": FACTS}
        for name, content in members.items():
            data = content if isinstance(content, bytes) else content.encode()
            member = tarfile.TarInfo(f"shop-1.2.0/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def package(folder: Path, *arguments: str) -> Environment:
    """The names of a package."""
    return read(Request("p", "package", arguments, folder))


@pytest.mark.parametrize("make", [wheel, sdist], ids=["wheel", "sdist"])
def test_packages(tmp_path: Path, make: object) -> None:
    """Names that modules hand on are those that are defined; unreadable files are left out."""
    name = "shop-1.2.0.whl" if make is wheel else "shop-1.2.0.tar.gz"
    make(tmp_path / name)  # type: ignore[operator]
    found = package(tmp_path, "shop==1.2", f"file={name}")
    shop = only(found, "Module", "shop")

    assert listed(found.group("Module")) == ["shop", "shop.deep", "shop.extra"]
    assert {sort: listed(group) for sort, group in shop.members.items()} == {
        "Class": ["Cart"],
        "Function": ["total"],
        "Constant": ["spare"],
    }
    assert listed(shop.members["Class"].entries[0].members["Method"]) == ["add"]
    assert found.version == "1.2.0"
    assert found.digest == package(tmp_path, name).digest
    reasons = " ".join(d.message for d in found.warnings)
    assert "'shop.ghost'" in reasons
    assert "'shop/broken.py'" in reasons


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("shop==1.3", "file=shop.whl"), "LC0909"),
        (("ship==1.2", "file=shop.whl"), "LC0909"),
        (("shop==1.2", "file=none.whl"), "LC0001"),
        (("shop==1.2", "file=text.whl"), "LC0909"),
        (("shop==1.2", "file=text.tar.gz"), "LC0909"),
        (("nameless.whl",), "LC0909"),
        (("shop",), "LC0902"),
        (("shop>=1.2",), "LC0902"),
        (("click==0.0.1",), "LC0909"),
        (("no-such-package-at-all==1",), "LC0909"),
        ((), "LC0902"),
    ],
)
def test_another_version_is_refused(tmp_path: Path, arguments: tuple[str, ...], code: str) -> None:
    """So is another package, and what is no package."""
    wheel(tmp_path / "shop.whl")
    wheel(tmp_path / "nameless.whl", "Name: shop\n")
    for name in ("text.whl", "text.tar.gz"):
        (tmp_path / name).write_text("no archive")
    with pytest.raises(LangcError) as caught:
        package(tmp_path, *arguments)

    assert [d.code for d in caught.value.diagnostics] == [code]


def test_the_version_that_is_there_is_told(tmp_path: Path) -> None:
    """The message names it."""
    with pytest.raises(LangcError, match=f"click 0.0.1 is asked for, and {metadata.version('click')} is installed"):
        package(tmp_path, "click==0.0.1")


def test_an_installed_package() -> None:
    """Every public name of click can be imported, with no ghost among them."""
    found = package(Path(), f"click=={metadata.version('click')}")

    assert len(found.group("Module")) >= 10
    for module in found.group("Module"):
        real = importlib.import_module(module.name)
        for group in module.members.values():
            assert [e.name for e in group if not hasattr(real, e.name)] == []


def test_a_list_of_files_cannot_lead_outside(tmp_path: Path) -> None:
    """A hostile RECORD names files elsewhere; they are not read."""
    folder = tmp_path / "site" / "evil-1.dist-info"
    folder.mkdir(parents=True)
    (tmp_path / "secret.py").write_text("SECRET = 1")
    (tmp_path / "site" / "evil.py").write_text("fine = 1")
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
    (folder / "RECORD").write_text(f"../secret.py,,\n{tmp_path / 'secret.py'},,\nevil.py,,\n")
    found = package(tmp_path, "evil==1", "path=site")

    assert listed(found.group("Module")) == ["evil"]


def test_bombs(tmp_path: Path) -> None:
    """Modules that import each other in every way, and members that unpack to far more than they are."""
    with zipfile.ZipFile(tmp_path / "b.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("b-1.dist-info/METADATA", "Name: b\nVersion: 1\n")
        for i in range(60):
            text = f"from .m{(i + 1) % 60} import *\nfrom .m{(i + 2) % 60} import *\nx{i} = 1\n"
            archive.writestr(f"b/m{i}.py", text + f"from .m{(i + 1) % 60} import y as y\n")
        archive.writestr("b/__init__.py", "")
        archive.writestr("b/large.py", "x = 1\n" * 1_000_000)
    found = package(tmp_path, "b.whl")

    assert len(found.group("Module")) == 61
    assert any("'b/large.py'" in d.message for d in found.warnings)


def test_unpacking_is_bounded(tmp_path: Path) -> None:
    """A wheel of many large files is refused after a bounded part of it."""
    with zipfile.ZipFile(tmp_path / "b.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(40):
            archive.writestr(f"b/m{i}.py", b"#" * (2 << 20))
    with pytest.raises(LangcError, match="LC0701"):
        package(tmp_path, "b.whl")
