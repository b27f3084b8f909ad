"""The options of `logit-bias`, from text to values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import PolicyError, UnsupportedError
from langc.compiler.policy import Policy
from langc.compiler.target import Option
from langc.compiler.unicode.intervals import IntervalSet
from langc.targets._bias_dialects import Dialect, Value

OPTIONS = (
    Option("method", "`tight` leaks nothing, `loose` loses nothing", ("tight", "loose"), "tight"),
    Option("fragments", "ban a fragment if at least this share of its characters is denied, 0.9 for instance"),
    Option("keep", "characters that must stay writable: `emoji`, or a set as in a policy file"),
    Option("budget", "ban at most so many tokens"),
    Option("cap", "how many entries the server takes, or `none`; in place of the dialect's own cap"),
    Option("value", "take so many logits from a banned token in place of banning it"),
)


Options = Mapping[str, str | None]
"""What was given, defaults filled in."""
_SHARE = re.compile(r"[0-9]{0,3}\.?[0-9]{1,12}")


def number(name: str, text: str | None) -> int | None:
    """A whole number above 0. Raises UnsupportedError (LC0521)."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        raise UnsupportedError(_bad(name, text, "give a whole number above 0"))
    return int(text)


def cap(text: str | None, dialect: Dialect) -> int | None:
    """The most entries. Raises UnsupportedError (LC0521)."""
    if text is None:
        return dialect.cap
    return None if text == "none" else number("cap", text)


def share(given: Options) -> Fraction:
    """The share from which on a fragment is banned, of `method` and `fragments`. Raises UnsupportedError (LC0521)."""
    from langc.compiler.tokens.static_bias.ban import LOOSE, TIGHT

    text, method = given["fragments"], given["method"]
    if text is None:
        return LOOSE if method == "loose" else TIGHT
    if method == "loose":
        raise UnsupportedError(_bad("fragments", text, "`loose` bans no fragment; `fragments` is for `tight`"))
    if not _SHARE.fullmatch(text) or not 0 < Fraction(text) <= 1:
        raise UnsupportedError(_bad("fragments", text, "give a share above 0 and up to 1, such as 0.9"))
    return Fraction(text)


def kept_set(given: Options) -> IntervalSet | None:
    """The set of `keep`.

    Raises PolicyError where the set is at fault, UnsupportedError (LC0521) with `loose` or `fragments`.
    """
    text = given["keep"]
    if text is None:
        return None
    if given["method"] == "loose":
        raise UnsupportedError(_bad("keep", text, "`loose` loses no character; `keep` is for `tight`"))
    if given["fragments"] is not None:
        raise UnsupportedError(_bad("keep", text, "`keep` is for all fragments; leave out `fragments`"))
    if text == "emoji":
        from langc.compiler.tokens.characters.kinds import EMOJI

        return EMOJI
    return _parse_set(text)


def strength(text: str | None, policy: Policy, dialect: Dialect) -> Value:
    """What each entry says. Raises UnsupportedError (LC0521, LC0522)."""
    if text is None and policy.bias is None:
        return dialect.ban
    value = -(_positive(text) if text is not None else policy.bias or 0.0)
    if dialect.lowest is not None and value < dialect.lowest:
        takes = f"values from {dialect.lowest:g} to {-dialect.lowest:g}"
        raise UnsupportedError(_out_of_range(value, takes, dialect))
    if not dialect.whole:
        return value
    if value != int(value):
        raise UnsupportedError(_out_of_range(value, "whole numbers", dialect))
    return int(value)


def bans(value: Value, dialect: Dialect) -> bool:
    """Whether an entry of this value keeps the token from being written."""
    return value is dialect.ban or (dialect.ban is not False and value <= dialect.ban)


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise UnsupportedError(_bad("value", text, "give a number above 0; it is subtracted"))
    return value


def _parse_set(text: str) -> IntervalSet:
    """The members of a set in policy notation, read as the only operand of a rule."""
    from langc.compiler.ir.lower import lower
    from langc.compiler.ir.nodes import RuleKind
    from langc.compiler.syntax.parse import parse

    file = parse(f"policy keep {{ deny\n{text}\n; }}", "<keep>")
    rules = lower(file.policies[0], file.source).rules if len(file.policies) == 1 else ()
    if [r.kind for r in rules] != [RuleKind.DENY] or len(file.policies[0].items) != 1:
        raise PolicyError(_bad("keep", text, "give one set, or several with commas between them"))
    return rules[0].members


def _bad(name: str, text: str, help: str) -> Diagnostic:
    return Diagnostic("LC0521", f"target logit-bias cannot use {name} {text[:60]!a}", help=help)


def _out_of_range(value: float, takes: str, dialect: Dialect) -> Diagnostic:
    return Diagnostic(
        "LC0522",
        f"logit_bias in the dialect {dialect.name} takes {takes}, not {value:g}",
        help="choose another strength with `bias` of the policy or `value` of the target",
    )
