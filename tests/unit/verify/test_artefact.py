"""Artefacts as files: what they say of themselves is found, and never guessed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from langc import targets
from langc.compiler.errors import LangcError
from langc.compiler.pipeline import compile_policy
from langc.compiler.target import Artifact, Fidelity
from langc.compiler.verify import artefact
from langc.compiler.verify.artefact import Readable, open_artefact
from tests.golden.test_golden import CASES, GOLDEN, TOY

FORMATS = [(t, d) for t in targets.names() for d in targets.get(t).dialects or (None,)]
WITNESSES = {"over": '漢\n"\\ ,=U0041}{0}', "under": ""}


def made(name: str, target: str, dialect: str | None) -> Artifact:
    """One artefact of the corpus."""
    return compile_policy(CASES[name], target, TOY, allow=("over", "under"), dialect=dialect)


def opened(path: Path, content: bytes | str, target: str | None = None, dialect: str | None = None) -> Readable:
    """A file of that content, read back."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return open_artefact(path, target, dialect)


def refusal(path: Path, content: bytes | str, target: str | None = None, dialect: str | None = None) -> str:
    """The code of the error that a file of that content gives."""
    with pytest.raises(LangcError) as caught:
        opened(path, content, target, dialect).fidelity  # noqa: B018
    return caught.value.diagnostics[0].code


WITHOUT_COMMENTS = ("processor", "logit-bias", "banned-strings")
"""Files whose header is part of a larger value."""


def test_there_are_formats() -> None:
    """The loops below run over something."""
    assert len(FORMATS) >= 12


@pytest.mark.parametrize(("target", "dialect"), FORMATS)
def test_a_file_says_what_it_is(target: str, dialect: str | None, tmp_path: Path) -> None:
    """Header, target, dialect and fidelity come back out of the bytes alone, whatever the file is called."""
    artifact = made("phrases" if target == "banned-strings" else "terms", target, dialect)
    read = opened(tmp_path / "some.file", artifact.content)
    direct = Readable.of(artifact)

    assert (read.target, read.dialect, read.fidelity) == (target, artifact.dialect, artifact.fidelity)
    assert read.header == artifact.header
    assert (direct.header, direct.data, direct.fidelity) == (read.header, artifact.content, artifact.fidelity)


def test_golden_files_say_what_they_are() -> None:
    """Every artefact that the repository holds is found to be of its folder's target."""
    files = [p for p in sorted(GOLDEN.rglob("*.*")) if p.parent != GOLDEN and p.suffix not in (".refused", ".digest")]
    files = [p for p in files if "__pycache__" not in p.parts]

    assert len(files) >= 150
    assert [open_artefact(p).target for p in files] == [p.parent.name for p in files]


@pytest.mark.parametrize(("target", "dialect"), [f for f in FORMATS if f[0] not in WITHOUT_COMMENTS])
def test_witnesses_in_a_header(target: str, dialect: str | None, tmp_path: Path) -> None:
    """A witness comes back as the text that it is: whatever is in it, and also if that is nothing."""
    from langc.compiler.target import with_fidelity

    artifact = made("set", target, dialect)
    claim = Fidelity(WITNESSES["over"], WITNESSES["under"], ill_formed=True)
    header = with_fidelity({k: v for k, v in artifact.header.items() if "wit" not in k}, claim)
    text = (artifact.text or "").replace(*_headers(target, dialect, artifact.header, header))

    assert opened(tmp_path / "a", text).fidelity == claim


