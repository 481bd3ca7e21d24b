"""`kernelopt plugins --check`: the conformance kit on what is installed, or on an object of a module."""

import difflib
import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from kernelopt._base._errors import BrokenPlugin, InvalidOption, UnknownName
from kernelopt._plugins._registry import Kind, PluginInfo, registry, resolve
from kernelopt.cli import _specs
from kernelopt.testing import Verdict, judge, laws_of, verdicts

_KINDS: tuple[Kind, ...] = ("family", "criterion", "solver")
_MARKS = {"passed": ("passed", "green"), "failed": ("FAILED", "bold red"), "skipped": ("-", "dim")}


@attrs.frozen(eq=False)
class Subject:
    """What is judged.

    Attributes:
        title: what it is, for the reader.
        suite: that judges it; None where the kit has none.
        reason: why it has none.
    """

    title: str
    suite: Any
    reason: str = ""


@attrs.frozen(eq=False)
class Judgement:
    """What came out of all laws of a subject."""

    subject: Subject
    verdicts: tuple[Verdict, ...]

    @property
    def failed(self) -> bool:
        """Whether a law is broken."""
        return any(one.outcome == "failed" for one in self.verdicts)


def subjects(name: str) -> tuple[Subject, ...]:
    """What a name stands for: an object of a module, all that a plugin offers, or what is offered under this name.

    Raises:
        UnknownName, BrokenPlugin, InvalidOption: there is none, it cannot be used, or it cannot be judged.
    """
    module, colon, attribute = name.partition(":")
    if colon and attribute.isidentifier():
        return (Subject(name, judge(_attribute(module, attribute))),)
    plugin = next((one for one in registry().plugins if one.name == name), None)
    found = _of_name(name) if plugin is None else _of_plugin(plugin)
    if all(one.suite is None for one in found):
        raise InvalidOption(f"--check: {found[0].reason}")
    return found


def _of_plugin(plugin: PluginInfo) -> tuple[Subject, ...]:
    """All that a plugin offers."""
    offers = [(kind, name) for kind, name in plugin.offers if kind != "rows"]
    if plugin.broken and not offers:
        raise BrokenPlugin(f"the plugin {plugin.name} ({plugin.source}) is broken: {plugin.reason}")
    if not offers:
        raise InvalidOption(f"--check: the plugin {plugin.name} offers rows, and the kit has no laws for these")
    return tuple(_offered(kind, name, name) for kind, name in offers)


def _of_name(text: str) -> tuple[Subject, ...]:
    """What is offered under a name, with options or without."""
    known, spec = registry(), _specs.parse_spec(text, "--check")
    name = spec if isinstance(spec, str) else spec["name"]
    kinds = [kind for kind in _KINDS if (kind, name) in known.classes]
    if kinds:
        return tuple(_offered(kind, name, spec) for kind in kinds)
    for one in known.plugins:
        if one.reason is not None and repr(name) in one.reason:
            raise BrokenPlugin(f"{name!r}: the plugin {one.name} ({one.source}) is broken: {one.reason}")
    every = sorted({*(one.name for one in known.plugins), *(one for _, one in known.classes)})
    close = difflib.get_close_matches(name, every, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise UnknownName(
        f"--check: no plugin is called {name!r}, and none offers that; {hint}name an object of a module as "
        f"module:attribute, or one of {', '.join(every)}"
    )


def _offered(kind: Kind, name: str, spec: Any) -> Subject:
    source = next(one.source for one in registry().plugins if (kind, name) in one.offers)
    subject = resolve(kind, spec)
    try:
        return Subject(f"{kind} {name} ({source})", judge(subject))
    except InvalidOption as error:
        return Subject(f"{kind} {name} ({source})", None, str(error))


def _attribute(module: str, name: str) -> Any:
    """An attribute of a module, which may be a file; the folder that the user is in is looked into first.

    Raises:
        InvalidOption: there is none.
    """
    path = Path(module)
    is_file = path.suffix == ".py"
    sys.path.insert(0, str(path.parent.resolve()) if is_file else os.getcwd())  # noqa: PTH109
    try:
        found = importlib.import_module(path.stem if is_file else module)
    except Exception as error:
        raise InvalidOption(f"--check: {module} cannot be imported ({type(error).__name__}: {error})") from None
    if not hasattr(found, name):
        raise InvalidOption(f"--check: {module} has no attribute {name!r}")
    return getattr(found, name)


def judged(all_: Sequence[Subject], *, progress: bool) -> tuple[Judgement, ...]:
    """All laws of all subjects, with a live line on stderr where it is wanted."""
    total = sum(len(laws_of(type(one.suite))) for one in all_ if one.suite is not None)
    with _watching(total, wanted=progress) as told:
        found = []
        for subject in all_:
            told(subject.title, 0)
            passed = []
            for verdict in () if subject.suite is None else verdicts(subject.suite):
                told(f"{subject.title}: {verdict.title}", 1)
                passed.append(verdict)
            found.append(Judgement(subject, tuple(passed)))
        return tuple(found)


@contextmanager
def _watching(total: int, *, wanted: bool) -> Iterator[Any]:
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
    Console().print(Group(*(part for one in found for part in (*_told(one), Text()))), end="")


def _told(one: Judgement) -> Iterator[Any]:
    yield Text(one.subject.title, style="bold")
    if one.subject.suite is None:
        yield Text(f"not judged: {one.subject.reason}")
        return
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column()
    said: dict[str, str] = {}
    for verdict in one.verdicts:
        mark, style = _MARKS[verdict.outcome]
        words = Text.assemble((verdict.title, "bold"), ": ", verdict.sentence)
        if verdict.outcome == "skipped":
            words.append(f" Left out: {verdict.detail}.", style=style)
        elif verdict.outcome == "failed":
            first = said.setdefault(verdict.detail, verdict.title)
            words.append(f"\n{verdict.detail if first == verdict.title else f'as in {first!r}'}", style=style)
        grid.add_row(Text(mark, style=style), words)
    yield grid
    yield Text(summary(one), style="bold red" if one.failed else "bold green")


def summary(one: Judgement) -> str:
    """How many laws hold, are broken, and were left out."""
    counts = {outcome: sum(verdict.outcome == outcome for verdict in one.verdicts) for outcome in _MARKS}
    return (
        f"{len(one.verdicts)} laws: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} left out"
    )


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
