"""A progress bar for what takes long, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from langc.compiler.cli.console import Console
from langc.compiler.render import visible

Progress = Callable[[str, int, int], None]
"""Called with what is going on, how much of it is done, and how much there is; 0 if that is not known."""


@contextmanager
def progress(console: Console) -> Iterator[Progress]:
    """A function that draws the bar; in JSON mode, or where nobody watches, one that does nothing."""
    if console.json or not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console as Terminal
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    terminal = Terminal(stderr=True, no_color=not console.is_coloured(sys.stderr))
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, console=terminal, transient=True) as bar:
        task = bar.add_task("", total=None)

        def tell(what: str, done: int, total: int) -> None:
            bar.update(task, description=visible(what), completed=done, total=total or None, refresh=True)

        yield tell
