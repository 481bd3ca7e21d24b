"""The constant kernel: its learned weight is the prior variance of a level that all rows share."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._plain_numbers import plain
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._mixture import Part
from kernelopt._families.variances._variance import Variance


@attrs.frozen
class Constant(ExplicitFamily, Variance):
    """The kernel k(x, z) = 1: a bias whose size is learned, for criteria that have no bias, such as `Ridge`."""

    name: ClassVar[str] = "constant"

    def seeing(self, columns: IntArray, width: int) -> KernelFamily:  # noqa: ARG002
        return self

    def turned(self, width: int) -> KernelFamily:  # noqa: ARG002
        return self

    @property
    def reads_codes(self) -> bool:
        return True  # it looks at no number

    def dictionary(self) -> Part:
        return Part(np.zeros((1, 0)), np.ones(1))

    def columns(self, atoms: FloatArray, X: FloatArray) -> tuple[FloatArray, IntArray]:
        return np.ones((len(X), len(atoms))), np.arange(len(atoms), dtype=np.intp)

    def columns_of(self, data: FloatArray, V: FloatArray) -> FloatArray:  # noqa: ARG002
        return np.broadcast_to(V.sum(axis=0), (1, *V.shape))

    def describe(self, part: Part) -> str:
        return f"level of variance {plain(part.mass, 3)}"
