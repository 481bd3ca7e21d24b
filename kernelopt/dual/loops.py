"""The compiled pieces of the engine, for other methods that move dual variables. Importing this imports numba."""

from kernelopt._base._jit import compiled, inner
from kernelopt._linalg._compiled_rows import add_rows, square, write_block
from kernelopt.dual._smo import ROUNDING, TINY, argmax, steepest, violation

__all__ = [
    "ROUNDING",
    "TINY",
    "add_rows",
    "argmax",
    "compiled",
    "inner",
    "square",
    "steepest",
    "violation",
    "write_block",
]
