"""`banned-strings`: the denied phrases as a list, for servers that take one and go back when a string of it comes up.

The file is a fragment of a request: `{"langc": {…}, "banned_strings": […]}`; send the second value. Dialects:

* `koboldcpp`: letters of ASCII are compared in either case; up to 768 strings since 1.102, 48 before;
* `tabbyapi`: text and strings are compared in lower case, as Python has it; any number.

Such a list knows nothing of boundaries, of spellings or of regions. What that lets through or blocks is not estimated:
the language of the list is compared with the policy's, and each flag has a shortest witness.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.equivalence import only_in
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import UnsupportedError
from langc.compiler.ir.language import ANY_TEXT, Language, alternation, class_, complement, concat
from langc.compiler.ir.nodes import RuleKind
from langc.compiler.policy import Policy
from langc.compiler.target import Artifact, Feature, Fidelity, Json, Option, Request, Support, with_fidelity
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.targets._text import refuse_soft

_DENYING = (RuleKind.DENY, RuleKind.STOP_BEFORE)
_CARRIED = {Feature.PHRASES: Support.LOSSY, Feature.EVERY_TOKENIZER: Support.EXACT}


@dataclass(frozen=True)
class Dialect:
    """How one server compares, and the most strings that it takes."""

    name: str
    alike: Callable[[str], IntervalSet]
    """The characters of a text that count as a character of a string."""
    cap: int | None


def _ascii_case(character: str) -> IntervalSet:
    return IntervalSet.of(*{character.lower(), character.upper()}) if character.isascii() else IntervalSet.of(character)


def _lower_case(character: str) -> IntervalSet:
    lowered = character.lower()
    return IntervalSet.of(lowered, *_capitals().get(lowered, ())) if len(lowered) == 1 else IntervalSet.of(character)


@cache
def _capitals() -> Mapping[str, tuple[str, ...]]:
    """What each character is the lower case of. Not Σ: whether it becomes σ or ς depends on what follows."""
    found: dict[str, tuple[str, ...]] = {}
    for low, high in (SCALARS - IntervalSet.of("Σ")).ranges:
        for character in map(chr, range(low, high + 1)):
            lowered = character.lower()
            if lowered != character and len(lowered) == 1:
                found[lowered] = (*found.get(lowered, ()), character)
    return found


DIALECTS = {d.name: d for d in (Dialect("koboldcpp", _ascii_case, 768), Dialect("tabbyapi", _lower_case, None))}


class BannedStrings:
    """Emits the denied phrases as a list."""

    name = "banned-strings"
    suffix = ".json"
    summary = "a list of denied phrases, for servers that go back when one comes up"
    needs_vocabulary = False
    dialects = tuple(DIALECTS)
    features = dict.fromkeys(Feature, Support.NONE) | _CARRIED
    options = (
        Option("budget", "list at most so many strings, the first ones"),
        Option("cap", "how many entries the server takes, or `none`; in place of the dialect's own cap"),
    )

    def emit(self, request: Request) -> Artifact:
        """The list.

        Raises:
            UnsupportedError: the policy is soft (LC0505) or denies no phrase (LC0525), there are more strings than the
                server takes (LC0520), or an option is no number (LC0521).
            LimitError: the automaton of the policy or of the list would be too large.
        """
        refuse_soft(request.policy, self.name)
        dialect = DIALECTS[request.dialect or self.dialects[0]]
        strings = list(dict.fromkeys(_strings(request.policy)))
        if not strings:
            raise _no_phrases(request.policy)
        budget = _number("budget", request.options["budget"])
        listed = strings[:budget]
        _check_cap(listed, _cap(request.options["cap"], dialect), dialect)
        fidelity = _fidelity(request.policy, listed, dialect)
        header = with_fidelity(request.header, fidelity)
        report: dict[str, Json] = {
            "strings": {"needed": len(strings), "given": len(listed)},
            "left_out": strings[len(listed) :],
        }
        text = _text({**header, "report": report}, listed)
        return Artifact(self.name, dialect.name, self.suffix, header, fidelity, text, listed, report)


TARGET = BannedStrings()


def language_of(strings: list[str], dialect: Dialect) -> Language:
    """The texts that the server lets pass."""
    banned = alternation(*(concat(*(class_(dialect.alike(c)) for c in s)) for s in strings))
    return complement(concat(ANY_TEXT, banned, ANY_TEXT))


def _strings(policy: Policy) -> Iterator[str]:
    """The phrases that are denied outside of regions, in the order of the rules."""
    for scope in policy.lowered.scopes:
        yield from (p.text for rule in scope.rules if rule.kind in _DENYING for p in rule.phrases)


def _fidelity(policy: Policy, strings: list[str], dialect: Dialect) -> Fidelity:
    listed = build_dfa(language_of(strings, dialect))
    return Fidelity(_witness(only_in(listed, policy.dfa)), _witness(only_in(policy.dfa, listed)))


def _witness(text: tuple[int, ...] | None) -> str | None:
    return None if text is None else "".join(map(chr, text))


def _no_phrases(policy: Policy) -> UnsupportedError:
    _ = policy.dfa  # raises if it permits nothing, or is too large: that is then what is wrong
    return UnsupportedError(
        Diagnostic(
            "LC0525",
            f"target banned-strings carries denied phrases, and policy {policy.name} has none outside of regions",
            help="take a grammar (gbnf, xgrammar, llguidance) or the processor",
            data={"feature": Feature.PHRASES.value},
        )
    )


def _check_cap(strings: list[str], cap: int | None, dialect: Dialect) -> None:
    if cap is None or len(strings) <= cap:
        return
    raise UnsupportedError(
        Diagnostic(
            "LC0520",
            f"{len(strings):,} strings would have to be banned, and {dialect.name} takes {cap:,}",
            help=f"list the first ones only with `--budget {cap}`, or take a target without such a list:"
            " a grammar (gbnf, llguidance) or the processor",
            notes=("if your server takes more, say so with `--cap N` or `--cap none`",),
            data={"entries": len(strings), "cap": cap},
        )
    )


def _cap(text: str | None, dialect: Dialect) -> int | None:
    if text is None:
        return dialect.cap
    return None if text == "none" else _number("cap", text)


def _number(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        message = f"target banned-strings cannot use {name} {text[:60]!a}"
        raise UnsupportedError(Diagnostic("LC0521", message, help="give a whole number above 0"))
    return int(text)


def _text(about: Json, strings: list[str]) -> str:
    """The file: JSON with a string a line, which a line-based diff can show."""
    head = json.dumps(about, indent=1, ensure_ascii=True)
    lines = ",\n".join(json.dumps(s, ensure_ascii=False) for s in strings)
    return f'{{\n"langc": {head},\n"banned_strings": [\n{lines}\n]\n}}\n'
