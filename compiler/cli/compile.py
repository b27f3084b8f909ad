"""`langc compile`: a policy to one target or to several.

Invariant: everything is compiled before anything is written, so a failure leaves no file behind.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from langc import targets
from langc.compiler.api import compile, load_vocabulary
from langc.compiler.cli.console import Console, to_json
from langc.compiler.cli.files import STREAM, read_chunks, write_files
from langc.compiler.cli.options import (
    Strength,
    color_option,
    env_option,
    json_option,
    load,
    policy_argument,
    policy_warnings,
    strength_options,
    tokenizer_option,
)
from langc.compiler.cli.outline import outline
from langc.compiler.cli.surface_compile import compile_surfaces, load_given
from langc.compiler.cli.usage import wrong
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy
from langc.compiler.render import visible
from langc.compiler.target import Artifact, Option
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.names import show_text

_TARGET = ("-t", "--target")


class _WithTargetOptions(click.Command):
    """Has the options of the targets that the command line names, and of all targets if it names none."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[__name__] = _named(args) or targets.names()
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *_target_options(ctx.meta.get(__name__, ()))]


def _named(args: Sequence[str]) -> list[str]:
    """The known targets among the values of `--target`, before click has read anything."""
    values = [_value(word, after) for word, after in zip(args, [*args, ""][1:], strict=True)]
    return [v for v in dict.fromkeys(values) if v in targets.names()]


def _value(word: str, after: str) -> str | None:
    """What `--target X`, `--target=X`, `-t X` and `-tX` name."""
    if word in _TARGET:
        return after
    long = word.removeprefix("--target=")
    return long if long != word else word.removeprefix("-t")


def _target_options(names: Iterable[str]) -> list[click.Parameter]:
    by_name: dict[str, list[tuple[str, Option]]] = {}
    for name in names:
        for option in targets.get(name).options:
            by_name.setdefault(option.name, []).append((name, option))
    return [_target_option(option, [t for t, _ in uses]) for uses in by_name.values() for _, option in uses[:1]]


def _target_option(option: Option, used_by: list[str]) -> click.Option:
    return click.Option(
        [f"--{option.name}", _parameter(option)],
        metavar="|".join(option.choices) if option.choices else "VALUE",
        help=f"{', '.join(used_by)}: {option.help}" + (f" [{option.default}]" if option.default else ""),
    )


def _parameter(option: Option) -> str:
    return "option_" + option.name.replace("-", "_")


def _complete_target(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in targets.names() if name.startswith(incomplete)]


@click.command(
    cls=_WithTargetOptions,
    epilog="""\b
Examples:
  langc compile ko --target gbnf -o ko.gbnf
  langc compile ko --target regex --dialect pcre2
  langc compile ko --use no-invisible --use house.policy --target gbnf
  langc compile ko --target logit-bias --tokenizer tokenizer.json --keep emoji --allow over,under
  langc compile ko --target gbnf --target processor --tokenizer tokenizer.json -o build
  langc compile sql --env shop.db --target processor -o sql.json
  langc compile sql --env shop.db --target gbnf --allow over
  langc compile sql --use house.policy --env shop.db --target processor -o sql.json
""",
)
@policy_argument
@click.option(
    *_TARGET,
    "names",
    multiple=True,
    required=True,
    metavar="TARGET",
    shell_complete=_complete_target,
    help="What to compile to, see `langc targets`; may be given several times.",
)
@tokenizer_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(),
    help="The file to write, or - for stdout, the default; with several targets the folder.",
)
@click.option("--allow", default="", metavar="FLAGS", help="Accept an artefact that is over, under, or over,under.")
@click.option("--dialect", metavar="NAME", help="The target's dialect.")
@click.option("--frozen", is_flag=True, help="Write nothing; exit with 1 if FILE is not what would be written.")
@env_option
@strength_options
@json_option
@color_option
@click.pass_obj
def command(
    console: Console,
    /,
    policy: str,
    names: tuple[str, ...],
    env: Mapping[str, str],
    tokenizer: str | None,
    output: str | None,
    allow: str,
    dialect: str | None,
    frozen: bool,
    strength: Strength,
    **given: str | None,
) -> int:
    """Compile a POLICY to a target.

    The artefact is exact, or it is an error: what is lost or leaked must be allowed by name with --allow.

    POLICY may be a surface: processor takes it whole; gbnf, xgrammar and llguidance a snapshot of it, which is over. A
    policy that names a surface is taken together with it, by processor.
    """
    from langc.compiler.surfaces.syntax.choose import is_surface

    folder = _folder(names, output)
    if frozen and output in (None, STREAM):
        raise LangcError(wrong("--frozen compares with a file", help="name it with `-o FILE`"))
    loaded = None if is_surface(policy) else load(policy, strength)
    if loaded is None or loaded.lowered.surfaces:
        surface = load_given(policy, loaded, env, strength)
        compiled = compile_surfaces(console, surface, names, tokenizer, allow, dialect)
        return _deliver(console, _results(compiled.name, compiled.artifacts, output, folder), frozen, compiled.warnings)
    if env:
        raise LangcError(wrong("--env is for surfaces", help=f"{policy} is a policy that names none; leave it out"))
    with console.working("compiling") if tokenizer else nullcontext():
        vocabulary = load_vocabulary(tokenizer) if tokenizer else None
        artifacts = [_compile(loaded, name, vocabulary, allow, dialect, given) for name in dict.fromkeys(names)]
    warnings = (*policy_warnings(loaded), *(vocabulary.warnings if vocabulary else ()))
    return _deliver(console, _results(loaded.name, artifacts, output, folder), frozen, warnings)


