"""What `kernelopt plugins --check` shows: a live line, every law with its outcome, or the same for a program."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import attrs
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from kernelopt.cli._conformance import Judgement
from kernelopt.testing import Verdict

_WORDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"passed": ("kept", "green"), "skipped": ("skipped", "dim"), "failed": ("BROKEN", "bold red")}
)
"""The word and the style of each outcome, in the order in which they are shown: what is broken stands at the end."""
_NAMED = 3
"""So many laws that have the same to say are named."""


@contextmanager
def watching(total: int, *, wanted: bool) -> Iterator[Callable[[str, int], None]]:
    """A live line on stderr, to be told what is judged and how many laws are done."""
    if not wanted:
        yield lambda _words, _done: None
        return
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(16), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda words, done: progress.update(task, description=escape(words), advance=done)


def show(found: Sequence[Judgement]) -> None:
    """Every law of every subject with its sentence, and below a broken one what was got and what was wanted."""
    console = Console()
    for k, one in enumerate(found):
        console.print(Group(*([Text()] if k else []), *_told(one)))


def _told(one: Judgement) -> Iterator[Any]:
    yield Text(one.subject.title, style="bold")
    if one.subject.suite is None:
        yield Text(f"not judged: {one.subject.reason}")
        return
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for outcome, (word, style) in _WORDS.items():
        for alike in _alike(one.verdicts, outcome):
            grid.add_row(Text(word, style=style), _sentences(alike, style))
    yield grid
    yield Text(summary(one), style="bold red" if one.failed else "bold green")


def _alike(verdicts: Sequence[Verdict], outcome: str) -> Iterator[list[Verdict]]:
    """Verdicts of an outcome, those together that have the same to say; of laws that are kept each alone."""
    groups: dict[str, list[Verdict]] = {}
    for one in verdicts:
        if one.outcome == outcome:
            groups.setdefault(one.detail or one.test, []).append(one)
    yield from groups.values()


def _sentences(alike: Sequence[Verdict], style: str) -> Text:
    """A law with its sentence, and how it is broken; or several with the one reason for all of them."""
    first, more = alike[0], len(alike) - _NAMED
    titles = ", ".join(one.title for one in alike[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    if first.outcome == "skipped":
        return Text.assemble((titles, "bold"), f": {first.detail}.")
    words = Text.assemble((titles, "bold"), f": {first.sentence}" if len(alike) == 1 else "")
    return words.append(f"\n{first.detail}", style=style) if first.detail else words


def summary(one: Judgement) -> str:
    """How many laws are kept, skipped and broken."""
    outcomes: list[str] = [verdict.outcome for verdict in one.verdicts]
    counts = (f"{outcomes.count(outcome)} {word.lower()}" for outcome, (word, _) in _WORDS.items())
    return f"{len(outcomes)} laws: {', '.join(counts)}"


def as_mapping(found: Sequence[Judgement]) -> dict[str, Any]:
    """The same for a program."""
    return {
        "checked": [
            {
                "subject": one.subject.title,
                "judged": one.subject.suite is not None,
                "reason": one.subject.reason or None,
                "failed": one.failed,
                "laws": [attrs.asdict(verdict) for verdict in one.verdicts],
            }
            for one in found
        ]
    }
