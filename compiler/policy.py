"""A policy as programs use it: the IR with its automata, made when first asked for.

Invariant: immutable; `with_` makes another policy. Two policies of equal meaning have equal `dfa`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from langc.compiler.automata.beside import Beside, Reader
from langc.compiler.automata.boolean import universal
from langc.compiler.automata.build import build_dfa, build_lean
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.automata.recovery import Recovery, Skeletons, marked, skeleton
from langc.compiler.automata.side_by_side import side_by_side
from langc.compiler.automata.soft_rule import SoftRule
from langc.compiler.automata.soften import SoftDfa, harden, soften
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.ir.apart import denied_phrases, has_many_phrases, without_phrases
from langc.compiler.ir.dump import dump
from langc.compiler.ir.join import join
from langc.compiler.ir.kinds import Between, commits
from langc.compiler.ir.language import ANY_TEXT, Language, intersection
from langc.compiler.ir.lower import denote
from langc.compiler.ir.nodes import LEAST_COST, MOST_COST, PolicyIR, Rule, RuleKind
from langc.compiler.ir.phrases import Phrase
from langc.compiler.passes import run_passes
from langc.compiler.passes.fill_schema import fill_schema
from langc.compiler.passes.obey_used import by_itself
from langc.compiler.passes.open_regions import EXEMPTIONS, begin, has_soft_rules, regions_of, soft_languages
from langc.compiler.passes.reject_contradictions import clash
from langc.compiler.region_ends import never_closed
from langc.compiler.source import Source
from langc.compiler.unicode import UNICODE_VERSION
from langc.compiler.unicode.intervals import SCALARS

DEFAULT_BIAS = 5.0


@dataclass(frozen=True)
class Policy:
    """One policy. `bias` is None in hard mode; in soft mode a violation costs that many logits."""

    lowered: PolicyIR
    bias: float | None = None

    @property
    def name(self) -> str:
        """The name after `policy`."""
        return self.lowered.name

    @property
    def doc(self) -> str | None:
        """The text after the name."""
        return self.lowered.doc

    @cached_property
    def ir(self) -> PolicyIR:
        """The IR after all passes.

        Raises PolicyError if the policy permits nothing, and UnsupportedError if texts are those of a surface.
        """
        return run_passes(self.lowered)

    @property
    def beside_surface(self) -> Policy:
        """What it asks of a text beside the surface that the text is of; `lowered.surfaces` names that."""
        return replace(self, lowered=self.lowered.without_surfaces())

    @cached_property
    def dfa(self) -> Dfa:
        """The canonical automaton over code points.

        Raises LimitError when a budget is spent, and PolicyError if used policies leave nothing but the empty text, or
        a region that can never be closed.
        """
        try:
            dfa = build_dfa(self.ir.language)
        except LimitError as error:
            raise (_too_large(error) if self.apart else error) from None
        if self.lowered.used and not any(dfa.table[dfa.start]):
            raise PolicyError(clash(self.lowered, _permit_nothing))
        if unusable := [*never_closed(self.lowered, dfa)]:
            raise PolicyError(unusable)
        return dfa

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is said of its JSON schema although it is no error: formats that are not checked."""
        if self.lowered.schema is None:
            return ()
        from langc.compiler.json_schema.values import read_values
        from langc.compiler.json_schema.warnings import warnings_of

        return warnings_of(read_values(self.lowered.schema))

    @cached_property
    def apart(self) -> Apart | None:
        """The policy taken apart, if it denies so many phrases that its automaton is hardly ever of use."""
        if not has_many_phrases(self.lowered):
            return None
        return Apart(self, Policy(without_phrases(self.lowered)), denied_phrases(self.lowered))

    @cached_property
    def reader(self) -> Reader:
        """What reads a text: the automaton, or the parts of a policy that is taken apart. Raises as `dfa`."""
        if self.lowered.schema is not None:
            return self._beside_strings[0]
        if self.apart is None:
            return self.dfa
        beside = Beside(self.apart.rest.dfa, self.apart.phrases)
        if self.lowered.used and beside.is_silent():
            raise PolicyError(clash(self.lowered))
        return beside

    @cached_property
    def recovery(self) -> Recovery:
        """Where `reader` goes on behind a violation: a skeleton for each of `lowered.scopes`, if any has regions."""
        if self.lowered.is_json:
            found = Recovery.beside(self.dfa, [self._json_skeleton, *(ANY_TEXT for _ in self.lowered.used)])
            return found if self.lowered.schema is None else replace(found, start=self._beside_strings[1])
        if self.apart or skeleton(self.ir.language) == ANY_TEXT:
            return Recovery(self.reader.start, tuple(None for _ in self.lowered.scopes), {}, {})
        return Recovery.of(self.dfa, [by_itself(scope).language for scope in self.lowered.scopes])

    @property
    def has_costs(self) -> bool:
        """Whether there are `discourage` lines, of the policy or of one that it uses. Builds nothing."""
        return has_soft_rules(self.lowered)

    @property
    def is_soft(self) -> bool:
        """Whether anything costs instead of being masked. Builds nothing."""
        return self.bias is not None or self.has_costs

    @cached_property
    def _beside_strings(self) -> tuple[Dfa, int]:
        """The automaton, and beside it that of plain text: so what stands behind broken JSON is read."""
        return side_by_side(self.dfa, build_dfa(self._inside_strings))

    @property
    def _inside_strings(self) -> Language:
        """What the strings of JSON may hold."""
        return run_passes(replace(self.lowered, json_strings=False, schema=None)).language

    @property
    def _json_skeleton(self) -> Language:
        """The JSON texts whose strings have the policy's regions and nothing else."""
        bare = skeleton(self._inside_strings)
        return fill_schema(replace(self.lowered, language=marked(0) if bare == ANY_TEXT else bare)).language

    @property
    def hard_dfa(self) -> Dfa:
        """What may be written at all, at whatever cost: everything if the policy is soft as a whole."""
        return self.dfa if self.bias is None else universal(SCALARS)

    @cached_property
    def soft_rules(self) -> tuple[SoftRule, ...]:
        """What costs instead of being masked: the policy itself in soft mode, and its `discourage` lines."""
        whole = () if self.bias is None else (SoftRule(self.bias, self.dfa, self.skeletons),)
        discouraged = (_soft_rule(cost, language) for cost, language in soft_languages(self.lowered))
        return (*whole, *discouraged)

    @property
    def skeletons(self) -> Skeletons:
        """What says where in its regions a text stands, whatever the rules refuse."""
        return Skeletons.of(by_itself(scope).language for scope in self.lowered.scopes)

    @cached_property
    def soft_dfa(self) -> SoftDfa:
        """The automaton over UTF-8 bytes with what each byte costs. Raises LimitError past a budget."""
        return soften(self.hard_dfa, self.soft_rules) if self.is_soft else harden(self.byte_dfa)

    @cached_property
    def byte_dfa(self) -> Dfa:
        """The canonical automaton over UTF-8 bytes."""
        return lower_to_bytes(self.dfa)

    @property
    def markers(self) -> frozenset[str]:
        """The delimiters that a special token may spell: such a token acts as its text."""
        kinds = (kind for scope in self.lowered.scopes for region in regions_of(scope) for kind in region.kinds)
        return frozenset(d for k in kinds if isinstance(k, Between) for d in (k.opener, k.closer))

    @cached_property
    def hash(self) -> str:
        """SHA-256 in hex over the meaning: the IR dump, the strength and the Unicode version.

        Layout and comments of the policy file do not change it.
        """
        strength = "hard" if self.bias is None else f"soft {self.bias!r}"
        return hashlib.sha256(f"{UNICODE_VERSION}\n{strength}\n{dump(self.lowered)}".encode()).hexdigest()

    def accepts(self, text: str) -> bool:
        """Whether the whole text is permitted."""
        return self.first_violation(text) is None

    def first_violation(self, text: str) -> int | None:
        """The offset, in code points, after which no permitted text is left; None if there is none.

        If only the end is wrong (a permitted term cut short) it is the text's length.
        """
        reader = self.reader
        state = reader.start
        for offset, character in enumerate(text):
            state = reader.step(state, ord(character))
            if state == DEAD:
                return offset
        return None if state in reader.accepting else len(text)

    def blame(self, symbol: int) -> Rule | None:
        """The first rule that takes a character away, unless an `allow` gives it back; perhaps one of a used policy."""
        return self.lowered.blame(symbol)

    def __and__(self, other: Policy) -> Policy:
        """The policy, which obeys the other one as well: a text is permitted if both permit it, as by `use` in a file.

        The name and the tests are those of this one, and later exemptions are from its own rules.

        Raises:
            PolicyError: one is hard and one soft, their biases differ, or one is for JSON texts (LC0309).
            LimitError: more policies come together than one may use.
        """
        if not isinstance(other, Policy):
            return NotImplemented
        _check_alike(self, other)
        return Policy(join(self.lowered, other.lowered), self.bias)

    def with_(
        self,
        *,
        mode: str | None = None,
        bias: float | None = None,
        exempt: str | Iterable[str] | None = None,
        inside: str | None = None,
        json_strings: bool | None = None,
        json_schema: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    ) -> Policy:
        """The same policy, made `hard` or `soft`, with regions exempt (`code`, `think`), or for JSON texts.

        Args:
            mode: `hard` masks violations; `soft` takes `bias` logits from each.
            bias: the cost of a violation in soft mode, above 0 (default 5) and finite as a float32.
            exempt: the regions in which everything is permitted, as names or as `"code,think"`; replaces earlier ones.
            inside: the region that the text begins in, because the prompt has opened it; one of a used policy too.
            json_strings: whether texts are JSON, whose strings (keys too) the policy is to hold for; for use beside an
                engine that reads a schema. Every string has one spelling (docs/json-schema.md).
            json_schema: a schema that the texts are to be valid against, as a mapping, as JSON text, or as the path of
                a file; the policy is to hold for the strings in them.

        Raises:
            PolicyError: a mode, bias or region that does not exist, what cannot hold for strings (LC0360), or a schema
                that cannot be read.
        """
        strength = _strength(self.bias, mode, bias)
        lowered = self.lowered
        if exempt is not None:
            lowered = replace(lowered, exempt=_regions(exempt))
        if inside is not None:
            lowered = _begun(lowered, inside)
        if json_strings is not None:
            lowered = replace(lowered, json_strings=json_strings)
        if json_schema is not None:
            lowered = replace(lowered, schema=_schema(json_schema))
        _check_json(lowered, strength)
        return Policy(lowered, strength)


