"""`header("api.h")`: functions, types, members, enumerators, variables and macros that a C or C++ file declares.

A small reader, no compiler: macros are not expanded, included files are not read, and a declaration that it does not
understand is left out, with its line in a warning. What stands under an `#if` has the attribute `conditional`.

Sorts: `Function` (`least` and `most` count arguments), `Struct`, `Union`, `Class` with members `Field` and `Method`
(the public ones), `Enum` with members `Enumerator`, `Enumerator` for those that need no qualification, `Type` (typedef
and `using`), `Variable`, `Macro` (with numbers if it takes arguments), and `Namespace` with all of these as members.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from langc.compiler.limits import MAX_ENVIRONMENT_DEPTH
from langc.compiler.surfaces.environment.collector import Collector
from langc.compiler.surfaces.environment.names import Entry, Environment
from langc.compiler.surfaces.environment.opened import read_text
from langc.compiler.surfaces.environment.providers import Request
from langc.compiler.surfaces.environment.providers._header_lexemes import Lexeme, Lexemes, Macro

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_PAIRS.values())
_SORTS = {"struct": "Struct", "union": "Union", "class": "Class"}
_ACCESS = frozenset({"public", "protected", "private"})
_NO_NAMES = frozenset(
    {
        "alignas",
        "alignof",
        "asm",
        "auto",
        "bool",
        "break",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "consteval",
        "constexpr",
        "constinit",
        "const_cast",
        "continue",
        "decltype",
        "default",
        "delete",
        "do",
        "double",
        "dynamic_cast",
        "else",
        "enum",
        "explicit",
        "extern",
        "false",
        "float",
        "for",
        "friend",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "nullptr",
        "operator",
        "private",
        "protected",
        "public",
        "register",
        "reinterpret_cast",
        "requires",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "static_assert",
        "static_cast",
        "struct",
        "switch",
        "template",
        "this",
        "thread_local",
        "throw",
        "true",
        "try",
        "typedef",
        "typeid",
        "typename",
        "union",
        "unsigned",
        "using",
        "virtual",
        "void",
        "volatile",
        "wchar_t",
        "while",
        "_Bool",
        "_Noreturn",
        "_Static_assert",
        "_Alignas",
        "_Atomic",
        "__attribute__",
        "__declspec",
        "__asm__",
        "__extension__",
        "__restrict",
        "__inline",
    }
)
_WITH_PARENTHESES = frozenset(
    {"__attribute__", "__declspec", "alignas", "_Alignas", "noexcept", "decltype", "__asm__", "asm"}
)
"""Words in a declaration that take parentheses and are no function."""
_SKIPPED = frozenset({"static_assert", "_Static_assert", "friend", "public", "private", "protected", "asm", "__asm__"})
_DEEPEST = MAX_ENVIRONMENT_DEPTH - 3
"""Namespaces and types inside one another: members of members have to fit in."""
_SKIPPED_REASON = "declarations that the reader does not understand"
_ODD_LINES = 200
"""Remembered of those; the rest is counted with them."""


def read(request: Request) -> Environment:
    """The names of a header. Raises LangcError (LC0001 to LC0004, LC0902, LC0908), LimitError (LC0701)."""
    path, _ = request.one_file()
    collector = Collector(str(path))
    lexemes = Lexemes.of(read_text(path), str(path))
    names = _Names(collector)
    _Reader(lexemes.row, collector).declarations(0, len(lexemes.row), names, 0)
    for macro in lexemes.macros.values():
        names.add(_macro(macro, collector))
    return collector.environment(request.name, names.groups(), request.kind)


def _macro(macro: Macro, collector: Collector) -> Entry | None:
    numbers = {}
    if macro.parameters is not None:
        variadic = any(name.endswith("...") for name in macro.parameters)
        count = len(macro.parameters) - variadic
        numbers = {"least": count} if variadic else {"least": count, "most": count}
    return collector.entry(macro.name, "Macro", ("conditional",) if macro.conditional else (), numbers)


@dataclass
class _Names:
    """The names of a file, a namespace or a type, by sort and name. A definition hides a declaration before it."""

    collector: Collector
    found: dict[str, dict[str, Entry]] = field(default_factory=dict)
    namespaces: dict[str, _Names] = field(default_factory=dict)

    def add(self, entry: Entry | None) -> None:
        if entry is None:
            return
        group = self.found.setdefault(entry.sort, {})
        former = group.get(entry.name)
        if former is None or (entry.members and not former.members):
            group[entry.name] = entry
        elif entry.sort in ("Function", "Method"):
            group[entry.name] = self._widened(former, entry)

    def _widened(self, former: Entry, later: Entry) -> Entry:
        """One entry for two overloads, if their numbers of arguments leave no gap; else the first of them."""
        low, high = sorted((former, later), key=lambda e: e.numbers["least"])
        if "most" in low.numbers and low.numbers["most"] + 1 < high.numbers["least"]:
            return former
        numbers = {"least": low.numbers["least"]}
        if "most" in low.numbers and "most" in high.numbers:
            numbers["most"] = max(low.numbers["most"], high.numbers["most"])
        words = sorted(former.attributes & later.attributes)
        return self.collector.entry(former.name, former.sort, words, numbers) or former

    def inner(self, name: str) -> _Names:
        """The names of a namespace, which may be opened more than once."""
        return self.namespaces.setdefault(name, _Names(self.collector))

    def groups(self) -> dict[str, list[Entry]]:
        """The entries by sort."""
        groups = {sort: list(group.values()) for sort, group in self.found.items()}
        made = [self.collector.entry(name, "Namespace", members=n.groups()) for name, n in self.namespaces.items()]
        return groups | {"Namespace": [entry for entry in made if entry is not None and entry.members]}


@dataclass
class _Reader:
    """Declarations in a row of lexemes, from one place to another."""

    row: Sequence[Lexeme]
    collector: Collector

    def __post_init__(self) -> None:
        self.partner = _partners(self.row)
        self.odd = 0

    def text(self, at: int) -> str:
        return self.row[at].text if at < len(self.row) else ""

    def declarations(
        self, at: int, end: int, names: _Names, depth: int, owner: str | None = None, visible: bool = True
    ) -> None:
        """Everything from `at` to `end`. `owner` is the type whose body this is, "" if it has no name."""
        while at < end:
            text = self.text(at)
            if text in _ACCESS and self.text(at + 1) == ":":
                visible = text == "public"
                at += 2
                continue
            begin, at = at, self._behind(at, end)
            if visible or owner is None:
                self._declaration(begin, at, names, depth, owner)

    def _behind(self, at: int, end: int) -> int:
        """The place behind the declaration that begins at `at`: its semicolon, or the body of a function.

        A brace is such a body if parentheses come before it, and no `=`.
        """
        begin = at
        opens_scope = self._opens_scope(at)
        has_parameters, has_value = False, False
        while at < end:
            text = self.text(at)
            if text == ";" or (text == ":" and at == begin + 1):
                return at + 1
            has_value = has_value or (text == "=" and self.text(at - 1) != "operator")
            has_parameters = has_parameters or (text == "(" and self.text(at - 1) not in _WITH_PARENTHESES)
            if text in _PAIRS:
                closing = self.partner.get(at, end)
                if text == "{" and (opens_scope or (has_parameters and not has_value)):
                    return min(closing + 1, end)
                at = closing
            at += 1
        return end

    def _opens_scope(self, at: int) -> bool:
        return (
            self.text(at) == "namespace"
            or (self.text(at) == "inline" and self.text(at + 1) == "namespace")
            or (self.text(at) == "extern" and self.text(at + 1) == '"' and self.text(at + 2) == "{")
        )

    def _declaration(self, at: int, end: int, names: _Names, depth: int, owner: str | None) -> None:
        is_template = False
        while self.text(at) in ("template", "__extension__", "[", "export", "typename"):
            is_template = is_template or self.text(at) == "template"
            at = self._behind_angles(at + 1) if self.text(at) == "template" else self.partner.get(at, at) + 1
        text = self.text(at)
        if at >= end or text in (";", "}") or text in _SKIPPED or (text == "extern" and is_template):
            return
        if self._opens_scope(at):
            self._scope(at, end, names, depth)
        elif text == "using":
            if self.row[at + 1].is_word and self.text(at + 2) == "=":
                self._add(names, at + 1, "Type")
        elif text == "typedef":
            self._typed(at + 1, end, names, depth, "Type", owner)
        elif "operator" in (self.text(i) for i in range(at, min(end, at + 12))):
            return
        else:
            self._typed(at, end, names, depth, "Variable" if owner is None else "Field", owner)

    def _scope(self, at: int, end: int, names: _Names, depth: int) -> None:
        """A namespace, or `extern "C"`."""
        brace = next((i for i in range(at, end) if self.text(i) == "{"), None)
        if brace is None:
            return
        titles = [i for i in range(at, brace) if self.row[i].is_word and self.text(i) not in _NO_NAMES]
        closing = min(self.partner.get(brace, end), end)
        if depth + len(titles) > _DEEPEST:
            self._skip(at)
            return
        for title in titles:
            names = names.inner(self.text(title))
        self.declarations(brace + 1, closing, names, depth + max(1, len(titles)))

    def _typed(self, at: int, end: int, names: _Names, depth: int, sort: str, owner: str | None) -> None:
        """A declaration that begins with a type, which may be defined here; then what is declared of it."""
        begin = at
        while self.text(at) in ("static", "extern", "const", "volatile", "inline", "constexpr", "mutable", '"'):
            at += 1
        if self.text(at) in _SORTS or self.text(at) == "enum":
            brace = self._body_of_type(at, end)
            if brace is not None:
                anonymous = self._define(at, brace, end, names, depth)
                behind = min(self.partner.get(brace, end) + 1, end)
                if self.text(behind) == ";" and anonymous is not None and owner is not None:
                    for group in anonymous.found.values():  # C11: its members are those of the outer one
                        for entry in group.values():
                            names.add(entry)
                self._declarators(behind, end, names, sort)
                return
            if at + 2 < end and self.text(at + 2) == ";":
                return  # declared, and defined elsewhere
        self._function_or_variables(begin, end, names, sort, owner)

    def _body_of_type(self, at: int, end: int) -> int | None:
        """The brace that begins the body of a struct, class, union or enum, if it is defined here."""
        for index in range(at + 1, end):
            text = self.text(index)
            if text == "{":
                return index
            if text in (";", "=", ")") or (text == "(" and self.text(index - 1) not in _WITH_PARENTHESES):
                return None
        return None

    def _define(self, at: int, brace: int, end: int, names: _Names, depth: int) -> _Names | None:
        """A type with a body. The names in it are given back if it has no name itself."""
        kind = self.text(at)
        closing = min(self.partner.get(brace, end), end)
        title = self._title(at + 1, brace)
        if kind == "enum":
            self._enumerators(at, brace, closing, names, title)
            return None
        inner = _Names(self.collector)
        if depth > _DEEPEST:
            self._skip(at)
            return None
        owner = self.text(title) if title is not None else ""
        self.declarations(brace + 1, closing, inner, depth + 1, owner, kind != "class")
        inner.found.get("Method", {}).pop(owner, None)  # its constructor
        members = {sort: group for sort, group in inner.groups().items() if sort in ("Field", "Method")}
        for sort in ("Struct", "Union", "Enum", "Enumerator") if kind != "class" else ():
            for entry in inner.found.get(sort, {}).values():  # in C, a tag inside is one outside as well
                names.add(entry)
        if title is None:
            return inner
        names.add(self.collector.entry(self.text(title), _SORTS[kind], self._words(title), members=members))
        return None

    def _title(self, at: int, brace: int) -> int | None:
        """The name between the keyword and the body: the last word before `:` and the brace."""
        found = None
        while at < brace and self.text(at) != ":":
            if self.text(at) in ("(", "["):
                at = self.partner.get(at, brace)
            elif self.row[at].is_word and self.text(at) not in _NO_NAMES and self.text(at) != "final":
                found = at
            at += 1
        return found

    def _enumerators(self, at: int, brace: int, closing: int, names: _Names, title: int | None) -> None:
        scoped = self.text(at + 1) in ("class", "struct")
        found = [i for i, _ in self._items(brace + 1, closing) if self.row[i].is_word]
        made = [self.collector.entry(self.text(i), "Enumerator", self._words(i)) for i in found]
        entries = [entry for entry in made if entry is not None]
        if not scoped:
            for entry in entries:
                names.add(entry)
        if title is not None:
            words = (*self._words(title), *(["scoped"] if scoped else []))
            names.add(self.collector.entry(self.text(title), "Enum", words, members={"Enumerator": entries}))

    def _function_or_variables(self, at: int, end: int, names: _Names, sort: str, owner: str | None) -> None:
        """`type name(parameters)`, or declarators behind a type."""
        parenthesis = self._first_parenthesis(at, end)
        if parenthesis is None or self.text(parenthesis + 1) in ("*", "^", "&") or sort == "Type":
            self._declarators(at + 1, end, names, sort)
            return
        title = parenthesis - 1
        words = [i for i in range(at, title + 1) if self.row[i].is_word]
        is_name = title >= at and self.row[title].is_word and self.text(title) not in _NO_NAMES
        if not is_name or self.text(title - 1) in ("::", "~"):
            if not is_name:
                self._skip(at)
            return
        if len(words) < 2:
            if self.text(title) != owner:
                self._skip(at)  # a macro, or a constructor
            return
        numbers = self._arguments(parenthesis)
        kind = "Function" if owner is None else "Method"
        names.add(self.collector.entry(self.text(title), kind, self._words(title), numbers))

    def _first_parenthesis(self, at: int, end: int) -> int | None:
        begin = at
        while at < end:
            text = self.text(at)
            if text == "=" or text == "{":
                return None
            if text == "(":
                closing = self.partner.get(at, end)
                is_macro = at == begin + 1 and closing + 1 < end and self.row[closing + 1].is_word
                if self.text(at - 1) not in _WITH_PARENTHESES and not is_macro:  # `PUBLIC(int) f(int);`
                    return at
                at = closing
            elif text == "[":
                at = self.partner.get(at, end)
            at += 1
        return None

    def _arguments(self, parenthesis: int) -> dict[str, int]:
        closing = self.partner.get(parenthesis, parenthesis)
        items = list(self._items(parenthesis + 1, closing))
        if len(items) == 1 and self.text(items[0][0]) == "void" and items[0][1] - items[0][0] == 1:
            items = []
        variadic = any(self.text(last - 1) == "..." for _, last in items)
        optional = sum("=" in (self.text(i) for i in range(*item)) for item in items)
        count = len(items) - variadic
        return {"least": count - optional} if variadic else {"least": count - optional, "most": count}

    def _declarators(self, at: int, end: int, names: _Names, sort: str) -> None:
        """`*a, b[3], (*c)(int), d : 4 = 5`: the name of each."""
        for begin, behind in self._items(at, end - 1 if self.text(end - 1) == ";" else end):
            title = self._declared(begin, behind)
            if title is not None:
                self._add(names, title, sort)

    def _declared(self, at: int, end: int) -> int | None:
        """The name in one declarator: the last word before `[`, `=`, `:`, `{` or parameters, or that in `(*name)`."""
        found = None
        while at < end:
            text = self.text(at)
            if text in ("=", ":", "{", "["):
                break
            if text == "(":
                if self.text(at + 1) in ("*", "^", "&"):
                    inside = [i for i in range(at, self.partner.get(at, end)) if self._can_be_name(i)]
                    is_function = bool(inside) and self.text(inside[0] + 1) == "("  # one that returns a pointer
                    return inside[0] if inside and not is_function else None
                if self.text(at - 1) not in _WITH_PARENTHESES:
                    break
                at = self.partner.get(at, end)
            elif self._can_be_name(at):
                found = at
            at += 1
        return found

    def _can_be_name(self, at: int) -> bool:
        return self.row[at].is_word and self.text(at) not in _NO_NAMES

    def _items(self, at: int, end: int) -> Iterator[tuple[int, int]]:
        """Begin and end of the parts between commas, outside of brackets; angles count behind a word."""
        begin, angles = at, 0
        while at < end:
            text = self.text(at)
            if text in _PAIRS:
                at = min(self.partner.get(at, end), end)
            elif text == "<" and self.row[at - 1].is_word:
                angles += 1
            elif text == ">" and angles:
                angles -= 1
            elif text == "," and not angles:
                if begin < at:
                    yield begin, at
                begin = at + 1
            at += 1
        if begin < end:
            yield begin, end

    def _behind_angles(self, at: int) -> int:
        """The place behind `<…>`."""
        depth = 0
        while at < len(self.row):
            text = self.text(at)
            depth += (text == "<") - (text == ">")
            if depth <= 0 or text in (";", "{"):
                return at + 1
            at = self.partner.get(at, at) + 1 if text in _PAIRS else at + 1
        return at

    def _add(self, names: _Names, at: int, sort: str) -> None:
        names.add(self.collector.entry(self.text(at), sort, self._words(at)))

    def _words(self, at: int) -> tuple[str, ...]:
        return ("conditional",) if self.row[at].conditional else ()

    def _skip(self, at: int) -> None:
        self.odd += 1
        if self.odd <= _ODD_LINES:
            self.collector.leave_out(_SKIPPED_REASON, f"line {self.row[at].line}")


def _partners(row: Sequence[Lexeme]) -> dict[int, int]:
    """Where each opening bracket is closed. One that never is has none."""
    found: dict[int, int] = {}
    waiting: list[int] = []
    for at, lexeme in enumerate(row):
        if lexeme.text in _PAIRS:
            waiting.append(at)
        elif lexeme.text in _CLOSING:
            while waiting and _PAIRS[row[waiting[-1]].text] != lexeme.text:
                waiting.pop()
            if waiting:
                found[waiting.pop()] = at
    return found
