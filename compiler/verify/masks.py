"""Comparison by engine: the real one is led along walks, and its whole mask is compared with the reference's.

Invariant: a mask counts as a fault of the engine only if every token that differs is explained (`faults.py`), or
admitted by the artefact's header where the format is a fixed list of tokens; otherwise it counts as unexplained, and
so does an engine that fails. Beside the mask the engine is asked whether it takes a sample of ids, one by one: that
must agree with the reference, and with the engine's own mask.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from langc.compiler.target import EXACT, Fidelity
from langc.compiler.verify.engines.protocol import Engine, Judge, Look, Mask, Packed, PrefixRefusedError, unpack
from langc.compiler.verify.faults import Difference, explain, no_lookahead
from langc.compiler.verify.reference import Place, Reference, reading
from langc.compiler.verify.report import Masks, Witness
from langc.compiler.verify.texts import compare_texts
from langc.compiler.verify.walks import Walk, Walks, unfinished

Ints = npt.NDArray[np.int64]
Progress = Callable[[int, int], None]
"""Called with how many prefixes were tried, and how many there are."""

_TEXTS = 1_000
"""About how many texts an engine is asked that knows no masks: they take no time, and walks may be few."""
_ENDS = 20
"""How many texts are ended, to see what an engine takes behind an end."""
_TRIES = 100
"""How often an engine is asked in order to shorten a witness."""


@dataclass(frozen=True)
class _Found:
    """What differs in one place: the names of what explains it, and the ids that nothing explains."""

    names: frozenset[str]
    unexplained: tuple[int, ...]


@dataclass(frozen=True)
class _Case:
    """A token behind a prefix that the engine and the reference judge differently."""

    tokens: tuple[int, ...]
    token: int | None
    """None if the engine fails on the empty text."""
    offered: bool
    """Whether the engine lets it through."""


def compare(
    engine: Engine | Judge,
    reference: Reference,
    walks: Walks,
    *,
    version: str = "",
    fidelity: Fidelity = EXACT,
    progress: Progress | None = None,
) -> Masks:
    """Compare the masks of an engine after all walks.

    Args:
        engine: with the artefact in it. One that judges whole texts only is asked about as many texts as there are
            walks, and about `_TEXTS` of them at least (`texts.py`).
        reference: the policy over the same vocabulary and width.
        walks: the prefixes; see `walks.walks`.
        version: of the engine, for the report.
        fidelity: what the artefact's header admits.
        progress: told every now and then how far it is.
    """
    if isinstance(engine, Judge):
        dfa = reference.policy.dfa
        return compare_texts(engine, dfa, max(len(walks.rows), _TEXTS), version=version, progress=progress)
    comparison = _Comparison(engine, reference, fidelity)
    # By state, so that no mask has to be made twice.
    for turn, walk in enumerate(sorted(walks.rows, key=lambda walk: walk.state)):
        if progress is not None and turn % 64 == 0:
            progress(turn, len(walks.rows))
        comparison.visit(walk, turn)
    return Masks(
        engine.name,
        version,
        len(walks.rows),
        walks.states,
        walks.reachable,
        dict(sorted(comparison.faults.items())),
        comparison.unexplained,
        comparison.witness(),
        comparison.error,
    )


class _Comparison:
    def __init__(self, engine: Engine, reference: Reference, fidelity: Fidelity) -> None:
        self.engine = engine
        self.reference = reference
        self.fidelity = fidelity
        self.faults: Counter[str] = Counter()
        self.unexplained = 0
        self.error: str | None = None
        self._worst: tuple[int, _Case] | None = None
        """The shortest unexplained difference so far, by bytes."""
        self._known: dict[tuple[object, ...], _Found] = {}
        self._ended = 0

    def visit(self, walk: Walk, turn: int) -> None:
        """One prefix."""
        ids = self.reference.sample(walk.state, turn)
        try:
            look = self.engine.look(walk.tokens, ids.tolist())
            self._end(walk, ids)
        except PrefixRefusedError as error:
            self._refused(walk, error.position)
        except Exception as error:  # an engine may fail in any way, and that is what is looked for
            self._failed(walk, error)
        else:
            self._compare(walk, ids, look)

    def _compare(self, walk: Walk, ids: Ints, look: Look) -> None:
        expected = self.reference.packed(walk.state)
        taken = np.array(look.taken, np.bool_)
        torn = ids[(taken != _bits(expected, ids)) & (_bits(look.mask, ids) == _bits(expected, ids))]
        same = np.array_equal(look.mask, expected)
        if same and not torn.size:
            return
        place = self.reference.place_in(walk.state, walk.tokens)
        found = self._explained(place, look.mask ^ expected, look.mask)
        if torn.size:
            self.error = self.error or "it takes another token than it offers"
        wrong = [*found.unexplained, *torn.tolist()]
        offered = _bits(look.mask, np.array(wrong, np.int64)).tolist()
        self._count(found.names, [_Case(walk.tokens, t, o) for t, o in zip(wrong, offered, strict=True)])

    def _explained(self, place: Place, different: Packed, mask: Packed) -> _Found:
        digest = hashlib.blake2b(mask.tobytes(), digest_size=16).digest()
        key = (place.state, reading(place.rest), place.is_begun_behind_text, not place.before, digest)
        if key not in self._known:
            self._known[key] = self._explain(place, np.flatnonzero(unpack(different, self.reference.rows)), mask)
        return self._known[key]

    def _explain(self, place: Place, ids: Ints, mask: Packed) -> _Found:
        offered = _bits(mask, ids)
        names, left = self._claims(place, ids, offered)
        rest = []
        for token, is_offered in zip(ids[left].tolist(), offered[left].tolist(), strict=True):
            name = self._reason(Difference(self.engine, self.reference, place, token, is_offered))
            names |= {name} if name else set()
            rest += [] if name else [token]
        return _Found(frozenset(names), tuple(rest))

    def _claims(self, place: Place, ids: Ints, offered: Mask) -> tuple[set[str], Mask]:
        """What the header of a fixed list admits, and which of the ids are left to be explained.

        Only there: a grammar that lets malformed text through has to be explained token by token.
        """
        if self.engine.name != "logit-bias":
            return set(), np.ones(len(ids), np.bool_)
        reference, admitted = self.reference, self.fidelity
        text, end = reference.is_text[ids], reference.is_end[ids]
        malformed = text & ~reference.well_formed(place)[ids] | end & bool(place.rest)
        claims = {
            "writes-nothing": offered & ~text & ~end,
            "ill-formed": offered & malformed & admitted.ill_formed,
            "over": offered & (text | end) & ~malformed & (admitted.over is not None),
            "under": ~offered & (admitted.under is not None),
        }
        left = ~np.logical_or.reduce(list(claims.values()))
        return {name for name, explained in claims.items() if explained.any()}, left

    def _reason(self, difference: Difference) -> str | None:
        """What explains a difference in one token."""
        if self.engine.name != "logit-bias":
            return explain(difference)
        if not difference.offered:
            # A banned piece of a character; whether the character can be written otherwise is seen by language.
            return "fragment" if unfinished(difference.added) else None
        stuck = unfinished(difference.place.rest + difference.added) and no_lookahead(difference)
        return "ill-formed" if stuck and self.fidelity.ill_formed else None

    def _refused(self, walk: Walk, position: int) -> None:
        """The engine does not let a permitted prefix through."""
        before, token = walk.tokens[:position], walk.tokens[position]
        place = self.reference.place(before)
        assert place is not None  # walks are permitted
        found = self._explain(place, np.array([token]), np.zeros(-(-self.reference.rows // 8), np.uint8))
        self._count(found.names, [_Case(before, t, False) for t in found.unexplained])

    def _failed(self, walk: Walk, error: Exception) -> None:
        self.error = self.error or f"{type(error).__name__}: {error}".strip()
        self._count(frozenset(), [_Case(walk.tokens[:-1], walk.tokens[-1] if walk.tokens else None, False)])

    def _end(self, walk: Walk, ids: Ints) -> None:
        """End some texts: nothing that writes may follow."""
        if self._ended >= _ENDS or walk.state not in self.reference.tables.endable or not self.reference.is_end.any():
            return
        self._ended += 1
        texts = ids[self.reference.is_text[ids]].tolist()
        end = int(np.flatnonzero(self.reference.is_end)[0])
        try:
            taken = self.engine.taken_after_end(walk.tokens, end, texts)
        except PrefixRefusedError:
            return  # the mask shows that the end was refused
        if any(taken):
            self.error = self.error or "it takes tokens behind the end of the text"
            self._count(frozenset(), [_Case((*walk.tokens, end), texts[list(taken).index(True)], True)])

    def _count(self, names: frozenset[str], cases: Sequence[_Case]) -> None:
        if not cases:
            self.faults.update(names)
            return
        self.unexplained += 1
        size, case = min(((self._size(c), c) for c in cases), key=lambda pair: pair[0])
        if self._worst is None or size < self._worst[0]:
            self._worst = size, case

    def _size(self, case: _Case) -> int:
        return len(self.reference.spelled(_all(case)))

    def witness(self) -> Witness | None:
        """The shortest unexplained difference, made shorter while it stays one."""
        if self._worst is None:
            return None
        case = self._reduced(self._worst[1])
        tokens = _all(case)
        return Witness(self.reference.spelled(tokens), self.engine.name if case.offered else "policy", tokens)

    def _reduced(self, case: _Case) -> _Case:
        """Without those tokens of the prefix that do not matter."""
        left, at = _TRIES, 0
        while at < len(case.tokens) and left:
            left -= 1
            shorter = _Case(case.tokens[:at] + case.tokens[at + 1 :], case.token, case.offered)
            if self._differs(shorter):
                case, at = shorter, 0
            else:
                at += 1
        return case

    def _differs(self, case: _Case) -> bool:
        """Whether it is an unexplained difference."""
        place = self.reference.place(case.tokens)
        if place is None or case.token is None:
            return False
        expected = bool(_bits(self.reference.packed(place.state), np.array([case.token]))[0])
        try:
            look = self.engine.look(case.tokens, [case.token])
        except PrefixRefusedError:
            return False
        except Exception:  # it fails here too
            return True
        offered = bool(_bits(look.mask, np.array([case.token]))[0])
        if offered == expected:
            return look.taken[0] != offered
        return bool(self._explain(place, np.array([case.token]), look.mask).unexplained)


def _all(case: _Case) -> tuple[int, ...]:
    return case.tokens if case.token is None else (*case.tokens, case.token)


def _bits(packed: Packed, ids: Ints) -> Mask:
    """The bits of some ids."""
    bits: Mask = (packed[ids >> 3] >> (ids & 7) & 1).astype(np.bool_)
    return bits
