"""A learned machine in either form: the solution of a run, or a model from a file."""

from typing import Any

from kernelopt._base._errors import InvalidOption
from kernelopt._model._model import Model
from kernelopt._model._solution import Solution

Machine = Solution | Model


def require_machine(machine: Any, what: str) -> None:
    """Refuse what is no learned machine.

    Args:
        machine: what a user passed.
        what: what was called, for the message.

    Raises:
        InvalidOption: it is neither a solution nor a model.
    """
    if not isinstance(machine, Machine):
        raise InvalidOption(
            f"{what}: got {type(machine).__name__}, wanted a solution or a model; a fitted estimator has its solution "
            "in solution_"
        )
