"""A progress bar for any run; rich is imported only when one is asked for."""

import math
from typing import Self

from kernelopt._solution import Record


class Bar:
    """A live line in the terminal or the notebook: how far the gap has come from the start to the tolerance."""

    def __init__(self, tol: float) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._tol = tol
        self._first: float | None = None
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=16),
            TextColumn("{task.fields[bounds]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
        )
        self._task = self._progress.add_task("preparing", total=1.0, bounds="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def __call__(self, record: Record) -> None:
        if self._first is None:
            self._first = max(record.relative_gap, self._tol)
        self._progress.update(
            self._task,
            description=f"step {record.step}",
            completed=self._share(record.relative_gap),
            bounds=f"{record.lower:.5g} .. {record.upper:.5g}  gap {record.relative_gap:.0e}  {record.support} SV",
        )

    def _share(self, gap: float) -> float:
        """How far the gap has come, on a log scale, from 0 to 1."""
        way = math.log(self._first or 1.0) - math.log(self._tol)
        if gap <= self._tol or way <= 0.0:
            return 1.0
        return max(0.0, (math.log(self._first or 1.0) - math.log(gap)) / way)
