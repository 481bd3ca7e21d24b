"""Parameters that are specs: options within them are parameters too, such as `criterion__C`."""

from collections.abc import Mapping
from typing import Any, Self

import attrs
from sklearn.base import BaseEstimator

from kernelopt._base._errors import InvalidOption, KerneloptError
from kernelopt._plugins._registry import WORDS, Kind, as_mapping, resolve

SPECS: tuple[Kind, ...] = ("family", "criterion", "solver")


class SpecParameters(BaseEstimator):  # type: ignore[misc]
    """An estimator whose `family`, `criterion` and `solver` are names, mappings or objects with options.

    `set_params(criterion__C=10)` works with each of them: the name "svc", the mapping {"name": "svc"} and the object
    SVC(), which stays as it is while another takes its place.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, and with `deep` the options of those that are specs.

        A spec that is left open has no options until one is set, so that to set all parameters as they are changes
        nothing.

        Args:
            deep: whether to list options such as `criterion__C`.
        """
        params: dict[str, Any] = super().get_params(deep=False)
        if not deep:
            return params
        options = {
            f"{kind}__{name}": value
            for kind in SPECS
            if params.get(kind) is not None
            for name, value in _options(kind, params[kind]).items()
        }
        return {**params, **options}

    def set_params(self, **params: Any) -> Self:
        """Set parameters, and options of specs, whole specs first.

        A spec whose options all have these values stays as it is written.
        A value that is out of its range is refused by `fit`, as scikit-learn's searches expect it.

        Raises:
            InvalidOption: an option is unknown, or the spec is none of one thing.
            ValueError: a parameter is unknown.
        """
        options: dict[Kind, dict[str, Any]] = {}
        whole = {}
        for name, value in params.items():
            parameter, _, option = name.partition("__")
            kind = next((kind for kind in SPECS if kind == parameter), None)
            if option and kind is not None:
                options.setdefault(kind, {})[option] = value
            else:
                whole[name] = value
        super().set_params(**whole)
        for kind, given in options.items():
            spec = getattr(self, kind)
            if spec is None or not _has(_options(kind, spec), given):
                setattr(self, kind, with_options(kind, self._spec(kind, spec), given))
        return self

    def _spec(self, kind: Kind, spec: Any) -> Any:  # noqa: ARG002
        """What a spec means that was left open; a subclass says which default has options."""
        return spec


def with_options(kind: Kind, spec: Any, options: Mapping[str, Any]) -> Any:
    """The spec of the same thing with other options: a mapping, or an object where it was one.

    With a value that is out of its range it is a mapping in any case, for there is no such object.

    Raises:
        InvalidOption: an option is unknown, or the spec stands for no one thing.
    """
    if isinstance(spec, str):
        spec = as_mapping(kind, spec)
    if not isinstance(spec, Mapping) and not attrs.has(type(spec)):
        raise InvalidOption(f"{kind}: got {spec!r}, which has no options {', '.join(options)}; set {kind} as a whole")
    known = _known(kind, spec)
    for option in options:
        if option not in known:
            what = spec.get("name", kind) if isinstance(spec, Mapping) else type(spec).__name__
            others = f"but {', '.join(known)}" if known else "and no other; leave it out"
            raise InvalidOption(f"{kind}: {what} has no option {option!r}, {others}")
    if isinstance(spec, Mapping):
        return {**spec, **options}
    try:
        return attrs.evolve(spec, **options)
    except InvalidOption:
        name = getattr(type(spec), "name", None)
        if type(resolve(kind, name)) is not type(spec):
            raise
        return {"name": name, **known, **options}


def _known(kind: Kind, spec: Any) -> dict[str, Any]:
    """The options that may be set; those of a mapping also where one of them is out of its range."""
    known = _options(kind, spec)
    if known or not isinstance(spec, Mapping):
        return known
    return _options(kind, {"name": spec.get("name")})


def _has(options: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Whether all given options have their values already."""
    return all(name in options and _same(options[name], value) for name, value in given.items())


def _same(one: Any, other: Any) -> bool:
    """Whether two values are one, or equal and of one type."""
    if one is other:
        return True
    try:
        return type(one) is type(other) and bool(one == other)
    except ValueError:  # arrays, which are compared one number at a time
        return False


def _options(kind: Kind, spec: Any) -> dict[str, Any]:
    """The options of what a spec stands for, by name; none where it is wrong or stands for several things.

    The options of a mapping such as {"name": "each", "family": "tk"} are those that it holds.
    """
    if isinstance(spec, Mapping) and spec.get("name") in WORDS.get(kind, ()):
        return {str(option): value for option, value in spec.items() if option != "name"}
    try:
        found = spec if attrs.has(type(spec)) else resolve(kind, spec)
    except KerneloptError:
        return {}
    named = ((field.alias or field.name, field.name) for field in attrs.fields(type(found)) if field.init)
    return {option: getattr(found, name) for option, name in named if not option.startswith("_")}
