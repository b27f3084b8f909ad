r"""`outlines`: for the library outlines (1.3), in two ways.

* `fsm`: the automaton over the token ids of one vocabulary, as JSON (the layout is in `_fsm.py`). It is exact, and
  `langc.targets.runtime.outlines.FsmLogitsProcessor` runs it in `outlines.Generator(model, processor=...)`;
* `regex`: an expression for `outlines.types.Regex`, which outlines-core 0.2 indexes.

outlines-core drops every token that ends one byte behind a place where the text could have ended: `(abc)*` refuses
`a`, and no character can be written in pieces of bytes. The expression is therefore made to accept nowhere but at its
end: it ends in `$`, behind at least one character (outlines-core has no start state for an expression that an anchor
may begin). So all tokens are kept and the empty text is lost, which the fidelity says: `under`, unless the policy
refuses the empty text itself.
"""

from __future__ import annotations

from langc.compiler.automata.simplify import without_empty
from langc.compiler.target import EXACT, Artifact, Fidelity, Option, Request, with_fidelity
from langc.targets._expression import NOTATIONS, expression_of, header_group, write_expression
from langc.targets._text import HARD, refuse_soft


class Outlines:
    """Emits the token automaton, or a regular expression that loses no token."""

    name = "outlines"
    suffix = ".json"
    summary = "a token automaton, or a regular expression, for outlines"
    needs_vocabulary = True
    dialects = ("fsm", "regex")
    features = HARD
    options: tuple[Option, ...] = ()

    def emit(self, request: Request) -> Artifact:
        """The artefact of the dialect. Raises UnsupportedError for a soft policy, LimitError past a budget."""
        refuse_soft(request.policy, self.name)
        return self._fsm(request) if request.dialect == "fsm" else self._regex(request)

    def _fsm(self, request: Request) -> Artifact:
        from langc.compiler.tokens.tables import build_tables
        from langc.targets._fsm import build_fsm, write_fsm

        assert request.vocabulary is not None
        header = with_fidelity(request.header, EXACT)
        data = build_fsm(build_tables(request.policy, request.vocabulary), header)
        report = {"states": len(data["states"]), "sets": len(data["sets"])}
        return Artifact(self.name, "fsm", self.suffix, header, EXACT, write_fsm(data), data, report)

    def _regex(self, request: Request) -> Artifact:
        fidelity = Fidelity(under="" if request.policy.accepts("") else None)
        header = with_fidelity(request.header, fidelity)
        expression = without_empty(expression_of(request.policy, "rust"))
        text = header_group(header) + write_expression(expression, NOTATIONS["rust"]) + "$"
        return Artifact(self.name, "regex", ".regex", header, fidelity, text)


TARGET = Outlines()
