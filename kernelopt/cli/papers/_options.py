"""The options of a method at one place of the axis: for given training rows values such as "100 n" become numbers."""

import re
from collections.abc import Mapping
from typing import Any

from kernelopt._base._errors import InvalidOption
from kernelopt.cli.papers._definition import AXES, Method
from kernelopt.cli.papers._made import made_family

_WITH_UNIT = re.compile(r"(?P<factor>[0-9.]+(?:e[-+]?\d+)?) (?P<divided>/ )?(?P<unit>n|sd)(?:\^(?P<power>\d))?")


def options_of(method: Method, values: Mapping[str, Any], units: Mapping[str, float], d: int) -> dict[str, Any]:
    """What `kernelopt.solve` takes to learn from rows of d columns.

    Args:
        method: what is learned.
        values: of options, by their paths such as family.beta; they come in the place of the method's own.
        units: what stands for "n", the number of training rows, and "sd", the standard deviation of their targets.
        d: the number of columns.

    Raises:
        InvalidOption: there is no place for a value.
    """
    specs = {"family": method.family, "criterion": method.criterion}
    for path, value in values.items():
        if path not in AXES:
            part, _, option = path.partition(".")
            specs[part] = _with_option(specs[part], option, value, path)
    options = {name: with_units(spec, units) for name, spec in specs.items()}
    options["family"] = made_family(options["family"], d)
    steps = values.get("max_steps", method.max_steps)
    return {**options, "solver": method.solver, "scale": method.scale, "tol": method.tol, "max_steps": steps}


def with_units(value: Any, units: Mapping[str, float]) -> Any:
    """The same with numbers in the place of texts such as "100 n", "2 n^2", "100 / n" and "0.1 sd"; None for "none"."""
    if isinstance(value, dict):
        return {key: with_units(one, units) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [with_units(one, units) for one in value]
    if value == "none":  # TOML has no word for it
        return None
    found = _WITH_UNIT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return value
    power = units[found["unit"]] ** int(found["power"] or 1)
    return float(found["factor"]) / power if found["divided"] else float(found["factor"]) * power


def _with_option(spec: Any, option: str, value: Any, path: str) -> Any:
    """The spec with this option; of a list of families, the first that has it, and "name.option" says which."""
    if isinstance(spec, str):
        return {"name": spec, option: value}
    if isinstance(spec, dict):
        return {**spec, option: value}
    member, _, inner = option.partition(".")
    names = [one if isinstance(one, str) else one.get("name") for one in spec]
    if member not in names:
        raise InvalidOption(f"{path}: the union has {', '.join(map(str, names))}; write family.name.option")
    place = names.index(member)
    return [*spec[:place], _with_option(spec[place], inner, value, path), *spec[place + 1 :]]
