"""Which tables a policy gets: its whole automaton, or one without its phrases and the phrases beside it.

Both allow the same tokens. The second kind has no list of states: what writes automata down cannot use it. A soft
policy always gets the first, which its costs are found with. Where texts are written as they are masked, the tables
also know which tokens a `stop before` refuses.
"""

from __future__ import annotations

from langc.compiler.errors import PolicyError
from langc.compiler.ir.stops import has_stop_before, without_stop_before
from langc.compiler.policy import Apart, Policy
from langc.compiler.tokens.phrases.tables import PhraseTables
from langc.compiler.tokens.stopping import Static, StoppingTables
from langc.compiler.tokens.tables import build_tables, nothing_to_write
from langc.compiler.tokens.vocabulary import Vocabulary


def choose_tables(policy: Policy, vocabulary: Vocabulary) -> Static | StoppingTables:
    """The tables to write texts with. Raises as `build_tables`.

    Under a soft policy `stop before` only costs, as a denied phrase does, so nothing is to be known of it.
    """
    tables = static_tables(policy, vocabulary)
    if policy.bias is not None or not has_stop_before(policy.lowered):
        return tables
    return StoppingTables(tables, static_tables(Policy(without_stop_before(policy.lowered)), vocabulary))


def static_tables(policy: Policy, vocabulary: Vocabulary) -> Static:
    """The tables of what is permitted, to be written down. Raises as `build_tables`."""
    if policy.apart is None or policy.bias is not None:
        return build_tables(policy, vocabulary)
    return phrase_tables(policy.apart, vocabulary)


def phrase_tables(apart: Apart, vocabulary: Vocabulary) -> PhraseTables:
    """The tables of a policy that was taken apart. Raises as `build_tables`."""
    tables = PhraseTables(build_tables(apart.rest, vocabulary), apart.phrases)
    if not tables.mask(tables.start).any():
        raise PolicyError(nothing_to_write(apart.whole, vocabulary))
    return tables
