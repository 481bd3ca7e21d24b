"""Small families on which solvers and criteria are tried: nothing is fast, everything is short."""

import math
from typing import ClassVar, Self

import attrs
import numpy as np
from scipy.optimize import minimize_scalar

from kernelopt.plugin import (
    BestAtoms,
    Data,
    ExplicitFamily,
    FiniteFamily,
    FloatArray,
    Gradient,
    IntArray,
    MatrixFamily,
    Part,
    PenalizedFamily,
    Penalty,
    Query,
    SmoothFamily,
    Square,
    positive,
    within,
)


@attrs.frozen
class Affine(MatrixFamily):
    """The kernels k(x, z) = [1, x]' P [1, z]; an atom is a unit vector of d + 1 numbers.

    Attributes:
        width: the number d of columns, known after `prepare`.
    """

    name: ClassVar[str] = "affine"

    width: int = attrs.field(default=0, validator=within(0, math.inf, integer=True))

    def prepare(self, X: FloatArray, weight: FloatArray) -> "Affine":  # noqa: ARG002
        return Affine(X.shape[1])

    @property
    def order(self) -> int:
        return self.width + 1

    def boundless(self, part: Part) -> bool:  # noqa: ARG002
        return True

    def blend(self, P: FloatArray, Z: FloatArray, X: FloatArray) -> FloatArray:
        product: FloatArray = _with_one(Z) @ P @ _with_one(X).T
        return product

    def adjoint(self, data: Data, V: FloatArray) -> FloatArray:
        sums = _with_one(data).T @ V
        return np.asarray(sums @ sums.T)


@attrs.frozen
class Columns(ExplicitFamily, FiniteFamily):
    """The kernels k_j(x, z) = x_j z_j, one atom for each column; the atom is the number j of the column.

    Attributes:
        width: the number of columns, known after `prepare`.
    """

    name: ClassVar[str] = "columns"

    width: int = attrs.field(default=0, validator=within(0, math.inf, integer=True))

    def prepare(self, X: FloatArray, weight: FloatArray) -> Self:  # noqa: ARG002
        return attrs.evolve(self, width=X.shape[1])

    def dictionary(self) -> Part:
        return Part(np.arange(self.width, dtype=float)[:, None], np.full(self.width, 1.0 / self.width))

    def boundless(self, part: Part) -> bool:  # noqa: ARG002
        return True

    def columns(self, atoms: FloatArray, X: FloatArray) -> tuple[FloatArray, IntArray]:
        return X[:, atoms[:, 0].astype(int)], np.arange(len(atoms))


@attrs.frozen
class Waves(ExplicitFamily, SmoothFamily):
    """The kernels k_a(x, z) = cos(a (x_1 - z_1)) with 0 <= a <= top; an atom is the number a.

    The oracle is a search: it looks at a grid of atoms, and then into the best cell of this grid.

    Attributes:
        top: the largest a.
    """

    name: ClassVar[str] = "waves"

    top: float = attrs.field(default=3.0, validator=positive)

    def columns(self, atoms: FloatArray, X: FloatArray) -> tuple[FloatArray, IntArray]:
        phase = X[:, :1] * atoms[:, 0]
        features = np.stack([np.cos(phase), np.sin(phase)], axis=2).reshape(len(X), 2 * len(atoms))
        return features, np.repeat(np.arange(len(atoms)), 2)

    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:
        def value(a: float) -> float:
            return float(np.sum((self.columns(np.array([[a]]), data)[0].T @ V) ** 2))

        if not V.any():
            return BestAtoms(np.zeros((1, 1)), np.zeros(1), 0.0, exact=False)
        grid = np.linspace(0.0, self.top, int(200 * query.effort) + 1)
        middle = float(grid[np.argmax([value(a) for a in grid])])
        low, high = max(middle - grid[1], 0.0), min(middle + grid[1], self.top)
        found = minimize_scalar(lambda a: -value(a), bounds=(low, high), method="bounded", options={"xatol": 1e-10})
        best = max([float(found.x), low, high, middle], key=value)
        return BestAtoms(np.array([[best]]), np.array([value(best)]), value(best), exact=False)

    def center(self) -> Part:
        return Part(np.ones((1, 1)), np.ones(1))

    def pullback(self, part: Part, data: Data, V: FloatArray) -> Gradient:
        difference, pairs = data[:, 0, None] - data[:, 0], V @ V.T
        angles = part.atoms[:, 0, None, None] * difference
        atoms = -part.weights * np.sum(pairs * difference * np.sin(angles), axis=(1, 2))
        return Gradient(atoms[:, None], np.sum(pairs * np.cos(angles), axis=(1, 2)))

    def atom_bounds(self) -> tuple[FloatArray, FloatArray]:
        return np.zeros(1), np.full(1, self.top)

    def draw(self, k: int, rng: np.random.Generator) -> FloatArray:
        return rng.uniform(0.0, self.top, size=(k, 1))

    def largest_atom(self, X: FloatArray, weight: FloatArray, *, centred: bool) -> float | None:  # noqa: ARG002
        return None if centred else 1.0


@attrs.frozen
class Capacity(Columns, PenalizedFamily):
    """The kernels of `Columns` at the price sum_j w_j^2, weights summing to 1; equal weights are cheapest."""

    name: ClassVar[str] = "capacity"

    @property
    def total(self) -> float:
        return 1.0

    @property
    def penalty(self) -> Penalty:
        return Square(np.eye(len(self.dictionary())), 1.0)


def _with_one(X: FloatArray) -> FloatArray:
    return np.column_stack([np.ones(len(X)), X])
