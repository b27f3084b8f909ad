"""What engines get wrong by themselves, each fault as a predicate over one token in one place.

Invariant: a fault explains no more than was measured. Its predicate says why just this token comes out wrong; whatever
it does not cover counts against the artefact. `tests/differential/skips.toml` has the smallest case of each fault, the
right verdict and the version it was seen in, and a case that no longer shows fails there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from langc.compiler.verify.engines.protocol import Engine
from langc.compiler.verify.reference import Place, Reference


@dataclass(frozen=True)
class Difference:
    """One token on which an engine and the reference disagree."""

    engine: Engine
    reference: Reference
    place: Place
    token: int
    offered: bool
    """Whether the engine lets it through; then the reference refuses it."""

    @property
    def added(self) -> bytes:
        """The bytes that the token writes; none for a special one."""
        return self.reference.spelled([self.token])

    @property
    def is_end(self) -> bool:
        """Whether the token ends a text."""
        return self.token in self.reference.tables.eos_ids

    @property
    def special_text(self) -> str | None:
        """The spelling of a special token."""
        vocabulary = self.reference.vocabulary
        return vocabulary.special_text(self.token) if self.token < vocabulary.size else None

    @property
    def may_end(self) -> bool:
        """Whether the text may end here."""
        return self.place.state in self.reference.tables.endable


@dataclass(frozen=True)
class Fault:
    """One engine's."""

    engine: str
    name: str
    reason: str
    explains: Callable[[Difference], bool]


def explain(difference: Difference) -> str | None:
    """The name of the first fault that explains a difference."""
    found = (f.name for f in FAULTS if f.engine == difference.engine.name and f.explains(difference))
    return next(found, None)


def _nul(difference: Difference) -> bool:
    """Whether the engine judges just what stands before a NUL, and refuses nothing at all."""
    before, nul, _ = difference.added.partition(b"\0")
    if not nul:
        return False
    permitted = difference.reference.reads(difference.place.state, before) or _reads_overlong(
        difference.place.rest + before
    )
    return difference.offered == (before != b"" and bool(permitted))


def _overlong(difference: Difference) -> bool:
    """Whether the bytes are well-formed but for encodings that are too long, of three bytes and four."""
    if not difference.offered or not difference.added:
        return False
    return _reads_overlong(difference.place.rest + difference.added)


def _reads_overlong(text: bytes) -> bool:
    found, at = False, 0
    while at < len(text):
        width = _width(text[at])
        piece = text[at : at + width]
        if not width or any(byte & 0xC0 != 0x80 for byte in piece[1:]):
            return False
        if len(piece) > 1 and not _is_strict(piece):
            if piece[0] not in (0xE0, 0xF0):
                return False
            found = True
        at += width
    return found


def _width(lead: int) -> int:
    """How many bytes the character has that a byte begins; 0 if it begins none."""
    kinds = ((0x80, 1), (0xC2, 0), (0xE0, 2), (0xF0, 3), (0xF5, 4))
    return next((width for below, width in kinds if lead < below), 0)


def _is_strict(piece: bytes) -> bool:
    """Whether these are the first bytes of a well-formed character, or all of them."""
    second = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}
    low, high = second.get(piece[0], (0x80, 0xBF))
    return low <= piece[1] <= high


def _control_text(difference: Difference) -> bool:
    """Whether the grammar permits the spelling of a special token here as text."""
    text = difference.special_text
    reference = difference.reference
    return difference.offered and text is not None and reference.reads(difference.place.state, text.encode()) != 0


def _end_by_name(difference: Difference) -> bool:
    """Whether llama.cpp ends texts at the token, which langc knows as something else."""
    if difference.is_end or not _ends_in_llamacpp(difference):
        return False
    return difference.offered == difference.may_end


def _end_inside(difference: Difference) -> bool:
    """Whether a text is to end inside a character, begun by a token that ends another one."""
    return difference.offered and difference.place.is_begun_behind_text and _ends_in_llamacpp(difference)


