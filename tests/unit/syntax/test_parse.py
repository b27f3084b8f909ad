"""What each construct of the language is parsed to, and where its parts are."""

from __future__ import annotations

import pytest

from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.limits import MAX_DIAGNOSTICS, MAX_NESTING, MAX_POLICY_BYTES, MAX_SET_DEPTH
from langc.compiler.source import Source, Span
from langc.compiler.syntax import ast
from langc.compiler.syntax.parse import parse, parse_form, parse_source

A, B, C = (ast.Character(ord(c)) for c in "abc")
HAN = ast.Property(None, "Han")
KANA = ast.Property("scx", "Kana")


def items(body: str) -> tuple[ast.PolicyItem, ...]:
    """The items of a policy with this body, whose names need not be defined."""
    return parse_form(Source("<test>", f"policy p {{ {body} }}")).file.policies[0].items


def deny(operands: str) -> tuple[ast.Operand, ...]:
    """The operands of a `deny`."""
    (item,) = items(f"deny {operands};")
    assert isinstance(item, ast.Deny)
    return item.sets


def members(inside: str) -> ast.Operand:
    """The set in brackets."""
    (expression,) = deny(f"[{inside}]")
    return expression


def union(*operands: ast.SetExpr) -> ast.Union:
    """A union, as short to write as in the language."""
    return ast.Union(operands)


def codes(text: str) -> list[str]:
    """The codes of the errors in a policy, in the order of the text."""
    with pytest.raises(PolicyError) as caught:
        parse(text)
    return [d.code for d in caught.value.diagnostics]


# --- sets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("", union()),
        ("a", union(A)),
        ("ab", union(A, B)),
        (" a\tb\n", union(A, B)),
        (r"\ a", union(ast.Character(0x20), A)),
        ("#;\"'{}".replace("{}", ""), union(*(ast.Character(ord(c)) for c in "#;\"'"))),
        ("a-c", union(ast.CharacterRange(A, C))),
        ("a - c", union(ast.CharacterRange(A, C))),
        ("a-cb", union(ast.CharacterRange(A, C), B)),
        ("a-a", union(ast.CharacterRange(A, A))),
        (r"\u{AC00}-\uD7A3", union(ast.CharacterRange(ast.Character(0xAC00), ast.Character(0xD7A3)))),
        (r"\x{41}\u{10FFFF}", union(ast.Character(0x41), ast.Character(0x10FFFF))),
        (r"\n\t\r", union(ast.Character(10), ast.Character(9), ast.Character(13))),
        (r"\-\]\[\^\\\&", union(*(ast.Character(ord(c)) for c in "-][^\\&"))),
        (r"\p{Han}a", union(HAN, A)),
        ("[a]b", union(union(A), B)),
        ("[^a]b", union(ast.Negation(union(A)), B)),
        ("a--b", ast.Difference(A, B)),
        ("ab--[c]", ast.Difference(union(A, B), union(C))),
        ("a--bc", ast.Difference(A, union(B, C))),
        ("a--b--c", ast.Difference(ast.Difference(A, B), C)),
        ("a&&b--c", ast.Difference(ast.Intersection(A, B), C)),
        ("a--b&&c", ast.Intersection(ast.Difference(A, B), C)),
        ("[a--b]c", union(ast.Difference(A, B), C)),
        ("a--[b--c]", ast.Difference(A, ast.Difference(B, C))),
        ("😀-😂", union(ast.CharacterRange(ast.Character(0x1F600), ast.Character(0x1F602)))),
        ("U+", union(ast.Character(ord("U")), ast.Character(ord("+")))),
    ],
)
def test_inside_brackets(inside: str, expected: ast.SetExpr) -> None:
    """Juxtaposition unites and binds tighter than the operators, which are equal and go left to right."""
    assert members(inside) == expected