def _deliver(console: Console, results: Sequence[_Result], frozen: bool, warnings: Sequence[Diagnostic]) -> int:
    """Writes what was made, or compares it."""
    if frozen:
        return _compare(console, results)
    _check_stdout(console, results)
    write_files({r.path: r.artifact.content for r in results if r.path})
    if console.json:
        found = [r.to_json() | {"warnings": to_json(warnings)} for r in results]
        console.result({"artifacts": found} if len(found) > 1 else found[0])
    else:
        _tell(console, results, warnings)
    return 0


@dataclass(frozen=True)
class _Result:
    """An artefact and the file that it goes to, None for stdout."""

    artifact: Artifact
    path: Path | None

    @property
    def is_stale(self) -> bool:
        """Whether the file is missing or holds something else. Raises LangcError if it cannot be read."""
        if self.path is None or not self.path.exists():
            return True
        return b"".join(read_chunks(str(self.path))) != self.artifact.content

    def to_json(self) -> dict[str, object]:
        """What is known of the artefact, and its text if no file holds it."""
        artifact, fidelity = self.artifact, self.artifact.fidelity
        result: dict[str, object] = {
            "target": artifact.target,
            "dialect": artifact.dialect,
            "header": dict(artifact.header),
            "fidelity": {"flags": list(fidelity.flags), "over": fidelity.over, "under": fidelity.under},
            "report": artifact.report,
            "path": str(self.path) if self.path else None,
            "bytes": len(artifact.content),
        }
        return result if self.path else result | {"text": artifact.text}

    def summary(self) -> str:
        """The same for people."""
        artifact, fidelity = self.artifact, self.artifact.fidelity
        dialect = f" ({artifact.dialect})" if artifact.dialect else ""
        size = f"{len(artifact.content):,} bytes"
        lines = [f"{self.path or artifact.target}{dialect}: {', '.join(fidelity.flags)}, {size}"]
        if fidelity.over is not None:
            lines.append(f"  passes and should not: {show_text(fidelity.over)}")
        if fidelity.under is not None:
            lines.append(f"  is blocked and should pass: {show_text(fidelity.under)}")
        return "\n".join(map(visible, [*lines, *outline(artifact.report, "  ")]))


def _compile(
    policy: Policy,
    name: str,
    vocabulary: Vocabulary | None,
    allow: str,
    dialect: str | None,
    given: Mapping[str, str | None],
) -> Artifact:
    """One artefact, with those of the options that its target has."""
    target = targets.get(name)
    options = {o.name: given.get(_parameter(o)) for o in target.options}
    return compile(policy, name, vocabulary, allow=allow, dialect=dialect, **options)


def _folder(names: Sequence[str], output: str | None) -> Path | None:
    """Where several artefacts go. Raises LangcError (LC0020) if that is no folder."""
    if len(set(names)) == 1:
        return None
    if output is None or not Path(output).is_dir():
        raise LangcError(wrong("several targets need a folder that exists", help="name it with `-o FOLDER`"))
    return Path(output)


def _results(name: str, artifacts: Sequence[Artifact], output: str | None, folder: Path | None) -> list[_Result]:
    if folder is not None:
        return [_Result(a, folder / _file_name(name, a)) for a in artifacts]
    return [_Result(artifacts[0], None if output in (None, STREAM) else Path(output or ""))]


def _file_name(name: str, artifact: Artifact) -> str:
    """`ko.gbnf`, `ko.processor.safetensors`."""
    kind = f".{artifact.target}"
    return name + (kind if artifact.suffix == kind else kind + artifact.suffix)


def _check_stdout(console: Console, results: Sequence[_Result]) -> None:
    """Raises LangcError if there is no stdout to write to (LC0010), or bytes would go where only text can (LC0011)."""
    for result in results:
        if result.path is None:
            console.require_stdout()
        if result.path is None and result.artifact.text is None and (console.json or sys.stdout.isatty()):
            raise LangcError(
                Diagnostic(
                    "LC0011",
                    f"the artefact of target {result.artifact.target} is binary and cannot be shown",
                    help="write it to a file with `-o FILE`",
                )
            )


def _tell(console: Console, results: Sequence[_Result], warnings: Sequence[Diagnostic]) -> None:
    console.report(warnings)
    for result in results:
        if result.path is None:
            console.data(result.artifact.content)
        console.note(result.summary())


def _compare(console: Console, results: Sequence[_Result]) -> int:
    """What `--frozen` does."""
    stale = [str(r.path) for r in results if r.is_stale]
    if console.json:
        console.result({"ok": not stale, "stale": stale})
    else:
        for path in stale:
            console.out(f"{visible(path)} is not what would be written")
    return 1 if stale else 0
