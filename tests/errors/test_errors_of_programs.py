"""Golden diagnostics that no policy file can cause alone: of the API, the targets, the tokenizers and the command line.

The message of case `NAME` is in `programs/NAME.stderr`; a name begins with its code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import langc
from langc.compiler import explain
from langc.compiler.cli import run
from langc.compiler.doctor.server import Server
from langc.compiler.errors import LangcError
from langc.compiler.render import render_all
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.environment.names import Environment, Group
from langc.compiler.surfaces.model import Reference, Rule, Sort, Surface
from langc.compiler.tokens.joined.parts import Part
from langc.compiler.unicode import ucd
from langc.compiler.verify.artefact import Readable, open_artefact
from langc.compiler.verify.languages import measure
from langc.targets.runtime._grammars import schema_text
from langc.targets.runtime._needs import needs
from tests.conftest import Golden
from tests.unit.tokens.paths import Copied
from tests.unit.tokens.toys import BYTES_AND_EOS

FOLDER = Path(__file__).parent / "programs"
KO = langc.parse_policy(r"policy t { deny \p{Script=Han}; }")


@cache
def _vocabulary() -> langc.Vocabulary:
    """All bytes, end-of-sequence, and 2,000 Han characters, more than any server's cap."""
    tokens = [bytes([i]) for i in range(256)] + [chr(0x4E00 + i).encode() for i in range(2_000)]
    return langc.load_vocabulary([*tokens, "<eos>"])


def _only_ascii() -> langc.Vocabulary:
    return langc.load_vocabulary(["a", "b", "<eos>"])


def _bias(**options: object) -> object:
    return langc.compile(KO, "logit-bias", _vocabulary(), allow=("over", "under"), **options)  # type: ignore[arg-type]


def _many_phrases() -> langc.Policy:
    words = ", ".join(f'"{first}{second}{third}"' for first in "abcde" for second in "fghij" for third in "klmno")
    return langc.parse_policy(f"policy t {{ deny phrase {words}; }}")


def _lost() -> object:
    matcher = langc.Matcher(KO, _vocabulary())
    matcher.sync("漢".encode())
    return matcher.mask()


def _surface(*names: str) -> Engine:
    """A text is one name."""
    rules = {"start": Rule("start", Reference("Table"))}
    surface = Surface("tables", "start", rules, {}, {"Table": Sort("Table")}, {})
    return Engine(surface, Environment("shop", {"Table": Group.of_names("Table", names)}))


def _loaded(*names: str) -> langc.LoadedSurface:
    engine = _surface(*names)
    return langc.LoadedSurface(engine.surface, engine.environment, {})


