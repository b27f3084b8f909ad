"""Compiles `grammars/*.lark` into `tables/*.json`: `python -m langc.compiler.syntax.build_tables`.

lark reads the grammar and builds the LALR(1) automaton; this module writes it down as plain data. lark
numbers states in the order of sets of hashes, so they are renumbered here, breadth first from the start
over sorted symbols: the file is the same for every run. Conflicts in the grammar are errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from lark import Lark
from lark.common import ParserConf
from lark.grammar import Rule, Terminal
from lark.lexer import PatternStr, TerminalDef
from lark.parsers.lalr_analysis import IntParseTable, LALR_Analyzer, Reduce

import langc.grammars

GRAMMARS = Path(langc.grammars.__path__[0])
GRAMMAR = GRAMMARS / "policy.lark"
TABLES = Path(__file__).parent / "tables"
NAMES = ("policy", "surface")
COMMAND = "python -m langc.compiler.syntax.build_tables"

INSIDE = "CHARACTER"
"""The terminal whose acceptance tells that the parser is inside brackets."""
OUTSIDE_ONLY = ("COMMENT", "RESERVED")
"""Terminals of no rule that are in force outside brackets only."""

Actions = dict[str, tuple[Any, ...]]


class KeepReserved:
    """Makes lark keep the terminal of reserved words, which no rule uses."""

    always_accept = ("RESERVED",)

    def process(self, stream: Any) -> Any:
        """The tokens, unchanged."""
        return stream


def build(grammar: str) -> str:
    """The JSON text of the tables of a grammar in lark's notation. Raises lark's GrammarError on a conflict."""
    compiled = Lark(grammar, parser="lalr", postlex=KeepReserved())
    table = _automaton(compiled.rules)
    rules = sorted(compiled.rules, key=lambda r: (r.origin.name, [s.name for s in r.expansion]))
    order, symbols = _number(table.states, table.start_states["start"])
    read_in = [table.states[s] for s in order if not _is_rule(symbols[s])]
    return _json_lines(
        {
            "generated": f"by `{COMMAND}`: do not edit",
            "grammar_sha256": sha256(grammar.encode()).hexdigest(),
            "end": order[table.end_states["start"]],
            "ignored": sorted(compiled.ignore_tokens),
            "spelling": {t.name: t.pattern.value for t in compiled.terminals if isinstance(t.pattern, PatternStr)},
            "modes": [_mode(compiled.terminals, names) for names in _modes(compiled.terminals, read_in)],
            "rules": [_rule(r) for r in rules],
            "states": [_state(table.states[s], symbols[s], order, rules) for s in order],
        }
    )


def _automaton(rules: list[Rule]) -> IntParseTable:
    analysis: Any = LALR_Analyzer(ParserConf(rules, {}, ["start"]), strict=True)
    analysis.compute_lalr()
    table: IntParseTable = analysis.parse_table
    return table


def _number(states: Mapping[int, Actions], start: int) -> tuple[dict[int, int], dict[int, str]]:
    """New numbers for the states, in order, and the symbol by which each is entered."""
    order, symbols = {start: 0}, {start: ""}
    queue = [start]
    for state in queue:
        for symbol, (action, target) in sorted(states[state].items()):
            if action is not Reduce and target not in order:
                order[target], symbols[target] = len(order), symbol
                queue.append(target)
    return order, symbols


def _is_inside(actions: Actions) -> bool:
    return INSIDE in actions


def _modes(terminals: Iterable[TerminalDef], states: Iterable[Actions]) -> list[set[str]]:
    """The terminals in force outside and inside brackets, given the states in which tokens are read.

    Those are the states after a terminal: a reduction happens when the next token is read already.
    """
    names = {t.name for t in terminals}
    used = [{n for row in states if _is_inside(row) is inside for n in row} for inside in (False, True)]
    unused = names - used[0] - used[1]
    return [(used[0] & names) | unused, (used[1] & names) | unused - set(OUTSIDE_ONLY)]


def _mode(terminals: Iterable[TerminalDef], names: set[str]) -> dict[str, Any]:
    """One pattern for all terminals, tried in lark's order; keywords are left to the name that they look like."""
    chosen = sorted(
        (t for t in terminals if t.name in names),
        key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name),
    )
    patterns = [t for t in chosen if not isinstance(t.pattern, PatternStr)]
    keywords = {
        t.pattern.value: t.name
        for t in chosen
        if isinstance(t.pattern, PatternStr) and any(_reads_as(p, t.pattern.value) for p in patterns)
    }
    kept = [t for t in chosen if t.name not in keywords.values()]
    readers = sorted(p.name for p in patterns if any(_reads_as(p, text) for text in keywords))
    pattern = "|".join(f"(?P<{t.name}>{t.pattern.to_regexp()})" for t in kept)
    return {"pattern": pattern, "names": readers, "keywords": keywords}


def _reads_as(terminal: TerminalDef, text: str) -> bool:
    return terminal.priority == 0 and re.fullmatch(terminal.pattern.to_regexp(), text) is not None


def _state(actions: Actions, symbol: str, order: Mapping[int, int], rules: list[Rule]) -> list[Any]:
    codes = {s: ~rules.index(t) if a is Reduce else order[t] for s, (a, t) in sorted(actions.items())}
    terminals = {s: c for s, c in codes.items() if not _is_rule(s)}
    gotos = {s: c for s, c in codes.items() if _is_rule(s)}
    return [symbol, int(_is_inside(actions)), terminals, gotos]


def _is_rule(symbol: str) -> bool:
    return symbol.strip("_") == symbol.strip("_").lower() and symbol != "$END"


def _rule(rule: Rule) -> list[Any]:
    """The fields of `lalr.Rule`; which parts a node keeps follows lark's tree shaping."""
    children: list[list[Any]] = []
    parts = enumerate(rule.expansion)
    for absent in rule.options.empty_indices or [False] * len(rule.expansion):
        if absent:
            children.append([None, False])
            continue
        index, symbol = next(parts)
        if not (isinstance(symbol, Terminal) and symbol.filter_out):
            children.append([index, not symbol.is_term and symbol.name.startswith("_")])
    origin = str(rule.origin.name)
    transparent = bool(rule.options.expand1) and not rule.alias
    return [origin, rule.alias or origin, len(rule.expansion), origin.startswith("_"), transparent, children]


def _json_lines(data: Mapping[str, Any]) -> str:
    """JSON with one line a table row, so that a change of the grammar can be read in a diff."""

    def value(v: Any) -> str:
        if isinstance(v, list) and v and isinstance(v[0], list | dict):
            return "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in v) + "\n ]"
        return json.dumps(v)

    return "{\n" + ",\n".join(f" {json.dumps(k)}: {value(v)}" for k, v in data.items()) + "\n}\n"


def main() -> None:
    """Writes the tables."""
    for name in NAMES:
        made = build((GRAMMARS / f"{name}.lark").read_text(encoding="utf-8"))
        (TABLES / f"{name}.json").write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
