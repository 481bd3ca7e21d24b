"""Ctrl-C at every line of a plugin where it could be caught, and how many lines a plugin runs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, TypeAlias

import attrs

Place: TypeAlias = tuple[CodeType, int]
"""A line of a function."""

_LIBRARY = "kernelopt"


@attrs.frozen
class Modules:
    """The modules of a plugin: those of its classes, and all others of their packages.

    Attributes:
        names: of modules.
        packages: of packages, or of modules that belong to none.
    """

    names: frozenset[str]
    packages: frozenset[str]

    @classmethod
    def of(cls, subject: Any) -> "Modules":
        """Those of an object of the plugin; of what kernelopt itself offers, the module of its class."""
        kinds = [kind.__module__ for kind in type(subject).__mro__ if kind is not object]
        packages = {name.partition(".")[0] for name in kinds} - {_LIBRARY, "abc", "typing", "builtins"}
        return cls(frozenset({type(subject).__module__}), frozenset(packages))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.names or name.partition(".")[0] in self.packages)


def places_of(act: Callable[[], Any], modules: Modules) -> tuple[Any, list[Place]]:
    """What a call returns, and the lines that it reaches in functions of these modules that can catch an exception.

    A caller that can catch what is raised in a function that it calls is itself such a function, and the line of the
    call is among its lines.
    """
    found: dict[Place, None] = {}

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            found.setdefault((frame.f_code, frame.f_lineno))
        return line

    with _traced(modules, line):
        result = act()
    return result, list(found)


def lines_of(act: Callable[[], Any], modules: Modules) -> tuple[Any, int]:
    """What a call returns, and how many lines of functions of these modules it runs, each as often as it runs."""
    count = 0

    def line(frame: FrameType, event: str, _: Any) -> Any:  # noqa: ARG001
        nonlocal count
        count += event == "line"
        return line

    with _traced(modules, line, every=True):
        result = act()
    return result, count


def ending(act: Callable[[], Any], modules: Modules, place: Place) -> str:
    """How a call ends in which Ctrl-C is pressed at a line, where it gets there and does not end by it; else ""."""
    pressed: list[Place] = []

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line" and not pressed and (frame.f_code, frame.f_lineno) == place:
            pressed.append(place)
            raise KeyboardInterrupt
        return line

    try:
        with _traced(modules, line):
            act()
    except KeyboardInterrupt:
        return ""
    except Exception as error:
        if not pressed:
            raise
        return f"ended with {type(error).__name__}"
    return "went on" if pressed else ""


@contextmanager
def _traced(modules: Modules, line: Callable[[FrameType, str, Any], Any], *, every: bool = False) -> Iterator[None]:
    """Follow the lines of the functions of these modules: `every` one, or those with a table of handlers alone."""

    def call(frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG001
        code = frame.f_code
        followed = (every or bool(getattr(code, "co_exceptiontable", b"?"))) and code.co_name != "__del__"
        return line if followed and frame.f_globals.get("__name__") in modules else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        yield
    finally:
        sys.settrace(before)
