"""What `only script …` permits.

A text in one script also needs what all scripts share. Script puts punctuation, digits and emoji under Common
and combining marks under Inherited; Script_Extensions (UAX #24) lists for some of them which scripts use them.
So there are two rules, and neither permits an unassigned or private-use code point, whose script is Unknown:

- `only script X`: c is permitted if scx(c) contains X, or if sc(c) is Common or Inherited. By scx alone a
  Korean text would lose `·`, U+0301 and `ー`, since none of them lists Hang.
- `only script X strictly`: c is permitted if scx(c) contains X. Common and Inherited code points are
  permitted only if their own scx lists X: a comma lists no script and is refused unless another operand holds it.
"""

from __future__ import annotations

from collections.abc import Iterable

from langc.compiler.unicode.intervals import IntervalSet, union
from langc.compiler.unicode.properties import script, script_extensions


def only_script(names: Iterable[str], strictly: bool = False) -> IntervalSet:
    """What a rule that names these scripts permits: the union over the names. Raises UnknownProperty."""
    listed = union(script_extensions(name) for name in names)
    return listed if strictly else listed | script("Common") | script("Inherited")
