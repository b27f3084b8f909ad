"""Γ of the installed git: its commands, their subcommands and the options of each.

Candidates come from what git says of itself (`--list-cmds`, `--git-completion-helper-all`, `-h`, `--help-all`) and,
where they are installed, from its manual pages; git's own parsers decide about each of them (`probing`), in a
throw-away repository without network. Names of letters are all tried.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from string import ascii_letters, digits

from langc.compiler.surfaces.environment.tools.probing import (
    FIRST,
    SECOND,
    Acting,
    Named,
    Probe,
    Taken,
    complaint,
    is_usage,
    taken,
)
from langc.compiler.surfaces.environment.tools.sandbox import Sandbox, each, sandbox

VARIABLES = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_ASKPASS": "true",
    "FILTER_BRANCH_SQUELCH_WARNING": "1",
}
LEFT_OUT = frozenset({"http-backend", "shell"})
"""Commands without options of their own that a server starts."""
NEEDED: dict[tuple[str, ...], tuple[str, ...]] = {
    ("cherry-pick",): ("HEAD",),
    ("diff-files",): (),
    ("diff-index",): ("HEAD",),
    ("diff-tree",): ("HEAD",),
    ("fast-export",): ("HEAD",),
    ("rev-list",): ("HEAD",),
    ("revert",): ("HEAD",),
    ("stash", "show"): (),
}
"""Commands whose parsers print their usage only, and the operands with which they can be run."""
DEFAULTED = (("reflog",), ("stash",))
"""Commands whose options are those of the subcommand that is meant if none is written."""
WRITING = frozenset({"cherry-pick", "revert"})
_TERMS = "--term-new: --term-new= --term-old: --term-old= --term-bad: --term-bad= --term-good: --term-good="
STATED = {
    "bisect start": f"{_TERMS} --no-checkout --first-parent",
    "bisect terms": "--term-good --term-old --term-bad --term-new",
    "check-ref-format": "--normalize --print --allow-onelevel --no-allow-onelevel --refspec-pattern --branch:",
    "daemon": "--verbose --syslog --export-all --timeout= --init-timeout= --max-connections= --strict-paths "
    "--base-path= --base-path-relaxed --user-path --user-path= --interpolated-path= --reuseaddr --pid-file= "
    "--enable= --disable= --allow-override= --forbid-override= --access-hook= --inetd --listen= --port= --detach "
    "--user= --group= --log-destination= --informative-errors --no-informative-errors",
    "fetch-pack": "-q --quiet -k --keep --all --stdin --thin --include-tag --upload-pack= --depth= --no-progress "
    "--diag-url -v",
    "filter-branch": "-f --force --remap-to-ancestor --prune-empty -d: --setup: --subdirectory-filter: --env-filter: "
    "--tree-filter: --index-filter: --parent-filter: --msg-filter: --commit-filter: --tag-name-filter: --original: "
    "--state-branch:",
    "index-pack": "-v -o: --keep --keep= --rev-index --no-rev-index --verify --verify-stat --strict --stdin --fix-thin",
    "merge-index": "-a",
    "mergetool": "-t: --tool: --tool= --tool-help -g --gui --no-gui -y --no-prompt --prompt -O=",
    "pack-redundant": "--verbose --alt-odb --all",
    "rev-parse": "--revs-only --no-revs --flags --no-flags --default: --prefix: --verify -q --quiet --sq --short "
    "--short= --not --abbrev-ref --abbrev-ref= --symbolic --symbolic-full-name --all --branches --branches= --tags "
    "--tags= --remotes --remotes= --glob= --exclude= --exclude-hidden= --disambiguate= --local-env-vars --path-format= "
    "--git-dir --git-common-dir --resolve-git-dir: --git-path: --show-toplevel "
    "--show-superproject-working-tree --shared-index-path --absolute-git-dir --is-inside-git-dir "
    "--is-inside-work-tree --is-bare-repository --is-shallow-repository --show-object-format "
    "--show-object-format= --show-cdup --show-prefix --since= --after= --until= --before=",
    "rev-parse --parseopt": "--keep-dashdash --stop-at-non-option --stuck-long",
    "rev-parse --sq-quote": "",
    "submodule": "-q --quiet --cached",
    "submodule absorbgitdirs": "",
    "submodule add": "-b: --branch: -f --force -q --quiet --progress --reference: --reference= --dissociate --name: "
    "--depth: --depth=",
    "submodule deinit": "-f --force -q --quiet --all",
    "submodule foreach": "-q --quiet --recursive",
    "submodule init": "-q --quiet",
    "submodule set-branch": "-q --quiet -d --default -b: --branch:",
    "submodule set-url": "-q --quiet",
    "submodule status": "-q --quiet --cached --recursive",
    "submodule summary": "--cached --files --for-status -n: --summary-limit: --summary-limit=",
    "submodule sync": "-q --quiet --recursive",
    "submodule update": "-q --quiet --progress -i --init --require-init --remote -N --no-fetch -f --force -r --rebase "
    "--reference: --reference= --dissociate -m --merge --recursive --checkout --recommend-shallow "
    "--no-recommend-shallow --depth: --depth= -j: --jobs: --jobs= --single-branch --no-single-branch --filter: "
    "--filter=",
    "unpack-objects": "-n -q -r --strict",
    "var": "-l",
}
"""Options of commands that read them by hand: shell scripts, and old programs. `:` a value apart, `=` one joined."""
ALSO = {
    "diff": "--cached --staged --merge-base",
    "difftool": "--cached --staged --merge-base",
}
"""Options that are looked for last, so that no complaint is to be had behind them."""
PASSING = frozenset(
    {
        ("bisect", "run"), ("bisect", "view"), ("bisect", "visualize"), ("config",), ("for-each-repo",), ("rev-parse",),
        ("submodule", "foreach"),
    }
)  # fmt: skip
"""Commands to which all that follows the first operand is one command line or a row of values."""
ANYWHERE = frozenset({"daemon", "index-pack", "merge-index", "rev-parse"})
"""Those of them whose options may stand behind operands."""
MODES = {"diff": ("--no-index",), "rev-parse": ("--parseopt", "--sq-quote")}
"""Options of a command that make it another one, with options of its own, where they stand before all others."""
WORDED = frozenset({"--no-walk"})
"""Options whose value is one of few words: with any other git does not know them. They are offered without it."""
PARTS = {
    "bisect": "start bad new good old terms skip next reset visualize view replay log run help",
    "credential": "fill approve reject",
    "credential-cache": "get store erase exit",
    "credential-store": "get store erase",
    "instaweb": "start stop restart",
    "rerere": "clear forget diff remaining status gc",
    "submodule": "add status init deinit update set-branch set-url summary foreach sync absorbgitdirs",
    "subtree": "add merge split pull push",
}
"""Subcommands of commands that list theirs in no form for programs."""
TWO_SETS = frozenset({("bundle", "create"), ("merge-index",)})
"""Commands that read other options behind an operand than before it."""
_HISTORY = (
    "annotate blame bundle cherry cherry-pick diff diff-files diff-index diff-tree difftool fast-export format-patch "
    "log pickaxe range-diff reflog rev-list revert shortlog show show-branch stash whatchanged"
)
HISTORY = frozenset(_HISTORY.split())
"""Commands that read the options of `log` or of `diff` as well."""
DIFFS = frozenset({"diff", "difftool"})
"""Of these only what is described: options of `log` mean nothing to them, and are unknown outside of a repository."""
HISTORY_PAGES = ("git-log", "git-rev-list", "git-diff", "git-format-patch")
_DEFINITION = re.compile(r"\s+-")
_VALUED = re.compile(r"(?<![\w-])(--[A-Za-z0-9][A-Za-z0-9-]*|-[A-Za-z])(?=\[?=|\[?<| <)")
_LETTER = re.compile(r"(?:^ +|, )-([A-Za-z0-9])\b", re.M)
_SEVERAL = 3
_LONG = re.compile(r"(?<![\w-])--(\[no-\])?([A-Za-z0-9][A-Za-z0-9-]*)")
ASKING = frozenset(
    {"exclude-guides", "no-exclude-guides", "help", "help-all", "git-completion-helper", "git-completion-helper-all"}
)
KINDS = {
    (True, False, False): "Flag",
    (True, True, False): "Optional",
    (False, True, True): "Valued",
    (False, True, False): "Joined",
    (False, False, True): "Apart",
}
LETTERS = ascii_letters + digits + "#?@"


@dataclass
class Place:
    """A command or a subcommand, with what was found out about it."""

    words: tuple[str, ...]
    options: dict[str, list[object]] = field(default_factory=dict)
    attributes: set[str] = field(default_factory=set)
    mixed: bool = False
    """Whether options may stand behind operands."""
    parts: list[Place] = field(default_factory=list)
    modes: list[Place] = field(default_factory=list)

    def value(self) -> dict[str, object]:
        """As an entry of an environment file."""
        members = {sort: self.options[sort] for sort in sorted(self.options) if self.options[sort]}
        if self.parts:
            members["Subcommand"] = [part.value() for part in self.parts]
        if self.modes:
            members["Mode"] = [mode.value() for mode in self.modes]
        found: dict[str, object] = {"name": self.words[-1].lstrip("-") if self.words else "git"}
        if self.attributes:
            found["attributes"] = sorted(self.attributes)
        if members:
            found["members"] = members
        return found


@dataclass
class Git:
    """The installed git, and the repository in which it is asked."""

    sandbox: Sandbox

    def run(self, *words: str, fresh: bool = False) -> str:
        """What git prints on both channels."""
        return self.sandbox.run(["git", *words], fresh).text

    def prepare(self) -> None:
        """A repository of two commits."""
        settings = ("-c", "user.name=n", "-c", "user.email=n@example.org")
        self.run("init", "-q", "-b", "main")
        shutil.rmtree(self.sandbox.work / ".git" / "hooks", ignore_errors=True)
        self.run("config", "user.name", "n")
        self.run("config", "user.email", "n@example.org")
        for text in ("1\n", "2\n"):
            (self.sandbox.work / "f").write_text(text)
            self.run("add", "f")
            self.run(*settings, "commit", "-q", "-m", text)
        (self.sandbox.work / "f").write_text("3\n")
        self.run("stash")

    # --- candidates ------------------------------------------------------------------------------------

    def commands(self) -> list[str]:
        """All commands that people call."""
        listed = self.sandbox.run(["git", "--list-cmds=main"]).out.split()
        return [name for name in listed if "--" not in name and not name.startswith("remote-")]

    def subcommands(self, command: str) -> list[str]:
        """The subcommands of a command."""
        if command in PARTS:
            return PARTS[command].split()
        if command in LEFT_OUT:
            return []
        helped = self.sandbox.run(["git", command, "--git-completion-helper-all"])
        return [] if helped.code else [word for word in helped.out.split() if not word.startswith("-")]

    def candidates(self, words: tuple[str, ...]) -> list[str]:
        """Long options that a command may have."""
        asked = ("--git-completion-helper-all", "--help-all", "-h") if words else ("--help",)
        texts = [*(self.run(*words, flag) for flag in asked), *map(manual, self.pages(words))]
        names = {name for text in texts for _, name in _LONG.findall(text)}
        names |= {f"no-{name}" for text in texts for no, name in _LONG.findall(text) if no}
        if words not in NEEDED:
            names |= {name.removeprefix("no-") for name in names}
            names |= {f"no-{name}" for name in names}
        return sorted(f"--{name}" for name in names - ASKING if not name.startswith("no-no-"))

    # --- places ----------------------------------------------------------------------------------------

    def tool(self) -> Place:
        """Git as a whole: the options before a command, and the commands."""
        place = Place((), attributes={"tool"})
        self._options(place, Named(self.sandbox, ("git",)))
        options = [*(f"-{letter}" for letter in LETTERS), *self.candidates(()), "--help"]
        answers = [option for option in options if self.sandbox.run(["git", option]).code == 0]
        for sort in ("Flag", "LetterFlag"):
            row = place.options.get(sort, [])
            place.options[sort] = [entry for entry in row if _name(entry) not in {o.lstrip("-") for o in answers}]
        place.options.pop("Joined", None)  # --exec-path=x: other programs than those that are known here
        place.options["Query"] = [option[2:] for option in answers if len(option) > 2]
        place.options["LetterQuery"] = [option[1:] for option in answers if len(option) == 2]
        return place

    def place(self, words: tuple[str, ...]) -> Place:
        """All that is known of a command or a subcommand."""
        place = Place(words)
        if " ".join(words) in STATED:
            _stated(place, STATED[" ".join(words)])
            place.mixed = words[0] in ANYWHERE
            self._operands(place)
        elif words[0] not in LEFT_OUT:
            probe = self._probe(words)
            if probe is not None:
                self._options(place, probe)
            _stated(place, ALSO.get(" ".join(words), ""))
            self._operands(place)
        if words in DEFAULTED:
            place.attributes.add("first")
        if len(words) == 1:
            place.parts = [self.place((*words, name)) for name in self.subcommands(words[0])]
            place.modes = [self.place((*words, name)) for name in MODES.get(words[0], ())]
            _without(place, MODES.get(words[0], ()))
        return place

    def _probe(self, words: tuple[str, ...]) -> Probe | None:
        command = ("git", *words)
        if words in NEEDED:
            return Acting(self.sandbox, command, NEEDED[words], self._valued(words), words[0] in WRITING)
        named = Named(self.sandbox, command)
        return named if named.accepts([]) else None

    def _options(self, place: Place, probe: Probe) -> None:
        behind = self._behind(place.words, probe)
        if behind is not None and place.words in TWO_SETS:
            probe = behind
        found = self._taken(place.words, probe)
        place.mixed = behind is not None and any(behind.accepts(way.example) for way in found.values())
        for option, way in found.items():
            place.options.setdefault(_sort(option, way), []).append(option.lstrip("-"))
        own = set(_LETTER.findall(self.run(*place.words, "-h")))
        _clusters(place, {option[1:]: way for option, way in found.items() if len(option) == 2}, probe, own)
        if "-1" in found and probe.accepts(["-12"]):
            _counts(place)

    def _taken(self, words: tuple[str, ...], probe: Probe) -> dict[str, Taken]:
        found = {
            option: taken(probe, option)
            for option in (*(f"-{c}" for c in self.letters(words)), *self.candidates(words))
        }
        known = {option: way for option, way in found.items() if way is not None}
        known |= {option: replace(known[option], joined=False) for option in WORDED & known.keys()}
        known |= {f"-{letter}": replace(known[f"-{letter}"], joined=False) for letter in _counted(probe, known)}
        defined = self._defined(words)
        return {option: way for option, way in known.items() if not _is_shortened(option, known) or option in defined}

    def _defined(self, words: tuple[str, ...]) -> set[str]:
        """The long options that are described, and not only spoken of."""
        helped = [self.run(*words, "--git-completion-helper-all"), self.run(*words, "-h")]
        if words and words[0] in HISTORY:
            helped.append(self.run("diff", "--git-completion-helper-all"))
        lines = [line for page in self.pages(words) for line in manual(page).splitlines() if _DEFINITION.match(line)]
        return {f"--{no}{name}" for text in (*helped, *lines) for _, name in _LONG.findall(text) for no in ("", "no-")}

    def _valued(self, words: tuple[str, ...]) -> frozenset[str]:
        """The options that are described with a value."""
        texts = [self.run(*words, "-h"), *map(manual, self.pages(words))]
        return frozenset(option for text in texts for option in _VALUED.findall(text))

    def pages(self, words: tuple[str, ...]) -> list[str]:
        """The manual pages with a command's options."""
        own = "-".join(("git", *words[:1]))
        if words and words[0] in DIFFS:
            return [own, "git-diff"]
        return [own, *(HISTORY_PAGES if words and words[0] in HISTORY else ())]

    def letters(self, words: tuple[str, ...]) -> str:
        """Letters that may be options of a command."""
        if words and words[0] in DIFFS:
            return "".join(sorted(set(_LETTER.findall("\n".join(map(manual, self.pages(words)))))))
        return LETTERS

    def _behind(self, words: tuple[str, ...], probe: Probe) -> Probe | None:
        """The same behind an operand, if options may stand there."""
        if not words:
            return None
        if " ".join(words) in ALSO:
            return probe
        if isinstance(probe, Acting):
            return replace(probe, before=(*probe.before, *probe.behind), behind=()) if probe.behind else probe
        behind = Named(self.sandbox, ("git", *words, "HEAD"))
        return behind if complaint(self.sandbox.run(["git", *words, "HEAD", FIRST, SECOND], fresh=True)) else None

    def _operands(self, place: Place) -> None:
        command = ["git", *place.words]
        alone, one, two, dashes = (
            self.sandbox.run([*command, *words], fresh=True)
            for words in ([], ["langc-word"], ["langc-word"] * 2, ["--", FIRST, SECOND])
        )
        parts = bool(self.subcommands(place.words[0])) and len(place.words) == 1
        if parts and is_usage(alone):
            place.attributes.add("part")
            return
        if "subcommand" in one.text or (is_usage(one) and is_usage(two) and (parts or not is_usage(alone))):
            return
        place.attributes.add("operands")
        if place.words in PASSING:
            place.attributes.add("rest")
        elif place.mixed and not parts:  # an operand there may be a subcommand, with options of its own
            place.attributes.add("behind" if place.words in TWO_SETS else "mixed")
        if (complaint(dashes) is None and not parts) or place.words == ("merge-index",):
            place.attributes.add("dashes")


