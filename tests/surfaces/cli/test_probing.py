"""What is found out about a tool is what the tool has: a parser written here stands for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.surfaces.environment.tools.__main__ import as_json, main
from langc.compiler.surfaces.environment.tools.ffmpeg import av_options, places
from langc.compiler.surfaces.environment.tools.probing import Acting, Named, complaint, taken
from langc.compiler.surfaces.environment.tools.sandbox import Answer, Sandbox, sandbox

WAYS = {
    "flag": (True, False, False),
    "value": (False, True, True),
    "optional": (True, True, False),
    "number": (False, True, True),
}


@dataclass
class Tool:
    """Reads its words as git's parser does; `ways` is by name, one letter or several."""

    ways: Mapping[str, str]
    names_what_it_does_not_know: bool = True

    def run(self, words: Sequence[str], fresh: bool = False) -> Answer:
        """What the tool says to these words."""
        return self._read([*words[1:]])

    def _read(self, words: list[str]) -> Answer:
        operands = 0
        while words:
            word = words.pop(0)
            if not word.startswith("-"):
                operands += 1
                continue
            answer = self._long(word[2:], words) if word.startswith("--") else self._letters(word[1:], words)
            if answer is not None:
                return answer
        return Answer(0, "", "") if operands else Answer(129, "", "usage: tool [<options>] <file>")

    def _unknown(self, kind: str, name: str) -> Answer:
        said = f"error: unknown {kind} `{name}'\n" if self.names_what_it_does_not_know else ""
        return Answer(129, "", f"{said}usage: tool")

    def _long(self, text: str, words: list[str]) -> Answer | None:
        name, equals, value = text.partition("=")
        way = self.ways.get(name)
        if way is None or len(name) < 2:
            return self._unknown("option", name)
        if way == "flag":
            return Answer(129, "", f"error: option `{name}' takes no value") if equals else None
        return None if way == "optional" else self._value(name, way, value if equals else None, words)

    def _letters(self, letters: str, words: list[str]) -> Answer | None:
        while letters:
            name, letters = letters[0], letters[1:]
            way = self.ways.get(name)
            if way is None:
                return self._unknown("switch", name)
            if way != "flag":
                return None if way == "optional" else self._value(name, way, letters or None, words)
        return None

    def _value(self, name: str, way: str, value: str | None, words: list[str]) -> Answer | None:
        if value is None and not words:
            return Answer(129, "", f"error: option `{name}' requires a value")
        value = words.pop(0) if value is None else value
        if way == "number" and not value.isdigit():
            return Answer(129, "", f"error: option `{name}' expects a numerical value")
        return None


ways = st.dictionaries(
    st.one_of(st.sampled_from("abcdwxyz"), st.sampled_from(["all", "message", "depth", "no-all", "col", "color"])),
    st.sampled_from(sorted(WAYS)),
)


@given(ways, st.booleans())
def test_what_is_found_is_what_the_tool_has(ways: dict[str, str], named: bool) -> None:
    """Each option is found with its ways of taking a value, and no other is."""
    box = cast("Sandbox", Tool(ways, named))
    dashed = {("--" if len(name) > 1 else "-") + name: WAYS[way] for name, way in ways.items()}
    valued = frozenset(option for option, (alone, _, _) in dashed.items() if not alone or WAYS["optional"][0])
    probe = Named(box, ("tool",)) if named else Acting(box, ("tool",), ("file",), valued)
    candidates = [*dashed, "--none", "-q", "--messages"]
    for option in candidates:
        found = taken(probe, option)
        expected = dashed.get(option)
        assert (found and (found.alone, found.joined, found.apart)) == expected, option


def test_complaints_are_read() -> None:
    """The word that a parser does not know is found in each form of complaint."""
    for text, word in [
        ("error: unknown option `langc-none-1'", "langc-none-1"),
        ("error: unknown switch `Z'", "Z"),
        ("fatal: unrecognized argument: --langc-none-1", "langc-none-1"),
        ("error: invalid option: --x", "x"),
        ("error: unrecognized option: '--x'", "x"),
    ]:
        assert complaint(Answer(129, "", text)) == word
    assert complaint(Answer(128, "", "fatal: not a git repository")) is None


def test_options_are_read_from_ffmpeg_listings() -> None:
    """Options are read, and the constants below them are not."""
    text = """Filter x
x AVOptions:
   w                 <string>     ..FV.....T. Output width
     auto            0            ..FV.......
  -crf               <float>      E..V....... Select the quality
Exiting
   y                 <int>        ..FV.......
"""
    assert [(option.name, option.type, option.text) for option in av_options(text)] == [
        ("w", "string", "Output width"),
        ("crf", "float", "Select the quality"),
    ]


def test_values_without_names_are_for_the_options_of_the_filter_itself() -> None:
    """Two names of one option have one place, and those of the classes it works with have none."""
    own = """ssim AVOptions:
   stats_file        <string>     ..FV....... Set file where to store
   f                 <string>     ..FV....... Set file where to store
"""
    shared = """framesync AVOptions:
   shortest          <boolean>    ..FV....... force termination
"""
    assert [places(text) for text in (own, own + shared, "hflip AVOptions:\n" + shared)] == [1, 1, 0]


def test_a_sandbox_runs_in_copies_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left, and nothing of the caller is seen."""
    monkeypatch.setenv("SECRET", "1")
    with sandbox({"GIVEN": "2"}) as box:
        (box.work / "f").write_text("1")
        answer = box.run(["sh", "-c", "echo $SECRET-$GIVEN; rm f; touch g"], fresh=True)
        assert (answer.code, answer.out) == (0, "-2\n")
        assert sorted(path.name for path in box.work.iterdir()) == ["f"]
        root = box.root
    assert not root.exists()


def test_what_is_printed_is_an_environment_with_its_facts() -> None:
    """The facts are in the file."""
    text = as_json("tool", ("1.2", {"Command": ["a", {"name": "b", "attributes": ["x"]}]}))
    assert '"version":"1.2"' in text.replace(" ", "")
    assert '"kind":"tool"' in text.replace(" ", "")


def test_other_words_give_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown tool is no traceback."""
    assert main(["tar"]) == 2
    assert capsys.readouterr().err.startswith("usage: ")
