"""A static bias for a llama.cpp server: the request body, and on demand a real run.

    python examples/llama_cpp_bias.py MODEL.gguf > body.json      # any tokenizer file will do here
    curl http://127.0.0.1:8080/completion -d @body.json           # to a llama-server of your own

    pip install "langc[llamacpp]"
    python examples/llama_cpp_bias.py MODEL.gguf --run            # starts a server, asks with the bias and without

A grammar (`langc compile ko --target gbnf`) is exact and smaller. This is for servers that take nothing but a list.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import sys
from typing import Any
from urllib.parse import urlsplit

import langc
from langc.compiler.unicode.properties import script_of

PROMPT = "漢字 어휘: 학교(學校), 대학(大學), 선생(先生), 학생("
SEEDS = 5


def body(tokenizer: str) -> dict[str, Any]:
    """What to send to `/completion`. A static bias loses characters, so it must be allowed to be `under`."""
    bias = langc.compile("ko", "logit-bias", langc.load_vocabulary(tokenizer), allow="under")
    print(bias.report["recommendation"], file=sys.stderr)
    return {"prompt": PROMPT, "n_predict": 24, "temperature": 1.0, "logit_bias": bias.data}


def start(model: str) -> tuple[Any, str]:
    """llama.cpp's server in this process, and its address; it runs as long as the object lives."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0  # any free port
    parameters.n_gpu_layers, parameters.n_ctx, parameters.verbosity = 0, 512, -1
    parameters.cpuparams.n_threads = max(1, (os.cpu_count() or 2) // 2)
    parameters.cpuparams_batch.n_threads = parameters.cpuparams.n_threads
    server = xllamacpp.Server(parameters)
    return server, urlsplit(server.listening_address).netloc


def ask(address: str, request: dict[str, Any]) -> str:
    """The text that the server writes."""
    connection = http.client.HTTPConnection(address, timeout=300)
    connection.request("POST", "/completion", json.dumps(request), {"Content-Type": "application/json"})
    reply = json.loads(connection.getresponse().read())
    connection.close()
    return str(reply["content"])


def compare(model: str, request: dict[str, Any]) -> dict[str, int]:
    """The denied characters in `SEEDS` answers without the bias and with it."""
    server, address = start(model)
    bare = {key: value for key, value in request.items() if key != "logit_bias"}
    found = {}
    for name, asked in (("without", bare), ("with", request)):
        texts = [ask(address, {**asked, "seed": seed}) for seed in range(SEEDS)]
        found[name] = sum(script_of(ord(c)) in ("Han", "Hiragana", "Katakana") for text in texts for c in text)
        print(f"{name:<8} the bias: {found[name]:4} denied characters, such as {texts[0][:30]!r}")
    del server
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a GGUF file, or with no --run any tokenizer file")
    parser.add_argument("--run", action="store_true", help="start a server and ask it")
    arguments = parser.parse_args()
    request = body(arguments.model)
    if not arguments.run:
        print(json.dumps(request, ensure_ascii=False))
    elif compare(arguments.model, request)["with"]:
        sys.exit("a denied character was written in spite of the bias")
