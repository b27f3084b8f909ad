"""Small servers that answer as llama.cpp's does, with the faults that real ones have had."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, object]
Behaviour = Callable[[Mapping[str, Any]], Answer]

GRAMMARS = {'root ::= "6"': "6", "root ::= [а-я]+": "да"}


def sound(body: Mapping[str, Any]) -> Answer:
    """As it should be."""
    grammar = body.get("grammar")
    if grammar == "root ::= (":
        return 400, {"error": {"message": "failed to parse grammar"}}
    if grammar is not None:
        return 200, {"content": GRAMMARS.get(grammar, "한국\ufffd"), "tokens": [5]}
    return 200, {"content": " Paris", "tokens": [8 if body.get("logit_bias") == [[7, False]] else 7]}


def without_bias(body: Mapping[str, Any]) -> Answer:
    """A bias has no effect."""
    return sound({k: v for k, v in body.items() if k != "logit_bias"})


def without_grammar(body: Mapping[str, Any]) -> Answer:
    """A grammar is dropped, a broken one too."""
    return sound({k: v for k, v in body.items() if k != "grammar"})


def turned_around(body: Mapping[str, Any]) -> Answer:
    """A class beyond ASCII means all others."""
    return (200, {"content": "hello"}) if body.get("grammar") == "root ::= [а-я]+" else sound(body)


def without_tokens(body: Mapping[str, Any]) -> Answer:
    """Token ids are not returned."""
    status, reply = sound(body)
    assert isinstance(reply, dict)
    return status, {k: v for k, v in reply.items() if k != "tokens"}


def says_han(body: Mapping[str, Any]) -> Answer:
    """Under any grammar but the known ones it writes Han."""
    grammar = body.get("grammar")
    known = grammar in (None, "root ::= (", *GRAMMARS)
    return sound(body) if known else (200, {"content": "한국 確認"})


def takes_no_grammar(body: Mapping[str, Any]) -> Answer:
    """It refuses all grammars."""
    return (400, {"error": {"message": "no grammars here"}}) if "grammar" in body else sound(body)


@contextmanager
def serving(behaviour: Behaviour, seconds: float = 0.0, seen: list[Mapping[str, str]] | None = None) -> Iterator[str]:
    """The address of a server; it answers after so many seconds, and appends each request's headers to `seen`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if seen is not None:
                seen.append({"path": self.path, **dict(self.headers)})
            time.sleep(seconds)
            status, reply = behaviour(body)
            data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def dripping(start: bytes) -> Iterator[str]:
    """The address of a server that begins an answer, and goes on with a byte now and then for some seconds."""

    def answer(listener: socket.socket) -> None:
        with suppress(OSError), listener.accept()[0] as connection:
            connection.sendall(start)
            for _ in range(100):
                time.sleep(0.05)
                connection.sendall(b" ")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer, args=(listener,), daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
