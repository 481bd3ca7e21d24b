"""The mean of a Gaussian process with its whole kernel, on some ten thousand rows, by conjugate gradients.

Landmarks leave out much of a rough kernel. What they span is a good preconditioner all the same: with features Phi of
the landmarks and p, the noise and what they leave out of k(x, x) in the mean,

    (K + tau S^-1) v = y,    preconditioned by Phi Phi' + p S^-1

takes some ten products with K (Cutajar, Osborne, Cunningham and Filippone 2016), where a factorisation takes n / 3 of
them. Only half of K is held.
"""

from collections.abc import Callable

import attrs
import numpy as np
from scipy.linalg import blas, cho_solve, cholesky
from scipy.optimize import minimize_scalar

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._prediction._kernel import Kernel

_SETTLED = 0.02
"""Of the deviation that noise and landmarks leave: residuals of this size are none beside it. A guard: an error of a
fiftieth is a 2500th of the square."""
_STEPS = 200
"""So many steps at most: a preconditioner that needs more is none."""
_WIDEST = 4.0
"""A larger share of what landmarks do not know is none of theirs."""


@attrs.frozen(eq=False)
class Spanned:
    """What landmarks know of training rows.

    Attributes:
        features: Phi, shape (n, r), not to be written into.
        root: the roots of the weights of the features, shape (r,): K is about Phi diag(root)^2 Phi'.
        inner: diag(root) Phi'S Phi diag(root), shape (r, r).
        missing: what they leave out of k(x, x) at each row, shape (n,).
    """

    features: FloatArray
    root: FloatArray
    inner: FloatArray
    missing: FloatArray


@attrs.frozen(eq=False)
class WholeKernel:
    """Rows with their whole kernel.

    Attributes:
        half: S^1/2 K S^1/2, of which the lower triangle counts, shape (n, n), rows first.
        scale: the roots of S, which says how often each row counts, shape (n,).
        tau: the noise of a row that counts once.
        spanned: what landmarks know of the rows.
    """

    half: FloatArray
    scale: FloatArray
    tau: float
    spanned: Spanned

    @classmethod
    def of(
        cls,
        kernel: Kernel,
        X: FloatArray,
        weight: FloatArray,
        tau: float,
        spanned: Spanned,
        stop: Callable[[float], bool],
    ) -> "WholeKernel | None":
        """Of rows X (n, d) that count so often (n,); None where it was to stop, after a share of the work."""
        n, scale = len(X), np.sqrt(weight)
        half = np.empty((n, n))
        for i in range(0, n, ROW_BLOCK):
            rows, before = slice(i, i + ROW_BLOCK), slice(0, i + ROW_BLOCK)
            half[rows, before] = kernel.between(X[rows], X[before])
            half[rows, before] *= scale[rows, None] * scale[before]
            if stop(min((i + ROW_BLOCK) / n, 1.0) ** 2):
                return None
        return cls(half, scale, tau, spanned)

    def solved(
        self, Y: FloatArray, stop: Callable[[], bool], kept: IntArray | None = None, start: FloatArray | None = None
    ) -> FloatArray | None:
        """v of targets Y (n, c), shape (n, c); None where it was to stop, or does not settle. A step costs 2 n^2 c
        operations.

        Args:
            Y: the targets.
            stop: whether to stop.
            kept: rows (k,); v is 0 at all others, as if these were not there. None for all.
            start: v of another such problem, shape (n, c).
        """
        known = np.ones((len(Y), 1)) if kept is None else np.zeros((len(Y), 1))
        if kept is not None:
            known[kept] = 1.0
        left, found = known * self.scale[:, None] * Y, np.zeros_like(Y)
        if start is not None:
            found = known * start / self.scale[:, None]
            left -= known * self._image(found)
        precondition, aim = (
            self._preconditioner(np.flatnonzero(known[:, 0] == 0.0)),
            _SETTLED * np.sqrt(self._unknown * len(Y)),
        )
        toward = known * precondition(left)
        way, power = toward.copy(), np.sum(left * toward, axis=0)
        for _ in range(_STEPS):
            if stop():
                return None
            image = known * self._image(way)
            length = power / np.maximum(np.sum(way * image, axis=0), np.finfo(float).tiny)
            found += length * way
            left -= length * image
            if (np.linalg.norm(left, axis=0) <= aim).all():
                return np.asarray(self.scale[:, None] * found)
            toward = known * precondition(left)
            before, power = power, np.sum(left * toward, axis=0)
            way = toward + power / np.maximum(before, np.finfo(float).tiny) * way
        return None

    def between(self, rows: IntArray, V: FloatArray) -> FloatArray:
        """K of some rows (k,) with all, times V (n, c), shape (k, c)."""
        part = self.half[rows]
        for place, i in enumerate(rows):
            part[place, i + 1 :] = self.half[i + 1 :, i]
        return np.asarray(part @ (V / self.scale[:, None]) / self.scale[rows, None])

    def _image(self, B: FloatArray) -> FloatArray:
        """(S^1/2 K S^1/2 + tau I) B."""
        return np.asarray(blas.dsymm(1.0, self.half.T, np.asfortranarray(B), lower=0)) + self.tau * B

    @property
    def _unknown(self) -> float:
        """The variance of a row, in its scale, that landmarks do not explain."""
        return self.tau + float(np.mean(self.scale**2 * self.spanned.missing))

    def _preconditioner(self, out: IntArray) -> Callable[[FloatArray], FloatArray]:
        """(S^1/2 Phi Phi' S^1/2 + p I)^-1 of all rows but some (k,), for what is 0 at these."""
        known, p = self.spanned, self._unknown
        without = self.scale[out, None] * known.features[out] * known.root
        inner = known.inner - without.T @ without
        inner[np.diag_indices(len(inner))] += p
        lower = cholesky(inner, lower=True, overwrite_a=True, check_finite=False)

        def solve(R: FloatArray) -> FloatArray:
            along = known.root[:, None] * (known.features.T @ (self.scale[:, None] * R))
            along = known.root[:, None] * cho_solve((lower, True), along, check_finite=False)
            return np.asarray((R - self.scale[:, None] * (known.features @ along)) / p)

        return solve


def share_of(left: FloatArray, unknown: FloatArray, noise: FloatArray) -> float:
    """The share of what landmarks do not know that residuals of rows which were held out have beside the noise.

        minimise the mean of log(u_i) + e_i^2 / u_i,    u_i = noise_i + share unknown_i

    Args:
        left: the residuals e, shape (k, c).
        unknown: the variance by landmarks alone, without noise, shape (k,).
        noise: of each row, shape (k,).
    """
    square = np.mean(left**2, axis=1)

    def loss(share: float) -> float:
        variance = noise + share * unknown
        return float(np.mean(np.log(variance) + square / variance))

    return float(minimize_scalar(loss, bounds=(0.0, _WIDEST), method="bounded").x)
