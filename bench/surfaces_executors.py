"""What a surface costs a model that takes 20 ms a token: langc's matcher, and xgrammar with and without names.

The same tokens of the same texts are written by each, one after the other:

* `langc`: names of Γ, scopes and promises (`SurfaceMatcher`);
* `xgrammar, plain`: the same grammar with any word for every name, compiled once before. On `sql` it is ambiguous,
  which costs xgrammar hundreds of milliseconds a token, so that only the first texts are written (`--plain-texts`);
* `xgrammar, by hand` (`sql` only): one small grammar of SELECT, in which every name is any word (`HAND_WRITTEN`);
* `xgrammar, recompiled`: the grammar of what may follow, compiled anew at each event of Γ (as arXiv 2607.18357 does);
  compiled grammars are kept, and only the engine's own time counts, not that of writing the grammars;
* `unconstrained`: nothing but the model.

A step is a mask and the token that is written; nothing is computed while the model runs, though it could be. `cold` is
the first time that a text is seen, `warm` the second; `ready` is what is done before any text: reading the vocabulary,
and compiling, or `prepare()`. The loss is to no constraint, and to plain xgrammar over the same texts.

    python -m bench.surfaces_executors [--vocabulary qwen-151k] [--subjects json calls] [--texts 40]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TypeAlias, TypeVar

import numpy as np

from bench import subjects
from bench.surfaces_subjects import SUBJECTS, Subject
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.levels import at_levels
from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.surfaces.model import Level
from langc.compiler.surfaces.snapshot.build import snapshot
from langc.compiler.surfaces.snapshot.grammar import Grammar
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets._surface_bnf import write_snapshot
from langc.targets.runtime._llguidance_tokens import Spelled
from langc.targets.runtime._xgrammar_tokens import tokenizer_info
from langc.targets.runtime.executors.rebuilt import Running
from langc.targets.runtime.executors.xgrammar import XGrammar
from langc.targets.xgrammar import STYLE

T = TypeVar("T")
MODEL_SECONDS = 0.020
PLAIN = "xgrammar, plain"
PAPER = "the paper reports 10.6 to 17.8 % against plain xgrammar, and 17.3 % against no constraint"


@dataclass
class Spent:
    """Seconds of constraint over some tokens."""

    seconds: float = 0.0
    tokens: int = 0
    worst: float = 0.0

    def add(self, seconds: float) -> None:
        """One token."""
        self.seconds += seconds
        self.tokens += 1
        self.worst = max(self.worst, seconds)

    def more(self, other: Spent) -> None:
        """What was spent on another text."""
        self.seconds += other.seconds
        self.tokens += other.tokens
        self.worst = max(self.worst, other.worst)

    @property
    def throughput(self) -> float:
        """Tokens a second, the model's time included."""
        return self.tokens / (self.tokens * MODEL_SECONDS + self.seconds)


HAND_WRITTEN = r"""
root ::= select ws ";"? ws
select ::= core (sp ("UNION" (sp "ALL")? | "EXCEPT" | "INTERSECT") sp core)*
    (sp "ORDER BY" sp order (ws "," ws order)*)?
    (sp "LIMIT" sp [0-9]+)?
core ::= "SELECT" sp ("DISTINCT" sp)? item (ws "," ws item)* (sp "FROM" sp source (join)*)? (sp "WHERE" sp expr)?
    (sp "GROUP BY" sp expr (ws "," ws expr)* (sp "HAVING" sp expr)?)?
item ::= "*" | expr (sp "AS" sp name)?
source ::= (name | "(" ws select ws ")") (sp ("AS" sp)? name)?
join ::= ws "," ws source | sp (("LEFT" | "INNER") sp)? "JOIN" sp source sp "ON" sp expr
order ::= expr (sp ("ASC" | "DESC"))?
expr ::= term (ws ("=" | "<" | ">" | "<=" | ">=" | "<>" | "!=" | "+" | "-" | "*" | "/" | "%" | "||") ws term
    | sp ("AND" | "OR" | "LIKE" | "NOT LIKE" | "BETWEEN" | "IN" | "NOT IN" | "IS" | "IS NOT") sp term)*
term ::= ("NOT" sp | "-")? (number | string | "NULL" | name ("." (name | "*"))? | call
    | "(" ws (select | expr (ws "," ws expr)*) ws ")")
call ::= name ws "(" ws ("*" | ("DISTINCT" sp)? expr (ws "," ws expr)*)? ws ")"
name ::= [A-Za-z_] [A-Za-z0-9_]* | "\"" [^"]+ "\""
number ::= [0-9]+ ("." [0-9]*)?
string ::= "'" ([^'] | "''")* "'"
sp ::= [ \t\n]+
ws ::= [ \t\n]*
"""


