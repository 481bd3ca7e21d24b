"""What the atoms of lists cost by themselves, besides the evidence: the hyperprior."""

import attrs
import numpy as np

from kernelopt._conjugate import maximiser
from kernelopt._finite import FiniteFamily
from kernelopt._penalty import Penalty
from kernelopt._prices import Lifted, Together
from kernelopt._problem import Problem
from kernelopt._typing import FloatArray, IntArray


def own_price(problem: Problem) -> Together | None:
    """R of all weights of finite lists; None where no leaf has a price of its own."""
    if all(leaf.penalty is None for leaf in problem.leaves):
        return None
    counts = []
    for leaf in problem.leaves:
        assert isinstance(leaf.family, FiniteFamily)
        counts.append(len(leaf.family.dictionary()))
    return Together(tuple(leaf.penalty for leaf in problem.leaves), tuple(np.cumsum(counts)[:-1].tolist()))


def nearest(A: FloatArray, g: FloatArray, u: FloatArray, unit: FloatArray, own: Together) -> FloatArray:
    """The x >= 0 with the least g'(x - u) + 1/2 (x - u)'A(x - u) + R(x / unit), by an interior point.

    An entry that is smaller than what raising it would cost is 0.

    Args:
        A: positive definite, shape (m, m).
        g: shape (m,).
        u: shape (m,).
        unit: shape (m,), > 0.
        own: R.
    """
    model, places = _lifted(A, unit, own)
    q = np.zeros(len(places) + sum(isinstance(R, Lifted) for R in model.own.penalties))
    q[places] = A @ u - g
    S = maximiser(model, q, np.ones(len(q)), None)
    slack = (model.gradient(S) - q)[places]
    return np.where(S[places] > slack, S[places], 0.0)


@attrs.frozen(eq=False)
class _Model(Penalty):
    """1/2 x'Ax + R(x), x in some places of the argument; the others lift norms off their tips.

    Attributes:
        A: shape (m, m).
        own: R.
        places: of x, shape (m,).
    """

    A: FloatArray
    own: Together
    places: IntArray

    def value(self, S: FloatArray) -> float:
        x = S[self.places]
        return 0.5 * float(x @ self.A @ x) + self.own.value(S)

    def gradient(self, S: FloatArray) -> FloatArray:
        slope = self.own.gradient(S)
        slope[self.places] += self.A @ S[self.places]
        return slope

    def hessian(self, S: FloatArray) -> FloatArray:
        bend = self.own.hessian(S)
        bend[np.ix_(self.places, self.places)] += self.A
        return bend


def _lifted(A: FloatArray, unit: FloatArray, own: Together) -> tuple[_Model, IntArray]:
    """The model in units of x, each norm with one number more."""
    smooth: list[Penalty | None] = []
    sizes, places, begun = [], [], 0
    for R, piece in zip(own.penalties, own.split(unit), strict=True):
        inside = None if R is None else R.restrict(np.diag(1.0 / piece))
        raised = Lifted.of(inside)
        smooth.append(inside if raised is None else raised)
        sizes.append(len(piece) + (raised is not None))
        places.append(begun + np.arange(len(piece)))
        begun += sizes[-1]
    together = Together(tuple(smooth), tuple(np.cumsum(sizes)[:-1].tolist()))
    chosen = np.concatenate(places)
    return _Model(A, together, chosen), chosen
