"""The identity on samples: its learned weight is a ridge."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._contract import ExplicitFamily, KernelFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._mixture import Part


@attrs.frozen
class Delta(ExplicitFamily, FiniteFamily):
    """k(x, z) = 1 if x and z are the same sample, else 0; its weight is tau, learned like any other.

    Two rows with equal values are still two samples, so between training and new rows the kernel is 0: Delta is the
    one family whose `cross` on the training rows is not its `gram`.

    Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), section 4.6.
    """

    name: ClassVar[str] = "delta"

    def seeing(self, columns: IntArray, width: int) -> KernelFamily:  # noqa: ARG002
        return self

    def dictionary(self) -> Part:
        return Part(np.zeros((1, 0)), np.ones(1))

    def columns(self, atoms: FloatArray, X: FloatArray) -> tuple[FloatArray, IntArray]:  # noqa: ARG002
        return np.zeros((len(X), 0)), np.zeros(0, dtype=np.intp)

    def ridge(self, part: Part) -> float:
        return part.mass

    def columns_of(self, data: Data, V: FloatArray) -> FloatArray:  # noqa: ARG002
        return V[None]

    def describe(self, part: Part) -> str:
        return f"tau = {part.mass:.3g}"

    def label(self, atom: FloatArray) -> str:  # noqa: ARG002
        return "tau"
