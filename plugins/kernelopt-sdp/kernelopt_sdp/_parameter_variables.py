"""Each leaf's parameters as variables of the program, and what they make of z'K^-1 z.

For K = K_1 + K_2 + ... the form 1/2 z'K^-1 z is the least sum of 1/2 z_k'K_k^-1 z_k over z = z_1 + z_2 + ..., so every
leaf has a share of its own; only a leaf without features needs a matrix inequality on the rows.
"""

from abc import ABC, abstractmethod
from typing import Any

import attrs
import numpy as np
import scipy.linalg

from kernelopt.plugin import (
    Data,
    ExplicitFamily,
    FiniteFamily,
    FloatArray,
    IntArray,
    Leaf,
    MatrixFamily,
    Norm,
    Part,
    Penalty,
    Price,
    Square,
    Tilted,
)
from kernelopt_sdp._bases import balanced


@attrs.frozen(eq=False)
class Share:
    """One leaf's share of z for one output.

    Attributes:
        image: z_k, an expression of shape (n,).
        cost: an expression that is at least 1/2 z_k'K_k^-1 z_k.
        constraints: what makes it so.
    """

    image: Any
    cost: Any
    constraints: tuple[Any, ...] = ()


@attrs.frozen(eq=False)
class Parameters(ABC):
    """One leaf's parameters.

    Attributes:
        leaf: a matrix family or a list.
        variable: of cvxpy, P (q, q) or w (m,).
    """

    leaf: Leaf
    variable: Any

    @abstractmethod
    def share(self, cvxpy: Any) -> Share:
        """A new share of z, for one output."""

    def mass(self, cvxpy: Any) -> Any:
        """The trace, or the sum of the weights."""
        return cvxpy.trace(self.variable) if self.variable.ndim == 2 else cvxpy.sum(self.variable)

    def price(self, cvxpy: Any) -> Any:
        """R, an expression."""
        return _price(cvxpy, self.leaf.penalty, self.variable)

    def part(self) -> Part:
        """What the answer stands for, in the family's own atoms; it may be empty."""
        family, found = self.leaf.family, self.variable.value
        if isinstance(family, MatrixFamily):
            return family.part(0.5 * (found + found.T))
        assert isinstance(family, FiniteFamily)
        return Part(family.dictionary().atoms, np.maximum(found, 0.0)).kept()


@attrs.frozen(eq=False)
class Dense(Parameters):
    """A leaf without features: [[K, z], [z', 2 s]] >= 0, of order n + 1 at most.

    It is stated as [[B'K B, a], [a', 2 s]] >= 0 with z = root a and B'root = I. As the papers print it, B and root are
    I. Balanced, root root' is the Gram of all atoms together.

    Attributes:
        maps: B'K B for each entry of the variable, a column each, shape (r r, q q) or (r r, m).
        root: shape (n, r).
    """

    maps: FloatArray
    root: FloatArray

    @classmethod
    def printed(cls, leaf: Leaf, variable: Any, grams: list[FloatArray]) -> "Dense":
        """From the Gram (n, n) of each entry of the variable."""
        return cls(leaf, variable, np.column_stack([K.ravel() for K in grams]), np.eye(len(grams[0])))

    @classmethod
    def balanced(cls, leaf: Leaf, variable: Any, grams: list[FloatArray], whole: FloatArray) -> "Dense":
        """From the Gram of each entry of the variable and that of all atoms together, (n, n) each."""
        B, root = balanced(whole)
        return cls(leaf, variable, np.column_stack([(B.T @ K @ B).ravel() for K in grams]), root)

    def share(self, cvxpy: Any) -> Share:
        r = self.root.shape[1]
        K = cvxpy.reshape(self.maps @ cvxpy.vec(self.variable, order="C"), (r, r), order="C")
        return _schur(cvxpy, 0.5 * (K + K.T), self.root)


@attrs.frozen(eq=False)
class Spectral(Parameters):
    """An explicit matrix family, K = Z P Z': z = Z a with [[P, a], [a', 2 s]] >= 0, of order q + 1.

    Attributes:
        features: Z, shape (n, q).
    """

    features: FloatArray

    def share(self, cvxpy: Any) -> Share:
        return _schur(cvxpy, self.variable, self.features)


