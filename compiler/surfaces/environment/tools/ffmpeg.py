"""Γ of an ffmpeg program: its options, codecs, formats, filters and what each filter takes.

The listings that ffmpeg prints of itself say what there is; its own parser of the command line decides which options
it takes and in which form (`-langc_none_1 -langc_none_2` stand behind a candidate, see `probing`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from langc.compiler.surfaces.environment.tools.sandbox import Answer, Sandbox, each, sandbox

FIRST, SECOND = "langc_none_1", "langc_none_2"
SORTS = {
    **dict.fromkeys(("c", "codec", "vcodec", "acodec", "scodec", "dcodec"), "CodecOption"),
    "f": "FormatOption",
    "pix_fmt": "PixelOption",
    "sample_fmt": "SampleOption",
    "hwaccel": "HwaccelOption",
    **dict.fromkeys(("loglevel", "v"), "LevelOption"),
    **dict.fromkeys(("vf", "af", "filter", "filter_complex", "lavfi", "graph"), "GraphOption"),
    **dict.fromkeys(("bsf", "vbsf", "absf"), "BitstreamOption"),
}
"""Options whose values are names that exist; those of all others are open."""
KINDS = {"vcodec": "video", "acodec": "audio", "scodec": "subtitle", "dcodec": "data"}
TYPES = {"V": "video", "A": "audio", "S": "subtitle", "D": "data", "T": "attachment"}
_STREAMED = (
    "ac apad ar aspect autorotate autoscale b bits_per_raw_sample bsf c canvas_size ch_layout channel_layout "
    "chroma_intra_matrix codec copyinkf discard disposition dump_attachment enc_time_base filter filter_script "
    "fix_sub_duration force_key_frames fps_mode fpsmax frames guess_layout_max hwaccel hwaccel_device "
    "hwaccel_output_format inter_matrix intra_matrix itsscale max_muxing_queue_size muxing_queue_data_threshold pass "
    "passlogfile pix_fmt pre profile q qscale r rc_override reinit_filter s sample_fmt tag time_base top"
)
STREAMED = frozenset(_STREAMED.split())
"""Options of the program itself that its manual documents with a stream specifier, and their like."""
BELONGING = frozenset({"metadata", "map_metadata"})
"""Options with a specifier of what metadata belong to."""
MORE = ("vb",)
"""Options that no listing has."""
_OPTION = re.compile(r"^-([A-Za-z0-9_]\S*)", re.M)
_SECTION = re.compile(r"^(\S.*) AVOptions:$")
_AV_OPTION = re.compile(r"^ {1,3}-?([A-Za-z0-9_]\S*) +<(\w+)> +([A-Z.]{11}) ?(.*)$")
_CODEC = re.compile(r"^ ([VASDT])[A-Z.]{5} ([A-Za-z0-9_]\S*) ", re.M)
_DESCRIBED = re.compile(r"^ ([D.])([E.])([VASDT])[A-Z.]{3} ([A-Za-z0-9_]\S*) ", re.M)
_FORMAT = re.compile(r"^ ([D ])([E ]) ([A-Za-z0-9_]\S*) ", re.M)
_FILTER = re.compile(r"^ [T.][S.][C.] ([A-Za-z0-9_]+) +\S+->\S+", re.M)


@dataclass(frozen=True)
class AvOption:
    """An option of a codec, a format or the like, as `-h full` lists it."""

    name: str
    type: str
    flags: str
    text: str


@dataclass
class Ffmpeg:
    """A program, and where it is run."""

    sandbox: Sandbox
    program: str

    def run(self, *words: str) -> Answer:
        """Runs it with these words."""
        return self.sandbox.run([self.program, "-nostdin", "-hide_banner", *words])

    def listed(self, *words: str) -> str:
        """What it prints on its output channel."""
        return self.run(*words).out

    # --- options ---------------------------------------------------------------------------------------

    def options(self) -> dict[str, list[object]]:
        """Groups of options by sort."""
        full = self.listed("-h", "full")
        main = full.split(" AVOptions:")[0]
        head, _, rest = main.partition("Global options")
        queries = [name for name in dict.fromkeys(_OPTION.findall(head)) if self._exists(name)]
        groups: dict[str, list[object]] = {"Query": list(queries)}
        own = [name for name in dict.fromkeys((*_OPTION.findall(rest), *MORE)) if name not in queries and name != "i"]
        for sort, entry in chain.from_iterable(each(self._own, own)):
            groups.setdefault(sort, []).append(entry)
        for name, entry in self._av_entries(list(av_options(full)), set(own)):
            groups.setdefault(SORTS.get(name, "Option"), []).append(entry)
        return groups

    def _unknown(self, *words: str) -> str | None:
        found = re.search(r"Unrecognized option '([^']*)'", self.run(*words).err)
        return found[1] if found else None

    def _exists(self, name: str) -> bool:
        return self._unknown(f"-{name}", f"-{FIRST}", f"-{SECOND}") != name

    def _own(self, name: str) -> list[tuple[str, object]]:
        """The entries of an option of the program itself: it, and `no…` if that is another form of it."""
        unknown = self._unknown(f"-{name}", f"-{FIRST}", f"-{SECOND}")
        if unknown is None and self._unknown(f"-{name}", "info", f"-{SECOND}") == SECOND:
            unknown = SECOND  # a value that is looked at at once
        if unknown == SECOND:
            sides = self._sides(f"-{name}", "1")
            kind = KINDS.get(name)
            return [(SORTS.get(name, "Option"), _entry(name, sides | ({kind} if kind else set())))]
        if unknown != FIRST:
            return []
        found: list[tuple[str, object]] = [("Switch", _entry(name, self._sides(f"-{name}")))]
        if self._unknown(f"-no{name}", f"-{FIRST}", f"-{SECOND}") == FIRST:
            found.append(("Switch", _entry(f"no{name}", self._sides(f"-no{name}"))))
        return found

    def _sides(self, *words: str) -> set[str]:
        """Whether an option may stand before an input, before an output."""
        inward = self.run(*words, "-i", "langc_none").text
        outward = self.run("-f", "lavfi", "-i", "anullsrc", "-t", "0.01", *words, "-f", "null", "-").text
        found = {"input"} if "cannot be applied to" not in inward else set()
        return found | ({"output"} if "cannot be applied to" not in outward else set())

    def _av_entries(self, options: Iterable[AvOption], own: set[str]) -> Iterator[tuple[str, object]]:
        flags: dict[str, set[str]] = {}
        for option in options:
            if "F" not in option.flags and option.name not in own:
                flags.setdefault(option.name, set()).update(option.flags)
        known = self._accepted(flags, "")
        streamed = self._accepted(known, ":v")
        for name in known:
            sides = {side for letter, side in (("D", "input"), ("E", "output")) if letter in flags[name]}
            if sides:
                yield name, _entry(name, sides | ({"stream"} if name in streamed else set()))

    def _accepted(self, names: Iterable[str], behind: str) -> list[str]:
        """The names that the parser takes as options with a value: all are given at once, without those it refuses."""
        left = list(names)
        while left:
            words = [word for name in left for word in (f"-{name}{behind}", "1")]
            answer = self.run(*words, f"-{FIRST}", f"-{SECOND}").err
            found = re.search(r"(?:Unrecognized|Error parsing) option '([^':]*)", answer)
            if found is None or found[1] not in left:
                return left
            left.remove(found[1])
        return left

    # --- names -----------------------------------------------------------------------------------------

    def names(self) -> dict[str, list[object]]:
        """Groups of what there is beside options."""
        formats = _FORMAT.findall(self.listed("-formats"))
        described = _DESCRIBED.findall(self.listed("-codecs"))
        return {
            "Encoder": _codecs(self.listed("-encoders"), ((kind, name) for _, e, kind, name in described if e == "E")),
            "Decoder": _codecs(self.listed("-decoders"), ((kind, name) for d, _, kind, name in described if d == "D")),
            "Muxer": _distinct(name for _, e, names in formats if e == "E" for name in names.split(",")),
            "Demuxer": [
                {"name": name, "attributes": ["graph"]} if name == "lavfi" else name
                for name in _distinct(name for d, _, names in formats if d == "D" for name in names.split(","))
            ],
            "PixelFormat": _distinct(re.findall(r"^[I.][O.][H.][P.][B.] (\w+)", self.listed("-pix_fmts"), re.M)),
            "SampleFormat": _distinct(re.findall(r"^(\w+) +\d", self.listed("-sample_fmts"), re.M)),
            "Level": _distinct(re.findall(r'^"(\w+)"$', self.run("-loglevel", FIRST).err, re.M)),
            "Hwaccel": _distinct(["auto", "none", *_lines(self.listed("-hwaccels"))]),
            "Filter": each(self._filter, _distinct(_FILTER.findall(self.listed("-filters")))),
            "BitstreamFilter": each(self._bitstream_filter, _distinct(_lines(self.listed("-bsfs")))),
        }

    def _filter(self, name: object) -> object:
        text = self.listed("-h", f"filter={name}")
        options = list(av_options(text))
        names: list[object] = _distinct(option.name for option in options)
        if "timeline through the 'enable' option" in text and "enable" not in names:
            names.append("enable")
        return _with_parameters(str(name), names, places(text))

    def _bitstream_filter(self, name: object) -> object:
        return _with_parameters(str(name), _distinct(o.name for o in av_options(self.listed("-h", f"bsf={name}"))))


def av_options(text: str) -> Iterator[AvOption]:
    """The options in the sections `… AVOptions:` of a text, without the constants below them."""
    inside = False
    for line in text.splitlines():
        inside = (inside and line.startswith(" ")) or _SECTION.match(line) is not None
        found = _AV_OPTION.match(line) if inside else None
        if found:
            yield AvOption(*found.groups())


def _first_section(text: str) -> str:
    """A filter's own options, without those of what it works with (`framesync AVOptions:`)."""
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if _SECTION.match(line)]
    return "\n".join(lines[: heads[1]] if len(heads) > 1 else lines)


