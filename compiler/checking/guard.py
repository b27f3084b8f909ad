"""A guard on a text that arrives: it hands on what may be shown, and never a byte of a violation.

Invariant: what it hands on does not depend on how the text was cut, inside characters too. All that was handed on so
far is a text that the policy permits, if it is anything at all, and stays the beginning of what is handed on. It is the
text itself as long as there is no violation, but for its end that may still become part of one.
"""

from __future__ import annotations

import codecs

from langc.compiler.checking.check import malformed
from langc.compiler.checking.mending import Mender, stops
from langc.compiler.checking.report import Violation
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, PolicyError
from langc.compiler.loading import as_policy
from langc.compiler.policy import Policy
from langc.compiler.render import visible

ON_VIOLATION = ("raise", "stop")
_SHOWN = 40


class PolicyViolation(LangcError):
    """A text holds a violation that no replacement mends."""

    def __init__(self, violation: Violation, text: str) -> None:
        super().__init__(_refused(violation))
        self.violation = violation
        self.text = text
        """What the call that met the violation would still have handed on."""

    def __reduce__(self) -> tuple[type[PolicyViolation], tuple[Violation, str]]:  # type: ignore[override]
        return type(self), (self.violation, self.text)


class StreamGuard:
    """Guards one text.

    Rules with `replace` are mended; `stop on` and `stop before` end the text. Any other violation ends it as well.

    Args:
        policy: what may be shown; or a path or a ready name, as `load_policy` takes them.
        on_violation: `raise` raises PolicyViolation where the text ends at a violation that is no stop phrase;
            `stop` ends it silently. `violation` says why either way, and nothing more is handed on.
        name: what errors call the text.

    Raises:
        PolicyError: `on_violation` is unknown (LC0318).
    """

    def __init__(self, policy: Policy | str, on_violation: str = "raise", name: str = "the text") -> None:
        if on_violation not in ON_VIOLATION:
            raise PolicyError(
                Diagnostic("LC0318", f"on_violation cannot be {on_violation!r}", help="it is `raise` or `stop`")
            )
        guarded = as_policy(policy)
        self._mender = Mender(guarded)
        self._stops = stops(guarded)
        self._raises = on_violation == "raise"
        self._name = name
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._bytes = 0
        self._is_broken = False
        """Whether bytes came that are no UTF-8: what would follow them is not known, so nothing may."""

    @property
    def violation(self) -> Violation | None:
        """What ended the text before its end, a stop phrase included. Its offsets count in the text as mended."""
        return self._mender.violation

    @property
    def ended(self) -> bool:
        """Whether the text was ended: whatever comes, nothing more is handed on."""
        return self._is_broken or self.violation is not None

    @property
    def mended(self) -> int:
        """How many characters and phrases were replaced so far."""
        return self._mender.mended

    def feed(self, chunk: bytes) -> bytes:
        """Read the next bytes; what may be shown now, whole characters.

        Raises PolicyViolation, and LangcError (LC0004) at bytes that are not UTF-8, which end the text as well.
        """
        return self.feed_text(self._decode(chunk, final=False)).encode()

    def feed_text(self, text: str) -> str:
        """Read the next characters; what may be shown now. Raises PolicyViolation. Not to be mixed with `feed`."""
        return self._checked(self._mender.feed(text)) if not self.ended else ""

    def finish(self) -> bytes:
        """Take the text as ended; the rest of what may be shown. Raises as `feed`, for half a character too."""
        return (self.feed_text(self._decode(b"", final=True)) + self.finish_text()).encode()

    def finish_text(self) -> str:
        """As `finish`, for texts that were fed as such."""
        return self._checked(self._mender.finish()) if not self.ended else ""

    def _checked(self, shown: str) -> str:
        found = self.violation
        if found is not None and self._raises and found.rule not in self._stops:
            raise PolicyViolation(found, shown)
        return shown

    def _decode(self, chunk: bytes, final: bool) -> str:
        if self.ended:
            return ""
        held = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            self._is_broken = True
            raise LangcError(malformed(self._name, self._bytes - held + error.start, error)) from None
        self._bytes += len(chunk)
        return text


def _refused(violation: Violation) -> Diagnostic:
    text = violation.text if len(violation.text) <= _SHOWN else violation.text[:_SHOWN] + "…"
    return Diagnostic(
        "LC0404",
        f"the text holds “{visible(text)}” at offset {violation.start}, which `{violation.rule}` refuses",
        help="show what the guard handed on, and take `on_violation='stop'` to end the text silently",
        data=violation.to_json(),
    )
