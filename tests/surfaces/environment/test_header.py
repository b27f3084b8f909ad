"""Names of C and C++ headers; a compiler, where there is one, judges that each of them exists."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.errors import LangcError
from langc.compiler.surfaces.environment.canonical import to_json
from langc.compiler.surfaces.environment.names import Entry, Environment
from langc.compiler.surfaces.environment.providers import Request, read

HEADER = r"""
#ifndef A_H
#define A_H
#include <stddef.h>
#define LIMIT 10
#define MAX(a, b) ((a) > (b) \
    ? (a) : (b))
#define LOG(fmt, ...) log_it(fmt, __VA_ARGS__)
#define GONE 1
#undef GONE
#define PUBLIC(type) type
#if 0
int never(void); {{{
#else
int always(void);
#endif
#ifdef WIN32
int windows(int a);
#elif 1
int others(int a);
#endif
#ifdef __cplusplus
extern "C" {
#endif
/* int commented(void); */ // int commented_too(void);
typedef struct point {
    int x, *y; double z[3]; unsigned bits : 4;
    struct { int inner; };
    union { int u1; float u2; } both;
    int (*callback)(int, void *);
} point_t, *point_p;
typedef int (*callback)(void *data, int n);
typedef unsigned long size_type;
enum color { RED, GREEN = 2, BLUE = RED + GREEN };
enum { ANON = sizeof(int[3]) };
struct forward;
struct forward *make_forward(const char *name, ...);
static inline int add(int a, int b) { return a + b; }
extern int counter, *pointer;
static const char *const words[] = {"int no(void);", "b", "\"}"};
__attribute__((noreturn)) void die(const char *message) __attribute__((format(printf, 1, 0)));
int (*get_handler(int sig))(int);
extern void (*hook)(void);
PUBLIC(int) published(int a);
int log_it(const char *fmt, ...);
#ifdef __cplusplus
}
#endif
#endif
"""
CXX = r"""
#pragma once
namespace a::b {
template <typename T> class Base {};
template <typename T, int N = 3> class Vec : public Base<T> {
    int hidden;
 public:
    Vec(int n);
    ~Vec();
    int size() const { return R"(})" ? 1 : 2; }
    void push(T x, int at = 0);
    void push(T x, int at, int more);
    static int count;
    bool operator==(const Vec& o) const;
    T value_;
 private:
    void secret();
};
enum class Mode : int { Fast, Slow };
using Alias = Vec<int, 3>;
constexpr int kLimit = 3;
int pair(Base<Vec<int, 2>> p, int q = 2);
}
namespace a { namespace b { struct S { int f; void m(); }; } void outer(int); }
"""


def names(folder: Path, text: str, file: str = "a.h") -> Environment:
    """The names of a header with this text."""
    (folder / file).write_text(text)
    return read(Request("h", "header", (file,), folder))


def listed(found: Environment | Entry, sort: str) -> list[str]:
    """The names of a sort in order."""
    groups = found.groups if isinstance(found, Environment) else found.members
    return [entry.name for entry in groups.get(sort, ())]


def test_what_c_declares(tmp_path: Path) -> None:
    """Each kind of declaration, and nothing out of comments, texts and dropped branches."""
    found = names(tmp_path, HEADER)
    point = found.group("Struct").get("point")

    assert listed(found, "Function") == [
        "always", "windows", "make_forward", "add", "die", "published", "log_it",
    ]  # fmt: skip
    assert point is not None
    assert listed(point, "Field") == ["x", "y", "z", "bits", "inner", "both", "callback"]
    assert listed(found, "Type") == ["point_t", "point_p", "callback", "size_type"]
    assert listed(found, "Enumerator") == ["RED", "GREEN", "BLUE", "ANON"]
    assert listed(found, "Variable") == ["counter", "pointer", "words", "hook"]
    assert listed(found, "Macro") == ["A_H", "LIMIT", "MAX", "LOG", "PUBLIC"]


def test_numbers_and_conditions(tmp_path: Path) -> None:
    """How many arguments there are, and what may not be there."""
    found = names(tmp_path, HEADER)

    assert {
        e.name: dict(e.numbers) for e in found.group("Function") if e.name in ("add", "make_forward", "always")
    } == {
        "always": {"least": 0, "most": 0},
        "make_forward": {"least": 1},
        "add": {"least": 2, "most": 2},
    }
    assert {e.name: dict(e.numbers) for e in found.group("Macro") if e.numbers} == {
        "MAX": {"least": 2, "most": 2},
        "LOG": {"least": 1},
        "PUBLIC": {"least": 1, "most": 1},
    }
    assert [e.name for e in found.group("Function") if "conditional" in e.attributes] == ["windows"]


def test_what_cxx_declares(tmp_path: Path) -> None:
    """Namespaces that are opened twice, public members only, overloads as one."""
    found = names(tmp_path, CXX, "a.hpp")
    a = found.group("Namespace").get("a")
    assert a is not None
    b = a.members["Namespace"].get("b")
    assert b is not None
    vec = b.members["Class"].get("Vec")
    assert vec is not None

    assert listed(a, "Function") == ["outer"]
    assert {sort: listed(b, sort) for sort in b.members} == {
        "Class": ["Base", "Vec"],
        "Enum": ["Mode"],
        "Type": ["Alias"],
        "Variable": ["kLimit"],
        "Function": ["pair"],
        "Struct": ["S"],
    }
    assert (listed(vec, "Field"), listed(vec, "Method")) == (["count", "value_"], ["size", "push"])
    assert dict(vec.members["Method"].entries[1].numbers) == {"least": 1, "most": 3}
    assert dict(b.members["Function"].entries[0].numbers) == {"least": 1, "most": 2}


def uses(found: Environment) -> Iterator[str]:
    """A line of C for each name, which a compiler takes only if the name is there and of its sort."""
    for number, entry in enumerate(e for group in found.groups.values() for e in group):
        if "conditional" in entry.attributes or entry.name.startswith("_"):
            continue
        match entry.sort:
            case "Function":
                yield f"void *use{number} = (void *)&{entry.name};"
            case "Type":
                yield f"extern {entry.name} *use{number};"
            case "Struct" | "Union":
                for member in entry.members["Field"]:
                    own = f"{entry.sort.lower()} {entry.name}"
                    yield f"void use_{number}_{member.name}({own} *it) {{ (void)it->{member.name}; }}"
            case "Enum":
                yield f"extern enum {entry.name} use{number};"
            case "Enumerator":
                yield f"int use{number} = {entry.name};"
            case "Variable":
                yield f"void *use{number} = (void *)&{entry.name};"
            case "Macro":
                yield f"#ifndef {entry.name}\n#error {entry.name}\n#endif"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("name", ["a.h", "stdio.h", "stdlib.h", "string.h", "time.h", "dirent.h"])
def test_a_compiler_finds_every_name(tmp_path: Path, name: str) -> None:
    """Of the header above, and of the C library's where they are installed."""
    (tmp_path / "a.h").write_text(HEADER)
    folder = tmp_path if name == "a.h" else Path("/usr/include")
    if not (folder / name).exists():
        pytest.skip(f"no {name} is installed")
    found = read(Request("h", "header", (name,), folder))
    include = f'#include "{folder / name}"' if name == "a.h" else f"#include <{name}>"
    lines = list(uses(found))
    (tmp_path / "use.c").write_text("\n".join([include, *lines, ""]))
    done = subprocess.run(
        ["gcc", "-fsyntax-only", "-w", "-std=gnu11", "-D_GNU_SOURCE", "use.c"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert len(lines) >= 3
    assert [line for line in done.stderr.splitlines() if "error" in line] == []


@given(
    st.lists(
        st.sampled_from(CXX.split() + HEADER.split() + ["{", "}", "(", ")", "<", ">", ";", '"', "'", "/*"]), max_size=40
    )
)
def test_no_text_breaks_the_reader(words: list[str]) -> None:
    """Pieces of headers in any order give names or an error, and names that can be written down."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        try:
            found = names(Path(folder), " ".join(words) + "\nint last_one;")
        except LangcError as error:
            found = None
            codes = [d.code for d in error.diagnostics]
            assert codes == ["LC0908"]
        if found is not None:
            assert Environment.from_json(to_json(found)).digest == found.digest


@pytest.mark.parametrize(
    "text",
    [
        "{" * 20_000,
        "(" * 20_000,
        "struct a {" * 5_000,
        "namespace a {" * 5_000,
        "#if x\n" * 10_000,
        "/*" * 20_000,
        'R"(' * 2_000,
        "template <" * 10_000,
        "int f(" * 20_000,
        "a<" * 10_000,
        "int a, " * 10_000,
        "\\\n" * 20_000,
        "enum {" * 20_000,
        "typedef " * 10_000,
        "int a = " + "{} " * 10_000,
        "#if x\n" * 10_000 + "{ " * 10_000,
    ],
    ids=lambda text: text[:10],
)
def test_hostile_headers(tmp_path: Path, text: str) -> None:
    """Whatever is opened and never closed, in bounded time."""
    found = names(tmp_path, "#define ONE 1\n" + text)

    assert listed(found, "Macro") == ["ONE"]
