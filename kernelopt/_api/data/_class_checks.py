"""Whether targets are classes."""

from typing import Any

import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._options import plain
from kernelopt._base._shown import shown

_MANY = 20
"""More different numbers that are not whole are no classes."""


def check_classes(classes: npt.NDArray[Any], name: str) -> None:
    """Refuse the distinct targets (k,), ascending, of a criterion of this name if they are no classes.

    Raises:
        InvalidData: there is one, or they are many numbers that are not whole.
    """
    if len(classes) == 1:
        raise _one_class(classes[0])
    if len(classes) <= _MANY or classes.dtype.kind != "f":
        return
    strange = classes[classes % 1.0 != 0.0]
    if len(strange):
        raise InvalidData(
            f"y holds {len(classes)} different numbers, such as {shown(strange[0])}, each of which would be a class of "
            f"{name}; to learn numbers, take KernelRegressor, or the criterion evidence with targets=numbers; or make "
            "a few classes of them, such as with pandas.cut(y, 3, labels=False)"
        )


def _one_class(label: Any) -> InvalidData:
    """That all rows have the same class."""
    number = not isinstance(plain(label), str | bytes | bool)
    advice = "; to learn numbers, take KernelRegressor, or the criterion evidence with targets=numbers"
    return InvalidData(
        f"y has one class ({shown(label)}) on the rows with weight, wanted two or more{advice if number else ''}"
    )
