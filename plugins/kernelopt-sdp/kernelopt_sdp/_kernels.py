"""Each leaf's parameters as variables of the program: a matrix P >= 0, or weights w >= 0."""

from typing import Any

import attrs
import numpy as np
import scipy.linalg

from kernelopt.plugin import Data, FiniteFamily, FloatArray, Leaf, MatrixFamily, Norm, Part, Price, Square


@attrs.frozen(eq=False)
class Parameters:
    """One leaf's share of the program.

    Attributes:
        variable: of cvxpy, P (q, q) or w (m,).
        maps: the Grams, one column for each entry of the variable, shape (n n, q q) or (n n, m).
    """

    variable: Any
    maps: FloatArray

    @classmethod
    def of(cls, cvxpy: Any, leaf: Leaf, data: Data) -> "Parameters":
        """The parameters of a matrix family or of a list."""
        if isinstance(leaf.family, MatrixFamily):
            q = leaf.family.order
            units = (np.reshape(unit, (q, q)) for unit in np.eye(q * q))
            grams = [leaf.family.gram_of(0.5 * (unit + unit.T), data).dense().ravel() for unit in units]
            return cls(cvxpy.Variable((q, q), PSD=True), leaf.factor * np.column_stack(grams))
        assert isinstance(leaf.family, FiniteFamily)
        atoms, one = leaf.family.dictionary().atoms, np.ones(1)
        grams = [leaf.family.gram(Part(atom[None], one), data).dense().ravel() for atom in atoms]
        return cls(cvxpy.Variable(len(atoms), nonneg=True), leaf.factor * np.column_stack(grams))

    def gram(self, cvxpy: Any) -> Any:
        """K, an expression of shape (n, n)."""
        n = round(np.sqrt(len(self.maps)))
        return cvxpy.reshape(self.maps @ cvxpy.vec(self.variable, order="C"), (n, n), order="C")

    def mass(self, cvxpy: Any) -> Any:
        """The trace, or the sum of the weights."""
        return cvxpy.trace(self.variable) if self.variable.ndim == 2 else cvxpy.sum(self.variable)

    def price(self, cvxpy: Any, leaf: Leaf) -> Any:
        """R, an expression."""
        match leaf.penalty:
            case Price(c=c):
                return cvxpy.sum(cvxpy.multiply(c, self.variable))
            case Norm(H=H, rho=rho):
                return rho * cvxpy.norm(_root(H) @ self.variable)
            case Square(H=H, rho=rho):
                return rho * cvxpy.sum_squares(_root(H) @ self.variable)
        return 0.0

    def part(self, leaf: Leaf) -> Part:
        """What the answer stands for, in the family's own atoms; it may be empty."""
        found = self.variable.value
        if isinstance(leaf.family, MatrixFamily):
            return leaf.family.part(0.5 * (found + found.T))
        assert isinstance(leaf.family, FiniteFamily)
        return Part(leaf.family.dictionary().atoms, np.maximum(found, 0.0)).kept()


def _root(H: FloatArray) -> FloatArray:
    """L with L'L = H."""
    values, vectors = scipy.linalg.eigh(H)
    root: FloatArray = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    return root
