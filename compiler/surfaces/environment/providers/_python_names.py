"""The names of Python source, from its syntax tree: nothing is imported or run.

Invariant: a name is listed only if the module binds it however it is run: in every branch of an `if`, or on every way
through a `try`. Conditions on `sys.version_info` are decided for the Python that langc runs in; what stands under
`TYPE_CHECKING` is not there at run time.

Sorts: `Function` with members `Parameter`; `Class` with members `Method`, `Attribute`, and `Parameter` (of its
constructor); `Constant` for all else that is assigned. Parameters have the attributes `required`, and `positional` or
`keyword` if they can be given in that way only. `least` and `most` count arguments; without `most` there is no bound.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import LangcError
from langc.compiler.source import Source, Span
from langc.compiler.surfaces.environment.collector import Collector
from langc.compiler.surfaces.environment.names import Entry

_UNCERTAIN = "names that are bound under a condition only"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Imported:
    """A name that another module has: `from MODULE import NAME`. Without `name` it is the module itself."""

    module: str
    name: str | None
    level: int
    reexported: bool
    """Written `import x as x`, which says that it is meant for others."""


@dataclass
class ModuleNames:
    """What a module binds, in order."""

    entries: dict[str, Entry] = field(default_factory=dict)
    imports: dict[str, Imported] = field(default_factory=dict)
    stars: list[Imported] = field(default_factory=list)
    exported: list[str] | None = None
    """`__all__`, if it is there and can be read."""

    def is_public(self, name: str) -> bool:
        """Whether a name is meant for others: by `__all__`, or because it does not begin with `_`."""
        if self.exported is not None:
            return name in self.exported
        return not name.startswith("_") and (name not in self.imports or self.imports[name].reexported)


def module_names(text: str, where: str, collector: Collector) -> ModuleNames:
    """The names of a module. Raises LangcError (LC0906), LimitError (LC0701)."""
    body = _parsed(text, where).body
    try:
        return _Module(collector).read(body)
    except RecursionError:
        raise _too_deep(where) from None


def _parsed(text: str, where: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in a stranger's strings
            return ast.parse(text)
    except SyntaxError as error:
        source = Source(where, text)
        raise LangcError(
            Diagnostic("LC0906", f"{where} is no Python: {error.msg}", Label(source, _place(error, text)))
        ) from None
    except (RecursionError, MemoryError):
        raise _too_deep(where) from None
    except ValueError as error:  # a zero byte
        raise LangcError(Diagnostic("LC0906", f"{where} is no Python: {error}")) from None


def _too_deep(where: str) -> LangcError:
    return LangcError(Diagnostic("LC0906", f"{where} is nested too deeply"))


def _place(error: SyntaxError, text: str) -> Span:
    lines = text.split("\n")
    line = min(max(error.lineno or 1, 1), len(lines))
    at = sum(len(one) + 1 for one in lines[: line - 1]) + min(max((error.offset or 1) - 1, 0), len(lines[line - 1]))
    return Span(at, min(at + 1, len(text)))


@dataclass
class _Module:
    collector: Collector
    names: ModuleNames = field(default_factory=ModuleNames)
    deleted: set[str] = field(default_factory=set)
    """What may be gone afterwards, though it was bound before."""
    classes: dict[str, dict[str, dict[str, Entry]]] = field(default_factory=dict)
    """The members of each class by sort and name, for classes that inherit them."""

    def read(self, body: Sequence[ast.stmt]) -> ModuleNames:
        self.statements(body)
        return self.names

    def statements(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(statement)
            case ast.ClassDef():
                self.bind(self.class_(statement))
            case ast.Import() | ast.ImportFrom():
                self.import_(statement)
            case ast.If():
                self.either(_branches(statement))
            case ast.Try():
                ways = [
                    [*statement.body, *statement.orelse],
                    *(h.body for h in statement.handlers if not _leaves(h.body)),
                ]
                self.either(ways)
                self.statements(statement.finalbody)
            case ast.With():
                suppressed = any(_last(item.context_expr) == "suppress" for item in statement.items)
                self.either([statement.body, []] if suppressed else [statement.body])
            case ast.For() | ast.While():
                self.either([statement.body, []])
                self.statements(statement.orelse)
            case ast.Delete():
                for name in _targets(statement.targets):
                    self.unbind(name)
                    self.deleted.add(name)
            case _:
                self.assignment(statement)

    def assignment(self, statement: ast.stmt) -> None:
        exported = _exported(statement)
        if exported is not None:
            before = self.names.exported or [] if isinstance(statement, ast.AugAssign | ast.Expr) else []
            self.names.exported = [*before, *exported]
        for name in _assigned(statement):
            if not (name.startswith("__") and name.endswith("__")):
                self.bind(self.collector.entry(name, "Constant"))

    def bind(self, entry: Entry | None) -> None:
        if entry is not None:
            self.unbind(entry.name)
            self.deleted.discard(entry.name)
            self.names.entries[entry.name] = entry

    def unbind(self, name: str) -> None:
        self.names.entries.pop(name, None)
        self.names.imports.pop(name, None)

    def either(self, ways: list[list[ast.stmt]]) -> None:
        """What all ways bind, as the first one has it."""
        modules = [_Module(self.collector, classes=self.classes) for _ in ways]
        read = [module.read(way) for module, way in zip(modules, ways, strict=True)]
        if not read:
            return
        first, rest = read[0], read[1:]
        for name in set().union(*(module.deleted for module in modules)):
            self.unbind(name)
            self.deleted.add(name)
        bound = [set(names.entries) | set(names.imports) for names in read]
        certain = set.intersection(*bound)
        for entry in first.entries.values():
            if entry.name in certain:
                self.bind(self.common([names.entries.get(entry.name) for names in read]))
        for name, imported in first.imports.items():
            if name in certain:
                self.unbind(name)
                self.names.imports[name] = imported
        for name in sorted(set.union(*bound) - certain - set(self.names.entries) - set(self.names.imports)):
            if not name.startswith("_"):
                self.collector.leave_out(_UNCERTAIN, name)
        if first.exported is not None and all(names.exported == first.exported for names in rest):
            self.names.exported = [*(self.names.exported or []), *first.exported]
        if not rest:
            self.names.stars += first.stars

    def common(self, entries: list[Entry | None]) -> Entry | None:
        """One name as all branches have it: without parameters and members where these differ."""
        first = entries[0]
        if first is None or all(entry is not None and _outline(entry) == _outline(first) for entry in entries):
            return first
        sorts = {entry.sort if entry else "Constant" for entry in entries}
        return self.collector.entry(first.name, first.sort if len(sorts) == 1 else "Constant")

    def import_(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            if isinstance(statement, ast.Import):
                imported = Imported(alias.name, None, 0, alias.asname == alias.name)
                name = alias.asname or alias.name.partition(".")[0]
                imported = imported if alias.asname else Imported(name, None, 0, False)
            else:
                again = alias.asname == alias.name
                imported = Imported(statement.module or "", alias.name, statement.level, again)
                name = alias.asname or alias.name
            if name == "*":
                self.names.stars.append(imported)
            else:
                self.unbind(name)
                self.names.imports[name] = imported

    def function(self, node: _Function) -> None:
        if not _is_overload(node) or node.name not in self.names.entries:
            self.bind(self.callable_(node, "Function", 0))
        elif (former := self.names.entries[node.name]).sort == "Function":
            self.bind(self.widened(former, self.callable_(node, "Function", 0)))

    def callable_(self, node: _Function, sort: str, bound: int) -> Entry | None:
        """A function or method; the first `bound` parameters are given by Python."""
        parameters = list(_parameters(node.args, bound))
        attributes = [word for word, holds in _words(node) if holds]
        made = [self.collector.entry(name, "Parameter", words) for name, words in parameters]
        members = {"Parameter": [entry for entry in made if entry is not None]}
        return self.collector.entry(node.name, sort, attributes, _numbers(node.args, parameters), members)

    def widened(self, former: Entry, later: Entry | None) -> Entry | None:
        """One entry for two overloads: what either takes."""
        if later is None:
            return former
        named = {e.name: e for entry in (later, former) for e in entry.members.get("Parameter", ())}
        numbers = {"least": min(former.numbers.get("least", 0), later.numbers.get("least", 0))}
        if "most" in former.numbers and "most" in later.numbers:
            numbers["most"] = max(former.numbers["most"], later.numbers["most"])
        words = sorted(former.attributes | later.attributes)
        return self.collector.entry(former.name, former.sort, words, numbers, {"Parameter": named.values()})

    def class_(self, node: ast.ClassDef) -> Entry | None:
        """A class with what it defines, and what it inherits from classes of the same module."""
        members: dict[str, dict[str, Entry]] = {"Method": {}, "Attribute": {}, "Parameter": {}}
        for base in reversed(node.bases):
            for sort, inherited in self.classes.get(base.id if isinstance(base, ast.Name) else "", {}).items():
                members[sort] |= inherited
        fields = _is_dataclass(node)
        if fields:
            members["Parameter"] = {}
        for statement in node.body:
            self.member(statement, members, fields)
        self.classes[node.name] = members
        groups = {sort: entries.values() for sort, entries in members.items()}
        return self.collector.entry(node.name, "Class", members=groups)

    def member(self, statement: ast.stmt, members: dict[str, dict[str, Entry]], fields: bool) -> None:
        if isinstance(statement, _Function):
            self.method(statement, members)
            return
        for name in _assigned(statement):
            if name.startswith("_"):
                continue
            attribute = self.collector.entry(name, "Attribute")
            if attribute is not None:
                members["Attribute"][name] = attribute
            if fields and isinstance(statement, ast.AnnAssign) and not _is_class_variable(statement):
                parameter = self.collector.entry(name, "Parameter", () if statement.value else ("required",))
                if parameter is not None:
                    members["Parameter"][name] = parameter

    def method(self, node: _Function, members: dict[str, dict[str, Entry]]) -> None:
        decorators = {_last(decorator) for decorator in node.decorator_list}
        made = self.callable_(node, "Method", 0 if "staticmethod" in decorators else 1)
        if made is None:
            return
        if node.name == "__init__":
            members["Parameter"] = {e.name: e for e in made.members.get("Parameter", ())}
            for name in _set_on_self(node):
                attribute = self.collector.entry(name, "Attribute")
                if attribute is not None:
                    members["Attribute"].setdefault(name, attribute)
        elif decorators & {"property", "cached_property"} or decorators & {"setter", "deleter", "getter"}:
            attribute = self.collector.entry(node.name, "Attribute")
            if attribute is not None and not node.name.startswith("_"):
                members["Attribute"][node.name] = attribute
        elif not node.name.startswith("_"):
            former = members["Method"].get(node.name)
            members["Method"][node.name] = (
                self.widened(former, made) or made if former is not None and _is_overload(node) else made
            )


def _outline(entry: Entry) -> object:
    """What two definitions of a name have to share to be one."""
    members = {sort: [member.name for member in group] for sort, group in entry.members.items()}
    return entry.sort, entry.attributes, dict(entry.numbers), members


def _branches(node: ast.If) -> list[list[ast.stmt]]:
    """The branches that can be taken and go on; an `if` without `else` has an empty one."""
    decided = _decided(node.test)
    taken = [node.body] if decided in (True, None) else []
    others = [node.orelse] if decided in (False, None) else []
    return [branch for branch in (*taken, *others) if not _leaves(branch)]


def _decided(test: ast.expr) -> bool | None:
    """What a condition is known to be."""
    match test:
        case ast.Name("TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return False
        case ast.Compare(ast.Name("__name__"), [ast.Eq()], [ast.Constant("__main__")]):
            return False
        case ast.UnaryOp(ast.Not(), operand):
            inner = _decided(operand)
            return None if inner is None else not inner
        case ast.Compare(ast.Attribute(ast.Name("sys"), "version_info"), [operator], [ast.Tuple(elts)]):
            numbers = tuple(e.value for e in elts if isinstance(e, ast.Constant) and isinstance(e.value, int))
            return _compared(operator, numbers) if len(numbers) == len(elts) else None
    return None


def _compared(operator: ast.cmpop, numbers: tuple[int, ...]) -> bool | None:
    own: tuple[int, ...] = sys.version_info[:3]
    match operator:
        case ast.GtE():
            return own >= numbers
        case ast.Gt():
            return own > numbers
        case ast.Lt():
            return own < numbers
        case ast.LtE():
            return own <= numbers
    return None


def _leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether a branch ends the module."""
    return bool(body) and isinstance(body[-1], ast.Raise)


