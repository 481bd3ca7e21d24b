"""The mean of a Gaussian process with its whole kernel, on some ten thousand rows, by conjugate gradients.

Landmarks leave out much of a rough kernel. What they span is a good preconditioner all the same: with features Phi of
the landmarks, rows that are scaled by D, and P, the diagonal matrix of the noise and of what the landmarks leave out at
each row,

    (D K D + tau I) u = r,    preconditioned by D Phi Phi' D + P

takes some ten products with K (Cutajar, Osborne, Cunningham and Filippone 2016), where a factorisation takes n / 3 of
them. Only half of K is held, in single precision: what its rounding changes is far below the noise. Where it is not,
the matrix need not be positive definite, and there is no answer.
"""

import math
from collections.abc import Callable
from typing import Any, Protocol

import attrs
import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve, cholesky
from scipy.optimize import minimize_scalar

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._feature_block import FeatureBlock

_TILE = 512
"""Rows and columns of K that are formed at once: a megabyte, which the cache holds."""
_SETTLED = 0.02
"""Of the deviation that noise and landmarks leave: residuals of this size are none beside it. A guard: an error of a
fiftieth is a 2500th of the square."""
_STEPS = 200
"""So many steps at most: a preconditioner that needs more is none."""
_JUDGED = 30
"""After so many steps their pace says whether the rest will do. A guard: conjugate gradients gain little at first."""
_WIDEST = 4.0
"""A larger share of what landmarks do not know is none of theirs."""


@attrs.frozen(eq=False)
class Spanned:
    """What landmarks know of training rows.

    Attributes:
        features: Phi, shape (n, r).
        root: the roots of the weights of the features, shape (r,): K is about Phi diag(root)^2 Phi'.
        missing: what they leave out of k(x, x) at each row, shape (n,).
    """

    features: FeatureBlock
    root: FloatArray
    missing: FloatArray

    def inner(self, square: FloatArray) -> FloatArray:
        """diag(root) Phi' diag(square) Phi diag(root) of rows that count so much (n,), shape (r, r)."""
        return np.asarray(self.root[:, None] * self.features.inner(square) * self.root)


class WholeGram(Protocol):
    """K between all n rows, in single precision, wherever it is."""

    def image(self, B: FloatArray) -> FloatArray:
        """K B for B (n, c), shape (n, c)."""

    def between(self, rows: IntArray, V: FloatArray) -> FloatArray:
        """K of some rows (k,) with all, times V (n, c), shape (k, c)."""


@attrs.frozen(eq=False)
class HalfGram:
    """K in memory, without what its entries have in common: a smooth kernel's hardly differ, and single precision then
    has digits for the differences.

    Attributes:
        strips: rows of K one after the other, up to the last one's diagonal, (h, start + h) each, less the shift.
        shift: about the mean of the entries.
    """

    strips: tuple[npt.NDArray[np.float32], ...]
    shift: float

    @classmethod
    def of(cls, n: int, between: Callable[[slice, slice], Any], stop: Callable[[float], bool]) -> "HalfGram | None":
        """Of n rows, by the kernel between some of them and others; None where it was to stop, after a share of the
        work. 2 n^2 bytes are written.
        """
        strips, shift = [], None
        for i in range(0, n, _TILE):
            rows = slice(i, min(i + _TILE, n))
            strip = np.empty((rows.stop - i, rows.stop), dtype=np.float32)
            for j in range(0, rows.stop, _TILE):
                columns = slice(j, min(j + _TILE, n))
                tile = between(rows, columns)
                shift = float(np.mean(tile)) if shift is None else shift
                np.subtract(tile, shift, out=strip[:, columns])
            strips.append(strip)
            if stop(min((i + _TILE) / n, 1.0) ** 2):
                return None
        return cls(tuple(strips), shift or 0.0)

    def image(self, B: FloatArray) -> FloatArray:
        """K B for B (n, c), shape (n, c): half of K is read once."""
        from kernelopt._linalg._compiled_half import add_images  # numba is imported where it is needed

        some, start = np.ascontiguousarray(B.T, dtype=np.float32), 0
        total = np.zeros_like(some)
        for strip in self.strips:
            add_images(strip, start, some, total)
            start += len(strip)
        return np.asarray(total.T.astype(np.float64) + self.shift * B.sum(axis=0))

    def between(self, rows: IntArray, V: FloatArray) -> FloatArray:
        """K of some rows (k,) with all, times V (n, c), shape (k, c)."""
        part = np.empty((len(rows), len(V)), dtype=np.float32)
        start = 0
        for strip in self.strips:
            here = slice(start, start + len(strip))
            inside, later = (rows >= here.start) & (rows < here.stop), rows >= here.stop
            own = rows[inside] - start
            part[inside, : here.stop] = strip[own]
            for place, i in zip(np.flatnonzero(inside), own, strict=True):
                part[place, rows[place] + 1 : here.stop] = strip[i + 1 :, rows[place]]
            earlier = ~(inside | later)
            part[earlier, here] = strip[:, rows[earlier]].T
            start = here.stop
        return np.asarray(part.astype(np.float64) @ V + self.shift * V.sum(axis=0))