def _schema(given: Mapping[str, Any] | str | os.PathLike[str]) -> Source:
    from langc.compiler.json_schema.read import read_schema  # only loaded where there is one

    return read_schema(given)


def _check_json(lowered: PolicyIR, strength: float | None) -> None:
    """Raises PolicyError (LC0360) if strings of JSON cannot obey what whole texts could."""
    if not lowered.is_json:
        return
    if lowered.json_strings and lowered.schema is not None:
        help_ = "a schema says of its strings that they obey the policy; leave `json_strings` out"
        raise PolicyError(Diagnostic("LC0360", "`json_strings` is for schemas that another engine reads", help=help_))
    kinds = {rule.kind for scope in lowered.scopes for rule in _all_rules(scope)}
    wrong = {
        "soft mode": strength is not None,
        "`discourage` lines": RuleKind.DISCOURAGE in kinds,
        "stop phrases": not kinds.isdisjoint({RuleKind.STOP, RuleKind.STOP_BEFORE}),
        "a surface in a region": any(scope.surface_regions for scope in lowered.scopes),
        "a region that the text begins in": any(scope.inside is not None for scope in lowered.scopes),
    }
    found = next((what for what, is_there in wrong.items() if is_there), None)
    if found is not None:
        help_ = "inside JSON a text is permitted or not, and it ends where the JSON ends; leave them out"
        raise PolicyError(
            Diagnostic("LC0360", f"policy {lowered.name} has {found}, and its texts are JSON", help=help_)
        )


