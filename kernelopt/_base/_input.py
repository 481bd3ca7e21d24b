"""What a user passes as rows and targets becomes clean arrays, or one clear error."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray


def names_of_table(X: Any) -> tuple[str, ...]:
    """The names of the columns of a table of pandas or polars, where all of them are words; else none."""
    columns = getattr(X, "columns", None)
    listed = list(columns) if isinstance(columns, Iterable) else []
    return tuple(map(str, listed)) if all(isinstance(name, str) for name in listed) else ()


def check_matrix(X: Any, name: str = "X", width: int | None = None) -> FloatArray:
    """X as a finite float array of two dimensions (with `width` columns, if given)."""
    if hasattr(X, "tocsr") or (hasattr(X, "sparse") and hasattr(X, "todense")):
        raise InvalidData(f"{name} is sparse ({type(X).__name__}), wanted a dense array; pass {name}.toarray()")
    array = np.asarray(X)
    if array.dtype.kind not in "biuf":
        array = _to_float(array, name)
    if array.ndim != 2:
        advice = f"; reshape one column with {name}.reshape(-1, 1)" if array.ndim == 1 else ""
        raise InvalidData(f"{name} has shape {array.shape}, wanted two dimensions (rows, columns){advice}")
    if 0 in array.shape:
        raise InvalidData(f"{name} has shape {array.shape}: it is empty")
    if width is not None and array.shape[1] != width:
        raise InvalidData(f"{name} has {array.shape[1]} columns, wanted {width} as in training")
    array = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(array).all():
        bad = np.argwhere(~np.isfinite(array))
        row, column = bad[0]
        raise InvalidData(
            f"{name} has {len(bad)} values that are NaN or infinite, the first in row {row}, column {column}; "
            "impute or drop them"
        )
    return array


def _to_float(array: npt.NDArray[Any], name: str) -> FloatArray:
    if array.dtype.kind == "c":
        raise InvalidData(f"{name} is complex, wanted real numbers")
    if array.dtype.kind == "O":
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError):
            pass
    example = next((item for item in array.ravel().tolist() if not isinstance(item, int | float)), None)
    raise InvalidData(
        f"{name} has values that are not numbers, such as {example!r} (dtype {array.dtype}); "
        "encode text columns first, for example with sklearn.preprocessing.OneHotEncoder"
    )


def check_target(y: Any) -> npt.NDArray[Any]:
    """The targets as one array of numbers, booleans or strings, shape (n,) or (n, c), with nothing missing."""
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim not in (1, 2):
        raise InvalidData(f"y has shape {labels.shape}, wanted one target per row, shape (n,)")
    if labels.dtype.kind == "O":
        if any(item is None or item != item for item in labels.flat):
            raise InvalidData("y has missing values (None or NaN); drop those rows")
        labels = np.array(labels.tolist())
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InvalidData(f"y has {int((~np.isfinite(labels)).sum())} values that are NaN or infinite; drop those rows")
    if labels.dtype.kind not in "biufUS":
        raise InvalidData(f"y has dtype {labels.dtype}, wanted numbers, booleans or strings")
    return labels