@pytest.mark.parametrize(
    ("operand", "expected"),
    [
        ("[^ab]", ast.Negation(union(A, B))),
        ("[^a--b]", ast.Negation(ast.Difference(A, B))),
        ("U+0061", A),
        ("U+0061..U+0063", ast.CharacterRange(A, C)),
        ("U+0061 .. U+0063", ast.CharacterRange(A, C)),
        ('"a"', ast.Text("a")),
        ("a", ast.SetName("a")),
        ("(a)", ast.SetName("a")),
        ("a | b | c", union(ast.SetName("a"), ast.SetName("b"), ast.SetName("c"))),
        ("(a | b) | c", union(union(ast.SetName("a"), ast.SetName("b")), ast.SetName("c"))),
        ("a | b -- c", union(ast.SetName("a"), ast.Difference(ast.SetName("b"), ast.SetName("c")))),
        ("a--b&&c", ast.Intersection(ast.Difference(ast.SetName("a"), ast.SetName("b")), ast.SetName("c"))),
        ("!a -- b", ast.Difference(ast.Negation(ast.SetName("a")), ast.SetName("b"))),
        ("!(a -- b)", ast.Negation(ast.Difference(ast.SetName("a"), ast.SetName("b")))),
        ("!!a", ast.Negation(ast.Negation(ast.SetName("a")))),
        ("ko-strict--a-b", ast.Difference(ast.SetName("ko-strict"), ast.SetName("a-b"))),
    ],
)
def test_outside_brackets(operand: str, expected: ast.SetExpr) -> None:
    """`!` binds tightest, then `--` and `&&`, then `|`; parentheses leave no trace."""
    assert deny(operand) == (expected,)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (r"\p{Han}", HAN),
        (r"\p{ Han }", HAN),
        (r"\p{scx=Kana}", KANA),
        (r"\p{ scx = Kana }", KANA),
        (r"\P{Han}", ast.Property(None, "Han", True)),
        (r"\p{^Han}", ast.Property(None, "Han", True)),
        (r"\P{^Han}", HAN),
        (r"\p{Block=CJK Unified Ideographs}", ast.Property("Block", "CJK Unified Ideographs")),
    ],
)
def test_properties(written: str, expected: ast.Property) -> None:
    """A property is the same in and out of brackets; a capital P and `^` each negate it."""
    assert deny(written) == (expected,)
    assert members(written) == union(expected)


# --- lists of operands --------------------------------------------------------------------------


def scripts(*names: str, strictly: bool = False) -> ast.ScriptSet:
    """A list of scripts."""
    return ast.ScriptSet(tuple(map(ast.ScriptName, names)), strictly)


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ("script Han", (scripts("Han"),)),
        ("script Han, Hira", (scripts("Han", "Hira"),)),
        ("script Han, Hira strictly", (scripts("Han", "Hira", strictly=True),)),
        ("script Han strictly, a", (scripts("Han", strictly=True), ast.SetName("a"))),
        ("script Han, Hira strictly, a", (scripts("Han", "Hira", strictly=True), ast.SetName("a"))),
        ("script Han, (a)", (scripts("Han"), ast.SetName("a"))),
        ("script Han, [a], b", (scripts("Han"), union(A), ast.SetName("b"))),
        ("script Han, a -- b", (scripts("Han"), ast.Difference(ast.SetName("a"), ast.SetName("b")))),
        ("script Han, script Hira", (scripts("Han"), scripts("Hira"))),
        ("a, script Han, Hira", (ast.SetName("a"), scripts("Han", "Hira"))),
    ],
)
def test_scripts_take_the_names_that_follow(operands: str, expected: tuple[ast.SetExpr, ...]) -> None:
    """Plain names go on with the list; anything else, and `strictly`, ends it."""
    assert deny(operands) == expected


def test_a_list_of_scripts_has_one_span() -> None:
    """The span of a list goes from `script` to its last word, that of a name is its own."""
    text = "policy p { only script Han, Hira strictly; }"
    (item,) = parse(text).policies[0].items
    assert isinstance(item, ast.Only)
    (written,) = item.sets
    assert isinstance(written, ast.ScriptSet)

    assert text[written.span.start : written.span.end] == "script Han, Hira strictly"
    assert [text[n.span.start : n.span.end] for n in written.names] == ["Han", "Hira"]


# --- items and files ----------------------------------------------------------------------------


