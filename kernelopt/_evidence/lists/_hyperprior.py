"""What the atoms of lists cost by themselves, besides the evidence: the hyperprior, as a step's model has it."""

import math
from collections.abc import Callable
from functools import partial

import attrs
import numpy as np
from scipy.optimize import brentq

from kernelopt._base._typing import FloatArray
from kernelopt._families._finite import FiniteFamily
from kernelopt._families.penalties._composite_penalty import Together
from kernelopt._families.penalties._penalty import Norm
from kernelopt._linalg._nonnegative import nonnegative
from kernelopt._saddle._problem import Problem

_TIP, _FAINT = 1e-8, 1e-6
"""A norm that wants less than this length, in nats, wants none; weights that then sum to less are 0. A length of
exactly 0 is out of reach of its logarithm, and these are far below what a tolerance asks for."""
_CLOSE = 1e-9
"""To this share lengths are found, which is far below what a tolerance asks for."""
_SWEEPS = 20
"""Over several norms in turn, at most: each changes what is best for the others.
Worth: `constants.py evidence.sweeps`."""


def own_price(problem: Problem) -> Together | None:
    """R of all weights of finite lists; None where no leaf has a price of its own."""
    if all(leaf.penalty is None for leaf in problem.leaves):
        return None
    counts = []
    for leaf in problem.leaves:
        assert isinstance(leaf.family, FiniteFamily)
        counts.append(len(leaf.family.dictionary()))
    return Together(tuple(leaf.penalty for leaf in problem.leaves), tuple(np.cumsum(counts)[:-1].tolist()))


@attrs.frozen(eq=False)
class Model:
    """What R adds to a quadratic model at u = unit w: its norms as they are, for they have a tip; all else to second
    order, which is how a square is.

    Attributes:
        slope: shape (m,).
        bend: shape (m, m).
        norms: of consecutive weights, each with the place of the first.
    """

    slope: FloatArray
    bend: FloatArray
    norms: tuple[tuple[int, Norm], ...]

    @classmethod
    def at(cls, own: Together, w: FloatArray, unit: FloatArray) -> "Model":
        """At weights w (m,), for the argument unit w."""
        norms = []
        for begin, R, piece in zip((0, *own.cuts), own.penalties, own.split(unit), strict=True):
            if isinstance(R, Norm):
                norms.append((begin, R.restrict(np.diag(1.0 / piece))))
        smooth = Together(tuple(None if isinstance(R, Norm) else R for R in own.penalties), own.cuts)
        return cls(smooth.gradient(w) / unit, smooth.hessian(w) / unit[:, None] / unit, tuple(norms))

    def kept(self, u: FloatArray) -> float:
        """The norms' price."""
        return sum((R.value(_part(u, begin, R)) for begin, R in self.norms), start=0.0)

    def least(self, A: FloatArray, b: FloatArray) -> FloatArray:
        """The x >= 0 with the least 1/2 x'Ax - b'x + the norms' price, A positive definite.

        A norm is the least of rho (x'Hx / s + s) / 2 over s > 0, and for each s that is a quadratic. The best s is the
        length that it gives x, a root, norm by norm; where even the smallest gives less, x is 0.
        """
        if not self.norms:
            return nonnegative(A, b)
        lengths = [1.0] * len(self.norms)
        for _ in range(_SWEEPS):
            before = np.array(lengths)
            for k in range(len(lengths)):
                lengths[k] = _root(partial(self._excess, A, b, lengths, k))
            if len(lengths) <= 1 or np.allclose(lengths, before, _CLOSE, _TIP):
                break
        x = self._given(A, b, lengths)
        for (begin, R), s in zip(self.norms, lengths, strict=True):
            part = _part(x, begin, R)
            part[:] = 0.0 if s <= _TIP and part.sum() <= _FAINT else part
        return x

    def _excess(self, A: FloatArray, b: FloatArray, lengths: list[float], k: int, s: float) -> float:
        """How much longer than s the k-th norm's share is at s, as a share of s: falls with s."""
        x = self._given(A, b, [*lengths[:k], s, *lengths[k + 1 :]])
        begin, R = self.norms[k]
        return R.length(_part(x, begin, R)) / s - 1.0

    def _given(self, A: FloatArray, b: FloatArray, lengths: list[float]) -> FloatArray:
        """The x >= 0 of least 1/2 x'Ax - b'x + sum_k rho_k x'H_k x / (2 s_k)."""
        A = A.copy()
        for (begin, R), s in zip(self.norms, lengths, strict=True):
            mine = slice(begin, begin + len(R.H))
            A[mine, mine] += R.rho / s * R.H
        size = 1.0 / np.sqrt(np.diagonal(A))  # a short norm has a steep price
        return size * nonnegative(A * size[:, None] * size, size * b)


def _part(x: FloatArray, begin: int, R: Norm) -> FloatArray:
    """A view of the weights that a norm is about."""
    return x[begin : begin + len(R.H)]


def _root(excess: Callable[[float], float]) -> float:
    """Where a falling function of s > 0 is 0; the smallest s that counts where it is negative from there on."""
    high = 1.0
    while excess(high) > 0.0 and math.isfinite(high):
        high *= 16.0
    if excess(_TIP) <= 0.0:
        return _TIP
    return math.exp(brentq(lambda log: excess(math.exp(log)), math.log(_TIP), math.log(high), xtol=_CLOSE))
