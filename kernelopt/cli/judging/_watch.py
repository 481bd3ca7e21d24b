"""The live line of a comparison: which solve is under way, and how far it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kernelopt._api._progress import in_words
from kernelopt._saddle._trace import Record
from kernelopt.cli.judging._compare import Candidate, Watch


@contextmanager
def watching(combinations: int, parts: int, *, wanted: bool) -> Iterator[Watch]:
    """A line on stderr for all solves together, or nothing where it is not wanted."""
    if not wanted:
        yield lambda _candidate, _part: {}
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(16),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}"),
    )
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("preparing", total=combinations * parts, words="")
        begun = -1

        def watch(candidate: Candidate, part: int) -> dict[str, Any]:
            nonlocal begun
            begun = (begun // parts + 1) * parts if part == 0 else begun + 1
            fold = f", {part + 1} of {parts}" if parts > 1 else ""
            who = f"{escape(candidate.family)} by {escape(candidate.solver)}{fold}"
            progress.update(task, completed=begun, description=who, words="")
            return {"callback": told}

        def told(record: Record) -> None:
            progress.update(task, words=f"step {record.step}  {in_words(record)}")

        yield watch
