"""The live line of predictions: how many of the rows are done."""

from collections.abc import Iterator
from contextlib import contextmanager

from kernelopt._prediction._told import Told, untold


@contextmanager
def predicting(total: int, *, wanted: bool) -> Iterator[Told]:
    """A line on stderr that shows the share of the work that is done; nothing where it is not wanted, or stderr is no
    terminal.

    Args:
        total: the number of rows, times the number of passes over them.
        wanted: whether there is to be a line.
    """
    if not wanted:
        yield untold
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("predicting", total=total)
        yield lambda rows: progress.update(task, advance=rows)
