"""What people write by hand is read as the engines read it: on walks through the automaton that the readers made."""

from __future__ import annotations

from functools import cache

import pytest

from langc.compiler.automata.dfa import Dfa
from langc.compiler.verify.engines.llamacpp import LlamaCpp, LlamaVocabulary
from langc.compiler.verify.engines.protocol import BYTES, Engine, Verdict, judge
from langc.compiler.verify.engines.xgrammar import XGrammar
from langc.compiler.verify.readers.bnf import GBNF, XGRAMMAR, read_grammar
from langc.compiler.verify.readers.regex import DIALECTS, read_regex
from tests.engines.full_match import ENGINES, EngineMissingError
from tests.unit.targets.samples import samples

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("hand-written")]

GRAMMARS = {
    "list": r"""# of small people
root ::= "[" ws (  # opening
    item
    ("," ws item)*
  )? "]" | "none" tail
item ::= [a-z_-] {2} | [^\u0000-\u00FF\]]
ws ::= " "? ("\n" [ \t]{ 0 , 3 })?
tail ::= ("!" tail)?
""",
    "hyphens": 'root ::= ([a-] | [-b] | "x"{2} | [c-d-e] "z"+)*\n',
    "negated": "root ::= [^a-z]* (\n  [^\uac00-\ud7a3] [^\\uD800-\\uFFFF]\n)?\n",
    "groups": 'root ::= (("a" | "b"?) "c"){1,3} | ("d" ("e" | ("f" "g")*)?) "" "h"\n',
    "any order": 'b ::= "b" | c\nc ::= "cc"* "d"\nroot ::= b b | c "가"\n',
    "no last line end": 'root ::= a\na ::= "a" a | "end"',
    "windows": 'root ::= "a" b\r\nb ::= (\r\n  "b"\r\n)*\r\n',
}
ONLY_GBNF = {
    "any": 'root ::= "a" . | ..."b"\n',
    "empty": 'root ::= word ws word\nword ::= [a-c]{1,2}\nws ::= | " " | "\\n"\n',
    "continued": '  root  ::=\n\n  "a" |\n  # between\n  "b" c\n\n 9-c  ::= "d"\n c ::= 9-c\n',
    "escapes": r'root ::= ("\x41\u00e9\U0001F600\[\]\\\"" | [\t\r\n\[\]\\\"])*' + "\n",
}
ONLY_XGRAMMAR = {
    "lines": 'root\n::= "a"\n  "b"\n  | word  # and\nword ::= [^\\-,]\n  [\\]\\[]\n',
    "escapes": r'root ::= ("\u00e9\U0001F600\\\"\n" | [\t\r\n\[\]\\\-])*' + "\n",
}
EXPRESSIONS = [
    r"(a|b)*c",
    r"a.b|[^x-z]{2}",
    r"(?:ab?|.c)+\n",
    r"[^\n가-힣]*[\]\\\-\^]",
    r"(a(b(c)?)?)?\t|",
]


@cache
def llama_bytes() -> LlamaVocabulary:
    """llama.cpp over single bytes."""
    return LlamaVocabulary.of(BYTES)


def differences(dfa: Dfa, engine: Engine) -> list[str]:
    """The texts on which reader and engine disagree. llama.cpp writes no zero byte under any grammar."""
    texts = [t for t in samples(dfa, most=150) if "\0" not in t]
    accepted = [dfa.accepts(map(ord, t)) for t in texts]

    assert any(accepted)
    assert not all(accepted)
    return [t for t, yes in zip(texts, accepted, strict=True) if (judge(engine, t.encode()) is Verdict.ACCEPT) != yes]


@pytest.mark.parametrize("name", [n for n in GRAMMARS if n != "negated"])
def test_llama_cpp_reads_the_same(name: str) -> None:
    """What is common to both formats."""
    assert differences(read_grammar(GRAMMARS[name], GBNF), LlamaCpp(GRAMMARS[name], llama_bytes())) == []


@pytest.mark.parametrize("name", ONLY_GBNF)
def test_llama_cpp_reads_its_own_format_the_same(name: str) -> None:
    """`.`, empty alternatives, line ends, names, escapes."""
    assert differences(read_grammar(ONLY_GBNF[name], GBNF), LlamaCpp(ONLY_GBNF[name], llama_bytes())) == []


@pytest.mark.parametrize("name", GRAMMARS)
def test_xgrammar_reads_the_same(name: str) -> None:
    """What is common to both formats."""
    assert differences(read_grammar(GRAMMARS[name], XGRAMMAR), XGrammar(GRAMMARS[name], BYTES)) == []


@pytest.mark.parametrize("name", ONLY_XGRAMMAR)
def test_xgrammar_reads_its_own_format_the_same(name: str) -> None:
    """Rules over several lines, escapes."""
    assert differences(read_grammar(ONLY_XGRAMMAR[name], XGRAMMAR), XGrammar(ONLY_XGRAMMAR[name], BYTES)) == []


def test_a_negated_class_in_llama_cpp() -> None:
    """By language it is what the reader says; byte by byte llama.cpp refuses U+AAAA, whose bytes begin as 가 does."""
    grammar = "root ::= [^가-힣]*\n"
    dfa, engine = read_grammar(grammar, GBNF), LlamaCpp(grammar, llama_bytes())
    texts = ["中", "가", "é", "a"]

    assert [dfa.accepts(map(ord, t)) for t in texts] == [True, False, True, True]
    assert [judge(engine, t.encode()) is Verdict.ACCEPT for t in texts] == [True, False, True, True]
    assert judge(engine, "\uaaaa".encode()) is not Verdict.ACCEPT
    assert dfa.accepts([0xAAAA])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_are_read_the_same(expression: str, engine: str) -> None:
    """In every engine of every dialect."""
    dialect, match = ENGINES[engine]
    assert dialect in DIALECTS
    dfa = read_regex(expression, dialect)
    texts = samples(dfa, most=200)
    try:
        actual = match(expression, texts)
    except EngineMissingError as error:
        pytest.skip(str(error))

    assert actual == [dfa.accepts(map(ord, t)) for t in texts]
