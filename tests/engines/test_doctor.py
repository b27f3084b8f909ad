"""`langc doctor` on llama.cpp's real server: a sound one passes, with a policy that the model would break by itself."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.doctor.canaries import examine_server
from langc.compiler.doctor.server import Server
from tests import assets
from tests.engines.llama_server import LlamaServer

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("smollm2")]


def test_the_real_server() -> None:
    """All canaries are tried, and all are as they must be; the policy is one that free text breaks at once."""
    policy = langc.parse_policy("policy hangul { only script Hangul; deny [a-z]; }")
    server = LlamaServer(assets.smollm2_gguf(), slots=1)
    report = examine_server(Server(server.url), policy)

    assert [f.ok for f in report.findings] == [True] * 5
