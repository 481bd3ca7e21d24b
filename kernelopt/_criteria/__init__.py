"""The criteria: what is being learned, one file each."""

from kernelopt._criteria._svc import SVC

__all__ = ["SVC"]
