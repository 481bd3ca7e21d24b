"""What the shell completes behind options: names of families, solvers and criteria, data sets, and files.

typer asks the functions here. Where one has nothing to say, the shell completes names of files.
"""

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Literal

_BREAKS = (":", "=")
"""Where bash begins a new word."""
_ASKED = "_KERNELOPT_COMPLETE"
"""The variable by which a shell asks for completions."""
_BASH = "complete_bash"
"""How bash asks."""
_NAMED = "dataset:"


@contextmanager
def asked(environment: MutableMapping[str, str]) -> Iterator[None]:
    """Where bash asks, put words together that it has cut at colons and equality signs, and answer with what it lacks.

    Of `dataset:ir` bash sees the words `dataset`, `:` and `ir`, and wants an end for the last of them.
    """
    if environment.get(_ASKED) != _BASH or "COMP_CWORD" not in environment:
        yield
        return
    words, place = environment.get("COMP_WORDS", "").split("\n"), int(environment["COMP_CWORD"])
    joined = _joined(words[: place + 1])
    environment["COMP_WORDS"], environment["COMP_CWORD"] = "\n".join(joined), str(len(joined) - 1)
    taken = joined[-1][: max(joined[-1].rfind(mark) for mark in _BREAKS) + 1]
    told = io.StringIO()
    try:
        with redirect_stdout(told):
            yield
    finally:
        sys.stdout.write("".join(line.removeprefix(taken) for line in told.getvalue().splitlines(keepends=True)))


def _joined(words: Sequence[str]) -> list[str]:
    """Words as they were before they were cut; the first one is the program."""
    joined = list(words[:1])
    for word in words[1:]:
        if len(joined) > 1 and (word.startswith(_BREAKS) or joined[-1].endswith(_BREAKS)):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def files() -> list[str]:
    """Files, which the shell completes itself."""
    return []


def tables(incomplete: str) -> list[str]:
    """Data sets behind `dataset:`, else files."""
    from kernelopt import datasets

    if not incomplete or not (incomplete.startswith(_NAMED) or _NAMED.startswith(incomplete)):
        return []
    found = _those([f"{_NAMED}{name}" for name in datasets.names()], incomplete)
    if incomplete.startswith(_NAMED):
        return found
    # The shell completes no files where it is given something, so that they are given too.
    return [*found, *_those(sorted(entry.name + "/" * entry.is_dir() for entry in os.scandir()), incomplete)]


def families(incomplete: str) -> list[str]:
    """Families, a union of them, and their options."""
    return _specs("family", incomplete)


def solvers(incomplete: str) -> list[str]:
    """Solvers, a chain of them, and their options."""
    return _specs("solver", incomplete, ("auto",))


def criteria(incomplete: str) -> list[str]:
    """Criteria, and their options."""
    return _specs("criterion", incomplete, ("auto",))


def plugins(incomplete: str) -> list[str]:
    """Plugins, and what they offer."""
    from kernelopt._plugins._registry import registry

    known = registry().plugins
    return _those(
        sorted({*(one.name for one in known), *(name for one in known for _, name in one.offers)}), incomplete
    )


def words(*known: str) -> Callable[[str], list[str]]:
    """Some words."""

    def offered(incomplete: str) -> list[str]:
        return _those(known, incomplete)

    return offered


def _specs(kind: Literal["family", "solver", "criterion"], incomplete: str, more: Sequence[str] = ()) -> list[str]:
    """Names behind the last plus sign, and behind a colon the options of the name before it."""
    import attrs

    from kernelopt._plugins._registry import registry

    before, plus, last = incomplete.rpartition("+")
    name, colon, options = last.partition(":")
    known = registry()
    if not colon:
        return _those([before + plus + one for one in (*more, *known.names(kind))], incomplete)
    cls = known.classes.get((kind, name))
    done, comma, _ = options.rpartition(",")
    head = f"{before}{plus}{name}:{done}{comma}"
    fields = [] if cls is None else [field for field in attrs.fields(cls) if field.init and field.name[0] != "_"]
    return _those([f"{head}{field.name}={_written(field.default)}" for field in fields], incomplete)


def _written(default: object) -> str:
    """A default as it would be typed; nothing where it is no single value."""
    if default is None or isinstance(default, bool):
        return str(default).lower()
    return str(default) if isinstance(default, int | float | str) else ""


def _those(known: Iterable[str], incomplete: str) -> list[str]:
    """Those that go on as was begun."""
    return [word for word in known if word.startswith(incomplete)]
