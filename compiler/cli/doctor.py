"""`langc doctor`: whether the installed engines, or a server, enforce what they are given."""

from __future__ import annotations

import click

from langc.compiler.cli.console import Console
from langc.compiler.cli.native_output import dropped
from langc.compiler.cli.options import Strength, color_option, complete_policy, json_option, load, strength_options
from langc.compiler.cli.progress import progress
from langc.compiler.cli.usage import wrong
from langc.compiler.errors import LangcError
from langc.compiler.render import visible


@click.command(
    epilog="""\b
Examples:
  langc doctor
  langc doctor --server http://localhost:8080
  langc doctor ko.policy --server http://localhost:8080 --json
"""
)
@click.argument("policy", required=False, shell_complete=complete_policy)
@click.option("--server", metavar="URL", help="A running server of llama.cpp; without it the installed engines.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for an answer.",
)
@strength_options
@json_option
@color_option
@click.pass_obj
def command(console: Console, /, policy: str | None, server: str | None, timeout: float, strength: Strength) -> int:
    """Find out whether engines and servers enforce what they are given.

    Without --server the engines that are installed are tried on policies that engines of the past got wrong. With it
    the server is sent requests whose answer is known, and with a POLICY its grammar, too. A key that the server wants
    is read from the environment variable LANGC_API_KEY.

    Exits with 1 if something is not enforced.
    """
    if policy is not None and server is None:
        raise LangcError(
            wrong("a POLICY is tried on a server", help="name it with `--server URL`, or run `langc verify`")
        )
    from langc.compiler.doctor import canaries, engines
    from langc.compiler.doctor.server import Server

    loaded = None if policy is None else load(policy, strength)
    with dropped(), progress(console) as tell:
        if server is None:
            report = engines.examine_engines(tell)
        else:
            report = canaries.examine_server(Server(server, timeout), loaded, tell)
    if console.json:
        console.result(report.to_json())
    else:
        for finding in report.findings:
            mark = {True: "ok", False: "WRONG", None: "-"}[finding.ok]
            console.out(visible(f"{mark:5}  {finding.about}: {finding.says}"))
            if finding.help:
                console.out(visible(f"       help: {finding.help}"))
    return 0 if report.ok else 1
