"""The families of the core: finite lists, the identity on samples, unions and views."""

from kernelopt._families._algebra import Priced, Union, View, on, priced
from kernelopt._families._delta import Delta
from kernelopt._families._dictionary import Dictionary, fixed

__all__ = ["Delta", "Dictionary", "Priced", "Union", "View", "fixed", "on", "priced"]
