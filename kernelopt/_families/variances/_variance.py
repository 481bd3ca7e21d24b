"""Kernels whose weight is a variance that readers want to know."""

from abc import ABC

from kernelopt._families._finite import FiniteFamily


class Variance(FiniteFamily, ABC):
    """A single kernel whose values are 0 and 1, so that its weight is the variance of what it stands for.

    `describe` tells this variance: it is given the weight of the kernel itself, which is that of the part times the
    factor that the scale gives to the family.
    """
