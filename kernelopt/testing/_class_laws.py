"""Laws of the class of any plugin: it checks its options, prints nothing, and stays as it is when its methods run."""

import copy
import io
import pickle
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stderr, redirect_stdout, suppress
from functools import partial
from typing import Any, TypeAlias

import attrs
import numpy as np

from kernelopt.plugin import KerneloptError
from kernelopt.testing._interrupts import Modules, Place, ending, places_of
from kernelopt.testing._laws import LawBroken, demand, untouched
from kernelopt.testing._shared import shared_untouched
from kernelopt.testing._skip import skip

Calls: TypeAlias = Generator[tuple[str, Callable[[], Any]], Any, None]
"""Calls of methods one after the other, each with the name of the method; what a call returns is sent back."""


class ClassLaws:
    """Laws of a family, a criterion or a solver as a class, whatever it computes."""

    def _plugin(self) -> Any:
        """The object to judge."""
        raise NotImplementedError

    def _calls(self, subject: Any) -> Calls:
        """The calls of the methods of the object that every run calls, with two different sets of data."""
        raise NotImplementedError

    def _with_advice(self) -> AbstractContextManager[None]:
        """A block in which an error that the author can do something about says what; by default there is none."""
        return nullcontext()

    def _use(self, subject: Any) -> None:
        """Make all of these calls."""
        with self._with_advice():
            _made(self._calls(subject), lambda _, act: act())

    def test_options_are_checked(self) -> None:
        """An option that is a number, or several, refuses NaN with an error of kernelopt, such as InvalidOption."""
        subject = self._plugin()
        found = list(_without_a_number(subject))
        if not found:
            skip(f"{type(subject).__name__} has no option that is a number")
        for name, value in found:
            wanted = (
                f"the option {name} of {type(subject).__name__} must refuse {value!r} with an InvalidOption; give the "
                "field a validator of kernelopt.plugin, such as validator=positive"
            )
            try:
                attrs.evolve(subject, **{name: value})
            except KerneloptError:
                continue
            except Exception as error:
                raise LawBroken("options", f"{wanted}; got {type(error).__name__}: {error}") from error
            raise LawBroken("options", f"{wanted}; it was taken")

    def test_copies_have_the_same_options(self) -> None:
        """An object that is pickled, copied by `copy.deepcopy` or made again by `attrs.evolve` has the same options."""
        subject = self._plugin()
        kind: type = type(subject)
        copies = {"copied": copy.deepcopy(subject)}
        with suppress(Exception):  # a class within a function cannot be pickled; that a family can is a law of its own
            copies["pickled"] = pickle.loads(pickle.dumps(subject))
        if attrs.has(kind):
            copies["made again by attrs.evolve"] = attrs.evolve(subject)
        wanted = _options(subject)
        for how, other in copies.items():
            found = _options(other)
            changed = next((name for name in wanted if not _equal(found.get(name), wanted[name])), None)
            detail = (
                f"{kind.__name__} that is {how} must have the options that it had, and {changed} is another; let a "
                "converter leave what it has converted as it is, and restore every field"
            )
            demand(type(other) is kind and changed is None, "copies", detail)

    def test_nothing_is_printed(self) -> None:
        """The methods that every run calls print nothing."""
        with nothing_printed():
            self._use(self._plugin())

    def test_calls_leave_the_class_as_it_is(self) -> None:
        """The methods that every run calls set no attribute of the class, which all runs of a program share."""
        probe = _in_a_class_of_its_own(self._plugin())
        with class_untouched(probe, "the methods"):
            self._use(probe)

    def test_calls_leave_the_options_as_they_are(self) -> None:
        """The methods that every run calls change no option of the object, which is frozen, and no array they get."""
        subject = self._plugin()
        before = _options(subject)
        with self._with_advice():
            _made(self._calls(subject), _unchanging)
        after = _options(subject)
        changed = sorted(name for name in before if after[name] is not before[name])
        detail = (
            f"the methods set {', '.join(changed)} of {type(subject).__name__}, which is an option of the user; a "
            "state of a solver or a prepared family may hold what changes"
        )
        demand(not changed, "options-changed", detail)

    def test_calls_leave_the_program_as_it_is(self) -> None:
        """The methods that every run calls change nothing that all of a program shares, such as the warnings shown."""
        subject = self._plugin()
        with shared_untouched("shared"):
            self._use(subject)

    def test_ctrl_c_ends_every_method(self) -> None:
        """A KeyboardInterrupt at any line of a method that every run calls leaves the method."""
        subject = self._plugin()
        modules, known = Modules.of(subject), set[Place]()

        def interrupted(name: str, act: Callable[[], Any]) -> Any:
            result, places = places_of(act, modules)
            for place in [one for one in places if one not in known]:
                known.add(place)
                how = ending(act, modules, place)
                detail = (
                    f"{name} {how} when Ctrl-C was pressed at line {place[1]}, in {place[0].co_name}, so that nobody "
                    "can end the run; catch Exception, or a narrower class, and not BaseException"
                )
                demand(not how, "interrupt", detail)
            return result

        with self._with_advice():
            _made(self._calls(subject), interrupted)