@attrs.frozen(eq=False)
class Thin(Parameters):
    """A list of atoms with features: z = sum_a F_a c_a + d costs half of sum_a |c_a|^2 / w_a + |d|^2 / ridges'w.

        K = sum_a w_a (F_a F_a' + ridge_a I)

    Attributes:
        features: the F_a side by side, shape (n, r).
        owner: the atom of each column, shape (r,).
        ridges: shape (m,).
    """

    features: FloatArray
    owner: IntArray
    ridges: FloatArray

    def share(self, cvxpy: Any) -> Share:
        image, cost = np.zeros(len(self.features)), 0.0
        for a in np.unique(self.owner):
            mine = self.owner == a
            c = cvxpy.Variable(int(mine.sum()))
            image = image + self.features[:, mine] @ c
            cost = cost + 0.5 * cvxpy.quad_over_lin(c, self.variable[a])
        if self.ridges.any():
            d = cvxpy.Variable(len(self.features))
            image, cost = image + d, cost + 0.5 * cvxpy.quad_over_lin(d, self.ridges @ self.variable)
        return Share(image, cost)


def parameters(cvxpy: Any, leaf: Leaf, data: Data, unit: float, *, balanced: bool = True) -> Parameters:
    """The parameters of a matrix family or a list, its Grams times `unit`; `balanced` as `Dense` says."""
    family, factor = leaf.family, unit * leaf.factor
    if isinstance(family, MatrixFamily):
        P = cvxpy.Variable((family.order, family.order), PSD=True)
        if isinstance(family, ExplicitFamily):
            return Spectral(leaf, P, np.sqrt(factor) * family.columns(np.eye(family.order), data)[0])
        units = (np.reshape(one, P.shape) for one in np.eye(family.order**2))
        grams = [factor * family.gram_of(0.5 * (one + one.T), data).dense() for one in units]
        whole = factor * family.gram_of(np.eye(family.order), data).dense()
        return Dense.balanced(leaf, P, grams, whole) if balanced else Dense.printed(leaf, P, grams)
    assert isinstance(family, FiniteFamily)
    atoms = [Part(atom[None], np.ones(1)) for atom in family.dictionary().atoms]
    w = cvxpy.Variable(len(atoms), nonneg=True)
    if isinstance(family, ExplicitFamily):
        features, owner = family.columns(family.dictionary().atoms, data)
        ridges = factor * np.array([family.ridge(atom) for atom in atoms])
        return Thin(leaf, w, np.sqrt(factor) * features, owner, ridges)
    grams = [factor * family.gram(atom, data).dense() for atom in atoms]
    return Dense.balanced(leaf, w, grams, np.sum(grams, axis=0)) if balanced else Dense.printed(leaf, w, grams)


def orders(leaf: Leaf, n: int) -> int:
    """The order of a leaf's matrix inequality, less 1; 0 where it needs none."""
    if not isinstance(leaf.family, ExplicitFamily):
        return n
    return leaf.family.order if isinstance(leaf.family, MatrixFamily) else 0


def _price(cvxpy: Any, penalty: Penalty | None, variable: Any) -> Any:
    match penalty:
        case Tilted(own=own, c=c):
            return _price(cvxpy, own, variable) + c @ variable
        case Price(c=c):
            return cvxpy.sum(cvxpy.multiply(c, variable))
        case Norm(H=H, rho=rho):
            return rho * cvxpy.norm(_root(H) @ variable)
        case Square(H=H, rho=rho):
            return rho * cvxpy.sum_squares(_root(H) @ variable)
    return 0.0


def _schur(cvxpy: Any, K: Any, features: FloatArray) -> Share:
    """z = features a with s >= 1/2 a'K^-1 a as a matrix inequality."""
    a, s = cvxpy.Variable((features.shape[1], 1)), cvxpy.Variable((1, 1))
    inequality = cvxpy.bmat([[K, a], [a.T, 2.0 * s]]) >> 0
    return Share(features @ a[:, 0], s[0, 0], (inequality,))


def _root(H: FloatArray) -> FloatArray:
    """L with L'L = H."""
    values, vectors = scipy.linalg.eigh(H)
    root: FloatArray = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    return root