def _stated(place: Place, text: str) -> None:
    """The options of a row of `STATED`."""
    ways: dict[str, set[str]] = {}
    for word in text.split():
        ways.setdefault(word.rstrip(":="), set()).add(word[len(word.rstrip(":=")) :])
    known = {_name(entry) for row in place.options.values() for entry in row}
    for option, way in ways.items():
        if option.lstrip("-") in known:
            continue
        found = Taken("" in way, "=" in way, ":" in way, ())
        name = option.lstrip("-")
        entry = _with(name, "alone") if len(option) == 2 else name
        place.options.setdefault(_sort(option, found), []).append(entry)


def _without(place: Place, options: Collection[str]) -> None:
    """Takes options away, and what makes them undone."""
    names = {name for option in options for name in (option[2:], f"no-{option[2:]}")}
    for sort, row in place.options.items():
        place.options[sort] = [entry for entry in row if _name(entry) not in names]


def _counted(probe: Probe, known: Mapping[str, Taken]) -> list[str]:
    """Letters that seemed to have a value because a digit behind them is an option itself."""
    flags = [option[1] for option, way in known.items() if len(option) == 2 and way.alone]
    if "1" not in flags:
        return []
    seeming = [flag for flag in flags if known[f"-{flag}"].joined and not probe.accepts([f"-{flag}%"])]
    others = [flag for flag in flags if flag not in digits]
    return [x for x in seeming if any(probe.accepts([f"-{x}{y}"]) for y in others if y != x)]