Contender: TypeAlias = Callable[[Sequence[int]], Spent]
"""Writes a text, token by token. Raises AssertionError at a token that it refuses."""
Maker: TypeAlias = Callable[[Engine, Vocabulary], Contender]


def langc_steps(engine: Engine, vocabulary: Vocabulary) -> Contender:
    """langc's matcher; matchers of all statements share what they find out."""
    first = SurfaceMatcher(engine, vocabulary)
    first.prepare()

    def run(tokens: Sequence[int]) -> Spent:
        matcher, spent = first.fork(), Spent()
        for token in tokens:
            begun = time.perf_counter()
            matcher.mask()
            taken = matcher.advance(token)
            spent.add(time.perf_counter() - begun)
            assert taken
        return spent

    return run


def hand_written(engine: Engine) -> str:
    """The small grammar."""
    return HAND_WRITTEN.replace("\n    ", " ")


def open_names(engine: Engine) -> str:
    """The snapshot of the surface with open names."""
    surface = engine.surface
    levels = {sort: Level(sort, "open") for sort in surface.sorts if sort != "Ordinal"}
    return write_snapshot(snapshot(at_levels(surface, levels), engine.environment, exact=False), STYLE)


def one_grammar(write: Callable[[Engine], str], engine: Engine, vocabulary: Vocabulary) -> Contender:
    """One grammar for all statements, compiled before."""
    import xgrammar

    info = tokenizer_info(vocabulary, vocabulary.size)
    compiled = xgrammar.GrammarCompiler(info, max_threads=1).compile_grammar(write(engine))
    words = xgrammar.allocate_token_bitmask(1, vocabulary.size)

    def run(tokens: Sequence[int]) -> Spent:
        matcher, spent = xgrammar.GrammarMatcher(compiled), Spent()
        for token in tokens:
            begun = time.perf_counter()
            matcher.fill_next_token_bitmask(words)
            taken = matcher.accept_token(token)
            spent.add(time.perf_counter() - begun)
            assert taken
        return spent

    return run


