"""A client for `/completion` of llama.cpp's server, and no more of it than canaries need.

Invariant: nothing is sent but to the address that the caller named; no redirect is followed, no proxy used. What comes
back is bounded in time and size, and taken for what a stranger wrote.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Timer
from typing import Any
from urllib.parse import SplitResult, urlsplit

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.limits import MAX_RESPONSE_BYTES

KEY = "LANGC_API_KEY"
"""The environment variable with the server's key, if it wants one."""


@dataclass(frozen=True)
class Completion:
    """What the server wrote. `tokens` is None if it does not return token ids."""

    text: str
    tokens: tuple[int, ...] | None


class ServerRefusedError(Exception):
    """The server answered that the request is at fault (status 4xx)."""


class Server:
    """One server.

    Args:
        url: such as `http://localhost:8080`; a path before `/completion` may follow.
        timeout: of one request, in seconds.

    Raises:
        LangcError: the address is none (LC0850).
    """

    def __init__(self, url: str, timeout: float = 60.0) -> None:
        self.url, self.timeout = url, timeout
        parts = _address(url)
        if parts is None:
            help_ = "give it as `http://HOST:PORT`"
            raise LangcError(Diagnostic("LC0850", f"{url!r} is no address of a server", help=help_))
        self._address, self._path = parts.netloc, parts.path.rstrip("/")
        self._kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection

    def complete(self, prompt: str, **options: Any) -> Completion:
        """One completion.

        Raises:
            ServerRefusedError: status 4xx.
            LangcError: the server cannot be reached or is too slow (LC0850), or answers something else (LC0851).
        """
        reply = self._post({"prompt": prompt, "return_tokens": True, "cache_prompt": False, **options})
        text, tokens = reply.get("content"), reply.get("tokens")
        if not isinstance(text, str):
            raise self.strange("an answer without `content`")
        return Completion(text, _ids(tokens))

    def _post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        status, data = self._request(json.dumps(body).encode())
        if 400 <= status < 500 and status not in (401, 403, 404, 405, 429):
            raise ServerRefusedError(_message(data) or f"status {status}")
        if status != 200:
            raise self.strange(f"status {status}" + (f" ({_message(data)})" if _message(data) else ""))
        reply = _object(data)
        if reply is None:
            raise self.strange("something that is no JSON object")
        return reply

    def _request(self, body: bytes) -> tuple[int, bytes]:
        connection = self._kind(self._address, timeout=self.timeout)
        headers = {"Content-Type": "application/json", **self._authorization()}
        end = time.monotonic() + self.timeout
        try:
            connection.connect()
            with _shut_after(end - time.monotonic(), connection.sock):
                connection.request("POST", f"{self._path}/completion", body, headers)
                response = connection.getresponse()
                data = response.read(MAX_RESPONSE_BYTES + 1)
            if time.monotonic() >= end:  # what was read may be cut off
                raise TimeoutError
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._unreachable(TimeoutError() if time.monotonic() >= end else error) from None
        finally:
            connection.close()
        if len(data) > MAX_RESPONSE_BYTES:
            raise self.strange(f"more than {MAX_RESPONSE_BYTES:,} bytes")
        return response.status, data

    def _authorization(self) -> dict[str, str]:
        key = os.environ.get(KEY)
        if key and not (key.isascii() and key.isprintable()):
            help_ = "set it to the key alone, without a line end"
            raise LangcError(Diagnostic("LC0850", f"{KEY} holds a character that no header can hold", help=help_))
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _unreachable(self, error: Exception) -> LangcError:
        why = "it did not answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
        help_ = "start it, or name its address; a slow one gets more time by `--timeout SECONDS`"
        return LangcError(Diagnostic("LC0850", f"{self.url} cannot be asked: {why}", help=help_))

    def strange(self, what: str) -> LangcError:
        """LC0851: it answers as no such server does."""
        help_ = f"`langc doctor` knows the server of llama.cpp, at `/completion`; a key goes into {KEY}"
        return LangcError(Diagnostic("LC0851", f"{self.url} answered with {what}", help=help_))


def _address(url: str) -> SplitResult | None:
    """The parts of an address; None if it is none."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    is_plain = parts.scheme in ("http", "https") and not (parts.username or parts.query)
    is_host = bool(parts.hostname) and parts.netloc.isprintable() and " " not in parts.netloc
    return parts if is_plain and is_host else None


@contextmanager
def _shut_after(seconds: float, connected: socket.socket) -> Iterator[None]:
    """Shut a socket when its time is over: a time-out of its own starts afresh with every byte that comes."""

    def shut() -> None:
        with suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)

    timer = Timer(seconds, shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _ids(tokens: object) -> tuple[int, ...] | None:
    if not isinstance(tokens, list) or not all(type(t) is int for t in tokens):
        return None
    return tuple(tokens)


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _message(data: bytes) -> str | None:
    """What the body of an error says."""
    error = (_object(data) or {}).get("error")
    message = error.get("message") if isinstance(error, dict) else error
    return message[:300] if isinstance(message, str) else None
