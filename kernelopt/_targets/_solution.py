"""What is known of many targets, each with kernel weights and noise of its own: arrays, and predictions."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, overload

import attrs
import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from kernelopt._base._errors import InvalidOption
from kernelopt._base._path import as_path
from kernelopt._base._typing import BoolArray, FloatArray
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._linalg._gram import mirrored
from kernelopt._model import _doors
from kernelopt._prediction._few_rows import degrees_of_few, spread_of
from kernelopt._prediction._interval import around, check_share, normal_reach, student_reach
from kernelopt._prediction._kernel import Kernel

_AT_ONCE = 512
"""So many new rows are read at a time."""
_BLOCK = 256
"""The kernel among rows is computed for so many of them at a time."""


@attrs.frozen(eq=False)
class Atom:
    """One kernel of a list.

    Attributes:
        leaf: the list that it is of.
        part: the kernel alone, with the weight 1.
    """

    leaf: Leaf
    part: Part

    def between(self, Z: FloatArray, X: FloatArray) -> FloatArray:
        """The kernel between checked rows."""
        return np.asarray(self.leaf.factor * self.leaf.family.cross(self.part, self.leaf.view(Z), self.leaf.view(X)))

    def gram(self, X: FloatArray) -> FloatArray:
        """The kernel among checked rows, shape (n, n), of which half is computed."""
        family, seen = self.leaf.family, self.leaf.view(X)
        K, among = np.empty((len(X), len(X))), family.among(self.part, seen)
        for first in range(0, len(X), _BLOCK):
            some = slice(first, first + _BLOCK)
            np.multiply(self.leaf.factor, among(some, slice(some.stop)), out=K[some, : some.stop])
        K[np.diag_indices(len(X))] += self.leaf.factor * family.apart(self.part, seen)
        return mirrored(K)

    def diagonal(self, Z: FloatArray) -> FloatArray:
        """The kernel of each checked row with itself."""
        return np.asarray(self.leaf.factor * self.leaf.family.diag(self.part, self.leaf.view(Z)))


@attrs.frozen(eq=False, repr=False)
class TargetsSolution:
    """Kernel weights and noise of each of t targets, with methods that predict; see `kernelopt.solve_targets`.

    If the run was interrupted, the numbers of the targets that were not reached are NaN.

    Attributes:
        weights: the variance that each kernel explains in each target, in squared units of the target, shape (m, t).
        noise: the variance of the noise of each target, shape (t,).
        log_evidence: the logarithm of the probability density of what the mean of each target leaves, the restricted
            likelihood, in nats, shape (t,); NaN for a constant target. With effort="quick" the determinant in it is
            interpolated, and it may be wrong by as much as `gap`.
        gap: the largest number of nats by which the evidence of each target may be below its nearest local optimum,
            shape (t,).
        r2: the share of the variance of each target that the fitted values explain, shape (t,); NaN for a constant
            target.
        r2_cv: the same share by generalised cross-validation, which estimates the share for new rows, shape (t,); NaN
            of a constant target, and where `effort="quick"` knows too little to tell.
        done: which targets were reached, shape (t,).
        alone: which targets were finished one by one, because the shared quantities left their gap too large, or
            because there are so few targets that this takes less time, shape (t,).
        lost: with effort="quick": by how many nats each target of a sample is below the optimum that was computed for
            this target alone, shape (t,); NaN for all other targets, and if all were learned alone.
        intercept: the mean of each target, shape (t,).
        dual_coef: V^-1 (y - mean) of each target, where V is the covariance of the target, shape (n, t); the
            noise of a row that counts k times is divided by k in V.
        kernels: the names of the kernels, length m.
        notes: sentences on what the reader should know.
        X: the training rows with categories as codes, shape (n, d).
        atoms: the kernels before they were centred and brought to the mean diagonal 1, length m.
        sizes: the mean diagonals by which the centred kernels were divided, shape (m,).
        means: the mean of each kernel with each training row, shape (m, n).
        counts: how many times each training row counts, shape (n,); 1 without `sample_weight`.
        reader: the object that reads new rows in the same way as the training rows.
        single: whether the targets were given as one vector, shape (n,).
    """

    weights: FloatArray
    noise: FloatArray
    log_evidence: FloatArray
    gap: FloatArray
    r2: FloatArray
    r2_cv: FloatArray
    done: BoolArray
    alone: BoolArray
    lost: FloatArray
    intercept: FloatArray
    dual_coef: FloatArray
    kernels: tuple[str, ...]
    notes: tuple[str, ...]
    X: FloatArray
    atoms: tuple[Atom, ...]
    sizes: FloatArray
    means: FloatArray
    counts: FloatArray
    reader: Kernel
    single: bool = False

    @property
    def interrupted(self) -> bool:
        """Whether some targets were not reached."""
        return not bool(self.done.all())

    def save(self, path: str | Path) -> None:
        """Write the whole solution into a file that `kernelopt.load` reads; a file of this name is replaced.

        Raises:
            ModelFileError: the file cannot be written, or a family holds an object that no file can hold, such as a
                function.
        """
        _doors.save(self, as_path(path, "save"))

    def shares(self) -> FloatArray:
        """The share of each kernel in the variance of each target, shape (m, t).

        The variance of a target is the sum over its kernels and its noise. A constant target has shares of 0.
        """
        total = self.weights.sum(axis=0) + self.noise
        return np.asarray(self.weights / np.where(total > 0.0, total, 1.0))

    def views(self) -> dict[str, FloatArray]:
        """The share of each view in the variance of each target, by the name of the view, each of shape (t,).

        The share of a view is the sum of the shares of its kernels. What rows that lack a view have to themselves is in
        no share.

        Raises:
            InvalidOption: no view has a name.
        """
        groups = [atom.leaf.group for atom in self.atoms]
        if not any(groups):
            raise InvalidOption(
                "views: the targets were learned from one matrix without views; pass X as a list or a mapping of "
                "blocks, or take shares() for the share of each kernel"
            )
        shares = self.shares()
        return {
            name: shares[[group == name for group in groups]].sum(axis=0)
            for name in dict.fromkeys(filter(None, groups))
        }

    @overload
    def predict(self, X: Any, return_std: Literal[False] = False) -> FloatArray: ...
    @overload
    def predict(self, X: Any, return_std: Literal[True]) -> tuple[FloatArray, FloatArray]: ...
    def predict(self, X: Any, return_std: bool = False) -> FloatArray | tuple[FloatArray, FloatArray]:
        """The values of all targets at rows X, shape (n', t), or (n',) where one target was given as a vector.

        Args:
            X: rows as in training.
            return_std: also the standard deviation of a new target at each row, in the shape of the values. It takes
                one Cholesky factor of n rows for each target.

        Raises:
            InvalidData: the rows are other than those in training.
        """
        rows = self.reader.rows(X, "X")
        values = np.vstack([self._values(rows[k : k + _AT_ONCE]) for k in range(0, len(rows), _AT_ONCE)])
        if not return_std:
            return values[:, 0] if self.single else values
        degrees = degrees_of_few(float(self.counts.sum()))
        deviations = self._deviations(rows) * (1.0 if degrees is None else math.sqrt(spread_of(degrees)))
        return (values[:, 0], deviations[:, 0]) if self.single else (values, deviations)

    def predict_interval(self, X: Any, share: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """The lower and the upper ends of intervals that hold new targets at rows X with a probability of `share` each.

        Args:
            X: rows as in training.
            share: the probability, between 0 and 1.

        Returns:
            Both ends, each of the shape of the values of `predict`. They take as long as
                `predict(X, return_std=True)`.

        Raises:
            InvalidData: the rows are other than those in training.
            InvalidOption: `share` is out of its range.
        """
        degrees, share = degrees_of_few(float(self.counts.sum())), check_share(share)
        reach = normal_reach(share) if degrees is None else student_reach(degrees, share)
        return around(*self.predict(X, return_std=True), reach)

    def _values(self, rows: FloatArray) -> FloatArray:
        """Of checked rows: sum_a w_a / size_a (k_a(z)' alpha - mean_a' alpha) + mean."""
        values = np.tile(self.intercept, (len(rows), 1))
        for atom, weights, size, means in zip(self.atoms, self.weights, self.sizes, self.means, strict=True):
            if (weights > 0.0).any() or self.interrupted:
                images = atom.between(rows, self.X) @ self.dual_coef - means @ self.dual_coef
                values += weights / size * images
        return values

    def _deviations(self, rows: FloatArray) -> FloatArray:
        """The root of k(z, z) - k(z)'V^-1 k(z) + noise, shape (n', t), as if the rows were many."""
        share = self.counts / self.counts.sum()
        grams = np.stack([_centred(atom.gram(self.X), means, share) for atom, means in self._paired()])
        crossed = np.stack([_centred(atom.between(rows, self.X), means, share) for atom, means in self._paired()])
        own = np.stack(
            [
                atom.diagonal(rows) - 2.0 * atom.between(rows, self.X) @ share + means @ share
                for atom, means in self._paired()
            ]
        )
        found = np.empty((len(rows), len(self.noise)))
        for t, noise in enumerate(self.noise):
            w = self.weights[:, t] / self.sizes
            found[:, t] = _deviation(grams, crossed, own, w, float(noise), self.counts)
        return found

    def _paired(self) -> Iterator[tuple[Atom, FloatArray]]:
        return zip(self.atoms, self.means, strict=True)

    def __repr__(self) -> str:
        reached = int(self.done.sum())
        return (
            f"<{reached} of {len(self.done)} targets learned, {len(self.kernels)} kernels, median R2 by "
            f"cross-validation {_middle(self.r2_cv):.3f}, largest gap {np.nanmax(self.gap, initial=0.0):.2g} nats>"
        )


def _middle(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else float("nan")


def _centred(K: FloatArray, means: FloatArray, share: FloatArray) -> FloatArray:
    """A kernel between rows and training rows, centred by the training rows, of which each has its share (n,)."""
    return np.asarray(K - (K @ share)[:, None] - means + means @ share)


def _deviation(
    grams: FloatArray, crossed: FloatArray, own: FloatArray, w: FloatArray, noise: float, counts: FloatArray
) -> FloatArray:
    """Of one target, from the kernels' grams (m, n, n), those with new rows (m, n', n) and of these alone (m, n')."""
    if np.isnan(noise) or noise == 0.0:
        return np.full(own.shape[1], noise)
    K, cross = np.tensordot(w, grams, axes=1), np.tensordot(w, crossed, axes=1)
    solved = _solved(K, noise / counts, cross.T)
    return np.asarray(np.sqrt(np.maximum(w @ own - np.einsum("zn,nz->z", cross, solved), 0.0) + noise))


def _solved(K: FloatArray, noise: FloatArray, B: FloatArray) -> FloatArray:
    """(K + diag(noise))^-1 B of a centred kernel (n, n), whose eigenvalues below 0 are the rounding of what it had
    before it was centred.
    """
    V = K + np.diag(noise)
    try:
        return np.asarray(cho_solve(cho_factor(V, lower=True, overwrite_a=True, check_finite=False), B))
    except LinAlgError:
        root = np.sqrt(noise)
        values, vectors = np.linalg.eigh(K / root[:, None] / root)
        turned = (vectors.T @ (B / root[:, None])) / (1.0 + np.maximum(values, 0.0))[:, None]
        return np.asarray((vectors @ turned) / root[:, None])