def _all_rules(scope: PolicyIR) -> Iterable[Rule]:
    return (*scope.rules, *(rule for region in scope.regions for rule in region.rules))


def _permit_nothing(scopes: Iterable[Sequence[Rule]]) -> bool:
    """Whether these scopes together leave no text but the empty one."""
    dfa = build_dfa(intersection(*(denote(list(rules)) for rules in scopes)))
    return not any(dfa.table[dfa.start])


@dataclass(frozen=True)
class Apart:
    """A policy as the rest of it, and the phrases that it denies as well."""

    whole: Policy
    rest: Policy
    phrases: tuple[Phrase, ...]


def _too_large(error: LimitError) -> LimitError:
    help_ = "take target `processor`, which reads phrases beside an automaton and builds none of them"
    return LimitError(replace(diagnostic, help=help_) for diagnostic in error.diagnostics)


def _soft_rule(cost: float, language: Language) -> SoftRule:
    return SoftRule(cost, build_lean(language), Skeletons.of([language]))


def _check_alike(one: Policy, other: Policy) -> None:
    """Raises PolicyError (LC0309) if two policies cannot be joined as they are."""
    names = f"policies {one.name} and {other.name}"
    if one.bias != other.bias:
        help_ = 'join them first: `(a & b).with_(mode="soft", bias=5)`'
        message = f"{names} are {_words(one.bias)} and {_words(other.bias)}: one violation cannot have both costs"
        raise PolicyError(Diagnostic("LC0309", message, help=help_))
    if one.lowered.is_json or other.lowered.is_json:
        help_ = "join them first: `(a & b).with_(json_strings=True)`"
        message = f"{names} cannot be joined: for one of them texts are JSON"
        raise PolicyError(Diagnostic("LC0309", message, help=help_))