def _assigned(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.Assign():
            yield from _targets(statement.targets)
        case ast.AnnAssign():
            yield from _targets([statement.target])


def _targets(targets: Iterable[ast.expr]) -> Iterator[str]:
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id
        elif isinstance(target, ast.Tuple | ast.List):
            yield from _targets(target.elts)


def _exported(statement: ast.stmt) -> list[str] | None:
    """The texts that a statement puts into `__all__`. None if it is about something else, or cannot be read."""
    match statement:
        case ast.Assign([ast.Name("__all__")], value) | ast.AugAssign(ast.Name("__all__"), ast.Add(), value):
            return _texts(value)
        case ast.AnnAssign(ast.Name("__all__"), _, ast.expr() as value):
            return _texts(value)
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("__all__"), "extend"), [value])):
            return _texts(value)
    return None


def _texts(value: ast.expr) -> list[str] | None:
    if not isinstance(value, ast.List | ast.Tuple):
        return None
    found = [e.value for e in value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    return found if len(found) == len(value.elts) else None


def _parameters(arguments: ast.arguments, bound: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The parameters that have a name, with their attributes."""
    positional = [*arguments.posonlyargs, *arguments.args]
    without_default = len(positional) - len(arguments.defaults)
    for index, parameter in enumerate(positional):
        if index >= bound:
            words = ["positional"] if index < len(arguments.posonlyargs) else []
            yield parameter.arg, (*words, *(["required"] if index < without_default else []))
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield parameter.arg, ("keyword", *(["required"] if default is None else []))


def _numbers(arguments: ast.arguments, parameters: list[tuple[str, tuple[str, ...]]]) -> dict[str, int]:
    least = sum("required" in words for _, words in parameters)
    if arguments.vararg or arguments.kwarg:
        return {"least": least}
    return {"least": least, "most": len(parameters)}


def _words(node: _Function) -> list[tuple[str, bool]]:
    return [
        ("any_keyword", node.args.kwarg is not None),
        ("async", isinstance(node, ast.AsyncFunctionDef)),
        ("decorated", bool({_last(d) for d in node.decorator_list} - _HARMLESS)),
    ]


_HARMLESS = {
    "staticmethod",
    "classmethod",
    "overload",
    "cache",
    "lru_cache",
    "wraps",
    "abstractmethod",
    "override",
    "final",
}
"""Decorators that leave the parameters as they are."""


def _is_overload(node: _Function) -> bool:
    return any(_last(decorator) == "overload" for decorator in node.decorator_list)


def _is_dataclass(node: ast.ClassDef) -> bool:
    return any(_last(decorator) == "dataclass" for decorator in node.decorator_list)


def _is_class_variable(statement: ast.AnnAssign) -> bool:
    annotation = statement.annotation
    return _last(annotation.value if isinstance(annotation, ast.Subscript) else annotation) == "ClassVar"


def _last(node: ast.expr) -> str:
    """The last name of `a.b.c` or `a.b.c(…)`."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _set_on_self(node: _Function) -> Iterator[str]:
    """Attributes that a constructor sets for certain: statements of its body that assign to `self.NAME`."""
    own = node.args.args[0].arg if node.args.args else ""
    for statement in node.body:
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets = [statement.target]
        for target in targets:
            match target:
                case ast.Attribute(ast.Name(name), attribute) if name == own and not attribute.startswith("_"):
                    yield attribute
