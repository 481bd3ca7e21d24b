"""Along a ray of weights one eigendecomposition knows determinant, traces and inverse for every noise."""

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._targets._thin import NONE, Thin, decomposed


@attrs.frozen(eq=False)
class Along:
    """Targets along a ray.

    Attributes:
        coordinates: along its leading eigenvectors, shape (t, k).
        squares: the sums of the squares along all of them, shape (t,).
        outside: the squares of what no kernel sees, shape (t,).
    """

    coordinates: FloatArray
    squares: FloatArray
    outside: FloatArray


@attrs.frozen(eq=False)
class Ray:
    """K_beta = sum_a beta_a K_a = U diag(values) U', beta >= 0 of sum 1.

    Attributes:
        direction: beta, shape (m,).
        values: shape (r,), >= 0.
        diagonals: u_i'K_a u_i, shape (m, r).
        vectors: U in single precision, shape (r, r): it starts and preconditions, and decides nothing; None where it is
            not kept.
    """

    direction: FloatArray
    values: FloatArray
    diagonals: FloatArray
    vectors: FloatArray | None

    @classmethod
    def of(
        cls,
        grams: FloatArray,
        direction: FloatArray,
        *,
        keep: bool,
        single: FloatArray | None = None,
        thin: Thin = NONE,
    ) -> "Ray":
        """From grams (m, r, r): one eigendecomposition, and m - 1 products, in single precision where this is given.

        The kernels that are `thin` take less.
        """
        values, vectors = _decomposed(grams, direction, thin)
        short: Any = vectors.astype(np.float32) if keep or single is not None else None
        diagonals = np.empty((len(grams), len(values)))
        largest = int(np.argmax(direction))  # of which the others and the eigenvalues tell
        others = [a for a in range(len(grams)) if a != largest]
        basis, kernels = (vectors, grams) if single is None else (short, single)
        for a in others:
            if a in thin:
                image = thin[a].T.astype(basis.dtype) @ basis
                diagonals[a] = np.einsum("kj,kj->j", image, image)
            else:
                diagonals[a] = np.einsum("ij,ij->j", basis, kernels[a] @ basis)
        diagonals[largest] = (values - direction[others] @ diagonals[others]) / direction[largest]
        return cls(direction, np.maximum(values, 0.0), np.maximum(diagonals, 0.0), short if keep else None)

    def curve(self, levels: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The log det of I + K_beta / s at noises s (l,), shape (l,), and its slopes in beta / s, shape (l, m)."""
        spread = 1.0 + self.values / levels[:, None]
        return np.log(spread).sum(axis=1), (1.0 / spread) @ self.diagonals.T

    def coordinates(self, Z: FloatArray, leading: float = 1.0) -> FloatArray:
        """Of targets (t, r) along a share of the eigenvectors, the leading ones, in single precision."""
        assert self.vectors is not None
        single: Any = Z.astype(np.float32, copy=False)
        return np.asarray(single @ self.vectors[:, int((1.0 - leading) * len(self.values)) :])

    def profile(self, targets: Along, n: float, levels: FloatArray, floor: float) -> tuple[FloatArray, FloatArray]:
        """Minus the log evidence at the best size for each noise, and that size, shape (t, l) each.

        With w = tau (beta, s) it is q / (2 tau) + n/2 log tau + 1/2 log det (K_beta + s I), q = y'(K_beta + s I)^-1 y.
        Where targets are known along leading eigenvectors alone, q takes them to be even along the others.
        """
        tau, q = self.sizes(targets, n, levels, floor)
        spectrum = np.log(self.values + levels[:, None]).sum(axis=1) + (n - len(self.values)) * np.log(levels)
        return np.asarray(0.5 * (q / tau + n * np.log(tau) + spectrum)), tau

    def sizes(self, targets: Along, n: float, levels: FloatArray, floor: float) -> tuple[FloatArray, FloatArray]:
        """The best tau >= floor / s, and q, shape (t, l) each."""
        power = np.square(targets.coordinates)
        rest = len(self.values) - power.shape[1]
        spectra = 1.0 / (self.values[:, None] + levels)
        q = (power @ spectra[rest:].astype(np.float32)).astype(np.float64) + targets.outside[:, None] / levels
        if rest:
            left = np.maximum(targets.squares - power.sum(axis=1), 0.0)
            q += left[:, None] * spectra[:rest].mean(axis=0)
        return np.maximum(q / n, floor / levels), q

    def solved(self, R: FloatArray, levels: FloatArray) -> FloatArray:
        """(K_beta + s I)^-1 applied to rows R (t, r), each with its own noise (t,), in single precision."""
        assert self.vectors is not None
        inner = (R.astype(np.float32) @ self.vectors) / (
            self.values.astype(np.float32) + levels[:, None].astype(np.float32)
        )
        return np.asarray((inner @ self.vectors.T).astype(np.float64))


def _decomposed(grams: FloatArray, direction: FloatArray, thin: Thin) -> tuple[FloatArray, FloatArray]:
    """The eigenvalues, increasing, and the eigenvectors of a sum of kernels."""
    alone = int(np.argmax(direction))
    if direction[alone] < 1.0:
        return np.linalg.eigh(np.tensordot(direction, grams, axes=1))
    return decomposed(thin[alone]) if alone in thin else np.linalg.eigh(grams[alone])


def first_directions(m: int, most: int, seed: int) -> Iterator[FloatArray]:
    """The first directions: equal weights, each kernel alone, pairs, then any; `most` at most."""
    chosen = [np.full(m, 1.0 / m), *np.eye(m)] if m > 1 else [np.ones(1)]
    if m > 2:
        chosen += [0.5 * (np.eye(m)[a] + np.eye(m)[b]) for a in range(m) for b in range(a)]
    if m > 1:
        rng = np.random.default_rng(seed)
        chosen = [*chosen, *(rng.dirichlet(np.full(m, 0.7)) for _ in range(max(most - len(chosen), 0)))]
    yield from chosen[: max(most, 1)]
