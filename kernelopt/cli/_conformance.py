"""What `kernelopt plugins --check` judges: what is installed, or an object of a module, by the conformance kit."""

import difflib
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from kernelopt._base._errors import BrokenPlugin, InvalidOption, UnknownName
from kernelopt._plugins._registry import Kind, PluginInfo, registry, resolve
from kernelopt.cli import _specs
from kernelopt.testing import Verdict, judge, laws_of, verdicts

_KINDS: tuple[Kind, ...] = ("family", "criterion", "solver")


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
    every = {one.lower(): one for one in (*(one.name for one in known.plugins), *(one for _, one in known.classes))}
    close = [every[one] for one in difflib.get_close_matches(name.lower(), every, n=3, cutoff=0.6)]
    nearest = f"the nearest names are {', '.join(close)}" if close else "kernelopt plugins lists what is"
    raise UnknownName(f"--check: {name!r} is not installed; {nearest}; name a class of a module as module:class")


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


def judged(all_: Sequence[Subject], told: Callable[[str, int], None]) -> tuple[Judgement, ...]:
    """All laws of all subjects.

    Args:
        all_: what is judged.
        told: is called with a subject that is begun and 0, and with every law that is done and 1.
    """
    found = []
    for subject in all_:
        told(subject.title, 0)
        passed = []
        for verdict in () if subject.suite is None else verdicts(subject.suite):
            told(verdict.title, 1)
            passed.append(verdict)
        found.append(Judgement(subject, tuple(passed)))
    return tuple(found)


def laws_to_judge(all_: Sequence[Subject]) -> int:
    """How many laws all these have together."""
    return sum(len(laws_of(type(one.suite))) for one in all_ if one.suite is not None)
