"""The one way from an answer up to what shows, saves and converts it: each is imported when a user asks for it.

Nothing else in this room knows a file, a picture or an estimator.
"""

from pathlib import Path
from typing import Any

import numpy.typing as npt


def save(model: Any, path: Path) -> None:
    """Write a `Model`, or what was learned of many targets, into a file."""
    from kernelopt._io._model_file import save_model

    save_model(model, path)


def overview(solution: Any) -> npt.NDArray[Any]:
    """A picture of a `Solution`, with its axes."""
    from kernelopt.plot import overview as drawn

    return drawn(solution)


def machine(solution: Any) -> Any:
    """A `Solution` as one of scikit-learn's machines."""
    from kernelopt.sklearn._machines import machine_for

    return machine_for(solution)
