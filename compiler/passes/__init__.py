"""The passes over the IR, in order. Each file holds one; each is named for its effect.

Invariant: a pass keeps the rules and their places; it may rewrite `language`, and unless its name says
otherwise it keeps the language denoted. The order matters where a comment says so.
"""

from __future__ import annotations

from collections.abc import Callable

from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.passes.drop_idle_terms import drop_idle_terms
from langc.compiler.passes.fill_schema import fill_schema
from langc.compiler.passes.obey_used import obey_used
from langc.compiler.passes.open_regions import open_regions
from langc.compiler.passes.refuse_surfaces import refuse_surfaces
from langc.compiler.passes.reject_contradictions import reject_contradictions
from langc.compiler.passes.stop_on_phrases import stop_on_phrases

Pass = Callable[[PolicyIR], PolicyIR]

PASSES: tuple[Pass, ...] = (
    refuse_surfaces,  # first of all: nothing below knows of them
    reject_contradictions,  # before the others: what it blames are the rules as written
    drop_idle_terms,
    open_regions,  # it builds on the finished scope, and makes the language larger
    stop_on_phrases,  # behind the regions: a stop phrase stops inside them, too
    obey_used,  # behind them all: a region exempts from the policy's own rules alone
    fill_schema,  # last: what the policy permits is then what strings may hold
)


def run_passes(ir: PolicyIR) -> PolicyIR:
    """The IR after all passes. Raises PolicyError from a pass that refuses it."""
    for each in PASSES:
        ir = each(ir)
    return ir