def _is_shortened(option: str, known: Iterable[str]) -> bool:
    """Whether it is the beginning of another long option: git takes that for the whole one."""
    return option.startswith("--") and any(other.startswith(option) and other != option for other in known)


def _sort(option: str, found: Taken) -> str:
    kind = KINDS[found.alone, found.joined, found.apart]
    return kind if option.startswith("--") else f"Letter{kind}"


def _clusters(place: Place, letters: dict[str, Taken], probe: Probe, own: Collection[str]) -> None:
    """Marks the letters that may not stand in one word with others.

    `own` are those that the command lists itself. If several of them fit together, they are the ones that may:
    `shortlog -sne`, rather than letters of `diff` that it takes as well.
    """
    flags = [letter for letter, found in letters.items() if found.alone and not found.joined]
    listed = [letter for letter in flags if letter in own]
    social = set(listed) - _unsocial(listed, lambda one, two: probe.accepts([f"-{one}{two}"]))
    if len(social) < _SEVERAL:
        social = set(flags) - _unsocial(flags, lambda one, two: probe.accepts([f"-{one}{two}"]))
    alone = set(flags) - social
    joining = [letter for letter in flags if letter not in alone]
    for sort in [sort for sort in place.options if sort.startswith("Letter")]:
        place.options[sort] = [
            _with(entry, "alone") if _name(entry) not in letters or _name(entry) in alone
            or (sort != "LetterFlag" and (not joining or _refuses(probe, joining[0], letters[_name(entry)])))
            else entry for entry in place.options[sort]
        ]  # fmt: skip


