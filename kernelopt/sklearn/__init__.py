"""Learned kernels among scikit-learn's estimators: parameters in, `kernelopt.solve`, fitted attributes out.

Users import from `kernelopt.sklearn`. Nothing here knows how a problem is solved, and nothing below imports this
room but `_model/_doors`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelopt.sklearn._classifier import KernelClassifier
    from kernelopt.sklearn._outliers import KernelOutlierDetector
    from kernelopt.sklearn._regressor import KernelRegressor
    from kernelopt.sklearn._transformer import LearnedKernel

_HOME = {
    "KernelClassifier": "_classifier",
    "KernelOutlierDetector": "_outliers",
    "KernelRegressor": "_regressor",
    "LearnedKernel": "_transformer",
}

__all__ = ["KernelClassifier", "KernelOutlierDetector", "KernelRegressor", "LearnedKernel"]


def __getattr__(name: str) -> Any:
    """Load an estimator when it is used: what stands beside the estimators needs none of scikit-learn (PEP 562)."""
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'kernelopt.sklearn' has no attribute {name!r}")
    value = getattr(import_module(f"kernelopt.sklearn.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
