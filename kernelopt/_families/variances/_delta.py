"""The identity on samples: its learned weight is a ridge."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._plain_numbers import plain
from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._mixture import Part
from kernelopt._families.variances._variance import Variance
from kernelopt._linalg._among import Among
from kernelopt._linalg._gram import Gram, LowRank


@attrs.frozen(eq=False)
class Counts:
    """How often rows count: in place of the rows themselves, of which the identity on samples sees nothing.

    s copies of a row with one target are one row whose noise has the variance tau / s, and s - 1 rows of noise alone.

    Attributes:
        weight: s, > 0, shape (n,), n in sum at least.
        further: so many rows more of noise alone, >= 0: directions in which many rows were summed up.
    """

    weight: FloatArray
    further: float = 0.0

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def copies(self) -> float:
        """How many rows are copies: sum s - n."""
        return max(float(self.weight.sum()) - len(self.weight), 0.0)

    @property
    def between(self) -> float:
        """How many rows of noise alone there are."""
        return self.copies + self.further

    @property
    def rows(self) -> float:
        """How many rows there are, each as often as it counts."""
        return float(self.weight.sum()) + self.further


@attrs.frozen
class Delta(ExplicitFamily, Variance):
    """The kernel k(x, z) = 1 if x and z are the same sample, and 0 otherwise; its learned weight is called tau.

    Two rows with equal values are still two samples, so that the kernel between a training row and a new row is always
    0. For this reason, `Delta` is the only family whose `cross` on the training rows differs from its `gram`.

    Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), section 4.6.
    """

    name: ClassVar[str] = "delta"

    def seeing(self, columns: IntArray, width: int) -> KernelFamily:  # noqa: ARG002
        return self

    def turned(self, width: int) -> KernelFamily:  # noqa: ARG002
        return self

    @property
    def reads_codes(self) -> bool:
        return True  # it looks at no number

    def dictionary(self) -> Part:
        return Part(np.zeros((1, 0)), np.ones(1))

    def columns(self, atoms: FloatArray, X: FloatArray) -> tuple[FloatArray, IntArray]:  # noqa: ARG002
        return np.zeros((len(X), 0)), np.zeros(0, dtype=np.intp)

    def ridge(self, part: Part) -> float:
        return part.mass

    def gram(self, part: Part, data: Data) -> Gram:
        if isinstance(data, Counts):
            return LowRank(np.zeros((len(data), 0)), part.mass / data.weight)
        return ExplicitFamily.gram(self, part, data)

    def columns_of(self, data: Data, V: FloatArray) -> FloatArray:
        return V[None] / data.weight[:, None] if isinstance(data, Counts) else V[None]

    def traces(self, data: Data, omega: Gram) -> FloatArray:
        if not isinstance(data, Counts):
            return FiniteFamily.traces(self, data, omega)
        among = data.between / omega.noise if isinstance(omega, Among) else 0.0
        return np.array([float(np.sum(omega.diag() / data.weight)) + among])

    def describe(self, part: Part) -> str:
        return f"tau = {plain(part.mass, 3)}"

    def label(self, atom: FloatArray) -> str:  # noqa: ARG002
        return "tau"
