"""The evidence of weighted lists of atoms, with its first and second derivatives."""

from abc import ABC, abstractmethod

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._evidence._counting import factored_at
from kernelopt._evidence._factorisation import Factored
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.dictionary._streamed import InPlay, Streamed
from kernelopt._families.penalties._composite_penalty import Together
from kernelopt._linalg._gram import Gram
from kernelopt._saddle._problem import Problem

_TOGETHER = 1 << 22
"""Numbers of several outputs that are mapped by the inverse at once, at most: a guard, for memory."""


@attrs.frozen(eq=False)
class Slopes:
    """What the evidence does where the weights move, m atoms in all.

    Attributes:
        values: sum_c v_c'K_a v_c, shape (m,).
        prices: c tr(Omega K_a), shape (m,): the gradient is half of prices - values.
        information: sum_c v_c'K_a Omega K_b v_c / 2, shape (m, m): the average of the observed and the expected
            second derivatives (Gilmour, Thompson and Cullis 1995).
        trace: tr Omega.
        omega: K^-1, where it is at hand; then also
        images: K_a V, shape (m, n, c).
        own: what the atoms cost by themselves, None where nothing; no part of the prices.
    """

    values: FloatArray
    prices: FloatArray
    information: FloatArray
    trace: float
    omega: Gram | None = None
    images: FloatArray | None = None
    own: Together | None = None

    @property
    def gradient(self) -> FloatArray:
        """Of the evidence alone in the weights, shape (m,)."""
        return 0.5 * (self.prices - self.values)

    def only(self, places: IntArray, own: Together | None) -> "Slopes":
        """Those of the atoms in these places, with what these cost by themselves."""
        if np.array_equal(places, np.arange(len(self.values))):
            return attrs.evolve(self, own=own)
        images = None if self.images is None else self.images[places]
        values, prices, information = self.values[places], self.prices[places], self.information[np.ix_(places, places)]
        return Slopes(values, prices, information, self.trace, self.omega, images, own)


@attrs.frozen(eq=False)
class Point:
    """The evidence at some weights.

    Attributes:
        w: shape (m,).
        value: minus the log evidence, without n/2 log 2 pi, and what the atoms cost by themselves.
        log_determinant: of K.
    """

    w: FloatArray
    value: float
    log_determinant: float


class Lists(ABC):
    """The leaves' atoms one after the other, with all that is asked of them at given weights."""

    @abstractmethod
    def at(self, w: FloatArray) -> Point | None:
        """The evidence at weights w (m,); None where the Gram cannot be factored."""

    @abstractmethod
    def slopes(self, point: Point) -> Slopes:
        """Its derivatives there."""

    @abstractmethod
    def solution(self, point: Point) -> FloatArray:
        """V = K^-1 Y, shape (n, c)."""


@attrs.frozen(eq=False)
class WholePoint(Point):
    """With the factored Gram."""

    factor: Factored
    V: FloatArray


@attrs.frozen(eq=False)
class ByGram(Lists):
    """One n x n factorisation for each value, one inverse for its derivatives.

    Attributes:
        problem: of finite lists.
        Y: the targets, shape (n, c).
        noise: the least noise.
        own: what the atoms cost by themselves.
        single: whether seven digits will do for the entries of the inverse.
    """

    problem: Problem
    Y: FloatArray
    noise: float
    own: Together | None = None
    single: bool = False

    def at(self, w: FloatArray) -> WholePoint | None:
        if not w.any():
            return None
        mixture = weighted(self.problem, w)
        factor = factored_at(self.problem, mixture, self.problem.gram(mixture), keep=False)
        if factor is None:
            return None
        V = factor.solve(self.Y)
        value = 0.5 * float(np.vdot(self.Y, V)) + 0.5 * self.Y.shape[1] * factor.log_determinant
        value += 0.0 if self.own is None else self.own.value(w)
        return WholePoint(w, value, factor.log_determinant, factor, V) if np.isfinite(value) else None

    def slopes(self, point: Point) -> Slopes:
        assert isinstance(point, WholePoint)
        return self.known(point.V, self.inverse(point))

    def inverse(self, point: WholePoint) -> Gram:
        """Omega = K^-1 at a point."""
        return point.factor.inverse(single=self.single)

    def known(self, V: FloatArray, omega: Gram) -> Slopes:
        """The derivatives at a kernel of which V = K^-1 Y and Omega = K^-1 are at hand."""
        images, traces = [], []
        for leaf, data in zip(self.problem.leaves, self.problem.data, strict=True):
            mapped, traced = looked(listed(leaf), data, V, omega)
            images.append(leaf.factor * mapped)
            traces.append(leaf.factor * traced)
        return attrs.evolve(slopes_of(np.concatenate(images), np.concatenate(traces), V, omega), own=self.own)

    def solution(self, point: Point) -> FloatArray:
        assert isinstance(point, WholePoint)
        return point.V


def slopes_of(images: FloatArray, traces: FloatArray, V: FloatArray, omega: Gram) -> Slopes:
    """From K_a V (m, n, c) and tr(Omega K_a) (m,) at a kernel with V = K^-1 Y and Omega = K^-1."""
    values: FloatArray = np.einsum("anc,nc->a", images, V)
    trace = float(omega.diag().sum())
    return Slopes(values, V.shape[1] * traces, informed(images, omega), trace, omega, images)


def informed(images: FloatArray, omega: Gram) -> FloatArray:
    """sum_c v_c'K_a Omega K_b v_c / 2, shape (m, m), from K_a V (m, n, c)."""
    m, n, outputs = images.shape
    together = max(_TOGETHER // (m * n), 1)
    blocks = (images[:, :, k : k + together] for k in range(0, outputs, together))
    return 0.5 * sum(
        (omega.forms(np.ascontiguousarray(block.transpose(0, 2, 1))) for block in blocks), np.zeros((m, m))
    )


def looked(family: FiniteFamily, data: Data, V: FloatArray, omega: Gram) -> tuple[FloatArray, FloatArray]:
    """K_a V (m, n, c) and tr(Omega K_a) (m,) of every atom, in one pass where that can be."""
    if isinstance(family, InPlay | Streamed):
        found: tuple[FloatArray, FloatArray] = data.surveyed(V, omega)
        return found
    return family.columns_of(data, V), family.traces(data, omega)


def listed(leaf: Leaf) -> FiniteFamily:
    """The leaf's family, which is a finite list."""
    assert isinstance(leaf.family, FiniteFamily)
    return leaf.family


def targets_of(problem: Problem) -> FloatArray:
    """Y, shape (n, c)."""
    return np.column_stack([qp.linear for qp in problem.outputs])


def counts(problem: Problem) -> list[int]:
    """How many atoms each leaf lists."""
    return [len(listed(leaf).dictionary()) for leaf in problem.leaves]


def split(problem: Problem, w: FloatArray) -> list[FloatArray]:
    """What stands in one row for all atoms, leaf by leaf."""
    return np.split(w, np.cumsum(counts(problem))[:-1])


def weighted(problem: Problem, w: FloatArray) -> Mixture:
    """The mixture of these weights (m,), without the atoms of weight 0."""
    pieces = zip(problem.leaves, split(problem, w), strict=True)
    return Mixture(tuple(Part(listed(leaf).dictionary().atoms, piece).kept() for leaf, piece in pieces))


def weights(problem: Problem, mixture: Mixture) -> FloatArray:
    """The weights of a mixture, in the order of the lists, shape (m,)."""
    return np.concatenate([leaf.parameters(part) for leaf, part in zip(problem.leaves, mixture.parts, strict=True)])
