"""How far each of many rows is believed, where a sample says that their noise is not Gaussian noise of one size.

Row i has noise of the variance tau / s_i. Where the noise differs between rows, a function of rows that the sample has
learned says s_i. Where it is Student's t, s_i is the mean of the row's factor given its target, (nu + c) / (nu + e_i /
tau) as in `_student`, by what the other rows say of that: first by the rows of the sample with their own weights, and
then by all rows at hand, with weights by what was said before, until these settle.
"""

from collections.abc import Callable

import attrs
import numpy as np

from kernelopt._api.many_rows._sample_noise import SampleNoise
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._summed_mean import SummedMean
from kernelopt._evidence.noise._student import around_median, least_of, tails_of
from kernelopt._families.features._feature_rows import FeatureMap, HeldRows
from kernelopt._families.features._feature_sums import Summing
from kernelopt._prediction._row_noise import RowNoise
from kernelopt._prediction._tails import degrees_of_new
from kernelopt._rows._coded import Block, BlockWork, T

_ROUNDS = 5
"""So often, at most, rows are weighed: a guard, for their weights change little after the second time."""
_SETTLED = 0.02
"""Weights that change by less than this in the mean, beside a mean of 1, have settled."""


@attrs.frozen(eq=False)
class Student:
    """Noise of Student's t about a function of features.

    Attributes:
        map: the features.
        coefficients: of the features, shape (r, c).
        degrees: nu, the degrees of freedom, > 0.
        tau: the variance of the noise of a row whose factor is 1.
    """

    map: FeatureMap
    coefficients: FloatArray
    degrees: float
    tau: float

    def of(self, block: Block) -> FloatArray:
        """The mean factors of rows, shape (k,)."""
        return self.factors(block.y - self.map.of_block(block).times(self.coefficients), block.weight)

    def factors(self, away: FloatArray, weight: FloatArray) -> FloatArray:
        """Those of rows of which the function leaves this (k, c), and which count so often (k,), shape (k,)."""
        c, square = away.shape[1], weight * np.sum(away**2, axis=1)
        return np.asarray((self.degrees + c) / (self.degrees + square / self.tau))


@attrs.frozen(eq=False)
class Belief:
    """What the weights of rows are multiplied by.

    Attributes:
        scale: so that the mean of rows at hand is 1.
        rows: how large the noise of each row is, where it differs.
        student: noise of Student's t.
    """

    scale: float
    rows: RowNoise | None = None
    student: Student | None = None

    def of(self, block: Block) -> FloatArray:
        """How far rows are believed, > 0, 1 in the mean, shape (k,)."""
        found = np.full(len(block), self.scale)
        if self.rows is not None:
            found /= self.rows.ratios(block.X)
        return found if self.student is None else found * self.student.of(block)

    @property
    def noise(self) -> RowNoise | None:
        """How large the noise of new rows is, beside that of a row that is believed as the mean is."""
        if self.rows is None:
            return None
        return attrs.evolve(self.rows, factor=self.rows.factor / self.scale, least=self.rows.least / self.scale)

    @property
    def degrees(self) -> float | None:
        """Of freedom of the noise of new targets; None where it is not Student's t."""
        return None if self.student is None else degrees_of_new(self.student.degrees)


@attrs.frozen(eq=False)
class Believing(BlockWork[T]):
    """Work on rows, as far as they are believed.

    Attributes:
        work: on blocks.
        belief: in their rows.
    """

    work: BlockWork[T]
    belief: Belief

    @property
    def at_once(self) -> int:
        """So many rows a block has at most."""
        return self.work.at_once

    def __call__(self, block: Block) -> T:
        return self.work(attrs.evolve(block, weight=block.weight * self.belief.of(block)))


def weighed(rows: HeldRows, belief: Belief | None) -> HeldRows:
    """Rows in memory that count as far as they are believed."""
    if belief is None:
        return rows
    factors = np.empty(rows.n)
    for places, held in rows.features.blocks():
        block = Block(rows.features.X[places], rows.y[places], rows.weight[places], held)
        factors[places] = belief.of(block)
    return attrs.evolve(rows, weight=rows.weight * factors)


def belief_in(
    few: HeldRows, noise: SampleNoise, sample: IntArray, root: FloatArray, stop: Callable[[], bool]
) -> Belief:
    """What the sample, and rows at hand, say of how far rows are believed.

    Args:
        few: rows at hand, with the weights that they were given.
        noise: what the sample has learned.
        sample: the numbers of its rows among these, shape (k,).
        root: the roots of the weights of the features, in the kernel of the sample, shape (r,).
        stop: whether there is no time for more.
    """
    if noise.rows is not None:
        each = 1.0 / noise.rows.ratios(few.features.X)
        return Belief(1.0 / float(np.average(each, weights=few.weight)), rows=noise.rows)
    assert noise.tails is not None
    first = few.only(sample)
    believed = attrs.evolve(first, weight=first.weight * noise.tails.weight)
    before = np.ones(few.n)
    for _ in range(_ROUNDS):
        belief = _by(believed, few, noise.tau, root)
        believed = weighed(few, belief)
        after = believed.weight / few.weight
        if stop() or np.mean(np.abs(after - before)) < _SETTLED:
            break
        before = after
    return belief


def _by(said: HeldRows, few: HeldRows, tau: float, root: FloatArray) -> Belief:
    """The belief in rows by what some of them say with a kernel of these features and noise tau."""
    map_ = said.features.map
    sums, _ = said.total(Summing(map_))
    inner = root[:, None] * sums.inner * root
    inner[np.diag_indices(len(inner))] += tau
    coefficients = SummedMean.of(inner, sums.along, root).coefficients
    away, c = few.y - few.features.image(coefficients), few.y.shape[1]
    least = least_of(around_median(few.y, few.weight))
    squares = np.maximum(few.weight * np.sum(away**2, axis=1), least)
    tails, _ = tails_of(squares, c)
    tau = float(np.mean(tails.weight * squares)) / c  # where the density of the residuals is largest
    student = Student(map_, coefficients, tails.degrees, tau)
    scale = 1.0 / float(np.average(student.factors(away, few.weight), weights=few.weight))
    return Belief(scale, student=student)
