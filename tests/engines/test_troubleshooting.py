"""What docs/troubleshooting.md says of llama.cpp's server, tried on it."""

from __future__ import annotations

import pytest

from tests import assets
from tests.engines.llama_server import LlamaServer

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("smollm2")]

CANARY = 'root ::= "6"'


@pytest.fixture(scope="module")
def server() -> LlamaServer:
    """SmolLM2 behind HTTP."""
    return LlamaServer(assets.smollm2_gguf(), slots=1)


@pytest.mark.parametrize(
    ("sent", "is_read"), [({"grammar": CANARY}, True), ({"gramar": CANARY}, False), ({"grammar": ""}, False)]
)
def test_the_canary(server: LlamaServer, sent: dict[str, str], is_read: bool) -> None:
    """It makes the answer 6; a misspelt field and an empty grammar are passed over without a word."""
    answer = server.complete("What is one and one? ", n_predict=8, temperature=0, **sent)

    assert (answer.text == "6") == is_read
    assert answer.text != ""