def _headers(target: str, dialect: str | None, before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, str]:
    import json

    from langc.targets._expression import header_group
    from langc.targets._text import comment_lines

    if dialect == "fsm":
        return json.dumps(before), json.dumps(after)
    if target in ("regex", "outlines"):
        return header_group(before), header_group(after)
    mark = "//" if target == "llguidance" else "#"
    return comment_lines(before, mark), comment_lines(after, mark)


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: "# by hand: yes\n\n" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text + "# target: other\n",
        lambda text: text.replace("# policy", "#policy").replace("# target", "   #  target"),
        lambda text: text.replace("# fidelity: exact", "# fidelity:   exact"),
        lambda text: text.replace("# unicode: 18.0.0\n", "# note: see below\n"),
    ],
)
def test_a_header_survives_an_editor(edit: object, tmp_path: Path) -> None:
    """Comments beside it, other line ends, blanks and lines below the first rule change nothing."""
    text = made("terms", "gbnf", None).text or ""
    changed = edit(text)  # type: ignore[operator]
    read = opened(tmp_path / "a", changed)

    assert changed != text
    assert (read.target, read.fidelity) == ("gbnf", Fidelity(ill_formed=True))


HAND = 'root ::= "a"\n'


def test_a_file_without_a_header_needs_a_name(tmp_path: Path) -> None:
    """Neither the suffix nor the text is taken for one; with a name the file is exact as far as it says."""
    for content in (HAND, "# target: gbnf\n" + HAND, "[a-z]*", "", "{}", '{"langc": 1}', "[[1, false]]", b"\xff\xfe"):
        assert refusal(tmp_path / "ko.gbnf", content) == "LC0531"
    read = opened(tmp_path / "ko.gbnf", HAND, "xgrammar")

    assert (read.target, read.dialect, read.header, read.fidelity) == ("xgrammar", None, {}, Fidelity())


def test_the_first_dialect_is_taken_if_none_is_named(tmp_path: Path) -> None:
    """As `compile` does."""
    assert opened(tmp_path / "a", "a", "regex").dialect == "python"
    assert opened(tmp_path / "a", "a", "regex", "rust").dialect == "rust"


def test_a_name_must_not_contradict_the_header(tmp_path: Path) -> None:
    """What a file says of itself is not overruled, and may be repeated."""
    text = made("terms", "regex", "rust").text or ""

    assert opened(tmp_path / "a", text, "regex", "rust").dialect == "rust"
    assert refusal(tmp_path / "a", text, "gbnf") == "LC0532"
    assert refusal(tmp_path / "a", text, "regex", "python") == "LC0532"


def test_names_that_do_not_exist(tmp_path: Path) -> None:
    """In the call and in a header alike."""
    text = made("terms", "gbnf", None).text or ""

    assert refusal(tmp_path / "a", HAND, "gbfn") == "LC0504"
    assert refusal(tmp_path / "a", HAND, "regex", "perl") == "LC0503"
    assert refusal(tmp_path / "a", text.replace("target: gbnf", "target: gbfn")) == "LC0504"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# target: gbnf\n", "# target: gbnf\n# target: xgrammar\n"),
        ("fidelity: exact", "fidelity: exactly"),
        ("fidelity: exact", "fidelity: exact,over"),
        ("fidelity: exact", "fidelity: over"),
        ("fidelity: exact", "witness-over: 1\n# fidelity: over"),
        ("fidelity: exact", "witness-over: " + "[" * 100_000 + "\n# fidelity: over"),
    ],
)
def test_a_header_that_makes_no_sense(old: str, new: str, tmp_path: Path) -> None:
    """Two values for one key, flags that do not exist or contradict each other, and flags without a witness."""
    text = made("terms", "gbnf", None).text or ""

    assert text.count(old) == 1
    assert refusal(tmp_path / "a", text.replace(old, new)) == "LC0530"


def test_files_that_are_none(tmp_path: Path) -> None:
    """A missing file and a folder have the codes that they have everywhere."""
    for path, code in ((tmp_path / "none", "LC0001"), (tmp_path, "LC0002"), (Path("a\0b"), "LC0003")):
        with pytest.raises(LangcError) as caught:
            open_artefact(path)

        assert caught.value.diagnostics[0].code == code


def test_the_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many bytes as the limit are read, one more is an error."""
    path = tmp_path / "a"
    monkeypatch.setattr(artefact, "MAX_ARTIFACT_BYTES", len(HAND))

    assert opened(path, HAND, "gbnf").data == HAND.encode()
    assert refusal(path, HAND + "\n", "gbnf") == "LC0701"
