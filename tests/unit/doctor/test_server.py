"""Canaries on servers with known faults: each fault is found, and a sound server has none."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.doctor.canaries import examine_server
from langc.compiler.doctor.server import Server
from langc.compiler.errors import LangcError
from langc.compiler.limits import MAX_RESPONSE_BYTES
from tests.unit.doctor import servers

ALL = ("logit_bias", "grammar", "grammar beyond ASCII", "broken grammar", "policy ko")


@pytest.mark.parametrize(
    ("behaviour", "wrong", "untried"),
    [
        (servers.sound, set(), set()),
        (servers.without_bias, {"logit_bias"}, set()),
        (servers.without_grammar, {"grammar", "grammar beyond ASCII", "broken grammar"}, set()),
        (servers.turned_around, {"grammar beyond ASCII"}, set()),
        (servers.without_tokens, set(), {"logit_bias"}),
        (servers.says_han, {"policy ko"}, set()),
        (servers.takes_no_grammar, {"grammar", "grammar beyond ASCII", "policy ko"}, set()),
    ],
)
def test_findings(behaviour: servers.Behaviour, wrong: set[str], untried: set[str]) -> None:
    """What is wrong is wrong, what cannot be tried is not taken for right, and the rest is right."""
    with servers.serving(behaviour) as url:
        report = examine_server(Server(url), langc.load_policy("ko"))

    assert tuple(f.about for f in report.findings) == ALL
    assert {f.about for f in report.findings if f.ok is False} == wrong
    assert {f.about for f in report.findings if f.ok is None} == untried
    assert report.ok is not bool(wrong)
    assert all(f.help for f in report.findings if f.ok is False)


def test_a_violation_is_shown_where_it_is() -> None:
    """The finding on the policy has the text up to the character that it refuses."""
    with servers.serving(servers.says_han) as url:
        findings = examine_server(Server(url), langc.load_policy("ko")).findings

    assert "한국 確" in findings[-1].says
    assert "認" not in findings[-1].says


@pytest.mark.parametrize(
    ("answer", "code", "message"),
    [
        ((200, b"<html>"), "LC0851", "no JSON object"),
        ((200, b"[" * 100_000), "LC0851", "no JSON object"),
        ((200, []), "LC0851", "no JSON object"),
        ((200, {"content": 5}), "LC0851", "without `content`"),
        ((200, b"x" * (MAX_RESPONSE_BYTES + 1)), "LC0851", "16,777,216 bytes"),
        ((302, {}), "LC0851", "status 302"),
        ((404, {"error": "not found"}), "LC0851", "status 404 (not found)"),
        ((401, {"error": {"message": "no key"}}), "LC0851", "status 401 (no key)"),
        ((500, {"error": {"message": "on fire"}}), "LC0851", "status 500 (on fire)"),
        ((422, {"error": {"message": "no model"}}), "LC0851", "a refusal of a plain prompt (no model)"),
        ((400, []), "LC0851", "a refusal of a plain prompt (status 400)"),
    ],
)
def test_strange_answers(answer: servers.Answer, code: str, message: str) -> None:
    """What is no answer of such a server is an error that says what came back."""
    with servers.serving(lambda _: answer) as url, pytest.raises(LangcError) as caught:
        examine_server(Server(url))
    assert caught.value.diagnostics[0].code == code
    assert message in caught.value.diagnostics[0].message


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080",
        "ftp://a",
        "http://",
        "http://u:p@h",
        "http://h?q",
        "http://h:x",
        "http://[::1",
        "http://a b:1",
        "http://\u2100.com",
    ],
)
def test_addresses_that_are_none(url: str) -> None:
    """Before anything is sent."""
    with pytest.raises(LangcError, match="LC0850"):
        Server(url).complete("")


def test_nobody_listens() -> None:
    """A server that has gone."""
    with servers.serving(servers.sound) as url:
        pass
    with pytest.raises(LangcError, match=r"LC0850.*cannot be asked"):
        examine_server(Server(url))


def test_a_slow_server() -> None:
    """It is waited for, but not for ever."""
    with servers.serving(servers.sound, seconds=0.3) as url:
        with pytest.raises(LangcError, match="did not answer in time"):
            Server(url, timeout=0.05).complete("x")
        assert Server(url, timeout=10).complete("x").text == " Paris"


@pytest.mark.parametrize("start", [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "])
def test_a_server_that_never_stops(start: bytes) -> None:
    """A byte now and then is no answer: the time is that of the whole request."""
    with servers.dripping(start) as url, pytest.raises(LangcError, match="did not answer in time"):
        Server(url, timeout=0.3).complete("x")


@pytest.mark.parametrize("key", ["secret\n", "secret\u2019"])
def test_a_key_that_no_header_holds(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message does not show it."""
    monkeypatch.setenv("LANGC_API_KEY", key)
    with servers.serving(servers.sound) as url, pytest.raises(LangcError, match=r"LC0850.*LANGC_API_KEY") as caught:
        Server(url).complete("x")
    assert "secret" not in str(caught.value)


def test_key_and_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key goes into the header that such servers read, and a path before `/completion` is kept."""
    seen: list[dict[str, str]] = []
    with servers.serving(servers.sound, seen=seen) as url:  # type: ignore[arg-type]
        Server(f"{url}/llm/").complete("x")
        monkeypatch.setenv("LANGC_API_KEY", "secret")
        Server(url).complete("x")

    assert [s["path"] for s in seen] == ["/llm/completion", "/completion"]
    assert [s.get("Authorization") for s in seen] == [None, "Bearer secret"]