def _cut_surface() -> object:
    """The artefact of a surface without its last half."""
    text = langc.compile(_loaded("user"), "processor").text or ""
    Path("cut.json").write_text(text[: len(text) // 2], encoding="utf-8")
    return langc.load_surface("cut.json")


def _joined(*texts: str, json: bool = False) -> object:
    """The mask of parts that know one text each, after some of it; beside a policy if they write JSON."""
    parts: list[Part] = [langc.Matcher(KO, BYTES_AND_EOS)] if json else []
    for text in texts:
        known = frozenset([tuple(text.encode())])
        part = Copied(BYTES_AND_EOS, 257, known, known)
        vars(part)["writes_json"] = json
        parts.append(part)
    matcher = langc.JoinedMatcher(*parts)
    matcher.sync("이름: ".encode())
    return matcher.mask()


def _without_torch() -> None:
    with needs("transformers"):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")


class _NotFound(Server):
    """A server that has no `/completion`."""

    def _request(self, body: bytes) -> tuple[int, bytes]:
        return 404, b'{"error": {"message": "File Not Found"}}'


def _verify(text: str, target: str | None = None, dialect: str | None = None) -> object:
    """A file of a user's, compared with `KO`."""
    Path("my.gbnf").write_text(text, encoding="utf-8")
    readable = open_artefact("my.gbnf", target, dialect)
    return measure(KO, readable)


def _schema(schema: str) -> object:
    """A schema from a file of a user's, under `KO`."""
    Path("my.json").write_text(schema, encoding="utf-8")
    policy = KO.with_(json_schema=Path("my.json"))
    assert not policy.dfa.is_empty
    if policy.warnings:
        raise LangcError(policy.warnings)
    return policy


PROGRAMS: dict[str, Callable[[], object]] = {
    "lc0007": lambda: explain.page("LC9999"),
    "lc0008": lambda: langc.load_policy("kp"),
    "lc0012": _without_torch,
    "lc0305_mode": lambda: KO.with_(mode="sfot"),
    "lc0305_bias": lambda: KO.with_(mode="soft", bias=-1),
    "lc0306": lambda: KO.with_(exempt=["cdoe"]),
    "lc0307": lambda: langc.Matcher(KO, _vocabulary(), on_dead_end="ignore"),
    "lc0308": lambda: (
        langc.parse_policy('policy t { deny [漢]; region m = between "$`" "`$" { any } }').with_(exempt=["code"]).dfa
    ),
    "lc0309_strength": lambda: KO & langc.load_policy("en").with_(mode="soft"),
    "lc0309_json": lambda: KO.with_(json_strings=True) & langc.load_policy("en"),
    "lc0318": lambda: langc.StreamGuard(KO, on_violation="pass"),
    "lc0322": lambda: langc.parse_policy('policy t { use "other.policy"; deny [a]; }'),
    "lc0346": lambda: KO.with_(exempt=["think"], inside="thnik"),
    "lc0346_none": lambda: KO.with_(exempt=["code"], inside="code"),
    "lc0360": lambda: KO.with_(json_strings=True, mode="soft"),
    "lc0360_both": lambda: KO.with_(json_strings=True, json_schema={"type": "string"}),
    "lc0361": lambda: _schema('{\n  "type": "string",\n  "type": "integer"\n}'),
    "lc0361_comma": lambda: _schema('{"type": "string",}'),
    "lc0361_program": lambda: KO.with_(json_schema={"const": {1, 2}}),
    "lc0362": lambda: _schema('{\n  "type": "array",\n  "items": {"type": "integer"},\n  "uniqueItems": true\n}'),
    "lc0362_misspelt": lambda: _schema('{"type": "string", "maxLenght": 3}'),
    "lc0362_not": lambda: _schema('{"type": "string", "not": {"const": "a"}}'),
    "lc0363": lambda: _schema('{"type": "object", "properties": {"a/b": {"type": "strin"}}}'),
    "lc0364": lambda: _schema('{\n  "type": "object",\n  "properties": {"child": {"$ref": "#"}}\n}'),
    "lc0365": lambda: _schema(
        '{"oneOf": [\n  {"type": "object", "properties": {"a": {"type": "null"}}},\n  {"type": "object"}\n]}'
    ),
    "lc0366": lambda: _schema('{"enum": ["管理者", "使用者"]}'),
    "lc0366_bounds": lambda: _schema('{"type": "integer", "minimum": 3, "exclusiveMaximum": 3}'),
    "lc0367": lambda: _schema('{"$ref": "#/$defs/persn", "$defs": {"person": {"type": "string"}}}'),
    "lc0368": lambda: _schema('{"type": "string", "pattern": "^(?!admin)[a-z]+$"}'),
    "lc0369": lambda: _schema('{"type": "string", "format": "hostname"}'),
    "lc0370": lambda: _schema('{"type": "object", "properties": {"extra": {}}}'),
    "lc0402": lambda: langc.Matcher(langc.parse_policy(r"policy t { only \p{Script=Thai}; }"), _only_ascii()),
    "lc0402_surface": lambda: langc.SurfaceMatcher(_surface(), _vocabulary()),
    "lc0403": _lost,
    "lc0404": lambda: langc.StreamGuard(KO).feed_text("설정 파일을 確認했어요"),
    "lc0404_phrase": lambda: langc.StreamGuard(
        langc.parse_policy('policy t { replace [—] with "-"; deny phrase "as an AI" { ignore case; } }')
    ).feed_text("Well — As an AI I cannot."),
    "lc0405": lambda: langc.Matcher(KO.with_(exempt="think", inside="think"), _vocabulary(), max_tokens=7),
    "lc0405_phrases": lambda: langc.Matcher(_many_phrases(), _vocabulary(), max_tokens=7),
    "lc0405_surface": lambda: langc.SurfaceMatcher(_surface("user"), _vocabulary(), max_tokens=2),
    "lc0406": lambda: langc.SurfaceMatcher(_surface("user"), langc.load_vocabulary(["user", "us", "e", "r", "<eos>"])),
    "lc0501": lambda: langc.compile(KO, "logit-bias", _vocabulary(), cap="none", method="loose"),
    "lc0502": lambda: langc.compile(KO, "processor"),
    "lc0503_dialect": lambda: langc.compile(KO, "regex", dialect="rsut"),
    "lc0503_option": lambda: langc.compile(KO, "gbnf", methd="tight"),
    "lc0503_flag": lambda: langc.compile(KO, "gbnf", allow="ovre"),
    "lc0504": lambda: langc.compile(KO, "gbnff"),
    "lc0505": lambda: langc.compile(KO.with_(mode="soft"), "gbnf"),
    "lc0506": lambda: langc.arrays.PolicyProcessor.from_file("none.safetensors"),
    "lc0520": lambda: _bias(dialect="vllm"),
    "lc0521": lambda: _bias(budget="many"),
    "lc0522": lambda: _bias(dialect="openai", value="1000"),
    "lc0523": lambda: langc.compile(KO.with_(exempt=["think"]), "logit-bias", _vocabulary()),
    "lc0524": lambda: langc.compile(
        langc.parse_policy("policy t { only [漢]; }"),
        "logit-bias",
        langc.load_vocabulary([b"\xe6", b"\xbc\xa2", "<eos>"]),
    ),
    "lc0525": lambda: langc.compile(KO, "banned-strings", allow=("over", "under")),
    "lc0530": lambda: _verify('root ::= [^漢] tail\ntail ::= "a" tail "b"\n', "gbnf"),
    "lc0531": lambda: _verify('root ::= "a"\n'),
    "lc0532": lambda: _verify(langc.compile(KO, "gbnf").text or "", "xgrammar"),
    "lc0533": lambda: measure(KO, Readable("mine", "a", {}, b"", "my.file")),
    "lc0650": lambda: langc.Matcher(KO, _vocabulary(), rows=10),
    "lc0660": lambda: _joined("이름: 漢", "이름: 한\u200b"),
    "lc0661": lambda: langc.JoinedMatcher(langc.Matcher(KO, _vocabulary()), langc.Matcher(KO, _only_ascii())),
    "lc0662": lambda: _joined('"漢"', json=True),
    "lc0663": lambda: schema_text({"type": b"string"}),
    "lc0950": lambda: langc.compile(_loaded("user"), "regex"),
    "lc0951": lambda: langc.compile(_loaded(), "gbnf", allow="over"),
    "lc0952": _cut_surface,
    "lc0850": lambda: Server("localhost:8080"),
    "lc0851": lambda: _NotFound("http://localhost:8080/v1").complete(""),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_is_told(name: str, golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A faulty call gets exactly the message that was read and found good."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LangcError) as caught:
        PROGRAMS[name]()

    assert name.split("_")[0] in {d.code.lower() for d in caught.value.diagnostics}
    golden(FOLDER / f"{name}.stderr", render_all(caught.value.diagnostics) + "\n")


COMMANDS: dict[str, tuple[str, list[str]]] = {
    "lc0010": ("", ["compile", "ko", "--target", "gbnf", "-o", "none/ko.gbnf"]),
    "lc0020": ("", ["compile", "ko", "--targte", "gbnf"]),
    "lc0570": (r"policy t { deny [a]; }", ["pressure", "t.policy", "t.policy"]),
    "lc0801": (r'policy t { deny [a]; accept "a"; }', ["test", "t.policy"]),
    "lc0802": (r'policy t { deny [a]; reject "b"; }', ["test", "t.policy"]),
    "lc0803": (r'policy t { deny [a]; reject "ba" at 0; }', ["test", "t.policy"]),
    "lc0804": (r"policy t { deny [a]; }", ["test", "t.policy"]),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_user_is_told(
    name: str, golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A faulty command, or a policy whose tests fail, gets exactly this, on either stream."""
    policy, arguments = COMMANDS[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.policy").write_text(policy, encoding="utf-8")
    run(arguments)
    told = "".join(capsys.readouterr())

    assert name.split("_")[0].upper() in told
    golden(FOLDER / f"{name}.stderr", told)


def test_another_unicode_version_is_refused(monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    """Data of another version would give a policy another meaning."""
    monkeypatch.setattr("unicodedata2.unidata_version", "17.0.0")
    with pytest.raises(LangcError) as caught:
        ucd.load()

    golden(FOLDER / "lc0215.stderr", render_all(caught.value.diagnostics) + "\n")


def test_every_code_that_no_policy_file_causes_has_a_message_here_or_with_its_kind() -> None:
    """All but those that need a device, a closed stream, little memory or a tokenizer file."""
    here = {p.stem.split("_")[0].upper() for p in FOLDER.glob("*.stderr")}
    with_policies = {p.stem.split("_")[0].upper() for p in FOLDER.parent.glob("*.stderr")}
    with_names = {p.stem.split("_")[0].upper() for p in (FOLDER.parent / "environments").glob("*.stderr")}
    tokenizers = {c for c in explain.codes() if c.startswith("LC06")}
    streams = {"LC0001", "LC0002", "LC0003", "LC0009", "LC0011", "LC0702"}

    assert set(explain.codes()) <= here | with_policies | with_names | tokenizers | streams
