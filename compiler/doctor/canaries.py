"""Requests to a server whose answer is known: does it enforce what it is sent?

Servers have answered a broken grammar with free text, dropped a bias on some of their paths, and turned classes beyond
ASCII around, each time with status 200. So each canary asks for something that a model would not do by itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from langc.compiler.automata.dfa import DEAD
from langc.compiler.doctor.report import DoctorReport, Finding
from langc.compiler.doctor.server import Server, ServerRefusedError
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.unicode.names import describe

PROMPT = "The capital of France is"
GREEDY = {"temperature": 0.0, "n_predict": 1}
TRIALS, LENGTH = 4, 48
"""Completions of a policy's grammar, and tokens of each."""

_SHOWN = 60
"""Characters of an answer that a finding quotes."""

Progress = Callable[[str, int, int], None]


def examine_server(server: Server, policy: Policy | None = None, progress: Progress | None = None) -> DoctorReport:
    """Try a server, and with a policy whether what it writes obeys that.

    Raises LangcError if the server cannot be asked (LC0850, LC0851), or the policy cannot be compiled.
    """
    tell = progress or (lambda what, done, total: None)
    canaries: list[tuple[str, Callable[[], Finding]]] = [
        ("logit_bias", lambda: _bias(server)),
        ("grammar", lambda: _grammar(server)),
        ("grammar beyond ASCII", lambda: _beyond_ascii(server)),
        ("broken grammar", lambda: _broken(server)),
    ]
    if policy is not None:
        canaries.append((f"policy {policy.name}", lambda: _policy(server, policy)))
    findings = []
    for number, (about, canary) in enumerate(canaries):
        tell(about, number, len(canaries))
        findings.append(canary())
    return DoctorReport(server.url, findings)


def _bias(server: Server) -> Finding:
    """The most probable token, banned."""
    try:
        before = server.complete(PROMPT, **GREEDY)
    except ServerRefusedError as error:  # it would refuse everything, a broken grammar too
        raise server.strange(f"a refusal of a plain prompt ({error})") from None
    if not before.tokens:
        return Finding("logit_bias", None, "not tried: the server returns no token ids")
    token = before.tokens[0]
    try:
        after = server.complete(PROMPT, logit_bias=[[token, False]], **GREEDY)
    except ServerRefusedError as error:
        return _refused("logit_bias", error)
    if after.tokens and after.tokens[0] == token:
        help_ = "a list of banned tokens does nothing here: take a grammar, or update the server"
        return Finding("logit_bias", False, f"token {token} was banned, and was written all the same", help_)
    return Finding("logit_bias", True, f"the most probable token, {token}, is not written once it is banned")


def _grammar(server: Server) -> Finding:
    """A text that no model would write here."""
    return _obeys(server, "grammar", 'root ::= "6"', "only 6", lambda text: text == "6")


def _beyond_ascii(server: Server) -> Finding:
    """A positive class of two-byte characters, which some engines have turned around."""
    return _obeys(server, "grammar beyond ASCII", "root ::= [а-я]+", "only letters from а to я", _is_cyrillic)


def _is_cyrillic(text: str) -> bool:
    return bool(text) and all("а" <= c <= "я" for c in text)


def _obeys(server: Server, about: str, grammar: str, asked: str, holds: Callable[[str], bool]) -> Finding:
    try:
        text = server.complete(PROMPT, grammar=grammar, temperature=0.0, n_predict=8).text
    except ServerRefusedError as error:
        return _refused(about, error)
    if not holds(text):
        help_ = "the server does not enforce grammars: update it, and check what it writes with `langc check`"
        return Finding(about, False, f"asked for {asked}, it wrote {_quoted(text)}", help_)
    return Finding(about, True, f"asked for {asked}, it wrote {_quoted(text)}")


def _broken(server: Server) -> Finding:
    """What must be refused, because nothing can be enforced."""
    try:
        text = server.complete(PROMPT, grammar="root ::= (", temperature=0.0, n_predict=8).text
    except ServerRefusedError as error:
        return Finding("broken grammar", True, f"it is refused: {error}")
    help_ = "a grammar that this server cannot read is dropped in silence: run this after each update"
    return Finding("broken grammar", False, f"it was taken, and answered with {_quoted(text)}", help_)


def _policy(server: Server, policy: Policy) -> Finding:
    """Texts under the policy's grammar, at a temperature at which a model tries much."""
    about = f"policy {policy.name}"
    grammar = compile_policy(policy, "gbnf").text
    for seed in range(TRIALS):
        try:
            text = server.complete(PROMPT, grammar=grammar, temperature=1.5, n_predict=LENGTH, seed=seed).text
        except ServerRefusedError as error:
            return _refused(about, error)
        if (at := _leaves(policy, text)) is not None:
            wrote = _quoted(text[: at + 1][-_SHOWN:])
            says = f"it wrote {wrote}, and the policy refuses {describe(ord(text[at]))} there"
            return Finding(about, False, says, "its grammar is not enforced: see the findings above")
    return Finding(about, True, f"{TRIALS} texts of up to {LENGTH} tokens obey it")


def _leaves(policy: Policy, text: str) -> int | None:
    """Where a text, which may go on, leaves the policy. A character that was cut in half is no part of it."""
    state = policy.reader.start
    for at, character in enumerate(text.rstrip("\ufffd")):
        state = policy.reader.step(state, ord(character))
        if state == DEAD:
            return at
    return None


def _quoted(text: str) -> str:
    return json.dumps(text[:_SHOWN], ensure_ascii=False)


def _refused(about: str, error: ServerRefusedError) -> Finding:
    help_ = "the server does not take this kind of request; see its documentation"
    return Finding(about, False, f"the server refuses the request: {error}", help_)
