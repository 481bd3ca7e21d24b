"""The family of Gaussian kernels of every width (Ghiasi-Shirazi, Safabakhsh and Shamsi, 2010)."""

import math
from typing import ClassVar, Literal

import attrs
import numpy as np
from scipy.spatial.distance import cdist

from kernelopt.plugin import (
    BestAtoms,
    Data,
    Dense,
    FloatArray,
    Gradient,
    Gram,
    IntArray,
    InvalidOption,
    Part,
    Query,
    SmoothFamily,
    decayed,
    one_of,
    within,
)
from kernelopt_gaussian._branch_and_bound import ask
from kernelopt_gaussian._column_scaling import Frame
from kernelopt_gaussian._largest_variance import largest_variance
from kernelopt_gaussian._width_objective import BENT, Curve

_MOST_WORDS = 3
_REACH = 30.0
_TILE = 256
"""A Gram is computed in squares of so many rows, which stay in the cache."""
_AT_ONCE = 2**27
"""Differences that one call of scipy squares: a fifth of a second."""
_CACHED = 2**17
"""Numbers of a kernel that are worked on at once."""


@attrs.frozen
class Gaussian(SmoothFamily):
    """Radial kernels: mixtures of damped Gaussians of every width,

        k(x, z) = sum_a w_a exp(-eta omega_a^2) exp(-omega_a |x - z|^2),     0 <= omega_a <= omega_max,

    an atom being one omega (Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), section 4.7; omega >= 0, for below 0 the
    kernel is not positive).

    The oracle is proved: a search on a line, with bounds between the points. It costs O(s^2) for each omega, s the
    number of support vectors.

    Attributes:
        eta: the price of narrow kernels, >= 0, in squared units of the squared distance after `rescale`; with 0 there
            must be an `omega_max`.
        omega_max: the largest omega, > 0, or None.
        rescale: "distance" divides each training column by its standard deviation and all by a common number, so that
            two training rows are at distance 1 in the quadratic mean, and every other row with them; None leaves the
            columns.

    Raises:
        InvalidOption: an option is out of its range, or nothing limits omega.
    """

    name: ClassVar[str] = "gaussian"

    eta: float = attrs.field(default=1.0, validator=within(0.0, math.inf))
    omega_max: float | None = attrs.field(default=None)
    rescale: Literal["distance"] | None = attrs.field(default="distance", validator=one_of("distance", None))
    _frame: Frame | None = attrs.field(default=None, alias="_frame", repr=False)

    @omega_max.validator
    def _check_limit(self, field: "attrs.Attribute[float | None]", value: float | None) -> None:
        if value is not None:
            within(0.0, math.inf)(self, field, value)
        if value == 0.0 or (value is None and self.eta == 0.0):
            raise InvalidOption(
                f"Gaussian: with eta={self.eta:g} and omega_max={value} omega has no upper limit, or no value is "
                f"allowed; "
                "give eta > 0 or a positive omega_max"
            )

    def seeing(self, columns: IntArray, width: int) -> "Gaussian":  # noqa: ARG002
        return self

    def prepare(self, X: FloatArray, weight: FloatArray) -> "Gaussian":
        """This family with the rescaling of its columns fixed."""
        return attrs.evolve(self, _frame=Frame.fit(X, weight, self.rescale))

    @property
    def _fixed(self) -> Frame:
        if self._frame is None:
            raise InvalidOption("Gaussian: the family has not seen any data; call prepare(X, weight) first")
        return self._frame

    @property
    def _limit(self) -> float:
        return math.inf if self.omega_max is None else self.omega_max

    def bind(self, X: FloatArray) -> Data:
        """The squared distances (n, n) after rescaling: computed once, used by every Gram."""
        return self._squared(X, X)

    def bind_bytes(self, n: int, d: int) -> int:  # noqa: ARG002
        return 8 * n * n

    def _squared(self, Z: FloatArray, X: FloatArray) -> FloatArray:
        return _squared_distances(self._fixed.rescaled(Z), self._fixed.rescaled(X))

    def gram(self, part: Part, data: Data) -> Gram:
        matrix = np.empty_like(data)
        tiles = [slice(i, i + _TILE) for i in range(0, len(data), _TILE)]
        for k, rows in enumerate(tiles):
            for columns in tiles[: k + 1]:
                matrix[rows, columns] = self._mixed(part, data[rows, columns])
                matrix[columns, rows] = matrix[rows, columns].T
        return Dense(matrix)

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self._mixed(part, self._squared(Z, X))

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return np.full(len(X), float(self._weights(part).sum()))

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        support = np.flatnonzero(V.any(axis=1))
        some, everywhere = V[support], len(support) == len(V)
        product = np.empty((len(data), V.shape[1]))
        for rows in _blocks(len(data), len(support)):
            product[rows] = self._mixed(part, data[rows] if everywhere else data[rows, support]) @ some
        return product

    def _weights(self, part: Part) -> FloatArray:
        """w exp(-eta omega^2), shape (m,)."""
        return np.asarray(part.weights * np.exp(-self.eta * part.atoms[:, 0] ** 2))

    def _mixed(self, part: Part, squared: FloatArray) -> FloatArray:
        """The mixture at squared distances of any shape."""
        total, one = np.zeros(squared.shape), np.empty(squared.shape)
        for omega, weight in zip(part.atoms[:, 0], self._weights(part), strict=True):
            if weight != 0.0:
                decayed(squared, float(omega), one)
                one *= weight
                total += one
        return total

    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:
        if not V.any():
            return BestAtoms(np.zeros((1, 1)), np.zeros(1), 0.0, exact=True)
        curve, unit = Curve.normalised(data, V, self.eta)
        near = np.zeros(0) if query.near is None else unit * query.near[:, 0]
        answer = ask(curve, near, query.above, unit * self._limit, query.k)
        note = f"gaussian: proved by {answer.evaluations} widths"
        atoms = np.minimum(answer.omega[:, None] / unit, self._limit)
        return BestAtoms(atoms, answer.values, answer.ceiling, exact=True, note=note)

    def center(self) -> Part:
        """The width at which two training rows lose their likeness, or a wider one where the price would be high."""
        cheap = math.inf if self.eta == 0.0 else math.sqrt(0.5 / self.eta)
        return Part(np.array([[min(1.0 / self._fixed.spread, cheap, self._limit)]]), np.ones(1))

    def pullback(self, part: Part, data: Data, V: FloatArray) -> Gradient:
        curve, unit = Curve.normalised(data, V, self.eta)
        values, slope, _ = curve.derivatives(curve.nodes(unit * part.atoms[:, 0], BENT))
        return Gradient((unit * part.weights * slope)[:, None], values)

    def atom_bounds(self) -> tuple[FloatArray, FloatArray]:
        return np.zeros(1), np.full(1, self._limit)

    def draw(self, k: int, rng: np.random.Generator) -> FloatArray:
        """Widths whose logarithms are uniform, from a thirtieth of the usual omega to thirty times it.

        The usual omega is 1 over the mean squared distance of two training rows; none exceeds `omega_max`.
        """
        usual = 1.0 / self._fixed.spread
        high = min(usual * _REACH, self._limit)
        low = min(usual, high) / _REACH
        return np.asarray(np.exp(rng.uniform(math.log(low), math.log(high), size=(k, 1))))

    def largest_atom(self, X: FloatArray, weight: FloatArray, *, centred: bool) -> float:
        """k(x, x) = exp(-eta omega^2), which is 1 at omega = 0; centred, the maximum over a line, in O(n^2 d)."""
        if not centred:
            return 1.0
        return largest_variance(self._fixed.rescaled(X), weight / weight.sum(), self.eta, self._limit)

    def coordinates(self, columns: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG002
        """Omega, of the squared distance after `rescale`."""
        return ("omega",)

    def describe(self, part: Part) -> str:
        """The heaviest widths; r is the distance after rescaling."""
        weights = self._weights(part)
        order = np.argsort(-weights, kind="stable")
        heaviest = [f"{weights[a]:.2g} exp(-{part.atoms[a, 0]:.3g} r^2)" for a in order[:_MOST_WORDS]]
        more = f" + {len(part) - _MOST_WORDS} more" if len(part) > _MOST_WORDS else ""
        widths = "1 width" if len(part) == 1 else f"{len(part)} widths"
        return f"{widths}: {' + '.join(heaviest)}{more}" if len(part) else "no width"


def _squared_distances(Z: FloatArray, X: FloatArray) -> FloatArray:
    """|z - x|^2 for rows of Z (m, d) and X (n, d), shape (m, n).

    Of a few rows at a time: Ctrl-C is heeded between two calls of scipy, and thousands of categories are so many
    columns.
    """
    found = np.empty((len(Z), len(X)))
    height = max(_AT_ONCE // max(X.size, 1), 1)
    for i in range(0, len(Z), height):
        cdist(Z[i : i + height], X, "sqeuclidean", out=found[i : i + height])
    return found


def _blocks(n: int, width: int) -> list[slice]:
    """The rows 0 to n in blocks that stay in the cache, where each row has so many numbers."""
    height = max(_CACHED // max(width, 1), 1)
    return [slice(i, min(i + height, n)) for i in range(0, n, height)]
