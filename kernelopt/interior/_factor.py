"""Ways to solve with H = K + M + W^-1: as one matrix, as thin factors, output by output with the parameters between."""

from abc import ABC, abstractmethod

import attrs
import numpy as np
import scipy.linalg

from kernelopt._base._threads import all_threads
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._coupling import Coupling, TensorCoupling, WeightCoupling
from kernelopt._families._joined_couplings import Stacked
from kernelopt._linalg import _capacitance
from kernelopt._linalg._capacitance import Capacitance
from kernelopt._linalg._cones import symmetric
from kernelopt._linalg._gram import ROW_BLOCK, Dense, Gram, LowRank
from kernelopt._linalg._lapack import solve_lower
from kernelopt._linalg._large_cholesky import lower_factor
from kernelopt._linalg._low_rank_plus_diagonal import Thin
from kernelopt.interior._scaling import Metric

_JITTERS = (1e-14, 1e-12, 1e-10, 1e-8)
Cholesky = tuple[FloatArray, bool]


class Factor(ABC):
    """H, factored."""

    @abstractmethod
    def solve(self, R: FloatArray) -> FloatArray:
        """H^-1 R for R of shape (k,) or (k, m)."""


class Block(Factor):
    """A symmetric positive definite matrix that can also be multiplied with."""

    @abstractmethod
    def apply(self, X: FloatArray) -> FloatArray:
        """H X for X of shape (k, m)."""

    @abstractmethod
    def square(self, R: FloatArray) -> FloatArray:
        """R' H^-1 R for R of shape (k, m)."""


@attrs.frozen(eq=False)
class Whole(Block):
    """A matrix and its Cholesky factor in one array: the factor above, the matrix below the diagonal."""

    array: FloatArray
    diagonal: FloatArray
    factor: Cholesky

    @classmethod
    def of(cls, H: FloatArray) -> "Whole":
        """Overwrites H."""
        diagonal = np.diagonal(H).copy()
        return cls(H, diagonal, cholesky(H))

    def solve(self, R: FloatArray) -> FloatArray:
        if R.ndim == 1:
            return solve_lower(self.factor[0], R)
        solution, _ = scipy.linalg.lapack.dpotrs(self.factor[0], R, lower=1)
        return np.asarray(solution, dtype=np.float64)

    def apply(self, X: FloatArray) -> FloatArray:
        # The upper triangle of the transposed array is the matrix's own; only its diagonal is the factor's.
        product: FloatArray = scipy.linalg.blas.dsymm(1.0, self.array.T, X, side=0, lower=0)
        return product + (self.diagonal - np.diagonal(self.array))[:, None] * X

    def square(self, R: FloatArray) -> FloatArray:
        half = scipy.linalg.solve_triangular(self.factor[0], R, lower=True, check_finite=False)
        product: FloatArray = half.T @ half
        return product


@attrs.frozen(eq=False)
class Slim(Block):
    """Thin factors and a diagonal."""

    thin: Thin | Capacitance

    def solve(self, R: FloatArray) -> FloatArray:
        return self.thin.solve(R)

    def apply(self, X: FloatArray) -> FloatArray:
        return self.thin.apply(X)

    def square(self, R: FloatArray) -> FloatArray:
        product: FloatArray = R.T @ self.thin.solve(R)
        return product


def factored(gram: Gram, diagonal: FloatArray) -> Block:
    """The Gram (overwritten where it is dense) plus a diagonal, factored."""
    if isinstance(gram, LowRank) and gram.factor.shape[1] <= gram.n:
        return Slim(_capacitance.factored(gram.factor, gram.ridge + diagonal))
    H = gram.dense()
    H.flat[:: len(H) + 1] += diagonal
    return Whole.of(H)


@attrs.frozen(eq=False)
class ByParameters(Factor):
    """H = H0 + C E C': H0 has one diagonal block for each output, C holds the kernels' images of v, E is the metric.

        H^-1 r = H0^-1 (r - C y),    (E^-1 + C' H0^-1 C) y = C' H0^-1 r

    Attributes:
        blocks: H0's factored blocks.
        images: C by outputs, each (k_c, p).
        spread: E in its diagonal coordinates, (p,).
        inner: the Cholesky factor of E^-1 + C' H0^-1 C, (p, p).
    """

    blocks: tuple[Block, ...]
    images: tuple[FloatArray, ...]
    spread: FloatArray
    inner: Cholesky

    @classmethod
    def of(
        cls,
        blocks: tuple[Block, ...],
        sizes: tuple[int, ...],
        couplings: tuple[Coupling, ...],
        metrics: tuple[Metric, ...],
    ) -> "ByParameters":
        """From H0's factored blocks, the parameters' couplings on the same rows, and their metrics."""
        pairs = [one.diagonalised(coupling) for coupling, one in zip(couplings, metrics, strict=True)]
        C = np.hstack([_images(turned) for turned, _ in pairs])
        spread = np.concatenate([diagonal for _, diagonal in pairs])
        images = tuple(np.split(C, np.cumsum(sizes)[:-1]))
        inner = np.diag(1.0 / spread)
        for block, image in zip(blocks, images, strict=True):
            inner += block.square(image)
        return cls(blocks, images, spread, cholesky(symmetric(inner)))

    def solve(self, R: FloatArray) -> FloatArray:
        right = R if R.ndim == 2 else R[:, None]
        first = self._once(right)
        refined = first + self._once(right - self._applied(first))
        return refined.reshape(R.shape)

    def _parts(self, R: FloatArray) -> list[FloatArray]:
        return np.split(R, np.cumsum([len(image) for image in self.images])[:-1])

    def _once(self, R: FloatArray) -> FloatArray:
        parts = [block.solve(r) for block, r in zip(self.blocks, self._parts(R), strict=True)]
        inner = sum(image.T @ part for image, part in zip(self.images, parts, strict=True))
        y = scipy.linalg.cho_solve(self.inner, inner, check_finite=False)
        triples = zip(self.blocks, parts, self.images, strict=True)
        return np.concatenate([part - block.solve(image @ y) for block, part, image in triples])

    def _applied(self, X: FloatArray) -> FloatArray:
        """H X, from what was factored."""
        parts = self._parts(X)
        inner = self.spread[:, None] * sum(image.T @ x for image, x in zip(self.images, parts, strict=True))
        return np.concatenate(
            [block.apply(x) + image @ inner for block, image, x in zip(self.blocks, self.images, parts, strict=True)]
        )


