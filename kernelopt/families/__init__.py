"""The families of the core: finite lists, the identity on samples, unions and views."""

from kernelopt.families._algebra import Union, View, on
from kernelopt.families._delta import Delta
from kernelopt.families._dictionary import Dictionary, fixed

__all__ = ["Delta", "Dictionary", "Union", "View", "fixed", "on"]
