"""A recursive feature machine, to compare with: ridge regression whose kernel learns which directions matter.

Radhakrishnan, Beaglehole, Pandit and Belkin (2024), "Mechanism for feature learning in neural networks and
backpropagation-free machine learning models", Science 383: kernels exp(-|x - z|_M / L) with |u|_M^2 = u'Mu. Fit, take
for M the mean of the gradients' outer products, fit again. Bandwidth, ridge and the number of rounds are those of the
least error on a fifth of the rows, and all rows are fitted with them.
"""

from collections.abc import Iterator

import attrs
import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist

WIDTHS = (2.5, 5.0, 10.0, 20.0)
"""L, on columns of standard deviation 1."""
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)
ROUNDS = 5


@attrs.frozen(eq=False)
class Fitted:
    """The machine after some rounds.

    Attributes:
        X: the rows, shape (n, d).
        M: the metric, shape (d, d).
        coefficients: shape (n, c).
        level: the targets' mean, shape (c,).
        width: L.
    """

    X: np.ndarray
    M: np.ndarray
    coefficients: np.ndarray
    level: np.ndarray
    width: float

    def __call__(self, Z: np.ndarray) -> np.ndarray:
        """The function's values at rows Z (n', d), shape (n', c)."""
        K = np.exp(-distances(Z, self.X, self.M) / self.width)
        values: np.ndarray = K @ self.coefficients + self.level
        return values

    def next_metric(self) -> np.ndarray:
        """The mean outer product of the gradients at the rows, divided by its largest entry."""
        D = distances(self.X, self.X, self.M)
        W = np.exp(-D / self.width) / (self.width * np.maximum(D, 1e-10))
        np.fill_diagonal(W, 0.0)
        G = np.zeros_like(self.M)
        for c in self.coefficients.T:
            weighted = W * c
            gradients = -(self.X * weighted.sum(axis=1)[:, None] - weighted @ self.X) @ self.M
            G += gradients.T @ gradients
        return G / max(float(G.max()), 1e-300)


def distances(Z: np.ndarray, X: np.ndarray, M: np.ndarray) -> np.ndarray:
    """|z - x|_M, shape (n', n)."""
    values, vectors = np.linalg.eigh(M)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    found: np.ndarray = cdist(Z @ root, X @ root)
    return found


def rounds(X: np.ndarray, Y: np.ndarray, width: float, ridge: float) -> Iterator[Fitted]:
    """The machine for targets Y (n, c) after each round."""
    M, level = np.eye(X.shape[1]), Y.mean(axis=0)
    for _ in range(ROUNDS):
        K = np.exp(-distances(X, X, M) / width)
        found = Fitted(X, M, cho_solve(cho_factor(K + ridge * np.eye(len(X))), Y - level), level, width)
        yield found
        M = found.next_metric()


def tuned(X: np.ndarray, Y: np.ndarray, *, classes: bool) -> Fitted:
    """Bandwidth, ridge and rounds that err least on a fifth of the rows; then all rows.

    Args:
        X: rows, shape (n, d), of columns of standard deviation 1.
        Y: targets, shape (n, c): numbers, or a column of 0 and 1 for each class.
        classes: whether wrong classes count, in place of squares.
    """
    order = np.random.default_rng(0).permutation(len(X))
    held, kept = order[: len(X) // 5], order[len(X) // 5 :]

    def error(found: Fitted) -> float:
        values = found(X[held])
        wrong = values.argmax(axis=1) != Y[held].argmax(axis=1)
        return float(np.mean(wrong)) if classes else float(np.mean((values - Y[held]) ** 2))

    tried = [
        (error(found), t, width, ridge)
        for width in WIDTHS
        for ridge in RIDGES
        for t, found in enumerate(rounds(X[kept], Y[kept], width, ridge))
    ]
    _, t, width, ridge = min(tried)
    return next(found for k, found in enumerate(rounds(X, Y, width, ridge)) if k == t)
