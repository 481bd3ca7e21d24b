"""The kernels of scikit-learn, by their names and with options that they have."""

import difflib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.kernels._closed_form import check_values
from kernelopt._families.dictionary.kernels._cosines import cosines

_ADDED = "exponential"
"""A kernel of a closed form that scikit-learn lacks."""


def is_kernel(name: str) -> bool:
    """Whether a list takes a kernel of this name."""
    return name == _ADDED or name in PAIRWISE_KERNEL_FUNCTIONS


def named_kernel(name: str, options: Mapping[str, Any]) -> Callable[[FloatArray, FloatArray], Any]:
    """The function of a name of scikit-learn, with its options fixed.

    Raises:
        InvalidOption: there is none of that name, it has no such option, or an option is out of its range.
        InvalidData: when it is used: the kernel cannot take such rows.
    """
    if name not in PAIRWISE_KERNEL_FUNCTIONS:
        names = sorted(PAIRWISE_KERNEL_FUNCTIONS)
        meant = _nearest(name, [*names, _ADDED])
        raise InvalidOption(
            f"Dictionary: scikit-learn has no kernel {name!r}{meant}; it has {', '.join(names)}, and kernelopt adds "
            f"{_ADDED}, which is exp(-gamma |x - z|)"
        )
    function = PAIRWISE_KERNEL_FUNCTIONS[name]
    known = [one for one in inspect.signature(function).parameters if one not in ("X", "Y")]
    for option in options:
        if option not in known:
            meant, listed = _nearest(str(option), known), ", ".join(known) or "none"
            raise InvalidOption(
                f"Dictionary: the kernel {name} has no option {option!r}{meant}; its options are {listed}"
            )
    check_values(name, options)
    if name == "cosine" and not options:
        return cosines

    def called(X: FloatArray, Z: FloatArray) -> Any:
        try:
            return function(X, Z, **options)
        except ValueError as error:
            raise InvalidData(
                f"Dictionary: the kernel {name} cannot take these rows: {str(error).rstrip('.')}; bring the columns of "
                "X into its range, or take another kernel"
            ) from None

    return called


def _nearest(name: str, known: list[str]) -> str:
    """A question after the name that may have been meant, or nothing."""
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    return f" (did you mean {close[0]!r}?)" if close else ""
