"""The evidence of a Gaussian process as a criterion: kernels without tuning."""

from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence._reweighted import Reweighted
from kernelopt._evidence._scoring import Scoring

__all__ = ["Evidence", "Reweighted", "Scoring"]
