"""Data and lists of kernels that the papers drew themselves, after what they say of them."""

import math
from typing import Any

import attrs
import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._io._bundled import DataSet

MADE = "made:"
SPIRAL = "made:spiral"
SUBSETS = "gaussians-on-subsets"
"""A family of Bach, Lanckriet and Jordan (2004), section 5: Gaussians on random subsets of the columns."""
WIDTHS = "gaussians-of-widths"
"""A family of Colbert and Peet (2020), equation (22): Gaussians whose widths lie between 0.01 and 10."""
_TURN, _RADIUS, _LAST = 16.0, 6.5, 96.0
"""Of the spirals of Lang and Witbrock (1988): points to half a turn, the outer radius, the number of the last point."""
_NARROWEST, _WIDEST, _MOST_WIDTHS = 0.01, 10.0, 1000
"""Of the Gaussians of Colbert and Peet (2020): gamma of the first and of the last, and their number."""
_WIDTHS = (0.25, 4.0)
"""Widths of the Gaussians, in root mean squared distances of two rows, between which they are drawn."""


def made(name: str) -> DataSet:
    """The data that a table names: "made:spiral", or with a number of rows "made:spiral-20".

    Raises:
        InvalidOption: it names others.
    """
    kind, _, rows = name.partition("-")
    if kind != SPIRAL or (rows and not rows.isdigit()):
        raise InvalidOption(f"data: {name!r} is not made here, {SPIRAL!r} and {f'{SPIRAL}-20'!r} are")
    return spiral(int(rows)) if rows else spiral()


def spiral(n: int = 1400, noise: float = 0.0, seed: int = 0) -> DataSet:
    """Two spirals in the plane: of Lang and Witbrock (1988), with points drawn along them.

    Args:
        n: the number of rows.
        noise: the standard deviation of what is added to both columns.
        seed: of the draw.
    """
    random = np.random.default_rng(seed)
    place, side = random.uniform(0.0, _LAST, n), random.permutation(np.arange(n) % 2) * 2.0 - 1.0
    radius, angle = _RADIUS * (104.0 - place) / 104.0, place * np.pi / _TURN
    X = side[:, None] * radius[:, None] * np.column_stack([np.sin(angle), np.cos(angle)])
    return DataSet(X + noise * random.normal(size=X.shape), side, f"two spirals ({n} x 2)")


@attrs.frozen
class Subset:
    """A Gaussian that sees some columns: exp(-gamma |x - z|^2)."""

    columns: tuple[int, ...]
    gamma: float

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """Its values, shape (n, n')."""
        seen = list(self.columns)
        return np.asarray(rbf_kernel(X[:, seen], Z[:, seen], gamma=self.gamma))


def made_family(spec: Any, d: int) -> Any:
    """The spec, or the list of kernels that `{name = "gaussians-on-subsets", count = 6}` stands for, or that
    `{name = "gaussians-of-widths", degree = 2}` does.

    Raises:
        InvalidOption: the count is missing.
    """
    name = spec.get("name") if isinstance(spec, dict) else None
    if name == WIDTHS:
        return _of_widths(int(spec.get("degree", 1)), d)
    if name != SUBSETS:
        return spec
    if "count" not in spec:
        raise InvalidOption(f"{SUBSETS}: wanted count, the number of kernels")
    random, kernels = np.random.default_rng(spec.get("seed", 0)), []
    for _ in range(int(spec["count"])):
        columns = random.choice(d, size=random.integers(1, d + 1), replace=False)
        width = np.exp(random.uniform(*np.log(_WIDTHS)))
        kernels.append(Subset(tuple(sorted(columns.tolist())), float(0.5 / (width**2 * len(columns)))))
    return Dictionary(kernels, rescale="standard")


def _of_widths(degree: int, d: int) -> Dictionary:
    """exp(-|x - z|^2 / gamma), as many as P of the tessellated kernels of this degree has entries, and 1000 at most."""
    q = 2 * math.comb(d + degree, degree)
    gammas = np.geomspace(_NARROWEST, _WIDEST, min(q * (q + 1) // 2, _MOST_WIDTHS))
    return Dictionary([("rbf", {"gamma": 1.0 / gamma}) for gamma in gammas], rescale=None, normalize=None)
