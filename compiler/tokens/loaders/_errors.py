"""The ways in which a tokenizer can be at fault, one function each, so that all loaders say the same thing alike."""

from __future__ import annotations

from langc.compiler.diagnostics import Diagnostic, Severity
from langc.compiler.errors import UnsupportedTokenizerError

_SHOWN = 40


def shown(value: object) -> str:
    """A value from a stranger's file for a message: short, ASCII only, and never a walk through a nested structure."""
    if isinstance(value, int) and value.bit_length() > 64:
        return "a huge number"
    if isinstance(value, str | bytes):
        cut = value[:_SHOWN]
        return ascii(cut if len(ascii(cut)) <= _SHOWN + 2 else cut[:8]).removeprefix("b")
    return ascii(value) if value is None or isinstance(value, int | float) else f"of type {type(value).__name__}"


def unreadable(where: str, problem: str, help: str | None = None) -> UnsupportedTokenizerError:
    """The file cannot be opened or read."""
    return _error("LC0601", where, problem, help)


def unrecognised(where: str, problem: str, help: str | None = None) -> UnsupportedTokenizerError:
    """No loader knows this kind of file or object."""
    return _error("LC0602", where, problem, help)


def broken(where: str, problem: str, help: str | None = None) -> UnsupportedTokenizerError:
    """The format is known but the content breaks its rules: cut short, a wrong type, a missing part."""
    return _error("LC0603", where, problem, help)


def unsupported(where: str, problem: str, help: str | None = None) -> UnsupportedTokenizerError:
    """The tokenizer is sound, but of a kind whose token bytes cannot be known."""
    return _error("LC0604", where, problem, help)


def bad_id(where: str, problem: str, help: str | None = None) -> UnsupportedTokenizerError:
    """A token id is negative, too large, no integer, or given to two tokens."""
    return _error("LC0605", where, problem, help)


def bad_option(where: str, problem: str, help: str | None = None) -> UnsupportedTokenizerError:
    """`special_tokens` or `eos` do not fit the vocabulary."""
    return _error("LC0606", where, problem, help)


def too_large(where: str, what: str, limit: int) -> UnsupportedTokenizerError:
    """A budget for untrusted input is spent."""
    return _error("LC0607", where, f"{what}: the limit is {limit:,}")


def unknown_bytes(where: str, ids: set[int], help: str | None = None) -> Diagnostic:
    """Tokens of which nobody can say what they write; `ids` has at least one."""
    some = ", ".join(map(str, sorted(ids)[:5])) + (", …" if len(ids) > 5 else "")
    count = "1 token has" if len(ids) == 1 else f"{len(ids):,} tokens have"
    return _warning(
        "LC0608", where, f"{count} unknown bytes and will never be allowed (id {some})", help, count=len(ids)
    )


def no_end(where: str) -> Diagnostic:
    """No token is known to end a text."""
    return _warning("LC0609", where, "no token is known to end a text", "name it: eos=… in load_vocabulary")


def printed_otherwise(where: str, what: str) -> Diagnostic:
    """The decoder prints something else than the token bytes."""
    return _warning("LC0610", where, f"printed text differs from the token bytes: {what}")


def no_specials(where: str) -> Diagnostic:
    """A rank file that nobody recognises and that comes without its special tokens."""
    help = "name them: special_tokens={text: id} in load_vocabulary, or a file NAME.special.json beside it"
    return _warning("LC0611", where, "the file does not name the special tokens, so none is known", help)


def spelled_tokens(where: str, example: str) -> Diagnostic:
    """Strings that look like a tokenizer's internal spelling rather than text."""
    problem = f"tokens such as {shown(example)} look like a tokenizer's own spelling, but are taken as plain text"
    return _warning("LC0612", where, problem, "load the tokenizer's file or object, or give the tokens as bytes")


def end_typed_as_text(where: str, spelling: str, token_id: int) -> Diagnostic:
    """An end token that the file calls text."""
    problem = f"{shown(spelling)} (id {token_id}) is marked as text, but engines end there: it is taken as an end token"
    return _warning("LC0613", where, problem, None)


def _error(code: str, where: str, problem: str, help: str | None = None) -> UnsupportedTokenizerError:
    return UnsupportedTokenizerError(Diagnostic(code, f"{where}: {problem}", help=help, data={"tokenizer": where}))


def _warning(code: str, where: str, problem: str, help: str | None = None, **data: object) -> Diagnostic:
    facts = {"tokenizer": where, **data}
    return Diagnostic(code, f"{where}: {problem}", help=help, severity=Severity.WARNING, data=facts)
