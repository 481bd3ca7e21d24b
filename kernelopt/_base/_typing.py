"""The two array types that appear in every signature."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntArray: TypeAlias = npt.NDArray[np.int64]
Data: TypeAlias = Any
"""What a family's `bind` returns: opaque to everybody but that family."""
