"""What a vocabulary holds, and what a policy would take from it: the data behind `langc scan`.

Nothing is rendered here. docs/scan.md says what each number counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from langc.compiler.ir.language import Cover
from langc.compiler.policy import Policy
from langc.compiler.tokens.characters.beginnings import Beginnings
from langc.compiler.tokens.characters.code_points import CODE_POINTS, Flags, count, flags_of
from langc.compiler.tokens.characters.kinds import assigned, script_numbers
from langc.compiler.tokens.characters.spelling import spelled_alone
from langc.compiler.tokens.characters.token_text import TokenText
from langc.compiler.tokens.static_bias.ban import StaticBan
from langc.compiler.tokens.static_bias.losses import Counts, Loss
from langc.compiler.tokens.verdicts import verdicts
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import SCALARS
from langc.compiler.unicode.properties import SCRIPTS

Fields = Mapping[str, "int | str | Sequence[str] | Counts | Mapping[str, Counts] | None"]

_BYTES_OF_UTF8 = [*range(0x80), *range(0x80, 0xC0), *range(0xC2, 0xF5)]
"""C0, C1 and F5 to FF stand in no text."""


@dataclass(frozen=True)
class ScanReport:
    """The parts of the report, JSON-able each.

    `bans` is None if the policy's scope is no set of characters, `verdicts` if there are too many places to visit.
    """

    vocabulary: Fields
    scripts: Mapping[str, int]
    """For each script, the tokens that hold a whole character of it; the most first."""
    fragments: Fields
    policy: str
    code_points: Fields
    bans: Fields | None
    verdicts: Fields | None

    def to_json(self) -> dict[str, object]:
        """The report as JSON-able values."""
        return {
            "vocabulary": dict(self.vocabulary),
            "tokens_by_script": dict(self.scripts),
            "fragments": dict(self.fragments),
            "policy": self.policy,
            "code_points": dict(self.code_points),
            "static_bans": None if self.bans is None else dict(self.bans),
            "verdicts": None if self.verdicts is None else dict(self.verdicts),
        }


def scan(vocabulary: Vocabulary, policy: Policy) -> ScanReport:
    """The report on a vocabulary under a policy.

    Raises PolicyError if the policy permits nothing that the vocabulary can spell, LimitError when a budget is spent.
    """
    text = TokenText.of(dict(enumerate(vocabulary.tokens)))
    return ScanReport(
        _vocabulary(vocabulary, text),
        _scripts(text),
        _fragments(text),
        policy.name,
        _code_points(text, policy),
        _bans(text, policy),
        _verdicts(vocabulary, policy),
    )


def _vocabulary(vocabulary: Vocabulary, text: TokenText) -> Fields:
    return {
        "name": vocabulary.name,
        "sha256": vocabulary.hash,
        "size": vocabulary.size,
        "text": text.size,
        "special": len(vocabulary.specials),
        "holes": len(vocabulary.special_ids) - len(vocabulary.specials),
        "end_of_sequence": [str(i) for i in sorted(vocabulary.eos_ids)],
    }


def _scripts(text: TokenText) -> dict[str, int]:
    characters = text.characters
    pairs = np.unique(characters.token * len(SCRIPTS) + script_numbers()[characters.code_point])
    counts = np.bincount(pairs % len(SCRIPTS), minlength=len(SCRIPTS))
    order = sorted(np.flatnonzero(counts).tolist(), key=lambda n: (-counts[n], SCRIPTS[n]))
    return {SCRIPTS[n]: int(counts[n]) for n in order}


def _fragments(text: TokenText) -> Fields:
    first = text.data[text.starts[:-1]]
    return {
        "no_text_of_their_own": count(~text.well_formed),
        "end_inside_a_character": count(text.ending_in(Beginnings.of(flags_of(SCALARS)))),
        "start_with_a_continuation_byte": count((first & 0xC0) == 0x80),
        "in_no_well_formed_text": count(~text.inside_text),
        "bytes_without_a_token": _missing_bytes(text),
    }


def _missing_bytes(text: TokenText) -> list[str]:
    present = set(text.first(np.flatnonzero(text.lengths == 1), 1).reshape(-1).tolist())
    return [f"{byte:02X}" for byte in _BYTES_OF_UTF8 if byte not in present]


def _code_points(text: TokenText, policy: Policy) -> Fields:
    """What can be spelled alone, of the characters that the policy permits alone and of the others."""
    spelled = spelled_alone(text, np.ones(text.size, dtype=np.bool_))
    permitted = _permitted(policy)
    return {
        "permitted": _spelled(permitted, spelled),
        "denied": _spelled(~permitted & flags_of(SCALARS), spelled),
    }


def _spelled(members: Flags, spelled: Flags) -> Counts:
    return {
        "spellable": count(members & spelled),
        "unspellable": count(members & ~spelled),
        "assigned_unspellable": count(members & ~spelled & assigned()),
    }


def _permitted(policy: Policy) -> Flags:
    """The code points that are permitted texts."""
    dfa = policy.dfa
    row = dfa.table[dfa.start]
    permitted = np.zeros(CODE_POINTS, dtype=np.bool_)
    for members, target in zip(dfa.partition.members, row, strict=True):
        if target in dfa.accepting:
            permitted |= flags_of(members)
    return permitted


def _bans(text: TokenText, policy: Policy) -> Fields | None:
    """The static bans of the policy outside exempt regions."""
    scope = policy.with_(exempt=()).ir.language
    if not isinstance(scope, Cover):
        return None
    ban = StaticBan.of(text, flags_of(scope.base.complement()))
    return {
        "loose": count(ban.whole),
        "tight": count(ban.tight),
        "lost_under_tight": Loss.of(text, ~ban.tight, flags_of(scope.base)).to_json(),
    }


def _verdicts(vocabulary: Vocabulary, policy: Policy) -> Fields | None:
    found = verdicts(policy, vocabulary)
    if found is None:
        return None
    return {"never_allowed": count(found.never), "always_allowed": count(found.always), "dynamic": count(found.dynamic)}
