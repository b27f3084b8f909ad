"""Which regions of a policy hold a surface, and what follows a text through them."""

from __future__ import annotations

import string
from dataclasses import dataclass, replace

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.ir.kinds import Between, Fence
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.passes.open_regions import ending_in, regions_of
from langc.compiler.policy import Policy
from langc.compiler.surfaces.regions.tracker import Tracker
from langc.compiler.tokens.vocabulary import Vocabulary

_PROBES = string.ascii_lowercase + string.digits + string.ascii_uppercase + string.punctuation.replace("`", "")


@dataclass(frozen=True, eq=False)
class Contents:
    """The regions of one policy that hold a surface."""

    trackers: tuple[Tracker, ...]
    """No two are closed alike, and a text is in the regions of one of them at most."""
    markers: frozenset[str]
    """Delimiters that a special token may spell."""

    def with_markers(self, vocabulary: Vocabulary) -> Vocabulary:
        """The vocabulary with special tokens that spell a delimiter as text."""
        found = {
            token: text.encode("utf-8", "surrogatepass")
            for token, text in vocabulary.specials.items()
            if text in self.markers and token not in vocabulary.eos_ids
        }
        if not found:
            return vocabulary
        return replace(
            vocabulary,
            tokens=tuple(found.get(token, spelled) for token, spelled in enumerate(vocabulary.tokens)),
            specials={token: text for token, text in vocabulary.specials.items() if token not in found},
        )


def contents_of(policy: Policy) -> Contents | None:
    """Those of a policy, or of one that it uses; None if neither has any. Raises LimitError."""
    scope = next((scope for scope in policy.lowered.scopes if scope.surface_regions), None)
    if scope is None:
        return None
    by_closer: dict[str | None, list[int]] = {}
    openers: dict[str | None, str] = {}
    for number, kind in _kinds(scope):
        closer = kind.closer if isinstance(kind, Between) else None
        by_closer.setdefault(closer, []).append(number)
        openers[closer] = openers.get(closer, "") + (kind.opener if isinstance(kind, Between) else "~")
    trackers = [
        Tracker(closer, lower_to_bytes(build_dfa(ending_in(scope, numbers))), _probe(openers[closer] + (closer or "")))
        for closer, numbers in by_closer.items()
    ]
    return Contents(tuple(trackers), policy.markers)


def _kinds(scope: PolicyIR) -> list[tuple[int, Between | Fence]]:
    kinds = [(region, kind) for region in regions_of(scope) for kind in region.kinds]
    return [
        (number, kind)
        for number, (region, kind) in enumerate(kinds, 1)
        if region.surface is not None and isinstance(kind, Between | Fence)
    ]


def _probe(delimiters: str) -> str:
    """A character of no delimiter."""
    return next(character for character in _PROBES if character not in delimiters)
