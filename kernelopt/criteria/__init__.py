"""The criteria: what is being learned, one file each."""

from kernelopt.criteria._svc import SVC

__all__ = ["SVC"]
