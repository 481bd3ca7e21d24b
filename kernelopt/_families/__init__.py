"""The families of the core: finite lists, the identity on samples, unions and views."""

from kernelopt._families._algebra import Every, Priced, Union, View, each, on, pairs, priced, sampled
from kernelopt._families._delta import Delta
from kernelopt._families._dictionary import Dictionary, fixed

__all__ = [
    "Delta",
    "Dictionary",
    "Every",
    "Priced",
    "Union",
    "View",
    "each",
    "fixed",
    "on",
    "pairs",
    "priced",
    "sampled",
]
