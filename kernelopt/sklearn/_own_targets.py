"""Whether an estimator of several targets learns weights of the kernels for each target of its own."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kernelopt._base._errors import InvalidOption

_FOR_A_SHARED_KERNEL: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "criterion": (None, "evidence"),
        "solver": ("auto",),
        "scale": ("auto",),
        "max_steps": (None,),
        "effort": ("normal", "quick"),
        "device": (None,),
        "warm_start": (False,),
    }
)
"""What is not for targets="own", with the values at which it says nothing."""


def wants_own(learner: Any) -> bool:
    """Whether the parameters of a `KernelRegressor` ask for weights of its own for each target.

    Raises:
        InvalidOption: `targets` is another word, or an option was set that is for a shared kernel.
    """
    if learner.targets == "shared":
        return False
    if not isinstance(learner.targets, str) or learner.targets != "own":
        raise InvalidOption(f'KernelRegressor: targets must be "shared" or "own", got {learner.targets!r}')
    for name, values in _FOR_A_SHARED_KERNEL.items():
        if not any(getattr(learner, name) is value or getattr(learner, name) == value for value in values):
            raise InvalidOption(
                f'KernelRegressor: got {name}={getattr(learner, name)!r} with targets="own", and it is for a kernel '
                "that all targets share; leave it out"
            )
    return True