def _unsocial(letters: Sequence[str], fits: Callable[[str, str], bool]) -> set[str]:
    """Letters without which all pairs that are left fit together, the worst ones first."""
    bad = {(one, two) for one, two in product(letters, letters) if not fits(one, two)}
    alone: set[str] = set()
    while bad:
        counted = Counter(letter for pair in bad for letter in pair)
        alone.add(max(sorted(counted), key=lambda letter: counted[letter]))
        bad = {pair for pair in bad if alone.isdisjoint(pair)}
    return alone


def _refuses(probe: Probe, flag: str, found: Taken) -> bool:
    if not found.example:
        return True
    option, *value = found.example
    return not probe.accepts([f"-{flag}{option[1:]}", *value]) and not probe.swallows([f"-{flag}{option[1]}"])


def _counts(place: Place) -> None:
    """Digits of which several may stand together are a number and no letters."""
    for sort in [sort for sort in place.options if sort.startswith("Letter")]:
        row = place.options[sort]
        numbers = [entry for entry in row if _name(entry) in digits]
        if numbers:
            place.options.setdefault("Count", []).extend(numbers)
            place.options[sort] = [entry for entry in row if entry not in numbers]


def _name(entry: object) -> str:
    return str(entry["name"]) if isinstance(entry, dict) else str(entry)


def _with(entry: object, attribute: str) -> object:
    before = entry["attributes"] if isinstance(entry, dict) else []
    return {"name": _name(entry), "attributes": sorted({*before, attribute})}


@cache
def manual(page: str) -> str:
    """The text of a manual page; nothing if there is none."""
    try:
        done = subprocess.run(
            ["man", "-P", "cat", page], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
            errors="replace", env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "1000"},
        )  # fmt: skip
    except OSError:
        return ""
    return re.sub(".\b", "", done.stdout)


def environment() -> tuple[str, dict[str, list[object]]]:
    """The version of the installed git, and its names by sort."""
    with sandbox(VARIABLES) as box:
        git = Git(box)
        git.prepare()
        places = each(git.place, [(name,) for name in git.commands()])
        groups: dict[str, list[object]] = {"Tool": [git.tool().value()], "Command": [place.value() for place in places]}
        return git.run("--version").split()[2], groups
