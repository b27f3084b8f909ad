"""Which tables a policy gets: its whole automaton, or one without its phrases and the phrases beside it.

Both allow the same tokens. The second kind has no list of states: what writes automata down cannot use it. A soft
policy always gets the first, which its costs are found with.
"""

from __future__ import annotations

from langc.compiler.errors import PolicyError
from langc.compiler.policy import Apart, Policy
from langc.compiler.tokens.phrase_tables import PhraseTables
from langc.compiler.tokens.tables import TokenTables, build_tables, nothing_to_write
from langc.compiler.tokens.vocabulary import Vocabulary


def choose_tables(policy: Policy, vocabulary: Vocabulary) -> TokenTables | PhraseTables:
    """The tables of a policy for a vocabulary. Raises as `build_tables`."""
    if policy.apart is None or policy.bias is not None:
        return build_tables(policy, vocabulary)
    return phrase_tables(policy.apart, vocabulary)


def phrase_tables(apart: Apart, vocabulary: Vocabulary) -> PhraseTables:
    """The tables of a policy that was taken apart. Raises as `build_tables`."""
    tables = PhraseTables(build_tables(apart.rest, vocabulary), apart.phrases)
    if not tables.mask(tables.start).any():
        raise PolicyError(nothing_to_write(apart.whole, vocabulary))
    return tables
