"""What a prepared hyperkernel family holds: the widths, the pivots, and their hyper-Gram."""

from collections.abc import Mapping

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray, InvalidData, require
from kernelopt_hyperkernel._hyperkernels import PairKernel
from kernelopt_hyperkernel._incomplete_cholesky import pivots
from kernelopt_hyperkernel._pairs import base_values, count


@attrs.frozen(eq=False)
class Frame:
    """The small constants of a prepared family.

    Attributes:
        kernel: between pairs, its widths fixed.
        atoms: the pivots, shape (p, 2 d): a pair's two points, the one that sorts first in front.
        gram: the hyper-Gram of the pivots, shape (p, p).
        number: which pivot an atom is, by its bytes.
        alike: which pivot is the same kernel, by the bytes of the base kernels' values.
        left: the share of the trace of the hyper-Gram of all pairs that the pivots leave, where they ended by their
            number; 0 where they ended by the tolerance, and in files of earlier versions.
        rows: the sum of the weights of the training rows; 0 in files of earlier versions, whose price is a number.
    """

    kernel: PairKernel
    atoms: FloatArray
    gram: FloatArray = attrs.field(init=False)
    number: Mapping[bytes, int] = attrs.field(init=False)
    alike: Mapping[bytes, int] = attrs.field(init=False)
    left: float = 0.0
    rows: float = 0.0

    @gram.default
    def _hyper_gram(self) -> FloatArray:
        mine = self.base_of(self.atoms)
        gram = self.kernel.between(mine, mine)
        return 0.5 * (gram + gram.T)

    @number.default
    def _places_of_atoms(self) -> Mapping[bytes, int]:
        return _places(self.atoms)

    @alike.default
    def _places_of_values(self) -> Mapping[bytes, int]:
        return _places(self.base_of(self.atoms).T)

    @classmethod
    def fit(cls, kernel: PairKernel, X: FloatArray, weight: FloatArray, most: int | None, tolerance: float) -> "Frame":
        """From training rows X (n, d) of weights (n,) > 0.

        Equal rows are one, and rows are sorted, so nothing depends on their order.

        Args:
            kernel: between pairs.
            X: shape (n, d).
            weight: shape (n,).
            most: how many pivots at most; None: every pair, without any factorisation.
            tolerance: of the factorisation.
        """
        rows = np.unique(X + 0.0, axis=0)
        N = count(len(rows))
        require(8 * N * (N if most is None else min(most, N) + 4), f"the pivots among {N} pairs of {len(rows)} rows")
        with np.errstate(over="ignore"):
            values = base_values(kernel, rows)
            squares = kernel.own(values)
        if not np.isfinite(squares).all():
            raise InvalidData("Hyperkernel: a kernel of these rows is infinite; rescale the columns of X")
        chosen, left = (_distinct(values), 0.0) if most is None else pivots(kernel, values, squares, most, tolerance)
        first, second = (index[chosen] for index in np.triu_indices(len(rows)))
        return cls(kernel, np.hstack([rows[first], rows[second]]), left, float(weight.sum()))

    def base_of(self, atoms: FloatArray) -> FloatArray:
        """The base kernels' values at the pairs that atoms (m, 2 d) are, shape (r, m)."""
        return self.kernel.base(*_points(atoms))

    def numbers_of(self, atoms: FloatArray) -> IntArray:
        """Which pivot each atom (m, 2 d) is, or has the kernel of, as a pair and its reverse have; else -1."""
        numbers = np.array([self.number.get(atom.tobytes(), -1) for atom in atoms], dtype=np.intp)
        rest = np.flatnonzero(numbers < 0)
        if rest.size:
            numbers[rest] = [self.alike.get(values.tobytes(), -1) for values in self.base_of(atoms[rest]).T]
        return numbers


def _points(atoms: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both points of each atom (m, 2 d), each (m, d)."""
    d = atoms.shape[1] // 2
    return atoms[:, :d], atoms[:, d:]


def _places(rows: FloatArray) -> dict[bytes, int]:
    """The first place of each row, by its bytes."""
    return {row.tobytes(): a for a, row in reversed(list(enumerate(rows)))}


def _distinct(values: FloatArray) -> IntArray:
    """The first of all pairs with the same base values, shape (p,): the others are the same kernel."""
    return np.sort(np.unique(values, axis=1, return_index=True)[1])