def test_items() -> None:
    """Every kind of item, with its parts."""
    assert items(r'let a = [a]; deny a; only a; allow "漢江", a; accept "\"x\"\n"; reject "확" at 0; reject "";') == (
        ast.Let("a", union(A)),
        ast.Deny((ast.SetName("a"),)),
        ast.Only((ast.SetName("a"),)),
        ast.Allow((ast.Text("漢江"), ast.SetName("a"))),
        ast.Accept(ast.Text('"x"\n')),
        ast.Reject(ast.Text("확"), 0),
        ast.Reject(ast.Text(""), None),
    )


def test_offsets_count_code_points() -> None:
    """`at` may be as large as the text is long in code points, and written with zeros in front."""
    assert items('reject "😀x" at 2; reject "😀x" at 00001;') == (
        ast.Reject(ast.Text("😀x"), 2),
        ast.Reject(ast.Text("😀x"), 1),
    )


def test_several_policies() -> None:
    """A file holds policies with or without a description."""
    file = parse('policy ko "Korean" { deny [a]; } policy ko-strict { only [b]; }')

    assert [(p.name, p.doc) for p in file.policies] == [("ko", "Korean"), ("ko-strict", None)]


def test_spans_are_what_was_written() -> None:
    """The span of a node is its text in the source."""
    text = 'policy 가 "x" {'.replace("가", "p") + ' deny [a-c]; # 뒤\n let x = !([b] | "c"); allow x; }'
    file = parse(text)
    first, second, _ = file.policies[0].items
    assert isinstance(first, ast.Deny)
    assert isinstance(second, ast.Let)

    def cut(span: Span) -> str:
        return text[span.start : span.end]

    assert cut(file.policies[0].span) == text
    assert cut(file.policies[0].name_span) == "p"
    assert cut(first.span) == "deny [a-c];"
    assert cut(first.sets[0].span) == "[a-c]"
    assert cut(second.name_span) == "x"
    assert cut(second.value.span) == '!([b] | "c")'


def test_byte_order_mark_is_skipped() -> None:
    """A mark at the very beginning is no part of the text, but counts in byte offsets."""
    file = parse("\ufeffpolicy p { deny [a]; }")

    assert file.policies[0].span.start == 0
    assert file.source.byte_offset(0) == 3


def test_line_ends_of_windows() -> None:
    """A carriage return before a line feed is part of the line end."""
    text = "policy p {\r\n    # why\r\n    deny [a];\r\n}\r\n"

    assert parse(text) == parse(text.replace("\r\n", "\n"))
    assert parse(text).policies[0].items[0].leading == ("why",)


@pytest.mark.parametrize("word", ["require", "on_dead_end"])
@pytest.mark.parametrize("place", ["{}", "policy {} {{ deny a; }}", "policy p {{ {} x; }}", "policy p {{ deny {}; }}"])
def test_reserved_words_give_one_error(word: str, place: str) -> None:
    """A word of a later version is refused wherever it stands, with one diagnostic."""
    assert codes(place.format(word)) == ["LC0106"]


def test_independent_errors_come_together() -> None:
    """Bad code points, ranges and names are all reported in one go, in the order of the text."""
    text = 'policy p { let a = [z-a]; deny b, [\\q]; accept "\\q"; deny [\\u{D800}]; } policy p { deny a; }'

    assert codes(text) == [*("LC0203", "LC0301", "LC0108", "LC0108", "LC0202"), *("LC0310", "LC0301")]


def test_warnings_come_with_the_file() -> None:
    """Warnings do not stop the parser."""
    file, warnings = parse_source(Source("<test>", "policy p { let a = [a]; deny [b]; }"))

    assert file.policies[0].name == "p"
    assert [w.code for w in warnings] == ["LC0304"]


