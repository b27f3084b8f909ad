"""Options and commands in the texts that tools print about themselves.

Two forms are read. A *list* is nothing but words, in one line with an option among them or one a line: `--dry-run
--message= add remove` (what `git add --git-completion-helper-all` prints); `=` says that the option takes a value. A
*help text* has lines that begin with options, and their description behind two blanks or on the next line:

      -a, --all              all of them
          --color[=WHEN]     a value that may be left out
      -n NUM, --lines=NUM    a value
          --format {json,csv}, --[no-]edit, -e <expr>...

A line that is indented by more than `_DEEPEST` blanks is description, even if it begins with a dash. Commands are the
words that begin the lines below a heading with the word "commands".

Help texts are prose, and no reader of prose is exact: what is read should be looked at once, and checked in as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_DEEPEST = 10
_OPTION = re.compile(r"(-{1,2})(\[no-\]|\(no-\))?([A-Za-z0-9?@#][A-Za-z0-9_.:+-]*)")
_WORD_IN_LIST = re.compile(r"(--?[A-Za-z0-9?@#][A-Za-z0-9_.:+-]*)(=?)|([A-Za-z0-9](?:[A-Za-z0-9_.:-]*[A-Za-z0-9])?)")
_HEADING = re.compile(r"(?i)(?![\s-]).*\b(sub)?commands?\b[^.]*:?")
_COMMAND = re.compile(r" {1,8}([A-Za-z0-9][A-Za-z0-9_.:-]*)(?: {2,}.*|, .*| [-:] .*)?")
_ENCLOSED = {"<": ">", "[": "]", "{": "}", "(": ")"}
_CHOICES = re.compile(r"[{(]=?([A-Za-z0-9_.:-]+(?:[,|][A-Za-z0-9_.:-]+)+)[})]")


@dataclass
class Option:
    """One option under one of its names."""

    name: str
    value: str = "flag"
    """flag, value or optional_value."""
    repeat: bool = False
    choices: tuple[str, ...] = ()


@dataclass
class Listing:
    """What a text tells of."""

    options: dict[str, Option] = field(default_factory=dict)
    commands: dict[str, None] = field(default_factory=dict)

    def add(self, option: Option) -> None:
        """Keep an option; of one that is told twice what says more."""
        former = self.options.get(option.name)
        if former is None or (former.value == "flag" and option.value != "flag"):
            self.options[option.name] = option


def read_listing(text: str) -> Listing:
    """The options and commands of a text, in its order."""
    listed = _listed(text)
    if listed:
        return _of_list(listed)
    found = Listing()
    in_commands = False
    for line in text.expandtabs(8).split("\n"):
        bare = line.strip()
        if not bare:
            continue
        if not line.startswith(" "):
            in_commands = bool(_HEADING.fullmatch(bare)) or (in_commands and not bare.endswith(":"))
        indent = len(line) - len(line.lstrip(" "))
        if bare.startswith("-") and indent <= _DEEPEST:
            for option in _of_line(bare):
                found.add(option)
        elif in_commands and (match := _COMMAND.fullmatch(line.rstrip())):
            found.commands.setdefault(match[1])
    return found


def _listed(text: str) -> list[re.Match[str]]:
    """The words of a list: one line with an option among its words, or one word a line. [] if it is no list."""
    lines = text.split("\n")
    words = text.split()
    in_one_line = len(lines) - lines.count("") == 1 and any(word.startswith("-") for word in words)
    in_many = len(words) > 1 and all(len(line.split()) < 2 and line == line.strip() for line in lines)
    matches = [_WORD_IN_LIST.fullmatch(word) for word in words if word != "--"]
    return [match for match in matches if match] if (in_one_line or in_many) and all(matches) else []


def _of_list(matches: list[re.Match[str]]) -> Listing:
    found = Listing()
    for match in matches:
        if match[1]:
            found.add(Option(match[1], "value" if match[2] else "flag"))
        else:
            found.commands.setdefault(match[3])
    return found


def _of_line(line: str) -> list[Option]:
    """The options that begin a line. A value that must be there, and is told of one form only, is that of all."""
    options = list(_pieces(line))
    told = [option for option in options if option.value == "value"]
    if told and len({option.name.startswith("--") for option in options}) == 2:
        for option in options:
            if option.value == "flag":
                option.value, option.repeat, option.choices = told[-1].value, told[-1].repeat, told[-1].choices
    return options


def _pieces(line: str) -> Iterator[Option]:
    at = 0
    while match := _OPTION.match(line, at):
        dashes, negatable, name = match[1], match[2], match[3].rstrip(".:")
        value, repeat, at = _value(line, match.end() - (len(match[3]) - len(name)))
        choices = tuple(re.split(r"[,|]", chosen[1])) if (chosen := _CHOICES.search(line[match.end() : at])) else ()
        yield Option(dashes + name, value, repeat, choices)
        if negatable:
            yield Option(f"{dashes}no-{name}")
        separator = re.compile(r"(, ?| ?\| ?| ?/ ?| or | )(?=-)").match(line, at)
        if separator is None:
            return
        at = separator.end()


def _value(line: str, at: int) -> tuple[str, bool, int]:
    """What stands behind an option's name: whether it takes a value, may be repeated, and where that ends."""
    end, kind = at, "flag"
    begin = line[at : at + 2]
    if begin.startswith("[") or begin == " [":
        kind, end = "optional_value", _closed(line, at + begin.index("["))
    elif begin.startswith("="):
        kind, end = "value", _word(line, at + 1)
    elif begin[:1] in ("<", "{", "(") or (begin[:1] == " " and begin[1:] in ("<", "{", "(")):
        kind, end = "value", _closed(line, at + (begin[0] == " "))
    elif begin[:1] == " " and begin[1:].strip() and begin[1] not in "-|/":
        word = _word(line, at + 1)
        if line[at + 1 : word].isupper() or line[word : word + 2] in ("", "  ", ", "):
            kind, end = "value", word
    while line[end : end + 1] in ("<", "[", "{", "(") and kind != "flag":
        end = _closed(line, end)
    repeat = line.startswith("...", end) or line.startswith("…", end)
    return kind, repeat, end + (3 if line.startswith("...", end) else 1 if repeat else 0)


def _closed(line: str, at: int) -> int:
    """Behind the bracket that closes the one at `at`; the end of the line if none does."""
    depth = 0
    for index in range(at, len(line)):
        depth += (line[index] in _ENCLOSED) - (line[index] in _ENCLOSED.values())
        if depth == 0:
            return index + 1
    return len(line)


def _word(line: str, at: int) -> int:
    """The end of a word, brackets in it included."""
    while at < len(line) and line[at] not in " ,":
        at = _closed(line, at) if line[at] in _ENCLOSED else at + 1
    return at