class _Timed:
    """An engine whose own time is counted, in `clock[0]`."""

    def __init__(self, running: Running, clock: list[float]) -> None:
        self.running, self.clock = running, clock

    def mask(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return self._timed(self.running.mask)

    def advance(self, token: int) -> bool:
        return self._timed(lambda: self.running.advance(token))

    def read(self, text: bytes) -> bool:
        return self._timed(lambda: self.running.read(text))

    def fork(self) -> _Timed:
        return _Timed(self._timed(self.running.fork), self.clock)

    def _timed(self, call: Callable[[], T]) -> T:
        begun = time.perf_counter()
        found = call()
        self.clock[0] += time.perf_counter() - begun
        return found


def recompiled_steps(engine: Engine, vocabulary: Vocabulary) -> Contender:
    """Grammars of what may follow, compiled as they come up."""
    clock = [0.0]
    executor = XGrammar(engine, vocabulary)
    compile_ = executor.build

    def build(grammar: Grammar) -> _Timed:
        begun = time.perf_counter()
        made = compile_(grammar)
        clock[0] += time.perf_counter() - begun
        return _Timed(made, clock)

    executor.build = build
    executor._bases.clear()

    def run(tokens: Sequence[int]) -> Spent:
        spent = Spent()
        executor.reset()
        for token in tokens:
            before = clock[0]
            executor.mask()
            taken = executor.advance(token)
            spent.add(clock[0] - before)
            assert taken
        return spent

    return run


def total(contender: Contender, rows: Sequence[Sequence[int]]) -> Spent:
    """All texts."""
    whole = Spent()
    for row in rows:
        whole.more(contender(row))
    return whole


def rows_of(subject: Subject, vocabulary: Vocabulary, count: int) -> list[Sequence[int]]:
    """Tokens of the first texts. Of `sql` those that the small grammar takes, too."""
    engine, spelled = subject.engine(), Spelled(vocabulary)
    written = (spelled(text.encode()) for text in subject.texts(engine))
    if subject is SUBJECTS["sql"]:
        small = one_grammar(hand_written, engine, vocabulary)
        written = (row for row in written if takes(small, row))
    return list(islice(written, count))


def takes(contender: Contender, row: Sequence[int]) -> bool:
    """Whether a contender writes a text to its end."""
    try:
        contender(row)
    except AssertionError:
        return False
    return True


def makers(name: str) -> Iterator[tuple[str, Maker]]:
    """The contenders for a subject."""
    yield PLAIN, partial(one_grammar, open_names)
    if name == "sql":
        yield "xgrammar, by hand", partial(one_grammar, hand_written)
    yield "langc", langc_steps
    yield "xgrammar, recompiled", recompiled_steps


def main() -> None:
    """Prints a line a contender and pass."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocabulary", default="smollm2-49k")
    parser.add_argument("--subjects", nargs="+", choices=list(SUBJECTS), default=list(SUBJECTS))
    parser.add_argument("--texts", type=int, default=40)
    parser.add_argument("--plain-texts", type=int, default=3, help="of sql, for plain xgrammar")
    given = parser.parse_args()
    print(f"{given.vocabulary}, a model of {MODEL_SECONDS * 1000:.0f} ms a token ({PAPER})")
    for name in given.subjects:
        rows = rows_of(SUBJECTS[name], subjects.vocabulary(given.vocabulary), given.texts)
        _subject(name, rows, given)


def _subject(name: str, rows: list[Sequence[int]], given: argparse.Namespace) -> None:
    print(f"\n{name}: {len(rows)} texts, {sum(map(len, rows))} tokens")
    print(f"{'':22} {'':5} {'µs a token':>11} {'worst ms':>9} {'tokens/s':>9} {'loss':>8} {'to plain':>9}")
    print(f"{'unconstrained':22} {'':5} {0:11.1f} {0:9.2f} {1 / MODEL_SECONDS:9.2f} {0:8.2%}", flush=True)
    vocabulary = subjects.vocabulary(given.vocabulary)
    plain: dict[str, float] = {}
    for maker, make in makers(name):
        engine, begun = SUBJECTS[name].engine(), time.perf_counter()
        contender = make(engine, vocabulary)
        print(f"{maker:22} ready {(time.perf_counter() - begun) * 1e3:9.0f} ms", flush=True)
        few = given.plain_texts if name == "sql" and maker == PLAIN else len(rows)
        for pass_ in ("cold", "warm"):
            spent = total(contender, rows[:few])
            print(_line(maker, pass_, spent, plain.setdefault(pass_, spent.throughput)), flush=True)


def _line(name: str, pass_: str, spent: Spent, plain: float) -> str:
    return (
        f"{name:22} {pass_:5} {spent.seconds / spent.tokens * 1e6:11.1f} {spent.worst * 1e3:9.2f} "
        f"{spent.throughput:9.2f} {1 - spent.throughput * MODEL_SECONDS:8.2%} {1 - spent.throughput / plain:9.2%}"
    )


if __name__ == "__main__":
    main()