def _words(bias: float | None) -> str:
    return "hard" if bias is None else f"soft (bias {bias:g})"


def _strength(before: float | None, mode: str | None, bias: float | None) -> float | None:
    if mode not in (None, "hard", "soft"):
        raise PolicyError(Diagnostic("LC0305", f"there is no mode {mode!r}", help="modes are `hard` and `soft`"))
    if bias is not None and (mode == "hard" or not LEAST_COST <= bias <= MOST_COST):
        raise PolicyError(
            Diagnostic("LC0305", f"bias {bias!r} does not fit", help="a soft policy has a finite bias above 0")
        )
    if mode == "hard" or (mode is None and bias is None and before is None):
        return None
    return float(bias) if bias is not None else before or DEFAULT_BIAS


def _begun(lowered: PolicyIR, inside: str) -> PolicyIR:
    """The policy and those it uses, each in its region of that name. Raises PolicyError (LC0346) if none has it."""
    begin(tuple(region for scope in lowered.scopes for region in regions_of(scope)), inside)
    own, *used = (replace(scope, inside=inside if _can_begin(scope, inside) else None) for scope in lowered.scopes)
    return replace(own, used=tuple(used))


def _can_begin(scope: PolicyIR, inside: str) -> bool:
    return any(commits(kind) for region in regions_of(scope) if region.name == inside for kind in region.kinds)


def _regions(names: str | Iterable[str]) -> tuple[str, ...]:
    asked = {n.strip() for n in names.split(",") if n.strip()} if isinstance(names, str) else set(names)
    unknown = sorted(asked - set(EXEMPTIONS))
    if unknown:
        known = ", ".join(f"`{n}`" for n in EXEMPTIONS)
        raise PolicyError(Diagnostic("LC0306", f"there is no region {unknown[0]!r}", help=f"regions are {known}"))
    return tuple(sorted(asked))
