"""Learned kernels among scikit-learn's estimators: parameters in, `kernelopt.solve`, fitted attributes out.

Users import from `kernelopt.sklearn`. Nothing here knows how a problem is solved, and nothing below imports this
room but `_model/_doors`.
"""

from kernelopt.sklearn._classifier import KernelClassifier
from kernelopt.sklearn._outliers import KernelOutlierDetector
from kernelopt.sklearn._regressor import KernelRegressor
from kernelopt.sklearn._transformer import LearnedKernel

__all__ = ["KernelClassifier", "KernelOutlierDetector", "KernelRegressor", "LearnedKernel"]