@attrs.frozen(eq=False)
class WholeKernel:
    """Rows with their whole kernel.

    Attributes:
        gram: K.
        spanned: what landmarks know of the rows.
    """

    gram: WholeGram
    spanned: Spanned


@attrs.frozen(eq=False)
class Equations:
    """(D K D + tau I) u = r, D = diag(scale).

    Attributes:
        whole: K.
        scale: >= 0, shape (n,).
        tau: > 0.
        left: P of the preconditioner, shape (n,).
        inner: diag(root) Phi'D P^-1 D Phi diag(root) of what landmarks span, shape (r, r).
    """

    whole: WholeKernel
    scale: FloatArray
    tau: float
    left: FloatArray
    inner: FloatArray

    @classmethod
    def of(cls, whole: WholeKernel, scale: FloatArray, tau: float) -> "Equations":
        """With the preconditioner of these scales: n r^2 operations."""
        left = _unknown(whole, scale, tau)
        return cls(whole, scale, tau, left, whole.spanned.inner(scale**2 / left))

    def noisy(self, tau: float) -> "Equations":
        """With other noise and the same preconditioner."""
        return attrs.evolve(self, tau=tau)

    def solved(
        self, R: FloatArray, stop: Callable[[], bool], kept: IntArray | None = None, start: FloatArray | None = None
    ) -> FloatArray | None:
        """The u of r (n, c), shape (n, c); None where it was to stop, does not settle, or meets a direction in
        which the matrix is not positive. A step costs 2 n^2 c operations.

        Args:
            R: the right sides.
            stop: whether to stop.
            kept: rows (k,); u is 0 at all others, as if these were not there. None for all.
            start: u of another such problem, shape (n, c).
        """
        known = np.ones((len(R), 1)) if kept is None else np.zeros((len(R), 1))
        if kept is not None:
            known[kept] = 1.0
        left, found = known * R, np.zeros_like(R)
        if start is not None:
            found = known * start
            left -= known * self._image(found)
        precondition = self._preconditioner(np.flatnonzero(known[:, 0] == 0.0))
        aim = _SETTLED * math.sqrt(float(_unknown(self.whole, self.scale, self.tau).sum()))
        way, power, first = np.zeros_like(R), np.full(R.shape[1], np.inf), np.linalg.norm(left, axis=0)
        for step in range(_STEPS):
            residual = np.linalg.norm(left, axis=0)
            unsettled = np.flatnonzero(~(residual <= aim))
            if not len(unsettled):
                return found
            if stop() or _hopeless(step, first[unsettled], residual[unsettled], aim):
                return None
            rest = left[:, unsettled]
            toward = known * precondition(rest)
            before, power[unsettled] = power[unsettled], np.sum(rest * toward, axis=0)
            way[:, unsettled] = toward + power[unsettled] / before * way[:, unsettled]
            on = way[:, unsettled]
            image = known * self._image(on)
            bend = np.sum(on * image, axis=0)
            if not (bend > 0.0).all():  # the rounding of K is more than tau: the matrix is not definite
                return None
            length = power[unsettled] / bend
            found[:, unsettled] += length * on
            left[:, unsettled] = rest - length * image
        return None

    def _image(self, B: FloatArray) -> FloatArray:
        """(D K D + tau I) B."""
        return np.asarray(self.scale[:, None] * self.whole.gram.image(self.scale[:, None] * B) + self.tau * B)

    def _preconditioner(self, out: IntArray) -> Callable[[FloatArray], FloatArray]:
        """(D Phi Phi' D + P)^-1 of all rows but some (k,), for what is 0 at these."""
        known, p = self.whole.spanned, self.left
        without = (self.scale[out] / np.sqrt(p[out]))[:, None] * known.features.rows(out) * known.root
        inner = self.inner - without.T @ without
        inner[np.diag_indices(len(inner))] += 1.0
        lower = cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
        across = (self.scale / p)[:, None]

        def solve(R: FloatArray) -> FloatArray:
            along = known.root[:, None] * known.features.sums(across * R)
            along = known.root[:, None] * cho_solve((lower, True), along, check_finite=False)
            return np.asarray(R / p[:, None] - across * known.features.times(along))

        return solve


