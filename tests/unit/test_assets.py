"""What the tests stand on: an asset is made once, whole or not at all, however many processes ask for it."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import pytest

from tests import assets


def _make(folder: Path, done: Path) -> None:
    assets.BUILD = folder

    def slowly(path: Path) -> None:
        with done.open("a") as log:
            log.write("made\n")
        path.write_text("half")
        time.sleep(0.2)
        path.write_text("whole")

    assert assets.make_once("asset", slowly).read_text() == "whole"


def test_made_once_by_many_processes(tmp_path: Path) -> None:
    """Four processes at once get the same whole file, and one of them made it."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_make, args=(tmp_path / "build", tmp_path / "log")) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert [worker.exitcode for worker in workers] == [0] * 4
    assert (tmp_path / "log").read_text() == "made\n"


def test_a_failure_leaves_no_asset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If making fails, there is nothing under the final name, and the next call makes it."""
    monkeypatch.setattr(assets, "BUILD", tmp_path)

    def fail(path: Path) -> None:
        path.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        assets.make_once("asset", fail)
    assert not (tmp_path / "asset").exists()
    assert assets.make_once("asset", lambda path: path.touch()).exists()


def test_missing_packages_are_named() -> None:
    """The error says what to install, and the packages themselves are not imported."""
    with pytest.raises(assets.AssetMissingError, match="no-such-package"):
        assets._packaged("no_such_module", "file", "no-such-package")
