"""Laws of the class of any plugin: it checks its options, prints nothing, and stays as it is when its methods run."""

import io
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any

import attrs
import numpy as np

from kernelopt.plugin import KerneloptError
from kernelopt.testing._laws import LawBroken, demand
from kernelopt.testing._skip import skip


class ClassLaws:
    """Laws of a family, a criterion or a solver as a class, whatever it computes."""

    def _plugin(self) -> Any:
        """The object to judge."""
        raise NotImplementedError

    def _use(self, subject: Any) -> None:
        """Call the methods of the object that every run calls, with two different sets of data."""
        raise NotImplementedError

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

    def test_nothing_is_printed(self) -> None:
        """The methods that every run calls print nothing."""
        printed = io.StringIO()
        with redirect_stdout(printed):
            self._use(self._plugin())
        said = printed.getvalue().strip()
        detail = f"a plugin must not print, got {said[:60]!r}; a sentence for the user is what `remark` returns"
        demand(not said, "prints", detail)

    def test_calls_leave_the_class_as_it_is(self) -> None:
        """The methods that every run calls set no attribute of the class, which all runs of a program share."""
        probe = _in_a_class_of_its_own(self._plugin())
        before = _attributes(probe)
        self._use(probe)
        after = _attributes(probe)
        changed = sorted(f"{key[0].__name__}.{key[1]}" for key in after if after[key] is not before.get(key))
        detail = (
            f"the methods set {', '.join(changed)}: an attribute of the class, which all runs of a program share; "
            "store the value in the object that is returned, or compute it again"
        )
        demand(not changed, "class-changed", detail)


def _without_a_number(subject: Any) -> Iterator[tuple[str, Any]]:
    """The public options whose value is a number or a tuple of numbers, each with NaN in place of a number."""
    kind: type = type(subject)
    for field in attrs.fields(kind) if attrs.has(kind) else ():
        if not field.init or field.name.startswith("_"):
            continue
        value = getattr(subject, field.name)
        if _is_number(value):
            yield field.name, np.nan
        elif isinstance(value, tuple) and value and all(map(_is_number, value)):
            yield field.name, (np.nan, *value[1:])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _in_a_class_of_its_own(subject: Any) -> Any:
    """The same object of a new subclass, on which no earlier call has set anything; else the object itself."""
    kind: type = type(subject)
    if not attrs.has(kind):
        return subject
    fields = {field.alias: getattr(subject, field.name) for field in attrs.fields(kind) if field.init}
    return type(kind.__name__, (kind,), {"__module__": kind.__module__})(**fields)


def _attributes(subject: Any) -> dict[tuple[type, str], Any]:
    """The attributes of the class of an object, and of the classes that it derives from."""
    return {(kind, name): value for kind in type(subject).__mro__ for name, value in tuple(vars(kind).items())}
