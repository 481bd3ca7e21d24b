"""Warnings that name the line of the user's which called this library, however deep inside it they arise."""

import inspect
import warnings

_BETWEEN = ("kernelopt", "sklearn", "joblib")
"""The packages whose lines tell a user nothing: a pipeline of scikit-learn may stand between."""


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the nearest line outside of the library.

    Python shows a warning once for each line: at a line of the library, it would be shown for the first call alone.
    """
    frame, level = inspect.currentframe(), 1
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
