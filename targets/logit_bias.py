"""`logit-bias`: a fixed list of tokens that a server bans at every step, for servers that take nothing better.

The file is a fragment of a request: `{"langc": {…}, "logit_bias": …}`; send the second value. Dialects: llama.cpp
(`[[id,false],…]`), OpenAI (`{"id":-100,…}`) and vLLM (`{"id":-100.0,…}`); docs/targets/logit-bias.md has their limits.

A list that is the same at every step knows nothing of the bytes before a token. So it is exact only by luck:
`tight` loses permitted characters that open in the same bytes as denied ones (`under`), `loose` lets denied characters
be put together from fragments (`over`), `fragments` lets some through and loses some, and all let malformed UTF-8
through. It cannot express phrases, regions or costs at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import UnsupportedError
from langc.compiler.ir.language import Cover
from langc.compiler.policy import Policy
from langc.compiler.target import Artifact, Feature, Fidelity, Json, Request, Support, with_fidelity
from langc.compiler.unicode.names import describe
from langc.targets import _bias_options as options
from langc.targets._bias_dialects import DIALECTS, Dialect, Value
from langc.targets._text import refuse_costs

if TYPE_CHECKING:
    from langc.compiler.tokens.static_bias.plan import Plan
    from langc.compiler.unicode.intervals import IntervalSet

_FEATURES = {
    Feature.SETS: Support.LOSSY,
    Feature.TERMS: Support.LOSSY,
    Feature.PHRASES: Support.NONE,
    Feature.SOFT: Support.LOSSY,
    Feature.EXEMPT: Support.NONE,
    Feature.EVERY_TOKENIZER: Support.EXACT,
}
_PER_LINE = 16
_MUCH = 100
"""Lost assigned characters from which on another target is recommended."""


class LogitBias:
    """Emits a static bias."""

    name = "logit-bias"
    suffix = ".json"
    summary = "a fixed list of banned tokens, for servers that take nothing else"
    needs_vocabulary = True
    dialects = tuple(DIALECTS)
    features = _FEATURES
    options = options.OPTIONS

    def emit(self, request: Request) -> Artifact:
        """The bias.

        Raises:
            UnsupportedError: rules that follow the text (LC0523), costs of their own (LC0505), an option or strength
                out of range (LC0521, LC0522), more entries than the server takes (LC0520), or nothing left to write
                (LC0524).
            PolicyError: the set to keep is at fault, or the vocabulary spells nothing permitted (LC0402).
        """
        dialect = DIALECTS[request.dialect or self.dialects[0]]
        refuse_costs(request.policy, self.name)
        language = _language(request.policy)
        value = options.strength(request.options["value"], request.policy, dialect)
        plan = _plan(language, request)
        cap = options.cap(request.options["cap"], dialect)
        _check_cap(plan, cap, dialect)
        bans = options.bans(value, dialect)
        if bans and not plan.writes_something:
            raise _nothing_left(request)
        fidelity = _fidelity(plan, request.policy.bias is None and not bans)
        data = dialect.shape(plan.ids, value)
        header = with_fidelity(request.header, fidelity)
        report = _report(plan, request, cap, value, data)
        text = _text({**header, "report": report}, data)
        return Artifact(self.name, dialect.name, self.suffix, header, fidelity, text, data, report)


def _language(policy: Policy) -> Cover:
    language = policy.ir.language
    if not isinstance(language, Cover):
        _ = policy.dfa  # raises if it permits nothing: that is then what is wrong
        raise UnsupportedError(
            Diagnostic(
                "LC0523",
                f"target logit-bias cannot carry policy {policy.name}: what it permits depends on the text before",
                help="a fixed list of tokens knows no phrases and no regions; take gbnf, xgrammar or processor",
                data={"feature": Feature.EXEMPT.value},
            )
        )
    return language


def _plan(language: Cover, request: Request) -> Plan:
    from langc.compiler.tokens.characters.token_text import TokenText
    from langc.compiler.tokens.static_bias.plan import Choice, Plan

    assert request.vocabulary is not None
    given = request.options
    choice = Choice(options.share(given), options.kept_set(given), options.number("budget", given["budget"]))
    return Plan.of(language, TokenText.of(dict(enumerate(request.vocabulary.tokens))), choice)


def _check_cap(plan: Plan, cap: int | None, dialect: Dialect) -> None:
    if cap is None or len(plan.banned) <= cap:
        return
    raise UnsupportedError(
        Diagnostic(
            "LC0520",
            f"{len(plan.banned):,} tokens would have to be banned, and {dialect.name} takes {cap:,} entries a request",
            help=f"ban the first ones only with `--budget {cap}`, or take a target without such a list:"
            " a grammar (gbnf, xgrammar) or the processor",
            notes=("if your server takes more, say so with `--cap N` or `--cap none`",),
            data={"entries": len(plan.banned), "cap": cap},
        )
    )


def _nothing_left(request: Request) -> UnsupportedError:
    """The error. Raises PolicyError (LC0402) instead if the vocabulary is to blame, not the ban."""
    from langc.compiler.tokens.tables import build_tables

    assert request.vocabulary is not None
    build_tables(Policy(request.policy.lowered), request.vocabulary)
    return UnsupportedError(
        Diagnostic(
            "LC0524",
            f"under a static bias for policy {request.policy.name} no permitted text can be written any more",
            help="all permitted characters open in the same bytes as denied ones: take a grammar or the processor",
        )
    )


def _fidelity(plan: Plan, only_discourages: bool) -> Fidelity:
    """Under a soft policy "passes" reads "passes at no cost"; a hard policy whose entries do not ban blocks nothing."""
    from langc.compiler.tokens.static_bias.leaks import shortest_leak
    from langc.compiler.tokens.static_bias.lost_text import shortest_lost

    allowed = plan.allowed | only_discourages
    return Fidelity(
        shortest_leak(plan.language, plan.text, allowed),
        shortest_lost(plan.language, plan.text, allowed),
        bool((allowed & ~plan.text.well_formed).any()),
    )


def _report(plan: Plan, request: Request, cap: int | None, value: Value, data: Json) -> dict[str, Json]:
    return {
        "method": request.options["method"],
        "value": "ban" if value is False else value,
        "denied": sum(high - low + 1 for low, high in plan.language.base.complement().ranges),
        "banned": {"loose": int(plan.ban.whole.sum()), "tight": int(plan.ban.tight.sum())},
        "fragments": _fragments(plan, request),
        "entries": {"needed": plan.needed, "given": len(plan.banned), "cap": cap},
        "payload_bytes": len(_compact(data)),
        "leaked": _leaked(plan),
        "lost": plan.loss.to_json(),
        "keep": _keep(plan, request),
        "recommendation": _recommendation(plan, request),
    }


def _fragments(plan: Plan, request: Request) -> Json:
    """What became of the tokens that end in a beginning of a denied character."""
    banned = int((plan.ban.fragments & ~plan.allowed).sum())
    share = request.options["fragments"]
    return {"share": share, "banned": banned, "let_through": int(plan.ban.fragments.sum()) - banned}


def _leaked(plan: Plan) -> Json:
    """The denied code points that can still be written, and the share of them that cannot."""
    before = plan.spelled_before
    return {
        "alone": plan.leaked_alone,
        "anywhere": plan.leaked_anywhere,
        "with_own_token": plan.with_own_token(plan.allowed),
        "alone_without_bias": before,
        "with_own_token_without_bias": plan.with_own_token(plan.allowed | True),
        "covered": round(1 - plan.leaked_alone / before, 6) if before else 1.0,
    }


def _keep(plan: Plan, request: Request) -> Json:
    if request.options["keep"] is None:
        return None
    return {
        "set": request.options["keep"],
        "given_up": list(_names(plan.given_up_set)),
        "given_up_code_points": len(plan.given_up_set),
        "lost_before": plan.loss_before_keep.to_json(),
    }


def _names(members: IntervalSet) -> Iterator[str]:
    for low, high in members.ranges:
        yield describe(low) if low == high else f"U+{low:04X}..U+{high:04X}"


def _recommendation(plan: Plan, request: Request) -> str | None:
    loss = plan.loss
    advice = []
    if plan.leaked_alone:
        advice.append(f"Denied code points that can still be written: {plan.leaked_alone:,}")
    if loss.assigned > _MUCH or loss.emoji:
        advice.append(f"Permitted characters that are lost: {loss.assigned:,}, emoji among them: {loss.emoji:,}")
    if not advice:
        return None
    keep = " `keep` saves some of them." if loss.emoji and request.options["keep"] is None else ""
    return f"{'. '.join(advice)}.{keep} A grammar or the processor is exact: take one if your server can run it."


def _compact(data: Json) -> str:
    return json.dumps(data, separators=(",", ":"))


def _text(about: Json, data: Json) -> str:
    """The file: JSON that a line-based diff can show."""
    head = json.dumps(about, indent=1, ensure_ascii=True)
    if isinstance(data, dict):
        entries, opening, closing = [f"{json.dumps(k)}:{_compact(v)}" for k, v in data.items()], "{", "}"
    else:
        assert isinstance(data, Sequence)
        entries, opening, closing = [_compact(e) for e in data], "[", "]"
    lines = (",".join(entries[i : i + _PER_LINE]) for i in range(0, len(entries), _PER_LINE))
    return f'{{\n"langc": {head},\n"logit_bias": {opening}\n' + ",\n".join(lines) + f"\n{closing}\n}}\n"


TARGET = LogitBias()