def _images(coupling: Coupling) -> FloatArray:
    """K(E_j) v for an orthonormal basis E_j of the parameters, one column each, shape (k, p)."""
    if isinstance(coupling, Stacked):
        return np.vstack([_images(part) for part in coupling.parts])
    if isinstance(coupling, WeightCoupling):
        return coupling.columns
    if isinstance(coupling, TensorCoupling):
        a, b = np.triu_indices(coupling.tensor.shape[1])
        return np.asarray(coupling.tensor[:, a, b] * np.where(a == b, 1.0, np.sqrt(2.0)))
    raise TypeError(f"{type(coupling).__name__}.restrict must return a TensorCoupling or a WeightCoupling")


def cheaper_by_parameters(
    rows: tuple[int, ...], sizes: tuple[tuple[int, ...], ...], couplings: tuple[Coupling, ...] = ()
) -> bool:
    """Whether `ByParameters` takes fewer operations than `Whole`, for so many rows an output and parameters.

    A pair of rows costs as many operations as a G_i has entries where it is held as a tensor, else some q.
    """
    if len(rows) == 1:
        return False
    p = sum(shape[0] * (shape[0] + 1) // 2 if len(shape) == 2 else shape[0] for shape in sizes)
    pair = 8 * sum(shape[0] for shape in sizes) + 2 * sum(_entries(coupling) for coupling in couplings)
    by_parameters = sum(n**3 / 3 + n * n * p + n * p * p for n in rows) + p**3 / 3
    whole = sum(rows) ** 3 / 3 + sum(rows) ** 2 * pair
    return by_parameters < whole


def _entries(coupling: Coupling) -> int:
    """The entries of one G_i in memory, 0 where none are."""
    if isinstance(coupling, Stacked):
        return _entries(coupling.parts[0])
    return int(coupling.tensor[0].size) if isinstance(coupling, TensorCoupling) and coupling.n else 0


def cholesky(H: FloatArray) -> Cholesky:
    """The Cholesky factor of H, written over its upper triangle, with the smallest regularisation that suffices."""
    diagonal = np.diagonal(H).copy()
    for jitter in _JITTERS:
        H.flat[:: len(H) + 1] = diagonal * (1.0 + jitter)
        with all_threads(len(H)):
            factor = lower_factor(H)
        if factor is not None and np.isfinite(np.diagonal(factor)).all():
            return factor, True
        _restore_upper(H)
    raise np.linalg.LinAlgError("the Newton matrix is not positive definite")


def _restore_upper(H: FloatArray) -> None:
    """Copy the strict lower triangle over the upper one, in row blocks."""
    for i in range(0, len(H), ROW_BLOCK):
        j = min(i + ROW_BLOCK, len(H))
        H[i:j, j:] = H[j:, i:j].T
        square = H[i:j, i:j]
        square[np.triu_indices(j - i, 1)] = square.T[np.triu_indices(j - i, 1)]


def diagonal_blocks(K: Gram, costs: tuple[float, ...], rows: IntArray, added: FloatArray) -> tuple[Block, ...]:
    """For each output K plus its bias cost plus the diagonal, on its rows, factored in an array of its own."""
    blocks = []
    for k, cost in enumerate(costs):
        low, high = np.searchsorted(rows, [k * K.n, (k + 1) * K.n])
        mine = rows[low:high] - k * K.n
        blocks.append(factored(_part(K, cost, mine), added[low:high]))
    return tuple(blocks)


def _part(K: Gram, cost: float, rows: IntArray) -> Gram:
    """K + cost on these rows."""
    if isinstance(K, LowRank) and K.thin:
        low = K.with_constant(cost)
        return LowRank(low.factor[rows], low.ridge)
    return Dense(K.block(rows, rows) + cost)