@contextmanager
def nothing_printed() -> Iterator[None]:
    """Raise `LawBroken` where the block prints something."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        yield
    said = printed.getvalue().strip()
    detail = f"a plugin must not print, got {said[:60]!r}; a sentence for the user is what `remark` returns"
    demand(not said, "prints", detail)


@contextmanager
def class_untouched(subject: Any, methods: str) -> Iterator[None]:
    """Raise `LawBroken` where the block sets an attribute of the class of an object."""
    before = _attributes(subject)
    yield
    after = _attributes(subject)
    changed = sorted(f"{key[0].__name__}.{key[1]}" for key in after if after[key] is not before.get(key))
    detail = (
        f"{methods} set {', '.join(changed)}: an attribute of the class, which all runs of a program share; "
        "store the value in the object that is returned, or compute it again"
    )
    demand(not changed, "class-changed", detail)


def _made(calls: Calls, how: Callable[[str, Callable[[], Any]], Any]) -> None:
    """Make these calls one after the other, each as `how` says."""
    try:
        name, act = next(calls)
        while True:
            name, act = calls.send(how(name, act))
    except StopIteration:
        return


def _unchanging(name: str, act: Callable[[], Any]) -> Any:
    """Make a call, and raise `LawBroken` where it changes an array that it is given."""
    given = (act.args, act.keywords) if isinstance(act, partial) else ()
    with untouched("arguments", name, **{"an array that it was given": given}):
        return act()


def _options(subject: Any) -> dict[str, Any]:
    """The public options of an object."""
    kind: type = type(subject)
    fields = attrs.fields(kind) if attrs.has(kind) else ()
    return {one.name: getattr(subject, one.name) for one in fields if one.init and not one.name.startswith("_")}


def _without_a_number(subject: Any) -> Iterator[tuple[str, Any]]:
    """The public options whose value is a number or several numbers, each with NaN in place of a number."""
    kind: type = type(subject)
    for field in attrs.fields(kind) if attrs.has(kind) else ():
        if not field.init or field.name.startswith("_"):
            continue
        value = getattr(subject, field.name)
        if is_number(value):
            yield field.name, np.nan
        elif numbers(value):
            yield field.name, type(value)((np.nan, *value[1:]))


def _equal(first: Any, second: Any) -> bool:
    """Whether the values of an option are equal, or are pickled alike, as arrays are that are equal."""
    return first is second or pickle.dumps(first) == pickle.dumps(second)


def is_number(value: Any) -> bool:
    """Whether the value of an option is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def numbers(value: Any) -> bool:
    """Whether the value of an option is several numbers."""
    return isinstance(value, tuple | list) and bool(value) and all(map(is_number, value))


def _in_a_class_of_its_own(subject: Any) -> Any:
    """The same object of a new subclass, on which no earlier call has set anything; else the object itself."""
    kind: type = type(subject)
    if not attrs.has(kind):
        return subject
    fields = {field.alias: getattr(subject, field.name) for field in attrs.fields(kind) if field.init}
    return type(kind.__name__, (kind,), {"__module__": kind.__module__})(**fields)


def _attributes(subject: Any) -> dict[tuple[type, str], Any]:
    """The attributes of the class of an object, and of the classes that it derives from, but those of Python itself."""
    own = [(kind, name, value) for kind in type(subject).__mro__ for name, value in tuple(vars(kind).items())]
    return {(kind, name): value for kind, name, value in own if not name.startswith("_abc_") and name[:2] != "__"}
