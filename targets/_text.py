"""What text targets share: they are hard, they are written from a small automaton, and headers are comment lines."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from langc.compiler.automata.cover_graph import cover_graph
from langc.compiler.automata.graph import Graph, dfa_graph
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import UnsupportedError
from langc.compiler.ir.language import Cover
from langc.compiler.policy import Policy
from langc.compiler.target import Feature, Support

HARD = {f: Support.NONE if f is Feature.SOFT else Support.EXACT for f in Feature}
"""The features of a format that says yes or no to a text and carries every hard policy exactly."""


def refuse_soft(policy: Policy, target: str) -> None:
    """Raise UnsupportedError (LC0505) if the policy only makes violations unlikely."""
    if policy.is_soft:
        why = "soft rules: a text is permitted or not, at no price"
        raise _no_soft_rules(target, why, {Support.EXACT} if policy.has_costs else {Support.EXACT, Support.LOSSY})


def refuse_costs(policy: Policy, target: str) -> None:
    """Raise UnsupportedError (LC0505) if the policy has `discourage` lines."""
    if policy.has_costs:
        why = "`discourage` lines: it has one price for all tokens, whatever stands before"
        raise _no_soft_rules(target, why, {Support.EXACT})


def _no_soft_rules(target: str, why: str, support: Collection[Support]) -> UnsupportedError:
    from langc import targets

    able = [n for n in targets.names() if targets.get(n).features[Feature.SOFT] in support]
    return UnsupportedError(
        Diagnostic(
            "LC0505",
            f"target {target} cannot carry {why}",
            help=f"take {' or '.join(able)}, or make the rules hard",
            data={"feature": Feature.SOFT.value, "targets": able},
        )
    )


def graph_of(policy: Policy) -> Graph:
    """A small automaton of a hard policy. Raises PolicyError if it permits nothing, LimitError past a budget."""
    language = policy.ir.language
    return cover_graph(language) if isinstance(language, Cover) else dfa_graph(policy.dfa)


def comment_lines(header: Mapping[str, str], mark: str = "#") -> str:
    """The header as comments, `# key: value` a line; a value with anything but printable ASCII is a JSON string."""
    return "".join(f"{mark} {key}: {_printable(value)}\n" for key, value in header.items())


def _printable(value: str) -> str:
    return value if value.isascii() and value.isprintable() else json.dumps(value)
