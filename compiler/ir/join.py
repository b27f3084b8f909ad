"""One policy that obeys two: what `use` does in a file, for policies that are loaded already.

Invariant: as in `link.py`, `used` of the result holds each policy once, in the order of first use, and none with `used`
of its own.
"""

from __future__ import annotations

from dataclasses import replace

from langc.compiler.errors import LimitError
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.limits import MAX_USED_POLICIES, over_limit


def join(one: PolicyIR, other: PolicyIR) -> PolicyIR:
    """The first policy, which obeys the other one and all that it uses as well. Raises LimitError for too many."""
    more = (replace(other, used=()), *other.used)
    used = tuple(dict.fromkeys((*one.used, *more)))
    if len(used) > MAX_USED_POLICIES:
        raise LimitError(over_limit("used policies", MAX_USED_POLICIES))
    return replace(one, used=used, warnings=(*one.warnings, *other.warnings))