def _unknown(whole: WholeKernel, scale: FloatArray, tau: float) -> FloatArray:
    """The diagonal of D (K - Phi Phi') D + tau I, shape (n,): the variance of each row, in its scale, that landmarks do
    not explain.
    """
    return np.asarray(tau + scale**2 * whole.spanned.missing)


def _hopeless(step: int, first: FloatArray, residual: FloatArray, aim: float) -> bool:
    """Whether some of the columns that have not settled will not do so within all steps, at their mean pace so far.

    Args:
        step: how many steps there were.
        first: the norms of the columns' residuals before the first step, shape (c,).
        residual: the norms now, shape (c,), > aim.
        aim: the norm at which a column has settled.
    """
    if step < _JUDGED or aim <= 0.0:
        return False
    to_go, gone = np.log(residual / aim), np.log(first / residual)
    return bool(np.any(to_go * step > np.maximum(gone, 0.0) * (_STEPS - step)))


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
        return float(np.mean(_losses(square, noise + share * unknown)))

    return float(minimize_scalar(loss, bounds=(0.0, _WIDEST), method="bounded").x)


def noisier(left: FloatArray, unknown: FloatArray, noise: FloatArray) -> float:
    """How many times the noise, once at least, lets such a share of what is unknown come closest to the residuals; once
    where that is not closer by more than the error of the comparison.

    Where many rows are predicted exactly and some are not, landmarks may know neither from the other: the noise that
    the sample believes in is then far below the errors of rows that landmarks take for known.

    Args:
        left: the residuals, shape (k, c).
        unknown: the variance by landmarks alone, without noise, shape (k,).
        noise: of each row, shape (k,).
    """
    square = np.mean(left**2, axis=1)

    def losses(times: float) -> FloatArray:
        return _losses(square, times * noise + share_of(left, unknown, times * noise) * unknown)

    most = math.log(max(float(square.max() / noise.min()), 1.0))
    found = minimize_scalar(lambda log: losses(math.exp(log)).mean(), bounds=(0.0, most), method="bounded")
    times = math.exp(found.x)
    gain = losses(1.0) - losses(times)
    return times if gain.mean() > gain.std() / math.sqrt(len(gain)) else 1.0


def _losses(square: FloatArray, variance: FloatArray) -> FloatArray:
    """What rows lose by their squared residuals (k,) where these variances (k,) are told: log(u) + e^2 / u."""
    return np.asarray(np.log(variance) + square / variance)
