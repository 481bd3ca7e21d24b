"""A hyperkernel of one's own that sees the differences of rows alone (Ong, Smola and Williamson (2005), theorem 9)."""

from collections.abc import Callable

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray, InvalidData, InvalidOption
from kernelopt_hyperkernel._hyperkernels import PairKernel
from kernelopt_hyperkernel._widths import Sigma, as_sigma, cut, widths

_TOGETHER = 32
"""Pairs whose values with themselves are computed at once: of the block only the diagonal is wanted."""
_ROWS = 40
"""Training rows on which the conditions of the theorem are checked: these have 820 pairs."""
_PAIRS = 200
_ROUNDING = 1e-8
"""Of the largest value, a condition may be missed by so much."""

Function = Callable[[FloatArray, FloatArray], FloatArray]


def _callable(_: object, __: "attrs.Attribute[Function]", value: object) -> None:
    if not callable(value):
        raise InvalidOption(f"Differences: function must be a callable h(T (a, d), S (b, d)) -> (a, b), got {value!r}")


@attrs.frozen
class Differences:
    """The hyperkernel h((x, x'), (z, z')) = h(t, s), a function of t = x - x' and s = z - z' alone.

    Theorem 9 of Ong, Smola and Williamson (2005) says when such a function is a hyperkernel: if it is a positive
    semidefinite kernel of t and s, and if its Fourier transform in t is nowhere negative, for every s. The second
    condition says that each pair of rows has a positive semidefinite kernel (Bochner's theorem). Both are checked on
    training rows, and `Hyperkernel(kind=Differences(h))` learns from it. A power series of a Gaussian (`Series`) is a
    special case.

    Attributes:
        function: h(T, S), from differences T (a, d) and S (b, d) to the values between each and each, shape (a, b). It
            must be symmetric, and even in each argument: h(-t, s) = h(t, s). A model with a function of your own cannot
            be saved.
        sigma: as `Hyperkernel(sigma=...)`: the differences in column j are multiplied by sqrt(sigma_j), so that
            exp(-|t|^2) is the Gaussian of these widths.

    Raises:
        InvalidOption: the function is none, or sigma is out of its range.
        InvalidData: in `prepare`: the function is no hyperkernel on the training rows.
    """

    function: Function = attrs.field(validator=_callable)
    sigma: Sigma = attrs.field(default="quantile", converter=as_sigma)

    def seeing(self, columns: IntArray, width: int) -> "Differences":
        """On these (d',) of `width` columns, if the others are constant."""
        return attrs.evolve(self, sigma=cut(self.sigma, columns, width))

    def between_pairs(self, X: FloatArray, weight: FloatArray) -> PairKernel:
        """The hyperkernel, with widths from training rows X (n, d) of weights (n,) > 0.

        Raises:
            InvalidData: it is none on these rows.
        """
        kernel = OfDifferences(self.function, widths(self.sigma, X, weight))
        _check(kernel, X)
        return kernel

    def __str__(self) -> str:
        return f"a function of differences, {getattr(self.function, '__name__', type(self.function).__name__)}"


@attrs.frozen(eq=False)
class OfDifferences(PairKernel):
    """h(t, s), where the base values of a pair are the entries of sqrt(sigma) (x - x').

    Of the two signs of a difference the one whose first entry that is not 0 is positive is taken.

    Attributes:
        function: h.
        sigma: shape (d,).
    """

    function: Function
    sigma: FloatArray

    def base(self, A: FloatArray, B: FloatArray) -> FloatArray:
        t = ((A - B) * np.sqrt(self.sigma)).T
        first = np.argmax(t != 0.0, axis=0)
        return np.ascontiguousarray(t * np.where(t[first, np.arange(t.shape[1])] < 0.0, -1.0, 1.0)) + 0.0

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        values = np.array(self.function(first.T, second.T), dtype=np.float64)
        wanted = (first.shape[1], second.shape[1])
        if values.shape != wanted:
            raise InvalidData(
                f"Differences: the function gave the shape {values.shape} for differences of shapes {first.T.shape} "
                f"and {second.T.shape}, wanted {wanted}"
            )
        return values

    def own(self, values: FloatArray) -> FloatArray:
        blocks = [values[:, i : i + _TOGETHER] for i in range(0, values.shape[1], _TOGETHER)]
        return np.concatenate([np.diagonal(self.between(one, one)) for one in blocks])

    def of_a_point(self) -> str:
        return "h(0, x - z)"


def _check(kernel: OfDifferences, X: FloatArray) -> None:
    """Both conditions of the theorem on some rows of X (n, d).

    Raises:
        InvalidData: one does not hold.
    """
    rows = np.unique(X, axis=0)
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, _ROWS).astype(int))]
    n = len(rows)
    first, second = np.triu_indices(n)
    values = kernel.base(rows[first], rows[second])
    some = values[:, np.unique(np.linspace(0, len(first) - 1, _PAIRS).astype(int))]
    H = kernel.between(some, some)
    size = float(np.abs(H).max())
    if not np.isfinite(H).all() or size == 0.0:
        raise InvalidData("Differences: the function must be finite, and not 0 between all pairs of rows")
    room = _ROUNDING * size
    if np.abs(H - H.T).max() > room or np.abs(kernel.between(-some, some) - H).max() > room:
        raise InvalidData(
            "Differences: the function must be symmetric, h(t, s) = h(s, t), and even, h(-t, s) = h(t, s); it is not"
        )
    lowest = float(np.linalg.eigvalsh(0.5 * (H + H.T))[0])
    if lowest < -room * len(H):
        raise InvalidData(
            "Differences: the function is no positive semidefinite kernel of two differences: an eigenvalue of its "
            f"values on {len(H)} pairs of rows is {lowest:.3g}"
        )
    for pair in range(some.shape[1]):
        K = np.empty((n, n))
        K[first, second] = K[second, first] = kernel.between(some[:, pair : pair + 1], values)[0]
        lowest = float(np.linalg.eigvalsh(K)[0])
        if lowest < -room * n:
            raise InvalidData(
                "Differences: the kernel of a pair of rows is not positive semidefinite, because the function has a "
                f"negative Fourier transform: an eigenvalue on {n} rows is {lowest:.3g}"
            )
