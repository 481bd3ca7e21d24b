"""The families of the core: finite lists, the identity on samples, unions, views and prices."""

from kernelopt._families._algebra import Every, Priced, Union, View, each, on, pairs, priced, sampled
from kernelopt._families._constant import Constant
from kernelopt._families._default_list import default_dictionary
from kernelopt._families._delta import Delta
from kernelopt._families._dictionary import Dictionary, fixed
from kernelopt._families._kernels import Precomputed
from kernelopt._families._split import Split
from kernelopt._families._streamed import InPlay, Streamed, in_play, streamed

__all__ = [
    "Constant",
    "Delta",
    "Dictionary",
    "Every",
    "InPlay",
    "Precomputed",
    "Priced",
    "Split",
    "Streamed",
    "Union",
    "View",
    "default_dictionary",
    "each",
    "fixed",
    "in_play",
    "on",
    "pairs",
    "priced",
    "sampled",
    "streamed",
]