def _ends_in_llamacpp(difference: Difference) -> bool:
    from langc.compiler.verify.engines.llamacpp import LlamaCpp

    own = difference.engine.vocabulary if isinstance(difference.engine, LlamaCpp) else None
    return own is not None and difference.token < own.size and own.is_end(difference.token)


def no_lookahead(difference: Difference) -> bool:
    """Whether the token is permitted, but leads to where the vocabulary has no tokens to go on."""
    if not difference.offered or not difference.added:
        return False
    state = difference.reference.reads(difference.place.state, difference.added)
    return state != 0 and not difference.reference.tables.live[state]


def _forced(difference: Difference) -> bool:
    """Whether the text before leaves no choice of the next byte, and the engine has chosen another token for it."""
    reference, place = difference.reference, difference.place
    following = reference.tables.table[place.state] % len(reference.tables.live)
    choices = int((following != 0).sum())
    return not difference.offered and choices == 1 and not difference.may_end


def _forced_ahead(difference: Difference) -> bool:
    """Whether forced bytes have no token, and the token is right only behind them."""
    if not difference.offered or not difference.added:
        return False
    reference, state = difference.reference, difference.place.state
    forced = _forced_bytes(reference, state)
    begun = (forced[:length] for length in range(1, len(forced) + 1))
    skipped = [bytes_ for bytes_ in begun if not reference.vocabulary.ids_for_bytes(bytes_)]
    return any(reference.reads(state, bytes_ + difference.added) for bytes_ in skipped)


def _forced_bytes(reference: Reference, state: int) -> bytes:
    """What must follow, up to the end of a character at most."""
    forced = bytearray()
    while len(forced) < 4 and state not in reference.tables.endable:
        following = reference.tables.table[state] % len(reference.tables.live)
        choices = following.nonzero()[0].tolist()
        if len(choices) != 1:
            break
        forced.append(choices[0])
        state = int(following[choices[0]])
    return bytes(forced)


def _marker(difference: Difference) -> bool:
    """Whether the policy reads a special token as the text that it is spelled like."""
    return not difference.offered and bool(difference.added) and difference.special_text is not None


def _one_end(difference: Difference) -> bool:
    return not difference.offered and difference.is_end and difference.token != min(difference.reference.tables.eos_ids)


def _empty_text(difference: Difference) -> bool:
    return not difference.offered and difference.is_end and not difference.place.before


_LOOKAHEAD = "it offers tokens after which this vocabulary cannot finish a permitted text"
_MARKER = "it knows a special token as no text, so one that the policy reads as text is not offered"

FAULTS: tuple[Fault, ...] = (
    Fault(
        "llama.cpp", "nul", "it reads no token further than to a NUL, and writes no token that begins with one", _nul
    ),
    Fault("llama.cpp", "overlong", "it reads encodings that are too long as what they would mean", _overlong),
    Fault("llama.cpp", "control-text", "it matches a control token by its spelling", _control_text),
    Fault("llama.cpp", "end-by-name", "it takes tokens for ends of text because of their spelling", _end_by_name),
    Fault(
        "llama.cpp", "end-inside", "it lets a text end in a character that one token begins behind text", _end_inside
    ),
    *(Fault(name, "no-lookahead", _LOOKAHEAD, no_lookahead) for name in ("llama.cpp", "xgrammar", "llguidance")),
    *(Fault(name, "marker", _MARKER, _marker) for name in ("xgrammar", "llguidance", "outlines-core")),
    Fault("llguidance", "forced", "where text is forced it offers just the token that it would write itself", _forced),
    Fault("llguidance", "forced-ahead", "forced bytes without a token it takes for written", _forced_ahead),
    Fault("outlines-core", "empty-text", "it cannot end a text before it began", _empty_text),
    Fault("outlines-core", "one-end", "it knows one end token", _one_end),
)
