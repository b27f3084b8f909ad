r"""`regex`: one regular expression that the whole text must match.

It holds no anchors: use a full match (`re.fullmatch`), or put the engine's own around it. Dialects:

* `python`: `re` and `regex` on str; `\xXX`, `\uXXXX`, `\UXXXXXXXX`;
* `rust`: the crate `regex`, and so outlines-core and llguidance; `\x{…}`;
* `pcre2`: with PCRE2_UTF; `\x{…}`;
* `ecmascript`: with the flag `u` or `v`; `\u{…}`.

The header is a group that is repeated no times and so matches the empty text, since there are no comments that every
engine takes; `header=no` leaves it out. There is no newline at the end: it would be matched.
"""

from __future__ import annotations

from langc.compiler.target import EXACT, Artifact, Option, Request, with_fidelity
from langc.targets._expression import NOTATIONS, expression_of, header_group, write_expression
from langc.targets._text import HARD, refuse_soft


class Regex:
    """Emits the regular expression of a hard policy."""

    name = "regex"
    suffix = ".regex"
    summary = "a regular expression for full matches"
    needs_vocabulary = False
    dialects = tuple(NOTATIONS)
    features = HARD
    options = (Option("header", "begin with a group that holds the header", ("yes", "no"), "yes"),)

    def emit(self, request: Request) -> Artifact:
        """The expression. Raises UnsupportedError for a soft policy, LimitError if it would be too large."""
        refuse_soft(request.policy, self.name)
        assert request.dialect is not None
        header = with_fidelity(request.header, EXACT)
        text = write_expression(expression_of(request.policy, request.dialect), NOTATIONS[request.dialect])
        if request.options["header"] == "yes":
            text = header_group(header) + text
        return Artifact(self.name, request.dialect, self.suffix, header, EXACT, text=text)


TARGET = Regex()
