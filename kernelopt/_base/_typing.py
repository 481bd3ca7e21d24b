"""The array types that appear in every signature."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
"""Numbers, in double precision; the docstring of an argument says of which shape."""
BoolArray: TypeAlias = npt.NDArray[np.bool_]
"""Truth values, such as those that choose rows."""
IntArray: TypeAlias = npt.NDArray[np.int64]
"""Whole numbers, such as places of rows and of columns."""
Data: TypeAlias = Any
"""What a family's `bind` returns: opaque to everybody but that family."""
