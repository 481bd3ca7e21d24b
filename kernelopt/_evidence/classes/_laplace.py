"""Classes on the kernel that the evidence learned: a Gaussian process with the logistic likelihood."""

import math
from collections.abc import Callable

import attrs
import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._counting import weight_of
from kernelopt._evidence._factorisation import Factored, factored
from kernelopt._evidence.classes._newton import Mode, TwoClasses
from kernelopt._linalg._gram import Dense, Gram, LowRank
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

_FIRST, _STRIDE, _NEAR = math.log(8.0), 1.5, 0.1
"""Where the logarithm of the scale begins, how it leaves, and how closely it is found.
Worth: `constants.py laplace.first`. Worth: `constants.py laplace.stride`. Worth: `constants.py laplace.near`."""
_WIDEST = 12
"""So many strides from there at most: where nothing tells the classes apart the best scale is 0, which none reaches."""
_FLAT = 1e-300
"""The least curvature that divides: where a class is certain there is none."""
_ROWS = 500
"""The scale is learned on so many rows at most, chosen at random: it is one number.
Worth: `constants.py laplace.rows`."""


@attrs.frozen(eq=False)
class Classes(TwoClasses):
    """Rows with two classes and a kernel between them.

    Attributes:
        gram: K, and what it has on its diagonal besides.
        ridge: the latter, which is no part of f: a number, or one for each row, shape (n,).
        y: -1 and 1, shape (n,).
        weight: s, how often each row counts, > 0, shape (n,).
        stop: whether to end with what is found.
    """

    gram: Gram
    ridge: float | FloatArray
    y: FloatArray
    weight: FloatArray
    stop: Callable[[], bool] = bool

    def image(self, v: FloatArray) -> FloatArray:
        return self.gram.apply(v) - self.ridge * v

    def only(self, rows: IntArray) -> "Classes":
        """Of these rows alone."""
        ridge = self.ridge[rows] if isinstance(self.ridge, np.ndarray) else self.ridge
        return attrs.evolve(self, gram=self.gram.only(rows), ridge=ridge, y=self.y[rows], weight=self.weight[rows])

    def solver(self, scale: float, root: FloatArray) -> Callable[[FloatArray], FloatArray] | None:
        inner = self._inner(scale, root)
        return None if inner is None else inner.solve

    def _inner(self, scale: float, root: FloatArray) -> Factored | None:
        """I + W^1/2 c K W^1/2, W = root^2, factored."""
        return factored(_weighed(self.gram, math.sqrt(scale) * root, self.ridge), 1.0, keep=False)

    def around(self, mode: Mode) -> tuple[FloatArray, FloatArray | None]:
        """The curvatures W of the loss at a mode and the variances of f in Laplace's Gaussian, each of shape (n,); None
        in place of the latter where rounding leaves nothing positive.
        """
        p = expit(mode.f)
        curvature = self.weight * p * (1.0 - p)
        inner = self._inner(mode.scale, np.sqrt(curvature))
        if inner is None:
            return curvature, None
        before = mode.scale * (self.gram.diag() - self.ridge)
        shares = 1.0 - inner.last_variances()
        return curvature, np.minimum(shares / np.maximum(curvature, _FLAT), before)

    def evidence(self, mode: Mode) -> tuple[float, float]:
        """Minus the logarithm of Laplace's evidence at a mode, and its derivative in log c.

            1/2 a'f + sum s log(1 + exp(-y f)) + 1/2 log det B,    B = I + W^1/2 c K W^1/2

        The mode moves with c, and W with the mode: Rasmussen and Williams (2006), equation 5.23.
        """
        p = expit(mode.f)
        root = np.sqrt(self.weight * p * (1.0 - p))
        inner = self._inner(mode.scale, root)
        if inner is None:
            return math.inf, 0.0
        along = mode.f - mode.scale * self.image(root * inner.solve(root * mode.f))  # df / dlog c
        value = mode.value + 0.5 * inner.log_determinant
        shares = 1.0 - inner.last_variances()  # W_i times the posterior's variance of f_i
        slope = 0.5 * (float(shares.sum()) - float(mode.a @ mode.f) + float((shares * (1.0 - 2.0 * p)) @ along))
        return value, slope

    def scaled(self) -> Mode:
        """The mode at the c where Laplace's evidence is the largest, near 8 times the scale that numbers have."""
        known: dict[float, tuple[Mode, float]] = {}

        def slope(log: float) -> float:
            if log not in known:
                nearest = min(known, key=lambda one: abs(one - log), default=None)
                mode = self.mode(math.exp(log), None if nearest is None else known[nearest][0].a)
                known[log] = mode, self.evidence(mode)[1]
            return known[log][1]

        log = _FIRST
        for _ in range(_WIDEST):
            further = log - math.copysign(_STRIDE, slope(log))
            if slope(log) == 0.0 or self.stop():
                break
            if slope(log) * slope(further) <= 0.0:
                log = brentq(slope, min(log, further), max(log, further), xtol=_NEAR)
                break
            log = further
        return known[log][0]


def _weighed(gram: Gram, root: FloatArray, ridge: float | FloatArray) -> Gram:
    """diag(root) (K - ridge I) diag(root); of many rows in single precision, for it is the curvature of a step."""
    if isinstance(gram, LowRank):
        return LowRank(root[:, None] * gram.factor)
    digits = np.float32 if gram.n > _ROWS else np.float64
    matrix = np.multiply(gram.dense(), root[:, None], dtype=digits, casting="same_kind")
    matrix *= root.astype(digits)
    matrix[np.diag_indices(gram.n)] -= (ridge * root * root).astype(digits)
    return Dense(matrix)


Modes = tuple[tuple[Classes, Mode], ...]
"""The rows with the classes of each output, and the mode of these."""


def modes(problem: Problem, response: Response, stop: Callable[[], bool], seed: int) -> Modes:
    """The modes of all outputs."""
    pairs = zip(problem.leaves, response.mixture.parts, strict=True)
    ridge = sum(leaf.factor * leaf.family.ridge(part) for leaf, part in pairs if len(part))
    gram, weight = problem.gram(response.mixture), weight_of(problem)
    every = (Classes(gram, ridge / weight, np.sign(qp.linear), weight, stop) for qp in problem.outputs)
    return tuple((classes, _found(classes, np.random.default_rng(seed))) for classes in every)


def coefficients_of(found: Modes) -> FloatArray:
    """c a of each output, shape (n, outputs): with the learned kernel they are what predicts classes."""
    return np.column_stack([mode.scale * mode.a for _, mode in found])


def _found(classes: Classes, rng: np.random.Generator) -> Mode:
    """The mode, at a scale that some rows have learned where there are many; half of them are a start for all."""
    n = len(classes.y)
    if n <= _ROWS:
        return classes.scaled()
    rows = np.sort(rng.permutation(n)[: max(n // 2, _ROWS)])
    few = _found(classes.only(rows), rng)
    a = np.zeros(n)
    a[rows] = few.a
    return classes.mode(few.scale, a)
