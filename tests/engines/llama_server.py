"""llama.cpp's real HTTP server, in this process, on a free port of the loopback interface.

What a user of `llama-server` meets: the grammar and the biases travel as JSON, a refused request is an HTTP status.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from langc.compiler.verify.engines.protocol import GrammarRefusedError

TIMEOUT_SECONDS = 300


@dataclass(frozen=True)
class Completion:
    """What the server wrote: the ids that it sampled, and the text as it shows it."""

    tokens: tuple[int, ...]
    text: str


class LlamaServer:
    """One loaded model with several slots, so that requests are decoded together."""

    def __init__(self, model: Path, slots: int = 8, context: int = 512) -> None:
        """`context` is in tokens for each slot."""
        import xllamacpp

        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(model)
        parameters.hostnames = ["127.0.0.1"]
        parameters.port = 0
        parameters.n_gpu_layers = 0
        parameters.n_parallel, parameters.n_ctx = slots, slots * context
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1  # two wait for each other when busy
        parameters.warmup = False
        parameters.verbosity = -1
        self._slots = slots
        self._server = xllamacpp.Server(parameters)
        self._address = urlsplit(self._server.listening_address).netloc

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{self._address}"

    def complete(self, prompt: str, **options: Any) -> Completion:
        """One request to `/completion`. Raises `GrammarRefusedError` on status 400."""
        reply = self._post({"prompt": prompt, "return_tokens": True, **options})
        return Completion(tuple(reply["tokens"]), reply["content"])

    def complete_all(self, requests: Iterable[Mapping[str, Any]]) -> list[Completion]:
        """The completions of all requests in their order, as many at once as there are slots."""
        with ThreadPoolExecutor(self._slots) as pool:
            return list(pool.map(lambda request: self.complete(**request), requests))

    def _post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        connection = http.client.HTTPConnection(self._address, timeout=TIMEOUT_SECONDS)
        try:
            connection.request("POST", "/completion", json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            reply = json.loads(response.read())
        finally:
            connection.close()
        if response.status == 400:
            raise GrammarRefusedError(reply["error"]["message"])
        if response.status != 200:
            raise RuntimeError(f"status {response.status}: {reply}")
        return dict(reply)
