"""What pyarrow holds: tables, and columns as arrays."""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._doubles import rounded


def is_arrow(X: Any) -> bool:
    """Whether this is a table of pyarrow, or a batch of its rows; without pyarrow there are none."""
    module = sys.modules.get("pyarrow")
    return module is not None and isinstance(X, module.Table | module.RecordBatch)


def is_dictionary(column: Any) -> bool:
    """Whether a column of pyarrow was declared to hold categories."""
    from pyarrow import types

    return bool(types.is_dictionary(column.type))


def plain(column: Any) -> npt.NDArray[Any]:
    """A column of pyarrow as an array (n,); a missing cell is NaN among numbers, else None. Whole numbers beside
    missing ones that double precision would round are objects.
    """
    from pyarrow import types

    decoded = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    decoded = decoded.dictionary_decode() if types.is_dictionary(decoded.type) else decoded
    if types.is_decimal(decoded.type) or (types.is_boolean(decoded.type) and decoded.null_count):
        decoded = decoded.cast("float64")
    if types.is_time64(decoded.type):  # times of Python have microseconds
        decoded = decoded.cast("time64[us]", safe=False)
    values = np.asarray(decoded.to_numpy(zero_copy_only=False))
    whole = types.is_integer(decoded.type) and rounded(values)
    return np.array(decoded.to_pylist(), dtype=object) if whole else values