# --- budgets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("opener", "closer"), [("[", "]"), ("[^", "]"), ("(", ")")])
def test_nesting_is_bounded(opener: str, closer: str) -> None:
    """The cap on brackets is exact: one less and just as many are read, one more is refused."""

    def nested(depth: int) -> str:
        return f"policy p {{ deny {opener * depth}{'U+0061' if closer == ')' else 'a'}{closer * depth}; }}"

    for depth in (MAX_NESTING - 1, MAX_NESTING):
        assert len(parse(nested(depth)).policies) == 1
    with pytest.raises(LimitError, match=r"LC0701.* 64"):
        parse(nested(MAX_NESTING + 1))


@pytest.mark.parametrize(("before", "between"), [("!", ""), ("", " -- [a]"), ("", " && [a]")])
def test_operators_inside_one_another_are_bounded(before: str, between: str) -> None:
    """A chain of operators is as deep as it is long, and bounded like brackets (the set in brackets is one level)."""

    def chain(length: int) -> str:
        return f"policy p {{ deny {before * length}[a]{between * length}; }}"

    for length in (MAX_SET_DEPTH - 2, MAX_SET_DEPTH - 1):
        assert len(parse(chain(length)).policies) == 1
    with pytest.raises(LimitError, match=r"LC0701.* 128"):
        parse(chain(MAX_SET_DEPTH))


@pytest.mark.parametrize("sign", ["(", "[", "!", "[^"])
def test_a_hundred_thousand_signs_are_one_error(sign: str) -> None:
    """However deep the text, there is one error, and no recursion."""
    with pytest.raises((LimitError, PolicyError)) as caught:
        parse("policy p { deny " + sign * 100_000)

    assert len(caught.value.diagnostics) == 1


def test_tokens_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The budget of words, characters and comments is exact; blanks cost nothing."""
    monkeypatch.setattr("langc.compiler.syntax.parse.MAX_POLICY_TOKENS", 100)

    def listing(tokens: int) -> str:
        return "# many\npolicy p { deny [" + "a  " * (tokens - 10) + "]; } # enough"

    assert [len(parse(listing(tokens)).policies) for tokens in (99, 100)] == [1, 1]
    with pytest.raises(LimitError, match=r"LC0701.* 100"):
        parse(listing(101))


@pytest.mark.parametrize("filler", ["#", "한"])
def test_size_is_bounded(filler: str) -> None:
    """The budget of bytes counts UTF-8 and is exact."""
    head = "policy p { deny [a]; } #"
    room = MAX_POLICY_BYTES - len(head)
    body = filler * (room // len(filler.encode())) + "." * (room % len(filler.encode()))

    assert len(parse(head + body).policies) == 1
    with pytest.raises(LimitError, match=r"LC0701.*4,194,304"):
        parse(head + body + ".")


def test_errors_are_bounded() -> None:
    """A file full of errors is not reported to its last line."""
    assert len(codes("policy p { deny [" + r"\q" * 1000 + "]; }")) == MAX_DIAGNOSTICS


# --- what stands beside sets --------------------------------------------------------------------


def test_sequences() -> None:
    """Sets and strings side by side, up to the comma; a sequence may follow a list of scripts."""
    (rule,) = items('allow [a] "bc" U+0041, script Han, Hira, x (y);')

    assert rule == ast.Allow(
        (
            ast.Sequence((union(A), ast.Text("bc"), ast.Character(0x41))),
            ast.ScriptSet((ast.ScriptName("Han"), ast.ScriptName("Hira"))),
            ast.Sequence((ast.SetName("x"), ast.SetName("y"))),
        )
    )
    assert isinstance(rule, ast.Allow)
    assert [o.span for o in rule.operands[:1]] == [Span(17, 32)]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("use ko;", ast.Use(ast.PolicyName("ko"))),
        ('use "a.policy:b";', ast.Use(ast.Text("a.policy:b"))),
        ('deny encodable("big5");', ast.Deny((ast.Encodable(ast.Text("big5")),))),
        ('deny !encodable("a") && x;', None),
    ],
)
def test_uses_and_encodings(written: str, expected: ast.PolicyItem | None) -> None:
    """A name or a string behind `use`; `encodable` is a set like others."""
    expected = expected or ast.Deny((ast.Intersection(ast.Negation(ast.Encodable(ast.Text("a"))), ast.SetName("x")),))

    assert items(written) == (expected,)