def places(text: str) -> int:
    """How many values a filter takes without names: options that are described alike are two names of one."""
    rows = [(option.type, option.text) for option in av_options(_first_section(text))]
    return sum(row != before for row, before in zip(rows, [None, *rows], strict=False))


def _with_parameters(name: str, parameters: list[object], most: int | None = None) -> object:
    if not parameters:
        return name
    found: dict[str, object] = {"name": name, "attributes": ["options"], "members": {"Parameter": parameters}}
    if most is not None:
        found["numbers"] = {"most": most}
    return found


def _codecs(listing: str, described: Iterable[tuple[str, str]]) -> list[object]:
    kinds: dict[str, str] = {}
    for kind, name in (*_CODEC.findall(listing), *described):
        kinds.setdefault(name, TYPES[kind])
    return [{"name": name, "attributes": [kind]} for name, kind in kinds.items()]


def _entry(name: str, attributes: set[str]) -> object:
    words = attributes | ({"stream"} if name in STREAMED else set())
    words |= {"belongs"} if name in BELONGING else set()
    return {"name": name, "attributes": sorted(words)}


def _lines(listing: str) -> list[str]:
    return re.findall(r"^(\w+)$", listing, re.M)


def _distinct(names: Iterable[str]) -> list[object]:
    return list(dict.fromkeys(names))


def environment(program: str = "ffmpeg") -> tuple[str, dict[str, list[object]]]:
    """The version of an ffmpeg program, and its names by sort."""
    with sandbox({}) as box:
        ffmpeg = Ffmpeg(box, program)
        version = box.run([program, "-version"]).out.split()[2].partition("-")[0]
        return version, {**ffmpeg.options(), **ffmpeg.names()}
