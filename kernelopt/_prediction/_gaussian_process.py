"""A learned kernel among scikit-learn's kernels for Gaussian processes."""

from typing import Any, Protocol

import numpy as np
from sklearn.gaussian_process import kernels

from kernelopt._base._typing import FloatArray


class Covariance(Protocol):
    """A kernel between rows."""

    def __call__(self, Z1: Any, Z2: Any = None) -> FloatArray:
        """The kernel between rows Z1 (n, d) and Z2 (m, d), shape (n, m)."""

    def diag(self, Z: Any) -> FloatArray:
        """k(z, z) of each row, shape (n,)."""


class GaussianProcessKernel(kernels.Kernel):  # type: ignore[misc]
    """A learned kernel without free hyperparameters; it combines with scikit-learn's (`... + WhiteKernel()`)."""

    def __init__(self, kernel: Covariance) -> None:
        self.kernel = kernel

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """k(X, Y), shape (n, m), and with `eval_gradient` its gradient in no hyperparameters, shape (n, n, 0)."""
        K = self.kernel(X, Y)
        return (K, np.empty((*K.shape, 0))) if eval_gradient else K

    def diag(self, X: Any) -> FloatArray:
        """k(x, x) of each row, shape (n,)."""
        return self.kernel.diag(X)

    def is_stationary(self) -> bool:
        """Whether k depends on x - z alone: it is not known to."""
        return False
