"""Weights on a list of atoms of which some may move: their kernels with what moving them adds."""

import attrs
import numpy as np

from kernelopt._base._memory import fits
from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._coupling import Coupling, WeightCoupling
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._families.features._feature_lists import Factors
from kernelopt._linalg._gram import Dense, Gram, add
from kernelopt.interior._block import Block
from kernelopt.interior._weight_block import WeightBlock

_WIDE = 48
"""From so many columns of an atom on its Gram is quicker than its factor, where memory holds the Grams."""


@attrs.frozen(eq=False)
class TangentBlock(Block):
    """Weights on atoms, K_a + T_a in the place of K_a for the first of them, the T_a held as matrices.

    Attributes:
        weights: the block of the K_a.
        grams: T_a with the leaf's factor, shape (k, n, n).
    """

    weights: WeightBlock
    grams: FloatArray

    @property
    def start(self) -> FloatArray:
        return self.weights.start

    def gram(self, S: FloatArray) -> Gram:
        return add(self.weights.gram(S), Dense(np.tensordot(S[: len(self.grams)], self.grams, 1)))

    def couple(self, v: FloatArray, rows: IntArray | None = None) -> Coupling:
        columns = self._columns_at(v)
        return WeightCoupling(columns if rows is None else columns[rows])

    def _columns_at(self, v: FloatArray) -> FloatArray:
        columns = self.weights.columns_at(v)
        columns[:, : len(self.grams)] += (self.grams @ v).T
        return columns

    def image(self, S: FloatArray, V: FloatArray) -> FloatArray:
        return self.weights.image(S, V) + np.tensordot(S[: len(self.grams)], self.grams @ V, 1)

    def adjoint(self, v: FloatArray) -> FloatArray:
        return self._columns_at(v).T @ v

    def parameters(self, part: Part) -> FloatArray:
        return self.weights.parameters(part)

    def part(self, S: FloatArray) -> Part:
        return self.weights.part(S)


def on_tangents(leaf: Leaf, data: Data, atoms: FloatArray, tangents: tuple[FloatArray, ...]) -> Block:
    """The block of weights on atoms (m, p) of a leaf without a price, whose first kernels have more features.

    Args:
        leaf: the leaf.
        data: bound.
        atoms: shape (m, p).
        tangents: the further features F_a of the first atoms, each (n, r_a), without the leaf's factor: K_a + F_a F_a'
            stands in the place of K_a.
    """
    weights = WeightBlock.of(leaf, data, atoms)
    if not tangents:
        return weights
    n = len(tangents[0])
    wide = np.mean([F.shape[1] for F in tangents]) >= _WIDE and fits(2 * 8 * len(tangents) * n * n)
    if weights.factors is not None and not wide:
        return attrs.evolve(weights, factors=_joined(weights.factors, tangents, leaf.factor))
    return TangentBlock(weights, np.array([leaf.factor * (F @ F.T) for F in tangents]))


def _joined(factors: Factors, tangents: tuple[FloatArray, ...], factor: float) -> Factors:
    """The factors with the further features of the first atoms."""
    more = np.repeat(np.arange(len(tangents)), [F.shape[1] for F in tangents])
    owner = np.concatenate([factors.owner, more])
    order = np.argsort(owner, kind="stable")
    features = np.hstack([factors.features, np.sqrt(factor) * np.hstack(tangents)])
    return Factors(np.ascontiguousarray(features[:, order]), owner[order], factors.ridges)
